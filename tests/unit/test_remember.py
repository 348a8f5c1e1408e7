from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import MemgitError, WrongState
from memgit.flows import undo
from memgit.flows.extract import forget, remember
from memgit.model.fact import Fact
from memgit.model.history import OpKind
from tests.desks import OLD, Desk, desk_over, read_folder, texts, write

FACT = Fact("on-call-rota", "Mira is on call", "project", "Mira is on call in weeks with an even number.")
BAD = Fact("x", "Released yesterday", "project", "Released yesterday.")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    write(tmp_path / "agent" / "memory", OLD)
    return desk_over(tmp_path / "agent" / "memory", tmp_path / "vaults" / "v")


def live(desk: Desk) -> dict[str, str]:
    return texts(read_folder(desk.live))


def test_a_fact_is_written_and_its_session_recorded(desk: Desk) -> None:
    result = remember(desk, [FACT], "s-1")

    assert result.done is not None
    assert result.done.operation is not None
    assert (result.done.operation.kind, result.done.operation.details["session"]) == (OpKind.REMEMBER, "s-1")
    assert "on-call-rota.md" in live(desk)
    assert live(desk)["MEMORY.md"] == OLD["MEMORY.md"] + "- [On Call Rota](on-call-rota.md) — Mira is on call\n"


def test_one_undo_takes_all_of_it_back(desk: Desk) -> None:
    remember(desk, [FACT, Fact("deploys", "on Mondays", "project", "On Mondays, not On Tuesdays.")], "s-1")

    undo.undo(desk)

    assert live(desk) == OLD


def test_what_stood_there_before_is_recorded_first(desk: Desk) -> None:
    (desk.live / "deploys.md").write_text("Changed by hand.\n")

    remember(desk, [FACT], "s-1")
    undo.undo(desk)

    assert live(desk)["deploys.md"] == "Changed by hand.\n"


def test_the_folder_and_every_other_file_stay_the_very_same(desk: Desk) -> None:
    before = {path.name: path.stat() for path in [desk.live, *desk.live.glob("*.md")]}

    remember(desk, [FACT], "s-1")

    after = {path.name: path.stat() for path in [desk.live, *desk.live.glob("*.md")]}
    for name in ("memory", "deploys.md", "retry-budget.md"):
        assert after[name].st_ino == before[name].st_ino
    assert after["deploys.md"].st_mtime_ns == before["deploys.md"].st_mtime_ns


def test_nothing_is_left_beside_the_store(desk: Desk) -> None:
    remember(desk, [FACT], "s-1")

    assert sorted(path.name for path in desk.live.parent.iterdir()) == ["memory"]
    assert not list(desk.vault.private.glob("*memory*"))


def test_what_is_refused_is_not_written(desk: Desk) -> None:
    result = remember(desk, [BAD], "s-1")

    assert not result.complete
    assert result.done is None
    assert live(desk) == OLD


def test_the_same_again_is_no_operation(desk: Desk) -> None:
    remember(desk, [FACT], "s-1")
    head = desk.vault.head()

    assert remember(desk, [FACT], "s-1").done is None
    assert desk.vault.head() == head


def test_a_dry_run_writes_nothing(desk: Desk) -> None:
    before = desk.vault.head()

    result = remember(desk, [FACT], "s-1", dry_run=True)

    assert [placed.memory for placed in result.extracted.placed] == ["on-call-rota"]
    assert live(desk) == OLD
    assert desk.vault.head() == before


def test_a_store_that_cannot_be_written_is_left_as_it_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(MemgitError):
        remember(desk, [FACT], "s-1")

    assert live(desk) == OLD


def test_a_session_id_from_outside_reaches_no_terminal_raw(desk: Desk) -> None:
    result = remember(desk, [FACT], "s\x1b[2J\n1")

    assert result.done is not None
    assert result.done.operation is not None
    assert "\x1b" not in result.done.operation.details["session"]


# --- forgetting ---


@pytest.mark.parametrize("named", ["deploys", "deploys.md", "Deploys"])
def test_a_memory_is_forgotten_with_its_line_and_nothing_else(desk: Desk, named: str) -> None:
    done = forget(desk, named, "s-1")

    after = live(desk)
    assert after.keys() == OLD.keys() - {"deploys.md"}
    assert "deploys" not in after["MEMORY.md"]
    assert {name: text for name, text in after.items() if name != "MEMORY.md"} == {
        name: text for name, text in OLD.items() if name not in ("MEMORY.md", "deploys.md")
    }
    assert done.operation is not None
    assert (done.operation.kind, done.operation.details["session"]) == (OpKind.FORGET, "s-1")
    assert done.superseded is None


def test_one_undo_brings_a_forgotten_memory_back(desk: Desk) -> None:
    forget(desk, "deploys", "")

    undo.undo(desk)

    assert live(desk) == OLD


def test_what_a_memory_says_is_told_to_nobody(desk: Desk) -> None:
    (desk.live / "deploys.md").write_text("---\nname: deploys\n---\nThe door code is 9041.\n")

    done = forget(desk, "deploys", "")

    assert "9041" not in f"{done}{done.operation}"


@pytest.mark.parametrize("named", ["nothing-of-the-kind", "MEMORY.md", "../deploys", "", "/etc/passwd"])
def test_a_name_that_leads_to_no_memory_changes_nothing(desk: Desk, named: str) -> None:
    with pytest.raises(WrongState):
        forget(desk, named, "")

    assert live(desk) == OLD


def test_a_name_of_several_memories_is_refused(desk: Desk) -> None:
    write(desk.live, {"a/rota.md": "---\nname: rota\n---\nA.\n", "b/rota.md": "---\nname: rota\n---\nB.\n"})

    with pytest.raises(WrongState, match="or several"):
        forget(desk, "rota", "")

    forget(desk, "b/rota", "")
    assert "a/rota.md" in live(desk)
    assert "b/rota.md" not in live(desk)
