"""What reaches the two standard streams: never a control character, never broken JSON, never a crash."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.cli import run
from memgit.console import failures, terminal
from memgit.console.checks import verified
from memgit.errors import WrongState
from memgit.model.verification import MemoryCheck, Missing, SpanCheck, SpanKind, Verdict

HOSTILE = "a\x1b[2Jb\x9bc\u202ed\udcffe\u200bf"


def test_no_character_that_acts_on_a_terminal_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say(HOSTILE)
    terminal.warn(HOSTILE)
    safe = "a\\x1b[2Jb\\x9bc\\u202ed\ufffde\\u200bf\n"
    assert capsys.readouterr() == (safe, safe)


def test_json_carries_every_character_as_an_escape_that_gives_it_back(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.answer("x", {"text": HOSTILE + "日é"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"schema": "memgit.x/1", "text": HOSTILE + "日é"}
    assert "日é" in out
    assert all(char.isprintable() or char == "\n" for char in out)


def test_json_on_a_stream_that_takes_only_ascii_is_still_json(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(taken, encoding="ascii"))
    terminal.answer("x", {"text": "é 日 \U0001f600"})
    assert json.loads(taken.getvalue())["text"] == "é 日 \U0001f600"


def test_a_process_without_standard_streams_answers_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    terminal.say("text")
    assert failures.failure(WrongState("No.", "Hint."), as_json=True) == 13
    assert terminal.read_input("-") == b""
    with terminal.progress() as progress:
        progress.step("reading")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_answer_that_cannot_be_written_is_said_on_stderr(form, memgit_to_full_disk) -> None:
    code, err = memgit_to_full_disk("status", *form)
    assert code == 1
    assert err.startswith("memgit: The answer could not be written: No space left on device.\n")
    assert "Traceback" not in err
    assert "ignored" not in err


@pytest.fixture
def memgit_to_full_disk(world, tmp_path):
    """``memgit_to_full_disk(*arguments)``: exit code and stderr of a command whose stdout takes nothing."""

    def ran(*arguments: str) -> tuple[int, str]:
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "memgit", *arguments],
                cwd=tmp_path,
                env={**world.env, "PYTHONPATH": str(Path(__file__).parents[2])},
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        return done.returncode, done.stderr

    return ran


def test_a_line_feed_in_a_name_does_not_start_a_line_of_the_answer(tmp_path, capsys) -> None:
    (tmp_path / "two\nlines\x1b[31m.md").write_text("see `missing/thing.py`\n")
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    assert run(["verify", "--memories", str(tmp_path), "--project", str(tmp_path), "-v"]) == 0
    assert "  two\\nlines\\x1b[31m names" in capsys.readouterr().out


class Interrupted(io.RawIOBase):
    """A standard input at which somebody presses Ctrl-C."""

    @property
    def buffer(self):
        return self

    def read(self, size: int = -1) -> bytes:
        raise KeyboardInterrupt


def test_ctrl_c_says_that_nothing_is_lost(world, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert run(["propose", "2026-11-29.1", "-"]) == 130
    assert "Nothing is lost" in capsys.readouterr().err


def test_a_full_disk_is_no_fault_of_memgit_and_a_missing_file_may_be_one() -> None:
    refusal = failures.of_the_system(OSError(errno.ENOSPC, "No space left on device", "/p/x"))
    assert refusal is not None
    assert (refusal.code, refusal.message) == (1, "The system refused: /p/x: No space left on device.")
    assert failures.of_the_system(FileNotFoundError(errno.ENOENT, "No such file or directory")) is None
    assert failures.of_the_system(ValueError()) is None


def test_what_a_commit_took_leads_and_names_that_were_never_here_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def check(*spans: tuple[str, Missing]) -> MemoryCheck:
        return MemoryCheck(
            "m", Verdict.UNVERIFIABLE, tuple(SpanCheck(name, SpanKind.FILE, None, why) for name, why in spans)
        )

    checks = {
        "first": check(("far.py", Missing.ELSEWHERE), ("x86", Missing.NEVER)),
        "second": check(("gone.py", Missing.DELETED), ("cargo", Missing.NEVER)),
    }
    verified(checks, as_json=False)
    out = capsys.readouterr().out
    assert out.index("gone.py") < out.index("far.py") < out.index("2 never here")
    assert "x86" not in out
    assert "cargo" not in out
    verified(checks, as_json=False, verbose=True)
    assert "x86" in capsys.readouterr().out
