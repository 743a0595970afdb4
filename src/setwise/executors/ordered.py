"""Tasks of a stream, whose outcomes come out in the order of the stream; few are in memory at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from setwise.executors.session import Finished, Session
from setwise.executors.task import Outcome, Task

__all__ = ["in_order"]

MORE_THAN_RUN = 2
"""Tasks that are made ready before a worker is free for them."""


def in_order(session: Session, tasks: Iterable[Task]) -> Iterator[tuple[Task, Outcome]]:
    """Yield each task with its outcome, in the order of the tasks, and then release what both take.

    Parameters
    ----------
    session : Session
    tasks : iterable of Task
        It is read as workers become free, so that the stream may be longer than what fits in memory.
    """
    remaining = iter(tasks)
    queued: deque[Task] = deque()
    ended: dict[str, Finished] = {}
    failure: Exception | None = None
    while True:
        while failure is None and len(queued) < session.capacity + MORE_THAN_RUN:
            try:
                task = next(remaining)
            except StopIteration:
                break
            except Exception as error:  # what was read before comes out first
                failure = error
                break
            if task.key not in ended and all(task.key != one.key for one in queued):
                before = session.finished(task)
                if before is None:
                    session.submit(task)
                else:
                    ended[task.key] = Finished(task.key, before)
            queued.append(task)
        if not queued:
            if failure is not None:
                raise failure
            return
        while queued[0].key not in ended:
            ended.update((one.key, one) for one in session.wait())
        task = queued.popleft()
        finished = ended[task.key]
        if finished.outcome is None:
            raise finished.error or RuntimeError(f"{task.title} has no result")
        yield task, finished.outcome
        if all(task.key != one.key for one in queued):  # equal shards are done once
            del ended[task.key]
            session.release(task)
