from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.agent.clients.client import GO_ON, SHOW
from memgit.agent.hooks import nudge, slow, state
from memgit.agent.hooks.nudge import pending, statements_name, stop
from memgit.agent.hooks.place import Place
from tests.unit.hooks.conftest import Hooked, said


def turns(hooked: Hooked, number: int, mode: str = "block", every: int = 3, **fields: object) -> list[bool]:
    """Whether each of some turns ended with an answer."""
    return [stop(hooked.event(**fields), hooked.place, mode, every) is not None for _ in range(number)]


def test_every_third_turn_is_blocked_once(hooked: Hooked) -> None:
    assert turns(hooked, 7) == [False, False, True, False, False, True, False]


def test_a_turn_that_the_reminder_caused_is_neither_blocked_nor_counted(hooked: Hooked) -> None:
    turns(hooked, 3)

    assert turns(hooked, 9, stop_hook_active=True) == [False] * 9
    assert turns(hooked, 3) == [False, False, True]


def test_sessions_are_counted_apart(hooked: Hooked) -> None:
    turns(hooked, 2)

    assert turns(hooked, 2, session_id="s-2") == [False, False]
    assert turns(hooked, 1) == [True]


def test_the_reminder_names_the_skill_and_the_session(hooked: Hooked) -> None:
    answer = stop(hooked.event(session_id="abc-123"), hooked.place, "block", 1)

    assert answer is not None
    assert answer.kind == GO_ON
    assert "`extract-memory`" in said(answer)
    assert "abc-123" in said(answer)


@pytest.mark.parametrize(
    ("env", "options"),
    [
        ({}, ("--nudge", "off")),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}, ("--nudge", "block")),
        ({"CLAUDE_CODE_ENTRYPOINT": "github-action"}, ("--nudge", "message")),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "true"}, ("--nudge", "context")),
    ],
    ids=["switched off", "driven by a program", "driven by a robot", "without memory"],
)
def test_where_nobody_is_to_be_reminded_it_neither_speaks_nor_counts(
    hooked: Hooked, env: dict[str, str], options: tuple[str, ...]
) -> None:
    hooked = replace(hooked, env={**hooked.env, **env})

    assert [hooked.run("stop", *options, "--every", "1").stdout for _ in range(2)] == ["", ""]
    assert not list(Path(hooked.place.state).glob("session-*"))


@pytest.mark.parametrize("entrypoint", ["cli", "claude-vscode", "claude-desktop"])
def test_a_person_is_reminded_by_context_and_not_by_a_block(hooked: Hooked, entrypoint: str) -> None:
    hooked = replace(hooked, env={**hooked.env, "CLAUDE_CODE_ENTRYPOINT": entrypoint})

    answer = json.loads(hooked.run("stop", "--nudge", "block", "--every", "1", hook_event_name="Stop").stdout)

    assert "`extract-memory`" in said(answer)
    assert "decision" not in answer


def looks(hooked: Hooked, monkeypatch: pytest.MonkeyPatch, *found: str) -> list[str]:
    """The sessions that are read from now on, each of which holds these statements."""
    asked: list[str] = []

    def look(place: Place, session: str, folder: str) -> None:
        asked.append(session)
        state.write(place.state, statements_name(state.session_name(session)), {"found": list(found)})

    monkeypatch.setattr(slow, "look_for_statements", look)
    return asked


def test_a_session_that_said_nothing_worth_a_memory_is_read_now_and_then_and_left_in_peace(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = looks(hooked, monkeypatch)

    assert turns(hooked, 9, "found") == [False] * 9
    assert asked == ["s-1"] * 3


def test_a_statement_is_reminded_of_once(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    looks(hooked, monkeypatch, "one")

    assert turns(hooked, 9, "found") == [False, False, True, False, False, False, False, False, False]


def test_a_later_statement_is_reminded_of_too(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    looks(hooked, monkeypatch, "one")
    turns(hooked, 4, "found")
    looks(hooked, monkeypatch, "one", "two")

    assert turns(hooked, 4, "found") == [False, True, False, False]


def test_what_a_look_finds_after_the_turn_has_ended_is_reminded_of_at_the_next(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nudge, "PATIENCE", 0)
    monkeypatch.setattr(slow, "look_for_statements", lambda *_: None)
    turns(hooked, 3, "found")
    looks(hooked, monkeypatch, "one")
    slow.look_for_statements(hooked.place, "s-1", "")

    assert turns(hooked, 2, "found") == [True, False]


def test_a_message_goes_to_the_user_only(hooked: Hooked) -> None:
    answer = stop(hooked.event(), hooked.place, "message", 1)

    assert answer is not None
    assert (answer.kind, answer.model) == (SHOW, "")


def test_in_context_mode_the_next_prompt_brings_the_reminder_once(hooked: Hooked) -> None:
    assert turns(hooked, 3, "context") == [False] * 3

    assert "`extract-memory`" in said(pending(hooked.event(), hooked.place))
    assert pending(hooked.event(), hooked.place) is None


@pytest.mark.parametrize("session", ["../../escape", "a/b", "", "\0", "x" * 5000, "name\nwith lines `rm`"])
def test_no_session_id_leads_out_of_the_folder_or_into_the_reminder(hooked: Hooked, session: str) -> None:
    answer = stop(hooked.event(session_id=session), hooked.place, "block", 1)

    assert len(list(Path(hooked.place.state).glob("session-*.json"))) == 1
    assert "`rm`" not in said(answer)


@pytest.mark.parametrize("junk", ["", "3 0", "[]", '{"turns": "08"}', '{"turns": -5, "nudged_at": true}', "\xff"])
def test_a_counter_of_junk_starts_again(hooked: Hooked, junk: str) -> None:
    folder = Path(hooked.place.state)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{state.session_name('s-1')}.json").write_text(junk)

    assert turns(hooked, 3) == [False, False, True]


def test_the_counters_of_old_sessions_go(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "KEPT", 5)
    for number in range(12):
        stop(hooked.event(session_id=f"old-{number}"), hooked.place, "block", 9)

    stop(hooked.event(session_id="new"), hooked.place, "block", 1)

    kept = sorted(path.name for path in Path(hooked.place.state).glob("session-*"))
    assert len(kept) == 5
    assert "session-new.json" in kept


def test_nothing_is_kept_in_the_store(hooked: Hooked) -> None:
    before = sorted(hooked.store.rglob("*"))

    turns(hooked, 5)

    assert sorted(hooked.store.rglob("*")) == before


def test_a_counter_is_readable_by_its_owner_only(hooked: Hooked) -> None:
    turns(hooked, 1)

    (counter,) = Path(hooked.place.state).glob("session-*")
    assert counter.stat().st_mode & 0o077 == 0
    assert json.loads(counter.read_text())["turns"] == 1
