"""What a git tree cannot say of a store: whole modes, times, empty folders, what was left out.

Written as JSON with one line per file, so that versions of it pack well and read well in ``git show``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from memgit.model.store import StoreContent

SCHEMA = "memgit.manifest/1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """``modes`` are whole ``st_mode``, ``mtimes`` nanoseconds, both by the file's path in the store; ``roots`` where
    its folder was."""

    exists: bool = True
    indexed: bool = True
    folders: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    modes: Mapping[str, int] = field(default_factory=dict)
    mtimes: Mapping[str, int] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two stores with the same tree different ones; times do not."""
        return self.exists, self.folders, self.modes


def manifest_of(content: StoreContent) -> Manifest:
    return Manifest(
        exists=content.exists,
        indexed=content.indexed,
        folders=content.folders,
        foreign=content.foreign,
        special=content.special,
        roots=content.roots,
        modes={path: file.mode for path, file in content.files.items()},
        mtimes={path: file.mtime_ns for path, file in content.files.items()},
    )


def encode(manifest: Manifest) -> bytes:
    facts = {
        "schema": SCHEMA,
        "exists": manifest.exists,
        **({} if manifest.indexed else {"indexed": False}),
        "folders": list(manifest.folders),
        "foreign": list(manifest.foreign),
        "special": list(manifest.special),
        **({"roots": list(manifest.roots)} if manifest.roots else {}),
    }
    head = json.dumps(facts)[:-1]
    rows = (f"{json.dumps(path)}: [{mode}, {manifest.mtimes.get(path, 0)}]" for path, mode in manifest.modes.items())
    files = ",\n".join(rows)
    return f'{head}, "files": {{\n{files}\n}}}}\n'.encode()


@lru_cache(maxsize=2)
def decode(data: bytes) -> Manifest:
    """Read a manifest. Raises `ValueError` when it is none. One change reads the same ones again and again."""
    try:
        facts: dict[str, Any] = json.loads(data)
        files: dict[str, list[int]] = facts["files"]
        return Manifest(
            exists=facts["exists"],
            indexed=facts.get("indexed", True),
            folders=tuple(facts["folders"]),
            foreign=tuple(facts["foreign"]),
            special=tuple(facts["special"]),
            roots=tuple(facts.get("roots", ())),
            modes={path: row[0] for path, row in files.items()},
            mtimes={path: row[1] for path, row in files.items()},
        )
    except (KeyError, TypeError, IndexError, AttributeError) as cause:
        raise ValueError(f"no manifest: {cause!r}") from cause
