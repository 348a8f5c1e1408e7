"""One class for each memory and perhaps one proposal, made of what was found; never the other way round.

What the repository contradicts is stale; what a document says by now is absorbed; what holds is current; of the rest
nobody can say. Only a rename that git records changes a memory by itself, in that exact place. All else is asked.
Memories of a person's own words are never changed because of code: what is wrong in them is flagged for their author.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memgit.claims.documents import WORD_FOR_WORD, Library
from memgit.claims.quoted import naming
from memgit.claims.sources import instructs
from memgit.claims.telling import Found, State, reworded
from memgit.evidence.findings import secrets
from memgit.model.decision import Draft, Kind, Proposal, Seen
from memgit.model.store import Memory
from memgit.model.verification import Appraisal, MemoryCheck, MemoryClass, Missing, SpanCheck
from memgit.rulings.case import PROTECTED_TYPES

_WRONG = frozenset({State.MOVED, State.GONE, State.DIFFERS})


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one memory: its class, a proposal or nothing, and a sentence for the reader where something is
    wrong and nothing is proposed. ``day`` is when it became so, where history tells; ``targets`` are the names in it
    that were looked for. ``gone`` is what shows that all it says wrongly is gone, where nothing takes its place."""

    appraisal: Appraisal
    proposal: Proposal | None = None
    gone: tuple[Seen, ...] = ()
    flag: str = ""
    day: str = ""
    targets: tuple[SpanCheck, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether it names something, and nothing that the repository or its history has ever seen."""
        return bool(self.targets) and all(span.missing is Missing.NEVER for span in self.targets)


def appraise(memory: Memory, check: MemoryCheck, found: Sequence[Found], library: Library) -> Finding:
    """The class of a memory that is no duplicate."""
    wrong = [one for one in found if one.state in _WRONG]
    finding = (
        (_stale(memory, wrong) if wrong else None) or _absorbed(memory, library) or _standing(memory, check, found)
    )
    return replace(finding, targets=tuple(span for span in check.spans if span.is_target))


def duplicates(proposal: Proposal) -> tuple[Finding, ...]:
    """The members of a group that says one thing."""
    return tuple(
        Finding(
            Appraisal(
                name,
                MemoryClass.DUPLICATE,
                f"says what {' and '.join(other for other in proposal.memories if other != name)} says",
            )
        )
        for name in proposal.memories
    )


def is_protected(memory: Memory) -> bool:
    """Whether a memory is a person's own words."""
    return memory.type.lower() in PROTECTED_TYPES


def _stale(memory: Memory, wrong: Sequence[Found]) -> Finding:
    line = "; ".join(dict.fromkeys(one.line for one in wrong))
    day = max(one.day for one in wrong)
    appraisal = Appraisal(memory.id, MemoryClass.STALE, line)
    if is_protected(memory):
        return Finding(appraisal, flag=f"{line}. It is the user's own word, so nothing is proposed", day=day)
    fixed = [one for one in wrong if one.edits]
    if not fixed:
        gone = (
            tuple(seen for one in wrong for seen in one.seen) if all(one.state is State.GONE for one in wrong) else ()
        )
        return Finding(appraisal, gone=gone, flag=f"{line}. What is true now has to be told by somebody", day=day)
    moved = [one for one in fixed if one.state is State.MOVED] or fixed
    draft = Draft(memory.name, memory.description, memory.type, memory.body, memory.id)
    proposal = Proposal(
        Kind.UPDATE,
        f"{_capital('; '.join(one.line for one in moved))}.",
        tuple(seen for one in moved for seen in one.seen),
        (memory.id,),
        (reworded(draft, [edit for one in moved for edit in one.edits]),),
        claim="stale",
        leaves_out=tuple(_old(memory, one) for one in moved),
        asks="" if moved[0].state is State.MOVED else f"Is this what {memory.id} should say?",
    )
    flag = "" if len(moved) == len(wrong) else "; ".join(one.line for one in wrong if one not in moved)
    return Finding(appraisal, proposal, flag=flag, day=day)


def _old(memory: Memory, found: Found) -> str:
    """The words that an edit takes away, which a reader need not miss."""
    edit = found.edits[0]
    return (memory.body if edit.field == "body" else memory.description)[edit.start : edit.end]


def _absorbed(memory: Memory, library: Library) -> Finding | None:
    held = library.absorbs(memory, WORD_FOR_WORD) if is_protected(memory) else library.absorbs(memory)
    if held is None or any(secrets(one.quote) for one in held.cited):
        return None
    if is_protected(memory) and (held.beyond or not instructs(held.path)):
        return None
    line = f"says what {held.place} says: “{_short(held.cited[0].quote)}”"
    appraisal = Appraisal(memory.id, MemoryClass.ABSORBED, line)
    if held.beyond:
        return Finding(appraisal, flag=f"{_capital(line)}. Only its reasons stand nowhere else")
    return Finding(appraisal, flag=f"{_capital(line)}. Whether it is needed beside that is for you to say")


def _standing(memory: Memory, check: MemoryCheck, found: Sequence[Found]) -> Finding:
    lost = check.missing
    holds = [one for one in found if one.state is State.HOLDS]
    borne = {one.sentence for one in holds}
    if holds and not lost and 2 * len(borne) >= len(naming(memory)):
        return Finding(Appraisal(memory.id, MemoryClass.CURRENT, holds[0].line))
    if lost:
        named = "; ".join(_why(span) for span in lost[:3])
        return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, f"looked for {named}"))
    names = [span for span in check.spans if span.where]
    if names:
        shown = ", ".join(f"`{span.span}`" for span in names[:3])
        told = f"names found ({shown}), and nothing that bears out what it says of them"
        return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, told))
    return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, "names nothing that the repository could confirm"))


def _why(span: SpanCheck) -> str:
    """A name that is not there with the reason; that it was never here is only said after looking."""
    if span.missing is Missing.NEVER:
        return f"`{span.span}`: {span.hint or 'not in the tree, and its history was looked through'}"
    return f"`{span.span}`: {span.missing}{f', {span.hint}' if span.hint else ''}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else f"{flat[:99]}…"
