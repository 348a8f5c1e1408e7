"""The review on a real terminal: keys typed through a pseudo-terminal, the screen read back from an emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import sys
import termios
from pathlib import Path

import pytest

pyte = pytest.importorskip("pyte", reason="the terminal emulator of the test extra is not installed")

ROOT = Path(__file__).parents[3]
WHY = "The window was shortened from 30 to 15 minutes after the incident."
PATIENCE = 60
"""Seconds after which a screen that does not come is a failure."""


class Terminal:
    """One memgit command on a terminal of so many columns and rows."""

    def __init__(self, example, *arguments: str, columns: int = 80, rows: int = 24, **env: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(example.project)
            here = {name: value for name, value in example.env.items() if name not in ("COLUMNS", "NO_COLOR")}
            here |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **env}
            os.execve(sys.executable, [sys.executable, "-m", "memgit", *arguments, "--now", example.now], here)

    def until(self, text: str) -> list[str]:
        """The rows of the screen once a text stands on it."""
        while not any(text in row for row in self.screen.display):
            ready, _, _ = select.select([self.descriptor], [], [], PATIENCE)
            assert ready, "\n".join(self.screen.display)
            self.feed()
        return [row.rstrip() for row in self.screen.display]

    def feed(self) -> None:
        data = os.read(self.descriptor, 65536)
        self.raw += data
        self.stream.feed(data)

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def end(self) -> int:
        """The exit code, once the command has ended."""
        while True:
            assert select.select([self.descriptor], [], [], PATIENCE)[0], "\n".join(self.screen.display)
            try:
                self.feed()
            except OSError:  # the other end is closed
                break
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def test_a_decision_fits_80_by_24_and_says_how_much_there_is_beyond(example):
    terminal = Terminal(example, "review")
    rows = terminal.until("M1 [")
    assert rows[:3] == ["", "M1 replace deploy-window", "1 of 2, open"]
    assert rows[3] == WHY
    changed = "  description: A production deploy of checkout-api has a 3015 minute window"
    at = next(number for number, row in enumerate(rows) if row.startswith(changed))
    assert rows[-5].startswith("… ")
    assert rows[-5].endswith(" more rows: m")
    assert rows[-4:-2] == ["", "2 open."]
    assert rows[-2].startswith("Store: 4 -> 3 memories; index 5 of 200 lines, ")
    assert rows[-1] == "M1 [a,r,e,d,n,p,g,f,u,m,q,?]"
    styles = {terminal.screen.buffer[at][column].fg for column in range(80)}
    assert {"red", "green"} <= styles
    terminal.type("m\n")
    terminal.until("  type: project")
    terminal.type("q\n")
    assert terminal.end() == 0


@pytest.mark.parametrize(("columns", "env"), [(80, {"NO_COLOR": "1"}), (34, {"NO_COLOR": "1"}), (80, {"TERM": "dumb"})])
def test_without_colours_marks_tell_what_changes_and_no_escape_is_sent(example, columns, env):
    terminal = Terminal(example, "review", columns=columns, rows=50, **env)
    rows = terminal.until("M1 [")
    assert "[-30-]{+15+} minute" in " ".join(" ".join(rows).split())
    assert b"\x1b" not in terminal.raw
    assert max(map(len, rows)) <= columns
    terminal.type("\x04")
    assert terminal.end() == 0


def test_keys_lead_to_an_adopted_store(example):
    terminal = Terminal(example, "review")
    terminal.until("M1 [")
    terminal.type("a\n")
    terminal.until("M2 [")
    terminal.type("r\n")
    terminal.until("Why?")
    terminal.type("they differ\n")
    rows = terminal.until("The end [")
    assert "+ M1 replace deploy-window" in rows
    assert "- M2 merge retry-budget + retries-are-capped -> retry-budget" in rows
    assert "Adopt it now? y adopts, q leaves it for later." in rows
    terminal.type("y\n")
    assert terminal.end() == 0
    assert b"Adopted pass 2026-06-30.1, 1 of 2 changes (M1): " in terminal.raw
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()
    assert (example.store / "retries-are-capped.md").exists()


@pytest.mark.skipif(shutil.which("less") is None, reason="no pager here")
def test_a_help_that_is_longer_than_the_screen_is_paged_and_a_short_one_is_printed(example):
    terminal = Terminal(example, "remember", "--help", PAGER="less")
    assert terminal.until("Arguments:")[0].startswith("Usage: memgit remember")
    terminal.type("q")
    assert terminal.end() == 0
    short = Terminal(example, "ops", "--help", PAGER="less")
    assert short.end() == 0
    assert short.screen.display[0].startswith("Usage: memgit ops")


def test_ctrl_c_keeps_the_answer_and_the_next_review_goes_on(example):
    terminal = Terminal(example, "review")
    terminal.until("M1 [")
    terminal.type("a\n")
    terminal.until("M2 [")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert b"Interrupted. 1 answer is kept: memgit review 2026-06-30.1 goes on." in terminal.raw
    assert terminal.raw.count(b"Interrupted") == 1
    again = Terminal(example, "review")
    assert again.until("M2 [")[-1].startswith("M2 [")
    again.type("\x03")
    assert again.end() == 130


def test_the_full_screen_shows_list_and_decision_and_ends_with_the_answers_saved(example):
    pytest.importorskip("textual", reason="the extra `review` is not installed")
    terminal = Terminal(example, "review", "--full")
    rows = terminal.until("4 -> 3 memories")
    assert rows[0] == "   M1 replace deploy-wi…  │ M1 replace deploy-window"
    assert any(WHY[:30] in row for row in rows)
    terminal.type("d")
    terminal.until("1 deferred")
    terminal.type("q")
    assert terminal.end() == 0
    assert b"Deferred: M1." in terminal.raw
