"""A beads store: the memories that ``bd`` keeps in a project's database, read through that command."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memgit.errors import ToolFailed, UsageError
from memgit.memory.fingerprint import fingerprint
from memgit.memory.shapes import BEADS, content_of
from memgit.model.store import Resolution, StoreContent
from memgit.stores.rules import at_home

# --- bd ---
# The ``bd`` command: memories read and written through it, because its database is its own.
#
# What it prints was read in its source (1.0 to 1.2), seen of 1.3, and is not promised by it, so nothing is taken for
# success that does not look like it: a failing or silent command is an error, never a store without memories.

TIMEOUT = 30.0
"""Seconds that one command may take."""

_AGAIN = "Run `bd memories --json` in the project to see what it says, then try again."


class Ran(Protocol):
    """How a program ended."""

    @property
    def code(self) -> int: ...
    @property
    def out(self) -> bytes: ...
    @property
    def err(self) -> bytes: ...
    @property
    def complaint(self) -> str: ...


class Run(Protocol):
    """Runs a program to its end; raises ToolFailed when it is missing or too slow."""

    def __call__(
        self, argv: Sequence[str], *, cwd: str, stdin: bytes | None, timeout: float, env: Mapping[str, str]
    ) -> Ran: ...


@dataclass(frozen=True)
class Bd:
    """``bd`` for one database: ``folder`` is the project's ``.beads``. Every method raises ToolFailed."""

    folder: str
    run: Run
    timeout: float = TIMEOUT

    def memories(self) -> dict[str, str]:
        """All values by key."""
        return _memories(self._json(("memories", "--json")))

    def remember(self, key: str, value: str) -> None:
        """Write a value; one that is there is overwritten without a word."""
        self._ran(("remember", f"--key={key}", "--", value))

    def forget(self, key: str) -> None:
        """Delete a value. It asks nothing and keeps nothing that this command could bring back."""
        self._ran(("forget", "--", key))

    def state(self) -> str:
        """Where the database's own history is, on one line: its branch and commit, else what it says of its engine;
        empty where it says nothing."""
        try:
            found = _payload(self._json(("vc", "status", "--json")))
            return f"branch {found['branch']}, commit {found['commit']}"
        except (ToolFailed, KeyError, TypeError):
            return self._engine()

    def _engine(self) -> str:
        try:
            said = self._ran(("dolt", "status"))
        except ToolFailed:
            return ""
        lines = said.decode("utf-8", "replace").split("\n")
        return "; ".join(" ".join(each.split()) for each in lines if each.strip())[:300]

    def kinds(self) -> frozenset[str]:
        """The types that a bead may have here, its own and those of the project; empty where bd does not tell."""
        try:
            found = _payload(self._json(("types", "--json")))
            return frozenset((*(each["name"] for each in found["core_types"]), *(found.get("custom_types") or ())))
        except (ToolFailed, AttributeError, KeyError, TypeError):
            return frozenset()

    def beads(self, label: str) -> tuple[Mapping[str, Any], ...]:
        """The beads with a label, whatever their status."""
        return self._listed("--label", label)

    def titled(self, title: str) -> tuple[Mapping[str, Any], ...]:
        """The beads of exactly this title, whatever their status."""
        return tuple(each for each in self._listed("--title", title) if each.get("title") == title)

    def create(self, arguments: Sequence[str], body: str) -> None:
        """File a bead."""
        self._ran(("create", *arguments), body.encode())

    def close(self, bead: str, reason: str) -> None:
        """Close a bead; one that is closed already stays so."""
        self._ran(("close", bead, f"--reason={reason}"))

    def _listed(self, option: str, value: str) -> tuple[Mapping[str, Any], ...]:
        # Without a limit it would print as many as a setting says, and tell of the rest on stderr only.
        found = _payload(self._json(("list", option, value, "--status", "all", "--limit", "0", "--json")))
        found = [] if found is None else found  # a Go program's empty list
        if not isinstance(found, list):
            raise ToolFailed("`bd list --json` printed no list of beads.", _AGAIN)
        return tuple(each for each in found if isinstance(each, dict) and isinstance(each.get("id"), str))

    def _json(self, arguments: Sequence[str]) -> Any:
        try:
            return json.loads(self._ran(arguments).decode("utf-8"))
        except ValueError:
            raise ToolFailed(f"`bd {arguments[0]} --json` printed no JSON.", _AGAIN) from None

    def _ran(self, arguments: Sequence[str], stdin: bytes | None = None) -> bytes:
        # The folder is named outright: bd would look for one above its working directory. In an envelope no memory
        # is hidden by the schema's version; a bd that knows none takes no notice.
        env, project = {"BEADS_DIR": self.folder, "BD_JSON_ENVELOPE": "1"}, str(Path(self.folder).parent)
        ran = self.run(["bd", *arguments], cwd=project, stdin=stdin, timeout=self.timeout, env=env)
        if ran.code != 0:
            raise ToolFailed(f"`bd {arguments[0]}` failed with exit code {ran.code}: {_complaint(ran)}.", _AGAIN)
        return ran.out


def _complaint(ran: Ran) -> str:
    """What went wrong: with ``--json`` bd says it on standard output, and a hint may follow it on the other."""
    try:
        said = _payload(json.loads(ran.out))["error"]
    except (ValueError, KeyError, TypeError):
        said = next(filter(None, map(_after_error, ran.err.decode("utf-8", "replace").split("\n"))), ran.complaint)
    from memgit.evidence.findings import printable  # here: every command that looks for stores loads this module

    return printable(" ".join(str(said).split()))[:300].rstrip(".") or "it said nothing"


def _after_error(line: str) -> str:
    return line.removeprefix("Error: ") if line.startswith("Error: ") else ""


def _payload(printed: Any) -> Any:
    """What is in an answer's envelope, whichever form that has; an answer without one is its own payload."""
    if not isinstance(printed, dict):
        return printed
    return next((printed[name] for name in ("data", "items", "issues") if name in printed), printed)


def _memories(printed: Any) -> dict[str, str]:
    """The values of either form: bare, with the schema's version among them, or in an envelope."""
    if not isinstance(printed, dict):
        raise ToolFailed("`bd memories --json` printed no object of memories.", _AGAIN)
    if printed.keys() <= {"data", "schema_version"} and isinstance(printed.get("data"), dict):
        return _texts(printed["data"])
    version = printed.get("schema_version")
    return _texts({key: value for key, value in printed.items() if key != "schema_version" or value is not version}
                  if isinstance(version, int) else printed)  # fmt: skip


def _texts(found: Mapping[str, Any]) -> dict[str, str]:
    odd = next((key for key, value in found.items() if not isinstance(value, str)), None)
    if odd is not None:
        raise ToolFailed(f"`bd memories --json` gave no text for {odd[:80]!r}.", _AGAIN)
    return dict(found)


FOLDER = ".beads"


@dataclass(frozen=True)
class BeadsStore:
    """Reads the store at ``resolution.path``, a project's ``.beads``. One listing is one moment of the database."""

    resolution: Resolution
    bd: Bd

    def read(self) -> StoreContent:
        """Every memory as a file. Raises ToolFailed where bd is missing, too slow, fails, or prints something else."""
        return content_of(self.bd.memories())

    def fingerprint(self) -> str:
        """The content hash of the memories as they are now."""
        return fingerprint(self.read())


def address(cwd: str, named: str, home: str) -> Resolution | None:
    """The store that ``beads`` (of the project here) or ``beads:DIR`` names; None for any other address.

    Raises UsageError where there is no such folder.
    """
    shape, colon, where = named.partition(":")
    if shape != BEADS or (not colon and Path(cwd, named).is_dir()):
        return None
    folder = _at(Path(cwd, at_home(where, home))) if where else above(cwd)
    if folder is None:
        raise UsageError(
            f"There is no {FOLDER} folder {'in ' + where if where else 'here or above'}.",
            "Name the project with --store beads:DIR, or run `bd init` there.",
        )
    return Resolution(folder, "--store", BEADS)


def above(cwd: str) -> str | None:
    """The ``.beads`` folder of the project that a directory is in."""
    here = Path(os.path.realpath(cwd))
    return next((found for folder in (here, *here.parents) if (found := _in(folder))), None)


def _at(named: Path) -> str | None:
    """The folder itself, or the one in a project."""
    return os.path.realpath(named) if named.name == FOLDER and named.is_dir() else _in(named)


def _in(project: Path) -> str | None:
    return os.path.realpath(project / FOLDER) if (project / FOLDER).is_dir() else None
