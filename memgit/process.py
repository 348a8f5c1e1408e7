"""The only place that runs a program: an argument list, a clean environment and a time limit, never a shell.

A project or vault that git is pointed at may be hostile: what git is told about that is in `git_safety`.
"""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING

from memgit.caller import refuse_programs
from memgit.errors import ToolFailed
from memgit.git_safety import ENVIRONMENT_ON_A_PROJECT, odd_file, on_a_project, on_a_vault

if TYPE_CHECKING:
    from subprocess import Popen

TIMEOUT = 30.0
"""Seconds that a program may take unless the caller says otherwise."""


class TooSlow(ToolFailed):
    """A program was stopped at its time limit. ``out`` is what it had written by then."""

    def __init__(self, message: str, hint: str, out: bytes) -> None:
        super().__init__(message, hint)
        self.out = out


_SETTINGS: Mapping[str, str] = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
_GRACE = 2.0  # seconds for the pipes of a killed program to close

_running: set[Popen[bytes]] = set()
"""Programs that threads wait for. They have sessions of their own, so that Ctrl-C does not reach them."""

_starting = Lock()
"""Held while a program is started and not yet among those that run."""


@atexit.register
def _stop_what_runs() -> None:
    """Nothing that was started goes on for a memgit that has ended. The lock is kept: no thread starts one more."""
    _starting.acquire(timeout=_GRACE)
    for process in tuple(_running):
        _end(process)


@dataclass(frozen=True, slots=True)
class Result:
    """How a program ended: its exit code (negative: the signal that ended it) and all it wrote."""

    code: int
    out: bytes
    err: bytes

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def complaint(self) -> str:
        """The line of stderr that says what is wrong, printable: git's ``fatal:`` or ``error:``, else the last one."""
        lines = [line.strip() for line in self.err.decode("utf-8", "replace").split("\n") if line.strip()]
        said = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
        return "".join(char if char.isprintable() else "�" for char in said)[:300]


def run(
    argv: Sequence[str],
    *,
    cwd: str | Path | None = None,
    stdin: bytes | None = None,
    timeout: float = TIMEOUT,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run a program to its end and return what it said; a non-zero exit code is no error here.

    ``env`` is added to the caller's environment, of which no ``GIT_*`` variable is passed on. A program that
    takes longer than ``timeout`` seconds is killed with all that it started. Without ``stdin`` it reads nothing.

    Raises `ToolFailed` when the program is missing or cannot be started, `TooSlow` when it is too slow.
    """
    from subprocess import TimeoutExpired  # here, so that a command which runs nothing starts faster

    with _starting:
        process = _start(argv, cwd, clean_environment(env))
        _running.add(process)
    try:
        out, err = process.communicate(stdin or b"", timeout)
    except TimeoutExpired:
        raise TooSlow(
            f"{_named(argv)} took longer than {timeout:g} s and was stopped",
            "Run it by hand to see what it waits for, then try again",
            _kill(process),
        ) from None
    except BaseException:
        _kill(process)
        raise
    finally:
        _running.discard(process)
    return Result(process.returncode, out, err)


def start_detached(argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> None:
    """Start a program that goes on when this process has ended, and that nobody listens to.

    Raises `ToolFailed` when it cannot be started.
    """
    from subprocess import DEVNULL
    from subprocess import Popen as StartedProgram

    aside = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x00000008}  # DETACHED_PROCESS
    try:
        started = StartedProgram(
            list(argv), cwd=cwd, env=clean_environment(env), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, **aside
        )
    except (OSError, ValueError) as cause:
        raise ToolFailed(f"{_named(argv)} cannot be started: {cause}") from None
    started.returncode = 0  # nobody will ask how it ended


def git(
    args: Sequence[str],
    *,
    cwd: str | Path | None = None,
    git_dir: str | Path | None = None,
    stdin: bytes | None = None,
    timeout: float = TIMEOUT,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run git on a project's repository (in ``cwd``), or on a bare one of memgit's own (``git_dir``).

    No program is started that the repository names. On a project's only the verbs in `git_safety.VERBS` are known.
    """
    if git_dir is not None:
        return run(["git", *on_a_vault(git_dir, args)], cwd=cwd, stdin=stdin, timeout=timeout, env=env)
    if odd := odd_file(cwd or os.curdir):
        raise ToolFailed(f"git cannot work here: {odd} is no ordinary file", "Move it away, or look what made it")
    safe = {**ENVIRONMENT_ON_A_PROJECT, **(env or {})}
    return run(["git", *on_a_project(args)], cwd=cwd, stdin=stdin, timeout=timeout, env=safe)


def require_ok(result: Result, what: str, hint: str = "") -> Result:
    """The result itself when its exit code is 0; else raises `ToolFailed`: ``what`` failed, and stderr's last line."""
    if result.ok:
        return result
    raise ToolFailed(f"{what} failed with exit code {result.code}: {result.complaint or 'it said nothing'}", hint)


def clean_environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment without any ``GIT_*`` (a hook's would redirect git to another repository),
    with plain messages, no prompts and no optional locks, and then what is ``added``."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    return {**kept, **_SETTINGS, **(added or {})}


def _start(argv: Sequence[str], cwd: str | Path | None, env: Mapping[str, str]) -> Popen[bytes]:
    from subprocess import PIPE
    from subprocess import Popen as StartedProgram

    try:
        return StartedProgram(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=os.name == "posix",
        )
    except FileNotFoundError:
        if cwd is not None and not Path(cwd).is_dir():
            raise ToolFailed(f"{_named(argv)} cannot run in {cwd}: no such folder", "Name an existing folder") from None
        raise ToolFailed(
            f"the program {argv[0]} was not found", f"Install {argv[0]} or put it on PATH, then try again"
        ) from None
    except (OSError, ValueError) as cause:
        raise ToolFailed(
            f"{_named(argv)} cannot be started: {cause}", "Check that the program may be executed, then try again"
        ) from None


def _kill(process: Popen[bytes]) -> bytes:
    """End the program and all it started, and wait for it; returns what it wrote. A pipe that somebody else still
    holds is let go."""
    _end(process)
    try:
        return bytes(process.communicate(timeout=_GRACE)[0])
    except Exception:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        return b""


def _end(process: Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _named(argv: Sequence[str]) -> str:
    """The program and its verb, for a message: never all arguments, which may hold text from outside."""
    verb = next((word for word in argv[1:] if word.isalpha()), "")
    return f"{argv[0]} {verb}".strip()


def at_terminal(argv: Sequence[str]) -> int:
    """Run a program of the user's own choice (an editor, a difftool) on his terminal, with his environment.

    Returns its exit code. Raises `ToolFailed` when it cannot be started, and UsageError where no person called.
    """
    from subprocess import call

    refuse_programs(f"The program {argv[0]}")
    try:
        return call(list(argv))
    except (OSError, ValueError) as cause:
        raise ToolFailed(f"{_named(argv)} cannot be started: {cause}", "Name a program that is installed") from None


@contextmanager
def fed(argv: Sequence[str], missing: Mapping[str, str]) -> Iterator[IO[bytes]]:
    """Run a program of the user's own choice (a pager) on his terminal, and write to it.

    It gets the caller's environment, with what is ``missing`` there, and is waited for, whatever key ends it. Raises
    as `at_terminal` does.
    """
    from subprocess import PIPE
    from subprocess import Popen as StartedProgram

    refuse_programs(f"The program {argv[0]}")
    try:
        started = StartedProgram(list(argv), stdin=PIPE, env={**missing, **os.environ})
    except (OSError, ValueError) as cause:
        raise ToolFailed(f"{_named(argv)} cannot be started: {cause}", "Name a program that is installed") from None
    assert started.stdin is not None
    try:
        yield started.stdin
    finally:
        with suppress(OSError):
            started.stdin.close()
        _wait(started)


def in_browser(address: str) -> bool:
    """Show a page in the browser that the user's system or his ``BROWSER`` names; False where there is none.

    Raises UsageError where no person called.
    """
    import webbrowser

    refuse_programs("A browser")
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def _wait(started: Popen[bytes]) -> None:
    """Wait for a program that deals with Ctrl-C itself."""
    while True:
        try:
            started.wait()
        except KeyboardInterrupt:
            continue
        return
