"""What becomes of proposals: which files they leave, byte for byte, and how they stand beside each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.errors import WrongState
from memgit.model.decision import Draft, Kind, Proposal, Said, Seen, Standing
from memgit.model.history import PassKind
from memgit.model.store import StoreFile
from tests.unit.rulings.world import (
    ADD,
    ADDED,
    DROP,
    MERGE,
    MERGED,
    REPLACE,
    SESSION,
    SOUND,
    STORE,
    digest,
    file,
    one,
    said,
    settled,
    store,
    with_body,
)


def test_a_replacement_changes_its_value_and_no_other_byte() -> None:
    decision = one(REPLACE)
    before = STORE.files["deploy-window.md"].data
    assert (decision.id, decision.kind, decision.results) == ("M1", Kind.REPLACE, ("deploy-window",))
    assert decision.writes == {"deploy-window.md": before.replace(b"30 minutes", b"15 minutes")}
    assert decision.dropped_text == {"deploy-window": before.decode()}
    assert decision.evidence == (
        Said(SESSION, "moved the deploy window to 15 minutes", "r0", "2026-06-03T00:00:00+00:00"),
    )


def test_an_addition_gets_a_file_in_the_dialect_of_the_store() -> None:
    decision = one(ADD)
    assert decision.results == ("one-pr-per-ticket",)
    assert decision.writes["one-pr-per-ticket.md"].decode() == (
        "---\nname: one-pr-per-ticket\ndescription: PRs are bundled per ticket\nmetadata:\n  type: feedback\n---\n\n"
        "Open one bundled PR per ticket.\n"
    )


def test_a_drop_keeps_the_whole_text() -> None:
    decision = one(DROP)
    assert decision.removes == {"retry-budget.md"}
    assert decision.results == ()
    assert decision.dropped_text == {"retry-budget": STORE.files["retry-budget.md"].data.decode()}


def test_a_merge_keeps_the_survivors_file_and_repairs_links_elsewhere() -> None:
    merge, repair = settled([MERGE])
    assert (merge.kind, merge.results, merge.removes) == (Kind.MERGE, ("retry-budget",), {"retries-are-capped.md"})
    assert set(merge.dropped_text) == {"retry-budget", "retries-are-capped"}
    assert (repair.id, repair.kind, repair.memories) == ("M2", Kind.REPAIR, ("style",))
    assert repair.writes == {
        "style.md": STORE.files["style.md"].data.replace(b"[[retries-are-capped]]", b"[[retry-budget]]")
    }


def test_links_follow_what_is_taken_and_not_what_is_asked() -> None:
    asked = settled([replace(MERGE, asks="Do they say the same?")])
    assert [(each.kind, each.standing) for each in asked] == [(Kind.MERGE, Standing.HELD)]


def test_the_member_that_others_link_to_survives() -> None:
    assert one(with_body(MERGE, MERGED.body, id="")).results == ("retries-are-capped",)


def test_a_split_leaves_one_file_per_fact() -> None:
    content = store(file("both", "Deploy takes 15 minutes.\n\nAsk Jana for `prod` access.\n"))
    parts = (
        Draft("deploy-time", "how long", "project", "Deploy takes 15 minutes."),
        Draft("prod-access", "whom to ask", "project", "You ask Jana for `prod` access."),
    )
    seen = (Seen("memory:both", "Deploy takes 15 minutes."),)
    decision = one(Proposal(Kind.SPLIT, "two facts", seen, ("both",), parts), content)
    assert set(decision.writes) == {"deploy-time.md", "prod-access.md"}
    assert decision.removes == {"both.md"}


def test_a_reject_passes_with_its_own_words_and_is_neither_taken_nor_doubted() -> None:
    decision = one(Proposal(Kind.REJECT, "routine work", candidates=("B1.2",)))
    assert (decision.kind, decision.justification, decision.candidates) == (Kind.REJECT, "routine work", ("B1.2",))
    assert (decision.changes, decision.stands, decision.doubts) == (False, False, ())


def test_two_additions_of_one_name_get_two_files() -> None:
    other = with_body(ADD, "Cut the release branch early.", description="when to cut")
    digests = digest("open one bundled PR per ticket", "and cut the release branch early")
    decisions = settled([ADD, replace(other, evidence=(said("cut the release branch early"),))], digests=digests)
    assert [list(decision.writes) for decision in decisions] == [["one-pr-per-ticket.md"], ["one-pr-per-ticket-2.md"]]


def test_a_question_takes_its_own_name_too() -> None:
    asked = replace(with_body(ADD, "Cut the release branch early."), asks="Shall this be remembered?")
    decisions = settled([asked, ADD])
    assert [list(decision.writes) for decision in decisions] == [["one-pr-per-ticket.md"], ["one-pr-per-ticket-2.md"]]


def test_decisions_are_numbered_in_the_order_of_the_proposals_and_repairs_come_last() -> None:
    reject = Proposal(Kind.REJECT, "routine work")
    decisions = settled([reject, replace(ADD, evidence=()), MERGE, REPLACE])
    assert [(each.id, each.kind.value, each.standing.value) for each in decisions] == [
        ("M1", "reject", "taken"),
        ("M2", "add", "refused"),
        ("M3", "merge", "taken"),
        ("M4", "replace", "taken"),
        ("M5", "repair", "taken"),
    ]


@pytest.mark.parametrize("name", SOUND)
def test_what_was_given_beside_the_change_comes_through(name: str) -> None:
    given = replace(SOUND[name], candidates=("B1.1",), claim="a claim", leaves_out=("an old word",))
    decision = one(given)
    assert (decision.candidates, decision.claim, decision.leaves_out) == (("B1.1",), "a claim", ("an old word",))


def test_a_question_says_what_is_asked() -> None:
    decision = one(replace(ADD, asks="Shall this be remembered?"))
    assert (decision.asks, decision.standing, decision.doubts) == ("Shall this be remembered?", Standing.HELD, ())


def test_lone_surrogates_and_other_line_ends_do_not_reach_a_file() -> None:
    decision = one(with_body(ADD, "Open one bundled PR per ticket \ud800.\r\nAlways.\r"))
    assert decision.writes["one-pr-per-ticket.md"].decode().endswith("per ticket \ufffd.\nAlways.\n")


def test_a_name_and_a_description_are_one_line_each() -> None:
    decision = one(with_body(ADD, ADDED.body, name=" one\n pr ", description="bundled\nper ticket"))
    assert b"description: bundled per ticket\n" in decision.writes["one-pr.md"]


def test_a_file_that_is_no_yaml_keeps_every_byte_but_its_text() -> None:
    head = b"---\nname: deploy-window\ndescription: [broken: {yaml\ntype: project\n---\r\n\r\n"
    odd = head + b"The window is 30 minutes.\r\n"
    content = store(StoreFile("deploy-window.md", odd, mtime_ns=1))
    decision = one(with_body(REPLACE, "The window is 15 minutes."), content)
    assert decision.writes == {"deploy-window.md": odd.replace(b"30", b"15")}


# --- most of the store


WORDS = "neither alpha nor beta is left"
THREE = store(file("a", "Alpha is here."), file("b", "Beta is here."), file("c", "Gamma is here."))
DROPS = [Proposal(Kind.DROP, f"{name} is gone", (said(WORDS),), (name,)) for name in "ab"]


def test_a_pass_that_would_drop_more_than_half_stops_and_asks() -> None:
    with pytest.raises(WrongState, match="would drop 2 of 3"):
        settled(DROPS, THREE, digest(WORDS))
    both = settled(DROPS, THREE, digest(WORDS), options={"remove_most": True})
    assert [decision.stands for decision in both] == [True, True]
    assert settled(DROPS[:1], THREE, digest(WORDS))[0].stands


def test_what_is_asked_or_refused_does_not_count() -> None:
    asked = replace(DROPS[0], asks="Is it over?")
    refused = replace(DROPS[1], evidence=())
    assert len(settled([asked, refused], THREE, digest(WORDS))) == 2


def test_an_audit_and_a_prune_are_approved_one_by_one_and_do_not_stop() -> None:
    seen = [replace(each, evidence=(Seen("memory:c", "Gamma is here."),)) for each in DROPS]
    for kind in (PassKind.AUDIT, PassKind.PRUNE):
        assert all(decision.changes for decision in settled(seen, THREE, kind=kind))


def test_merged_duplicates_are_no_drops() -> None:
    content = store(*(file(name, "Alpha is here.") for name in "abcd"))
    lines = tuple(Seen(f"memory:{name}", "Alpha is here.") for name in "abcd")
    draft = Draft("a", "about it", "project", "Alpha is here.", "a")
    (decision,) = settled([Proposal(Kind.MERGE, "copies", lines, tuple("abcd"), (draft,))], content)
    assert decision.removes == {"b.md", "c.md", "d.md"}
    assert decision.writes == {"a.md": content.files["a.md"].data}


# --- the index


def test_only_an_audit_repairs_the_index_by_itself() -> None:
    index = StoreFile("MEMORY.md", b"# Memory\n\n- [Gone](gone.md) - it was here\n", mtime_ns=1)
    content = replace(STORE, files={**STORE.files, "MEMORY.md": index})
    assert settled([], content) == ()
    (repair,) = settled([], content, kind=PassKind.AUDIT)
    assert (repair.id, repair.kind, repair.memories, list(repair.writes)) == ("M1", Kind.REPAIR, (), ["MEMORY.md"])
    assert "line 3 points to gone.md, which is not there" in repair.justification


def test_the_same_proposals_come_to_the_same_decisions_each_time() -> None:
    proposals = [MERGE, REPLACE, replace(ADD, asks="Shall this be remembered?"), replace(DROP, evidence=())]
    assert settled(proposals) == settled(proposals)
