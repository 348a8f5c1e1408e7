"""Adopt, discard, undo, redo, restore: what each does to the store, the vault and the folders beside the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.errors import StoreChanged, UsageError, WrongState
from memgit.flows.adopt import adopt, discard
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.status import acknowledge, status
from memgit.flows.undo import redo, restore, undo
from memgit.model.history import OpKind, PassKind, PassState
from memgit.model.session import LiveSession
from memgit.model.store import ABSENT
from memgit.stores.install import Way
from tests.desks import NEW, OLD, content, desk_over, like, make_pass, quick_place, read_folder, texts, write


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with quick_place(tmp_path) as folder:
        yield folder


@pytest.fixture
def store(place: Path) -> Path:
    folder = place / "agent" / "memory"
    write(folder, OLD)
    return folder


@pytest.fixture
def desk(store: Path, place: Path) -> Desk:
    return desk_over(store, place / "vault" / "v")


def candidate(desk: Desk):
    return like(desk.store.read(), NEW)


def beside(store: Path) -> set[str]:
    return {path.name for path in store.parent.iterdir()}


def test_adopting_makes_the_candidate_the_store_and_keeps_the_old_one_beside_it(desk, store):
    before = read_folder(store)
    header = make_pass(desk, candidate(desk))
    done = adopt(desk, header.id)
    assert texts(read_folder(store)) == NEW
    assert read_folder(done.superseded) == before
    assert beside(store) == {"memory", "memory-superseded"}
    assert desk.vault.pass_header(header.id).state is PassState.ADOPTED
    assert done.undo_hint == f"memgit undo {done.operation.id} --store {store}"


def test_an_unchanged_memory_keeps_its_time_through_an_adopt(desk, store):
    os.utime(store / "team/oncall.md", ns=(5_000_000_000, 5_000_000_000))
    adopt(desk, make_pass(desk, candidate(desk)).id)
    assert (store / "team/oncall.md").stat().st_mtime_ns == 5_000_000_000


def test_undo_brings_back_bytes_modes_and_times(desk, store):
    (store / "deploys.md").chmod(0o600)
    before = read_folder(store)
    adopt(desk, make_pass(desk, candidate(desk)).id)
    undo(desk)
    assert read_folder(store) == before


def test_redo_adopts_again(desk, store):
    header = make_pass(desk, candidate(desk))
    adopt(desk, header.id)
    undo(desk)
    assert desk.vault.pass_header(header.id).state is PassState.UNDONE
    redo(desk)
    assert texts(read_folder(store)) == NEW
    assert desk.vault.pass_header(header.id).state is PassState.ADOPTED


def test_two_undos_take_back_two_decisions(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    (store / "tests.md").unlink()
    adopt(desk, make_pass(desk, like(read_folder(store), OLD)).id)
    undo(desk)
    assert "tests.md" not in texts(read_folder(store))
    undo(desk)
    assert texts(read_folder(store)) == OLD
    with pytest.raises(WrongState, match="no decision"):
        undo(desk)


def test_an_undone_pass_can_be_adopted_again(desk, store):
    header = make_pass(desk, candidate(desk))
    adopt(desk, header.id)
    undo(desk)
    adopt(desk, header.id)
    assert texts(read_folder(store)) == NEW


def test_redo_after_a_new_decision_is_refused(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    undo(desk)
    discard(desk, make_pass(desk, candidate(desk)).id)
    with pytest.raises(WrongState, match="nothing to redo"):
        redo(desk)


def test_undo_keeps_what_an_agent_wrote_since(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    write(store, {"new.md": "---\nname: new\ndescription: since\n---\n\nSince.\n"})
    undo(desk)
    found = texts(read_folder(store))
    assert "Three tries." in found["retry-budget.md"]
    assert "Since." in found["new.md"]
    assert "deploys.md" in found["MEMORY.md"]
    assert "new.md" in found["MEMORY.md"]


def test_undo_names_a_memory_that_was_changed_again_and_changes_nothing(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    write(store, {"retry-budget.md": "Nine tries.\n"})
    with pytest.raises(StoreChanged, match=r"retry-budget\.md"):
        undo(desk)
    assert texts(read_folder(store)) == {**NEW, "retry-budget.md": "Nine tries.\n"}


def test_a_store_that_did_not_exist_comes_and_goes(place):
    store = place / "agent" / "memory"
    desk = desk_over(store, place / "vault" / "v")
    adopt(desk, make_pass(desk, content(NEW)).id)
    assert texts(read_folder(store)) == NEW
    undo(desk)
    assert read_folder(store) == ABSENT
    redo(desk)
    assert texts(read_folder(store)) == NEW


def test_a_moved_store_gets_a_merged_candidate_and_is_left_alone(desk, store):
    header = make_pass(desk, candidate(desk))
    write(store, {"team/oncall.md": "---\nname: oncall\ndescription: who\n---\n\nJun.\n"})
    moved = read_folder(store)
    with pytest.raises(StoreChanged, match=r"team/oncall\.md.*waits as pass") as refusal:
        adopt(desk, header.id)
    assert read_folder(store) == moved
    assert desk.vault.pass_header(header.id).state is PassState.MERGED
    merged = desk.vault.passes()[0]
    assert merged.id in refusal.value.hint
    assert beside(store) == {"memory", Path(merged.paths.candidate).name, Path(merged.paths.report).name}
    adopt(desk, merged.id)
    found = texts(read_folder(store))
    assert "Jun." in found["team/oncall.md"]
    assert "Five tries." in found["retry-budget.md"]


def test_a_conflict_keeps_the_text_of_the_store_and_shows_both(desk, store):
    header = make_pass(desk, candidate(desk))
    write(store, {"retry-budget.md": "---\nname: retry-budget\n---\n\nNine tries.\n"})
    with pytest.raises(StoreChanged, match=r"In conflict.*retry-budget\.md"):
        adopt(desk, header.id)
    merged = desk.vault.passes()[0]
    report = desk.vault.message(merged.candidate)
    assert "    Nine tries." in report
    assert "    Five tries." in report
    assert "Nine tries." in texts(desk.vault.content(merged.candidate))["retry-budget.md"]


STAMPED = "metadata:\n  node_type: memory\n  type: project\n---\n"
"""What the client makes of a type that stood at the top level."""


def test_the_agents_own_restamping_is_no_change_and_adopting_goes_on(desk, store):
    header = make_pass(desk, candidate(desk))
    before = texts(desk.store.read())
    stamped = {path: text.replace("type: project\n---\n", STAMPED) for path, text in before.items()}
    assert stamped != before
    write(store, stamped)
    adopt(desk, header.id)
    decided = texts(desk.vault.content(header.candidate))
    untouched = {path: stamped[path] for path in decided if before.get(path) == decided[path]}
    assert texts(desk.store.read()) == {**decided, **untouched}
    assert any("node_type" in text for text in untouched.values())
    assert not status(desk).changed
    undo(desk)
    assert texts(desk.store.read()) == stamped


def test_a_restamp_beside_a_real_change_is_merged_as_that_is(desk, store):
    header = make_pass(desk, candidate(desk))
    stamped = {path: text.replace("type: project\n---\n", STAMPED) for path, text in texts(desk.store.read()).items()}
    write(store, {**stamped, "mine.md": "Written meanwhile.\n"})
    with pytest.raises(StoreChanged) as refusal:
        adopt(desk, header.id)
    assert "conflict" not in refusal.value.message
    assert "stamped" in refusal.value.message


def test_hand_edits_in_the_candidate_folder_are_adopted_as_a_revision(desk, store):
    header = make_pass(desk, candidate(desk))
    write(Path(header.paths.candidate), {"tests.md": "By hand.\n"})
    adopt(desk, header.id)
    assert (store / "tests.md").read_text() == "By hand.\n"
    assert OpKind.REVISION in [each.kind for each in desk.vault.operations()]


def test_discard_removes_the_folders_and_its_undo_brings_the_candidate_back(desk, store):
    header = make_pass(desk, candidate(desk))
    write(Path(header.paths.candidate), {"tests.md": "By hand.\n"})
    discard(desk, header.id)
    assert beside(store) == {"memory"}
    undo(desk)
    assert (Path(header.paths.candidate) / "tests.md").read_text() == "By hand.\n"
    assert desk.vault.pass_header(header.id).state is PassState.READY
    assert texts(read_folder(store)) == OLD


def test_a_discarded_candidate_whose_name_was_taken_comes_back_under_another(desk, store):
    first = make_pass(desk, candidate(desk))
    discard(desk, first.id)
    second = make_pass(desk, candidate(desk))
    assert second.paths == first.paths
    undo(desk)
    again = desk.vault.pass_header(first.id)
    assert again.paths.candidate.endswith("-candidate-2")
    assert Path(again.paths.candidate).is_dir()
    assert Path(second.paths.candidate).is_dir()


@pytest.mark.parametrize("verb", [adopt, discard])
def test_a_pass_that_is_over_is_refused_with_the_way_back(desk, store, verb):
    header = make_pass(desk, candidate(desk))
    adopt(desk, header.id)
    with pytest.raises(WrongState, match="is adopted") as refusal:
        verb(desk, header.id)
    assert "memgit undo" in refusal.value.hint


def test_the_printed_commands_are_recognised(desk, store):
    header = make_pass(desk, candidate(desk))
    write(store, {"late.md": "Unseen.\n"})
    store.rename(store.with_name("memory-superseded"))
    Path(header.paths.candidate).rename(store)
    done = snapshot(desk)
    assert done.did == f"Recorded that pass {header.id} was adopted by hand."
    assert desk.vault.pass_header(header.id).state is PassState.ADOPTED
    late = next(each for each in desk.vault.operations() if each.kind is OpKind.EXTERNAL)
    assert "late.md" in desk.vault.store_at(late).files
    assert beside(store) == {"memory", "memory-superseded"}
    undo(desk)
    assert texts(read_folder(store)) == {**OLD, "late.md": "Unseen.\n"}


def test_a_store_that_was_moved_away_by_hand_is_kept_though_what_took_its_place_is_no_candidate(desk, store):
    header = make_pass(desk, like(desk.store.read(), NEW))
    write(store, {"unseen.md": "Seen by nobody.\n"})
    write(Path(header.paths.candidate), dict.fromkeys(NEW, "Edited by hand.\n"))
    store.rename(store.with_name("memory-superseded"))
    Path(header.paths.candidate).rename(store)
    snapshot(desk)
    assert any("unseen.md" in desk.vault.store_at(each).files for each in desk.vault.operations())
    assert texts(desk.vault.store_at(desk.vault.head())) == texts(read_folder(store))


def test_only_the_newest_superseded_copy_is_kept(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    undo(desk)
    redo(desk)
    assert len([name for name in beside(store) if "superseded" in name]) == 1


def test_a_superseded_copy_that_something_was_put_into_is_never_removed(desk, store):
    adopt(desk, make_pass(desk, candidate(desk)).id)
    write(store.with_name("memory-superseded"), {"mine.md": "Mine.\n"})
    undo(desk)
    assert (store.with_name("memory-superseded") / "mine.md").read_text() == "Mine.\n"


def test_folders_of_other_tools_stay_with_the_live_store(desk, store):
    write(store / ".obsidian", {"app.json": "{}"})
    adopt(desk, make_pass(desk, candidate(desk)).id)
    assert (store / ".obsidian/app.json").read_text() == "{}"
    undo(desk)
    assert (store / ".obsidian/app.json").read_text() == "{}"


def test_a_linked_store_stays_a_link(place, store):
    link = place / "link"
    link.symlink_to(store)
    desk = desk_over(link, place / "vault" / "v")
    adopt(desk, make_pass(desk, candidate(desk)).id)
    assert link.is_symlink()
    assert texts(read_folder(store)) == NEW


def test_external_changes_are_recorded_by_name_and_listed_until_acknowledged(desk, store):
    snapshot(desk)
    write(store, {"a.md": "A\n"})
    assert status(desk).changed.added == ("a.md",)
    assert snapshot(desk).did == "Recorded the store: added a.md."
    assert snapshot(desk).did == "Nothing has changed since the store was last seen."
    assert [each.subject for each in status(desk).external] == ["added a.md"]
    acknowledge(desk)
    assert status(desk).external == ()


def test_restamping_alone_needs_no_acknowledgement(desk, store):
    snapshot(desk)
    text = OLD["deploys.md"].replace("type: project\n", "metadata:\n  node_type: memory\n  type: project\n")
    write(store, {"deploys.md": text})
    assert snapshot(desk).did == "Recorded the store: stamped deploys.md."
    assert status(desk).external == ()


def test_restore_brings_back_the_store_of_an_operation_a_pass_or_a_time(desk, store):
    header = make_pass(desk, candidate(desk))
    seen = desk.vault.head()
    before = read_folder(store)
    adopt(desk, header.id)
    for at in (seen.id, header.id, seen.time.isoformat()):
        assert restore(desk, at).operation.kind is OpKind.RESTORE
        assert read_folder(store) == before
        undo(desk)
        assert texts(read_folder(store)) == NEW


def test_restore_brings_back_one_memory_and_its_line_in_the_index(desk, store):
    header = make_pass(desk, candidate(desk))
    adopt(desk, header.id)
    restore(desk, header.id, ["deploys"])
    found = texts(read_folder(store))
    assert found["deploys.md"] == OLD["deploys.md"]
    assert "(deploys.md)" in found["MEMORY.md"]
    assert "Five tries." in found["retry-budget.md"]


def test_restoring_what_was_not_there_names_it(desk, store):
    header = make_pass(desk, candidate(desk))
    with pytest.raises(UsageError, match=r"nothing was not in the store"):
        restore(desk, header.id, ["nothing"])


def test_restore_keeps_what_was_there_before_it(desk, store):
    snapshot(desk)
    first = desk.vault.head()
    write(store, {"unseen.md": "Unseen.\n"})
    restore(desk, first.id)
    assert "unseen.md" not in texts(read_folder(store))
    undo(desk)
    assert (store / "unseen.md").read_text() == "Unseen.\n"


def test_another_live_session_must_be_named_away(desk, store):
    busy = replace(desk, sessions=lambda: (LiveSession("abc", 42, "/work"),))
    header = make_pass(desk, candidate(desk))
    with pytest.raises(WrongState, match=r"abc \(process 42\)"):
        adopt(busy, header.id)
    adopt(busy, header.id, while_in_use=True)
    assert texts(read_folder(store)) == NEW


def test_an_audit_needs_approval_or_all(desk, store):
    header = make_pass(desk, candidate(desk), PassKind.AUDIT)
    with pytest.raises(WrongState, match="Nobody has approved"):
        adopt(desk, header.id)
    adopt(desk, header.id, all_=True)


def test_a_pass_that_removes_most_of_the_store_asks_first(desk, store):
    wary = replace(desk, drops=lambda header: 2)
    header = make_pass(desk, candidate(desk))
    with pytest.raises(WrongState, match="would remove 2 of 3 memories"):
        adopt(wary, header.id)
    adopt(wary, header.id, remove_most=True)


def test_names_that_differ_only_by_case_are_refused_before_anything_changes(desk, store):
    with pytest.raises(UsageError, match="differ only by case"):
        make_pass(desk, like(read_folder(store), {**NEW, "Tests.md": "x"}))


def test_a_read_only_store_is_refused_before_anything_changes(desk, store):
    header = make_pass(desk, candidate(desk))
    store.chmod(0o500)
    with pytest.raises(Exception, match="read-only"):
        adopt(desk, header.id)
    store.chmod(0o700)
    assert texts(read_folder(store)) == OLD
    assert desk.vault.pass_header(header.id).state is PassState.READY


@pytest.mark.parametrize("ways", [(way,) for way in Way], ids=list(Way))
def test_every_way_of_installing_comes_to_the_same(store, place, ways):
    write(store / ".obsidian", {"app.json": "{}"})
    desk = desk_over(store, place / "vault" / "v", ways)
    before = read_folder(store)
    done = adopt(desk, make_pass(desk, candidate(desk)).id)
    assert texts(read_folder(store)) == NEW
    assert texts(read_folder(done.superseded)) == OLD
    assert (store / ".obsidian/app.json").read_text() == "{}"
    assert done.operation.details["way"] == ways[0].value
    undo(desk)
    assert read_folder(store) == before
    assert beside(store) == {"memory", "memory-superseded-2"}


def test_what_the_store_holds_already_as_it_was_decided_is_in_nobodys_way(desk, store):
    header = make_pass(desk, like(read_folder(store), NEW))
    write(store, {"retry-budget.md": NEW["retry-budget.md"]})
    assert adopt(desk, header.id).operation.kind is OpKind.ADOPT
    assert texts(read_folder(store)) == NEW


def test_what_the_store_holds_half_as_it_was_decided_waits_for_a_merge(desk, store):
    header = make_pass(desk, like(read_folder(store), NEW))
    write(store, {"retry-budget.md": NEW["retry-budget.md"], "deploys.md": "Elsewhere.\n"})
    with pytest.raises(StoreChanged, match="A merge of both waits"):
        adopt(desk, header.id)
