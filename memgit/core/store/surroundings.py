"""What lies around a store: which one the agents of a project use and why, further ones, and how long the transcripts
that memories cite are still there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memgit.core.screening.findings import printable, printable_name
from memgit.core.store.finding_names import named
from memgit.model.finding import Area, Finding
from memgit.model.store import Memory

SOON = timedelta(days=7)
"""How long before the agent deletes a cited transcript it is told."""

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
    ``written`` when those that memories cite were last written. ``misplaced`` are memories of another project.
    ``readers`` says who reads this store where that is not the project's main agent."""

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
    due = now + SOON - timedelta(days=around.days)
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
