"""Answers that were paid for once, so that a run that broke off asks only for what it did not get.

An answer is kept when it was found to keep its contract, under a hash of everything that it depends on. What is kept is
only a convenience: broken, old or gone, the question is put again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import time

from memgit import files

FOLDER = "answers"
MOST = 200
"""Answers that are kept at the most, newest first: some passes of many batches."""
DAYS = 7
"""How long an answer is kept: long enough to go on tomorrow, too short to stand for what a newer model would say."""

_VERSION = 1  # raise it when an answer that was kept would be read differently


@dataclass(frozen=True)
class KeptAnswers:
    """A folder of answers that only its owner can read."""

    folder: Path

    def find(self, key: str) -> str | None:
        """The answer kept under a key, unless that was too long ago."""
        path = self.folder / f"{key}.json"
        try:
            return None if path.stat().st_mtime < _oldest() else str(json.loads(path.read_bytes())["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, answer: str) -> None:
        """Keep an answer, and let go of the oldest. A disk that takes nothing more costs only the convenience."""
        with suppress(OSError):
            with suppress(FileExistsError):
                files.make_private_folder(self.folder)
            files.write_atomic(self.folder / f"{key}.json", json.dumps({"answer": answer}).encode())
            self._prune()

    def _prune(self) -> None:
        aged = sorted(((path.stat().st_mtime, path) for path in answer_files(self.folder)), reverse=True)
        for number, (modified, path) in enumerate(aged):
            if number >= MOST or modified < _oldest():
                files.remove_file(path)


def answer_files(folder: Path) -> tuple[Path, ...]:
    """The files of all answers that are kept, and what a process that was killed has left of one."""
    return tuple(sorted(path for path in folder.iterdir() if path.is_file())) if folder.is_dir() else ()


def _oldest() -> float:
    return time() - DAYS * 86_400


def key(model: str, prompt: str, schema: Mapping[str, object]) -> str:
    """What an answer depends on, as the name of a file."""
    asked = json.dumps([_VERSION, model, prompt, schema], sort_keys=True)
    return blake2b(asked.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
