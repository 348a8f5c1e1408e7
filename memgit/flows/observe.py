"""Recording the live store as it is: snapshots, changes that memgit did not make, adoptions done by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.agent.hooks.spool import FOLDING, SPOOL, WRITTEN, Write, append, digest, explained, kept, writes
from memgit.evidence.findings import printable
from memgit.files import remove_tree
from memgit.flows.desk import Desk, Done, is_kept, record_late, remove_own, said_of
from memgit.flows.recovery import at_work
from memgit.memory.apply import Changes, changes
from memgit.memory.fingerprint import fingerprint
from memgit.memory.merge import overwritten, with_file
from memgit.memory.shapes import of_the_client
from memgit.model.history import ATTRIBUTED, OVERWRITTEN, STAMP_ONLY, Operation, OpKind, PassHeader, PassState
from memgit.model.store import ABSENT, StoreContent

if TYPE_CHECKING:
    from memgit.ports.vault import Vault

# --- attribution ---
# Who made a change of the store that memgit did not make, where the agent's client told a hook.


def data_of(content: StoreContent, path: str) -> bytes | None:
    """A file's bytes in a store; None where it has no such file."""
    file = content.files.get(path)
    return file.data if file else None


def take(private: Path) -> list[Write]:
    """The recorded writes since the last snapshot, put aside so that later ones begin a new file."""
    with suppress(OSError):
        if not (private / FOLDING).exists():
            (private / SPOOL).rename(private / FOLDING)
    return writes(str(private))


def parted(made: Sequence[Write], content: StoreContent) -> tuple[list[Write], list[Write]]:
    """The writes that a store tells of, and those that came after it was read: behind the last one that it holds.

    A file that holds none of them may as well have been changed by hand, so that nobody waits for one of them twice.
    """
    last = {}
    for number, write in enumerate(made):
        if digest(data_of(content, write["path"])) == write["digest"]:
            last[write["path"]] = number
    seen: list[Write] = []
    left: list[Write] = []
    for number, write in enumerate(made):
        came_later = number > last.get(write["path"], -1) and _LEFT not in write
        (left if came_later else seen).append(write)
    return seen, left


_LEFT = "left"
"""Marks a write that a snapshot has left for the next."""


def clear(private: Path, left: Iterable[Write]) -> None:
    """Remove what has been folded in, and what was kept of it where no write has come since. What is ``left`` waits."""
    with suppress(OSError):
        for write in left:
            append(str(private), {**write, _LEFT: "yes"})
        (private / FOLDING).unlink()
    if not (private / SPOOL).exists():
        remove_tree(private / WRITTEN)


def written_over(private: Path, content: StoreContent, made: Sequence[Write]) -> Iterator[tuple[Write, bytes]]:
    """What a session wrote and another wrote over before anybody recorded it, oldest first."""
    last = {write["path"]: write for write in made}
    for write in made:
        file = content.files.get(write["path"])
        if file is None or digest(file.data) == write["digest"]:
            continue
        if write.get("session") != last[write["path"]].get("session") and (data := kept(str(private), write)):
            yield write, data


def facts_of(write: Write) -> Mapping[str, str]:
    """One write's session and tool as details of its operation."""
    return {name: value for name, value in _facts({write["path"]: write}).items() if value} | {ATTRIBUTED: "yes"}


def attribution(found: Changes, content: StoreContent, made: Iterable[Write]) -> Mapping[str, str]:
    """Sessions and tools of a change as details of its operation; marked where they explain all of it."""
    paths = {*found.added, *found.changed, *found.stamped, *found.removed}
    paths -= of_the_client({*paths, *content.files})
    known = explained(made, {path: data_of(content, path) for path in sorted(paths)})
    whole = bool(found) and len(known) == len(paths)
    facts = {name: value for name, value in _facts(known).items() if value}
    return facts | ({ATTRIBUTED: "yes"} if whole else {})


def _facts(known: Mapping[str, Write]) -> dict[str, str]:
    """Each once, in the order of the files; a worktree for each session, or none."""
    ran_in = {_short(write["session"]): _worktree(write) for write in known.values() if write.get("session")}
    worktrees = ", ".join(ran_in.values()) if all(ran_in.values()) else ""
    tools = {"tool": _named(known, "tool"), "agent": _named(known, "agent_id")}
    return {"session": ", ".join(ran_in), **tools, "worktree": worktrees}


def _ran_in(operation: Operation) -> dict[str, str]:
    """The worktree of each session whose writes an operation recorded."""
    sessions, worktrees = (operation.details.get(name, "").split(", ") for name in ("session", "worktree"))
    return dict(zip(sessions, worktrees, strict=True)) if len(sessions) == len(worktrees) else {}


def _worktree(write: Write) -> str:
    return _short(write.get("worktree", ""))


def overwriting(
    before: StoreContent, after: StoreContent, made: Iterable[Write], operations: Iterable[Operation]
) -> Mapping[str, str]:
    """The detail that two worktrees got into each other's way, where they did."""
    ran_in = {session: worktree for each in operations for session, worktree in _ran_in(each).items()}
    changed = {path: file.data for path, file in after.files.items() if before.files.get(path) != file}
    writes = explained(made, changed).items()
    known = {path: {**write, "worktree": _worktree(write)} for path, write in writes}
    found = list(overwritten(before, after, known, lambda session: ran_in.get(session, "")))
    return {OVERWRITTEN: printable("; ".join(map(str, found)))} if found else {}


def _named(known: Mapping[str, Write], field: str) -> str:
    """The different values of a field, in the order of the files."""
    return ", ".join(dict.fromkeys(_short(write.get(field, "")) for write in known.values() if write.get(field)))


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]


_LONGEST = 300
"""Characters of a session's id or a worktree's path that are kept."""


def snapshot(desk: Desk, who: Mapping[str, str] | None = None) -> Done:
    """Record the live store if it is not as it was last seen. ``who`` are facts on the writer, where known."""
    with at_work(desk, "snapshot") as notes:
        live, before = desk.store.read(), desk.vault.head()
        by_hand = recognise(desk, live)
        if by_hand:
            return replace(by_hand, notes=(*notes, *by_hand.notes))
        observe(desk.vault, live, fingerprint(live), who)
        head = desk.vault.head()
        if head is None or (before and head.number == before.number):
            return Done("Nothing has changed since the store was last seen.", "", head, notes=notes)
        return Done(f"Recorded the store: {head.subject}.", "", head, notes=notes)


def observe(vault: Vault, content: StoreContent, mark: str, who: Mapping[str, str] | None = None) -> str:
    """Record a store with fingerprint ``mark``; returns its commit. What is recorded already is not recorded again."""
    with vault.lock("snapshot"):
        head = vault.head()
        if head is None or head.store is None:
            return _first(vault, content, mark, who)
        if head.fingerprint == mark:
            return head.store
        writes, left = parted(take(vault.private), content)
        before = _with_lost_writes(vault, vault.store_at(head, like=content), content, writes)
        found = changes(before, content)
        stamp = {STAMP_ONLY: "yes"} if found.only_stamped else {}
        over = overwriting(before, content, writes, islice(vault.operations(), RECENT)) if writes else {}
        details = {**stamp, **attribution(found, content, writes), **over, **(who or {})}
        commit = _record(vault, OpKind.EXTERNAL, _subject(found, content), content, mark, details)
        clear(vault.private, left)
        return commit


def _first(vault: Vault, content: StoreContent, mark: str, who: Mapping[str, str] | None) -> str:
    """Record a store for the first time, with what hooks noted of its writers before there was a vault."""
    writes, left = parted(take(vault.private), content)
    noted = attribution(changes(ABSENT, content), content, writes)
    facts = {name: value for name, value in noted.items() if name != ATTRIBUTED}
    commit = _record(vault, OpKind.SNAPSHOT, "first snapshot", content, mark, {**facts, **(who or {})})
    clear(vault.private, left)
    return commit


RECENT = 200
"""Operations in which it is looked up where a session ran."""


def _with_lost_writes(
    vault: Vault, before: StoreContent, content: StoreContent, writes: Sequence[Write]
) -> StoreContent:
    """Record what one session wrote and another wrote over before anybody looked; returns the store as it then was."""
    for write, data in written_over(vault.private, content, writes):
        then = with_file(before, write["path"], data)
        if found := changes(before, then):
            _record(vault, OpKind.EXTERNAL, _subject(found, then), then, fingerprint(then), facts_of(write))
            before = then
    return before


def _record(
    vault: Vault, kind: OpKind, subject: str, content: StoreContent, mark: str, details: Mapping[str, str] | None
) -> str:
    with vault.transaction(kind, subject, details=details) as transaction:
        return transaction.set_store(content, subject, fingerprint=mark)


_SUBJECT_LENGTH = 72


def _subject(found: Changes, content: StoreContent) -> str:
    if not content.exists:
        return "the store is gone"
    sentences = (found.sentence(names) for names in (4, 2, 1))
    fitting = next((sentence for sentence in sentences if len(sentence) <= _SUBJECT_LENGTH), None)
    total = len((*found.added, *found.changed, *found.removed, *found.stamped))
    return fitting or f"{total} files changed"


def record_live(desk: Desk, live: StoreContent) -> None:
    """Record the live store as it is, an adoption by hand included. Under the vault's lock."""
    if recognise(desk, live) is None:
        observe(desk.vault, live, fingerprint(live))


def recognise(desk: Desk, live: StoreContent) -> Done | None:
    """Record an adoption that was done with the printed commands: the live store equals a candidate.

    Under the vault's lock. What the old store held beyond the last snapshot is recorded before, also where a candidate
    was moved away and the live store is another one.
    """
    mark, head = fingerprint(live), desk.vault.head()
    if head is None or head.fingerprint == mark or not live.exists:
        return None
    waiting = [each for each in desk.vault.passes() if _is_moved_away(each)]
    header = next(
        (each for each in waiting if _is_candidate(desk, each, live) or _was_swapped_in(desk, each, live)), None
    )
    if waiting:
        _keep_superseded(desk)
    if header is None or header.candidate is None:
        return None
    subject = f"adopt {header.id}, done by hand"
    content = desk.vault.content(header.candidate, like=live)
    if fingerprint(content) == mark:
        content = live  # the same, with the times that the files have there
    with desk.vault.transaction(OpKind.ADOPT, subject, pass_id=header.id, details={"way": "by hand"}) as transaction:
        transaction.set_store(content, subject, fingerprint=fingerprint(content), merge_parent=header.candidate)
        transaction.put_header(replace(header, state=PassState.ADOPTED))
    observe(desk.vault, live, mark)
    for name in (header.paths.report, header.paths.digests):
        remove_own(Path(name))
    done = transaction.operation
    return Done(f"Recorded that pass {header.id} was adopted by hand.", said_of(desk, f"memgit undo {done.id}"), done)


def _is_moved_away(header: PassHeader) -> bool:
    """Whether a pass that waits has lost its candidate's folder, as the printed commands would have it."""
    waits = header.state in (PassState.READY, PassState.UNSAFE) and header.candidate is not None
    return waits and not Path(header.paths.candidate).exists()


def _is_candidate(desk: Desk, header: PassHeader, live: StoreContent) -> bool:
    return fingerprint(desk.vault.content(str(header.candidate), like=live)) == fingerprint(live)


def _was_swapped_in(desk: Desk, header: PassHeader, live: StoreContent) -> bool:
    """Whether an agent has written into a candidate that was moved in: the store that the pass read lies where the
    printed commands put it, and most of what the candidate changed is as the candidate has it."""
    if header.snapshot is None:
        return False
    before = desk.vault.content(header.snapshot, like=live)
    after = desk.vault.content(str(header.candidate), like=before)
    changed = [path for path in {*before.files, *after.files} if data_of(before, path) != data_of(after, path)]
    as_in_candidate = [path for path in changed if data_of(live, path) == data_of(after, path)]
    aside = any(fingerprint(desk.installer.read(path)) == fingerprint(before) for path in _superseded(desk))
    return aside and 2 * len(as_in_candidate) > len(changed)


def _keep_superseded(desk: Desk) -> None:
    """A store that was moved away by hand may hold what no snapshot has seen."""
    for path in _superseded(desk):
        content = desk.installer.read(path)
        if not is_kept(desk, fingerprint(content)):
            record_late(desk, content)


def _superseded(desk: Desk) -> Iterator[Path]:
    """The folders that stores were put aside in, by memgit or with the printed commands."""
    for folder in sorted({desk.live.parent, desk.installer.journal.path.parent}):
        for path in sorted(folder.glob(f"{_literal(desk.live.name)}-superseded*")):
            if path.is_dir() and not path.is_symlink():
                yield path


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
