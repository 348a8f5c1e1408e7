"""Removing a leaked secret from everything that memgit has written: looked for, shown by place, taken out for good.

The order is what makes it safe. A new history is built and proven beside the old one, what is to be done to files
outside the vault is prepared in it, then the two vaults change places, and only then the old one goes and those files
follow. Cut short before the swap, nothing has happened; after it, recovery does the rest, which needs no secret.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit import files
from memgit.errors import Damaged, MemgitError, UsageError, WrongState
from memgit.evidence.findings import printable
from memgit.evidence.redaction import Redaction, of_kind, redaction
from memgit.evidence.secret_search import KINDS
from memgit.flows.desk import Desk, newest
from memgit.flows.observe import observe
from memgit.flows.recovery import STAGED, Waiting, at_work, finish, state_of
from memgit.memory.fingerprint import fingerprint
from memgit.memory.index_edit import is_behind_link, leads_to, mend
from memgit.memory.shapes import shape_named
from memgit.model.store import INDEX, StoreContent

if TYPE_CHECKING:
    from memgit.ports.vault import Names

GIVEN = "as handed in"
"""The kind of a secret that the screening does not know."""
_WITNESS = "witness"


@dataclass(frozen=True)
class Given:
    """The secret itself, as it was handed in."""

    text: str


@dataclass(frozen=True)
class OfKind:
    """Whatever the screening finds of one kind, anywhere."""

    kind: str


@dataclass(frozen=True)
class InMemory:
    """Whatever the screening finds in a memory, or in one line of it; where it is clean now, in its newest version
    that was not."""

    memory: str
    line: int | None = None


Wanted = Given | OfKind | InMemory


def wanted(memory: str | None, kind: str | None, text: bytes | None) -> Wanted:
    """What a command line asks for. Raises UsageError unless it is exactly one thing."""
    if sum(given is not None for given in (memory, kind, text)) != 1:
        raise UsageError(
            "One secret at a time: a memory, --kind or --match.", "Its text itself never goes on the command line."
        )
    if text is not None:
        return Given(text.decode("utf-8", "surrogateescape"))
    if kind is not None:
        return OfKind(kind)
    name, _, line = (memory or "").rpartition(":")
    return InMemory(name, int(line)) if name and line.isdecimal() else InMemory(memory or "")


@dataclass(frozen=True)
class Reach:
    """What lies outside vault and store and may hold a secret: ``files`` are cleaned, ``caches`` deleted."""

    files: tuple[Path, ...] = ()
    caches: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Place:
    """Where a secret stands, never its text. ``form`` says how it is written, ``times`` how often."""

    what: str
    where: str
    form: str
    times: int


@dataclass(frozen=True)
class Redacted:
    """What was found, by place and kind, and whether it is gone (``done``). ``remotes`` are copies out of reach."""

    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    done: bool = False
    remotes: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def redact(desk: Desk, wanted: Wanted, reach: Reach, *, really: bool = False) -> Redacted:
    """Find a secret everywhere and, if ``really``, replace it by a mask everywhere. That cannot be undone.

    Raises UsageError for a text that cannot be redacted, WrongState where nothing is found, and MemgitError or
    Damaged when the new history cannot be built or proven; then nothing has changed.
    """
    if not really:
        kinds, secret = _secret(desk, wanted, desk.store.read())
        return Redacted(
            kinds, _found(desk, secret, reach, desk.store.read()), remotes=_remotes(desk), notes=_beyond(desk)
        )
    with at_work(desk, "redact") as notes:
        live = desk.store.read()
        kinds, secret = _secret(desk, wanted, live)
        places = _found(desk, secret, reach, live)
        if any(place.what == _LIVE for place in places):
            desk.installer.refuse_unwritable(desk.live)
            _refuse_behind_link(desk, secret, live)
        remotes = _remotes(desk)
        observe(desk.vault, live, fingerprint(live))
        said = _replace_vault(desk, secret, _own_files(desk, reach), reach, kinds)
        return Redacted(kinds, places, True, remotes, (*notes, *said, *_beyond(desk)))


def _refuse_behind_link(desk: Desk, secret: Redaction, live: StoreContent) -> None:
    """What stands behind the link of an index is not memgit's to clean, so nothing is begun before it is clean."""
    if is_behind_link(live) and live.index and secret.forms(live.index.data):
        raise WrongState(
            f"{INDEX} is a link to {leads_to(live)}, and the secret stands there, where memgit does not write.",
            f"Take it out there, or put the text itself in the link's place ({mend(str(desk.live))}), then try again.",
        )


def _beyond(desk: Desk) -> tuple[str, ...]:
    """What the store's own tool keeps of former texts, in a sentence."""
    keeps = shape_named(desk.store.resolution.shape).keeps
    return (f"Out of memgit's reach: {keeps}.",) if keeps else ()


# --- which secret ---


def _secret(desk: Desk, wanted: Wanted, live: StoreContent) -> tuple[tuple[str, ...], Redaction]:
    """The kinds of what is wanted, and the means to take it out."""
    match wanted:
        case Given(text):
            kinds = {kind for kind, _ in of_kind(text, None)} or {GIVEN}
            return tuple(sorted(kinds)), redaction([text])
        case OfKind(kind):
            found = set(_of_kind(desk, kind, live))
        case InMemory(memory, line):
            found = set(_in_memory(desk, memory, line, live))
    if not found:
        kinds_known = f" Kinds: {', '.join(sorted(KINDS))}." if isinstance(wanted, OfKind) else ""
        raise WrongState("No such secret is found.", f"Hand in its text: --match FILE, or - for stdin.{kinds_known}")
    return tuple(sorted({kind for kind, _ in found})), redaction(text for _, text in found)


def _of_kind(desk: Desk, kind: str, live: StoreContent) -> Iterator[tuple[str, str]]:
    held = (text.data for text in desk.vault.texts())
    for data in (*(file.data for file in live.files.values()), *held):
        yield from of_kind(data.decode("utf-8", "surrogateescape"), kind)


def _in_memory(desk: Desk, memory: str, line: int | None, live: StoreContent) -> Iterable[tuple[str, str]]:
    path = memory if memory in live.files or memory.endswith(".md") else f"{memory}.md"
    now = live.files[path].data if path in live.files else None
    for data in (now, *(data for _, _, data in desk.vault.history(path))):
        found = list(of_kind((data or b"").decode("utf-8", "surrogateescape"), None, line))
        if found:
            return found
    return ()


# --- where it stands ---

_LIVE = "live store"
_WHAT = {
    "file": "store and candidate history",
    "record": "operation log and pass records",
    "message": "commit messages (reports)",
    "name": "file names in the history",
}


def _found(desk: Desk, secret: Redaction, reach: Reach, live: StoreContent) -> tuple[Place, ...]:
    """Every place that holds the secret. Raises WrongState when none does."""
    count: Counter[tuple[str, str, str]] = Counter()
    for what, where, data in _everything(desk, reach, live):
        for form, times in secret.forms(data).items():
            count[what, printable(secret.clean_text(where)), form] += times
    for copy in desk.vault.renewal.copies(secret):
        count["copies of the vault, which go whole", str(copy), "plain"] += 1
    if not count:
        raise WrongState("The secret is in nothing that memgit has written.", "Nothing needs to be done.")
    return tuple(Place(*key, times) for key, times in sorted(count.items()))


def _everything(desk: Desk, reach: Reach, live: StoreContent) -> Iterator[tuple[str, str, bytes]]:
    for path, file in live.files.items():
        yield _LIVE, path, os.fsencode(path) + b"\n" + file.data
    for text in desk.vault.texts():
        yield _WHAT[text.held], text.where, text.data
    for top in (*_own_files(desk, reach), *reach.caches, desk.vault.private):
        for inner in _below(top):
            yield "files on disk", str(inner), os.fsencode(inner.name) + b"\n" + _content(inner)


def _own_files(desk: Desk, reach: Reach) -> tuple[Path, ...]:
    """The folders and files that memgit has put outside the vault, as far as they exist."""
    live, vault = desk.live, desk.vault.folder
    named = (Path(name) for each in desk.vault.passes() for name in _paths_of(each.paths))
    beside = (path for path in live.parent.iterdir() if _is_ours(path.name, live.name)) if live.parent.is_dir() else ()
    found = {path for path in (*named, *beside, *reach.files) if os.path.lexists(path)}
    return tuple(sorted(path for path in found if not path.is_relative_to(vault) and path != live))


def _paths_of(paths: Any) -> tuple[str, str, str]:
    return paths.candidate, paths.report, paths.digests


def _is_ours(name: str, store: str) -> bool:
    return name.startswith(tuple(f"{store}-{ours}" for ours in ("candidate", "superseded", "late")))


def _below(path: Path) -> Iterator[Path]:
    """A file itself, or everything in a folder; links are not followed."""
    if path.is_symlink() or not path.is_dir():
        yield path
        return
    for parent, folders, names in os.walk(path):
        yield from (Path(parent, name) for name in sorted((*folders, *names)))


def _content(path: Path) -> bytes:
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
        return path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise MemgitError(f"{path} cannot be read ({error.strerror}), and the secret may be in it.") from None


def _remotes(desk: Desk) -> tuple[tuple[str, str], ...]:
    return tuple((name, remote.url) for name, remote in desk.vault.remotes.all().items() if remote.pushed)


# --- taking it out ---


def _replace_vault(
    desk: Desk, secret: Redaction, outside: tuple[Path, ...], reach: Reach, kinds: tuple[str, ...]
) -> tuple[str, ...]:
    """Build, prove and swap in a vault without the secret, and do what is left; returns sentences for people."""
    renewal = desk.vault.renewal
    names = renewal.build(secret)
    new = desk.vault.beside()
    with new.lock("redact"):
        staged = list(_stage(outside, secret, names, new.private / STAGED))
        _prove(desk, secret)
        left = {
            "schema": "memgit.renewal/1",
            "kinds": list(kinds),
            "after": newest(desk),
            "files": [asdict(each) for each in staged],
            "copies": [str(path) for path in renewal.copies(secret)],
            "caches": [str(path) for path in reach.caches],
            "live": fingerprint(desk.store.read()),
        }
        renewal.declare_proven(left)
        head = new.head()
        assert head is not None
        desk.vault.expect(head.commit)
        renewal.swap()
        desk.vault.forget()
        return finish(desk)


def _prove(desk: Desk, secret: Redaction) -> None:
    """Raise unless the new vault is whole and nothing in it holds the secret in any form."""
    hits = desk.vault.renewal.hits(secret)
    if hits:
        raise MemgitError(
            f"The new history would still hold the secret in {len(hits)} places ({hits[0]}); nothing was changed.",
            "Please report this: every place should have been cleaned.",
        )
    wrong = [problem for problem in desk.vault.beside().problems(full=True) if problem.part != _WITNESS]
    if wrong:
        raise Damaged(
            f"The new history is not whole ({wrong[0].what}); nothing was changed.",
            "Run `memgit check --full` and repair the vault first.",
        )


def _stage(outside: Iterable[Path], secret: Redaction, names: Names, folder: Path) -> Iterator[Waiting]:
    """Lay cleaned copies of files from outside ready in the new vault. Only reports call commits by name."""
    for top in outside:
        follow = names.follow if top.suffix == ".md" else bytes
        for path in _below(top):
            if path.is_symlink() or path.is_file():
                data = _content(path)
                clean = secret.clean(follow(data))
                target = top / secret.clean_text(str(path.relative_to(top)))
                if (clean, target) != (data, path):
                    yield _wait(folder, path, target, top, clean)


def _wait(folder: Path, path: Path, target: Path, top: Path, clean: bytes) -> Waiting:
    if not folder.is_dir():
        files.make_private_folder(folder)
    name = str(sum(1 for _ in folder.iterdir()))
    mode = stat.S_IMODE(path.lstat().st_mode)
    files.write_atomic(folder / name, clean, mode)
    return Waiting(str(path), str(target), str(top), name, state_of(path), path.is_symlink())
