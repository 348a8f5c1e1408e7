"""The command lines of hooks, as the shell reads them that the client gives them to.

A hook whose program is gone is silent in the client, so the line of a session's start says it. On Windows a line may
be read by Git Bash or by ``cmd``, so it keeps to what both understand: double quotes, slashes, ``||``.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import PureWindowsPath


def command_line(program: Sequence[str], rest: str) -> str:
    """Runs a program with what else the line holds. The program's first word is an absolute path."""
    if _is_windows(program):
        return " ".join([*(_quoted(word) for word in program), rest])
    return f"{shlex.join(program)} {rest}"


def telling_line(program: Sequence[str], rest: str) -> str:
    """The same, and tells the user where the program is not there."""
    run, gone = command_line(program, rest), _gone(program[0])
    if _is_windows(program):
        return f"{run} || echo {gone.replace('`', '')}"  # plain text, which the model is told
    there = shlex.quote(program[0])
    return f"if [ -x {there} ]; then {run}; else echo {shlex.quote(json.dumps({'systemMessage': gone}))}; fi"


def _is_windows(program: Sequence[str]) -> bool:
    return bool(PureWindowsPath(program[0]).drive)


def _quoted(word: str) -> str:
    word = word.replace("\\", "/")
    return f'"{word}"' if "/" in word or " " in word else word


def _gone(program: str) -> str:
    shown = program.replace("\\", "/") if _is_windows([program]) else program
    return (
        f"memgit is not at {shown} any more, so the memory of this project is neither checked nor recorded. Install it "
        "again, or run `memgit hooks uninstall` with another memgit."
    )
