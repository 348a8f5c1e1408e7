"""The worked example: a small project, its sessions and its store, built in a folder of its own.

Everything in it is invented. It has what a real project has that memgit needs (a git history in which a
document moved, transcripts in the agent's record format, memories with their ages), so that a pass over it
is a real pass.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memgit import files, process
from memgit.stores.rules import project_key

EXAMPLE = Path(__file__).parent / "example"
NOW = "2026-06-30T12:00:00Z"
"""The moment at which the example's pass is run, so that it always prints the same."""

_WRITTEN = {
    "runbook-location.md": "2026-03-18T08:05:00Z",
    "retry-budget.md": "2026-04-02T09:10:00Z",
    "deploy-window.md": "2026-04-09T11:25:00Z",
    "retries-are-capped.md": "2026-04-21T16:40:00Z",
}
_RUNBOOK_THEN, _RUNBOOK_NOW = "docs/runbooks/deploy.md", "docs/operations/deploy-runbook.md"


@dataclass(frozen=True)
class Example:
    """Where the built example is. ``command`` runs memgit inside it, from anywhere."""

    folder: Path
    project: Path
    store: Path
    env: Mapping[str, str]
    command: Path

    def decisions(self, pass_id: str) -> bytes:
        """What an agent decided of the example, written down in advance, as it hands that in to a pass."""
        return self._handed_in("decisions.json", pass_id)

    def candidates(self, pass_id: str) -> bytes:
        """What the agent proposed of the sessions before: nothing, because it decided with the whole in sight."""
        return self._handed_in("candidates.json", pass_id)

    def _handed_in(self, name: str, pass_id: str) -> bytes:
        return (EXAMPLE / name).read_bytes().replace(b"@PASS@", pass_id.encode())


def build(folder: Path, env: Mapping[str, str]) -> Example:
    """Build the example below ``folder``, which must be empty or new."""
    project = folder / "checkout-api"
    shutil.copytree(EXAMPLE / "project", project)
    _commit_history(project)
    config = folder / "claude"
    sessions = config / "projects" / project_key(str(project))
    sessions.mkdir(parents=True)
    for transcript in sorted((EXAMPLE / "sessions").iterdir()):
        text = transcript.read_text(encoding="utf-8").replace("@PROJECT@", str(project))
        files.write_atomic(sessions / transcript.name, text.encode())
    store = sessions / "memory"
    shutil.copytree(EXAMPLE / "store", store)
    for name, when in _WRITTEN.items():
        _set_time(store / name, when)
    own = {
        "CLAUDE_CONFIG_DIR": str(config),
        "MEMGIT_DATA_HOME": str(folder / "memgit"),
        "MEMGIT_STATE_HOME": str(folder / "memgit-state"),
        "MEMGIT_CACHE_HOME": str(folder / "memgit-cache"),
        "MEMGIT_CONFIG_HOME": str(folder / "memgit-config"),
    }
    return Example(folder, project, store, {**env, **own}, _command(folder, project, own))


def _commit_history(project: Path) -> None:
    """Two commits: the project as it was when the memories were written, and the move nobody mentioned."""
    runbook, earlier = project / _RUNBOOK_NOW, project / _RUNBOOK_THEN
    earlier.parent.mkdir(parents=True)
    runbook.rename(earlier)
    _git(project, "2026-02-02T10:00:00+00:00", "init", "-q", "-b", "main")
    _git(project, "2026-02-02T10:00:00+00:00", "add", "-A")
    _git(project, "2026-02-02T10:00:00+00:00", "commit", "-q", "-m", "checkout-api")
    earlier.rename(runbook)
    earlier.parent.rmdir()
    _git(project, "2026-05-11T10:00:00+00:00", "add", "-A")
    _git(project, "2026-05-11T10:00:00+00:00", "commit", "-q", "-m", "Move the runbook to the operations docs")


def _git(project: Path, when: str, *arguments: str) -> None:
    identity = {
        "GIT_AUTHOR_NAME": "Example", "GIT_AUTHOR_EMAIL": "dev@example.org", "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": "Example", "GIT_COMMITTER_EMAIL": "dev@example.org", "GIT_COMMITTER_DATE": when,
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip
    process.require_ok(process.run(["git", *arguments], cwd=str(project), env=identity), "git")


def _set_time(path: Path, when: str) -> None:
    moment = datetime.fromisoformat(when).timestamp()
    os.utime(path, (moment, moment))


def _command(folder: Path, project: Path, env: Mapping[str, str]) -> Path:
    """A small script that runs memgit in the example, so that its user need not export anything."""
    lines = ["#!/bin/sh", f"cd {shlex.quote(str(project))} || exit 1"]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in env.items()]
    path = folder / "memgit-demo"
    lines += [f"export MEMGIT_CALLED={shlex.quote(shlex.quote(str(path)))}"]
    lines += [f'exec {shlex.quote(sys.executable)} -m memgit "$@"', ""]
    files.write_atomic(path, "\n".join(lines).encode(), mode=0o700)
    return path
