"""A text handed to the user's own editor, in a file that only he can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memgit import files, process
from memgit.errors import ToolFailed


@dataclass(frozen=True)
class Editor:
    """The program (words of a command line) and the folder, private to the user, in which the text lies meanwhile."""

    program: Sequence[str]
    folder: Path

    def edit(self, text: str, name: str) -> str | None:
        """The text as the user leaves it; None where the editor failed or nothing was changed.

        Raises ToolFailed for an editor that cannot be started, and UsageError where no person called.
        """
        path = self.folder / f"{name}.md"
        files.write_atomic(path, text.encode("utf-8", "replace"))
        try:
            code = self._run(path)
            edited = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None  # the editor removed it
        finally:
            files.remove_file(path)
        return None if code or edited.strip() in ("", text.strip()) else edited

    def _run(self, path: Path) -> int:
        try:
            return process.at_terminal([*self.program, str(path)])
        except ToolFailed as failed:
            raise ToolFailed(failed.message, "Set VISUAL or EDITOR to an editor that is installed.") from None
