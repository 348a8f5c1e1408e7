"""What a person asks about a store's history: reading only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memgit import files
from memgit.claims.verify import verify
from memgit.core.passes.cadence import Use, asked_since, caught_twice, hints, of_this_week
from memgit.core.passes.history import Event, Life, State, Turn, lives
from memgit.core.passes.message import report_of
from memgit.core.report.compose import entry
from memgit.core.report.outline import Chronicle, Stand, in_order
from memgit.errors import MemgitError, UsageError, WrongState
from memgit.evidence.findings import mask, printable, printable_name
from memgit.flows.candidate import decisions_of
from memgit.flows.desk import Desk, Done, said_of, store_at
from memgit.flows.observe import record_live
from memgit.flows.recovery import at_work, is_waiting
from memgit.memory.apply import Changes, changes
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import Earlier, half_done_findings
from memgit.memory.index_lines import extent, limits
from memgit.memory.memory import is_memory, memories, read_memory
from memgit.memory.memory import status as status_of
from memgit.memory.shapes import loaded, shape_named
from memgit.memory.stores import Surroundings, retained, surrounding_findings
from memgit.model.decision import Decision
from memgit.model.passes import Operation, OpKind, PassHeader, PassState
from memgit.model.store import ABSENT, INDEX, Resolution, StoreContent, StoreFile, StoreStatus
from memgit.model.times import time_of_seconds
from memgit.model.verification import Finding, MemoryCheck
from memgit.rulings.standing import standing as holding
from memgit.text.diff import FileDiff, diff

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier
    from memgit.flows.dossiers import Papers
    from memgit.ports import StoreReader, WorkingTree
    from memgit.ports.vault import Kept, VaultReader


@dataclass(frozen=True)
class Status:
    """How things stand.

    ``changed`` is what nobody has recorded yet, ``external`` are recorded changes that memgit did
    not make and nobody has acknowledged, newest first; ``waiting`` are passes without a decision.
    ``unfinished`` says what was cut short and waits for recovery.
    """

    path: str
    fingerprint: str
    head: Operation | None
    changed: Changes
    external: tuple[Operation, ...]
    waiting: tuple[PassHeader, ...]
    unfinished: str | None


def status(desk: Desk) -> Status:
    """Compare the live store with the vault's head. Nothing is written."""
    live, head = desk.store.read(), desk.vault.head()
    return Status(
        path=desk.store.resolution.path,
        fingerprint=fingerprint(live),
        head=head,
        changed=changes(store_at(desk, head, like=live), live),
        external=unacknowledged(desk),
        waiting=tuple(header for header in desk.vault.passes() if header.state.waits),
        unfinished=unfinished(desk),
    )


def waiting(desk: Desk) -> PassHeader:
    """The pass that waits, where just one does. Raises WrongState where it has to be named."""
    found = [header for header in desk.vault.passes() if header.state.waits]
    if len(found) == 1:
        return found[0]
    if not found:
        raise WrongState("No pass waits for you.", "`memgit curate` runs one; `memgit log` lists those there were.")
    raise WrongState(
        f"{len(found)} passes wait for you: {', '.join(each.id for each in found)}.", "Name the one that you mean."
    )


def decision_on(desk: Desk, name: str) -> str:
    """What names an operation, or, where it begins as the id of a pass does, the last decision on that pass."""
    if "-" not in name:
        return name
    header = desk.vault.pass_header(name)
    found = (each for each in desk.vault.operations() if each.pass_id == header.id and each.kind.is_decision)
    operation = next(found, None)
    if operation is None:
        raise WrongState(f"Nothing has been decided on pass {header.id} yet.", "`memgit log --ops` lists everything.")
    return operation.id


def unfinished(desk: Desk) -> str | None:
    """What an earlier command began and did not end, in a phrase; None if nothing."""
    entry = desk.installer.journal.read()
    if entry is not None:
        return str(entry.get("intent", {}).get("subject", "an operation"))
    return "a redaction" if is_waiting(desk) else None


def unacknowledged(desk: Desk) -> tuple[Operation, ...]:
    """The recorded changes that memgit did not make and nobody has acknowledged, newest first."""
    since = takewhile(lambda each: each.kind is not OpKind.ACKNOWLEDGE, desk.vault.operations())
    return tuple(each for each in since if each.needs_acknowledgement)


def acknowledge(desk: Desk) -> Done:
    """Say that the external changes so far are known and fine, and so is a vault that was put back.

    The live store is recorded first, as by every writing verb: what is said to be fine can be brought back.
    """
    with at_work(desk, "ack") as notes:
        live = desk.store.read()
        record_live(desk, live)
        seen, put_back = unacknowledged(desk), desk.vault.was_put_back()
        if not seen and not put_back:
            return Done("There is no external change to acknowledge.", "", notes=notes)
        subject = f"acknowledge {len(seen)} external change{'s' if len(seen) > 1 else ''}"
        if put_back:
            subject = "acknowledge that the vault was put back to an older state"
        with desk.vault.transaction(OpKind.ACKNOWLEDGE, subject) as transaction:
            pass
        known = ", ".join([*(["the vault is an older one"] if put_back else []), *(each.id for each in seen)])
        return Done(f"Acknowledged: {known}.", "", transaction.operation, notes=notes)


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
    header, before, after = _compared(desk, pass_id)
    return Difference(header, diff(before, after))


def _compared(desk: Desk, pass_id: str | None) -> tuple[PassHeader, StoreContent, StoreContent]:
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
    return _compared(desk, pass_id)[2]


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


# --- chronicle ---
# What happened to a store over all its operations, for a page: reading only, and bounded however long that is.

LATEST = 200
"""Changes of the store that are told of, the newest; before them stands the first that was recorded."""


def chronicle(vault: VaultReader) -> Chronicle:
    """The sizes of the live store and the stories of its memories. Raises Damaged for what cannot be read."""
    changes = tuple(store_changes(vault))
    told = changes if len(changes) <= LATEST else (changes[0], *changes[-LATEST:])
    listings = [(operation, vault.listing(operation.store or "")) for operation in told]
    states = [State(operation, dict(_texts(files))) for operation, files in listings]
    return Chronicle(
        tuple(_stands(vault, states, [files.get(INDEX) for _, files in listings])),
        vault.passes(),
        lives(states, decided(vault, told)),
        len(changes) - len(told),
    )


def store_changes(vault: VaultReader) -> Iterator[Operation]:
    """The operations after which the live store was another, oldest first."""
    before = None
    for operation in reversed(tuple(vault.operations())):
        if operation.store and operation.store != before:
            yield operation
        before = operation.store or before


def _texts(files: Mapping[str, Kept]) -> Iterator[tuple[str, str]]:
    for path, kept in files.items():
        if is_memory(StoreFile(path, b"", kept.mode)):
            yield path.removesuffix(".md"), kept.oid


def _stands(vault: VaultReader, states: Iterable[State], indexes: Iterable[Kept | None]) -> Iterator[Stand]:
    measured: dict[str, tuple[int, int]] = {}
    for state, index in zip(states, indexes, strict=True):
        blob = index.oid if index else ""
        if blob not in measured:
            measured[blob] = extent(vault.bytes_of(blob) if blob else b"")
        yield Stand(state.operation, len(state.texts), *measured[blob])


def decided(vault: VaultReader, told: Iterable[Operation]) -> dict[str, tuple[Decision, ...]]:
    """What the passes that operations speak of settled, by pass id."""
    passes = dict.fromkeys(operation.pass_id for operation in told if operation.pass_id)
    return {name: decisions_of(vault, name) for name in passes}


# --- history ---
# One memory's life over all operations of the vault: reading only.


def history(vault: VaultReader, named: str) -> Life:
    """The story of a memory, named by its id or its file. Raises WrongState naming those whose names are near."""
    memory = named.removesuffix(".md")
    states = tuple(_states(vault, memory, store_changes(vault)))
    for life in lives(states, decided(vault, (state.operation for state in states))):
        texts = {state.operation.number: state.texts.get(memory, "") for state in states}
        return replace(life, events=tuple(_with_origin(vault, event, memory, texts) for event in life.events))
    near = get_close_matches(memory, ever(vault), n=3, cutoff=0.5)
    hint = f"Did you mean {', '.join(map(printable_name, near))}?" if near else "`memgit show` names memories."
    raise WrongState(f"No memory {printable_name(memory)} was ever recorded.", hint)


def _with_origin(vault: VaultReader, event: Event, memory: str, texts: Mapping[int, str]) -> Event:
    """The same with the session that the memory itself names, when it came into the store."""
    blob = texts[event.operation.number]
    if event.turn not in (Turn.FOUND, Turn.CREATED) or not blob:
        return event
    file = StoreFile(f"{memory}.md", vault.bytes_of(blob))
    return replace(event, origin=read_memory(file).origin_session or "")


def _states(vault: VaultReader, memory: str, changes: Iterable[Operation]) -> Iterator[State]:
    """The first state of the store, and each after which this one memory was another."""
    before: State | None = None
    for operation in changes:
        blob = vault.blob(operation.store or "", f"{memory}.md")
        state = State(operation, {memory: blob} if blob else {})
        if before is None or before.texts != state.texts:
            yield state
        before = state


def ever(vault: VaultReader) -> tuple[str, ...]:
    """The ids of all memories that any state of the store held."""
    found: dict[str, None] = {}
    for operation in store_changes(vault):
        for path, listed in vault.listing(operation.store or "").items():
            if is_memory(StoreFile(path, b"", listed.mode)):
                found[path.removesuffix(".md")] = None
    return tuple(found)


# --- side by side ---
# What a candidate changes, in the user's own difftool: copies of both states, which only he can read.

FOLDER_TOOLS = frozenset({"meld", "kdiff3", "bcompare", "opendiff", "diff", "git", "dirdiff", "kompare", "smerge"})
"""Programs that compare two folders; any other gets two files at a time."""

Start = Callable[[Sequence[str]], int]
"""Runs a program on the user's terminal and returns its exit code."""


@dataclass(frozen=True)
class Compared:
    """How many files were shown, and the tool's last exit code (many tools end with 1 where texts differ)."""

    header: PassHeader
    shown: int
    code: int


def side_by_side(desk: Desk, pass_id: str | None, tool: Sequence[str], start: Start) -> Compared:
    """Show a candidate beside its snapshot. Raises WrongState where there is none, and ToolFailed."""
    header, before, after = _compared(desk, pass_id)
    old, new = ({path: file.data for path, file in content.files.items()} for content in (before, after))
    differing = [path for path in sorted({*old, *new}) if old.get(path) != new.get(path)]
    code = 0
    if differing:
        with _laid_out(before, after) as folders:
            for pair in _pairs(tool, differing, *folders):
                code = start([*tool, *map(str, pair)])
    return Compared(header, len(differing), code)


@contextmanager
def _laid_out(before: StoreContent, after: StoreContent) -> Iterator[tuple[Path, Path]]:
    """Both states as folders of one that is private, and gone afterwards."""
    folder = Path(mkdtemp(prefix="memgit-diff-"))  # made with mode 0700
    try:
        old, new = folder / "before", folder / "after"
        for place, content in ((old, before), (new, after)):
            files.build_tree(place, content)
        yield old, new
    finally:
        files.remove_tree(folder)


def _pairs(tool: Sequence[str], differing: Sequence[str], old: Path, new: Path) -> Iterator[tuple[Path, Path]]:
    """What the tool is called with: both folders, or each pair of files. A file that is not there is an empty one."""
    if Path(tool[0]).name in FOLDER_TOOLS:
        yield old, new
        return
    for path in differing:
        for place in (old / path, new / path):
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                files.write_atomic(place, b"")
        yield old / path, new / path


# --- every ---
# One command in store after store: what goes wrong in one does not stop the others.

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True)
class Did(Generic[T]):
    """What the command came to in the store at a path."""

    store: str
    result: T


@dataclass(frozen=True)
class LeftOut:
    """A store in which nothing was done, and why; ``code`` is the exit code of what went wrong, 0 where it was not
    tried."""

    store: str
    why: str
    code: int = 0


def in_every(stores: Iterable[tuple[str, S] | LeftOut], do: Callable[[S], T]) -> Iterator[Did[T] | LeftOut]:
    """Do it in each store in turn; each outcome comes as soon as it is there."""
    for each in stores:
        if isinstance(each, LeftOut):
            yield each
            continue
        store, site = each
        try:
            yield Did(store, do(site))
        except MemgitError as error:
            yield LeftOut(store, f"{error.message} {error.hint}".strip(), error.code)
