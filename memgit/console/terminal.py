"""The two streams and the terminal: stdout is the answer, stderr is progress; colours, rows, the pager."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from memgit import process
from memgit.errors import MemgitError, ToolFailed, UsageError

if TYPE_CHECKING:
    from memgit.flows.desk import Done
    from memgit.ports import Progress
    from memgit.text.layout import Row, Run

# --- streams ---
# The two streams: stdout is the answer, stderr is progress and warnings.

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


# --- paint ---
# Rows of styled text on a terminal: colours where they are wanted, marks where not.

_CODES = {
    "title": "1",
    "faint": "2",
    "removed": "31",
    "added": "32",
    "quoted": "36",
    "warning": "33",
    "good": "32",
    "bad": "31",
}
_UNWRAPPED = 1_000_000


@dataclass(frozen=True)
class Canvas:
    """How much fits, and whether in colours. ``rows`` is None where nobody looks at a screen: then nothing is cut."""

    columns: int
    rows: int | None
    colours: bool

    @classmethod
    def now(cls) -> Canvas:
        """The terminal as it is at this moment; it may be resized between two screens."""
        size, watched = shutil.get_terminal_size(), sys.stdout is not None and sys.stdout.isatty()
        colours = watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(max(NARROWEST, size.columns), size.lines if watched else None, colours)

    @property
    def reading_columns(self) -> int:
        """Where long sentences are wrapped: at the screen's edge; what a program reads is not wrapped."""
        return _UNWRAPPED if self.rows is None else self.columns

    def paint(self, rows: Iterable[Row]) -> None:
        """Print rows."""
        for row in rows:
            put("".join(map(self._run, row)))

    def _run(self, run: Run) -> str:
        from memgit.evidence.findings import printable_name

        text, code = printable_name(run.text), _CODES.get(run.style.value)
        return f"\x1b[{code}m{text}\x1b[0m" if code and self.colours else text


def tell(*runs: Run | str, left: str = "") -> None:
    """Print a line of an answer of which some runs are styled, folded at words on a screen; ``left`` stands before."""
    from memgit.text.layout import Run, wrapped

    canvas = Canvas.now()
    styled = [Run(each.replace("`memgit ", f"`{called()} ")) if isinstance(each, str) else each for each in runs]
    canvas.paint(wrapped(styled, canvas.reading_columns, left, f"{left}  ", whole=True))


def steps(commands: Iterable[tuple[str, str]]) -> None:
    """Print what to run next: what it is for, and the command last on its line, whole, to be copied."""
    from memgit.text.layout import Run, Style, width

    canvas = Canvas.now()
    listed = [(what, as_called(command)) for what, command in commands]
    if not listed:
        return
    room = max(width(what) for what, _ in listed) + 2
    beside = room + 2 + max(width(command) for _, command in listed) <= canvas.columns
    for what, command in listed:
        if beside:
            canvas.paint([(Run(f"  {what:<{room}}", Style.FAINT), Run(command, Style.TITLE))])
        else:
            canvas.paint([(Run(f"  {what}:", Style.FAINT),), (Run(f"    {command}", Style.TITLE),)])


# --- pager ---
# Long answers through the user's pager, on a terminal only.

Show = Callable[[], int]


class _ToTerminal(io.TextIOWrapper):
    """What is written here ends up on the terminal, so colours and widths are those of the terminal."""

    def isatty(self) -> bool:
        return True


def at_terminal() -> bool:
    """Whether somebody reads the answer on a screen that can be scrolled."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def paged(command: str, show: Show) -> int:
    """Run what prints an answer, with its lines through a pager.

    A pager that is not wanted or cannot be started is done without; one that is left early ends the answer, and that
    is no error. What would be said beside the answer waits until the pager has given the screen back.
    """
    argv = _words(command)
    if not argv:
        return show()
    beside, sys.stderr = sys.stderr, io.StringIO()
    try:
        with process.fed(argv, {"LESS": "FRX", "LV": "-c"}) as pipe:
            return _through(pipe, show)
    except ToolFailed:
        return show()
    finally:
        held, sys.stderr = sys.stderr, beside
        if isinstance(held, io.StringIO) and held.getvalue() and beside is not None:
            beside.write(held.getvalue())
            beside.flush()


def _through(pipe: IO[bytes], show: Show) -> int:
    stream, terminal = _ToTerminal(pipe, encoding="utf-8", errors="backslashreplace"), sys.stdout
    sys.stdout = stream
    try:
        return show()
    except (BrokenPipeError, ReaderGone):
        return 0
    finally:
        sys.stdout = terminal
        with suppress(BrokenPipeError):
            stream.close()


def _words(command: str) -> list[str]:
    """The words of a pager's command line; none where it is ``cat``, which pages nothing, or cannot be read."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [] if words == ["cat"] else words


# --- meter ---
# Progress on a terminal's last line, silence elsewhere.


class _Silent:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        pass


SILENT: Progress = _Silent()

_OFTEN = 0.1
"""Seconds between two drawings of one step."""
_EARLY, _LITTLE = 3.0, 0.05
"""Seconds, and share of the whole, before which nobody can tell how long it takes."""
_COUNTED = 999
"""Units up to which they are counted; of more, such as bytes, the share is told."""
_BAR = 24


class Meter:
    """Draws what is under way over the last line of a terminal. ``now`` gives seconds that only go forward."""

    def __init__(self, stream: TextIO, columns: Callable[[], int], now: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._columns, self._now = stream, columns, now
        self._what, self._began, self._drawn = "", 0.0, 0.0

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        now = self._now()
        if what != self._what:
            self._what, self._began = what, now
        elif now - self._drawn < _OFTEN:
            return
        self._drawn = now
        self._stream.write(f"\r\x1b[K{drawn(what, done, total, now - self._began, self._columns())}")
        self._stream.flush()


def drawn(what: str, done: int, total: int | None, seconds: float, columns: int) -> str:
    """One line of at most ``columns - 1`` characters: what, how much of it, and how long it will still take."""
    room = max(8, columns - 1)
    if not total:
        return _cut(f"{what} …", room)
    share = min(1.0, done / total)
    much = f"{done:,} of {total:,}" if total <= _COUNTED else f"{share:.0%}"
    facts = f"{what} {much}{_left(share, seconds)}"
    bar = min(_BAR, room - len(facts) - 3)
    return f"{facts} [{_filled(share, bar)}]" if bar >= 8 else _cut(f"{facts} …", room)


def _filled(share: float, size: int) -> str:
    full = int(share * size)
    return "#" * full + "-" * (size - full)


def _left(share: float, seconds: float) -> str:
    """How long the rest takes if it goes on as it went; nothing before that can be known."""
    if seconds < _EARLY or share < _LITTLE or share >= 1:
        return ""
    left = seconds * (1 - share) / share
    return f", about {max(1, round(left))} s left" if left < 90 else f", about {round(left / 60)} min left"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


@contextmanager
def progress() -> Iterator[Progress]:
    """A meter while a terminal watches, silence otherwise."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield SILENT
        return
    stream = sys.stderr
    try:
        yield Meter(stream, lambda: _columns(stream))
    finally:
        stream.write("\r\x1b[K")
        stream.flush()


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


# --- verbs ---
# What a lifecycle verb did, and how to take it back.


def done(result: Done, as_json: bool, *, verbose: bool = False) -> int:
    """What a lifecycle verb did, and how to take it back; with ``verbose`` also where the store before is."""
    if as_json:
        answer("done", done_json(result))
        return 0
    say(result.did)
    lines(result.notes)
    if result.superseded and verbose:
        say(f"The store before is in {result.superseded}.")
    steps([("take it back", result.undo_hint)] if result.undo_hint else ())
    return 0


def done_json(result: Done) -> dict[str, Any]:
    """What a lifecycle verb did, as ``--json`` prints it."""
    return {
        "did": result.did,
        "undo": result.undo_hint,
        "operation": result.operation.id if result.operation else None,
        "superseded": str(result.superseded) if result.superseded else None,
        "notes": list(result.notes),
    }


def lines(rows: Iterable[str]) -> None:
    """Print rows of an answer."""
    for row in rows:
        say(row)
