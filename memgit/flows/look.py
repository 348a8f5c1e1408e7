"""What a person asks to see of a pass, of one decision, of one memory, or of the store: reading only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.claims.verify import verify
from memgit.core.passes.cadence import Use, asked_since, caught_twice, hints, of_this_week
from memgit.core.passes.message import report_of
from memgit.core.report.compose import entry
from memgit.core.report.outline import in_order
from memgit.errors import UsageError, WrongState
from memgit.evidence.findings import mask, printable
from memgit.flows.candidate import decisions_of
from memgit.flows.desk import Desk, said_of
from memgit.flows.status import Status, status
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import Earlier, half_done_findings
from memgit.memory.index_lines import limits
from memgit.memory.memory import memories
from memgit.memory.memory import status as status_of
from memgit.memory.shapes import loaded, shape_named
from memgit.memory.stores import Surroundings, retained, surrounding_findings
from memgit.model.decision import Decision
from memgit.model.history import PassHeader, PassState
from memgit.model.store import ABSENT, Resolution, StoreContent, StoreStatus
from memgit.model.times import time_of_seconds
from memgit.model.verification import Finding, MemoryCheck
from memgit.rulings.standing import standing as holding
from memgit.text.diff import FileDiff, diff

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier
    from memgit.flows.dossiers import Papers
    from memgit.ports import StoreReader, WorkingTree


# --- views ---
# What a person asks to see of a pass or a store: reading only.


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
    earlier: Earlier,
    now: datetime,
) -> Standing:
    """Look at the live store and, where there is one, at its vault. ``files_gone`` counts the files of the project that
    were moved or deleted since a moment, ``earlier`` gives the former texts of one of the store."""
    content = store.read()
    index = limits(content.index_text)
    passes = desk.vault.passes() if desk else ()
    use = Use(
        index_lines=index.lines,
        memories=len(memories(content)),
        newest_write=_newest_write(content),
        passes=passes,
        files_gone=files_gone(asked_since(passes, now)),
        corrected=caught_twice(
            holding(decisions_of(desk.vault, header.id), header.kind) for header in of_this_week(passes, now)
        )
        if desk
        else (),
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
        around_findings=(*surrounding_findings(around, memories(content), now), *half_done_findings(content, earlier)),
        retained=tuple(retained(around, memories(content), now)),
        hints=tuple(hints(use, now)),
    )


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
    header, before, after = both_states(desk, pass_id)
    return Difference(header, diff(before, after))


def both_states(desk: Desk, pass_id: str | None) -> tuple[PassHeader, StoreContent, StoreContent]:
    header = find(desk, pass_id)
    if header.candidate is None:
        raise WrongState(f"Pass {header.id} has no candidate yet.", "`memgit decide` builds it.")
    before = desk.vault.content(header.snapshot) if header.snapshot else ABSENT
    return header, before, desk.vault.content(header.candidate, like=before)


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
    return both_states(desk, pass_id)[2]


def content_at(reader: StoreReader, path: Path) -> StoreContent:
    """What a folder of memories holds. Raises UsageError where there is none."""
    content = reader.read()
    if not content.exists:
        raise UsageError(f"There is no folder {path}.", "Name a folder of memories.")
    return content


# --- show ---
# What a person asks to see of a pass, of one decision, or of one memory. Reading only.

DECISION = re.compile(r"[Mm]\d+")
"""How a decision is named."""


@dataclass(frozen=True)
class SeenMemory:
    """One memory: its ``text`` as it is now, masked (None where the store has it no more), and the ``decisions`` of the
    pass that waits which are about it. ``history`` is the command that tells its story."""

    memory: str
    text: str | None
    pass_id: str
    decisions: tuple[Decision, ...]
    history: str


@dataclass(frozen=True)
class SeenDecision:
    """One decision: its dossier, all decisions of its pass, and the part of the report that is about it. ``said`` gives
    a command as it is typed for this store."""

    header: PassHeader
    dossier: Dossier
    decisions: tuple[Decision, ...]
    text: str
    said: Callable[[str], str]


def drawn(
    desk: Desk, pass_id: str | None, tree: Callable[[], WorkingTree]
) -> tuple[Report, Papers, tuple[Dossier, ...]]:
    """A pass with the dossiers of its decisions, questions first. Raises WrongState for one without its records."""
    from memgit.flows.dossiers import dossiers, papers  # here: a pass has no use for them

    found = report(desk, pass_id)
    kept = papers(desk, found.header)
    return found, kept, dossiers(kept, in_order(kept.outcome.decisions), cache(tree))


def decision_seen(desk: Desk, name: str, pass_id: str | None, tree: Callable[[], WorkingTree]) -> SeenDecision:
    """One decision of a pass, of the newest if none is named. Raises WrongState where there is none of that name."""
    from memgit.flows.dossiers import dossier_of, papers  # here: a pass has no use for them

    kept = papers(desk, _with_decisions(desk, pass_id))
    decisions = kept.outcome.decisions
    decision = next((each for each in decisions if each.id == name.upper()), None)
    if decision is None:
        ids = [each.id for each in decisions]
        there = f"It has {ids[0]} to {ids[-1]}." if ids else "It has no decisions."
        raise WrongState(f"Pass {kept.header.id} has no decision {name}.", there)
    text = "\n\n".join(entry(decision, kept.outcome))
    return SeenDecision(kept.header, dossier_of(kept, decision, tree), decisions, text, partial(said_of, desk))


def _with_decisions(desk: Desk, pass_id: str | None) -> PassHeader:
    """The pass that is named; else the newest that has been decided, one that waits before all others."""
    if pass_id is not None:
        return desk.vault.pass_header(pass_id)
    decided = [each for each in desk.vault.passes() if each.state is not PassState.PLANNED]
    waiting = [each for each in decided if each.state.waits]
    return next(iter(waiting or decided), None) or find(desk, None)


def memory_seen(store: StoreReader, desk: Desk | None, name: str) -> SeenMemory | None:
    """One memory by its id or file; None where nothing has that name."""
    from memgit.flows.dossiers import papers  # here: a pass has no use for them

    content = store.read()
    memory = name.removesuffix(".md")
    file = content.files.get(f"{memory}.md")
    header = next((each for each in desk.vault.passes() if each.state is PassState.READY), None) if desk else None
    about: tuple[Decision, ...] = ()
    if desk and header:
        decisions = papers(desk, header).outcome.decisions
        about = tuple(each for each in in_order(decisions) if memory in (*each.memories, *each.results))
    if file is None and not about:
        return None
    text = printable(mask(file.data.decode("utf-8", "replace")).text) if file else None
    history = store.resolution.said(f"memgit history {memory}")
    return SeenMemory(memory, text, header.id if header else "", about, history)
