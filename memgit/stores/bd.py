"""The ``bd`` command: memories read and written through it, because its database is its own.

What it prints was read in its source and is not promised by it, so nothing is taken for success that does not look
like it: a failing or silent command is an error, never a store without memories.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memgit.errors import ToolFailed

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
        """What the database says of its own history, on one line; empty where it says nothing."""
        try:
            said = self._ran(("dolt", "status"))
        except ToolFailed:
            return ""
        lines = said.decode("utf-8", "replace").split("\n")
        return "; ".join(" ".join(each.split()) for each in lines if each.strip())[:300]

    def beads(self, label: str) -> tuple[Mapping[str, Any], ...]:
        """The beads with a label, whatever their status."""
        found = self._json(("list", "--label", label, "--status", "all", "--json"))
        found = found.get("data", found.get("issues")) if isinstance(found, dict) else found
        found = [] if found is None else found  # a Go program's empty list
        if not isinstance(found, list):
            raise ToolFailed("`bd list --json` printed no list of beads.", _AGAIN)
        return tuple(each for each in found if isinstance(each, dict) and isinstance(each.get("id"), str))

    def create(self, arguments: Sequence[str], body: str) -> None:
        """File a bead."""
        self._ran(("create", *arguments), body.encode())

    def _json(self, arguments: Sequence[str]) -> Any:
        try:
            return json.loads(self._ran(arguments).decode("utf-8"))
        except ValueError:
            raise ToolFailed(f"`bd {arguments[0]} --json` printed no JSON.", _AGAIN) from None

    def _ran(self, arguments: Sequence[str], stdin: bytes | None = None) -> bytes:
        # The folder is named outright: bd would look for one above its working directory.
        env, project = {"BEADS_DIR": self.folder}, str(Path(self.folder).parent)
        ran = self.run(["bd", *arguments], cwd=project, stdin=stdin, timeout=self.timeout, env=env)
        if ran.code != 0:
            raise ToolFailed(
                f"`bd {arguments[0]}` failed with exit code {ran.code}: {ran.complaint or 'it said nothing'}.", _AGAIN
            )
        return ran.out


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
