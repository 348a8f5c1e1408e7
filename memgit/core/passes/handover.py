"""The shell lines that adopt or discard a candidate without memgit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memgit.model.history import Paths
from memgit.model.shell import shell_word


@dataclass(frozen=True, slots=True)
class ShellLines:
    """Lines for a POSIX shell; every path in them is absolute and quoted."""

    adopt: tuple[str, ...]
    discard: tuple[str, ...]


def shell_lines(live: str, paths: Paths, superseded: str | None, carried: Sequence[str] = ()) -> ShellLines:
    """How to adopt and how to discard by hand.

    ``live`` is the store's real path, ``superseded`` a free name for the old one (None where there
    is no store yet). ``carried`` names what other tools keep in the store; it moves into the new one.
    ``mv -T`` never moves a folder *into* one that an agent has made in the meantime.
    """
    moves = [_move(paths.candidate, live)]
    if superseded is not None:
        moves.insert(0, _move(live, superseded))
        moves += [_move(f"{superseded}/{name}", f"{live}/{name}") for name in carried]
    gone = (paths.candidate, paths.report, paths.digests)
    return ShellLines((" && ".join(moves),), (f"rm -rf -- {' '.join(map(shell_word, gone))}",))


def _move(source: str, target: str) -> str:
    return f"mv -T -- {shell_word(source)} {shell_word(target)}"
