"""Putting memgit's hooks into the user's own settings of the client, and taking exactly them out again."""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memgit import files
from memgit.agent import clients
from memgit.agent.clients import main_client
from memgit.agent.clients.client import Client, Hook
from memgit.agent.hooks.nudge import MODES
from memgit.agent.hooks.own_lines import runs
from memgit.agent.installing.settings_edit import (
    MARK,
    command_line,
    has_own,
    read_settings,
    telling_line,
    with_hooks,
    without_hooks,
)
from memgit.errors import MemgitError, UsageError
from memgit.reading import read_small


@dataclass(frozen=True)
class Wishes:
    """What the user chose: the guard, how the reminder comes, and every how many turns."""

    guard: str = "off"
    nudge: str = "found"
    every: int = 3

    def ask_for(self, verb: str) -> bool:
        """Whether a hook has anything to do: no program is started with each prompt for nothing."""
        return verb != "user-prompt-submit" or self.guard == "strict" or self.nudge == "context"

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
    """A client's settings, the user's skills folder, and memgit's note of what it wrote there.

    ``config`` is the client's own folder, ``into`` where it looks for skills. ``program`` are the words that start
    this memgit, the first an absolute path; ``skills`` the folder of the skills that come with it, beside which
    ``agents`` is.
    """

    config: Path
    note: Path
    program: Sequence[str]
    skills: Path
    client: Client = field(default_factory=main_client)
    into: Path | None = None

    @property
    def settings(self) -> Path:
        """The file itself: a link to it stays one."""
        return Path(os.path.realpath(self.config / self.client.file))

    # --- what would change ---

    def installing(self, wishes: Wishes) -> tuple[Edit, ...]:
        """The edits that put the hooks and the skills in; none where all is so already."""
        before = _read(self.settings)
        edits = [Edit(self.settings, before, self._with_hooks(before, wishes)), *self._skills_in()]
        return tuple(edit for edit in edits if edit.before != edit.after)

    def uninstalling(self) -> tuple[Edit, ...]:
        """The edits that take them out: to the very bytes of before, where nothing else has changed since."""
        before = _read(self.settings)
        known = self._noted()
        if before is not None and known.get("after") == _digest(before):
            after = _decoded(known.get("before"))
        else:
            after = self._foreign(before)
        edits = [Edit(self.settings, before, after), *self._skills_out(known)]
        return tuple(edit for edit in edits if edit.before != edit.after)

    def _with_hooks(self, before: bytes | None, wishes: Wishes) -> bytes:
        if self.client.plugin:
            source = Path(clients.__file__).with_name(self.client.plugin).read_text(encoding="utf-8")
            return source.replace('["memgit"]', json.dumps(list(self.program))).encode()
        hooks = [hook for hook in self.client.hooks if wishes.ask_for(hook.verb)]
        groups = {hook.event: self.client.line(hook, self._command(hook, wishes)) for hook in hooks}
        return with_hooks(_text(before), groups, self.client.head).encode("utf-8", "surrogateescape")

    def _command(self, hook: Hook, wishes: Wishes) -> str:
        line = telling_line if hook.verb == "session-start" else command_line
        named = "" if self.client is main_client() else f" --for {self.client.name}"
        return line(self.program, f"hook {hook.verb} {MARK}{named}{wishes.options(hook.verb)}")

    # --- skills, and the agent that they start ---

    def _shipped(self) -> Iterator[tuple[Path, Path]]:
        """Each skill and agent that comes with memgit, and where it goes."""
        for source in sorted(self.skills.glob("*/SKILL.md")):
            yield source, (self.into or self.config / "skills") / source.parent.name / "SKILL.md"
        if self.client is main_client():
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
        """Write them. Raises UsageError for settings that cannot be read, then nothing is written; MemgitError where
        the system refuses."""
        edits = self.installing(wishes)
        with self._explained():
            self._note(edits)
            for edit in edits:
                _write(edit)
        return edits

    def uninstall(self) -> tuple[Edit, ...]:
        """Take them out. Raises as ``install``."""
        edits, known = self.uninstalling(), self._noted()
        with self._explained():
            for edit in edits:
                _write(edit)
            for folder in sorted(known.get("made", ()), key=len, reverse=True):
                files.remove_folder(Path(folder))
            self.note.unlink(missing_ok=True)
        return edits

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as cause:
            raise MemgitError(
                f"{cause.filename or self.settings} cannot be written: {cause.strerror}.",
                "Mend that, then run it again: it goes on from where it was cut short.",
            ) from cause

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
                before = known.get("before") if is_ours else _encoded(self._foreign(edit.before))
                facts |= {"before": before, "after": _digest(edit.after)}
        self.note.parent.mkdir(parents=True, exist_ok=True, mode=files.PRIVATE_FOLDER)
        files.write_atomic(self.note, json.dumps(facts).encode())

    def _foreign(self, data: bytes | None) -> bytes | None:
        return data if self.client.plugin else _without_own(data)

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
        text = _text(_read(self.settings))
        settings = {} if self.client.plugin else read_settings(text)
        own = [event for event, groups in settings.get("hooks", {}).items() if any(has_own(each) for each in groups)]
        verbs = [hook.verb for hook in self.client.hooks if hook.event in own]
        plugins = _text(_read(self.config / "plugins" / "installed_plugins.json"))
        return Standing(
            settings=str(self.settings),
            events=tuple(hook.event for hook in self.client.hooks) if self.client.plugin and text else tuple(own),
            program_found=all(runs(settings, verb) for verb in verbs) and bool(verbs or self.client.plugin),
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
