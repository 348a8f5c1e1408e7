"""What a sweep says beside its decisions: how to get back, every command in order, every memory accounted for."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from memgit.core.sweep import knowledge
from memgit.core.sweep.filing import Filed
from memgit.core.sweep.knowledge import Pointer, is_low
from memgit.evidence.findings import mask, personal, secrets
from memgit.memory.shapes import key_of
from memgit.model.decision import Decision, Kind, Standing
from memgit.model.passes import Plan, Remark
from memgit.model.store import Resolution
from memgit.text.layout import code, counted, line

_SHOWN = 60
_BACK = "The way back"
_STATE = re.compile(r"bd's own history was at `+ ?(.+?) ?`+\.$")
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found. ``state`` is what the database said of its history before, ``facts`` how many candidates
    the sessions gave, ``beads`` the id of the bead that holds a memory already, by the memory's id, ``former`` that of
    one on the same document that says something else."""

    store: Sequence[Filed]
    pointers: Sequence[Pointer]
    beads: Mapping[str, str]
    state: str
    facts: int
    created: tuple[str, ...] = ()
    former: Mapping[str, str] = field(default_factory=dict)
    chore: tuple[str, ...] = ()


def remarks(swept: Swept, decisions: Sequence[Decision], plan: Plan) -> tuple[Remark, ...]:
    """The sections of the report that are no decisions."""
    changing = [each for each in decisions if each.stands]
    sections = (
        (_BACK, tuple(_way_back(swept, plan.store))),
        (
            "Commands that adopting runs, in this order",
            tuple(commands(changing, {one.memory.path for one in swept.store})),
        ),
        ("What are these? Say it, or leave them as they are", tuple(_unknown(swept, changing))),
        ("For a skill, not for the store", tuple(_procedural(swept))),
        ("Knowledge beads", tuple(_knowledge(swept))),
        ("Cooled: does it belong into a bead?", tuple(_cooled(swept))),
        ("To be removed, and never moved", tuple(_flagged(swept))),
        ("Every memory accounted for", tuple(_accounts(swept, decisions))),
        ("A bead for this chore, if you want one", tuple(_chore(swept, changing, plan))),
    )
    return tuple(Remark(title, lines) for title, lines in sections if lines)


def state_before(remarks: Iterable[Remark]) -> str:
    """Where bd's own history was before a sweep, as its report says it; empty where that was not told."""
    lines = (line for remark in remarks if remark.title == _BACK for line in remark.lines)
    return next((found[1] for text in lines if (found := _STATE.search(text))), "")


def _way_back(swept: Swept, at: Resolution) -> Iterator[str]:
    yield f"{code(at.said('memgit undo'))} after adopting writes every value back as it was."
    at_first = f"was at {code(mask(swept.state).text)}" if swept.state else "was not told"
    yield f"Before this sweep bd's own history {at_first}."


def commands(decisions: Sequence[Decision], store: Collection[str]) -> Iterator[str]:
    """Each command with its reason, in the order in which an installation runs them: new memories, changed ones, and
    only then what is forgotten. ``store`` are the paths that there are."""
    writes = [(path, data, one) for one in decisions for path, data in one.writes.items()]
    for path, data, decision in sorted(writes, key=lambda each: (each[0] in store, each[0])):
        first = " ".join(mask(data.decode("utf-8", "replace")).text.split())
        text = first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…"
        yield _reasoned(f"bd remember --key={_key(path)} -- {shlex.quote(text)}", decision)
    for path, decision in sorted(((path, one) for one in decisions for path in one.removes), key=itemgetter(0)):
        yield _reasoned(f"bd forget -- {_key(path)}", decision)


def _reasoned(command: str, decision: Decision) -> str:
    return f"{code(command)} ({decision.id}: {line(decision.justification)})"


def _key(path: str) -> str:
    return shlex.quote(key_of(path) or path)


def _unknown(swept: Swept, changing: Iterable[Decision]) -> Iterator[str]:
    settled = {name for each in changing for name in each.memories}
    for one in swept.store:
        if one.kind is None and not one.procedural and one.stands and one.memory.id not in settled:
            asked = "Is it a lesson, a root cause, a pattern, a record of what was done …?"
            yield f"{code(one.key)}: {line(one.why)}. {asked}"


def _procedural(swept: Swept) -> Iterator[str]:
    return (f"{code(one.key)}: {line(one.why)}." for one in swept.store if one.procedural and one.stands)


def _knowledge(swept: Swept) -> Iterator[str]:
    yield from (line(each) for each in swept.created)
    for pointer in swept.pointers:
        if pointer.one.memory.id in swept.beads:
            held = swept.beads[pointer.one.memory.id]
            yield f"{code(pointer.one.key)}: {code(held)} holds it."
            if old := swept.former.get(pointer.one.memory.id):
                yield f"{code(f'bd supersede {old} --with {held}')} ({code(old)} is on its document and says otherwise)"
        elif pointer.lacks and not pointer.cooled:
            yield f"{code(pointer.one.key)} stays: {line(pointer.lacks)}."
        elif not pointer.lacks:
            why = f"it has cooled: {line(pointer.cooled)}; " if pointer.cooled else ""
            how = f"{why}run by you, or by `memgit sweep --run-bd-create` once its header is adopted"
            yield f"{code(pointer.command)} ({how})"
            if old := swept.former.get(pointer.one.memory.id):
                yield f"{code(f'bd supersede {old} --with ID')} (ID is the new bead's; {code(old)} is on its document)"


def _cooled(swept: Swept) -> Iterator[str]:
    """What may move into a bead and does not, because too little says so: by what is missing."""
    missing: defaultdict[str, list[str]] = defaultdict(list)
    for pointer in swept.pointers:
        if pointer.cooled and pointer.lacks and pointer.one.memory.id not in swept.beads:
            missing[pointer.lacks].append(pointer.one.key)
    for lacks, keys in missing.items():
        yield f"{_named(keys)}: {line(lacks)}."
    if low := [one.key for one in swept.store if is_low(one)]:
        asked = "with `@salience=1` and its document named it is proposed for a bead"
        yield f"{_named(low)}: of salience 2, which no session is told; {asked}."


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
    return f"{', '.join(map(code, keys[:_MOST_NAMED]))}{more}"


def _flagged(swept: Swept) -> Iterator[str]:
    for one in swept.store:
        kinds = Counter(each.kind for each in (*secrets(one.memory.body), *personal(one.memory.body)))
        if kinds:
            yield f"{code(one.key)}: {', '.join(kinds)}."


def _accounts(swept: Swept, decisions: Sequence[Decision]) -> Iterator[str]:
    told = {name: each for each in decisions for name in each.memories if each.stands}
    asked = {name for each in decisions for name in each.memories if each.standing is Standing.HELD}
    gathered, extracted = counted(len(swept.store), "memory"), counted(swept.facts, "candidate")
    yield f"{gathered} gathered; {extracted} extracted from sessions."
    for one in swept.store:
        kind = str(one.kind) if one.kind else "procedural" if one.procedural else "unknown"
        decision = told.get(one.memory.id)
        became = f"{decision.claim or decision.kind} ({decision.id})" if decision else _left(one)
        became += ", with a question above" if not decision and one.memory.id in asked else ""
        yield f"{code(one.key)} — {kind}: {line(became)}"
    added = sum(each.kind is Kind.ADD and each.stands for each in decisions)
    held = sum(each.standing is Standing.HELD for each in decisions)
    refused = sum(not each.changes for each in decisions)
    yield f"Facts added: {added}; questions: {held}; proposals refused, each with its reason above: {refused}."


def _left(one: Filed) -> str:
    return "left as it is" if one.stands else "superseded already, left as it is"


def _chore(swept: Swept, changing: Iterable[Decision], plan: Plan) -> Iterator[str]:
    yield from map(line, swept.chore)
    created = f"printf %s {shlex.quote(knowledge.body(plan.id))} | bd create {shlex.join(knowledge.arguments(plan.id))}"
    yield f"{code(created)} (run by you, or by `memgit sweep --run-bd-create` once the sweep is adopted)"
    closed = f"bd close ID --reason={shlex.quote(knowledge.reason(changing, swept.state))}"
    yield f"{code(closed)} (ID is what that printed)"
