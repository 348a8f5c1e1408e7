"""Taking decisions back, bringing them again, and going back to any earlier state."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from memgit.core.passes.history import Timeline
from memgit.errors import StoreChanged, UsageError, WrongState
from memgit.evidence.findings import printable, printable_name
from memgit.flows.adopt import take_hand_edits
from memgit.flows.desk import Change, Desk, Done, HeaderChange, carry_out, own_paths, said_of, same_store, store_at
from memgit.flows.observe import record_live
from memgit.flows.recovery import at_work
from memgit.memory.fingerprint import fingerprint
from memgit.memory.memory import memories, no_memories
from memgit.memory.merge import merge3
from memgit.memory.rebuild import rebuild
from memgit.model.history import Operation, OpKind, PassHeader, PassState, Paths
from memgit.model.store import INDEX, StoreContent
from memgit.model.times import time_of_text


def undo(desk: Desk, op: str | None = None) -> Done:
    """Take back the last decision that stands, or the named one, the live store included.

    What was changed in the store since is kept. Raises WrongState if there is nothing to take back,
    StoreChanged if a later change is in the way; it names the files.
    """
    with at_work(desk, "undo") as notes:
        live = _look(desk)
        target, before = to_undo(desk, op)
        done = _move(desk, OpKind.UNDO, target, (target, before), live)
        return replace(done, undo_hint=said_of(desk, "memgit redo"), notes=(*notes, *done.notes))


def to_undo(desk: Desk, op: str | None) -> tuple[Operation, Operation | None]:
    """The decision that an undo takes back, and what stood before it. Raises WrongState if there is none."""
    target = Timeline.of(_log(desk)).to_undo(desk.vault.operation(op) if op else None)
    _refuse_under_adoption(desk, target)
    return target, _preceding(desk, target)


def redo(desk: Desk) -> Done:
    """Bring back the decision that was taken back last. Raises as ``undo`` does."""
    with at_work(desk, "redo") as notes:
        live = _look(desk)
        target = Timeline.of(_log(desk)).to_redo()
        done = _move(desk, OpKind.REDO, target, (_preceding(desk, target), target), live)
        return replace(done, undo_hint=said_of(desk, "memgit undo"), notes=(*notes, *done.notes))


def _refuse_under_adoption(desk: Desk, target: Operation) -> None:
    """What narrowed a candidate stands as long as the candidate is the live store."""
    if target.kind is not OpKind.APPROVE or target.pass_id is None:
        return
    if desk.vault.pass_header(target.pass_id).state is PassState.ADOPTED:
        raise WrongState(
            f"Pass {target.pass_id} is adopted as {target.id} left it.",
            "Take the adoption back first: `memgit undo` takes back the last decision.",
        )


def _look(desk: Desk) -> StoreContent:
    """The live store, recorded: whatever happens next, it can be brought back."""
    live = desk.store.read()
    record_live(desk, live)
    return live


def _log(desk: Desk) -> list[Operation]:
    return list(desk.vault.operations())[::-1]


def _preceding(desk: Desk, operation: Operation) -> Operation | None:
    return desk.vault.operation(f"op{operation.number - 1}") if operation.number > 1 else None


Step = tuple[Operation | None, Operation | None]
"""From the state after one operation to the state after another."""


def _move(desk: Desk, kind: OpKind, target: Operation, step: Step, live: StoreContent) -> Done:
    """Take the live store and the passes from one state to another, keeping what changed beside that."""
    headers = tuple(_headers(desk, target, step))
    content = moved_store(desk, step, live)
    head, goal = desk.vault.head(), step[1]
    exactly = goal is not None and content.files == store_at(desk, goal, like=content).files
    change = Change(
        kind=kind,
        subject=f"{kind} {target.id} ({target.subject})"[:72],
        after=head.number if head else 0,
        pass_id=target.pass_id,
        target=target.id,
        commit=goal.store if goal and exactly else None,
        headers=headers,
        removes=tuple(_leaving(desk, headers)),
        lays_out=tuple(each.pass_id for each in headers if each.state is PassState.READY),
    )
    did = "Took back" if kind is OpKind.UNDO else "Brought back"
    return replace(carry_out(desk, change, live, content), did=f"{did} {target.id}: {target.subject}.")


def moved_store(desk: Desk, step: Step, live: StoreContent) -> StoreContent:
    base, goal = (store_at(desk, operation, like=live) for operation in step)
    if fingerprint(base) == fingerprint(goal):
        return live
    if fingerprint(live) == fingerprint(base):
        return replace(goal, foreign=live.foreign, special=live.special)
    merged = merge3(base, live, goal)
    if merged.conflicts:
        named = ", ".join(printable_name(conflict.path) for conflict in merged.conflicts)
        earlier = step[1].id if step[1] else "the beginning"
        raise StoreChanged(
            f"These were changed again since, and would be lost: {named}. Nothing has been changed.",
            f"Bring back single files, or all, with `memgit restore --at {earlier} [FILE…]`; that can be undone too.",
        )
    return merged.content


def _headers(desk: Desk, target: Operation, step: Step) -> Iterator[HeaderChange]:
    """For each pass that the operation touched: where it stood at the goal."""
    source, goal = step
    if source is None or goal is None:
        return
    before = {header.id: header for header in desk.vault.passes(source)}
    for header in desk.vault.passes(goal):
        if before.get(header.id) != header:
            state = _state(target, header, undone=source == target)
            yield HeaderChange(header.id, state, goal.id, _free_again(desk, header, state))


def _state(target: Operation, header: PassHeader, *, undone: bool) -> PassState:
    """A pass whose adoption was taken back says so; it can be adopted again."""
    return PassState.UNDONE if undone and target.kind is OpKind.ADOPT else header.state


def _free_again(desk: Desk, header: PassHeader, state: PassState) -> Paths | None:
    """Other names for a candidate that is laid out again, if something has taken its own."""
    now = desk.vault.pass_header(header.id)
    if state is not PassState.READY or any(own_paths(desk, now)):
        return now.paths
    taken = (header.paths.candidate, header.paths.report)
    return desk.free_paths() if any(map(os.path.lexists, taken)) else None


def _leaving(desk: Desk, headers: Sequence[HeaderChange]) -> Iterator[str]:
    """The folders of passes as they stand now: they go, and come back for those that wait again."""
    for change in headers:
        yield from own_paths(desk, take_hand_edits(desk, desk.vault.pass_header(change.pass_id)))


# --- restoring ---


def restore(desk: Desk, at: str, files: Sequence[str] = ()) -> Done:
    """Bring the live store, or some of its files, back to what they were.

    ``at`` is an operation (``op12``), a pass (the store that it read), or an ISO 8601 time (without
    a zone: UTC). A file is named by its path in the store or by its memory id.
    """
    with at_work(desk, f"restore --at {at}") as notes:
        live = _look(desk)
        commit, goal, said = moment(desk, at)
        content, what = restored(desk, live, goal, files, at)
        if same_store(content, live):
            return Done(f"The store is already as it was {said}.", "", notes=notes)
        head = desk.vault.head()
        change = Change(
            kind=OpKind.RESTORE,
            subject=f"restore {what} as {said}"[:72],
            after=head.number if head else 0,
            commit=None if files else commit,
            details={"at": at},
        )
        done = carry_out(desk, change, live, content)
        return replace(done, did=f"Restored {what} as {said}.", notes=(*notes, *done.notes))


_SEE_OPERATIONS = "`memgit log --ops` lists everything since."
_PASS_ID = re.compile(r"\d{4}-\d\d-\d\d\.\d+")


def moment(desk: Desk, at: str) -> tuple[str | None, StoreContent, str]:
    """The store commit, the store and a phrase for an operation, a pass or a time."""
    if at.startswith("op") and at[2:].isdigit():
        operation = desk.vault.operation(at)
        if operation.store is None:
            raise WrongState(f"{operation.id} is from before the store was first seen.", _SEE_OPERATIONS)
        return operation.store, store_at(desk, operation), f"after {operation.id}"
    time = _time(at)
    if time is None:
        header = _pass(desk, at)
        if header.snapshot is None:
            raise WrongState(
                f"Pass {header.id} has read no store.", "Name an operation: `memgit log --ops` lists them."
            )
        return header.snapshot, desk.vault.content(header.snapshot), f"when pass {header.id} read it"
    operation = _at_time(desk, time, at)
    return operation.store, store_at(desk, operation), f"at {at} ({operation.id})"


def _pass(desk: Desk, at: str) -> PassHeader:
    """A pass that ``at`` begins the id of; every id begins with a digit."""
    if not at[:1].isdigit():
        message = f"{printable(at)!r} is no operation, pass or time."
        raise WrongState(
            message, "Name one like op5, 2026-11-29.3 or 2026-11-29T12:00:00Z; `memgit log --ops` lists them."
        )
    return desk.vault.pass_header(at)


def _time(text: str) -> datetime | None:
    """An ISO 8601 time, if it is one."""
    if _PASS_ID.fullmatch(text):
        return None  # would pass for a date and an hour
    return time_of_text(text)


def _at_time(desk: Desk, time: datetime, at: str) -> Operation:
    for operation in desk.vault.operations():
        if operation.time <= time and operation.store is not None:
            return operation
    raise WrongState(f"The store was first seen after {at}.", _SEE_OPERATIONS)


def _path_of(desk: Desk, name: str, goal: StoreContent, at: str) -> str:
    path = os.path.relpath(os.path.realpath(name), desk.live) if Path(name).is_absolute() else name
    path = PurePosixPath(path.replace(os.sep, "/")).as_posix()
    for known in (path, f"{path}.md"):
        if known in goal.files:
            return known
    raise UsageError(
        f"{printable_name(name)} was not in the store at {at}.", "`memgit log --ops` lists the moments there are."
    )


def restored(
    desk: Desk, live: StoreContent, goal: StoreContent, names: Sequence[str], at: str
) -> tuple[StoreContent, str]:
    """The live store as it was, or some files of it, the index in step; and what that is in words."""
    if not names:
        return replace(goal, foreign=live.foreign, special=live.special), "the store"
    paths = [_path_of(desk, name, goal, at) for name in names]
    return _with_files(live, goal, paths), ", ".join(map(printable_name, paths))


def _with_files(live: StoreContent, goal: StoreContent, paths: Sequence[str]) -> StoreContent:
    """The live store with some files as they were, and the index in step with them."""
    files = {**live.files, **{path: goal.files[path] for path in paths}}
    content = replace(live, files=dict(sorted(files.items())), exists=True)
    if INDEX in paths or live.index is None or not live.indexed:
        return content
    data = rebuild(live.index, memories(live), memories(content), others=no_memories(content), roots=live.roots)
    index = live.index if data == live.index.data else live.index.holding(data)
    return replace(content, files={**content.files, INDEX: index})
