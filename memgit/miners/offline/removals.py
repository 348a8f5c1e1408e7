"""A memory that the user says is wrong or can go, and that nothing replaces."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.miners.offline.anatomy import is_later
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.fillers import fills_anew
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import (
    ELSEWHERE,
    HYPOTHETICAL,
    ONE_OFF,
    QUESTION,
    QUOTED,
    SARCASM,
    is_reversal,
    reversals,
    taken_back,
    without_quotations,
)
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import plain_rule
from memgit.miners.offline.words import content
from memgit.model.decision import Intent

_NOTE = (
    r"(?:(?:that|this|the|your|those|these|a) (?:[\w-]+ ){0,3}?(?:notes?|memor(?:y|ies)|memo)|memor(?:y|ies)|memory file|"
    r"rule you (?:saved|noted|have)|thing you (?:saved|noted|remember))"
)
_REMOVAL = spoken(
    "removals: removal",
    # An order to remove a memory, or a verdict that it may go; the memory is named as one.
    rf"\b(?:throw|toss|bin|scrap|delete|remove|drop|forget|ditch|lose|erase|get rid of|clear|kill)\b[^.?!]{{0,40}}?\b{_NOTE}\b|"
    rf"\b{_NOTE}\b[^.?!]{{0,60}}\b(?:can go|can be (?:deleted|removed|dropped)|should go|has to go|is (?:wrong|obsolete|outdated|"
    r"stale|dead|bogus|nonsense|rubbish|garbage|not true|no longer (?:true|valid|needed))|was (?:wrong|never (?:true|right))|"
    r"isn't (?:true|right)|never was true|needs to go)\b|"
    rf"\b(?:wrong|outdated|obsolete|bogus) {_NOTE}\b|"
    r"\bout of (?:your|the) (?:notes?|memor(?:y|ies))\b",
)
_UNTRUE = spoken(
    "removals: untrue",
    # A claim declared untrue without naming the memory.
    r"\b(?:has|have|had) nothing to do with\b|\b(?:was|is) never true\b|\bnever (?:was|were) true\b|"
    r"\b(?:that|this|it)(?:'s| is| was) (?:just |simply |plain |plainly )?(?:wrong|not true|untrue|a myth|nonsense|a misunderstanding)\b|"
    r"\b(?:isn't|is not|wasn't) true\b",
)
_OBSOLETE = spoken(
    "removals: obsolete",
    # What a memory asks for or tells of has become needless or has ceased to be.
    r"\b(?:no (?:more )?need (?:to|for)|(?:don't|doesn't|do not|does not|needn't) (?:need|have) (?:to )?\S.*\bany ?more|don't need (?:to|the|that) .*\bnow|"
    r"no longer (?:needed|necessary|required|needs?|has to|have to|exists?|applies|apply|true|the case|an issue|a problem)|"
    r"(?:isn't|is not|aren't|are not|not) (?:needed|necessary|required|true|the case|an issue|a problem) any ?more|"
    r"(?:is|are) (?:obsolete|unnecessary now|superfluous|moot|history|gone for good|a thing of the past)|(?:doesn't|does not|don't) (?:exist|apply|happen) any ?more|"
    r"got rid of|(?:was|were|is|are|has been|have been|got) (?:retired|decommissioned|shut down|dismantled|scrapped|abolished|fixed (?:upstream|for good))|"
    r"(?:does|do|reloads?|happens?|works?|picks? \w+ up) (?:that |this |it |so )?(?:by (?:itself|themselves)|on its own|automatically|itself) (?:now|since|these days))\b",
)
_VERDICT = spoken(
    "removals: verdict",
    # The user calls what the assistant just said or did for its memory's sake pointless or wrong.
    r"(?:\b(?:is|are|was|were)|:|'s|'re) (?:just |plain |plainly |simply |complete |total |utter |all )?(?:nonsense|useless|pointless|superfluous|"
    r"rubbish|garbage|wrong|bogus|a myth|needless|unnecessary|not needed|obsolete|outdated|a waste of time)\b",
)
_UNDERPINNED = spoken(
    "removals: underpinned",
    # Why it is so, or that it is to end: what tells a verdict on a rule from one on a piece of work.
    r"\b(?:(?:was|were) (?:a|the) bug|(?:is |was |been |got )?fixed (?:since|in|with|by|upstream)|(?:don't|do not|stop|no need to) (?:do|doing|say|tell|keep) \w+(?: \w+)? any ?more|"
    r"don't do (?:that|it|this) (?:again|any ?more)|forget (?:it|that|about)|out of your notes|no longer|any ?more|never (?:was|were|true)|"
    r"(?:by|on) (?:itself|its own)|has nothing to do with)\b",
)
_LASTING = spoken(
    "removals: lasting",
    r"\b(?:any ?more|no longer|now|since|itself|themselves|automatically|obsolete|superfluous|history|decommissioned|retired|"
    r"shut down|got rid of|dismantled|for good|upstream|gone)\b",
)
_NOTED = spoken(
    "removals: noted",
    r"\b(?:i have noted|i've noted|my notes?|noted|memory|memories|remember(?:ed)?|according to what i)\b",
)
_ELSEWHERE_NOTES = spoken(
    "removals: elsewhere notes",
    r"\b(?:release notes?|(?:notes?|entry|memo|memory) (?:in|on|from|to) (?:the|our|that|this) (?!memory\b|memories\b|store\b)\w+|notes (?:file|page)|out of memory|in memory|memory (?:leak|limit|usage|use)|"
    r"log entr\w+|cache entr\w+|database entr\w+|changelog|readme)\b",
)
_PASSED = spoken(
    "removals: passed",
    # The user says of what the assistant just cited that its time is over.
    r"\b(?:that|this|it)(?:'s| is| was) (?:old|outdated|out of date|stale|ancient|history|obsolete|over|gone|moot|past|from (?:before|the old)|"
    r"no longer|not (?:the case|true|needed|necessary)|(?:with|on|before|under|for|because of) (?:the|our) (?:old|previous|last))\b|"
    r"\bnot (?:needed|necessary|required|true|the case|a thing|an issue) (?:any ?more|now|since)\b|\bnot since\b|\bno longer\b|"
    r"\b(?:don't|doesn't|do not|does not) (?:need|have|apply|happen)\b.*\b(?:any ?more|now|since)\b|\bforget (?:about )?that\b|"
    r"\b(?:does|do|reloads?|watches|happens?|works?|picks? \w+ up) (?:that |this |it |so )?(?:by (?:itself|themselves)|on its own|automatically|itself)\b",
)
_MARGIN = 1.4
_COVERED = 0.5
_CITED = 0.7
"""Share of a description's weighted words that the assistant's message must hold to have cited the memory."""

_CITED_CLAIM = 0.4
"""The same share of all that the memory claims: a short title is held by many a message."""


def removals(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """Memories that users want gone; one that could be meant only vaguely is left and named."""
    back = reversals(said)
    for statement in said:
        if _asks(statement) and not taken_back(statement, back):
            yield from _of(corpus, statement)


def _asks(statement: Statement) -> bool:
    """Whether a statement wants a memory gone. The guards come last: few sentences get as far as them."""
    plain = without_quotations(statement.text)
    if _REMOVAL.search(plain):
        return not _is_not_meant(plain)
    asks = _UNTRUE.search(plain) or _OBSOLETE.search(plain) or _denies_cited(statement) or _condemns(statement)
    return bool(asks) and not (_is_not_meant(plain) or _is_not_for_good(plain))


def _is_not_meant(plain: str) -> bool:
    guards = (QUESTION, HYPOTHETICAL, SARCASM, QUOTED)
    return any(guard.pattern.search(plain) for guard in guards) or bool(_ELSEWHERE_NOTES.search(plain))


def _is_not_for_good(plain: str) -> bool:
    return any(guard.pattern.search(plain) for guard in (ONE_OFF, ELSEWHERE)) or is_reversal(plain)


def _condemns(statement: Statement) -> bool:
    """Whether the user gives a verdict on what the assistant had said, and underpins it beside."""
    return (
        bool(statement.before)
        and bool(_VERDICT.search(statement.text))
        and any(_UNDERPINNED.search(text) for text in statement.paragraph)
    )


def _denies_cited(statement: Statement) -> bool:
    return bool(_PASSED.search(statement.text) and _NOTED.search(statement.before))


def _of(corpus: Corpus, statement: Statement) -> Iterator[Finding | Unclear]:
    if (_denies_cited(statement) or _condemns(statement)) and (entry := _cited(corpus, statement)):
        if fills_anew(entry, statement):
            yield Unclear(statement, f"something takes the place of what {entry.memory.id} says")
        else:
            yield _finding(entry, statement)
        return
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


def _cited(corpus: Corpus, statement: Statement) -> Entry | None:
    """The one memory that the assistant had just cited, and that the user's message speaks of, too."""
    cited = content(statement.before)
    spoken = content(" ".join(statement.paragraph))
    found = [
        entry
        for entry in corpus.entries
        if is_later(statement.time, entry.memory)
        and len(spoken & entry.stems) >= 1
        and _share(corpus, cited, content(entry.memory.description)) >= _CITED
        and _share(corpus, cited, entry.claim_stems) >= _CITED_CLAIM
    ]
    ranked = sorted(((_claimed(corpus, cited, entry), entry.memory.id) for entry in found), reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][0] < _MARGIN * ranked[1][0]):
        return None
    return corpus.by_id[ranked[0][1]]


def _claimed(corpus: Corpus, words: frozenset[str], entry: Entry) -> float:
    return corpus.weights.mass(words & entry.claim_stems)


def _share(corpus: Corpus, words: frozenset[str], of: frozenset[str]) -> float:
    return corpus.weights.mass(words & of) / (corpus.weights.mass(of) or 1.0)


def _fit(corpus: Corpus, text: str, entry: Entry) -> float:
    """The weight of what a text and a memory's claim share; 0 where it is less than half of the description."""
    described = content(f"{entry.memory.name.replace('-', ' ').replace('_', ' ')} {entry.memory.description}")
    shared = content(text) & described
    if len(shared) < 2:
        return _fit_of_whole(corpus, text, entry)
    mass = corpus.weights.mass(shared)
    return mass if mass >= _COVERED * 0.5 * corpus.weights.mass(described) else 0.0


def _fit_of_whole(corpus: Corpus, text: str, entry: Entry) -> float:
    """The same for a text that touches the title once and goes on with the words of the body."""
    shared = content(text) & entry.stems
    titled = content(text) & content(f"{re.sub('[-_]', ' ', entry.memory.name)} {entry.memory.description}")
    return 0.5 * corpus.weights.mass(shared) if titled and len(shared) >= 3 else 0.0


def _certain(statement: Statement, entry: Entry) -> bool:
    """Whether an unnamed memory is meant for certain: the assistant had just cited it, or the user denies its very claim."""
    if _OBSOLETE.search(statement.text):
        return _names_claim(statement, entry)
    words = content(re.split(r"[,;] | - ", statement.text)[0])
    denies = len(words) >= 2 and words <= content(entry.memory.description)
    cited = bool(_NOTED.search(statement.before)) and len(content(statement.before) & entry.claim_stems) >= 2
    removal = any(_REMOVAL.search(sentence) for sentence in statement.message)
    return (denies and (cited or removal)) or (cited and removal)


def _names_claim(statement: Statement, entry: Entry) -> bool:
    """Whether a statement that something is needless names most of what the memory's description speaks of."""
    described = content(entry.memory.description)
    named = content(" ".join((*statement.preceding[-1:], statement.text))) & described
    lasting = any(_LASTING.search(text) for text in (statement.text, *statement.following[:1]))
    return lasting and (len(named) >= 3 or (len(named) >= 2 and named == described))


def _finding(entry: Entry, statement: Statement) -> Finding:
    return Finding(
        intent=Intent.STALE,
        claim=plain_rule(statement.text, statement.time),
        why="The user said that it is wrong or can go.",
        evidence=(quoted(statement),),
        targets=(entry.memory.id,),
        said=statement,
    )
