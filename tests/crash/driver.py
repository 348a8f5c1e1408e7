"""Runs verbs in processes of their own, quickly: everything is imported once, and each run is a fork of that.

``strace`` joins a run before its first step, so that it counts no call but the verb's own.
"""

from __future__ import annotations

import importlib
import json
import mmap
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import memgit
from memgit import faults
from memgit.errors import MemgitError
from memgit.stores.install import Way
from tests.crash.verbs import act

REPOSITORY = Path(__file__).parents[2]
BUG = 70
INTERRUPTED = 130
_TOLD = 2000
LIMIT = 60.0
"""Seconds after which a run that has not ended counts as hanging."""
HUNG = -99


@dataclass(frozen=True)
class Ran:
    """How a run ended: exit code or minus the signal; and what the error said."""

    code: int
    said: str


class Driver:
    """A process that runs verbs, for as long as a ``with`` block."""

    def __enter__(self) -> Driver:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.driver"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, root: Path, way: Way, verb: str, fault: str = "", strace: Sequence[str] = ()) -> Ran:
        """Run a verb on the world in ``root``, with a fault armed or strace called with these options."""
        task = {"root": str(root), "way": way, "verb": verb, "fault": fault, "strace": list(strace)}
        print(json.dumps(task), file=self._process.stdin, flush=True)
        return Ran(**json.loads(self._process.stdout.readline()))


def can_trace() -> str:
    """Why strace cannot be used here; empty if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"strace may not trace here: {tried.stderr.strip()[:80]}"


# --- in the driver's process ---


def serve() -> None:
    _import_everything()
    said = mmap.mmap(-1, _TOLD)  # shared with the forks: telling what went wrong takes no system call
    for line in sys.stdin:
        task = json.loads(line)
        said[:] = bytes(_TOLD)
        code = _run(task, said)
        text = bytes(said).rstrip(b"\0").decode("utf-8", "replace")
        print(json.dumps({"code": code, "said": text}), flush=True)


def _import_everything() -> None:
    """Much is imported where it is used, to start fast; a fork should find it there."""
    for module in pkgutil.walk_packages(memgit.__path__, "memgit."):
        if "__main__" not in module.name and ".example" not in module.name and module.name != "memgit._entry":
            with suppress(ImportError):  # an optional dependency; a verb that needs it says so itself
                importlib.import_module(module.name)


def _run(task: dict[str, Any], said: mmap.mmap) -> int:
    ready, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(ready, 1)
        os._exit(_run_verb(task, said))
    os.close(ready)
    tracer = _join(child, task["strace"]) if task["strace"] else None
    os.write(go, b"!")
    os.close(go)
    status = _wait(child)
    if tracer:
        tracer.communicate()
    return status


def _wait(child: int) -> int:
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return HUNG


def _join(child: int, options: Sequence[str]) -> subprocess.Popen[bytes]:
    tracer = subprocess.Popen(["strace", "-qq", *options, "-p", str(child)], stderr=subprocess.DEVNULL)
    status = Path(f"/proc/{child}/status")
    while f"TracerPid:\t{tracer.pid}\n" not in status.read_text():
        if tracer.poll() is not None:
            raise RuntimeError(f"strace ended: {tracer.returncode}")
        time.sleep(0.001)
    return tracer


def _run_verb(task: dict[str, Any], said: mmap.mmap) -> int:
    faults.arm(task["fault"])
    try:
        act(Path(task["root"]), Way(task["way"]), task["verb"])
    except MemgitError as error:
        _tell(said, f"{error.code}: {error.message}")
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:
        _tell(said, f"{type(error).__name__}: {error}")
        return BUG
    return 0


def _tell(said: mmap.mmap, text: str) -> None:
    data = text.encode("utf-8", "replace")[:_TOLD]
    said[: len(data)] = data


if __name__ == "__main__":
    serve()
