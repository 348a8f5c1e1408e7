"""A labelled set of note pairs: 60 say the same, 30 are about one topic, 30 contradict each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.duplicates import duplicates
from memgit.miners.offline.facts import Same, compare
from memgit.miners.offline.similarity import cosine
from tests.unit.offline_world import memory

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "offline" / "pairs.jsonl").read_text().splitlines()
]


def merged(pair: dict[str, str]) -> bool:
    members = (memory("a", pair["a"], pair["a"]), memory("b", pair["b"], pair["b"]))
    return bool(duplicates(Corpus(members), ()))


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair["label"] != "same"], ids=lambda pair: str(pair["id"]))
def test_related_and_contradicting_notes_are_never_merged(pair: dict[str, str]) -> None:
    assert not merged(pair)


def test_no_pair_of_the_whole_set_is_merged_across_labels() -> None:
    same = [pair for pair in PAIRS if pair["label"] == "same"]
    against = [pair for pair in PAIRS if pair["label"] == "contradiction"]
    members = [memory(f"{pair['id']}{side}", pair[side], pair[side]) for pair in same for side in "ab"]
    members += [memory(f"{pair['id']}b", pair["b"], pair["b"]) for pair in against]
    groups = duplicates(Corpus(members), ())
    assert groups
    for group in groups:
        numbers = {entry.memory.id[:-1] for entry in group.entries}
        assert len(numbers) == 1
        assert PAIRS[int(numbers.pop())]["label"] == "same"


def test_nearness_ranks_same_lessons_above_related_ones(capsys: pytest.CaptureFixture[str]) -> None:
    near = {label: [cosine(p["a"], p["b"]) for p in PAIRS if p["label"] == label] for label in ("same", "related")}
    above = sum(same > related for same in near["same"] for related in near["related"])
    assert above / (len(near["same"]) * len(near["related"])) > 0.9


def test_recall_on_the_same_lesson_is_printed_and_does_not_fall(capsys: pytest.CaptureFixture[str]) -> None:
    same = [pair for pair in PAIRS if pair["label"] == "same"]
    with capsys.disabled():
        found = sum(merged(pair) for pair in same)
        agreeing = sum(isinstance(compare(pair["a"], pair["b"]), Same) for pair in same)
        print(f"\nsame lesson: {found} of {len(same)} merged unaided, {agreeing} open to a user's restatement")
    assert found >= 3
    assert agreeing >= 39
