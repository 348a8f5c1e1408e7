"""What the assistant proposed in place of what a memory holds, where the user's whole answer is a yes."""

from __future__ import annotations

import re
from dataclasses import replace

from memgit.core.sessions.quotes import agrees
from memgit.miners.offline.anatomy import is_later
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.facts import code_spans
from memgit.miners.offline.finding import Finding
from memgit.miners.offline.guards import objection
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.renames import replaced
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.words import content

_PROPOSES = spoken(
    "agreements: proposes",
    r"^\W*(?:(?:so|then|therefore),? )?i(?:'d| would)? (?:suggest|propose|recommend) that (?=\w)",
)
_EXCHANGE = spoken(
    "agreements: exchange", r"`(?P<b>[^`\n]+)`(?: \w+){0,2} (?:instead of|rather than) (?:the )?`(?P<a>[^`\n]+)`"
)
_OF_IT = 2
"""Words that a proposal must have of the memory beside the two names."""


def agreed_name(corpus: Corpus, statement: Statement) -> Finding | None:
    """The replacement of one name in code by another, proposed in so many words for what one memory is about."""
    proposal = _proposed(statement) if agrees(" ".join(statement.message)) else None
    match = _EXCHANGE.search(proposal.text) if proposal else None
    if proposal is None or match is None or objection(proposal):
        return None
    meant = [entry for entry in corpus.entries if _is_meant(entry, proposal, match["a"], match["b"])]
    return replaced(meant[0].memory, proposal, match["a"], match["b"]) if len(meant) == 1 else None


def _proposed(statement: Statement) -> Statement | None:
    """What the assistant proposed at the end of its message, as it stands behind "I suggest that"; None where that
    came with another proposal, of which nobody knows which the yes is for."""
    sentences = re.split(r"(?<=[.?!])\s+", statement.before.strip())
    match = _PROPOSES.match(sentences[-1])
    if match is None or any(_PROPOSES.match(one) for one in sentences[:-1]):
        return None
    text = sentences[-1][match.end() :]
    return replace(statement, text=text, paragraph=(text,), position=0, message=(text,))


def _is_meant(entry: Entry, proposal: Statement, old: str, new: str) -> bool:
    shared = (content(proposal.text) - content(old) - content(new)) & entry.claim_stems
    known = new.lower() in entry.memory.text.lower()
    return (
        is_later(proposal.time, entry.memory) and old in code_spans(entry.claim) and not known and len(shared) >= _OF_IT
    )
