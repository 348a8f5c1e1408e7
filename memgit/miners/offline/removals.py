"""A memory that the user says is wrong or can go, and that nothing replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.miners.offline.anatomy import is_later
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import HYPOTHETICAL, QUESTION, SARCASM, is_reversal, taken_back, without_quotations
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.wording import plain_rule
from memgit.miners.offline.words import content
from memgit.model.decision import Intent

_NOTE = r"(?:note|notes|memory|memories|memory file|entry|entries|memo|rule you (?:saved|noted|have)|thing you (?:saved|noted|remember))"
_REMOVAL = re.compile(
    # An order to remove a memory, or a verdict that it may go; the memory is named as one.
    rf"\b(?:throw|toss|bin|scrap|delete|remove|drop|forget|ditch|lose|erase|get rid of|clear|kill)\b[^.?!]{{0,40}}?\b{_NOTE}\b|"
    rf"\b{_NOTE}\b[^.?!]{{0,60}}\b(?:can go|can be (?:deleted|removed|dropped)|should go|has to go|is (?:wrong|obsolete|outdated|"
    r"stale|dead|bogus|nonsense|rubbish|garbage|not true|no longer (?:true|valid|needed))|was (?:wrong|never (?:true|right))|"
    r"isn't (?:true|right)|never was true|needs to go)\b|"
    rf"\b(?:wrong|outdated|obsolete|bogus) {_NOTE}\b",
    re.IGNORECASE,
)
_UNTRUE = re.compile(
    # A claim declared untrue without naming the memory.
    r"\b(?:has|have|had) nothing to do with\b|\b(?:was|is) never true\b|\bnever (?:was|were) true\b|"
    r"\b(?:that|this|it)(?:'s| is| was) (?:just |simply |plain |plainly )?(?:wrong|not true|untrue|a myth|nonsense|a misunderstanding)\b|"
    r"\b(?:isn't|is not|wasn't) true\b",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"\b(?:i have noted|i've noted|my notes?|noted|memory|memories|remember(?:ed)?|according to what i)\b",
    re.IGNORECASE,
)
_ELSEWHERE_NOTES = re.compile(
    r"\b(?:release notes?|note (?:in|on|to)|notes (?:file|page)|out of memory|in memory|memory (?:leak|limit|usage|use)|"
    r"log entr\w+|cache entr\w+|database entr\w+|changelog|readme)\b",
    re.IGNORECASE,
)
_MARGIN = 1.4
_COVERED = 0.5


def removals(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """Memories that users want gone; one that could be meant only vaguely is left and named."""
    for statement in said:
        if _asks(statement) and not taken_back(statement, said):
            yield from _of(corpus, statement)


def _asks(statement: Statement) -> bool:
    plain = without_quotations(statement.text)
    if any(guard.pattern.search(plain) for guard in (QUESTION, HYPOTHETICAL, SARCASM)) or _ELSEWHERE_NOTES.search(
        plain
    ):
        return False
    return bool(_REMOVAL.search(plain) or (_UNTRUE.search(plain) and not is_reversal(plain)))


def _of(corpus: Corpus, statement: Statement) -> Iterator[Finding | Unclear]:
    named = bool(_REMOVAL.search(statement.text))
    text = statement.text if not named else " ".join((*statement.preceding, statement.text))
    ranked = sorted(
        (
            (_fit(corpus, text, entry), entry.memory.id)
            for entry in corpus.entries
            if is_later(statement.time, entry.memory)
        ),
        reverse=True,
    )
    ranked = [(fit, name) for fit, name in ranked if fit]
    if not ranked:
        return
    best = ranked[0]
    if len(ranked) > 1 and best[0] < _MARGIN * ranked[1][0]:
        yield Unclear(statement, "it calls a memory wrong, but more than one could be meant")
    elif named or _certain(statement, corpus.by_id[best[1]]):
        yield _finding(corpus.by_id[best[1]], statement)
    else:
        yield Unclear(statement, f"it may say that {best[1]} is wrong, but not plainly enough to drop it")


def _fit(corpus: Corpus, text: str, entry: Entry) -> float:
    """The weight of what a text and a memory's claim share; 0 where it is less than half of the description."""
    described = content(f"{entry.memory.name.replace('-', ' ').replace('_', ' ')} {entry.memory.description}")
    shared = content(text) & described
    if len(shared) < 2:
        return 0.0
    mass = corpus.weights.mass(shared)
    return mass if mass >= _COVERED * 0.5 * corpus.weights.mass(described) else 0.0


def _certain(statement: Statement, entry: Entry) -> bool:
    """Whether an unnamed memory is meant for certain: the assistant had just cited it, or the user denies its very claim."""
    words = content(statement.text)
    denies = len(words) >= 2 and words <= content(entry.memory.description)
    cited = bool(_NOTED.search(statement.before)) and len(content(statement.before) & entry.claim_stems) >= 2
    removal = any(_REMOVAL.search(sentence) for sentence in statement.message)
    return (denies and (cited or removal)) or (cited and removal)


def _finding(entry: Entry, statement: Statement) -> Finding:
    return Finding(
        intent=Intent.STALE,
        claim=plain_rule(statement.text, statement.time),
        why="The user said that it is wrong or can go.",
        evidence=(quoted(statement),),
        targets=(entry.memory.id,),
        said=statement,
    )
