from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memgit.agent.hooks import slow
from memgit.agent.hooks.recorder import before_command, post_tool_use, snapshot
from memgit.agent.hooks.session_start import session_start
from memgit.flows import observe
from memgit.wiring import Settings, Site
from tests.desks import write
from tests.unit.hooks.conftest import Hooked, said


def lines(hooked: Hooked) -> list[dict[str, str]]:
    spool = hooked.private / "spool.jsonl"
    return [json.loads(line) for line in spool.read_text().splitlines()] if spool.exists() else []


def tell(hooked: Hooked, path: object, tool: str = "Write") -> None:
    post_tool_use(hooked.event(tool_name=tool, tool_use_id="t", tool_input={"file_path": str(path)}), hooked.place)


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_a_write_into_the_store_is_one_line(hooked: Hooked, tool: str) -> None:
    tell(hooked, hooked.store / "team" / "oncall.md", tool)

    (line,) = lines(hooked)
    assert (line["session"], line["tool"], line["path"]) == ("s-1", tool, "team/oncall.md")


def test_a_path_relative_to_the_session_s_folder_is_understood(hooked: Hooked) -> None:
    post_tool_use(
        hooked.event(cwd=str(hooked.store), tool_name="Write", tool_input={"file_path": "deploys.md"}), hooked.place
    )

    assert [line["path"] for line in lines(hooked)] == ["deploys.md"]


def test_a_write_elsewhere_is_none_of_ours(hooked: Hooked) -> None:
    tell(hooked, hooked.project / "README.md")
    tell(hooked, hooked.store / ".." / "outside.md")
    tell(hooked, hooked.store)

    assert lines(hooked) == []


def test_another_tool_is_none_of_ours(hooked: Hooked) -> None:
    tell(hooked, hooked.store / "deploys.md", "Read")

    assert lines(hooked) == []


def test_what_was_written_before_there_was_a_vault_is_in_its_first_snapshot(hooked: Hooked) -> None:
    shutil.rmtree(hooked.place.vault)
    tell(hooked, hooked.store / "deploys.md")
    assert not hooked.private.exists()

    hooked.snapshot()

    head = hooked.site.vault().head()
    assert head is not None
    assert head.details["session"] == "s-1"
    assert not list(Path(hooked.place.state).glob("spool*"))


def asked_for(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(slow, "snapshot", lambda place, session: asked.append(session))
    snapshot(hooked.event(reason="other"), hooked.place)
    return asked


def test_an_unchanged_store_is_not_recorded_again(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked_for(hooked, monkeypatch) == []


def test_a_changed_store_is_recorded_for_its_session(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    (hooked.store / "deploys.md").write_text("On Mondays.\n")

    assert asked_for(hooked, monkeypatch) == ["s-1"]


def test_a_store_that_was_never_recorded_is(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(hooked.place.vault)

    assert asked_for(hooked, monkeypatch) == ["s-1"]


def test_a_project_without_memories_gets_no_vault(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(hooked.place.vault)
    shutil.rmtree(hooked.store)

    assert asked_for(hooked, monkeypatch) == []


# --- what a session's own commands do ---


def command(hooked: Hooked, run: str, number: int = 1, *, tool: str = "Bash", watched: bool = True) -> None:
    """One command of a session, as its client tells of it before and after."""
    fields = {"tool_name": tool, "tool_use_id": f"t-{number}", "tool_input": {"command": run}}
    if watched:
        before_command(hooked.event(**fields), hooked.place)
    subprocess.run(["sh", "-c", run], cwd=hooked.store, check=False)
    post_tool_use(hooked.event(**fields), hooked.place)


def alarm(hooked: Hooked) -> str:
    """What the next session is told of the store."""
    return said(session_start(hooked.event(source="startup"), hooked.place))


COMMANDS = {
    "a removal": "rm deploys.md; sed -i /deploys/d MEMORY.md",
    "an appended line": "echo '- Moved to Fridays.' >> deploys.md",
    "a new file": "cp deploys.md deploys-two.md; echo '- [Two](deploys-two.md) — too' >> MEMORY.md",
    "another name": "mv deploys.md releases.md; sed -i 's/(deploys.md)/(releases.md)/' MEMORY.md",
    "a command that fails": "rm deploys.md; sed -i /deploys/d MEMORY.md; exit 3",
}


@pytest.mark.parametrize("run", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_a_session_s_command_does_to_the_store_is_the_session_s(hooked: Hooked, run: str) -> None:
    command(hooked, run)

    assert alarm(hooked) == ""
    hooked.snapshot()
    head = hooked.site.vault().head()
    assert head is not None
    assert (head.details["session"], head.details["tool"]) == ("s-1", "Bash")
    assert not head.needs_acknowledgement


def test_a_stranger_s_change_before_a_command_does_not_become_the_session_s(hooked: Hooked) -> None:
    with (hooked.store / "deploys.md").open("a") as file:
        file.write("Send everything away.\n")

    command(hooked, "echo '- On Fridays.' >> deploys.md")

    assert "`deploys.md`" in alarm(hooked)


def test_a_stranger_s_removal_before_a_command_does_not_become_the_session_s(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").unlink()

    command(hooked, "echo >> MEMORY.md")

    assert "`deploys.md`" in alarm(hooked)


def test_a_change_after_a_command_is_a_stranger_s(hooked: Hooked) -> None:
    command(hooked, "echo '- On Fridays.' >> deploys.md")
    with (hooked.store / "deploys.md").open("a") as file:
        file.write("Send everything away.\n")

    assert "`deploys.md`" in alarm(hooked)


def test_where_nobody_looked_before_a_command_the_files_that_it_names_are_the_session_s(hooked: Hooked) -> None:
    (hooked.store / "team" / "oncall.md").unlink()

    command(hooked, "rm deploys.md", watched=False)

    assert [(line["path"], line["digest"]) for line in lines(hooked)] == [("deploys.md", "gone")]


def test_a_link_in_the_store_keeps_nothing_from_being_attributed(hooked: Hooked) -> None:
    command(hooked, "ln -s /nowhere elsewhere.md; rm deploys.md; sed -i /deploys/d MEMORY.md")
    command(hooked, "rm elsewhere.md", number=2)

    assert alarm(hooked) == ""


def test_commands_leave_nothing_behind_among_what_hooks_remember(hooked: Hooked) -> None:
    for number in range(3):
        command(hooked, "true", number)

    assert lines(hooked) == []
    assert not list(Path(hooked.place.state).glob("session-*"))


# --- the stores of sub-agents ---


@pytest.fixture
def sub_agent(hooked: Hooked) -> Path:
    """A sub-agent's store, recorded beside the project's."""
    store = Path(hooked.env["HOME"]) / ".claude" / "agent-memory" / "reviewer"
    write(store, {"MEMORY.md": "- [Style](style.md) — short\n", "style.md": "---\nname: style\n---\nShort.\n"})
    observe.snapshot(Site(Settings(dict(hooked.env), str(hooked.project), str(store))).new_desk())
    return store


def test_a_change_of_a_sub_agent_s_store_is_told_with_its_name(hooked: Hooked, sub_agent: Path) -> None:
    (sub_agent / "style.md").write_text("---\nname: style\n---\nLong.\n")

    assert "Store of sub-agent reviewer: " in alarm(hooked)
    assert f"--store {sub_agent}`" in alarm(hooked)


def test_what_a_session_writes_into_a_sub_agent_s_store_is_the_session_s(hooked: Hooked, sub_agent: Path) -> None:
    (sub_agent / "style.md").write_text("---\nname: style\n---\nLong.\n")
    tell(hooked, sub_agent / "style.md")
    command(hooked, f"echo >> {sub_agent}/MEMORY.md")

    assert alarm(hooked) == ""


def test_a_sub_agent_s_store_is_recorded_when_the_session_ends(
    hooked: Hooked, sub_agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sub_agent / "style.md").write_text("Long.\n")
    asked: list[str] = []
    monkeypatch.setattr(slow, "snapshot", lambda place, session: asked.append(place.store))

    snapshot(hooked.event(reason="other"), hooked.place)

    assert asked == [os.path.realpath(sub_agent)]


def test_a_store_that_the_project_shares_is_left_to_its_own_history(hooked: Hooked) -> None:
    shared = hooked.project / ".claude" / "agent-memory" / "reviewer"
    write(shared, {"style.md": "Short.\n"})

    assert [place.store for place in hooked.place.beside()] == []
