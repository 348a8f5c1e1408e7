"""A project with a beads store, kept by a double of ``bd`` that stands on PATH."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memgit import process
from memgit.files import Journal
from memgit.model.store import Resolution
from memgit.stores.beads.bd import Bd, BeadsStore
from memgit.stores.beads.install import BeadsInstaller
from tests.desks import read_folder

DOUBLE = Path(__file__).parent / "bd_double.py"


@dataclass(frozen=True)
class Beads:
    """``folder`` is the project's ``.beads``."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder.parent

    @property
    def database(self) -> Path:
        return self.folder / "database.json"

    @property
    def memories(self) -> dict[str, str]:
        return json.loads(self.database.read_text())["memories"]

    @property
    def beads(self) -> list[dict]:
        return json.loads(self.database.read_text()).get("beads", [])

    def put(self, memories: Mapping[str, str], beads: list[dict] | None = None) -> None:
        self.database.write_text(json.dumps({"memories": dict(memories), "beads": beads or []}))

    def fail(self, *rules: str) -> None:
        """Count the calls anew, and let some of them fail."""
        (self.project / "bd-calls").unlink(missing_ok=True)
        (self.project / "bd-fails").write_text("\n".join(rules))

    @property
    def verbs(self) -> list[str]:
        log = self.project / "bd-calls"
        return [line.split("\t")[0] for line in log.read_text().splitlines()] if log.exists() else []

    def calls(self, verb: str) -> list[list[str]]:
        log = (self.project / "bd-calls").read_text().splitlines()
        return [json.loads(line.split("\t")[1]) for line in log if line.startswith(f"{verb}\t")]

    def store(self, timeout: float = 30) -> BeadsStore:
        found = Resolution(str(self.folder), "test", "beads")
        return BeadsStore(found, Bd(str(self.folder), process.run, timeout))

    def installer(self, private: Path) -> BeadsInstaller:
        return BeadsInstaller(self.store(), read_folder, Journal(private / "journal.json"))


def beads_at(project: Path, memories: Mapping[str, str]) -> Beads:
    """A project with these memories, and the double as ``bd`` on this process's PATH."""
    programs = project.parent / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / "bd"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "{DOUBLE}" "$@"\n')
    program.chmod(0o755)
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    made = Beads(project / ".beads")
    made.folder.mkdir(parents=True)
    made.put(memories)
    return made
