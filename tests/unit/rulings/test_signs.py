"""How evidence reads: numbers that are weighed together, by a model that says nothing of a single one of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.likeness.models import Logistic, read
from memgit.model.decision import Draft, Kind, Proposal, Seen, Standing
from memgit.model.session import Message, Role
from memgit.rulings import signs as weighing
from memgit.rulings.doubts import doubts_of
from memgit.rulings.settle import looked_up
from memgit.rulings.signs import TOLD, of_a_pair, signs, suspicious
from tests.bench.fit import weighed_by
from tests.unit.rulings.world import ADD, ADDED, DIGEST, MERGE, REPLACE, STORE, case, digest, file, one, said, store
from tests.weights import SILENT

ASKED = digest("Would it help to open one bundled PR per ticket?")


def numbers(proposal: Proposal, *turns: str | tuple[Role, str] | Message) -> dict[str, float]:
    held = case(digests=digest(*turns) if turns else DIGEST)
    _, found = signs(looked_up(proposal, held), held)
    return {sign.name: sign.value for sign in found}


@contextmanager
def weigh(border: float = 0.5, of: str = "said", **weights: float) -> Iterator[None]:
    """Let one model weigh what was said, or a merge: each weight for a sign that is usually nothing, and a border."""
    with weighed_by({"said": SILENT, "merge": SILENT, of: Logistic(0.0, weights, dict.fromkeys(weights, 0.0), border)}):
        yield


# --- numbers


def test_what_is_weighed_is_said_or_a_merge() -> None:
    held = case()
    assert signs(looked_up(REPLACE, held), held)[0] == "said"
    assert signs(looked_up(MERGE, held), held)[0] == "merge"
    assert signs(replace(REPLACE, evidence=(Seen("tree:a.py", "x"),)), held) == ("", ())


def test_every_number_lies_between_nothing_and_one_or_near_it() -> None:
    for proposal in (REPLACE, ADD, MERGE):
        assert all(-1 <= value <= 3 for value in numbers(proposal).values()), proposal.kind


def test_every_sign_of_the_shipped_models_is_one_that_is_found() -> None:
    found = {"said": {*numbers(REPLACE), *numbers(ADD)}, "merge": set(numbers(MERGE))}
    for name, numbered in found.items():
        model = read(Path(weighing.__file__).parent / "weights.toml")[name]
        assert set(model.weights) == set(model.usual) <= numbered
        assert 0 < model.border < 1


@pytest.mark.parametrize(
    ("sign", "plain", "marked"),
    [
        ("question", "open one bundled PR per ticket", "Why open one bundled PR per ticket?"),
        ("wondering", "open one bundled PR per ticket", "maybe we open one bundled PR per ticket"),
        ("passing", "open one bundled PR per ticket", "just for today open one bundled PR per ticket"),
        ("pasted", "open one bundled PR per ticket", "    open one bundled PR per ticket"),
        ("unused", "open one bundled PR per ticket", "open one bundled PR per ticket and feed the goldfish at noon"),
        ("aside", "open one bundled PR per ticket", "open one bundled PR per ticket. The tests fail. See the log."),
    ],
)
def test_a_sign_is_larger_where_the_sentence_reads_so(sign: str, plain: str, marked: str) -> None:
    assert numbers(ADD, marked)[sign] > numbers(ADD, plain)[sign]


def test_what_the_user_says_next_may_take_it_back() -> None:
    stands = numbers(ADD, "open one bundled PR per ticket", "now fix the tests")
    gone = numbers(ADD, "open one bundled PR per ticket", "no wait, scratch that")
    assert (stands["retracted"], gone["retracted"] > 0) == (0.0, True)


def test_what_speaks_of_the_memory_that_it_changes_reads_as_about_it() -> None:
    quoted = [
        replace(REPLACE, evidence=(said(words),)) for words in ("The window is 15 minutes now", "Feed the goldfish")
    ]
    about, other = (numbers(each, each.evidence[0].quote) for each in quoted)
    assert about["other"] < other["other"]


def test_what_the_result_takes_from_beside_the_quote_is_seen() -> None:
    fuller = replace(ADD, drafts=(replace(ADDED, body="Open one bundled PR per ticket, small ones in the queue."),))
    alone = numbers(fuller, "open one bundled PR per ticket")
    beside = numbers(fuller, "open one bundled PR per ticket. Put small ones in the queue.")
    assert alone["beside"] == 0.0 < beside["beside"]


def test_an_answer_to_a_question_reads_as_one() -> None:
    plain = numbers(ADD, (Role.ASSISTANT, "Done."), "open one bundled PR per ticket")
    answer = numbers(ADD, (Role.ASSISTANT, "How many PRs do you want?"), "open one bundled PR per ticket")
    assert (plain["answering"], answer["answering"]) == (0.0, 1.0)


def test_two_memories_are_told_apart_by_amounts() -> None:
    held = case(
        store(
            file("a", "The limit is 600 ms."),
            file("b", "The limit is 1000 ms."),
        )
    )
    memory = held.memories

    def pair(one: str, other: str) -> dict[str, float]:
        return {sign.name: sign.value for sign in of_a_pair(memory[one], memory[other], held.texts.weights)}

    assert pair("a", "b")["clash"] == 1.0
    assert pair("a", "a")["clash"] == 0.0
    assert pair("a", "a")["frame"] == pytest.approx(1.0)


# --- weighing


def test_below_the_border_nothing_is_doubted() -> None:
    held = case(digests=ASKED)
    with weigh(border=0.9, question=1.0):
        assert list(suspicious(looked_up(ADD, held), held)) == []


def test_above_it_the_strongest_signs_are_told_with_the_words_they_are_about() -> None:
    held = case(digests=ASKED)
    with weigh(question=2.0, wondering=6.0, unused=0.01, length=5.0):
        found = list(suspicious(looked_up(ADD, held), held))
    assert [doubt.name for doubt in found] == ["wondering", "question"]
    assert [doubt.says for doubt in found] == [TOLD["wondering"][0], TOLD["question"][0]]
    assert found[1].about == "Would it help to open one bundled PR per ticket?"
    assert all(doubt.settle for doubt in found)


def test_where_no_sign_can_be_told_nothing_is_doubted() -> None:
    held = case(digests=ASKED)
    with weigh(length=5.0):
        assert list(suspicious(looked_up(ADD, held), held)) == []


def test_a_sign_that_speaks_for_a_proposal_is_not_told() -> None:
    held = case(digests=ASKED)
    with weigh(border=0.1, question=-1.0, wondering=2.0):
        assert [doubt.name for doubt in suspicious(looked_up(ADD, held), held)] == ["wondering"]


def test_it_is_one_doubt_among_the_others() -> None:
    held = case(digests=ASKED)
    with weigh(question=5.0):
        assert [doubt.name for doubt in doubts_of(looked_up(ADD, held), held)] == ["question"]
        assert one(ADD, digests=ASKED).standing.value == "held"


def test_a_chance_lies_between_nothing_and_one_whatever_the_numbers() -> None:
    model = Logistic(0.0, {"a": 1e9}, {"a": 0.0})
    assert model.chance({"a": 1e9}) == pytest.approx(1.0)
    assert model.chance({"a": -1e9}) == pytest.approx(0.0)
    assert model.chance({"b": 1.0}) == 0.5


def test_a_number_that_is_not_there_counts_as_the_usual_one() -> None:
    model = Logistic(0.0, {"a": 4.0}, {"a": 0.25})
    assert model.chance({}) == model.chance({"a": 0.25}) == 0.5 < model.chance({"a": 0.5})


def test_a_merge_is_weighed_by_a_model_of_its_own() -> None:
    held = case(STORE)
    with weigh(of="said", border=0.0, question=1.0):
        assert list(suspicious(looked_up(MERGE, held), held)) == []
    with weigh(of="merge", border=0.0, frame=1.0):
        assert [doubt.name for doubt in suspicious(looked_up(MERGE, held), held)] == ["frame"]


def test_the_language_of_a_session_gives_the_words() -> None:
    german = ("wir machen das nicht mehr und das ist auch gut so", "vielleicht ein PR pro Ticket und nicht zwei")
    quoted = replace(ADD, evidence=(said("ein PR pro Ticket"),))
    assert numbers(quoted, *german)["wondering"] > 0


# --- what is equal needs no weighing

TWINS = store(file("a", "Deploys are on Tuesday."), file("b", "deploys are on *Tuesday*", description="about it"))


def twins(body: str = "Deploys are on Tuesday.") -> Proposal:
    lines = (Seen("memory:a", "Deploys are on Tuesday."), Seen("memory:b", "deploys are on *Tuesday*"))
    return Proposal(Kind.MERGE, "equal", lines, ("a", "b"), (Draft("a", "about it", "project", body, "a"),))


def test_a_merge_of_equal_texts_is_taken_however_alike_they_are() -> None:
    with weigh(of="merge", border=0.0, frame=5.0):
        assert one(twins(), TWINS).stands
        assert one(twins("Deploys are on Tuesday. Always."), TWINS).standing is Standing.HELD
        assert one(MERGE).standing is Standing.HELD


def test_what_the_description_of_one_of_them_says_more_is_not_lost_unsaid() -> None:
    told = store(TWINS.files["a.md"], file("b", "deploys are on *Tuesday*", description="at 15:30, by make deploy-all"))
    decision = one(twins(), told)
    assert (decision.standing, [doubt.name for doubt in decision.doubts]) == (Standing.HELD, ["loses"])
    assert '"15:30"' in decision.doubts[0].says
