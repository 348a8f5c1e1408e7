"""An offer of a sweep rests on a count of calls, and on nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.agent.hooks.event import Event
from memgit.agent.hooks.nudge import notes_made, stop
from tests.unit.hooks.conftest import Hooked


def use(command: object, name: str = "Bash") -> dict[str, object]:
    return {"type": "tool_use", "name": name, "input": {"command": command}}


def session(tmp_path: Path, *parts: dict[str, object], beads: bool = True) -> Event:
    if beads:
        (tmp_path / ".beads").mkdir(exist_ok=True)
    path = tmp_path / "session.jsonl"
    lines = [json.dumps({"type": "assistant", "message": {"content": [part]}}) for part in parts]
    path.write_text("\n".join([*lines, "{broken", '{"remember": "tool_use"}']))
    return Event({"cwd": str(tmp_path), "transcript_path": str(path)})


CALLS = {
    "one": (use('bd remember "x"'), 1),
    "two in one line": (use('bd remember "x" && bd  remember "y" --key k'), 2),
    "in a pipe": (use("cat x | bd remember -"), 1),
    "spoken of": (use("echo 'run bd remember later'"), 0),
    "another verb": (use("bd memories"), 0),
    "another tool": (use("bd remember x", "Write"), 0),
    "no command": (use(7), 0),
    "prose": ({"type": "text", "text": 'a "tool_use": bd remember'}, 0),
}


@pytest.mark.parametrize(("part", "count"), CALLS.values(), ids=CALLS)
def test_calls_are_counted_and_mentions_are_not(tmp_path, part, count):
    assert notes_made(session(tmp_path, part)) == count


def test_without_beads_or_transcript_nothing_is_counted(tmp_path):
    assert notes_made(session(tmp_path, use("bd remember x"), beads=False)) == 0
    (tmp_path / ".beads").mkdir()
    assert notes_made(Event({"cwd": str(tmp_path), "transcript_path": str(tmp_path / "gone")})) == 0
    assert notes_made(Event({"cwd": str(tmp_path)})) == 0


@pytest.mark.parametrize(("calls", "offered"), [(2, False), (3, True)])
def test_a_sweep_is_offered_from_three_calls_on(hooked: Hooked, tmp_path, calls, offered):
    event = session(tmp_path, *[use("bd remember x")] * calls)
    answer = stop(
        hooked.event(cwd=event.text("cwd"), transcript_path=event.text("transcript_path")), hooked.place, "block", 1
    )
    assert answer is not None
    assert ("sweep-memory" in answer.model) is offered
    assert ("called 3 times" in answer.model) is offered
