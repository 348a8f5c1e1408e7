"""Two worktrees share one store: what a session of one writes over another's is noticed, named and brought back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.agent.hooks.recorder import post_tool_use
from memgit.agent.hooks.session_start import session_start
from memgit.flows import status, undo
from memgit.flows.observe import observe
from memgit.memory.fingerprint import fingerprint
from tests.unit.hooks.conftest import Hooked, said

TICKET = "active-ticket.md"


@pytest.fixture
def tree(hooked: Hooked) -> Path:
    """A linked worktree of the project, which shares its store."""
    folder = hooked.project.with_name("tree")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(folder)]):
        subprocess.run([*git, *arguments], cwd=hooked.project, check=True, capture_output=True)
    return folder


def note(session: str, body: str) -> str:
    return (
        f"---\nname: active-ticket\ndescription: the ticket at work\nmetadata:\n  type: project\n"
        f"  originSessionId: {session}\n---\n\n{body}\n"
    )


def wrote(hooked: Hooked, folder: Path, session: str, body: str, name: str = TICKET) -> None:
    """The client's Write in a session that runs in a folder, and its hook."""
    path = hooked.store / name
    path.write_text(note(session, body))
    tool = {"tool_name": "Write", "tool_use_id": "t", "tool_input": {"file_path": str(path)}}
    post_tool_use(hooked.event(session_id=session, cwd=str(folder), **tool), hooked.place)


def found(hooked: Hooked) -> list[str]:
    from memgit.flows.check import record_parts

    findings = (finding for part in record_parts(hooked.site.desk(), full=False) for finding in part.look())
    return [f"{each.what} {each.remedy}" for each in findings if "worktree" in each.what]


def test_a_note_that_another_worktree_writes_over_is_named_with_the_way_back(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    hooked.snapshot()
    wrote(hooked, tree, "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    (told,) = found(hooked)
    assert told == (
        f"op4: one worktree's session wrote over another's: {TICKET} (a session in {tree} over one in "
        f"{hooked.project}). `memgit restore --at op3 FILE` brings the former text back; `memgit ack` takes note."
    )
    undo.restore(hooked.site.desk(), "op3", [TICKET])
    assert "SHOP-1" in (hooked.store / TICKET).read_text()


def test_a_note_that_nobody_recorded_in_between_is_not_lost(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    wrote(hooked, tree, "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    vault = hooked.site.desk().vault
    first, second = vault.operation("op3"), vault.operation("op4")
    assert (first.details["session"], second.details["session"]) == ("s-a", "s-b")
    assert b"SHOP-1" in vault.store_at(first).files[TICKET].data
    assert b"SHOP-2" in vault.store_at(second).files[TICKET].data
    assert len(found(hooked)) == 1
    assert not (hooked.private / "written").exists()


def test_a_note_written_while_a_snapshot_is_taken_is_known_and_kept_at_the_next(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "Mira is on call.", "on-call.md")
    desk = hooked.site.new_desk()
    read = desk.store.read()
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    observe(desk.vault, read, fingerprint(read))
    wrote(hooked, tree, "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    told = [(each.subject, each.details.get("session")) for each in list(desk.vault.operations())[2::-1]]
    assert told == [("added on-call.md", "s-a"), (f"added {TICKET}", "s-a"), (f"changed {TICKET}", "s-b")]
    assert not (hooked.private / "written").exists()


def test_a_write_that_somebody_replaced_at_once_is_not_waited_for_twice(hooked: Hooked) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    for text in ("By hand.", "By hand again."):
        (hooked.store / TICKET).write_text(text)
        hooked.snapshot()

    assert not list(hooked.private.glob("spool*"))
    assert not (hooked.private / "written").exists()


def test_who_wrote_is_known_where_one_snapshot_holds_the_writes_of_both(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    wrote(hooked, tree, "s-b", "Mira is on call.", "on-call.md")
    hooked.snapshot()
    wrote(hooked, tree, "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    assert len(found(hooked)) == 1


def test_the_next_session_is_told_until_it_is_acknowledged(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    wrote(hooked, tree, "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    assert "wrote over a memory of another's (op4)" in said(session_start(hooked.event(source="startup"), hooked.place))
    status.acknowledge(hooked.site.desk())
    assert "wrote over" not in said(session_start(hooked.event(source="startup"), hooked.place))


def test_a_later_session_of_the_same_worktree_may_write_a_note_anew(hooked: Hooked) -> None:
    (hooked.project / "docs").mkdir()
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    hooked.snapshot()
    wrote(hooked, hooked.project / "docs", "s-b", "SHOP-2 is at work.")
    hooked.snapshot()

    assert found(hooked) == []
    assert hooked.site.desk().vault.operation("op4").needs_acknowledgement is False


def test_what_another_worktree_only_adds_to_is_not_written_over(hooked: Hooked, tree: Path) -> None:
    wrote(hooked, hooked.project, "s-a", "SHOP-1 is at work.")
    hooked.snapshot()
    wrote(hooked, tree, "s-b", "SHOP-1 is at work.\nSHOP-2 too.")
    hooked.snapshot()

    assert found(hooked) == []


def test_one_session_s_drafts_are_no_operations(hooked: Hooked) -> None:
    for number in range(5):
        wrote(hooked, hooked.project, "s-a", f"Draft {number}.")
    hooked.snapshot()

    assert hooked.site.desk().vault.head().number == 3
