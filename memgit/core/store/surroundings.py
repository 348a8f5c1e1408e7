"""What lies around a store: which one the agents of a project use and why, further ones, and how long the transcripts
that memories cite are still there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memgit.evidence.findings import printable, printable_name
from memgit.memory.half_done import named
from memgit.model.finding import Area, Finding
from memgit.model.store import Memory
from memgit.model.times import days_before
from memgit.text.layout import counted

SOON, AT_ONCE = timedelta(days=7), timedelta(days=3)
"""How long before the agent deletes a cited transcript, and any, it is told."""

_SESSION = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class OtherStore:
    """A further store of the project: its path, why it could be taken for the one in use, and the file of the project
    that sends agents there (empty where none does)."""

    path: str
    why: str
    named_by: str = ""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A memory that speaks of another project: the folder of that one, and whether its session ran there (else its
    text names the folder)."""

    memory: str
    folder: str
    by_session: bool

    def __str__(self) -> str:
        how = "its session ran in" if self.by_session else "it names"
        return f"{printable_name(self.memory)} ({how} {printable(self.folder)})"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``used`` is the store that the agents' client reads and writes by itself, found by ``rule``; ``off`` says what
    keeps it from using any. ``days`` is how long it keeps transcripts, ``chosen`` whether the user said so, and
    ``written`` when those that memories cite were last written, ``oldest`` when the oldest of the project was.
    ``misplaced`` are memories of another project.
    ``readers`` says who reads this store where that is not the project's main agent. ``refusal`` is what git says where
    it does not read the project's repository, ``unfinished`` what the store's work tree is in the middle of."""

    store: str
    used: str
    rule: str
    off: str = ""
    others: tuple[OtherStore, ...] = ()
    days: int = 30
    chosen: bool = False
    written: Mapping[str, datetime] = field(default_factory=dict)
    misplaced: tuple[Misplaced, ...] = ()
    readers: str = ""
    oldest: datetime | None = None
    refusal: str = ""
    unfinished: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """Which store agents of the project read and write, and why, in a sentence."""
        if self.readers:
            return self.readers
        if self.off:
            return f"Agents of this project read and write no store by themselves: it is switched off ({self.off})."
        which = "this store" if self.store == self.used else printable(self.used)
        return f"Agents of this project read and write {which}, found by {self.rule}."

    @property
    def unread(self) -> str:
        """That no agent reads this store by itself, in a sentence; empty where one does."""
        return "" if self.readers or not (self.off or self.store != self.used) else self.usage

    @property
    def keeping(self) -> str:
        """How long transcripts are kept, in a sentence."""
        whose = "your settings" if self.chosen else "its default"
        return f"The agent deletes transcripts after {self.days} days ({whose})."


def retained(around: Surroundings, memories: Iterable[Memory], now: datetime) -> Iterator[str]:
    """How long transcripts stay, when the oldest goes where that is soon, and which memories have lost theirs."""
    yield around.keeping
    due = around.oldest + timedelta(days=around.days) if around.oldest else None
    if due and due <= now + AT_ONCE:
        left = max(0, (due - now).days)
        when = f"within {counted(left + 1, 'day')}" if due > now else "when the agent next starts"
        yield f"The oldest of this project goes {when} (last written {around.oldest:%Y-%m-%d})."
    gone = [memory for memory in memories if memory.origin_session and memory.origin_session not in around.written]
    if gone:
        each = named(f"{memory.id} ({(memory.origin_session or '')[:8]})" for memory in gone)
        yield f"The sessions that {counted(len(gone), 'memory')} came from are gone: {each}."


def cited(memories: Iterable[Memory]) -> dict[str, list[str]]:
    """The sessions that memories come from or name, each with the ids of those memories."""
    found: dict[str, list[str]] = {}
    for memory in memories:
        origin = [memory.origin_session] if memory.origin_session else []
        for session in dict.fromkeys([*origin, *_SESSION.findall(memory.body)]):
            found.setdefault(session, []).append(memory.id)
    return found


def surrounding_findings(around: Surroundings, memories: Sequence[Memory], now: datetime) -> Iterator[Finding]:
    """What somebody should know who relies on this store."""
    if around.refusal:
        what = f"Git does not read this repository; the store was found by its files. It says: {around.refusal}"
        yield Finding(Area.PLACE, printable(what), "Mend that in git; what needs the project's history waits for it.")
    for what in around.unfinished:
        yield Finding(
            Area.PLACE, f"The work tree that the store lies in is in the middle of {what}.", "Finish it in git first."
        )
    if around.unread:
        yield Finding(Area.PLACE, around.unread, "" if around.off else "Leave --store away to work on that one.")
    for other in around.others:
        yield _other(other, around)
    if around.misplaced:
        told = ", ".join(str(each) for each in around.misplaced[:5])
        more = f" and {len(around.misplaced) - 5} more" if len(around.misplaced) > 5 else ""
        yield Finding(
            Area.PLACE,
            f"Memories that may belong to another project: {told}{more}.",
            "Where they do, `memgit remember` in that project writes them there; nothing is dropped for it.",
        )
    yield from _ending(around, memories, now)


def _other(other: OtherStore, around: Surroundings) -> Finding:
    what = f"Further memories of this project are in {printable(other.path)} ({other.why})"
    if other.named_by:
        what += f"; the client does not read them by itself, {other.named_by} sends agents there"
    elif not around.off:
        what += ", which agents do not read"
    return Finding(Area.PLACE, f"{what}.", "`memgit status --store` looks at them; memgit never merges two stores.")


def _ending(around: Surroundings, memories: Sequence[Memory], now: datetime) -> Iterator[Finding]:
    due = days_before(now, around.days) + SOON
    ending = {session: ids for session, ids in cited(memories).items() if around.written.get(session, due) < due}
    if ending:
        ids = sorted({memory for each in ending.values() for memory in each})
        one = len(ending) == 1
        yield Finding(
            Area.PLACE,
            f"{around.keeping} Within a week {'that' if one else 'those'} of {len(ending)} "
            f"session{'' if one else 's'} that memories cite {'is' if one else 'are'} due: {named(ids)}.",
            "`memgit curate` reads them while they are there; a higher cleanupPeriodDays in your settings keeps them.",
        )
