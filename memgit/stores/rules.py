"""How the folders are named that agents keep memories in, and the readers for what lies about there.

Standard library only and without `pathlib`: the hooks use them, and their start is measured in milliseconds.
"""

from __future__ import annotations

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


def named_folder(env: Mapping[str, str]) -> str:
    """The name that the environment gives the project's folder; empty where it gives none. The agent takes it only
    beside a folder of its own."""
    name = env.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    return name if env.get("CLAUDE_CONFIG_DIR") and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else ""


def default_store(projects_dir: str, owner: str, folder: str = "") -> str:
    """Where the memory of the project at ``owner`` is unless something says otherwise: in a ``folder`` of another name
    where one is given."""
    return os.path.join(projects_dir, folder or project_key(owner), "memory")


def callables(root: str, folder: str) -> frozenset[str]:
    """The names of skills, commands and sub-agents of the project at ``root`` and of the user, in the
    client's own ``folder``: texts name them as they
    name memories."""
    found: set[str] = set()
    for base in (folder, os.path.join(root, ".claude")):
        for kind in ("skills", "commands", "agents"):
            try:
                found.update(name.removesuffix(".md") for name in os.listdir(os.path.join(base, kind)))
            except OSError:
                continue
    return frozenset(found)


def at_home(path: str, home: str) -> str:
    """``~/x`` as a path in the user's home; any other path as it is."""
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


AGENT_MEMORY = ("agent-memory", "agent-memory-local")
"""Folders, in a client's own folder and in projects, that hold a store for each kind of sub-agent."""


def is_of_the_client(path: str) -> bool:
    """Whether a folder is, by where it lies, one that the agent's client keeps memories in."""
    folder = os.path.normpath(path)
    above = os.path.dirname(folder)
    of_project = os.path.basename(os.path.dirname(above)) == "projects" and os.path.basename(folder) == "memory"
    return of_project or is_among_others(folder)


def is_among_others(path: str) -> bool:
    """Whether the folders beside one are stores too, each of a sub-agent that is named as its folder."""
    return os.path.basename(os.path.dirname(os.path.normpath(path))) in AGENT_MEMORY


# --- strangers ---
# Stores of a project that its sessions no longer read: of linked worktrees, and under another spelling of its path.

WORKTREE = "the store of a linked worktree"
TWIN = "the same path under another key"


def strangers(projects: str, owner: str, common: str | None, store: str) -> Iterator[tuple[str, str]]:
    """Each such store with memories in it, and why it is one. ``store`` is the real path of the one in use."""
    own = project_key(owner)
    keys = {key: TWIN for key in names(projects) if twin_rule(key, own)}
    keys |= {project_key(path): WORKTREE for path in worktrees(common)} if common else {}
    for key in sorted(keys.keys() - {own}):
        path = os.path.join(projects, key, "memory")
        if os.path.realpath(path) != store and any(name.endswith(".md") for name in names(path)):
            yield path, keys[key]


def worktrees(common: str) -> Iterator[str]:
    """The linked worktrees of a repository: older clients kept a store for each."""
    folder = os.path.join(common, "worktrees")
    for name in names(folder):
        back = small_text(os.path.join(folder, name, "gitdir")).strip()
        if back:
            yield os.path.dirname(os.path.realpath(os.path.join(folder, name, back)))


def twin_rule(key: str, own: str) -> str:
    """How another folder's name can stand for the same path as a project's own; empty where it does not."""
    if key == own:
        return ""
    if len(own) > KEY_LIMIT and key[:KEY_LIMIT] == own[:KEY_LIMIT]:
        return "the same long path, cut"
    if re.sub(r"[^A-Za-z0-9]", "-", key) == own:
        return "the same name, differently encoded"
    drive = re.compile(r"[A-Za-z]--|-mnt-[A-Za-z]-")
    if drive.match(own) and drive.match(key) and key.casefold() == own.casefold():
        return "the same name in another case"
    return ""


def names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []
