"""Many loose objects become few packs. Nothing is ever pruned: what is removed was read back from a pack before."""

from __future__ import annotations

from pathlib import Path

from memgit import files
from memgit.faults import point
from memgit.vault import engine, packs
from memgit.vault.lock import clear_litter
from memgit.vault.objects import Objects

LOOSE_BOUND = 2_000
"""Loose objects, by an estimate, from which on a writing command packs them."""
PACK_BOUND = 20
"""Packs from which on they are packed into one."""

_AGE = 3600.0  # seconds after which nobody is still writing a temporary file


def pack_if_due(git_dir: Path, objects: Objects) -> bool:
    """Pack when there are many loose objects. Only under the vault's lock."""
    sixteenth = sum(1 for _ in objects.loose(range(0, 256, 16)))
    if sixteenth * 16 < LOOSE_BOUND:
        return False
    clear_litter(git_dir, older_than=_AGE)
    pack(git_dir, objects)
    return True


def pack(git_dir: Path, objects: Objects) -> int:
    """Put all sound loose objects into a pack and remove them; returns how many. Only under the vault's lock.

    Damaged loose objects stay where they are, for `integrity` to report.
    """
    objects.forget_packs()
    old_packs = _packs(git_dir)
    crowded = len(old_packs) >= PACK_BOUND
    packed = set(objects.packed())
    sound = [oid for oid in objects.loose() if objects.is_sound(oid)]
    wanted = [*sound, *packed] if crowded else [oid for oid in sound if oid not in packed]
    if wanted:
        engine.write_pack(git_dir, wanted)
        files.fsync_dir(git_dir / "objects" / "pack")
        point("pack written")
    objects.forget_packs()
    removed = [oid for oid in sound if objects.is_packed(oid)]
    for oid in removed:
        objects.loose_path(oid).unlink()
        point("packed object unlinked")
    if crowded:
        _drop(git_dir, old_packs, packed)
    objects.forget_packs()
    return len(removed)


def _drop(git_dir: Path, old_packs: set[Path], packed: set[str]) -> None:
    """Remove the old packs if all they hold is in the new one, which is whole."""
    new = _packs(git_dir) - old_packs
    held = {oid for path in new if packs.fault(path) is None for oid in packs.names(path)}
    if not packed <= held:
        return
    (git_dir / "objects" / "pack" / "multi-pack-index").unlink(missing_ok=True)
    for old in old_packs:
        for part in (old, *old.parent.glob(f"{old.stem}.*")):  # an index without its pack is not looked at
            part.unlink(missing_ok=True)
            point("old pack unlinked")


def _packs(git_dir: Path) -> set[Path]:
    return {index.with_suffix(".pack") for index in (git_dir / "objects" / "pack").glob("*.idx")}
