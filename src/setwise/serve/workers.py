"""Several worker processes on one listening socket, started again where one ends, and stopped together.

They are forked once everything is loaded, so that they share the memory of the models until one is replaced.
"""

from __future__ import annotations

import gc
import os
import signal
import traceback
from collections.abc import Callable
from time import monotonic, sleep

__all__ = ["run_workers"]

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

QUICK_END_SECONDS = 5.0
"""A worker that ends sooner after its start has not worked."""

MAX_QUICK_ENDS = 5
"""So many in a row end the service: starting again does not mend it. Workers that were killed do not count."""

PAUSE_SECONDS = 0.5
"""Before a worker is started again."""


def run_workers(
    n_workers: int, run: Callable[[int, int], object], stop: Callable[[], object], note: Callable[[str], object]
) -> int:
    """Run workers until a signal ends them, and return the exit code.

    SIGTERM and Ctrl-C let them finish what they answer, SIGHUP reaches all of them.

    Parameters
    ----------
    n_workers : int
    run : callable
        Called in each worker with its number and a file descriptor at whose end the parent has ended.
    stop : callable
        Called in the parent as soon as the service is to end: it closes what only workers need.
    note : callable
        Called with a sentence about a worker that ended.
    """
    supervisor = _Supervisor(run, stop, note)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    gc.collect()
    gc.freeze()  # or the search for cycles would write to, and so copy, what the workers share
    for number in range(n_workers):
        supervisor.start(number)
    return supervisor.wait()


class _Supervisor:
    """The parent of the workers; it answers no requests."""

    def __init__(
        self, run: Callable[[int, int], object], stop: Callable[[], object], note: Callable[[str], object]
    ) -> None:
        self._run = run
        self._close = stop
        self._note = note
        self._workers: dict[int, tuple[int, float]] = {}  # number and start by process
        self._is_stopping = False
        self._exit_code = 0
        self._n_quick_ends = 0
        self._alive_end, self._parent_end = os.pipe()

    def start(self, number: int) -> None:
        """Start a worker."""
        process = os.fork()
        if process:
            self._workers[process] = number, monotonic()
            return
        code = 1
        try:
            os.close(self._parent_end)
            for one in SIGNALS:
                signal.signal(one, signal.SIG_IGN if one == signal.SIGHUP else signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            self._run(number, self._alive_end)
            code = 0
        except KeyboardInterrupt:  # of a terminal, which sends it to all processes
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)  # what the parent has to clean up is not the worker's

    def wait(self) -> int:
        """Obey signals until all workers have ended."""
        while self._workers:
            received = signal.sigwait(SIGNALS)
            if received == signal.SIGCHLD:
                self._reap()
            elif received == signal.SIGHUP:
                self._send(signal.SIGHUP)
            else:
                self._stop(signal.SIGKILL if self._is_stopping and received == signal.SIGINT else signal.SIGTERM)
        return self._exit_code

    def _stop(self, how: signal.Signals) -> None:
        self._is_stopping = True
        self._close()
        self._send(how)

    def _send(self, one: signal.Signals) -> None:
        for process in self._workers:
            os.kill(process, one)

    def _reap(self) -> None:
        """Start the workers again that have ended, unless all are to end."""
        ended = []
        while self._workers:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                break
            number, started = self._workers.pop(process)
            if not self._is_stopping:
                self._note(f"Worker {number} ended ({_how(status)}) and is started again.")
                if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                    quick = monotonic() - started < QUICK_END_SECONDS
                    self._n_quick_ends = self._n_quick_ends + 1 if quick else 0
                ended.append(number)
        if ended and self._n_quick_ends >= MAX_QUICK_ENDS:
            self._note("Workers end as soon as they are started; the service ends.")
            self._exit_code = 1
            self._stop(signal.SIGTERM)
        elif ended:
            if self._n_quick_ends:
                sleep(PAUSE_SECONDS)
            for number in ended:
                self.start(number)


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit code {code}"
