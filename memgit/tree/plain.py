"""A project without git: all its files but those of tools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from memgit.model.verification import NOTHING_KNOWN, Absence, Change, Line
from memgit.tree.files import SearchedTree

_TOOL_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)


class PlainTree(SearchedTree):
    """The files under a root by walking it. There is no history, so an absent path was simply never seen."""

    def absent(self, paths: Sequence[str]) -> Mapping[str, Absence]:
        return dict.fromkeys(paths, NOTHING_KNOWN)

    def names_absent(
        self, _names: Sequence[str], _scripts: Sequence[str], _since: datetime | None
    ) -> Mapping[str, Absence]:
        return {}

    def since(self, _line: Line) -> Change | None:
        return None

    def files_gone_since(self, _time: datetime) -> int:
        return 0

    def _listed(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self._real_root):
            inside = os.path.relpath(folder, self._real_root).replace(os.sep, "/")
            prefix = "" if inside == "." else f"{inside}/"
            folders[:] = sorted(name for name in folders if name not in _TOOL_FOLDERS and self._enters(prefix + name))
            yield from (prefix + name for name in sorted(files))
