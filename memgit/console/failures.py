"""How a command that fails says so: one sentence, its remedy, its exit code."""

from __future__ import annotations

import errno
import platform
import re
import traceback
from pathlib import Path
from typing import Any

from memgit import __version__
from memgit.console.terminal import Unheard, answer, warn
from memgit.errors import BadReply, MemgitError
from memgit.model.times import shell_word


def failure(error: MemgitError, as_json: bool) -> int:
    """One sentence and its remedy; exit code of the error's class."""
    told = as_json and not isinstance(error, Unheard)
    message = error.message if isinstance(error, BadReply) else _sentence(error.message)  # a reply's field leads
    return _failed(error.code, error.kind, message, _sentence(error.hint), told)


def _sentence(text: str) -> str:
    """A text that begins as a sentence does and ends as one, whoever worded it. A name in front stays as it is."""
    first = text.partition(" ")[0]
    text = text[:1].upper() + text[1:] if first.isalpha() and first.islower() and first != "memgit" else text
    return f"{text}." if text and text[-1].isalnum() else text


_COMMAND = re.compile(r"`(memgit [a-z]+(?: [^`]+)?)`")
_NAMED_ALREADY = re.compile(r" --(?:store|help)\b")


def naming_store(remedy: str, store: str | None) -> str:
    """A remedy whose commands work on the store that the failed command named: without it they find another."""
    if store is None:
        return remedy
    named = f" --store {shell_word(store)}"
    return _COMMAND.sub(lambda found: found[0] if _NAMED_ALREADY.search(found[1]) else f"`{found[1]}{named}`", remedy)


def misused(error: Any, as_json: bool) -> int:
    """What is wrong with the command line, and where its help is."""
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:
        warn(error.format_message())
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "memgit"
    message = re.sub(r"(is not a valid) (?:int|integer)(?: range)?\.", r"is no whole number.", error.format_message())
    message = re.sub(r"is not a valid float(?: range)?\.", "is no number.", message)
    return _failed(2, "usage", message, f"See `{command} --help`.", as_json)


def interrupted() -> int:
    """Ctrl-C: say that nothing was lost."""
    warn("Interrupted. Nothing is lost; if a change was under way, the next memgit command says so and finishes it.")
    return 130


_REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE)


def of_the_system(error: Exception) -> MemgitError | None:
    """What is no fault of memgit's: a full disk, a folder that may not be written, too many open files."""
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    where = f"{error.filename}: " if error.filename else ""
    return MemgitError(f"The system refused: {where}{error.strerror}.", "Mend that, then try again.")


def bug(error: Exception, folder: Path, as_json: bool) -> int:
    """A fault in memgit itself: one line, and a report to hand to whoever can mend it."""
    text = f"memgit {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
    text += "".join(traceback.format_exception(error))
    path = _bug_report(folder, text)
    where = f"A report is in {path}." if path else text
    return _failed(70, "bug", f"memgit has a fault: {type(error).__name__}.", where, as_json)


def _bug_report(folder: Path, text: str) -> Path | None:
    from memgit import files

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = files.free_name(folder / "bug-report.txt")
        files.write_atomic(path, text.encode("utf-8", "replace"))
    except OSError:
        return None
    return path


def _failed(code: int, kind: str, message: str, hint: str, as_json: bool) -> int:
    if as_json:
        answer("error", {"error": {"code": code, "kind": kind, "message": message, "hint": hint}})
    else:
        warn(f"memgit: {message}")
        if hint:
            warn(f"  {hint}")
    return code
