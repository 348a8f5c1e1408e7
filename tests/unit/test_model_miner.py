"""A model's answer is taken whole or not at all, mended when it breaks its contract, and paid for once."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.miners.model.conversation import MOST, Conversation, KeptAnswers, answer_files, key
from memgit.miners.model.miner import TOGETHER, ModelDecider, ModelMiner
from memgit.miners.model.port import ModelFailed, ModelUnavailable, Usage
from memgit.model.decision import (
    Candidate,
    Decision,
    Doubt,
    Draft,
    Evidence,
    FactName,
    Intent,
    Kind,
    Proposal,
    Said,
    Seen,
    Standing,
)
from memgit.rulings.reduce import packed, related
from tests.scripted_model import ScriptedModel, candidates, decisions
from tests.talk_world import memory, session

STORE = (memory("deploys", "When we deploy", "Deploys go out on Tuesdays."), memory("tea", "Tea", "Tea is in room 4."))
SAID = "we deploy on Thursdays from now on, after the smoke job"
BATCH = session(SAID, "A: noted", "and never push on a Friday evening please")
QUOTE = {"session": "s1", "quote": SAID}
REPLACE = {
    "intent": "replace",
    "targets": ["deploys"],
    "claim": "Deploys are on Thursdays",
    "body": "Deploys go out on Thursdays.",
    "evidence": [QUOTE],
}
WHOLE = candidates(REPLACE)


def miner(model: ScriptedModel, kept: Path | None = None) -> ModelMiner:
    return ModelMiner(Conversation(model, KeptAnswers(kept) if kept else None))


def decider(model: ScriptedModel) -> ModelDecider:
    return ModelDecider(Conversation(model))


def candidate(
    name: str = "B1.1",
    claim: str = "Deploys are on Thursdays",
    targets: tuple[str, ...] = ("deploys",),
    evidence: tuple[Evidence, ...] = (Said("s1", SAID),),
) -> Candidate:
    intent = Intent.REPLACE if targets else Intent.NEW
    draft = Draft("deploys", "", "project", "Deploys go out on Thursdays.", targets[0] if targets else "")
    return Candidate(name, intent, claim, evidence, targets, (draft,))


# --- the question ---


def test_the_prompt_holds_the_store_and_its_own_batch_and_no_name_of_the_pass() -> None:
    model = ScriptedModel([candidates()])
    miner(model).mine(BATCH, STORE)

    (asked,) = model.asked
    assert "Tea is in room 4." in asked
    assert SAID in asked
    assert '"pass": "in-process"' in asked
    assert "batch-01.json" not in asked


def test_a_cold_start_is_told_that_the_store_is_empty() -> None:
    model = ScriptedModel([candidates()])
    miner(model).mine(BATCH, ())

    assert "The store is empty: every candidate is `new`." in model.asked[0]


def test_a_secret_of_the_store_never_reaches_the_model() -> None:
    secret = "ghp_" + "a1B2" * 9
    model = ScriptedModel([candidates()])
    miner(model).mine(BATCH, [memory("token", f"the token {secret}", f"The token is {secret}.")])

    assert secret not in model.asked[0]
    assert "[masked:" in model.asked[0]


def test_personal_data_is_masked_in_every_question_when_that_is_asked_for() -> None:
    model = ScriptedModel([candidates()])
    held = [memory("mira", "Who to ask", "Write to mira.k@corner-bakery.shop about it.")]
    ModelMiner(Conversation(model, mask_personal=True)).mine(BATCH, held)
    miner(model).mine(BATCH, held)

    assert ["mira.k@corner-bakery.shop" in asked for asked in model.asked] == [False, True]


def test_a_store_larger_than_a_prompt_is_told_by_name_where_it_does_not_fit() -> None:
    huge = [memory(f"m{number}", f"About {number}", f"Fact {number}. " * 8_000) for number in range(9)]
    model = ScriptedModel([candidates()])
    miner(model).mine(BATCH, [*huge, *STORE])

    assert len(model.asked[0]) < 400_000
    assert "Tea is in room 4." in model.asked[0]
    assert "- `m8`: About 8" in model.asked[0]


# --- the answer ---


def test_an_answer_that_keeps_its_contract_becomes_candidates() -> None:
    model = ScriptedModel([WHOLE])
    reply = miner(model).mine(BATCH, STORE)

    (found,) = reply.candidates
    assert (found.id, found.intent, found.targets) == ("B1.1", Intent.REPLACE, ("deploys",))
    assert reply.failure is None
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        pytest.param("Sure! Here is the JSON:", "The reply is no JSON", id="prose"),
        pytest.param(WHOLE[:-40], "The reply is no JSON", id="truncated"),
        pytest.param("", "The reply is no JSON", id="nothing"),
        pytest.param("[]", "is a list, not an object", id="list"),
        pytest.param(candidates(REPLACE, batch=7), "batch is 7, but this is batch 1", id="another-batch"),
        pytest.param(candidates({**REPLACE, "evidence": []}), "candidates[0].evidence is empty", id="bare"),
        pytest.param(candidates({**REPLACE, "targets": []}), "candidates[0].targets names 0 memories", id="no-target"),
        pytest.param(candidates(*[REPLACE] * 101), "candidates holds 101 entries", id="flood"),
        pytest.param("\ud800\x00", "The reply is no JSON", id="no-text"),
    ],
)
def test_what_breaks_the_contract_is_named_to_the_model_and_mended(broken: str, told: str) -> None:
    model = ScriptedModel([broken, WHOLE])
    reply = miner(model).mine(BATCH, STORE)

    assert len(reply.candidates) == 1
    assert told in model.asked[1]
    assert model.asked[1].startswith(model.asked[0].rstrip())


def test_a_batch_that_three_answers_do_not_mine_is_unmined_with_the_last_reason() -> None:
    model = ScriptedModel(["no", "no", candidates({**REPLACE, "intent": "burn"})])
    reply = miner(model).mine(BATCH, STORE)

    assert reply.candidates == ()
    assert reply.failure == 'the answer of scripted cannot be used: candidates[0].intent is "burn"'
    assert len(model.asked) == 3


def test_one_bad_candidate_among_good_ones_lets_none_in() -> None:
    model = ScriptedModel([candidates(REPLACE, {**REPLACE, "evidence": []})])
    assert miner(model).mine(BATCH, STORE).candidates == ()


def test_a_model_that_cannot_be_reached_is_a_tool_that_failed() -> None:
    with pytest.raises(ModelFailed, match="overloaded"):
        miner(ScriptedModel([ModelFailed("overloaded")])).mine(BATCH, STORE)


def test_what_answers_took_is_added_up() -> None:
    asked = miner(ScriptedModel(["no", WHOLE]))
    asked.mine(BATCH, STORE)
    assert asked.conversation.used == Usage(20, 2, 1.0)
    assert asked.conversation.account() == "Questions to scripted: 2 (20 tokens in, 2 out, about $1.00)."


# --- what is kept ---


def test_an_answer_is_asked_for_once(tmp_path: Path) -> None:
    first, second = ScriptedModel([WHOLE]), ScriptedModel([ModelFailed("must not be asked")])
    once = miner(first, tmp_path / "answers").mine(BATCH, STORE)

    again = miner(second, tmp_path / "answers")
    assert again.mine(BATCH, STORE) == once
    assert second.asked == []
    assert again.conversation.account() == "Questions to scripted: answers kept from an earlier run: 1."


@pytest.mark.parametrize("change", ["store", "prose", "model"])
def test_another_question_is_asked_anew(tmp_path: Path, change: str) -> None:
    miner(ScriptedModel([WHOLE]), tmp_path / "answers").mine(BATCH, STORE)
    model = ScriptedModel([WHOLE], name="other" if change == "model" else "scripted")
    said = session("something else was said here", SAID) if change == "prose" else BATCH
    miner(model, tmp_path / "answers").mine(said, STORE[:1] if change == "store" else STORE)

    assert len(model.asked) == 1


def test_an_answer_that_broke_its_contract_is_not_kept(tmp_path: Path) -> None:
    miner(ScriptedModel(["no"]), tmp_path / "answers").mine(BATCH, STORE)
    assert answer_files(tmp_path / "answers") == ()


@pytest.mark.parametrize("found", [b"", b"{", b"[]", b"\xff\xfe", b'{"answer": 3}', b'{"answer": "no"}', b"null"])
def test_a_kept_answer_that_is_broken_is_asked_for_again(tmp_path: Path, found: bytes) -> None:
    miner(ScriptedModel([WHOLE]), tmp_path / "answers").mine(BATCH, STORE)
    (kept,) = answer_files(tmp_path / "answers")
    kept.write_bytes(found)
    model = ScriptedModel([WHOLE])

    assert len(miner(model, tmp_path / "answers").mine(BATCH, STORE).candidates) == 1
    assert len(model.asked) == 1


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_kept_answers_are_their_owner_s_alone(tmp_path: Path) -> None:
    miner(ScriptedModel([WHOLE]), tmp_path / "answers").mine(BATCH, STORE)
    (kept,) = answer_files(tmp_path / "answers")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_the_oldest_answers_make_room(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers")
    kept.keep("first", "x")
    first = tmp_path / "answers" / "first.json"
    os.utime(first, (first.stat().st_mtime - 100,) * 2)
    for number in range(MOST):
        kept.keep(f"a{number}", "x")

    assert kept.find("first") is None
    assert kept.find("a0") == "x"
    assert len(answer_files(tmp_path / "answers")) == MOST


def test_an_answer_of_long_ago_is_let_go(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers")
    kept.keep("old", "x")
    os.utime(tmp_path / "answers" / "old.json", (1_000_000, 1_000_000))
    kept.keep("new", "y")
    assert (kept.find("old"), kept.find("new")) == (None, "y")


def test_an_answer_of_long_ago_is_not_given_though_none_was_kept_since(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers")
    kept.keep("old", "x")
    os.utime(tmp_path / "answers" / "old.json", (1_000_000, 1_000_000))
    assert kept.find("old") is None


def test_what_a_killed_process_left_of_an_answer_is_found_by_who_looks_for_secrets_and_goes_in_time(
    tmp_path: Path,
) -> None:
    kept = KeptAnswers(tmp_path / "answers")
    kept.keep("whole", "x")
    half = tmp_path / "answers" / ".half.json.4711.tmp"
    half.write_bytes(b'{"answer": "hun')
    assert half in answer_files(tmp_path / "answers")
    os.utime(half, (1_000_000, 1_000_000))
    kept.keep("next", "y")
    assert not half.exists()


def test_a_disk_that_takes_nothing_costs_only_the_convenience(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file where the folder should be")
    assert len(miner(ScriptedModel([WHOLE]), tmp_path / "answers").mine(BATCH, STORE).candidates) == 1


def test_the_key_tells_every_part_of_a_question() -> None:
    asked = [("m", "p", {}), ("m", "p", {"a": 1}), ("m", "q", {}), ("n", "p", {}), ("m", "\ud800", {})]
    assert len({key(*each) for each in asked}) == len(asked)


# --- deciding ---


def test_a_decision_takes_text_and_evidence_of_the_candidate_that_it_names() -> None:
    model = ScriptedModel([decisions({"kind": "replace", "candidates": ["B1.1"], "justification": "newer"})])
    (chosen,) = decider(model).decide(STORE, [BATCH], [candidate()])

    assert (chosen.kind, chosen.memories) == (Kind.REPLACE, ("deploys",))
    assert chosen.drafts[0].body == "Deploys go out on Thursdays."
    assert [each.quote for each in chosen.evidence] == [SAID]


def test_without_candidates_nobody_is_asked() -> None:
    model = ScriptedModel([ModelFailed("must not be asked")])
    assert decider(model).decide(STORE, [BATCH], []) == ()


def test_a_candidate_whose_quote_nobody_said_is_refused_before_the_model_sees_it() -> None:
    model = ScriptedModel([ModelFailed("must not be asked")])
    (refused,) = decider(model).decide(STORE, [BATCH], [candidate(evidence=(Said("s1", "we deploy on Mondays now"),))])

    assert (refused.kind, refused.candidates) == (Kind.REJECT, ("B1.1",))
    assert refused.justification == 'No message of session s1 says "we deploy on Mondays now" word for word.'


def test_a_candidate_that_the_decider_forgets_is_rejected_and_named() -> None:
    model = ScriptedModel([decisions()])
    (refused,) = decider(model).decide(STORE, [BATCH], [candidate()])
    assert (refused.kind, refused.justification) == (Kind.REJECT, "The decider said nothing of it.")


@pytest.mark.parametrize(
    ("decision", "why"),
    [
        pytest.param(
            {"kind": "drop", "memories": ["tea"], "evidence": [QUOTE]}, "It rests on no candidate.", id="of its own"
        ),
        pytest.param(
            {"kind": "drop", "memories": ["tea"], "candidates": ["B1.1"]}, "about tea", id="a memory slipped in"
        ),
        pytest.param(
            {"kind": "drop", "memories": ["deploys"], "candidates": ["B9.9"], "evidence": [QUOTE]},
            "It rests on no candidate.",
            id="an invented candidate",
        ),
    ],
)
def test_a_decider_can_do_nothing_but_choose(decision: dict[str, object], why: str) -> None:
    model = ScriptedModel([decisions({**decision, "justification": "because"})])
    first, *_ = decider(model).decide(STORE, [BATCH], [candidate()])

    assert first.kind is Kind.REJECT
    assert why in first.justification


def test_evidence_that_a_decider_brings_itself_counts_for_nothing() -> None:
    own = {
        "kind": "replace",
        "candidates": ["B1.1"],
        "justification": "x",
        "evidence": [{"session": "s9", "quote": "y"}],
    }
    (chosen,) = decider(ScriptedModel([decisions(own)])).decide(STORE, [BATCH], [candidate()])
    assert [each.quote for each in chosen.evidence] == [SAID]


def test_decisions_that_cannot_be_mended_end_the_pass_with_the_remedy() -> None:
    with pytest.raises(ModelFailed, match="The decisions of scripted cannot be used: The reply is no JSON") as caught:
        decider(ScriptedModel(["no"])).decide(STORE, [BATCH], [candidate()])
    assert "--decider" in caught.value.hint


def test_a_flood_of_decisions_is_sent_back() -> None:
    one = {"kind": "reject", "candidates": ["B1.1"], "justification": "no"}
    model = ScriptedModel([decisions(*[one] * 6), decisions(one)])
    assert len(decider(model).decide(STORE, [BATCH], [candidate()])) == 1
    assert "decisions holds 6 entries. Settle each of the 1 candidates once." in model.asked[1]


def test_many_candidates_are_weighed_in_parts_and_related_ones_together() -> None:
    many = [
        replace(candidate(f"B1.{number}", f"topic{number} word{number}", ()), evidence=(Said("s1", SAID),))
        for number in range(TOGETHER + 1)
    ]
    model = ScriptedModel([decisions()])
    refused = decider(model).decide(STORE, [BATCH], many)

    assert len(model.asked) == 2
    assert sorted(each.candidates[0] for each in refused) == sorted(each.id for each in many)


def test_candidates_about_one_thing_stand_in_one_group() -> None:
    window, flake = candidate("B1.1", "Deploy window is short"), candidate("B1.2", "Flaky tests are rerun", ())
    joins = candidate("B2.1", "Flaky tests and their deploy window", ("deploys",))
    assert related([window, flake]) == ((window,), (flake,))
    assert related([window, flake, joins]) == ((window, flake, joins),)


def test_groups_are_packed_whole() -> None:
    a, b, c = (candidate(name) for name in ("B1.1", "B1.2", "B1.3"))
    assert packed([(a, b), (c,)], 2) == ((a, b), (c,))
    assert packed([(a,), (b, c)], 3) == ((a, b, c),)
    assert packed([(a, b, c)], 2) == ((a, b, c),)


def test_seen_evidence_of_a_merge_is_carried() -> None:
    lines = (Seen("memory:deploys", "Deploys go out on Tuesdays."), Seen("memory:tea", "Tea is in room 4."))
    both = replace(candidate(evidence=lines), intent=Intent.MERGE, targets=("deploys", "tea"))
    answer = decisions({"kind": "merge", "candidates": ["B1.1"], "justification": "one lesson"})
    (chosen,) = decider(ScriptedModel([answer])).decide(STORE, [BATCH], [both])
    assert chosen.evidence == lines


# --- its second word ---

DOUBTED = Doubt("unsaid", 'Nobody said "Wednesday".', '"Wednesday"', "cite where it was said, or leave it away")


def proposed(**changes: object) -> Proposal:
    given = Proposal(Kind.REPLACE, "newer", (Said("s1", SAID),), ("deploys",), candidate().drafts, ("B1.1",))
    return replace(given, **changes)


def ruled(number: int, standing: Standing = Standing.HELD, **facts: object) -> Decision:
    doubts = (DOUBTED,) if standing is Standing.HELD else ()
    named = {"memories": ("deploys",), "standing": standing, "doubts": doubts}
    return Decision(f"M{number}", Kind.REPLACE, "newer", **{**named, **facts})


def reconsidered(answer: str | Exception, *proposals: Proposal) -> list[Proposal]:
    """What a model makes of its proposals, all of which are doubted."""
    given = proposals or (proposed(),)
    found = tuple(ruled(number) for number in range(1, len(given) + 1))
    return list(decider(ScriptedModel([answer])).reconsider(STORE, given, found))


def test_it_is_told_what_stands_against_each_decision_and_of_nothing_else() -> None:
    refused = ruled(2, Standing.REFUSED, refused_by=FactName.TWICE, refusal="Another decision changes tea already.")
    model = ScriptedModel([decisions()])
    given = (proposed(), proposed(), proposed(justification="sound"))
    decider(model).reconsider(STORE, given, (ruled(1), refused, ruled(3, Standing.TAKEN)))
    (asked,) = model.asked
    told = json.loads(asked.split("```json\n")[-1].split("\n```")[0])
    assert [each["id"] for each in told] == ["M1", "M2"]
    assert told[0]["doubts"] == ['Nobody said "Wednesday".']
    assert told[1]["refused"] == "Another decision changes tea already."
    assert "confirm" not in asked


def test_where_nothing_stands_against_anything_nobody_is_asked() -> None:
    model = ScriptedModel([ModelFailed("must not be asked")])
    given = (proposed(), proposed(kind=Kind.REJECT))
    taken = (ruled(1, Standing.TAKEN), Decision("M2", Kind.REJECT, "no"))
    assert decider(model).reconsider(STORE, given, taken) == given


def test_it_mends_the_wording_and_what_is_left_out() -> None:
    entry = {"id": "M1", "result": {"body": "Deploys go out on Thursdays now."}, "leaves_out": ["Tuesdays"]}
    (mended,) = reconsidered(decisions(entry))
    assert mended.drafts[0].body == "Deploys go out on Thursdays now."
    assert (mended.leaves_out, mended.memories, mended.candidates) == (("Tuesdays",), ("deploys",), ("B1.1",))


def test_it_withdraws_what_it_would_not_defend() -> None:
    first, second = reconsidered(decisions({"id": "M2", "withdraw": True}), proposed(), proposed())
    assert first == proposed()
    assert (second.kind, second.justification, second.drafts) == (Kind.REJECT, "Withdrawn.", ())


def test_it_confirms_nothing_and_brings_no_evidence_of_its_own() -> None:
    entry = {"id": "M1", "confirm": "I am sure.", "evidence": [{"session": "s9", "quote": "y"}]}
    (kept,) = reconsidered(decisions(entry))
    assert (kept.confirm, kept.evidence) == ("", proposed().evidence)


def test_it_turns_nothing_into_another_change_of_another_memory() -> None:
    entry = {"id": "M1", "kind": "drop", "memories": ["tea"], "justification": "over", "evidence": [QUOTE]}
    (kept,) = reconsidered(decisions(entry))
    assert (kept.kind, kept.memories, kept.drafts) == (Kind.REPLACE, ("deploys",), proposed().drafts)


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        decisions(),
        decisions({"id": "M7", "withdraw": True}),
        decisions({"kind": "drop", "memories": ["tea"], "justification": "x", "evidence": [QUOTE]}),
        ModelFailed("overloaded"),
        ModelUnavailable("nothing left to spend"),
    ],
)
def test_an_answer_that_cannot_be_used_leaves_all_as_it_was(answer: str | Exception) -> None:
    assert reconsidered(answer, proposed(), proposed(justification="other")) == [
        proposed(),
        proposed(justification="other"),
    ]


def test_a_rejected_candidate_stays_rejected() -> None:
    rejected = proposed(kind=Kind.REJECT, drafts=())
    entry = {"id": "M1", "kind": "replace", "memories": ["deploys"], "justification": "so", "result": {"body": "x"}}
    (kept,) = reconsidered(decisions(entry), rejected)
    assert kept.kind is Kind.REJECT
