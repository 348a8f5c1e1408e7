"""The two streams: stdout is the answer, stderr is progress and warnings."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memgit.errors import MemgitError, UsageError

MAX_INPUT = 16 * 1024 * 1024
"""Bytes of a reply that are read; a reply of candidates or decisions is far smaller."""


class Unheard(MemgitError):
    """A standard stream takes nothing more: its disk is full."""

    kind = "unheard"


class ReaderGone(Exception):
    """Whoever read the answer has closed the pipe; no OSError, because the command line library ends on that one."""


def say(text: str) -> None:
    """Print a part of the answer."""
    _write(sys.stdout, text)


def put(text: str) -> None:
    """Print a line that is safe already, and may be coloured."""
    _send(sys.stdout, text)


def ask(prompt: str) -> str | None:
    """A line from standard input; None where it has ended. What a script answers is shown like what is typed."""
    if sys.stdin is None:
        return None
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.buffer.readline(MAX_INPUT)
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    if not line or not sys.stdin.isatty():
        say(text)
    return text if line else None


def warn(text: str) -> None:
    """Print a warning or a hint beside the answer."""
    _write(sys.stderr, text)


def answer(kind: str, value: Mapping[str, Any]) -> None:
    """Print one JSON object as the whole answer."""
    answer_whole({"schema": f"memgit.{kind}/1", **value})


def answer_whole(value: Mapping[str, Any]) -> None:
    """Print an object that names its own schema. A stream that is not UTF-8 gets plain ASCII."""
    from memgit.evidence.findings import printable_json

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    import json  # a command that prints text starts faster without

    _send(sys.stdout, printable_json(json.dumps(value, ensure_ascii=not is_utf8, indent=2)))


def write_whole(document: str) -> None:
    """Print a document that escapes by itself what a terminal must not see."""
    _send(sys.stdout, document.removesuffix("\n"))


def _write(stream: Any, text: str) -> None:
    """Write a text as it is safe to show; on a screen its lines are folded at words, for a program they are not."""
    from memgit.evidence.findings import printable

    text = printable(text).replace("`memgit ", f"`{called()} ")
    if stream is not None and stream.isatty():
        from memgit.text.layout import folded

        text = "\n".join(folded(text, columns()))
    _send(stream, text)


CALLED = "MEMGIT_CALLED"
"""Variable that a script which runs memgit for somebody sets to its own name, so that commands can be pasted."""


def called() -> str:
    """How memgit is called here, for the commands that it prints."""
    return os.environ.get(CALLED) or "memgit"


def as_called(command: str) -> str:
    """A command line as it is to be typed here."""
    return f"{called()}{command.removeprefix('memgit')}" if command.startswith("memgit ") else command


NARROWEST = 20


def columns() -> int:
    """How wide the screen is at this moment; it may be resized between two answers."""
    return max(NARROWEST, shutil.get_terminal_size().columns)


def _send(stream: Any, text: str) -> None:
    """Write a line to a stream, unless the process was started without it."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"  # what the stream cannot encode is escaped, never an error
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        _let_go(stream)
        raise Unheard(f"The answer could not be written: {error.strerror}.", "What was done stands.") from None


def _let_go(stream: Any) -> None:
    """Send what a dead stream still holds nowhere, so that the interpreter's own last flush does not fail too."""
    with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def read_input(name: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises UsageError naming what cannot be read."""
    try:
        data = _read_stdin() if name == "-" else _read_file(Path(name))
    except OSError as error:
        raise UsageError(f"Cannot read {name}: {error.strerror}.", "Name an existing file, or - for stdin.") from None
    if len(data) > MAX_INPUT:
        raise UsageError(f"{name} is larger than {MAX_INPUT:,} bytes.", "Hand in one batch's reply at a time.")
    return data


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read(MAX_INPUT + 1) if sys.stdin else b""


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_INPUT + 1)
