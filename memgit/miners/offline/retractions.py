"""A later statement of the user that takes a memory's rule back."""

from __future__ import annotations

import re

from memgit.miners.offline.anatomy import anatomy, is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.facts import NEGATION, SIBLING_GROUPS, code_spans, sides
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.reasons import reasons
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import body_of, describe, plain_rule
from memgit.miners.offline.words import content, content_stems
from memgit.model.decision import Draft, Intent
from memgit.model.store import Memory

_TAKEN_BACK = spoken(
    "retractions: taken back",
    # Each says that what was done so far is not done from here on; x is what.
    r"\bno (?P<x>(?!need)[\w -]{3,60}?),? any ?more\b",
    r"\bno more (?P<x>[\w -]{3,60})",
    r"\b(?:is|are) no longer (?P<x>[\w -]{3,60})",
    r"\b(?:we|you|i|they) no longer (?P<x>[\w -]{3,60})",
    r"\b(?:don't|do not|doesn't|does not|isn't|aren't|not) (?P<x>[\w' -]{3,60}?),? any ?more\b",
    r"\b(?:stop|quit) (?P<x>\w+ing\b[\w -]{3,60})",
)


def rule_taken_back(corpus: Corpus, statement: Statement) -> Finding | Unclear | None:
    matches = [match for pattern in _TAKEN_BACK.of(statement.text) if (match := pattern.search(statement.text))]
    if not matches:
        return None
    clause = _clause_around(statement.text, matches[0].start())
    denied = content(clause)
    holders = [entry for entry in corpus.entries if _affirms(corpus, entry, denied, statement)]
    if len(holders) > 1:
        return Unclear(statement, "it takes a rule back, but more than one memory could be meant")
    return _taken_back_finding(holders[0].memory, statement) if holders else None


def _clause_around(text: str, at: int) -> str:
    start = max((match.end() for match in re.finditer(r"[,;:] | - ", text[:at])), default=0)
    end = re.search(r"[,;:] | - ", text[at:])
    return text[start : at + end.start()] if end else text[start:]


def _affirms(corpus: Corpus, entry: Entry, denied: frozenset[str], statement: Statement) -> bool:
    """Whether one memory's claim plainly says what the statement denies."""
    if len(denied) < 2 or not is_later(statement.time, entry.memory) or _of_other_side(statement.text, entry):
        return False
    covered = corpus.weights.mass(denied & entry.claim_stems) / (corpus.weights.mass(denied) or 1.0)
    first = (sentences(anatomy(entry.memory.body).claim) or ("",))[0]
    lines = (entry.memory.description, first)
    plain = any(len(denied & content(line)) >= 2 and not NEGATION.search(line) for line in lines)
    return covered >= 0.8 and plain and _leads(entry.memory.description, denied)


def _of_other_side(text: str, entry: Entry) -> bool:
    return any(not sides(text, group) <= sides(entry.memory.text, group) for group in SIBLING_GROUPS)


def _leads(description: str, denied: frozenset[str]) -> bool:
    """Whether the description is mostly about what is denied, and does not merely mention it."""
    words = content_stems(description)
    return bool(words) and sum(word in denied for word in words) >= len(words) / 2


def _with_places(rule: str, memory: Memory) -> str:
    """The user's clause with the paths that the old rule named: what it is about stays where it was."""
    paths = [span for span in sorted(code_spans(anatomy(memory.body).claim)) if "/" in span and " " not in span]
    named = ", ".join(f"`{path}`" for path in paths if path not in rule)
    return f"{rule.rstrip('.')} ({named})." if named else rule


def _taken_back_finding(memory: Memory, statement: Statement) -> Finding:
    rule = plain_rule(statement.text, statement.time)
    body = body_of(_with_places(rule, memory), reasons(statement).why)
    draft = Draft(memory.name, describe(rule), memory.type, body, memory.id)
    return Finding(
        intent=Intent.REPLACE,
        claim=rule,
        why="The user later took back what the memory asks for.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(draft,),
        said=statement,
        leaves_out=tuple(line for line in memory.text.split("\n") if line.strip()),
    )
