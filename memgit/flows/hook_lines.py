"""Putting memgit's hooks into the user's own settings of the client, and taking exactly them out again."""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit import files
from memgit.core.client.command_lines import command_line, telling_line
from memgit.core.client.own_lines import MARK
from memgit.core.client.settings_edit import has_own, read_settings, with_hooks, without_hooks
from memgit.errors import MemgitError, UsageError
from memgit.hooks.event import EVENTS
from memgit.hooks.nudge import MODES
from memgit.hooks.own_lines import runs
from memgit.reading import read_small

SECONDS: Mapping[str, int] = {"session-start": 15, "user-prompt-submit": 15}
"""How long the client waits for a hook; the others get ten seconds, without which it ends SessionEnd after one."""
MATCHERS: Mapping[str, str] = {
    "session-start": "startup|resume|clear|compact",
    "post-tool-use": "Write|Edit|MultiEdit",
}


@dataclass(frozen=True)
class Wishes:
    """What the user chose: the guard, how the reminder comes, and every how many turns."""

    guard: str = "off"
    nudge: str = "block"
    every: int = 3

    def options(self, verb: str) -> str:
        """What a verb's line says beside its name. Raises UsageError for what cannot be chosen."""
        if self.guard not in ("off", "strict"):
            raise UsageError(f"--guard {self.guard} is unknown.", "Choose off or strict.")
        if self.nudge not in MODES:
            raise UsageError(f"--nudge {self.nudge} is unknown.", f"Choose one of {', '.join(MODES)}.")
        match verb:
            case "user-prompt-submit":
                return f" --guard {self.guard} --nudge {self.nudge}"
            case "stop":
                return f" --nudge {self.nudge} --every {self.every}"
            case _:
                return ""


@dataclass(frozen=True)
class Edit:
    """One file to be changed: its bytes before and after (None: there is none)."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> list[str]:
        old, new = (_lines(data) for data in (self.before, self.after))
        return list(difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm=""))


@dataclass(frozen=True)
class Standing:
    """How the hooks stand: the events that the settings run, whether their program is there, and the skills."""

    settings: str
    events: tuple[str, ...]
    program_found: bool
    plugin: bool
    switched_off: bool
    skills: tuple[str, ...]


@dataclass(frozen=True)
class HookLines:
    """The client's settings, the user's skills folder, and memgit's note of what it wrote there.

    ``program`` are the words that start this memgit, the first an absolute path; ``skills`` the folder of the
    skills that come with it, beside which ``agents`` is.
    """

    config: Path
    note: Path
    program: Sequence[str]
    skills: Path

    @property
    def settings(self) -> Path:
        """The file itself: a link to it stays one."""
        return Path(os.path.realpath(self.config / "settings.json"))

    # --- what would change ---

    def installing(self, wishes: Wishes) -> tuple[Edit, ...]:
        """The edits that put the hooks and the skills in; none where all is so already."""
        before = _read(self.settings)
        after = with_hooks(_text(before), self._groups(wishes)).encode("utf-8", "surrogateescape")
        edits = [Edit(self.settings, before, after), *self._skills_in()]
        return tuple(edit for edit in edits if edit.before != edit.after)

    def uninstalling(self) -> tuple[Edit, ...]:
        """The edits that take them out: to the very bytes of before, where nothing else has changed since."""
        before = _read(self.settings)
        known = self._noted()
        if before is not None and known.get("after") == _digest(before):
            after = _decoded(known.get("before"))
        else:
            after = None if before is None else without_hooks(_text(before)).encode("utf-8", "surrogateescape")
        edits = [Edit(self.settings, before, after), *self._skills_out(known)]
        return tuple(edit for edit in edits if edit.before != edit.after)

    def _groups(self, wishes: Wishes) -> dict[str, dict[str, Any]]:
        return {event: self._group(verb, wishes) for verb, event in EVENTS.items()}

    def _group(self, verb: str, wishes: Wishes) -> dict[str, Any]:
        line = {"type": "command", "command": self._command(verb, wishes), "timeout": SECONDS.get(verb, 10)}
        matcher = MATCHERS.get(verb)
        return {**({"matcher": matcher} if matcher else {}), "hooks": [line]}

    def _command(self, verb: str, wishes: Wishes) -> str:
        line = telling_line if verb == "session-start" else command_line
        return line(self.program, f"hook {verb} {MARK}{wishes.options(verb)}")

    # --- skills, and the agent that they start ---

    def _shipped(self) -> Iterator[tuple[Path, Path]]:
        """Each skill and agent that comes with memgit, and where it goes."""
        for source in sorted(self.skills.glob("*/SKILL.md")):
            yield source, self.config / "skills" / source.parent.name / "SKILL.md"
        for source in sorted(self.skills.with_name("agents").glob("*.md")):
            yield source, self.config / "agents" / source.name

    def _skills_in(self) -> Iterator[Edit]:
        """What the user has of his own under the same name is left alone."""
        known = self._noted().get("skills", {})
        for source, path in self._shipped():
            before = _read(path)
            if before is None or known.get(str(path)) == _digest(before):
                yield Edit(path, before, source.read_bytes())

    def _skills_out(self, known: Mapping[str, Any]) -> Iterator[Edit]:
        for name, digest in known.get("skills", {}).items():
            before = _read(Path(name))
            if before is not None and _digest(before) == digest:
                yield Edit(Path(name), before, None)

    # --- writing ---

    def install(self, wishes: Wishes) -> tuple[Edit, ...]:
        """Write them. Raises UsageError for settings that cannot be read; then nothing is written."""
        edits = self.installing(wishes)
        self._note(edits)
        for edit in edits:
            _write(edit)
        return edits

    def uninstall(self) -> tuple[Edit, ...]:
        """Take them out. Raises as ``install``."""
        edits, known = self.uninstalling(), self._noted()
        for edit in edits:
            _write(edit)
        for folder in sorted(known.get("made", ()), key=len, reverse=True):
            files.remove_folder(Path(folder))
        self.note.unlink(missing_ok=True)
        return edits

    def _note(self, edits: Sequence[Edit]) -> None:
        """Remember what was there before, and how memgit leaves it; first, so that a crash forgets nothing."""
        known = self._noted()
        skills = {str(edit.path): _digest(edit.after) for edit in edits if edit.path != self.settings and edit.after}
        made = {str(folder) for edit in edits for folder in edit.path.parents if not folder.exists()}
        folders = sorted({*known.get("made", ()), *made})
        facts = {**known, "skills": {**known.get("skills", {}), **skills}, "made": folders}
        for edit in edits:
            if edit.path == self.settings and edit.after:
                is_ours = edit.before is not None and known.get("after") == _digest(edit.before)
                before = known.get("before") if is_ours else _encoded(_without_own(edit.before))
                facts |= {"before": before, "after": _digest(edit.after)}
        self.note.parent.mkdir(parents=True, exist_ok=True, mode=files.PRIVATE_FOLDER)
        files.write_atomic(self.note, json.dumps(facts).encode())

    def _noted(self) -> dict[str, Any]:
        try:
            facts = json.loads(read_small(self.note, 8 << 20))
        except (OSError, ValueError, RecursionError):
            return {}
        whole = isinstance(facts, dict) and isinstance(facts.get("skills", {}), dict)
        return facts if whole and isinstance(facts.get("made", []), list) else {}

    # --- how it stands ---

    def standing(self) -> Standing:
        """What is installed. Raises UsageError for settings that cannot be read."""
        settings = read_settings(_text(_read(self.settings)))
        own = [event for event, groups in settings.get("hooks", {}).items() if any(has_own(each) for each in groups)]
        verbs = [verb for verb, event in EVENTS.items() if event in own]
        plugins = _text(_read(self.config / "plugins" / "installed_plugins.json"))
        return Standing(
            settings=str(self.settings),
            events=tuple(own),
            program_found=bool(verbs) and all(runs(settings, EVENTS[verb], verb) for verb in verbs),
            plugin="memgit@" in plugins,
            switched_off=settings.get("disableAllHooks") is True,
            skills=tuple(str(path) for source, path in self._shipped() if source.name == "SKILL.md" and path.is_file()),
        )


def _without_own(data: bytes | None) -> bytes | None:
    return None if data is None else without_hooks(_text(data)).encode("utf-8", "surrogateescape")


def _read(path: Path) -> bytes | None:
    try:
        return read_small(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MemgitError(f"{path} cannot be read: {error.strerror}.", "Nothing has been written.") from None


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()


def _write(edit: Edit) -> None:
    if edit.after is None:
        files.remove_file(edit.path)
        return
    edit.path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(edit.path.stat().st_mode) if edit.path.exists() else 0o600
    files.write_atomic(edit.path, edit.after, mode)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _decoded(text: object) -> bytes | None:
    return base64.b64decode(text) if isinstance(text, str) else None
