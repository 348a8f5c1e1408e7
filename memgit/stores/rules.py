"""The agent's own rules for where a project's memory is, as measured on its client: names and settings.

Standard library only and without `pathlib`: the hooks use them, and their start is measured in milliseconds.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping

from memgit.reading import small_text

KEY_LIMIT = 200
"""Characters of a project's folder name before it is cut and hashed."""


def project_key(path: str) -> str:
    """The folder name for a project's path: every UTF-16 unit but ASCII letters and digits becomes ``-``.

    Over 200 characters it is cut there and a hash of the whole path follows. Many paths share a key; it
    is never decoded.
    """
    key = re.sub(r"[^A-Za-z0-9]", lambda char: "--" if ord(char[0]) > 0xFFFF else "-", path)
    return key if len(key) <= KEY_LIMIT else f"{key[:KEY_LIMIT]}-{_base36(abs(_string_hash(path)))}"


def _string_hash(text: str) -> int:
    """The 32-bit ``h * 31 + unit`` over UTF-16 units, signed as JavaScript has it."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (value * 31 + int.from_bytes(units[at : at + 2], "little")) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def config_dir(env: Mapping[str, str], home: str) -> str:
    """The agent's own folder."""
    return env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def codex_home(env: Mapping[str, str], home: str) -> str:
    """Codex's own folder."""
    return env.get("CODEX_HOME") or os.path.join(home, ".codex")


def named_folder(env: Mapping[str, str]) -> str:
    """The name that the environment gives the project's folder; empty where it gives none. The agent takes it only
    beside a folder of its own."""
    name = env.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    return name if env.get("CLAUDE_CONFIG_DIR") and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else ""


def default_store(projects_dir: str, owner: str, folder: str = "") -> str:
    """Where the memory of the project at ``owner`` is unless something says otherwise: in a ``folder`` of another name
    where one is given."""
    return os.path.join(projects_dir, folder or project_key(owner), "memory")


def callables(root: str, env: Mapping[str, str], home: str) -> frozenset[str]:
    """The names of skills, commands and sub-agents of the user and of the project at ``root``: texts name them as they
    name memories."""
    found: set[str] = set()
    for base in (config_dir(env, home), os.path.join(root, ".claude")):
        for kind in ("skills", "commands", "agents"):
            try:
                found.update(name.removesuffix(".md") for name in os.listdir(os.path.join(base, kind)))
            except OSError:
                continue
    return frozenset(found)


Found = tuple[str, str, str | None]
"""A path, the rule that leads to it, and why it needs the user's word."""


def named_stores(cwd: str, env: Mapping[str, str], home: str) -> Iterator[Found]:
    """The directories that the environment or settings name, the strongest first.

    The agent reads a project's settings in the current directory only.
    """
    override = env.get("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "")
    if os.path.isabs(override):
        yield os.path.normpath(override), "environment (CLAUDE_COWORK_MEMORY_PATH_OVERRIDE)", None
    for name in _SETTINGS:
        if path := _named_directory(os.path.join(cwd, ".claude", name), home):
            doubt = f"The project's own .claude/{name} names this directory; a cloned repository can do that."
            yield path, f"project settings (.claude/{name}, autoMemoryDirectory)", doubt
    if path := _named_directory(os.path.join(config_dir(env, home), "settings.json"), home):
        yield path, "user settings (autoMemoryDirectory)", None


def remote_store(cwd: str, env: Mapping[str, str], owner: str) -> str | None:
    """The store below ``CLAUDE_CODE_REMOTE_MEMORY_DIR``, where that is set."""
    remote = env.get("CLAUDE_CODE_REMOTE_MEMORY_DIR")
    if not remote:
        return None
    return os.path.normpath(os.path.join(cwd, default_store(os.path.join(remote, "projects"), owner)))


RETENTION_DEFAULT = 30
"""Days after which the agent deletes transcripts, as it documents it."""


def retention(env: Mapping[str, str], home: str) -> tuple[int, bool]:
    """After how many days transcripts are deleted, and whether the user's settings say so (else it is the default)."""
    days = _settings(os.path.join(config_dir(env, home), "settings.json")).get("cleanupPeriodDays")
    if isinstance(days, int) and not isinstance(days, bool) and days >= 0:
        return days, True
    return RETENTION_DEFAULT, False


def own_model(env: Mapping[str, str], home: str) -> str:
    """The model that the environment or the user's settings name for the agent; empty where nothing does."""
    named = _settings(os.path.join(config_dir(env, home), "settings.json")).get("model")
    return env.get("ANTHROPIC_MODEL") or (named if isinstance(named, str) else "")


def switched_off(cwd: str, env: Mapping[str, str], home: str) -> str:
    """What keeps the agent from using any store by itself; empty where nothing does."""
    match env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY"):
        case "1":
            return "CLAUDE_CODE_DISABLE_AUTO_MEMORY in the environment"
        case "0":
            return ""
    if env.get("CLAUDE_CODE_REMOTE") == "1" and not env.get("CLAUDE_CODE_REMOTE_MEMORY_DIR"):
        return "CLAUDE_CODE_REMOTE in the environment"
    project = os.path.join(cwd, ".claude")
    files = (*(os.path.join(project, name) for name in _SETTINGS), os.path.join(config_dir(env, home), _SETTINGS[1]))
    return next((f"autoMemoryEnabled in {path}" for path in files if _disables(path)), "")


def _disables(settings: str) -> bool:
    return _settings(settings).get("autoMemoryEnabled") is False


_SETTINGS = ("settings.local.json", "settings.json")


def _named_directory(settings: str, home: str) -> str | None:
    """The directory a settings file names, if the agent takes it: absolute or ``~/…``, and not the root."""
    named = _settings(settings).get("autoMemoryDirectory")
    if not isinstance(named, str) or "\0" in named or not (named.startswith("~/") or os.path.isabs(named)):
        return None
    path = os.path.normpath(at_home(named, home))
    return None if path == os.path.splitdrive(path)[0] + os.sep else path


def _settings(path: str) -> Mapping[str, object]:
    """A settings file's values; none where it is missing or broken, as the agent has it."""
    text = small_text(path)
    try:
        values = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def at_home(path: str, home: str) -> str:
    """``~/x`` as a path in the user's home; any other path as it is."""
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


AGENT_MEMORY = ("agent-memory", "agent-memory-local")
"""Folders, in the agent's own folder and in projects, that hold a store for each kind of sub-agent."""


def is_of_the_client(path: str) -> bool:
    """Whether a folder is, by where it lies, one that the agent's client keeps memories in."""
    folder = os.path.normpath(path)
    above = os.path.dirname(folder)
    of_project = os.path.basename(os.path.dirname(above)) == "projects" and os.path.basename(folder) == "memory"
    return of_project or is_among_others(folder)


def is_among_others(path: str) -> bool:
    """Whether the folders beside one are stores too, each of a sub-agent that is named as its folder."""
    return os.path.basename(os.path.dirname(os.path.normpath(path))) in AGENT_MEMORY
