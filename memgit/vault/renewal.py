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

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit import files
from memgit.errors import Damaged
from memgit.evidence.redaction import Redaction
from memgit.faults import point
from memgit.vault import engine, layout, packing
from memgit.vault.head import FILES, HEAD
from memgit.vault.layout import EXPORT, LEFT, explained
from memgit.vault.objects import Objects
from memgit.vault.refs import BRANCHES, KEEPS, LOG, STRAYS, all_refs
from memgit.vault.rewrite import Names, Remembering, Rewriting

_KEPT = (LOG, "refs/heads/", BRANCHES, KEEPS, STRAYS)
_LEFT_BEHIND = frozenset({"lock", LEFT, HEAD, FILES, EXPORT})
"""Files and folders of memgit's own in the vault that every operation, or whoever needs them, makes anew."""


@dataclass(frozen=True)
class Renewal:
    """Replaces the vault in ``folder``. Every method is for the holder of the vault's lock only."""

    folder: Path

    @property
    def new(self) -> Path:
        """Where the new vault is built, and where an exchange leaves the old one."""
        return layout.renewed_folder(self.folder)

    @property
    def replaced(self) -> Path:
        """Where the first of two renames leaves the old vault."""
        return self.folder.with_name(f".{self.folder.name}.replaced")

    # --- building and proving ---

    def build(self, redaction: Redaction) -> Names:
        """Build the new vault beside the old one, cleaned; returns the new names in it.

        Raises `Damaged` when something of the history cannot be read, and `MemgitError` when the new one cannot be
        written.
        """
        files.remove_tree(self.new)
        layout.prepare(self.new)
        layout.lay_out(self.new)
        refs = {name: target for name, target in all_refs(self.folder).items() if target and name.startswith(_KEPT)}
        target = Remembering(self.new)
        rewriting = Rewriting(Remembering(self.folder), target, redaction.clean)
        with explained(self.new, engine.FAILURES):
            pointed = rewriting.refs(refs)
            point("history written anew")
            files.sync_file_system(self.new)
            engine.set_refs(self.new, pointed)
            point("refs of the new history set")
            packing.pack(self.new, target)
            _carry_private_files(self.folder / "memgit", self.new / "memgit", redaction, rewriting.names)
            point("private files carried over")
        return rewriting.names

    def hits(self, redaction: Redaction) -> tuple[str, ...]:
        """Where the new vault still holds a secret: objects (unpacked) by name, files by path. Reads everything."""
        objects = Objects(self.new)
        names = sorted({*objects.loose(), *objects.packed()})
        inside = [f"object {oid}" for oid in names if redaction.touches(objects.read_any(oid)[1])]
        return (*inside, *files_with(self.new, redaction))

    def copies(self, redaction: Redaction) -> tuple[Path, ...]:
        """Copies of the vault beside it (a damaged state that was kept, one set aside) that hold a secret or may."""
        beside = (path for path in self.folder.parent.glob(f".{self.folder.name}.*") if path.is_dir())
        others = (self.new, self.replaced)
        return tuple(sorted(path for path in beside if path not in others and _may_hold(path, redaction)))

    # --- the swap ---

    def declare_proven(self, left: Mapping[str, Any]) -> None:
        """Write down, in the new vault, that it is proven, and what is left to do after the swap."""
        with explained(self.new):
            files.sync_file_system(self.new)
            files.write_atomic(self.new / "memgit" / LEFT, json.dumps(left, indent=1).encode("ascii"))
            point("the new vault is declared proven")

    def swap(self) -> None:
        """Put the proven new vault in the place of the old one. For the holder of both locks."""
        with explained(self.folder):
            try:
                files.exchange(self.new, self.folder)
            except files.Unsupported:
                files.rename(self.folder, self.replaced)
                point("the old vault moved away")
                layout.bridge(self.folder)
            point("vaults swapped")
            files.fsync_dir(self.folder.parent)

    # --- afterwards ---

    def left(self) -> Mapping[str, Any] | None:
        """What is left to do after a swap; None where nothing is. Raises `Damaged` when that cannot be read."""
        path = self.folder / "memgit" / LEFT
        try:
            facts = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            facts = None
        if not isinstance(facts, dict):
            raise Damaged(f"{path}, which says how to end a redaction, cannot be read", "Run `memgit redact` again")
        return facts

    def has_other(self) -> bool:
        """Whether another vault lies beside this one: unfinished, or already replaced."""
        return files.is_left(self.new) or files.is_left(self.replaced)

    def remove_other(self) -> None:
        """Remove what a swap, done or given up, has left beside the vault."""
        for other in (self.new, self.replaced):
            if files.is_left(other):
                files.remove_tree(other)
                point("the other vault removed")

    def settle(self) -> None:
        """Say that nothing is left to do."""
        files.remove_file(self.folder / "memgit" / LEFT)
        files.fsync_dir(self.folder / "memgit")


def _may_hold(folder: Path, redaction: Redaction) -> bool:
    """Whether a copy of a vault holds a secret, or something that cannot be read."""
    objects = Objects(folder)
    try:
        inside = {*objects.loose(), *objects.packed()}
        found = any(redaction.touches(objects.read_any(oid)[1]) for oid in inside)
    except (Damaged, *engine.FAILURES):
        return True
    return found or any(files_with(folder, redaction))


def files_with(folder: Path, redaction: Redaction) -> Iterator[str]:
    """The files below a folder whose name or content holds a secret, by path (cleaned)."""
    for path in below(folder):
        name = os.fsencode(path.relative_to(folder))
        if redaction.touches(name) or redaction.touches(content_of(path)):
            yield redaction.clean_text(os.fsdecode(name))


def below(folder: Path) -> Iterator[Path]:
    """Everything in a folder, parents before what is in them; links are not followed."""
    for parent, folders, names in os.walk(folder):
        for name in sorted((*folders, *names)):
            yield Path(parent, name)


def content_of(path: Path) -> bytes:
    """The bytes of a file, the target of a link; nothing for what is neither."""
    if path.is_symlink():
        return os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else b""


def _carry_private_files(source: Path, target: Path, redaction: Redaction, names: Names) -> None:
    """memgit's own files in the vault, cleaned. Those at the top may name commits; below are folders of passes."""
    for path in below(source):
        place = path.relative_to(source)
        if place.parts[0] in _LEFT_BEHIND:
            continue
        data = content_of(path)
        at_top = len(place.parts) == 1
        _copy(path, target / redaction.clean_text(str(place)), redaction.clean(names.follow(data) if at_top else data))


def _copy(path: Path, target: Path, data: bytes) -> None:
    facts = path.lstat()
    if path.is_symlink():
        target.symlink_to(os.fsdecode(data))
    elif path.is_dir():
        files.ensure_private_folder(target)
    elif path.is_file():
        files.write_atomic(target, data, stat.S_IMODE(facts.st_mode))
        os.utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))
