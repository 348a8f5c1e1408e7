"""A beads store: the memories that ``bd`` keeps in a project's database, read through that command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit.errors import ToolFailed, UsageError
from memgit.memory.fingerprint import fingerprint
from memgit.memory.shapes import key_of, path_of
from memgit.model.store import Resolution, StoreContent, StoreFile
from memgit.stores.kinds import Ran, Run

# --- bd ---
# The ``bd`` command: memories read and written through it, because its database is its own.
#
# What it prints was read in its source (1.0 to 1.2), seen of 1.3, and is not promised by it, so nothing is taken for
# success that does not look like it: a failing or silent command is an error, never a store without memories.

TIMEOUT = 30.0
"""Seconds that one command may take."""

_AGAIN = "Run `bd memories --json` in the project to see what it says, then try again."


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


# --- normal form ---
# Each memory is a file whose path spells its key, and whose bytes are its value.


def content_of(memories: Mapping[str, str]) -> StoreContent:
    """A store of these values by key. There is no index, and no time: the store keeps none."""
    files = (StoreFile(path_of(key), value.encode("utf-8", "surrogatepass")) for key, value in memories.items())
    return StoreContent({file.path: file for file in sorted(files, key=lambda file: file.path)}, indexed=False)


def values_of(content: StoreContent) -> dict[str, str]:
    """The values by key, as a store shall have them. Raises UsageError naming the file that can be no such memory."""
    return {_named(file): _said(file) for file in content.files.values()}


def _named(file: StoreFile) -> str:
    key = None if file.is_link else key_of(file.path)
    if key is not None and len(key) > MOST_CHARACTERS:
        raise _unsayable(file, f"its key is longer than {MOST_CHARACTERS} characters")
    if key is None or "\0" in key:
        raise UsageError(
            f"{file.path!r} can be no memory of a beads store.",
            "Memories are files NAME.md; take the file out of the candidate, or give it such a name.",
        )
    return key


def _said(file: StoreFile) -> str:
    try:
        value = file.data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unsayable(file, "it is not UTF-8") from None
    if not value.strip():
        raise _unsayable(file, "it is empty")
    if "\0" in value:
        raise _unsayable(file, "it holds a NUL character")
    if len(file.data) > MOST_BYTES:
        raise _unsayable(file, f"it is longer than {MOST_BYTES:,} bytes")
    return value


MOST_BYTES = 65_535
"""Of one value: that is what the column of bd's database holds, and less than systems allow an argument."""

MOST_CHARACTERS = 245
"""Of one key: its column holds 255, of which bd's own prefix takes ten."""


def _unsayable(file: StoreFile, why: str) -> UsageError:
    return UsageError(f"bd cannot keep {file.path!r}: {why}.", "Change it in the candidate, or leave its change out.")
