"""A decision in one line: its number, what it does to which memory, what becomes of what, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memgit.memory.frontmatter import split
from memgit.model.decision import Approval, Decision, Kind, Said, Standing
from memgit.text.diff import Piece, word_diff
from memgit.text.layout import Row, Run, Style, cut, line, quoted, width

_CHANGE = 44
"""Columns that what changes may take, so that there is room for the reason."""
_LEAST = 12
"""Columns from which on a reason says anything."""
_FEW = 2
"""Places of a text that are told as old -> new; a text that differs in more has to be looked at."""

MARKS = {Approval.APPROVED: "+", Approval.REJECTED: "-", Approval.DEFERRED: "~", Approval.PROPOSED: " "}
_STYLES = {Approval.APPROVED: Style.GOOD, Approval.REJECTED: Style.FAINT, Approval.DEFERRED: Style.FAINT}


def in_order(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Decisions as they are told: what asks somebody first, then what changes something, then what was refused."""
    held = [each for each in decisions if each.standing is Standing.HELD]
    refused = [each for each in decisions if each.standing is Standing.REFUSED]
    return (*held, *(each for each in decisions if each not in held and each not in refused), *refused)


def outline(decision: Decision, columns: int) -> Row:
    """One row of at most so many columns. ``?`` marks a question, ``!`` what a fact refuses, ``+``, ``-`` and ``~``
    what somebody has approved, rejected or deferred."""
    mark, style = _mark(decision)
    head = Run(f"{mark} {decision.id:<3} {decision.kind:<8}", style)
    room = columns - width(head.text)
    if (said := _asked_of(decision)) and decision.kind is Kind.ADD:  # its name was made of the same words
        return (head, Run(cut(said, room)))
    what = subject(decision)
    if not what:  # what was refused has left nothing to name
        return (head, Run(cut(_told(decision), room)))
    if room - width(what) < _LEAST:
        return (head, Run(cut(what, room), Style.TITLE))
    return (head, Run(f"{what}: ", Style.TITLE), Run(cut(_told(decision), room - width(what) - 2)))


def subject(decision: Decision) -> str:
    """The memories that a decision is about, and what they become where that is another one."""
    names = " + ".join(map(line, decision.memories)) or ", ".join(map(line, decision.results))
    if not names:
        return "the index" if decision.kind is Kind.REPAIR else line(decision.claim)
    led = ", ".join(map(line, decision.results))
    return f"{names} -> {led}" if decision.memories and led and decision.results != decision.memories else names


def _mark(decision: Decision) -> tuple[str, Style]:
    if decision.standing is Standing.REFUSED:
        return "!", Style.BAD
    if decision.standing is Standing.HELD and decision.approval is Approval.PROPOSED:
        return "?", Style.WARNING
    return MARKS[decision.approval], _STYLES.get(decision.approval, Style.PLAIN)


def _told(decision: Decision) -> str:
    """What becomes of what, and why; of a question the user's words, or why it is asked, and what is doubted."""
    if decision.standing is Standing.REFUSED:
        return line(decision.refusal)
    why = decision.justification
    if decision.standing is Standing.HELD:
        asked = _asked_of(decision) or (why if decision.asks else "")
        why = " ".join((asked, *(doubt.says for doubt in decision.doubts))).strip() or why
    changes = old_and_new(decision)
    return changes if changes.endswith("…") else ". ".join(filter(None, (changes, line(why))))


def _asked_of(decision: Decision) -> str:
    """What the user said, of a question that nobody has judged; empty where it is about memories alone."""
    said = [one.quote for one in decision.evidence if isinstance(one, Said)]
    return quoted(said[-1]) if decision.standing is Standing.HELD and decision.asks and said else ""


def old_and_new(decision: Decision) -> str:
    """``30 -> 15`` for a memory whose text changes in one or two places; empty where it is rewritten, comes or goes."""
    if decision.kind not in (Kind.REPLACE, Kind.UPDATE) or len(decision.memories) != 1:
        return ""
    (memory,) = decision.memories
    old, new = decision.dropped_text.get(memory), decision.writes.get(f"{memory}.md")
    if old is None or new is None:
        return ""
    pieces = word_diff(_body(old), _body(new.decode("utf-8", "replace")))
    places = [
        (_short(one), _short(other))
        for one, other in pairwise((*pieces, Piece("same", "")))
        if (one.fate, other.fate) == ("removed", "added")
    ]
    told = dict.fromkeys(f"{one} -> {other}" for one, other in places)
    changed = sum(piece.fate != "same" for piece in pieces)
    if not 0 < len(told) <= _FEW or changed != 2 * len(places):
        return ""
    return cut("; ".join(told), _CHANGE)


def _body(text: str) -> str:
    return split(text.encode("utf-8", "replace")).body.decode("utf-8", "replace")


def _short(piece: Piece) -> str:
    return " ".join(piece.text.split())
