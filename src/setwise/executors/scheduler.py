"""The order of work: many walks, each of which needs some tasks to be done before it goes on."""

from __future__ import annotations

import importlib
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from setwise.exceptions import InvalidParameter
from setwise.executors.session import Executor, Finished, SerialExecutor, Session
from setwise.executors.task import Data, Outcome, Task

__all__ = ["Emit", "Job", "Needs", "Scheduler", "Walk", "Work", "scheduler_of", "single"]


@dataclass(frozen=True)
class Needs:
    """What a walk yields to wait for tasks: it is sent their outcomes, in this order."""

    tasks: Sequence[Task]
    ahead: Sequence[Task] = ()
    """Tasks that it will probably need next; they may start while workers are idle."""


@dataclass(frozen=True)
class Emit:
    """What a walk yields to pass something on to who iterates over it."""

    item: Any


Walk = Generator[Needs | Emit, Sequence[Outcome], Any]
"""Work whose next tasks depend on the results of earlier ones, written as a loop."""


@dataclass(eq=False)
class Job:
    """A walk that was started."""

    walk: Walk
    order: tuple[int, ...]
    """Of jobs whose tasks could start, the first in this order goes first."""
    needs: Sequence[Task] | None = None
    ahead: Sequence[Task] = ()
    emitted: deque[Any] = field(default_factory=deque)
    is_done: bool = False
    result: Any = None
    error: BaseException | None = None


@dataclass(frozen=True)
class Work:
    """How much work is done, for those who watch."""

    n_done: int
    n_running: int
    cost_done: float
    cost_total: float
    """Of all tasks that are known so far, as estimated."""


@dataclass(frozen=True)
class _Warning:
    category: str
    text: str


class Scheduler:
    """Runs walks in a session: who asks for one gets it next, and the others use the workers that are idle.

    Where tasks run in this process, nothing is done before it is asked for.

    Parameters
    ----------
    session : Session
    watch : callable, optional
        ``watch(work)`` is called after each task, where these run in other processes.
    """

    def __init__(self, session: Session, watch: Callable[[Work], None] | None = None) -> None:
        self._session = session
        self._watch = watch
        self._jobs: list[Job] = []
        self._outcomes: dict[str, Outcome | BaseException] = {}
        self._running: dict[str, Task] = {}
        self._known: dict[str, float] = {}
        self._numbers = count()
        self._data: dict[int, tuple[Any, Data]] = {}

    @property
    def works_ahead(self) -> bool:
        """Whether tasks run beside this process."""
        return self._session.works_ahead

    def data(self, value: Any, pack: Callable[[Any], Any]) -> Data:
        """Make an object ready for tasks to read, once for as long as the scheduler is used."""
        if id(value) not in self._data:
            self._data[id(value)] = (
                value,
                self._session.data(value, pack),
            )  # the value too, so that its id stays its own
        return self._data[id(value)][1]

    def start(self, walk: Walk, order: tuple[int, ...] = ()) -> Job:
        """Take up a walk, to be run when there is time or when somebody asks for it."""
        job = Job(walk, (*order, next(self._numbers)))
        self._jobs.append(job)
        return job

    def run(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Return the outcomes of independent tasks, in their order."""

        def walk() -> Walk:
            return (yield Needs(tasks))

        return list(self.result(self.start(walk(), (-1,))))

    def each(self, walks: Sequence[Walk]) -> Iterator[tuple[int, Any]]:
        """Yield what each walk returns with its place, in the order in which they end."""
        jobs = [self.start(walk, (-1, number)) for number, walk in enumerate(walks)]
        waiting = dict(enumerate(jobs))
        try:
            while waiting:
                for number in self._done(waiting):
                    yield number, self.result(waiting.pop(number))
        finally:
            for job in jobs:
                self.drop(job)

    def result(self, job: Job) -> Any:
        """Return what a walk returns at its end; what it emits is dropped."""
        for _ in self.items(job):
            pass
        return job.result

    def items(self, job: Job) -> Iterator[Any]:
        """Yield what a walk emits; raise the error that ended it."""
        while True:
            while job.emitted:
                item = job.emitted.popleft()
                if isinstance(item, _Warning):
                    _warn_again(item)
                else:
                    yield item
            if job.is_done:
                if job.error is not None:
                    raise job.error
                return
            try:
                self._step(job)
            except BaseException:  # such as Ctrl-C
                self.drop(job)
                raise

    def drop(self, job: Job) -> None:
        """Forget a walk, and stop tasks that nobody else needs."""
        if job in self._jobs:
            self._jobs.remove(job)
        job.walk.close()
        wanted = {task.key for one in self._jobs for task in (*(one.needs or ()), *one.ahead)}
        for key in [key for key in self._running if key not in wanted]:
            if self._session.cancel(key):
                self._forget(key)

    def _forget(self, key: str) -> None:
        self._running.pop(key, None)
        self._known.pop(key, None)

    def _done(self, jobs: Mapping[int, Job]) -> list[int]:
        """Return which jobs are done; wait until there is one."""
        while not (done := [number for number, job in jobs.items() if job.is_done]):
            self._step(next(iter(jobs.values())))
        return done

    def _step(self, wanted: Job) -> None:
        """Let all walks go on whose needs are met, or wait until a task ends."""
        jobs = self._jobs if self._session.works_ahead else [wanted]
        moved = [job for job in list(jobs) if self._advance(job)]
        if wanted in moved or wanted.is_done:
            return
        self._submit(wanted)
        if not self._running:
            if moved:
                return
            raise RuntimeError("no task is running, and one is waited for")
        for finished in self._session.wait():
            self._note(finished)

    def _advance(self, job: Job) -> bool:
        """Let a walk go on until it needs something that is not there; return whether it did anything."""
        moved = False
        while not job.is_done:
            outcomes: list[Outcome] | None = None
            if job.needs is not None:
                found = [self._outcome(task) for task in job.needs]
                errors = [one for one in found if isinstance(one, BaseException)]
                if errors:
                    self._end(job, error=errors[0])
                    return True
                outcomes = [one for one in found if isinstance(one, Outcome)]
                if len(outcomes) < len(found):
                    return moved
                job.emitted += [_Warning(*one) for outcome in outcomes for one in outcome.warnings]
            moved = True
            self._send(job, outcomes)
            if not self._session.works_ahead:
                self._outcomes.clear()  # a result lives as long as the walk that needed it has it
                if job.emitted:
                    return True
        return moved

    def _send(self, job: Job, outcomes: list[Outcome] | None) -> None:
        try:
            wanted = next(job.walk) if outcomes is None else job.walk.send(outcomes)
            while isinstance(wanted, Emit):
                job.emitted.append(wanted.item)
                job.needs, job.ahead = None, ()
                if not self._session.works_ahead:
                    return
                wanted = next(job.walk)
            job.needs, job.ahead = wanted.tasks, wanted.ahead
            for task in (*wanted.tasks, *wanted.ahead):
                self._known.setdefault(task.key, task.cost)
        except StopIteration as ended:
            self._end(job, result=ended.value)
        except Exception as error:  # it is raised where the walk is asked for
            self._end(job, error=error)

    def _end(self, job: Job, result: Any = None, error: BaseException | None = None) -> None:
        job.is_done, job.result, job.error = True, result, error
        job.needs, job.ahead = None, ()
        if job in self._jobs:
            self._jobs.remove(job)

    def _outcome(self, task: Task) -> Outcome | BaseException | None:
        if task.key not in self._outcomes and task.key not in self._running:
            before = self._session.finished(task)
            if before is not None:
                self._outcomes[task.key] = before
        return self._outcomes.get(task.key)

    def _submit(self, wanted: Job) -> None:
        """Fill the session with the tasks that matter most: those that are needed, then those of later walks."""
        jobs = (
            sorted(self._jobs, key=lambda job: (job is not wanted, job.order))
            if self._session.works_ahead
            else [wanted]
        )
        ranked = [
            (is_ahead, place, number if is_ahead else -task.cost, task)
            for place, job in enumerate(jobs)
            for is_ahead, tasks in enumerate((job.needs or (), job.ahead))
            for number, task in enumerate(tasks)
        ]
        if not self._session.works_ahead:
            ranked = [one for one in ranked if not one[0]]
        else:
            ranked.sort(key=lambda one: one[:3])
        for *_, task in ranked:
            if len(self._running) >= self._session.capacity:
                return
            if task.key not in self._running and self._outcome(task) is None:
                self._running[task.key] = task
                self._session.submit(task)

    def _note(self, finished: Finished) -> None:
        task = self._running.pop(finished.key, None)
        if task is None:  # it was cancelled
            return
        self._outcomes[finished.key] = finished.outcome or finished.error or RuntimeError(f"{task.title} has no result")
        if self._watch is not None and self._session.works_ahead:
            done = [key for key in self._known if key in self._outcomes]
            cost = sum(self._known[key] for key in done)
            self._watch(Work(len(done), len(self._running), cost, sum(self._known.values())))


def single(task: Task) -> Walk:
    """Return the walk that needs one task, and returns its outcome."""
    (outcome,) = yield Needs([task])
    return outcome


def _warn_again(warning: _Warning) -> None:
    """Warn in this process of what a worker was warned of."""
    module, _, name = warning.category.partition(":")
    category = getattr(importlib.import_module(module), name, UserWarning)
    warnings.warn(warning.text, category, stacklevel=4)


@contextmanager
def scheduler_of(
    executor: Executor | Scheduler | None, watch: Callable[[Work], None] | None = None
) -> Iterator[Scheduler]:
    """Yield a scheduler over the executor's session, or the scheduler itself where there is one already."""
    if isinstance(executor, Scheduler):
        yield executor
        return
    if executor is not None and not isinstance(executor, Executor):
        raise InvalidParameter(f"executor must be an executor; got {executor!r}.")
    with (executor or SerialExecutor()).session() as session:
        yield Scheduler(session, watch)
