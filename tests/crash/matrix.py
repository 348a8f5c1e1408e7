"""A fault at every system call that changes something, for every verb: ``python -m tests.crash.matrix [--whole]``.

A call is found by its name and by which call of that name it is, as ``strace`` counts them. What was left out, and
why, stands in the table.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memgit.stores.install import Way
from tests.crash.driver import BUG, HUNG, INTERRUPTED, Driver, can_trace
from tests.crash.other_stages import OTHERS, stage_of
from tests.crash.stages import CASES, KILLED, Stage, named, sampled
from tests.crash.test_lifecycle_crash import state_on_disk
from tests.desks import quick_place

CALLS = (
    "openat,creat,mkdir,mkdirat,link,linkat,symlink,symlinkat,rename,renameat,renameat2,unlink,unlinkat,rmdir,"
    "write,pwrite64,writev,sendfile,copy_file_range,ftruncate,truncate,fallocate,"
    "fsync,fdatasync,syncfs,sync_file_range,chmod,fchmod,fchmodat,utimensat"
)
"""The calls that change something on a disk."""
ALL = (*CASES, *((verb, Way.EXCHANGE) for verb in OTHERS))
FAULTS = {
    "kill": "signal=KILL",
    "INT": "signal=INT",
    "TERM": "signal=TERM",
    "ENOSPC": "error=ENOSPC",
    "EIO": "error=EIO",
    "EINTR": "error=EINTR",
}
ENDED = {0: "done", KILLED: "killed", -15: "ended", INTERRUPTED: "interrupted"}
_CALL = re.compile(r"(\w+)\((.*)")
_RANDOM = re.compile(r"(?<=tmp_object_git2_).*|(?<=\.tmp-).*|(?<=pack_git2_).*|\.\d+(?=\.(?:tmp|new)$)")
_INODES = re.compile(rb'"(?:live|staged)_id": \[[^]]*\]')
_ONLY_READS = re.compile(r"O_RDONLY(?!.*O_CREAT)")


@dataclass(frozen=True)
class Call:
    """One system call of a run: its name, and that it is the ``count``-th of this name."""

    name: str
    count: int

    def __str__(self) -> str:
        return f"{self.name}#{self.count}"


@dataclass
class Row:
    """One case and one fault: how many calls there are, how the tried ones ended, and what went wrong."""

    case: str
    fault: str
    calls: int
    ended: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def calls_of(stage: Stage, verb: str = "") -> list[Call]:
    """The calls by which a verb changes something, in order, from the world as it is."""
    trace = stage.place / "trace"
    ran = stage.driver.run(stage.root, stage.way, verb or stage.verb, strace=["-o", str(trace), "-e", f"trace={CALLS}"])
    assert ran.code != BUG, ran.said
    return list(changing(trace.read_text(errors="replace").splitlines()))


def changing(lines: Iterable[str]) -> Iterator[Call]:
    seen: Counter[str] = Counter()
    for line in lines:
        if not (found := _CALL.match(line)):
            continue
        name, arguments = found[1], found[2]
        seen[name] += 1
        if not _ONLY_READS.search(arguments):
            yield Call(name, seen[name])


def strike(stage: Stage, call: Call, fault: str, verb: str = "") -> tuple[int, str]:
    """Run a verb with a fault at one call; its exit code and what it said."""
    inject = f"inject={call.name}:{FAULTS[fault]}:when={call.count}"
    options = ["-o", "/dev/null", "-e", f"trace={CALLS}", "-e", inject]
    ran = stage.driver.run(stage.root, stage.way, verb or stage.verb, strace=options)
    return ran.code, ran.said


def state_of(root: Path) -> str:
    """A digest of everything in a world; names and numbers that are new in every run are left out."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = _RANDOM.sub("", str(path.relative_to(root)))
        data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b"/"
        digest.update(b"%s %o %d " % (os.fsencode(name), path.lstat().st_mode, len(data)))
        digest.update(_INODES.sub(b"", data) if path.name == "journal.json" else data)
    return digest.hexdigest()


def try_at(
    stage: Stage, call: Call, row: Row, marks: tuple[str, str], known: dict[str, str], where: str, verb: str = ""
) -> None:
    """One point of the table: strike there, then judge. ``known`` are the verdicts on states that were met before."""
    code, said = strike(stage, call, row.fault, verb)
    ended = ENDED.get(code, "refused")
    where = f"{where}: {row.fault} at {call}, {said or ended}"
    try:
        assert code not in (BUG, HUNG), where
        state = state_of(stage.root)
        if state not in known:
            known[state] = stage.judge(*marks, where)
            stage.check(where)
        row.ended[f"{ended}, {known[state]}"] += 1
    except Exception as error:
        row.ended["FAILED"] += 1
        shown = "".join(traceback.format_exception(error)[-3:])
        row.failures.append(f"{where}\n{shown}")


def verb_rows(stage: Stage, whole: bool, most: int, faults: Sequence[str] = tuple(FAULTS)) -> list[Row]:
    """The rows of one verb: every fault at its calls, or at so many of them."""
    stage.make()
    calls = calls_of(stage)
    stage.set_up()
    marks, known = (stage.mark(), stage.outcome()), dict[str, str]()
    case = named((stage.verb, stage.way))
    rows = [Row(case, fault, len(calls)) for fault in faults]
    for turn, row in enumerate(rows):
        for number in _turned(len(calls), whole, most, turn):
            stage.set_up()
            try_at(stage, calls[number - 1], row, marks, known, case)
    return rows


def _turned(count: int, whole: bool, most: int, turn: int) -> list[int]:
    """A sample that is another one for every fault."""
    return sorted({(number + turn * 7 - 1) % count + 1 for number in sampled(count, whole, most)})


def recovery_rows(stage: Stage, whole: bool, most: int, faults: Sequence[str] = tuple(FAULTS)) -> list[Row]:
    """The rows of a recovery: a verb is killed once for each state that this leaves, then its recovery is struck."""
    stage.make()
    calls = calls_of(stage)
    stage.set_up()
    marks, known = (stage.mark(), stage.outcome()), dict[str, str]()
    case = f"recovery of {named((stage.verb, stage.way))}"
    rows = {fault: Row(case, fault, 0) for fault in faults}
    for first in _one_per_state(stage, calls if whole else calls[:: max(1, len(calls) // 12)], whole):
        _cut(stage, first)
        recovery = calls_of(stage, "recover")
        for turn, row in enumerate(rows.values()):
            row.calls += len(recovery)
            for number in _turned(len(recovery), whole, most, turn) if recovery else ():
                _cut(stage, first)
                try_at(stage, recovery[number - 1], row, marks, known, f"{case} after {first}", "recover")
    return list(rows.values())


def _cut(stage: Stage, call: Call) -> None:
    stage.set_up()
    strike(stage, call, "kill")


def _one_per_state(stage: Stage, calls: Sequence[Call], whole: bool) -> list[Call]:
    first: dict[str, Call] = {}
    for call in calls:
        _cut(stage, call)
        if state := state_on_disk(stage):
            first.setdefault(state, call)
    return list(first.values()) if whole else list(first.values())[:2]


# --- the whole table ---


def rows_of(
    place: Path,
    driver: Driver,
    cases: Sequence[tuple[str, Way]],
    whole: bool,
    most: int = 1,
    faults: Sequence[str] = tuple(FAULTS),
    part: str | None = None,
) -> Iterator[Row]:
    """Every row of the table; ``most`` calls of each verb and fault unless ``whole``."""
    for verb, way in cases if part != "recovery" else ():
        yield from verb_rows(stage_of(place / named((verb, way)), (verb, way), driver), whole, most, faults)
    for verb, way in cases if part != "verbs" else ():
        if verb in ("adopt", "undo"):
            yield from recovery_rows(
                Stage(place / f"recovery-{named((verb, way))}", verb, way, driver), whole, most, faults
            )


def table(rows: Sequence[Row]) -> str:
    """The rows as text: how many calls there are, how many were tried, and how those ended."""
    lines = [f"{'case':<34} {'fault':<7} {'calls':>6} {'tried':>6}  ended (command, store)"]
    for row in rows:
        ended = "; ".join(f"{count} {how}" for how, count in sorted(row.ended.items()))
        lines.append(f"{row.case:<34} {row.fault:<7} {row.calls:>6} {row.ended.total():>6}  {ended}")
    tried, failed = sum(row.ended.total() for row in rows), sum(len(row.failures) for row in rows)
    lines.append(f"{tried} of {sum(row.calls for row in rows)} points tried, {failed} failed")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="every call, not a sample")
    parser.add_argument("--most", type=int, default=1, help="calls of each case and fault, of a sample")
    parser.add_argument("--fault", action="append", choices=tuple(FAULTS), help="only this one")
    parser.add_argument("--part", choices=("verbs", "recovery"), help="only the verbs, or only their recovery")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name contains this")
    chosen = parser.parse_args()
    if reason := can_trace():
        print(f"Nothing was tried: {reason}.")
        return 0
    cases = [case for case in ALL if not chosen.case or any(each in named(case) for each in chosen.case)]
    rows: list[Row] = []
    with Driver() as driver, tempfile.TemporaryDirectory() as otherwise, quick_place(Path(otherwise)) as place:
        for row in rows_of(place, driver, cases, chosen.whole, chosen.most, chosen.fault or tuple(FAULTS), chosen.part):
            print(table([row]).splitlines()[1], flush=True)
            for failure in row.failures[:3]:
                print(failure, flush=True)
            rows.append(row)
    print(table(rows))
    return 1 if any(row.failures for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
