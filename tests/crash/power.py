"""A power cut on a real file system: an ext4 image is copied while mounted, and the copy takes its place.

What the copy holds is what had reached the disk by then; its journal is replayed when it is mounted.
``python -m tests.crash.power [--whole]`` prints the table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memgit.stores.install import Way
from tests.crash.driver import Driver
from tests.crash.stages import Stage, judge, named
from tests.crash.verbs import desk_in

CASES = (
    ("init", Way.EXCHANGE),
    ("snapshot", Way.EXCHANGE),
    *(("adopt", way) for way in Way),
    ("adopt-merged", Way.EXCHANGE),
    ("undo", Way.EXCHANGE),
    ("restore", Way.RENAMES),
)
DELAYS = (0, 7)
"""Seconds from the end of the command to the cut: after 0 a missing sync shows as old, after 7 as empty files."""
SIZE = "48M"


def can_cut() -> str:
    """Why no power can be cut here; empty if it can."""
    if os.geteuid() != 0:
        return "mounting an image needs root"
    missing = [name for name in ("mkfs.ext4", "mount", "umount") if shutil.which(name) is None]
    if missing:
        return f"{missing[0]} is not installed"
    with tempfile.TemporaryDirectory() as folder:
        try:
            with _mounted(_image(Path(folder) / "image"), Path(folder)):
                return ""
        except subprocess.CalledProcessError as error:
            return f"no image can be mounted here: {error.stderr.strip()[:80]}"


@dataclass(frozen=True)
class Cut:
    """One power cut: the case, how many seconds after the command, and what the store then was."""

    case: str
    delay: int
    store: str


def cut_after(stage_of: tuple[str, Way], delay: int, driver: Driver, folder: Path) -> Cut:
    """Run a verb on a file system of its own, cut the power, and judge what is left. Raises AssertionError."""
    image, copy, place = _image(folder / "image"), folder / "copy", folder / "mounted"
    place.mkdir()
    verb, way = stage_of
    stage = Stage(place, verb, way, driver)
    with _mounted(image, place):
        stage.make()
        old, new = stage.mark(), stage.outcome()
        os.sync()
        code = stage.act()
        recorded = _operations(stage)
        time.sleep(delay)
        _run("cp", "--sparse=always", str(image), str(copy))
    where = f"{named(stage_of)}, power cut after {delay} s (the command had ended with {code})"
    with _mounted(copy, place):
        assert code != 0 or _operations(stage) == recorded, f"{where}: it had said that it was done"
        found = judge(stage, old, new, where)
        assert code != 0 or old == new or found != "old", f"{where}: it had said that it was done"
    return Cut(named(stage_of), delay, found)


def _operations(stage: Stage) -> int:
    head = desk_in(stage.root, stage.way).vault.head()
    return head.number if head else 0


def _image(path: Path) -> Path:
    _run("truncate", "-s", SIZE, str(path))
    _run("mkfs.ext4", "-q", str(path))
    return path


@contextmanager
def _mounted(image: Path, place: Path) -> Iterator[None]:
    _run("mount", "-o", "loop", str(image), str(place))
    try:
        yield
    finally:
        _run("umount", "-l", str(place))


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True, text=True)


def cuts(cases: Sequence[tuple[str, Way]], delays: Sequence[int]) -> Iterator[Cut]:
    """Every case at every delay, each on a new file system."""
    with Driver() as driver:
        for case in cases:
            for delay in delays:
                with tempfile.TemporaryDirectory() as folder:
                    yield cut_after(case, delay, driver, Path(folder))


def table(made: Sequence[Cut]) -> str:
    return "\n".join(
        [f"{'case':<24} {'cut after':>9}  store", *(f"{cut.case:<24} {cut.delay:>7} s  {cut.store}" for cut in made)]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="every case at every delay")
    chosen = parser.parse_args()
    if reason := can_cut():
        print(f"No power was cut: {reason}.")
        return 0
    print(table(list(cuts(CASES, DELAYS) if chosen.whole else cuts(CASES[1:3], DELAYS[:1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
