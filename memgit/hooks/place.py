"""Where the project's store is, and what memgit keeps of it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from memgit.hooks.gitfiles import Unusual, owner_of
from memgit.stores.rules import config_dir, default_store, named_folder, named_stores, remote_store

try:  # what hashlib would give, without loading OpenSSL
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha256

NAME = "memgit-curator"
"""Folder name under the XDG directories; another tool on PyPI is called ``memgit``."""
_SLUG = 40


class Place:
    """A store and what belongs to it; all paths are real ones.

    ``vault`` may not exist. ``state`` is where hooks keep what they must remember between events. ``doubt`` says why
    the store is not looked at (a cloned project's settings named it).
    """

    __slots__ = ("common", "doubt", "owner", "projects", "state", "store", "vault")

    def __init__(self, store: str, owner: str, common: str | None, doubt: str | None, env: Mapping[str, str]) -> None:
        home = home_of(env)
        self.store = os.path.realpath(store)
        self.owner = owner
        self.common = common
        self.doubt = doubt
        self.projects = os.path.realpath(os.path.join(config_dir(env, home), "projects"))
        name = vault_name(self.store)
        self.vault = os.path.join(own_home(env, home, "MEMGIT_DATA_HOME", "XDG_DATA_HOME", ".local/share"), name)
        states = own_home(env, home, "MEMGIT_STATE_HOME", "XDG_STATE_HOME", ".local/state")
        self.state = os.path.join(states, "hooks", name)

    @property
    def private(self) -> str:
        """memgit's own files in the vault."""
        return os.path.join(self.vault, "memgit")

    @property
    def has_vault(self) -> bool:
        return os.path.isfile(os.path.join(self.vault, "HEAD"))


def place_of(cwd: str, env: Mapping[str, str]) -> Place:
    """The place of the project that a session works in. Raises OSError for a folder that is not there."""
    home = home_of(env)
    owner, common = _owner(cwd, env, home)
    for path, _, doubt in named_stores(cwd, env, home):
        return Place(path, owner, common, doubt, env)
    projects = os.path.join(config_dir(env, home), "projects")
    return Place(
        remote_store(cwd, env, owner) or default_store(projects, owner, named_folder(env)), owner, common, None, env
    )


def _owner(cwd: str, env: Mapping[str, str], home: str) -> tuple[str, str | None]:
    try:
        return owner_of(cwd)
    except (Unusual, OSError):
        from memgit import process
        from memgit.stores.locate import place

        found = place(cwd, env, home, process.git)
        return found.owner, found.common_dir


def home_of(env: Mapping[str, str]) -> str:
    """The user's own folder. Raises UsageError for a relative one."""
    return _absolute("HOME", env.get("HOME") or os.path.expanduser("~"))


def own_home(env: Mapping[str, str], home: str, own: str, xdg: str, default: str) -> str:
    """One of memgit's folders; a relative XDG path is to be ignored. Raises UsageError for another relative one."""
    if named := env.get(own):
        return os.path.abspath(_absolute(own, os.path.expanduser(named)))
    base = env.get(xdg, "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, default), NAME)


def _absolute(name: str, path: str) -> str:
    """A folder that is the same wherever one stands: else each folder had a history of its own, inside a project."""
    if os.path.isabs(path):
        return path
    from memgit.errors import UsageError

    raise UsageError(f"{name} is {path!r}, which is another folder wherever one stands.", "Give it an absolute path.")


def vault_name(store: str) -> str:
    """The folder name of a store's vault, as `vault.layout` has it."""
    digest = sha256(os.fsencode(store)).hexdigest()[:8]
    parts = [part for part in store.split(os.sep) if part][-3:]
    words = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(parts)).strip("-").lower()
    return f"{words[-_SLUG:].strip('-') or 'store'}-{digest}"
