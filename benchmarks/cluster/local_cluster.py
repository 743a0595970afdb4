"""A Dask cluster of this machine: a scheduler and workers, each a process of its own, on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """Starts, kills and starts again the processes of a cluster."""

    def __init__(self, folder: Path, n_workers: int) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._folder = folder
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(n_workers)]

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)]),
            "OMP_NUM_THREADS": "1",
        }
        environment["DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT"] = "2s"
        command = [sys.executable, "-W", "ignore", "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        with (self._folder / "log.txt").open("ab") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self._folder)

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start("dask_scheduler", "--host", self.address, "--no-dashboard", "--no-show")

    def start_worker(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--memory-limit", "0")
        return self._start("dask_worker", self.address, "--host", "127.0.0.1", *options)

    def kill_worker(self, number: int) -> None:
        """Kill a worker by SIGKILL, and start another one in its place."""
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self.start_worker()

    def restart_scheduler(self) -> None:
        """Kill the scheduler by SIGKILL, and start it again under the same address, with new workers."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self.start_scheduler()
        for number, worker in enumerate(self.workers):
            worker.kill()
            worker.wait()
            self.workers[number] = self.start_worker()

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def local_cluster(folder: Path, n_workers: int = 2) -> Iterator[Cluster]:
    cluster = Cluster(folder, n_workers)
    try:
        time.sleep(0.1)
        yield cluster
    finally:
        cluster.close()
