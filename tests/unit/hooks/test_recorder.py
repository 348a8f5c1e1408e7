from __future__ import annotations

import json
import shutil

import pytest

from memgit.agent.hooks import slow
from memgit.agent.hooks.recorder import post_tool_use, snapshot
from tests.unit.hooks.conftest import Hooked


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


def test_nothing_is_remembered_where_nothing_was_ever_recorded(hooked: Hooked) -> None:
    shutil.rmtree(hooked.place.vault)

    tell(hooked, hooked.store / "deploys.md")

    assert not hooked.private.exists()


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
