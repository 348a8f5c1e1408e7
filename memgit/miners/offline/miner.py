"""The offline miner and decider: nominating batch by batch, ranking over all of them, and asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from memgit.evidence.findings import mark_up
from memgit.evidence.quotes import fold
from memgit.likeness.merges import equal_merged, merge
from memgit.likeness.nearness import Near, told
from memgit.likeness.pairs import Pair
from memgit.memory.memory import slug
from memgit.miners.offline.nominate import Nominee, Statement, fitted, nominate, statements, without_asking
from memgit.model.decision import Candidate, Decision, Draft, Intent, Kind, MinerReply, Proposal, Said
from memgit.model.session import Digest
from memgit.model.store import Memory
from memgit.rulings.rejections import question_key
from memgit.rulings.standing import MOST
from memgit.rulings.told_twice import likely
from memgit.text.amounts import amounts
from memgit.text.language import language
from memgit.text.words import length, letters

# --- questions ---
# What a person is asked: each nominated statement as a question with a draft to edit, never as a decision.

LEAST = 0.02
"""The chance below which nothing is worth a person's time."""

FIRST, BEYOND = 8, 0.2
"""So many questions are cheap to look through; what comes after them has to be likelier."""

_NAME_WORDS, _NAME_LETTERS = 7, 48
_FRAGMENT = 6
"""Words below which a sentence hardly stands alone."""

_ABOUT_ONE = 0.5
"""The chance above which a statement is taken to be about the memory that is nearest to it."""


def candidates(
    nominees: Iterable[Nominee], memories: Sequence[Memory], batch: int, answered: Container[str] = ()
) -> Iterator[Candidate]:
    """The best nominees of a batch as candidates: each about the memory that it may change, or new.

    A message is asked about once, however many of its sentences may be worth it, but for what somebody asked to keep.
    What was ``answered`` in an earlier pass (see ``question_key``) is passed over.
    """
    by_id = {memory.id: memory for memory in memories}
    seen: set[str] = set()
    number = 0
    for nominee in nominees:
        statement = nominee.statement
        keys = {
            letters(statement.text),
            *(() if nominee.asked else (f"{statement.message.session} {statement.message.record}",)),
        }
        if number == MOST or (nominee.chance < LEAST and not nominee.asked):
            return
        if keys & seen or not _can_stand(nominee, by_id):
            continue
        seen |= keys
        candidate = _candidate(nominee, by_id, f"B{batch}.{number + 1}", number + 1)
        if question_key(candidate.evidence) in answered:
            continue
        number += 1
        yield candidate


def _can_stand(nominee: Nominee, by_id: Mapping[str, Memory]) -> bool:
    """Whether there is something to ask: what a memory says already, word for word, is told, and what holds mark-up or
    characters that speak to the agent's client is for no memory."""
    said = letters(nominee.statement.text)
    if not said or mark_up(_content(nominee)):
        return False
    return not any(said in letters(told(memory)) for memory in by_id.values())


def _candidate(nominee: Nominee, by_id: Mapping[str, Memory], name: str, rank: int) -> Candidate:
    statement = nominee.statement
    said = Said(statement.message.session, statement.around, answers=statement.answers)
    target = _about(nominee, by_id)
    content = _content(nominee)
    draft = _changed(by_id[target], content, nominee) if target else _new(content, nominee)
    asked = "The user asked to remember this." if nominee.asked else "It may be worth a memory."
    near = f" The nearest memory is {nominee.near[0].memory}." if nominee.near else ""
    return Candidate(
        id=name,
        intent=Intent.REPLACE if target else Intent.NEW,
        claim=content,
        evidence=(said,),
        targets=(target,) if target else (),
        drafts=(draft,),
        rank=rank,
        why=f"It may change {target}." if target else asked + near,
        chance=nominee.rank,
    )


def _content(nominee: Nominee) -> str:
    """What was said, on one line: without the words of asking, and with what stands beside a fragment."""
    statement = nominee.statement
    if nominee.asked:
        return without_asking(fold(statement.text), nominee.asked)
    return fold(statement.text) if length(statement.text) >= _FRAGMENT else statement.around


def _about(nominee: Nominee, by_id: Mapping[str, Memory]) -> str:
    """The memory that a statement may change; empty where it is more likely something new."""
    if not nominee.near or nominee.asked:
        return ""
    chance = fitted("about").chance(numbers_about(nominee.statement, nominee.near, by_id))
    return nominee.near[0].memory if chance >= _ABOUT_ONE else ""


def numbers_about(statement: Statement, near: Sequence[Near], by_id: Mapping[str, Memory]) -> dict[str, float]:
    """What tells whether a statement is about the memory that is nearest to it."""
    first, second = near[0], near[1] if len(near) > 1 else None
    return {
        "cosine": first.cosine,
        "held": first.held,
        "lead": first.score - (second.score if second else 0.0),
        "clash": float(bool(_clash(statement, by_id[first.memory]))),
    }


def _clash(statement: Statement, memory: Memory) -> list[tuple[str, str]]:
    """The amounts of a memory for which a statement gives another one of the same measure: old and new, as written."""
    mine, held = amounts(statement.text), amounts(memory.body)
    fresh = [one for one in mine if not any(one.same(other) for other in held)]
    return [
        (old.text, new.text)
        for new in fresh
        for old in held
        if new.is_measure and new.comparable(old) and not any(old.same(one) for one in mine)
    ]


def _changed(memory: Memory, content: str, nominee: Nominee) -> Draft:
    """A draft of the memory as the statement would have it: one amount changed where that is all, else the statement in
    front of the old text, for a person to join."""
    clash = _clash(nominee.statement, memory)
    if len(clash) == 1 and memory.body.count(clash[0][0]) == 1:
        old, new = clash[0]
        description = memory.description.replace(old, new)
        return Draft(memory.name, description, memory.type, memory.body.replace(old, new), memory.id)
    when = nominee.statement.message.time
    day = f" ({when:%Y-%m-%d})" if when else ""
    return Draft(
        memory.name, memory.description, memory.type, f"Said later{day}: {content}\n\n{memory.body}", memory.id
    )


def _new(content: str, nominee: Nominee) -> Draft:
    """A draft of a new memory: the user's own words, and what they answer where they are only understood with it."""
    answers = nominee.statement.answers
    body = f"{content}\n\n(In answer to: {answers})" if answers else content
    return Draft(_name(content), content[:200], "feedback" if nominee.asked else "project", body)


def _name(content: str) -> str:
    """A name made of the first words as they stand, so that none of them turns round what was said."""
    words = re.findall(r"[^\W_]+", content)[:_NAME_WORDS]
    return slug(" ".join(words))[:_NAME_LETTERS].strip("-") or "noted"


# --- what is proposed of them ---


def proposals(
    candidates: Sequence[Candidate],
    merges: Sequence[Proposal],
    pairs: Iterable[tuple[Pair, float]],
    by_id: Mapping[str, Memory],
) -> Iterator[Proposal]:
    """The merges of memories that are equal, which need no judgement; then the questions, the best first.

    ``pairs`` are memories that may say the same, each with the chance that they do.
    """
    yield from merges
    merged = {name for one in merges for name in one.memories}
    asked = [(candidate.chance, _question(candidate)) for candidate in candidates]
    asked += [
        (chance, _together(by_id[pair.one], by_id[pair.other]))
        for pair, chance in pairs
        if not {pair.one, pair.other} & merged
    ]
    best = sorted(asked, key=lambda each: -each[0])
    yield from (one for at, (chance, one) in enumerate(best) if chance >= (LEAST if at < FIRST else BEYOND))


def _question(candidate: Candidate) -> Proposal:
    target = candidate.targets[0] if candidate.targets else ""
    return Proposal(
        Kind.REPLACE if target else Kind.ADD,
        candidate.why,
        candidate.evidence,
        candidate.targets,
        candidate.drafts,
        (candidate.id,),
        claim=candidate.claim,
        asks=f"Does this change {target}?" if target else "Shall this be remembered?",
    )


def _together(one: Memory, other: Memory) -> Proposal:
    return replace(
        merge((one, other), one, "They are near each other."), asks=f"Do {one.id} and {other.id} say the same?"
    )


NAME = "offline"


class OfflineMiner:
    """Nominates the statements of a batch that may be worth a memory.

    ``answered`` gives the keys of questions that a person has answered in an earlier pass.
    """

    name = NAME

    def __init__(self, answered: Callable[[], frozenset[str]] = frozenset) -> None:
        self._answered = answered

    def mine(self, digest: Digest, memories: Sequence[Memory]) -> MinerReply:
        """The best of them as candidates, each with the chance that it is worth a person's look."""
        said = tuple(statements(digest.messages))
        best = candidates(nominate(said, memories), memories, digest.number, self._answered())
        return MinerReply(digest.number, tuple(best), unread=tuple(_unread(said)))


class OfflineDecider:
    """Merges what is equal, and asks about the rest."""

    name = NAME

    def decide(
        self, memories: Sequence[Memory], _digests: Sequence[Digest], candidates: Sequence[Candidate], /
    ) -> tuple[Proposal, ...]:
        """The merges of equal memories and the best questions of all batches."""
        by_id = {memory.id: memory for memory in memories}
        return tuple(proposals(candidates, equal_merged(memories), likely(memories), by_id))

    def reconsider(
        self, _memories: Sequence[Memory], proposals: Sequence[Proposal], decisions: Sequence[Decision], /
    ) -> Sequence[Proposal]:
        """The proposals without pairs of memories that a fact keeps apart: nobody has asked for those."""
        ruled = zip(proposals, decisions, strict=True)
        return [one for one, decision in ruled if decision.changes or any(isinstance(it, Said) for it in one.evidence)]


def _unread(said: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """The sessions in a language that there are no words of: likeness alone nominates there."""
    for session, texts in groupby(said, key=lambda each: each.message.session):
        typed = " ".join(each.text for each in texts)
        if length(typed) >= _ENOUGH and not language(typed):
            yield session, "its language is not one that words are known of, so it was read by likeness alone"


_ENOUGH = 30
"""Words from which on a text tells its language."""
