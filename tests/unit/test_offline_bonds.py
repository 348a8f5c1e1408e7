"""Which memories of a whole store are bound so closely that they are one lesson; which only look alike."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import yaml

from memgit.miners.offline.bonds import FEWEST, Bonds
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.distinctions import named_as_siblings, told_apart
from memgit.miners.offline.duplicates import BOUND, duplicates
from tests.bench.scenarios import SCENARIOS, store
from tests.unit.offline_world import memory

ONE_SUBJECT = Path(__file__).parents[1] / "data/offline/one_subject.yaml"
STORES = sorted(path.parent.name for path in SCENARIOS.glob("*/expected.yaml") if (path.parent / "store").is_dir())


def groups_of(slug: str) -> list[set[str]]:
    truth = yaml.safe_load((SCENARIOS / slug / "expected.yaml").read_text(encoding="utf-8"))
    return [set(one["memories"]) for one in truth["decisions"] if one["kind"] == "merge"]


@pytest.mark.parametrize("slug", STORES)
def test_no_two_lessons_of_any_labelled_store_are_merged_unasked(slug: str) -> None:
    groups = groups_of(slug)
    for found in duplicates(Corpus(store(SCENARIOS / slug)), ()):
        members = {entry.memory.id for entry in found.entries}
        assert any(members <= group for group in groups), members


@pytest.mark.parametrize("slug", STORES)
def test_two_lessons_that_nothing_tells_apart_stay_below_the_bound(slug: str) -> None:
    corpus, groups = Corpus(store(SCENARIOS / slug)), groups_of(slug)
    for a, b in combinations(corpus.by_id, 2):
        mutual = corpus.bonds.nearest(a)[:1] == (b,) and corpus.bonds.nearest(b)[:1] == (a,)
        if mutual and not any({a, b} <= group for group in groups) and corpus.bonds.strength(a, b) >= BOUND - 0.25:
            assert told_apart(corpus, corpus.by_id[a], corpus.by_id[b])


@pytest.mark.parametrize(
    ("first", "second", "siblings"),
    [
        ("batch-size-cpu", "batch-size-gpu", True),
        ("prod-quota", "stage-quota", True),
        ("pool_size_reader", "pool_size_writer", True),
        ("no-floats-for-amounts", "money-is-integer-cents", False),
        ("retries", "timeouts", False),
        ("smoke-on-real-devices", "smoke-suite-duration", False),
    ],
)
def test_names_that_differ_in_one_word_set_two_things_side_by_side(first: str, second: str, siblings: bool) -> None:
    assert named_as_siblings(first, second) is siblings


def test_two_rules_on_one_subject_are_no_lesson_told_twice() -> None:
    rules = [memory(one["id"], one["title"], one["text"]) for one in yaml.safe_load(ONE_SUBJECT.read_text("utf-8"))]
    assert len(rules) == 28
    for chosen in (rules, rules[:14], rules[14:], rules[:8], rules[6:16], rules[20:]):
        assert [[entry.memory.id for entry in found.entries] for found in duplicates(Corpus(tuple(chosen)), ())] == []


def test_a_store_of_a_few_memories_binds_none() -> None:
    few = tuple(
        memory(f"m{n}", "Snapshots come from CI", f"Snapshots come from CI, case {n}.") for n in range(FEWEST - 1)
    )
    assert Bonds(few, Corpus(few).weights).nearest("m0") == ()


def test_a_note_in_another_language_is_bound_to_nothing() -> None:
    told = (
        "Die Sicherungen der Datenbank werden jede Nacht auf dem zweiten Rechner geprüft, das Protokoll ist im Ordner."
    )
    german = memory("de", "Die Sicherungen werden jede Nacht geprüft", told)
    many = tuple(memory(f"m{n}", f"Rule {n}", f"The rule about the subject number {n} is kept.") for n in range(FEWEST))
    assert Corpus((*many, german)).bonds.nearest("de") == ()
