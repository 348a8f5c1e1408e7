"""A vault replaced by another one made from it, wholly or not at all.

The new vault is built in a folder beside the old one and proven there. What is left to do once it is in place lies
in it as a file, written last: a folder beside the vault *with* that file is a proven new vault, one without it was
never finished. The swap is one exchange of the two folders, or two renames where the system has none.

::

    <vault>                       the vault
    .<vault>.renewed              before the swap: the new vault; after an exchange: the old one
    .<vault>.replaced             after the first of two renames: the old one
    <vault>/memgit/renewal.json   what is left to do after the swap
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memgit import files
from memgit.core.redaction import Redaction
from memgit.errors import Damaged
from memgit.faults import point
from memgit.vault import durable, engine, layout, packing
from memgit.vault.gitobjects import object_id
from memgit.vault.objects import Objects
from memgit.vault.refs import BRANCHES, KEEPS, LOG, STRAYS, all_refs
from memgit.vault.rewrite import Names, Rewriting

REST = "renewal.json"
_KEPT = (LOG, "refs/heads/", BRANCHES, KEEPS, STRAYS)
_LOCK = "lock"


def renewed_folder(folder: Path) -> Path:
    """Where the new vault is built, and where an exchange leaves the old one."""
    return folder.with_name(f".{folder.name}.renewed")


def replaced_folder(folder: Path) -> Path:
    """Where the first of two renames leaves the old vault."""
    return folder.with_name(f".{folder.name}.replaced")


# --- building and proving ---


def build(folder: Path, redaction: Redaction) -> Names:
    """Build the new vault beside the old one; returns the new names in it. Only under the vault's lock."""
    new = renewed_folder(folder)
    files.remove_tree(new)
    layout.prepare(new)
    layout.lay_out(new)
    refs = {name: target for name, target in all_refs(folder).items() if target and name.startswith(_KEPT)}
    source, target = Objects(folder), Objects(new)
    rewriting = Rewriting(source, target, redaction.clean)
    with durable.explained(new, engine.FAILURES):
        pointed = rewriting.refs(refs)
        point("history written anew")
        durable.sync_filesystem(new)
        engine.set_refs(new, pointed)
        point("refs of the new history set")
        packing.pack(new, target)
        _carry_private_files(folder, new, redaction, rewriting.names)
        point("private files carried over")
    return rewriting.names


def hits(folder: Path, redaction: Redaction) -> tuple[str, ...]:
    """Where a vault's folder still holds a secret: objects (unpacked) by name, files by path. Reads everything."""
    objects = Objects(folder)
    inside = [f"object {oid}" for oid in _all_objects(objects) if redaction.touches(objects.read_any(oid)[1])]
    return (*inside, *files_with(folder, redaction))


def files_with(folder: Path, redaction: Redaction) -> Iterator[str]:
    """The files below a folder whose name or content holds a secret, by path (cleaned)."""
    for path in _below(folder):
        name = os.fsencode(path.relative_to(folder))
        if redaction.touches(name) or redaction.touches(content_of(path)):
            yield redaction.clean_text(os.fsdecode(name))


def content_of(path: Path) -> bytes:
    """The bytes of a file, the target of a link; nothing for what is neither."""
    if path.is_symlink():
        return os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else b""


def unmarked(folder: Path, other: Path) -> bool:
    """Whether two vaults hold the same refs and objects: nothing had to be written anew."""
    return all_refs(folder) == all_refs(other)


def _all_objects(objects: Objects) -> set[str]:
    return {*objects.loose(), *objects.packed()}


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        for name in (*folders, *names):
            yield Path(parent, name)


def _carry_private_files(folder: Path, new: Path, redaction: Redaction, names: Names) -> None:
    """memgit's own files in the vault, cleaned. Those at the top may name commits; below are folders of passes."""
    source = folder / "memgit"
    for path in _below(source):
        place = path.relative_to(source)
        if place.parts[0] in (_LOCK, REST):
            continue
        target = new / "memgit" / redaction.clean_text(str(place))
        data = content_of(path)
        follow = names.follow if len(place.parts) == 1 else bytes
        _copy(path, target, redaction.clean(follow(data)))


def _copy(path: Path, target: Path, data: bytes) -> None:
    facts = path.lstat()
    if path.is_symlink():
        target.symlink_to(os.fsdecode(data))
        return
    if path.is_dir():
        durable.make_folder(target)
    elif path.is_file():
        files.write_atomic(target, data, stat.S_IMODE(facts.st_mode))
        os.utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))


# --- the swap ---


def leave(folder: Path, rest: Mapping[str, Any]) -> None:
    """Declare the new vault beside an old one proven, with what is left to do after the swap."""
    new = renewed_folder(folder)
    with durable.explained(new):
        durable.sync_filesystem(new)
        files.write_atomic(new / "memgit" / REST, json.dumps(rest, indent=1).encode("ascii"))
        point("the new vault is declared proven")


def swap(folder: Path, exchange: Callable[[Path, Path], None] = files.exchange) -> None:
    """Put the proven new vault in the place of the old one. Only under the locks of both."""
    new = renewed_folder(folder)
    with durable.explained(folder):
        try:
            exchange(new, folder)
        except files.Unsupported:
            files.rename(folder, replaced_folder(folder))
            point("the old vault moved away")
            bridge(folder)
        point("vaults swapped")
        files.fsync_dir(folder.parent)


def bridge(folder: Path) -> None:
    """Do the second of two renames where only the first was done."""
    new = renewed_folder(folder)
    if not os.path.lexists(folder) and _is_proven(new):
        with contextlib.suppress(FileNotFoundError, FileExistsError):  # another process was faster
            files.rename_noreplace(new, folder)


def rest(folder: Path) -> Mapping[str, Any] | None:
    """What is left to do after a swap; None where nothing is. Raises `Damaged` for a file that cannot be read."""
    path = folder / "memgit" / REST
    try:
        facts = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as cause:
        raise _unreadable(path) from cause
    if not isinstance(facts, dict):
        raise _unreadable(path)
    return facts


def remove_other(folder: Path) -> bool:
    """Remove what a swap, done or given up, has left beside the vault. Only under its lock."""
    others = [path for path in (renewed_folder(folder), replaced_folder(folder)) if path.is_dir()]
    for other in others:
        files.remove_tree(other)
        point("the other vault removed")
    return bool(others)


def settle(folder: Path) -> None:
    """Say that nothing is left to do."""
    files.remove_file(folder / "memgit" / REST)
    files.fsync_dir(folder / "memgit")


def _is_proven(folder: Path) -> bool:
    return (folder / "memgit" / REST).is_file()


def _unreadable(path: Path) -> Damaged:
    return Damaged(
        f"{path}, which says what is left to do after a redaction, cannot be read", "Run `memgit redact` again"
    )


def digest(data: bytes) -> str:
    """A name for a file's content, to see later whether it is still the same."""
    return object_id("blob", data)
