"""The shell lines that adopt or discard a candidate without memgit."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from memgit.model.passes import Paths


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
    return ShellLines((" && ".join(moves),), (f"rm -rf -- {' '.join(map(_quoted, gone))}",))


def _move(source: str, target: str) -> str:
    return f"mv -T -- {_quoted(source)} {_quoted(target)}"


def _quoted(path: str) -> str:
    """A path as one word of a POSIX shell. What cannot be shown, bytes that are not UTF-8 too, is spelled in octal."""
    if path.isprintable():
        return shlex.quote(path)
    data = path.encode("utf-8", "surrogateescape")
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\%'" else f"\\{byte:03o}" for byte in data)
    return f"\"$(printf '{''.join(plain)}')\""
