"""Damage of every kind to the files of a vault, and whether ``check --full`` tells: ``python -m tests.crash.damage``.

Every case is checked in a process of its own with a limit, because libgit2 never returns from some damaged objects.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from memgit.vault import Vault
from tests.crash.checked import answer
from tests.desks import quick_place
from tests.vault_world import ONE, TWO, WHO, clock, content, create, propose, snapshot

LIMIT = 6.0
"""Seconds after which a check counts as hanging."""
SMALL = 400
"""Bytes of a loose object that is cut at every length."""
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.crash.checked", "memgit.vault.engine", "memgit.process", "tests.desks"])
CLEAN, HANGS, DIED = "called clean", "hangs", "died"


@dataclass(frozen=True)
class Damage:
    """One way to damage a vault: what kind it is, where, and what does it to the vault in a folder."""

    kind: str
    where: str
    inflict: Callable[[Path], None]


def build(root: Path) -> Path:
    """A vault with some history, a part of it in a pack; ``older`` beside it is the same vault a while ago."""
    vault = create(root)
    snapshot(vault, ONE)
    vault.pack()
    propose(vault, TWO)
    shutil.copytree(vault.folder, root / "older")
    snapshot(vault, content(("a.md", b"three\n"), ("long.md", b"a long memory\n" * 400)))
    return vault.folder


# --- the cases ---


def cases(root: Path, folder: Path, chance: random.Random, places: int | None) -> Iterator[Damage]:
    """Every case; of flips, ``places`` in each file (all bytes of it without)."""
    for file in _files(folder):
        yield from _flips(folder, file, chance, places)
        yield from _cuts(folder, file, chance, places)
        yield Damage("removed", str(file), _on(file, lambda path: path.unlink()))
    yield from _swaps(folder, chance, places)
    yield from _edited_refs(folder)
    yield Damage("rolled back", "the whole vault", lambda at: _replace(at, root / "older"))


def _files(folder: Path) -> list[Path]:
    """The files that hold the vault's state: not the lock, and not what readers that start fast have of it."""
    own = {"lock", "head.json", "files.json", "derived"}
    return sorted(
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and not (path.parent.name == "memgit" and path.name in own)
    )


def _flips(folder: Path, file: Path, chance: random.Random, places: int | None) -> Iterator[Damage]:
    size = (folder / file).stat().st_size
    for at in _some(range(size), chance, places):
        bit = 1 << chance.randrange(8)
        yield Damage("flipped", f"{file!s} at {at}", _on(file, lambda path, at=at, bit=bit: _flip(path, at, bit)))


def _cuts(folder: Path, file: Path, chance: random.Random, places: int | None) -> Iterator[Damage]:
    size = (folder / file).stat().st_size
    lengths = range(size) if size <= SMALL else range(0, size, max(1, size // 40))
    for length in _some(lengths, chance, places):
        yield Damage("cut", f"{file!s} to {length}", _on(file, lambda path, n=length: _cut(path, n)))


def _swaps(folder: Path, chance: random.Random, places: int | None) -> Iterator[Damage]:
    loose = [file for file in _files(folder) if len(file.parts) == 3 and len(file.parts[1]) == 2]
    pairs = [(one, other) for one in loose for other in loose if one < other]
    for one, other in _some(pairs, chance, places and places * 4):
        yield Damage("swapped", f"{one} and {other}", lambda at, one=one, other=other: _swap(at / one, at / other))


def _edited_refs(folder: Path) -> Iterator[Damage]:
    refs = [file for file in _files(folder) if file.parts[0] == "refs"]
    others = {(folder / file).read_bytes() for file in refs} | {b"0" * 40 + b"\n", b"", b"f" * 40 + b"\n", b"garbage"}
    for file in refs:
        for other in sorted(others - {(folder / file).read_bytes()}):
            yield Damage(
                "ref edited", f"{file} to {other[:12]!r}", _on(file, lambda path, other=other: path.write_bytes(other))
            )
    added = folder / "refs/heads/store"
    yield Damage("ref added", "refs/heads/other", lambda at: shutil.copy(added, at / "refs/heads/other"))


def _on(file: Path, act: Callable[[Path], object]) -> Callable[[Path], None]:
    def inflict(at: Path) -> None:
        (at / file).chmod(0o600)
        act(at / file)

    return inflict


def _flip(path: Path, at: int, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= bit
    path.write_bytes(data)


def _cut(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])


def _swap(one: Path, other: Path) -> None:
    held, instead = one.read_bytes(), other.read_bytes()
    for path, data in ((one, instead), (other, held)):
        path.chmod(0o600)
        path.write_bytes(data)


def _replace(folder: Path, older: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(older, folder)


def _some(places: Sequence, chance: random.Random, most: int | None) -> list:
    return list(places) if most is None or len(places) <= most else sorted(chance.sample(list(places), most))


# --- the verdict ---


def verdict(folder: Path) -> str:
    """What ``check --full`` says: the parts in which it finds something, or what it should not come to."""
    ours, theirs = _FORKS.Pipe(duplex=False)
    child = _FORKS.Process(target=answer, args=(folder, theirs), daemon=True)
    child.start()
    child.join(LIMIT)
    if child.is_alive():
        child.kill()
        child.join()
        return HANGS
    return ours.recv() or CLEAN if child.exitcode == 0 else f"{DIED}: {child.exitcode}"


def told(vault: Vault) -> object:
    """All that a vault tells: operations, stores, passes."""
    operations = list(vault.operations())
    return operations, [vault.store_at(each) for each in operations], vault.passes(), vault.store, vault.witness


@dataclass(frozen=True)
class Tried:
    """One case with its verdict; ``missed`` where something was lost and nothing was said, or no answer came."""

    damage: Damage
    verdict: str
    missed: bool


def try_all(place: Path, places: int | None, chance: random.Random) -> Iterator[Tried]:
    """Damage a vault in every way, one at a time, and check it."""
    folder = build(place / "vaults")
    kept = place / "kept"
    shutil.copytree(folder, kept)
    before = told(Vault(folder, clock=clock, who=WHO))
    for damage in list(cases(place / "vaults", folder, chance, places)):
        _replace(folder, kept)
        damage.inflict(folder)
        found = verdict(folder)
        missed = found == HANGS or found.startswith(DIED) or (found == CLEAN and not _costs_nothing(folder, before))
        yield Tried(damage, found, missed)


def _costs_nothing(folder: Path, before: object) -> bool:
    """Whether a vault that was called clean still tells all it told: white space in a file of settings, say."""
    return told(Vault(folder, clock=clock, who=WHO)) == before


def table(tried: Sequence[Tried]) -> str:
    """Per kind of damage: how many cases, how many were named, cost nothing, hung, or were missed."""
    lines = [f"{'damage':<12} {'cases':>6} {'found':>6} {'harmless':>9} {'missed':>7}  found in"]
    for kind in dict.fromkeys(each.damage.kind for each in tried):
        mine = [each for each in tried if each.damage.kind == kind]
        clean = sum(each.verdict == CLEAN and not each.missed for each in mine)
        missed = sum(each.missed for each in mine)
        parts = Counter(part for each in mine if each.verdict != CLEAN for part in each.verdict.split())
        where = ", ".join(f"{part} {count}" for part, count in parts.most_common(6))
        lines.append(f"{kind:<12} {len(mine):>6} {len(mine) - clean - missed:>6} {clean:>9} {missed:>7}  {where}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="every byte of every file, not a sample")
    parser.add_argument("--places", type=int, default=2, help="places in each file, of a sample")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as otherwise, quick_place(Path(otherwise)) as place:
        tried = list(try_all(place, None if chosen.whole else chosen.places, random.Random(1)))
    print(table(tried))
    for each in tried:
        if each.missed:
            print(f"missed: {each.damage.kind} {each.damage.where}: {each.verdict}")
    return 1 if any(each.missed for each in tried) else 0


if __name__ == "__main__":
    sys.exit(main())
