"""The worked example."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError
from memgit.wiring.settings import Settings

if TYPE_CHECKING:
    from memgit.demo import Example


def demo(folder: str | None) -> tuple[Example, Settings]:
    """Build the worked example in an empty folder (a temporary one if none is named), and the settings to run it."""
    from tempfile import mkdtemp

    from memgit.demo import NOW, build

    where = Path(folder).absolute() if folder else Path(mkdtemp(prefix="memgit-demo-"))
    where.mkdir(parents=True, exist_ok=True)
    if any(where.iterdir()):
        raise UsageError(f"{where} is not empty.", "Name an empty or new folder.")
    example = build(Path(os.path.realpath(where)), os.environ)
    return example, Settings(example.env, str(example.project), now=NOW)
