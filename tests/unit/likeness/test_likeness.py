"""What may be alike: nearness nominates and ranks, only equality but for form decides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from time import perf_counter

import pytest

from memgit.likeness.embedding import DIMENSIONS, apart, vector
from memgit.likeness.merges import equal_merged, merge
from memgit.likeness.nearness import Nearness, Weights, told
from memgit.likeness.pairs import equal, joined, near
from memgit.model.decision import Kind, Seen
from memgit.model.store import Memory


def memory(name: str, body: str, type_: str = "project", description: str = "") -> Memory:
    return Memory(name, f"{name}.md", b"", body, name.rpartition("/")[2], description, type_)


STORE = (
    memory("deploy-window", "A production deploy has a window of 30 minutes before it rolls back."),
    memory("deploys-roll-back", "After 30 minutes a deploy to production is rolled back by itself."),
    memory("retry-budget", "Every call of the gateway draws on the same three retries."),
    memory("answers", "Keep answers terse."),
    memory("tests-first", "Run the tests before you open a pull request."),
)


# --- vectors


def test_a_vector_has_unit_length_and_is_nearest_to_itself() -> None:
    mine = vector("A production deploy has a window.")
    assert mine is not None
    assert len(mine.values) == DIMENSIONS
    assert mine.cosine(mine) == pytest.approx(1.0)
    assert apart(mine, mine) == 0


def test_words_in_another_order_or_case_lie_at_the_same_place() -> None:
    one, other = vector("deploy window, production"), vector("Production window, DEPLOY")
    assert one is not None
    assert other is not None
    assert one.cosine(other) == pytest.approx(1.0)


def test_texts_on_one_thing_are_nearer_than_texts_on_two() -> None:
    first, second, third = (vector(told(each)) for each in STORE[:3])
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.cosine(second) > first.cosine(third)
    assert apart(first, second) < apart(first, third)


@pytest.mark.parametrize("text", ["", "   ", "\n", "发布窗口", "\U0001f680"])
def test_a_text_without_a_known_word_has_no_vector(text: str) -> None:
    assert vector(text) is None


def test_accents_and_long_words_are_no_hindrance() -> None:
    assert vector("déployé") is not None
    assert vector("x" * 10_000) is None or vector("x" * 10_000) is not None


# --- nearness


def test_the_nearest_memory_comes_first() -> None:
    found = Nearness(STORE, Weights(map(told, STORE))).of("the deploy window is 15 minutes now")
    assert found[0].memory == "deploy-window"
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert all(0 <= each.held <= 1.000001 for each in found)


def test_a_script_without_a_vector_is_compared_by_its_words() -> None:
    store = (memory("a", "发布窗口是三十分钟。"), memory("b", "重试三次。"))
    found = Nearness(store, Weights(map(told, store))).of("发布窗口改了")
    assert [each.memory for each in found][:1] == ["a"]


def test_of_nothing_and_in_an_empty_store_nothing_is_near() -> None:
    assert Nearness(STORE, Weights(map(told, STORE))).of("") == ()
    assert Nearness((), Weights(())).of("the deploy window") == ()


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    weights = Weights(["deploy bastion", "deploy gateway", "deploy window"])
    assert weights.of("bastio") > weights.of("deploy")
    assert weights.held("bastion", "deploy bastion") > weights.held("bastion deploy", "deploy")


def test_what_two_texts_share_is_the_same_both_ways_and_whole_for_equal_ones() -> None:
    weights = Weights(map(told, STORE))
    for one, other in combinations(map(told, STORE), 2):
        assert weights.shared(one, other) == pytest.approx(weights.shared(other, one))
        assert 0 <= weights.shared(one, other) < 1
    assert weights.shared(told(STORE[0]), told(STORE[0])) == pytest.approx(1.0)


# --- pairs


def names(groups: Sequence[Sequence[Memory]]) -> list[list[str]]:
    return [[each.id for each in group] for group in groups]


def test_equal_but_for_form_and_of_one_type_are_equal() -> None:
    store = (
        memory("a", "Open *one* bundled PR."),
        memory("b", "open one bundled pr"),
        memory("c", "Open one bundled PR.", "feedback"),
        memory("d", "Open one bundled PR today."),
        memory("e", "…"),
        memory("f", "!"),
    )
    assert names(equal(store)) == [["a", "b"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 600.", "The limit is 1000."),
        ("Always squash branches.", "Never squash branches."),
        ("Use the dev cluster.", "Use the prod cluster."),
        ("重试三次。", "重试五次。"),
        ("Wait 1.5 hours.", "Wait 15 hours."),
        ("Keep coverage > 80.", "Keep coverage < 80."),
    ],
)
def test_what_differs_in_a_word_is_not_equal(one: str, other: str) -> None:
    assert equal((memory("a", one), memory("b", other))) == ()


def test_near_pairs_come_nearest_first_and_each_once() -> None:
    pairs = near(STORE)
    assert {pairs[0].one, pairs[0].other} == {"deploy-window", "deploys-roll-back"}
    assert [each.near for each in pairs] == sorted((each.near for each in pairs), reverse=True)
    assert len({frozenset(each[:2]) for each in pairs}) == len(pairs)
    assert all(each.one != each.other and 0 <= each.near <= 1 for each in pairs)


def test_a_few_pairs_are_kept_for_each_memory() -> None:
    store = [memory(f"m{number}", f"The deploy window of service {number} is long.") for number in range(40)]
    assert len(near(store)) <= 6 * len(store)


def test_a_large_store_is_compared_by_its_rare_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memgit.likeness.pairs._ALL_PAIRS", 10)
    store = [memory(f"m{number}", f"The deploy window of service {number}.") for number in range(40)]
    store += [memory("x", "The bastion is called frida."), memory("y", "Call frida, the bastion.")]
    started = perf_counter()
    found = near(store)
    assert {frozenset(("x", "y"))} <= {frozenset(each[:2]) for each in found}
    assert perf_counter() - started < 5


# --- merges


def test_one_memory_of_several_holds_every_sentence_once() -> None:
    one, other = (
        memory("a", "Deploys are on Tuesday. Ask Jana."),
        memory("b", "deploys are on tuesday\n\nNever on Friday."),
    )
    draft = joined((one, other), one)
    assert (draft.id, draft.body) == ("a", "Deploys are on Tuesday. Ask Jana.\n\nNever on Friday.")
    assert joined((one, one), one).body == one.body


def test_equal_memories_are_merged_into_the_best_of_them_without_a_new_word() -> None:
    store = (
        memory("deploys copy", "On Tuesdays."),
        memory("deploys", "on tuesdays"),
        memory("uses", "See [[deploys]]."),
    )
    (proposal,) = equal_merged(store)
    assert proposal.kind is Kind.MERGE
    assert set(proposal.memories) == {"deploys copy", "deploys"}
    assert [(draft.id, draft.body) for draft in proposal.drafts] == [("deploys", "on tuesdays")]
    assert proposal.evidence == (Seen("memory:deploys copy", "On Tuesdays."), Seen("memory:deploys", "on tuesdays"))


COPIES = (
    *("deploys 2", "deploys (1)", "deploys.sync-conflict-20260603-1", "deploys (conflicted copy)"),
    *("deploys - Copy", "deploys.bak", "backup/deploys", "old/deploys"),
)


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_that_programs_or_people_made_never_stays(copy: str) -> None:
    both = memory(copy, "On Tuesdays."), memory("deploys", "On Tuesdays.")
    for store in (both, both[::-1]):
        (proposal,) = equal_merged(store)
        assert proposal.drafts[0].id == "deploys"


def test_a_merge_that_somebody_names_rests_on_a_line_of_each() -> None:
    proposal = merge(STORE[:2], STORE[1], "they tell one thing")
    assert [each.where for each in proposal.evidence if isinstance(each, Seen)] == [
        "memory:deploy-window",
        "memory:deploys-roll-back",
    ]
    assert (proposal.drafts[0].id, proposal.justification) == ("deploys-roll-back", "they tell one thing")
    assert STORE[0].body in proposal.drafts[0].body
