"""What the everyday commands print on a screen of 80 and of 60 columns, held against `tests/data/screens`.

``python -m tests.e2e.test_screens`` writes those anew; what changed in them is then to be read.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import secrets
import shutil
import struct
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "data" / "screens"
FOLDER = "/tmp/memgit-examples"
"""Where the example is said to lie: as long as the folder in which it does, so that lines break at the same places."""

ANSWERS = (
    "status", "show M1", "show runbook-location", "diff --stat", "verify", "check", "doctor", "stores", "adopt", "log",
    "undo", "log --ops", "audit", "prune",
)  # fmt: skip
"""The answers after that of the pass itself, in an order in which each has something to say."""


def screen(columns: int, env: Mapping[str, str], *command: str) -> str:
    """What a command sends to a terminal of so many columns, without colours."""
    pid, master = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvpe(command[0], list(command), dict(env))
    sent = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # how a terminal says that it has ended
            break
        if not block:
            break
        sent += block
    os.close(master)
    os.waitpid(pid, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent.decode().replace("\r\n", "\n"))
    return "\n".join(row.rsplit("\r", 1)[-1].rstrip() for row in text.split("\n")).strip("\n") + "\n"


def screens(columns: int, env: Mapping[str, str]) -> dict[str, str]:
    """Each command line with what it prints, in the worked example."""
    folder = Path(f"/tmp/memgit-{secrets.token_hex(4)}")
    assert len(str(folder)) == len(FOLDER)
    env = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")}
    env |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1", "MEMGIT_PAGER": "cat"}
    try:
        told = {"curate": screen(columns, env, sys.executable, "-m", "memgit", "demo", str(folder))}
        for answer in ANSWERS:
            command = (str(folder / "memgit-demo"), *answer.split(), "--now", "2026-06-30T12:00:00Z")
            told[answer] = screen(columns, env, *command)
    finally:
        shutil.rmtree(folder)
    key = re.sub("[^A-Za-z0-9]", "-", str(folder))
    return {name: _settled(text.replace(key[1:], FOLDER[1:].replace("/", "-")).replace(str(folder), FOLDER))
            for name, text in told.items()}  # fmt: skip


def _settled(text: str) -> str:
    """Without the hash of a path."""
    return re.sub(r"memory-[0-9a-f]{8}\b", "memory-00000000", text)


def written(told: Mapping[str, str]) -> str:
    return "\n".join(f"$ memgit {command}\n{text}" for command, text in told.items())


@pytest.mark.parametrize("columns", [80, 60])
def test_the_everyday_answers_are_as_they_were_last_read(columns, world):
    told = screens(columns, world.env)
    assert written(told) == (KEPT / f"{columns}.txt").read_text(encoding="utf-8")
    for command, text in told.items():
        rows = text.splitlines()
        assert not re.match(r"Traceback|memgit: ", text), text
        wide = [row for row in rows if len(row) > columns]
        assert all(len(row.split()) == 1 or "memgit-demo " in row for row in wide), f"{command}: {wide}"


def test_a_pass_is_told_on_less_than_a_screen(world):
    rows = screens(80, world.env)["curate"].split("\n\n")[0].splitlines()
    proposals = [row for row in rows if re.match(r"[ ?!+~-] M\d+ ", row)]
    assert len(proposals) == 5
    assert len(rows) - len(proposals) + 5 <= 20  # ten proposals take a row each, too


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for width in (80, 60):
        (KEPT / f"{width}.txt").write_text(written(screens(width, dict(os.environ))), encoding="utf-8")
