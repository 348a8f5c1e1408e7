"""What an audit takes each memory for, and what it would do about it: from what was looked up to proposals.

The order of precedence: what another memory says as well is a duplicate; what the repository contradicts is stale;
what a document holds by now is absorbed; what holds is current; the rest nobody could confirm. Memories of a person's
own words are never changed because of code: what is wrong in them is flagged for their author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from memgit.core.audit.absorption import SAME_RULE, Absorbed, Library, instructs
from memgit.core.audit.absorption import states as says_the_same
from memgit.core.audit.conditions import Ended
from memgit.core.audit.configured import Differs, Same
from memgit.core.audit.figures import Agreement, Contradiction
from memgit.core.audit.rewording import corrected, moved, reworded
from memgit.core.audit.schedules import Rescheduled, at_new_times
from memgit.core.audit.trivia import TRIVIA, lists_files, over, passing
from memgit.core.verification.grounding import confirms
from memgit.core.verification.named import Gone, Misplaced
from memgit.model.decision import Draft, Kind, Proposal, Seen
from memgit.model.store import Memory
from memgit.model.verification import Appraisal, Change, MemoryCheck, MemoryClass, Missing, SpanCheck
from memgit.rulings.case import PROTECTED_TYPES


@dataclass(frozen=True, slots=True)
class Looked:
    """All that was looked up about one memory. ``texts`` are those of the files in which something of it was found,
    ``since`` says which commit brought a contradicting line."""

    check: MemoryCheck
    gone: tuple[Gone, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    figures: tuple[Agreement | Contradiction, ...] = ()
    rescheduled: tuple[Rescheduled, ...] = ()
    values: tuple[Differs | Same, ...] = ()
    ended: Ended | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, Change] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one memory: its class, a proposal or nothing, and a sentence for the reader where something is
    wrong and nothing is proposed. ``day`` is when it became so, where history tells; ``targets`` are the names in it
    that were looked for."""

    appraisal: Appraisal
    proposal: Proposal | None = None
    flag: str = ""
    day: str = ""
    targets: tuple[SpanCheck, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether it names something, and nothing that the repository or its history has ever seen."""
        return bool(self.targets) and all(span.missing is Missing.NEVER for span in self.targets)


def appraise(memory: Memory, looked: Looked, library: Library, now: datetime) -> Finding:
    """The class of a memory that is no duplicate."""
    finding = _stale(memory, looked, library) or _absorbed(memory, library) or _standing(memory, looked)
    found = finding if finding.proposal or finding.flag else _trivial(memory, looked, finding, now)
    return replace(found, targets=tuple(span for span in looked.check.spans if span.is_target))


def duplicate(proposal: Proposal) -> tuple[Finding, ...]:
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


# --- stale ---


@dataclass(frozen=True, slots=True)
class _Fault:
    """One claim that holds no longer: the evidence in one line and as it can be looked up, and how the text would be
    without the fault (None where nobody knows). ``replaced`` are names that it then has no more."""

    line: str
    seen: tuple[Seen, ...]
    draft: Draft | None
    day: str = ""
    is_whole: bool = False
    replaced: tuple[str, ...] = ()


def _stale(memory: Memory, looked: Looked, library: Library) -> Finding | None:
    draft = Draft(memory.name, memory.description, memory.type, memory.body, memory.id)
    faults: list[_Fault] = []
    for fault in _faults(memory, looked, draft):
        draft = fault.draft or draft
        faults.append(fault)
    if not faults:
        return None
    line = "; ".join(dict.fromkeys(fault.line for fault in faults))
    day = max(fault.day for fault in faults)
    appraisal = Appraisal(memory.id, MemoryClass.STALE, line)
    if is_protected(memory):
        return Finding(appraisal, flag=f"{line}. It is the user's own word, so nothing is proposed", day=day)
    proposal = _remedy(memory, faults, draft, library, line)
    return Finding(appraisal, proposal, "" if proposal else f"{line}. What is true now has to be told by somebody", day)


def _remedy(memory: Memory, faults: Sequence[_Fault], draft: Draft, library: Library, line: str) -> Proposal | None:
    """An update where the right text is known; deletion where the repository records it now or nothing is left."""
    seen = tuple(one for fault in faults for one in fault.seen)
    if any(fault.draft for fault in faults):
        held = library.absorbs(replace(memory, description=draft.description, body=draft.body))
        if held:
            reason = f"{_capital(line)}; and {held.place} records it now, so the memory is not needed"
            return Proposal(Kind.DROP, f"{reason}.", (*seen, *held.cited), (memory.id,), claim="recorded elsewhere")
        fixed = tuple(one for fault in faults if fault.draft for one in fault.seen)
        replaced = tuple(name for fault in faults for name in fault.replaced)
        reason = f"{_capital(line)}."
        return Proposal(Kind.UPDATE, reason, fixed, (memory.id,), (draft,), claim="stale", leaves_out=replaced)
    if any(fault.is_whole for fault in faults):
        return Proposal(
            Kind.DROP, f"{_capital(line)}; nothing else in it can be checked.", seen, (memory.id,), claim="stale"
        )
    return None


def _faults(memory: Memory, looked: Looked, draft: Draft) -> Iterator[_Fault]:
    holds = _holding(looked)
    for one in looked.gone:
        fault = (
            _moved_fault(one, draft) if one.change.moved_to else _gone_fault(one, alone=not holds and _all_gone(looked))
        )
        draft = fault.draft or draft
        yield fault
    for other in looked.misplaced:
        fault = _misplaced_fault(other, draft)
        draft = fault.draft or draft
        yield fault
    for figure in looked.figures:
        wrong = _wrong_figure(figure, draft, looked.since) if isinstance(figure, Contradiction) else None
        if wrong:
            draft = wrong.draft or draft
            yield wrong
    for other_times in looked.rescheduled:
        fault = _times_fault(other_times, draft, looked.since)
        draft = fault.draft or draft
        yield fault
    for value in looked.values:
        if isinstance(value, Differs):
            fault = _value_fault(value, draft, looked.since)
            draft = fault.draft or draft
            yield fault
    if looked.ended:
        change = looked.ended.change
        evidence = Seen(f"commit:{change.commit}", change.subject)
        line = f"tells that “{_short(looked.ended.sentence)}”, which {change} ended"
        first = looked.ended.sentence in memory.description or memory.body.lstrip().startswith(
            looked.ended.sentence[:40]
        )
        yield _Fault(line, (evidence,), None, change.date, is_whole=first and not holds)


def _holding(looked: Looked) -> bool:
    """Whether something else that the memory claims is as it says."""
    return any(span.where for span in looked.check.spans) or any(isinstance(one, Agreement) for one in looked.figures)


def _all_gone(looked: Looked) -> bool:
    lost = {one.span for one in looked.gone if not one.change.moved_to}
    return all(span.span in lost for span in looked.check.spans if span.is_target)


def _moved_fault(gone: Gone, draft: Draft) -> _Fault:
    change = gone.change
    line = f"looked for `{gone.span}`: moved to {change.moved_to} in {change}"
    new = (Seen(gone.line.where, gone.line.text.strip()),) if gone.line else ()
    seen = (Seen(f"commit:{change.commit}", change.detail), *new)
    replaced = () if gone.is_path else (gone.span,)
    return _Fault(line, seen, moved(draft, gone.name, change.moved_to or ""), change.date, replaced=replaced)


def _misplaced_fault(found: Misplaced, draft: Draft) -> _Fault:
    line = f"looked for `{found.span}`: not in the tree; the one file of these words is {found.line.path}"
    seen = (Seen(found.line.where, found.line.text),)
    return _Fault(line, seen, moved(draft, found.name, found.line.path))


def _gone_fault(gone: Gone, *, alone: bool) -> _Fault:
    change = gone.change
    line = f"looked for `{gone.span}`: {'deleted' if gone.is_path else 'taken out'} in {change}"
    return _Fault(line, (Seen(f"commit:{change.commit}", change.detail or change.subject),), None, change.date, alone)


def _wrong_figure(figure: Contradiction, draft: Draft, since: Mapping[str, Change]) -> _Fault | None:
    line = figure.definition.line
    new = corrected(draft, figure)
    if new == draft:
        return None  # an earlier correction covered it
    changed = since.get(line.where)
    when = f", since {changed}" if changed else ""
    told = f"says {figure.wrong.text} where {line.path}:{line.number} has `{line.text.strip()[:100]}`{when}"
    return _Fault(told, (Seen(line.where, line.text),), new, changed.date if changed else "")


def _value_fault(value: Differs, draft: Draft, since: Mapping[str, Change]) -> _Fault:
    row, changed = value.line, since.get(value.line.where)
    when = f", since {changed}" if changed else ""
    told = f"says {value.old} where {row.path}:{row.number} has `{row.text.strip()[:100]}`{when}"
    new = reworded(draft, value.old, value.new)
    return _Fault(told, (Seen(row.where, row.text),), new, changed.date if changed else "", replaced=(value.old,))


def _times_fault(moved_times: Rescheduled, draft: Draft, since: Mapping[str, Change]) -> _Fault:
    first = moved_times.lines[0]
    told = ", ".join(f"{old} for {new}" for old, new in moved_times.changes)
    changed = since.get(first.where)
    line = f"says {told} of {first.path}:{first.number}" + (f", since {changed}" if changed else "")
    seen = tuple(Seen(one.where, one.text) for one in moved_times.lines)
    replaced = tuple(re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", old) for old, _ in moved_times.changes)
    return _Fault(line, seen, at_new_times(draft, moved_times), changed.date if changed else "", replaced=replaced)


# --- absorbed, standing, trivial ---


def _absorbed(memory: Memory, library: Library) -> Finding | None:
    held = library.absorbs(memory, SAME_RULE) if is_protected(memory) else library.absorbs(memory)
    if held is None:
        return None
    line = f"says what {held.place} says ({held.share:.0%} of its words): “{_short(held.cited[0].quote)}”"
    if is_protected(memory) and not _takes_over(memory, held):
        return None
    reason = f"{_capital(line)}. A memory that repeats a document is noise at recall."
    proposal = Proposal(Kind.DROP, reason, held.cited, (memory.id,), claim="absorbed")
    return Finding(Appraisal(memory.id, MemoryClass.ABSORBED, line), proposal)


def _takes_over(memory: Memory, held: Absorbed) -> bool:
    """Only what agents or contributors read as a rule takes the place of a person's word, and only the same rule."""
    return instructs(held.path) and says_the_same("\n".join(one.quote for one in held.cited), memory)


def _standing(memory: Memory, looked: Looked) -> Finding:
    agreed = next((one for one in looked.figures if isinstance(one, Agreement)), None)
    found = next((span for span in looked.check.spans if span.where and confirms(memory, span, looked.texts)), None)
    lost = looked.check.missing
    if agreed and not lost:
        line = agreed.definition.line
        told = f"{line.path}:{line.number} has `{line.text.strip()[:100]}`"
        return Finding(Appraisal(memory.id, MemoryClass.CURRENT, told))
    same = next((one.line for one in looked.values if isinstance(one, Same)), None)
    if same and not lost:
        told = f"{same.path}:{same.number} has `{same.text.strip()[:100]}`"
        return Finding(Appraisal(memory.id, MemoryClass.CURRENT, told))
    if found and not lost:
        return Finding(Appraisal(memory.id, MemoryClass.CURRENT, f"`{found.span}` is there: {found.where}"))
    if found is None and not lost and any(span.where for span in looked.check.spans):
        told = "what it names is there, and nothing confirms what it says of it"
        return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, told))
    if lost:
        names = ", ".join(f"`{span.span}`" for span in lost[:3])
        told = f"looked for {names}: not in the tree, and its history knows nothing of it"
        return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, told))
    return Finding(Appraisal(memory.id, MemoryClass.UNVERIFIABLE, "names nothing that the repository could confirm"))


def _trivial(memory: Memory, looked: Looked, finding: Finding, now: datetime) -> Finding:
    """Passing state and mere listings are proposed for deletion, whatever else is true of them."""
    if is_protected(memory):
        return finding
    if past := over(memory, now):
        return _expired(memory, finding, *past)
    if sentence := passing(memory):
        reason = f"It tells where one task stands (“{_short(sentence)}”), which nobody needs once the task is over."
        return replace(finding, proposal=_trivia(memory, (sentence,), reason))
    entries = lists_files(memory)
    if entries and all(span.where for span in looked.check.spans):
        reason = f"It lists {len(entries)} files of the repository, which a look at the tree tells as well."
        return replace(finding, proposal=_trivia(memory, entries[:3], reason))
    return finding


def _expired(memory: Memory, finding: Finding, sentence: str, day: date) -> Finding:
    line = f"“{_short(sentence)}”: {day} has passed"
    appraisal = Appraisal(memory.id, MemoryClass.STALE, line)
    proposal = _trivia(memory, (sentence,), f"{line}, so it tells of something that is over.")
    return replace(finding, appraisal=appraisal, proposal=proposal, day=day.isoformat())


def _trivia(memory: Memory, lines: Sequence[str], reason: str) -> Proposal:
    seen = tuple(Seen(f"memory:{memory.id}", line.strip()) for line in lines)
    return Proposal(Kind.DROP, reason, seen, (memory.id,), claim=TRIVIA)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else f"{flat[:99]}…"
