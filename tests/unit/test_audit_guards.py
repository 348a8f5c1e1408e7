"""What an audit and a prune may rest a deletion on, and what facts refuse all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.core.prune.rules import ORPHAN
from memgit.memory.memory import memories
from memgit.model.decision import FactName, Kind, Proposal, Seen
from memgit.model.history import PassKind
from memgit.rulings.case import open_case
from memgit.rulings.doubts import TRIVIA
from memgit.rulings.settle import settle
from tests.audit_world import memory, store

RULE = "Run the whole verify script before every push, also for a change of one line."
STORE = store(
    memory("wip", "We are in the middle of porting the loader."),
    memory("fact", "The loader reads rows in blocks of a thousand."),
    memory("wish", "We are in the middle of a talk: answer shortly.", type_="feedback"),
    memory("rule", RULE, type_="feedback", description="Run the whole verify script before every push"),
    memory("pinned", "We are in the middle of porting the cache.", extra="pinned: true\n"),
    memory("linked", "Blocks are flushed one by one."),
    memory("linking", "See [[linked]]."),
)
TREE = {
    "tree:CLAUDE.md:3": RULE,
    "tree:docs/tips.md:3": RULE,
    "tree:CLAUDE.md:5": "Run the linter before every push.",
}


def refusal(proposal: Proposal, kind: PassKind = PassKind.AUDIT) -> FactName | None:
    """The fact that refuses a proposal; None where it is taken."""
    (decision,) = settle([proposal], STORE, open_case(kind, memories(STORE), (), TREE.get))
    assert decision.stands == (decision.refused_by is None)
    return decision.refused_by


def drop(name: str, where: str, quote: str, claim: str = "") -> Proposal:
    return Proposal(Kind.DROP, "because", (Seen(where, quote),), (name,), claim=claim)


def test_a_memorys_own_line_lets_go_of_what_a_judge_calls_passing_and_doubted_where_it_does_not_sound_so():
    own = drop("wip", "memory:wip", "We are in the middle of porting the loader.", TRIVIA)
    (doubted,) = settle([own], STORE, open_case(PassKind.AUDIT, memories(STORE), (), TREE.get))
    assert ([each.name for each in doubted.doubts], doubted.stands) == (["lasting"], False)
    assert refusal(replace(own, confirm="The loader is ported.")) is None
    assert refusal(drop("wip", "memory:wip", "We are in the middle", "other")) is FactName.NO_EVIDENCE
    assert refusal(own, PassKind.CURATE) is FactName.NO_EVIDENCE


def test_a_persons_own_words_are_never_trivia():
    assert refusal(drop("wish", "memory:wish", "We are in the middle of a talk", TRIVIA)) is FactName.OWN_WORDS


def test_a_rule_gives_way_to_the_same_rule_in_instructions_and_to_nothing_else():
    assert refusal(drop("rule", "tree:CLAUDE.md:3", RULE)) is None
    assert refusal(drop("rule", "tree:docs/tips.md:3", RULE)) is FactName.OWN_WORDS
    assert refusal(drop("rule", "tree:CLAUDE.md:5", "Run the linter before every push.")) is FactName.OWN_WORDS


@pytest.mark.parametrize("kind", [PassKind.AUDIT, PassKind.PRUNE])
def test_a_pinned_memory_is_let_go_by_no_pass_over_the_store(kind):
    line = "We are in the middle of porting the cache."
    assert refusal(drop("pinned", "tree:docs/tips.md:3", RULE), kind) is FactName.PINNED
    assert refusal(drop("pinned", "memory:pinned", line, TRIVIA), kind) in (FactName.PINNED, FactName.NO_EVIDENCE)


def test_an_orphan_is_one_only_in_a_prune_and_only_if_nothing_leads_to_it():
    assert refusal(drop("fact", "memory:fact", "The loader reads rows", ORPHAN), PassKind.PRUNE) is None
    assert refusal(drop("fact", "memory:fact", "The loader reads rows", ORPHAN)) is FactName.NO_EVIDENCE
    linked = drop("linked", "memory:linked", "Blocks are flushed", ORPHAN)
    assert refusal(linked, PassKind.PRUNE) is FactName.NO_EVIDENCE
    assert refusal(drop("rule", "memory:rule", RULE, ORPHAN), PassKind.PRUNE) is FactName.OWN_WORDS
