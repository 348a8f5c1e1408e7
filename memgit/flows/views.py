"""What a person asks to see of a pass or a store: reading only."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.claims.verify import verify
from memgit.core.audit.cadence import Use, asked_since, caught_twice, hints, of_this_week
from memgit.core.passes.message import report_of
from memgit.core.passes.records import load_decisions
from memgit.errors import UsageError, WrongState
from memgit.flows.look import Status, status
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import half_done_findings
from memgit.memory.index_lines import limits
from memgit.memory.memory import memories
from memgit.memory.memory import status as status_of
from memgit.memory.shapes import loaded, shape_named
from memgit.memory.stores import Surroundings, retained, surrounding_findings
from memgit.model.decision import Decision
from memgit.model.finding import Finding
from memgit.model.history import PassHeader, PassState
from memgit.model.store import ABSENT, Resolution, StoreContent, StoreStatus
from memgit.model.times import time_of_seconds
from memgit.model.verification import MemoryCheck
from memgit.rulings.standing import standing as holding
from memgit.text.diff import FileDiff, diff

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.ports import StoreReader, WorkingTree


@dataclass(frozen=True)
class Report:
    """A pass to look at: where it stands, its report in Markdown, and its record as ``--json`` prints it: none
    before it is decided."""

    header: PassHeader
    text: str
    record: Mapping[str, Any]


def report(desk: Desk, pass_id: str | None) -> Report:
    """The report of a pass, of the newest one if none is named. Raises WrongState where there is none."""
    header = find(desk, pass_id)
    record = json.loads(desk.vault.record(header.id, "pass.json") or b"{}")
    text = report_of(desk.vault.message(header.candidate)) if header.candidate else ""
    waits = header.state in (PassState.READY, PassState.UNSAFE)
    commands = record.get("commands", {}) if waits else {}
    return Report(header, text, {**record, "state": header.state.value, "commands": commands} if record else {})


@dataclass(frozen=True)
class Standing:
    """How a store stands: where it is, what its index costs, and, once anything is recorded, what has happened to it.

    ``loaded`` says how much of it agents are given at the start of a session. Lines and UTF-16 units of the index are
    counted as the agent's client counts them. ``newest_write`` is when one of its files was last written; a time long
    ago in a project at work means that the agent has stopped writing.
    ``around`` says which store the project's agents use, ``retained`` how long transcripts stay and which are gone,
    ``hints`` which pass is worth a run.
    """

    resolution: Resolution
    status: StoreStatus
    memories: int
    fingerprint: str
    index_lines: int
    index_units: int
    loaded: str
    newest_write: datetime | None
    recorded: Status | None
    around: Surroundings
    around_findings: tuple[Finding, ...] = ()
    retained: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


def standing(
    store: StoreReader,
    desk: Desk | None,
    surroundings: Callable[[StoreContent], Surroundings],
    files_gone: Callable[[datetime], int],
    now: datetime,
) -> Standing:
    """Look at the live store and, where there is one, at its vault. ``files_gone`` counts the files of the project that
    were moved or deleted since a moment."""
    content = store.read()
    index = limits(content.index_text)
    passes = desk.vault.passes() if desk else ()
    use = Use(
        index_lines=index.lines,
        memories=len(memories(content)),
        newest_write=_newest_write(content),
        passes=passes,
        files_gone=files_gone(asked_since(passes, now)),
        corrected=caught_twice(_decisions(desk, header) for header in of_this_week(passes, now)) if desk else (),
    )
    return Standing(
        resolution=store.resolution,
        status=status_of(content),
        memories=use.memories,
        fingerprint=fingerprint(content),
        index_lines=index.lines,
        index_units=index.units,
        loaded=loaded(content, shape_named(store.resolution.shape)),
        newest_write=use.newest_write,
        recorded=status(desk) if desk else None,
        around=(around := surroundings(content)),
        around_findings=(*surrounding_findings(around, memories(content), now), *half_done_findings(content)),
        retained=tuple(retained(around, memories(content), now)),
        hints=tuple(hints(use, now)),
    )


def _decisions(desk: Desk, header: PassHeader) -> tuple[Decision, ...]:
    """What a pass that was adopted has changed."""
    record = desk.vault.record(header.id, "decisions.json")
    return holding(load_decisions(record), header.kind) if record else ()


def _newest_write(content: StoreContent) -> datetime | None:
    newest = max((file.mtime_ns for file in content.files.values()), default=0)
    return time_of_seconds(newest / 1e9) if newest else None


@dataclass(frozen=True)
class Difference:
    """What a candidate changes in the store that its pass read."""

    header: PassHeader
    files: tuple[FileDiff, ...]


def difference(desk: Desk, pass_id: str | None) -> Difference:
    """Compare a candidate with its snapshot. Raises WrongState for a pass that has no candidate yet."""
    header = find(desk, pass_id)
    if header.candidate is None:
        raise WrongState(f"Pass {header.id} has no candidate yet.", "`memgit decide` builds it.")
    before = desk.vault.content(header.snapshot) if header.snapshot else ABSENT
    return Difference(header, diff(before, desk.vault.content(header.candidate)))


def find(desk: Desk, pass_id: str | None) -> PassHeader:
    """A pass by id or prefix, the newest one without. Raises WrongState where there is none."""
    if pass_id is not None:
        return desk.vault.pass_header(pass_id)
    newest = next(iter(desk.vault.passes()), None)
    if newest is None:
        raise WrongState("There is no pass yet.", "`memgit curate` runs one.")
    return newest


def verified(content: StoreContent, tree: WorkingTree) -> Mapping[str, MemoryCheck]:
    """The verdict of the working tree for every memory of a store."""
    kept = memories(content)
    return verify(kept, tree, names={name for each in kept for name in (each.id, each.name)})


def content_of(desk: Desk, pass_id: str) -> StoreContent:
    """What a pass's candidate holds. Raises WrongState for a pass without one."""
    header = find(desk, pass_id)
    if header.candidate is None:
        raise WrongState(f"Pass {header.id} has no candidate yet.", "`memgit decide` builds it.")
    return desk.vault.content(header.candidate)


def content_at(reader: StoreReader, path: Path) -> StoreContent:
    """What a folder of memories holds. Raises UsageError where there is none."""
    content = reader.read()
    if not content.exists:
        raise UsageError(f"There is no folder {path}.", "Name a folder of memories.")
    return content
