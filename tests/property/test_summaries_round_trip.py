"""Whatever is merged, reworded and removed in whatever order: going back gives every row of the database back."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.files import Journal
from memgit.memory.apply import apply
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.store import Resolution, StoreContent
from memgit.stores.sqlite.database import SqliteStore
from memgit.stores.sqlite.install import SqliteInstaller
from tests.desks import quick_place
from tests.summary_world import dump, make_database, run, search

TEXTS = tuple(f"The {word} valve opens at noon." for word in ("blue", "green", "red", "grey", "white", "black"))
STEPS = st.lists(
    st.tuples(st.sampled_from(["merge", "drop", "reword"]), st.integers(0, 5), st.integers(0, 5)), max_size=4
)


@given(STEPS)
@settings(max_examples=15, deadline=None)
def test_going_back_step_by_step_gives_each_state_back_exactly(steps):
    with quick_place(Path(tempfile.gettempdir())) as place, tempfile.TemporaryDirectory(dir=place) as folder:
        go_and_return(Path(folder), steps)


def go_and_return(folder: Path, steps: list[tuple[str, int, int]]) -> None:
    path = make_database(folder / "own" / "db.sqlite", TEXTS)
    run(path, "INSERT INTO summary_supersedes VALUES (6, 5, 0.9, 1)")
    run(path, "INSERT INTO provenance_edges(ts, from_kind, from_id, to_kind, to_id, edge_type)"
        " VALUES (1, 'summary', '1', 'summary', '6', 'similar_to')")  # fmt: skip
    store = SqliteStore(Resolution(str(path), "--store", "sqlite"))
    installer = SqliteInstaller(Journal(folder / "journal.json"))

    def install(content: StoreContent) -> None:
        installer.install(path, store.read(), content, {})
        installer.close()

    states = []
    for step in steps:
        content = store.read()
        after = changed(content, *step)
        if after.files != content.files:
            states.append((dump(path), content))
            install(after)
    for rows, content in reversed(states):
        install(content)
        assert dump(path) == rows
        assert search(path, "valve") == [row[1][1] for row in rows["summaries"]]


def changed(content: StoreContent, what: str, one: int, other: int) -> StoreContent:
    names = [memory.id for memory in memories(content)]
    if not names:
        return content
    first, second = names[one % len(names)], names[other % len(names)]
    if what == "reword":
        file = content.files[f"{first}.md"]
        return replace(content, files={**content.files, file.path: replace(file, data=file.data + b" Or later.")})
    if what == "merge" and first == second:
        return content
    kind, gone = (Kind.MERGE, second) if what == "merge" else (Kind.DROP, first)
    results = (first,) if what == "merge" else ()
    decision = Decision("M1", kind, "", memories=(first, gone), results=results, removes=frozenset({f"{gone}.md"}))
    return apply(content, [decision], time_ns=1_795_953_600_000_000_000)
