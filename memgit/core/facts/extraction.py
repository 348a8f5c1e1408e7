"""Facts of one session into a store: update in place, confirm with a date, or add; nothing else is touched.

This is the agent's own way to write, for what it witnessed itself, so it needs no quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from memgit.core.facts.fact_rules import refusals
from memgit.core.facts.subject import about, neighbours
from memgit.core.summaries.form import is_summaries
from memgit.core.text.details import lost
from memgit.memory.index_edit import grown, with_line
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT, limits
from memgit.memory.links import Names
from memgit.memory.memory import dialect_of, memories, new_path, read_memory, render_changed, render_new, slug
from memgit.model.decision import Draft
from memgit.model.fact import Act, Extracted, Fact, Placed, Refusal, Refused
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile
from memgit.model.times import time_of_seconds

_FILE_MODE = 0o100600


def extract(facts: Iterable[Fact], content: StoreContent, now: datetime) -> Extracted:
    """Write what may be written, one fact after the other, and say of the rest what is to be changed.

    A fact that is handed in again changes nothing. Facts of one list may link to each other.
    """
    facts, now, result = tuple(facts), now.astimezone(UTC), Extracted(content)
    siblings = frozenset(slug(fact.name) for fact in facts if not refusals(fact, _any, now.date()))
    for fact in facts:
        step = _Step(fact, result.content, now, siblings)
        outcome = step.refused() or step.placed()
        if isinstance(outcome, Refused):
            result = replace(result, refused=(*result.refused, outcome))
        else:
            result = replace(result, content=outcome[0], placed=(*result.placed, outcome[1]))
    return result


def _any(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Step:
    """One fact and the store that it meets. ``siblings`` are slugs of facts that are written along with it."""

    fact: Fact
    content: StoreContent
    now: datetime
    siblings: frozenset[str]

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def time_ns(self) -> int:
        """The time that what is written now bears: by it a fact that comes again the same day is known."""
        return int(self.now.timestamp()) * 1_000_000_000

    @property
    def store(self) -> tuple[Memory, ...]:
        return memories(self.content)

    def refused(self) -> Refused | None:
        names = Names(self.store)
        found = refusals(
            self.fact, lambda target: names.resolve(target) is not None or slug(target) in self.siblings, self.today
        )
        if self.fact.memory and about(self.fact, self.store) is None:
            message = f"There is no memory {self.fact.memory[:60]!r}: leave the field away to add one."
            found = (*found, Refusal("no-such-memory", "memory", message))
        return Refused(self.fact, found) if found else None

    def placed(self) -> tuple[StoreContent, Placed] | Refused:
        if is_summaries(self.content):
            message = "Summaries in a database are made from events by their own tool; memgit adds none."
            return Refused(self.fact, (Refusal("not-for-this-store", "memory", message),))
        memory = about(self.fact, self.store)
        if memory is None:
            return self._new()
        if _says(memory, self.fact):
            return self._reconfirmed(memory)
        return self._updated(memory)

    def _new(self) -> tuple[StoreContent, Placed] | Refused:
        fact, dialect = self.fact, dialect_of(self.store, indexed=self.content.indexed)
        draft = Draft(fact.name, fact.description, fact.type, fact.body)
        path = new_path(draft, dialect, self.content.files.keys())
        content = self._with(StoreFile(path, render_new(draft, dialect), self._mode(), self.time_ns))
        near = [memory.id for memory in neighbours(fact, self.store)[:3]]
        notes = (f"It overlaps with {', '.join(near)}; hand it in with that id to update it instead.",) if near else ()
        return self._indexed(content, path, Placed(fact, Act.NEW, path.removesuffix(".md"), notes))

    def _updated(self, memory: Memory) -> tuple[StoreContent, Placed] | Refused:
        fact = self.fact
        gone = lost([memory.text], f"{fact.description}\n{fact.body}")
        if gone and "loses-details" not in fact.override:
            named = ", ".join(detail.text for detail in gone[:5])
            message = f"{memory.id} also says {named}: keep it in the new text, or override loses-details."
            return Refused(fact, (Refusal("loses-details", "body", message),))
        draft = Draft(memory.name, fact.description, memory.type, fact.body, memory.id)
        kept = self.content.files[memory.path]
        content = self._with(kept.holding(render_changed(memory, draft), self.time_ns))
        notes = (f"It keeps its type {memory.type}.",) if memory.type not in ("", fact.type) else ()
        placed = Placed(fact, Act.UPDATED, memory.id, notes)
        if fact.line == memory.description and not fact.hook:
            return content, placed  # its line in the index says so already, in words of its own perhaps
        return self._indexed(content, memory.path, placed)

    def _reconfirmed(self, memory: Memory) -> tuple[StoreContent, Placed]:
        """The same fact again: a dated line, once a day, and none on the day on which it was written."""
        stamp = f"Reconfirmed {self.today.isoformat()}."
        if stamp in memory.body or _written(memory) == self.today:
            return self.content, Placed(self.fact, Act.UNCHANGED, memory.id)
        body = f"{_RECONFIRMED.sub('', memory.body)}\n\n{stamp}"
        draft = Draft(memory.name, memory.description, memory.type, body, memory.id)
        kept = self.content.files[memory.path]
        content = self._with(kept.holding(render_changed(memory, draft), self.time_ns))
        return content, Placed(self.fact, Act.RECONFIRMED, memory.id)

    def _indexed(self, content: StoreContent, path: str, placed: Placed) -> tuple[StoreContent, Placed] | Refused:
        if not content.indexed:
            return grown(self.content, content), placed
        memory = read_memory(content.files[path])
        data = with_line(content.index, memories(content), memory, self.fact.line)
        before, after = limits(content.index_text), limits(data)
        if after.over and (after.lines > before.lines or after.units > before.units):
            return Refused(self.fact, (self._full(after.lines),))
        index = content.index or StoreFile(INDEX, b"", self._mode())
        time_ns = self.time_ns if data != index.data else index.mtime_ns
        return _put(content, index.holding(data, time_ns)), placed

    def _full(self, lines: int) -> Refusal:
        near = neighbours(self.fact, self.store)
        oldest = sorted(self.store, key=lambda memory: (memory.mtime_ns, memory.id))
        names = ", ".join(memory.id for memory in [*near, *(each for each in oldest if each not in near)][:3])
        what = "It overlaps most with, or was longest not written to:" if near else "Longest not written to:"
        message = (
            f"The index would have {lines} lines, or over {UNIT_LIMIT:,} units; {LINE_LIMIT} are loaded. "
            f"{what} {names}. Update one of those with its id, or let `memgit curate` merge first."
        )
        return Refusal("index-full", "name", message)

    def _mode(self) -> int:
        """What the store's own memories have."""
        return next((self.content.files[memory.path].mode for memory in self.store), _FILE_MODE)

    def _with(self, file: StoreFile) -> StoreContent:
        return _put(self.content, file)


_RECONFIRMED = re.compile(r"\n+Reconfirmed \d{4}-\d\d-\d\d\.\s*\Z")


def _says(memory: Memory, fact: Fact) -> bool:
    """Whether a memory holds a fact in the same words, white space and dated confirmations aside."""
    body = _RECONFIRMED.sub("", memory.body)
    return (memory.description.split(), body.split()) == (fact.description.split(), fact.body.split())


def _written(memory: Memory) -> date:
    moment = memory.modified or time_of_seconds(memory.mtime_ns / 1e9)
    return moment.astimezone(UTC).date() if moment else date.min


def _put(content: StoreContent, file: StoreFile) -> StoreContent:
    files = {**content.files, file.path: file}
    return replace(content, files=dict(sorted(files.items())), exists=True)
