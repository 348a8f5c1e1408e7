"""The vault's part of a check, made in a process of its own with a time limit.

libgit2 never returns from some damaged objects, and a broken pack can end the process that reads it; neither may
happen to the one who asks whether all is well. The child writes a line of JSON for every part that it begins and
for everything that it finds, so that what it had found by the time it was stopped is not lost.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from memgit import process
from memgit.errors import MemgitError
from memgit.flows.check import Part, unreadable
from memgit.model.verification import Area, Finding

QUICK, THOROUGH = 10.0, 600.0
"""Seconds that a check, and one that reads every object, may take unless the caller says otherwise."""
_ONCE_MORE = "Try again with a larger --time-limit; if it never ends, `memgit doctor --repair`."


def findings(store: str, full: bool, seconds: float) -> Iterator[Finding]:
    """What another process finds wrong with the vault of a store, and a finding if it did not come to its end."""
    argv = [sys.executable, "-P", "-m", "memgit.wiring.apart", store, "full" if full else "quick"]
    try:
        ended = process.run(argv, timeout=seconds)
    except process.TooSlow as stopped:
        yield from _read(stopped.out)
        yield _cut_short(f"took longer than {seconds:g} s and was stopped", stopped.out)
        return
    yield from _read(ended.out)
    if not ended.ok:
        said = f": {ended.complaint}" if ended.complaint else ""
        yield _cut_short(f"ended with code {ended.code}{said}", ended.out)


def write(parts: Callable[[], Iterable[Part]]) -> int:
    """The child's side: look at every part, and say on stdout what is being looked at and what is found."""
    try:
        waiting = list(parts())
    except MemgitError as error:
        _say({"finding": asdict(unreadable(error))})
        return 0
    while waiting:
        part = waiting.pop(0)
        _say({"looking_at": part.name, "then": [each.name for each in waiting]})
        if _look(part) and part.vital:
            _say({"finding": asdict(_left_out(waiting))})
            break
    return 0


def _left_out(parts: Sequence[Part]) -> Finding:
    missed = ", ".join(part.name for part in parts)
    return Finding(Area.VAULT, f"Not looked at, because reading on is not safe: {missed}.", damage=True)


def _look(part: Part) -> bool:
    """Whether anything was found."""
    found = False
    try:
        for finding in part.look():
            found = True
            _say({"finding": asdict(finding)})
    except MemgitError as error:
        _say({"finding": asdict(unreadable(error))})
        return True
    return found


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _read(out: bytes) -> Iterator[Finding]:
    for line in _lines(out):
        if facts := line.get("finding"):
            yield Finding(**{**facts, "area": Area(facts["area"])})


def _cut_short(how: str, out: bytes) -> Finding:
    last = next((line for line in reversed(list(_lines(out))) if "looking_at" in line), None)
    if last is None:
        return Finding(
            Area.VAULT, f"The check of the vault {how}; nothing of it was looked at.", _ONCE_MORE, damage=True
        )
    missed = ", ".join([f"{last['looking_at']} (in part)", *last["then"]])
    return Finding(Area.VAULT, f"The check of the vault {how}; not looked at: {missed}.", _ONCE_MORE, damage=True)


def _lines(out: bytes) -> Iterator[dict[str, Any]]:
    """The whole lines; the last one may have been cut."""
    for line in out.split(b"\n")[:-1]:
        yield json.loads(line)
