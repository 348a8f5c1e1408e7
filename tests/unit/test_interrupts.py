"""Ctrl-C, once or more: what the first one began is not broken by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

PATIENT = """
import sys, time
from memgit._entry import _interrupt_once
_interrupt_once()
print("up", flush=True)
try:
    time.sleep(30)
except KeyboardInterrupt:
    time.sleep(0.5)
    print("ended in order", flush=True)
    if "hang" in sys.argv:
        time.sleep(30)
"""


def started(*arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", PATIENT, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def test_a_second_interrupt_does_not_break_into_the_end_of_the_first():
    process = started()
    for _ in range(4):
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.02)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("ended in order\n", 0)


def test_one_that_comes_much_later_ends_what_hangs():
    process = started("hang")
    os.kill(process.pid, signal.SIGINT)
    time.sleep(2.5)
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("ended in order\n", 130)
