"""Whether a vault is whole: its refs against its log, the log against its witness, and every byte of its objects.

Nothing here trusts libgit2 or stops at the first problem; each problem says what it costs and what repairs it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memgit.errors import Damaged, ToolFailed
from memgit.model.history import Operation
from memgit.model.verification import Look, Part, Problem
from memgit.vault import packs
from memgit.vault.gitobjects import FOLDER
from memgit.vault.layout import HEAD
from memgit.vault.log import Standing, read_witness
from memgit.vault.reader import VaultReader
from memgit.vault.refs import INCOMING, LOG, REMOTES, STRAYS, all_refs, is_derived, packed_lines, packed_refs

REPAIR = "memgit doctor --repair"
ACKNOWLEDGE = "memgit ack"
_ALLOWED = ("refs/heads/", "refs/remotes/", "refs/tags/", STRAYS, REMOTES, INCOMING)
_PACKED_HEADER = "# pack-refs with:"
_TRAITS = {"peeled", "fully-peeled", "sorted"}


def looks(vault: VaultReader, *, full: bool) -> tuple[Look, ...]:
    """The parts of a check, in order. ``full`` reads every object and asks git's own fsck; else refs and log only."""
    thorough = (Look("objects", lambda: _objects(vault)), Look("git fsck", lambda: _fsck(vault)))
    return (
        *((Look("packs", lambda: _packs(vault), vital=True),) if full else ()),
        Look("operation log", lambda: _log(vault)),
        Look("refs", lambda: _refs(vault)),
        Look("files", lambda: _files(vault)),
        Look("witness", lambda: _witness(vault)),
        *(thorough if full else ()),
    )


def check(vault: VaultReader, *, full: bool) -> tuple[Problem, ...]:
    """Everything wrong with a vault."""
    vault.objects.forget()
    problems: list[Problem] = []
    for look in looks(vault, full=full):
        problems += look.problems()
        if problems and look.vital:
            break  # libgit2 dies of some broken packs, so nothing is read from them
    return tuple(problems)


def _log(vault: VaultReader) -> Iterator[Problem]:
    """The log must count down to 1 without a gap."""
    expected: int | None = None
    try:
        for operation in vault.operations():
            if expected not in (None, operation.number):
                yield _gap(operation, expected)
            expected = operation.number - 1
        if expected != 0:
            yield Problem(Part.LOG, "the operation log does not reach back to its beginning", "what it lists")
    except Damaged as cause:
        yield Problem(Part.LOG, cause.message, _newer_than(expected), REPAIR)


def _gap(operation: Operation, expected: int | None) -> Problem:
    what = f"the operation log has {operation.id} where op{expected} belongs"
    return Problem(Part.LOG, what, "every operation that it lists")


def _newer_than(number: int | None) -> str:
    return f"what was recorded after op{number}" if number is not None else "what other refs and the store hold"


def _refs(vault: VaultReader) -> Iterator[Problem]:
    refs = all_refs(vault.git_dir)
    wrong = _derived_problems(vault)
    for name in wrong:
        yield Problem(Part.REF, f"the ref {name} is not where the log says", "everything: refs are derived", REPAIR)
    for name, target in refs.items():
        if name in wrong or name == LOG:
            continue
        if target is None:
            yield Problem(Part.REF, f"the ref {name} holds no object name", "everything that the log lists", REPAIR)
        elif not is_derived(name) and not name.startswith(_ALLOWED):
            yield Problem(Part.REF, f"the ref {name} is none of memgit's", "everything", _delete(vault, name))
        elif fault := vault.objects.fault(target):
            yield Problem(Part.REF, f"the ref {name} points to something unreadable: {fault}", "the rest", REPAIR)
    yield from _packed_refs(vault)


def _delete(vault: VaultReader, name: str) -> str:
    return shlex.join(["git", f"--git-dir={vault.git_dir}", "update-ref", "-d", name])


def _derived_problems(vault: VaultReader) -> tuple[str, ...]:
    try:
        return vault.derived_ref_problems()
    except Damaged:
        return ()  # reported with the log


def _packed_refs(vault: VaultReader) -> Iterator[Problem]:
    """``packed-refs`` line by line: git reads past much that is wrong in it."""
    known = dict(packed_refs(vault.git_dir))
    for number, line in enumerate(packed_lines(vault.git_dir), 1):
        if not _is_packed_line(line, number):
            yield _packed_problem(f"line {number} is not what git writes")
    for name, target in known.items():
        if fault := vault.objects.fault(target):
            yield _packed_problem(f"{name} points to something unreadable: {fault}")


def _is_packed_line(line: str, number: int) -> bool:
    if line.startswith("#") or number == 1:
        return line.startswith(_PACKED_HEADER) and set(line.removeprefix(_PACKED_HEADER).split()) <= _TRAITS
    if line.startswith("^"):
        return len(line) == 41
    target, _, name = line.partition(" ")
    return len(target) == 40 and (is_derived(name) or name == LOG or name.startswith(_ALLOWED))


def _packed_problem(what: str) -> Problem:
    return Problem(Part.REF, f"packed-refs: {what}", "everything that the log lists", REPAIR)


def _files(vault: VaultReader) -> Iterator[Problem]:
    try:
        if (vault.git_dir / "HEAD").read_bytes() != HEAD:
            yield Problem(Part.FILE, "the vault's HEAD is not what memgit wrote", "everything", REPAIR)
        _ = vault.store
    except (Damaged, OSError) as cause:
        yield Problem(Part.FILE, str(cause), "everything", "memgit snapshot")


def _witness(vault: VaultReader) -> Iterator[Problem]:
    try:
        stands = vault.check_witness()
        seen = read_witness(vault.witness)
    except Damaged:
        return  # reported with the log or the files
    if stands is Standing.BEHIND and seen:
        lost = seen.lost or f"op{seen.number} {seen.tip}"
        what = f"the vault was put back to an older state: its witness has seen {lost}"
        yield Problem(Part.WITNESS, what, "what the log lists; newer ones from a copy", ACKNOWLEDGE)


def _packs(vault: VaultReader) -> Iterator[Problem]:
    folder = vault.git_dir / "objects" / "pack"
    for pack in sorted({*folder.glob("*.pack"), *(index.with_suffix(".pack") for index in folder.glob("*.idx"))}):
        if fault := packs.fault(pack):
            yield Problem(
                Part.PACK, f"the pack {pack.name} {fault}", "what of it is whole, and what is elsewhere", REPAIR
            )
    for extra in packs.extras(folder):
        if fault := packs.sum_fault(extra):
            yield Problem(Part.PACK, f"the file {extra.name} {fault}", "everything: git can do without it", REPAIR)


def _objects(vault: VaultReader) -> Iterator[Problem]:
    """Every object that the log or a ref reaches, and every loose one whether reached or not."""
    reached: dict[str, str] = {}
    starts = {target: name for name, target in all_refs(vault.git_dir).items() if target}
    for commit, where in starts.items():
        yield from _reach(vault, commit, where, reached)
    for oid in vault.objects.loose():
        if not vault.objects.is_sound(oid) and (oid not in reached or vault.objects.fault(oid) is None):
            what = f"the loose object {oid} is damaged; nothing needs it, or a pack holds it too"
            yield Problem(Part.OBJECT, what, "everything", REPAIR)


def _reach(vault: VaultReader, start: str, where: str, reached: dict[str, str]) -> Iterator[Problem]:
    waiting: list[tuple[str, str, str]] = [("commit", start, where)]
    while waiting:
        kind, oid, place = waiting.pop()
        if oid in reached:
            continue
        reached[oid] = place
        try:
            waiting += _below(vault, kind, oid, place)
        except Damaged as cause:
            what = f"{cause.message}; it is a {kind} of {place}"
            yield Problem(Part.OBJECT, what, "what does not need this object", REPAIR)


def _below(vault: VaultReader, kind: str, oid: str, place: str) -> Iterator[tuple[str, str, str]]:
    """What an object needs, with where that is."""
    if kind == "commit":
        commit = vault.objects.commit(oid)
        here = f"commit {oid[:12]} ({place.partition(' ')[0] if place.startswith('refs/') else 'history'})"
        yield from (("commit", parent, here) for parent in commit.parents)
        yield "tree", commit.tree, here
        if commit.manifest:
            yield "blob", commit.manifest, f"the manifest of {here}"
    elif kind == "tree":
        for name, entry in vault.objects.tree(oid).items():
            yield ("tree" if entry.mode == FOLDER else "blob"), entry.oid, f"{name!r} in {place}"
    else:
        vault.objects.read(oid, kind)


def _fsck(vault: VaultReader) -> Iterator[Problem]:
    from memgit import process

    try:
        result = process.git(["fsck", "--full", "--strict", "--no-dangling"], git_dir=vault.git_dir, timeout=300)
    except ToolFailed:
        return  # without git there is no second opinion
    if not result.ok:
        yield Problem(Part.FSCK, f"git fsck: {result.complaint}", "what does not need the damaged object", REPAIR)
