"""The shape of a folder is told by its place and names; what it cannot express is said and guarded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memgit.memory.apply import apply
from memgit.memory.health import health
from memgit.memory.index_edit import drift_of
from memgit.memory.memory import memories
from memgit.memory.merge import merge3
from memgit.memory.shapes import CODEX, DIRECTORY, NOTES, PROSE, Shape, loaded, misshapen_summary
from memgit.model.decision import Decision, Draft, Kind, Proposal, Said, Standing
from memgit.model.history import PassKind
from memgit.model.session import Digest, Message, Role
from memgit.model.store import Resolution, StoreContent, StoreFile
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.stores.catalogue import _drift
from memgit.stores.directory import DirectoryStore, shape_of

MEMORY = "---\nname: retry\ndescription: three tries\ntype: project\n---\n\nThree tries.\n"
SUMMARY = "v1\n\n- The retry budget is 3 attempts.\n"


def folder(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return str(path)


def content(files: dict[str, str]) -> StoreContent:
    found = {name: StoreFile(name, text.encode(), mtime_ns=1) for name, text in sorted(files.items())}
    return StoreContent(found, indexed=False)


@pytest.mark.parametrize(
    ("files", "shape"),
    [
        ({"MEMORY.md": "- [Retry](retry.md) — three\n", "retry.md": MEMORY}, DIRECTORY),
        ({"MEMORY.md": "# Memory\n\nThe retry budget is three.\n"}, PROSE),
        ({"MEMORY.md": "# Memory index\n"}, DIRECTORY),
        ({"MEMORY.md": "- [Gone](gone.md) — kept, file pruned\n"}, DIRECTORY),
        ({"MEMORY.md": "Prose.\n", "team/oncall.md": "Mira.\n"}, DIRECTORY),
        ({"2026-05-02.md": "The window is 30 minutes.\n", "2026-05-03.md": "It is 15.\n"}, NOTES),
        ({"projectbrief.md": "# Brief\n", "activeContext.md": "# Now\n", "progress.md": "# Done\n"}, NOTES),
        ({"retry.md": MEMORY, "deploy.md": MEMORY, "note.md": "Prose.\n"}, DIRECTORY),
        ({"memory_summary.md": SUMMARY, "rollout_summaries/a.md": "A.\n"}, CODEX),
        ({"memory_summary.md": SUMMARY, "MEMORY.md": "# Handbook\n", "raw_memories.md": "A.\n"}, CODEX),
        ({"notes.txt": "No Markdown.\n"}, DIRECTORY),
    ],
)
def test_a_folder_that_somebody_names_has_the_shape_that_its_names_show(tmp_path, files, shape):
    assert shape_of(folder(tmp_path / "store", files), named=True) is shape


@pytest.mark.parametrize("place", ["projects/-p-app/memory", "agent-memory/reviewer", ".claude/agent-memory-local/qa"])
def test_where_the_client_keeps_memories_a_missing_index_is_missing(tmp_path, place):
    path = folder(tmp_path / place, {"plain.md": "Prose without a block.\n"})
    assert shape_of(path, named=True) is DIRECTORY


def test_a_folder_that_settings_name_is_the_clients_too(tmp_path):
    assert shape_of(folder(tmp_path / "shared", {"plain.md": "Prose.\n"}), named=False) is DIRECTORY


def test_a_folder_that_is_not_there_has_the_shape_that_the_client_would_give_it(tmp_path):
    assert shape_of(str(tmp_path / "none"), named=True) is DIRECTORY


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"v1\n\n- Short.\n", ""),
        (b"v1", ""),
        (b"v2\n", "memory_summary.md must begin with the line v1; Codex takes no other"),
        (b"", "memory_summary.md must begin with the line v1; Codex takes no other"),
        (b"v1\n" + b"x" * 9_996, ""),
        (b"v1\n" + b"x" * 9_997, "memory_summary.md has 10,000 bytes; Codex takes less than 10,000"),
    ],
)
def test_a_summary_has_the_form_that_codex_takes(data, why):
    assert misshapen_summary(data) == why


def test_a_misshapen_summary_is_a_finding():
    whats = [finding.what for finding in health(content({"memory_summary.md": "Hello.\n"}))]
    assert "memory_summary.md must begin with the line v1; Codex takes no other." in whats


def test_what_agents_are_given_is_told_in_the_shapes_own_measure():
    assert loaded(content({"memory_summary.md": SUMMARY}), CODEX) == "Summary: 38 of 10,000 bytes"
    assert loaded(content({"a.md": "A.\n"}), NOTES) == "Index: this shape of store has none"
    assert loaded(content({"MEMORY.md": "One.\nTwo.\n"}), PROSE) == (
        "MEMORY.md: 2 of 200 lines, 9 of 25,000 UTF-16 units"
    )


# --- what a pass may do ---

FIVE = "The retry budget is 5 attempts now, not 3 attempts."
DIGEST = Digest(1, (Message("s", "r", datetime(2026, 6, 1, tzinfo=UTC), Role.USER, FIVE),))


def settled(shape: Shape, files: dict[str, str], kind: Kind, names: tuple[str, ...], body: str = "") -> Decision:
    drafts = (Draft(names[0], "", "", body, names[0]),) if body else ()
    proposal = Proposal(kind, "the user says so", (Said("s", FIVE),), names, drafts)
    store = content(files)
    case = open_case(PassKind.CURATE, memories(store), (DIGEST,), shape=shape)
    (decision, *_) = settle([proposal], store, case, remove_most=True)
    return decision


def test_codexs_summary_is_reworded_in_its_form():
    files = {"memory_summary.md": SUMMARY}
    decision = settled(CODEX, files, Kind.REPLACE, ("memory_summary",), "v1\n\n- The retry budget is 5 attempts.")
    assert decision.writes == {"memory_summary.md": b"v1\n\n- The retry budget is 5 attempts.\n"}


@pytest.mark.parametrize(
    ("shape", "kind", "memory", "body", "why"),
    [
        (CODEX, Kind.REPLACE, "memory_summary", "- The retry budget is 5 attempts.", "must begin with the line v1"),
        (CODEX, Kind.DROP, "memory_summary", "", "only ever reworded"),
        (CODEX, Kind.DROP, "phase2_workspace_diff", "", "made by the agent's client for itself"),
        (CODEX, Kind.DROP, "extensions/notes/instructions", "", "made by the agent's client for itself"),
        (PROSE, Kind.DROP, "MEMORY", "", "only ever reworded"),
    ],
)
def test_a_change_that_breaks_the_form_is_refused_with_the_reason(shape, kind, memory, body, why):
    decision = settled(shape, {f"{memory}.md": SUMMARY}, kind, (memory,), body)
    assert decision.standing is Standing.REFUSED
    assert why in decision.refusal


def test_a_file_named_as_the_index_is_a_memory_where_there_is_no_index():
    files = {"MEMORY.md": "The retry budget is 3 attempts.\n"}
    decision = settled(PROSE, files, Kind.REPLACE, ("MEMORY",), "The retry budget is 5 attempts.")
    assert decision.writes == {"MEMORY.md": b"The retry budget is 5 attempts.\n"}


def added(name: str, body: str) -> Decision:
    return Decision("M1", Kind.ADD, "new", (), results=(name,), writes={f"{name}.md": body.encode()})


def test_a_fact_beside_prose_gets_a_line_there_and_the_prose_stays():
    store = content({"MEMORY.md": "# Reviewer\n\nKeep functions short.\n"})
    after = apply(store, [added("deploys", "Deploys are on Tuesdays.\n")], time_ns=5)
    index = after.files["MEMORY.md"].data.decode()
    assert index.startswith("# Reviewer\n\nKeep functions short.\n")
    assert "(deploys.md)" in index
    assert "Deploys are on Tuesdays." in index
    assert after.indexed


def test_a_note_beside_notes_gets_no_index():
    after = apply(content({"2026-05-02.md": "Prose.\n"}), [added("deploys", "On Tuesdays.\n")], time_ns=5)
    assert sorted(after.files) == ["2026-05-02.md", "deploys.md"]
    assert not after.indexed


def test_prose_that_both_sides_changed_is_a_conflict_and_not_made_anew():
    base, ours, theirs = (content({"MEMORY.md": f"The budget is {number}.\n"}) for number in (3, 4, 5))
    merged = merge3(base, ours, theirs)
    assert [conflict.path for conflict in merged.conflicts] == ["MEMORY.md"]
    assert merge3(base, base, theirs).content.files["MEMORY.md"].data == b"The budget is 5.\n"


# --- the list of all stores ---

ENTRIES = "- [A](a.md) — one\n- [B](b.md) — two\n"


@pytest.mark.parametrize(
    "index",
    [
        ENTRIES,
        f"# Memory\n\nSome prose, see [the docs](https://example.com/x).\n\n{ENTRIES}",
        f"{ENTRIES}- [A again](a.md) — one\n",
        f"{ENTRIES}- [C](c.md) — gone\n",
        "- [A](a.md) — one\n",
        "- [A](a.md) — one\n- [[b]] — two\n",
        f"```\n{ENTRIES}```\n",
        f"<!--\n{ENTRIES}-->\n",
        "- [A](./a.md) — one\n- [B](b.md#top) — two\n",
    ],
)
def test_an_index_that_is_looked_at_from_outside_has_the_drift_that_a_whole_look_finds(tmp_path, index):
    store = folder(tmp_path / "memory", {"MEMORY.md": index, "a.md": MEMORY, "b.md": MEMORY})
    found = _drift(store, index.encode(), ["MEMORY.md", "a.md", "b.md"], ["a.md", "b.md"])
    whole = drift_of(DirectoryStore(Resolution(store, "named")).read())
    assert (found.orphans, found.dead, found.doubles) == (whole.orphans, whole.dead, whole.doubles)
