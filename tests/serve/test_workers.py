"""The parent of the workers: it starts them again, gives up where that does not help, and passes signals on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from time import sleep

PARENT = """
import os, signal, sys, time
from setwise.serve import workers

workers.PAUSE_SECONDS = 0.01

def run(number, parent):
    {body}

print(workers.run_workers(2, run, lambda: print("closed", flush=True), lambda note: print(note, flush=True)))
"""


def parent(body: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PARENT.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_workers_that_end_at_once_are_given_up() -> None:
    output, errors = parent("raise ValueError('broken')").communicate(timeout=60)
    lines = output.splitlines()
    assert lines[-3:] == ["Workers end as soon as they are started; the service ends.", "closed", "1"]
    assert 5 <= len(lines) - 3 <= 7
    assert lines[0] in ("Worker 0 ended (exit code 1) and is started again.",) or lines[0].startswith("Worker 1 ")
    assert "ValueError: broken" in errors


def test_signals_reach_the_workers_and_end_them() -> None:
    body = """signal.signal(signal.SIGHUP, lambda *_: os.write(1, b"reloads\\n"))
    os.write(1, b"started\\n")
    while True: time.sleep(0.05)"""
    process = parent(body)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["started\n"] * 2
    process.send_signal(signal.SIGHUP)
    assert [process.stdout.readline() for _ in range(2)] == ["reloads\n"] * 2
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert (output, errors, process.returncode) == ("closed\n0\n", "", 0)


def test_a_second_ctrl_c_ends_workers_that_do_not() -> None:
    body = """signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(1, f"{os.getpid()}\\n".encode())
    while True: time.sleep(0.05)"""
    process = parent(body)
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGINT)
    sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert output == "closed\nclosed\n0\n"
    for worker in workers:
        assert not os.path.exists(f"/proc/{worker}")
