"""How evidence reads: numbers that are weighed together, by a model that says nothing of a single one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.model.decision import Draft, Kind, Proposal, Seen, Standing
from memgit.model.session import Message, Role
from memgit.rulings import signs as weighing
from memgit.rulings.doubts import doubts_of
from memgit.rulings.settle import looked_up
from memgit.rulings.signs import TOLD, Model, Sign, of_a_pair, signs, suspicious
from tests.unit.rulings.world import ADD, DIGEST, MERGE, REPLACE, STORE, case, digest, file, one, said, store

ASKED = digest("Would it help to open one bundled PR per ticket?")


def numbers(proposal: Proposal, *turns: str | tuple[Role, str] | Message) -> dict[str, float]:
    held = case(digests=digest(*turns) if turns else DIGEST)
    _, found = signs(looked_up(proposal, held), held)
    return {sign.name: sign.value for sign in found}


def weigh(monkeypatch: pytest.MonkeyPatch, border: float = 0.5, **weights: float) -> None:
    """Let one model weigh what was said: each weight for a sign, and a border."""
    monkeypatch.setattr(weighing, "models", lambda: {"said": Model(0.0, border, weights)})


# --- numbers


def test_what_is_weighed_is_said_or_a_merge() -> None:
    held = case()
    assert signs(looked_up(REPLACE, held), held)[0] == "said"
    assert signs(looked_up(MERGE, held), held)[0] == "merge"
    assert signs(replace(REPLACE, evidence=(Seen("tree:a.py", "x"),)), held) == ("", ())


def test_every_number_lies_between_nothing_and_one_or_near_it() -> None:
    for proposal in (REPLACE, ADD, MERGE):
        assert all(-1 <= value <= 3 for value in numbers(proposal).values()), proposal.kind


def test_every_sign_of_the_shipped_models_is_one_that_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found = {"said": {*numbers(REPLACE), *numbers(ADD)}, "merge": set(numbers(MERGE))}
    for name, model in weighing.models().items():
        assert set(model.weights) <= found[name], name
        assert 0 < model.border < 1


@pytest.mark.parametrize(
    ("sign", "plain", "marked"),
    [
        ("question", "open one bundled PR per ticket", "Why open one bundled PR per ticket?"),
        ("wondering", "open one bundled PR per ticket", "maybe we open one bundled PR per ticket"),
        ("hearsay", "open one bundled PR per ticket", "Jana said: open one bundled PR per ticket"),
        ("passing", "open one bundled PR per ticket", "just for today open one bundled PR per ticket"),
        ("elsewhere", "open one bundled PR per ticket", "at my old job we open one bundled PR per ticket"),
        ("always", "we open one bundled PR per ticket", "always open one bundled PR per ticket"),
        ("pasted", "open one bundled PR per ticket", "    open one bundled PR per ticket"),
        ("cut", "open one bundled PR per ticket", "never, whatever anybody says, open one bundled PR per ticket"),
        ("lines", "open one bundled PR per ticket", "a\nb\nc\nopen one bundled PR per ticket\nd"),
        ("aside", "open one bundled PR per ticket", "open one bundled PR per ticket. The tests fail. See the log."),
    ],
)
def test_a_sign_is_larger_where_the_sentence_reads_so(sign: str, plain: str, marked: str) -> None:
    assert numbers(ADD, marked)[sign] > numbers(ADD, plain)[sign]


def test_what_the_user_says_next_may_take_it_back() -> None:
    stands = numbers(ADD, "open one bundled PR per ticket", "now fix the tests")
    gone = numbers(ADD, "open one bundled PR per ticket", "no wait, scratch that")
    assert (stands["retracted"], gone["retracted"] > 0) == (0.0, True)


def test_an_answer_to_a_question_reads_as_one() -> None:
    plain = numbers(ADD, (Role.ASSISTANT, "Done."), "open one bundled PR per ticket")
    answer = numbers(ADD, (Role.ASSISTANT, "How many PRs do you want?"), "open one bundled PR per ticket")
    assert (plain["answering"], answer["answering"]) == (0.0, 1.0)


def test_two_memories_are_told_apart_by_amounts_names_and_negation() -> None:
    held = case(
        store(
            file("a", "The limit is 600 ms."),
            file("b", "The limit is 1000 ms."),
            file("c", "Never squash."),
            file("d", "Squash."),
        )
    )
    memory = held.memories

    def pair(one: str, other: str) -> dict[str, float]:
        return {sign.name: sign.value for sign in of_a_pair(memory[one], memory[other], held.texts.weights)}

    assert pair("a", "b")["clash"] == 1.0
    assert pair("a", "a")["clash"] == 0.0
    assert pair("c", "d")["negation"] == 1.0
    assert pair("a", "b")["negation"] == 0.0
    assert pair("a", "a")["frame"] == pytest.approx(1.0)


# --- weighing


def test_below_the_border_nothing_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, border=0.9, question=1.0)
    held = case(digests=ASKED)
    assert list(suspicious(looked_up(ADD, held), held)) == []


def test_above_it_the_strongest_signs_are_told_with_the_words_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, question=2.0, wondering=6.0, cut=0.01, length=5.0)
    held = case(digests=ASKED)
    found = list(suspicious(looked_up(ADD, held), held))
    assert [doubt.name for doubt in found] == ["wondering", "question"]
    assert [doubt.says for doubt in found] == [TOLD["wondering"][0], TOLD["question"][0]]
    assert found[1].about == "Would it help to open one bundled PR per ticket?"
    assert all(doubt.settle for doubt in found)


def test_where_no_sign_can_be_told_the_doubt_says_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, length=5.0)
    held = case(digests=ASKED)
    (doubt,) = suspicious(looked_up(ADD, held), held)
    assert (doubt.name, doubt.about) == ("unlike", "open one bundled PR per ticket")


def test_a_sign_that_speaks_for_a_proposal_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, border=0.1, question=-1.0, wondering=2.0)
    held = case(digests=ASKED)
    assert [doubt.name for doubt in suspicious(looked_up(ADD, held), held)] == ["wondering"]


def test_it_is_one_doubt_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, question=5.0)
    held = case(digests=ASKED)
    assert [doubt.name for doubt in doubts_of(looked_up(ADD, held), held)] == ["question"]
    assert one(ADD, digests=ASKED).standing.value == "held"


def test_a_score_lies_between_nothing_and_one_whatever_the_numbers() -> None:
    model = Model(0.0, 0.5, {"a": 1e9})
    assert model.score([Sign("a", 1e9)]) == pytest.approx(1.0)
    assert model.score([Sign("a", -1e9)]) == pytest.approx(0.0)
    assert model.score([Sign("b", 1.0)]) == 0.5


def test_a_kind_that_no_model_weighs_is_not_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh(monkeypatch, border=0.0)
    held = case(STORE)
    assert list(suspicious(looked_up(MERGE, held), held)) == []
    assert MERGE.kind is Kind.MERGE


def test_the_language_of_a_session_gives_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    german = ("wir machen das nicht mehr und das ist auch gut so", "vielleicht ein PR pro Ticket und nicht zwei")
    quoted = replace(ADD, evidence=(said("ein PR pro Ticket"),))
    assert numbers(quoted, *german)["wondering"] > 0


# --- what is equal needs no weighing

TWINS = store(file("a", "Deploys are on Tuesday."), file("b", "deploys are on *Tuesday*", description="about it"))


def twins(body: str = "Deploys are on Tuesday.") -> Proposal:
    lines = (Seen("memory:a", "Deploys are on Tuesday."), Seen("memory:b", "deploys are on *Tuesday*"))
    return Proposal(Kind.MERGE, "equal", lines, ("a", "b"), (Draft("a", "about it", "project", body, "a"),))


def test_a_merge_of_equal_texts_is_taken_however_alike_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "models", lambda: {"merge": Model(0.0, 0.0, {"frame": 5.0})})
    assert one(twins(), TWINS).stands
    assert one(twins("Deploys are on Tuesday. Always."), TWINS).standing is Standing.HELD
    assert one(MERGE).standing is Standing.HELD


def test_what_the_description_of_one_of_them_says_more_is_not_lost_unsaid() -> None:
    told = store(TWINS.files["a.md"], file("b", "deploys are on *Tuesday*", description="at 15:30, by make deploy-all"))
    decision = one(twins(), told)
    assert (decision.standing, [doubt.name for doubt in decision.doubts]) == (Standing.HELD, ["loses"])
    assert '"15:30"' in decision.doubts[0].says
