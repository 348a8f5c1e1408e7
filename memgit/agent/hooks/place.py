"""Where the project's store is, and what memgit keeps of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from memgit.agent.clients import main_client
from memgit.agent.clients.client import Client, Setup
from memgit.reading import small_text
from memgit.stores.rules import AGENT_MEMORY

# --- gitfiles ---
# Whose work tree a folder is in, read from git's own files, for the shapes that nearly all projects have.


class Unusual(Exception):
    """A shape that only git itself should judge."""


def owner_of(cwd: str) -> tuple[str, str | None]:
    """The directory that the agent names a project's memory after, and its git directory (None outside of git).

    For a linked worktree that is the main one. Raises `Unusual` for anything but a plain repository, a linked
    worktree of one, and no repository at all.
    """
    folder = os.path.realpath(cwd)
    device = os.stat(folder).st_dev
    while True:
        mark = os.path.join(folder, ".git")
        if os.path.lexists(mark):
            return _owner_marked_by(folder, mark)
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.realpath(cwd), None
        if os.stat(parent).st_dev != device:
            raise Unusual("the search for a repository would leave the file system")
        folder = parent


def _owner_marked_by(top: str, mark: str) -> tuple[str, str | None]:
    if os.path.isdir(mark):
        _refuse_odd(mark)
        return top, os.path.realpath(mark)
    git_dir = _named_in(mark, "gitdir:", top)
    common = os.path.realpath(os.path.join(git_dir, small_text(os.path.join(git_dir, "commondir")).strip() or "?"))
    if os.path.basename(common) != ".git" or not os.path.isdir(common):
        raise Unusual("neither a plain repository nor a worktree of one")
    _refuse_odd(common)
    back = os.path.join(git_dir, small_text(os.path.join(git_dir, "gitdir")).strip())
    if os.path.realpath(back) != os.path.realpath(mark):
        raise Unusual("the repository does not know this worktree")
    return os.path.dirname(common), common


def _named_in(mark: str, key: str, top: str) -> str:
    text = small_text(mark)
    if not text.startswith(key):
        raise Unusual("a .git file that names no directory")
    return os.path.realpath(os.path.join(top, text.removeprefix(key).strip()))


def _refuse_odd(git_dir: str) -> None:
    config = small_text(os.path.join(git_dir, "config")).lower()
    if not os.path.isfile(os.path.join(git_dir, "HEAD")) or not config:
        raise Unusual("an incomplete repository")
    if "worktree" in config or "include" in config or "bare = true" in config:
        raise Unusual("settings that move the work tree")


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
    the store is not looked at (a cloned project's settings named it), ``named`` whether commands find it by its name
    alone, ``whose`` it is where it is a sub-agent's, ``setup`` how the client whose store it is is set
    up here.
    """

    __slots__ = ("common", "doubt", "named", "owner", "projects", "setup", "state", "store", "vault", "whose")

    def __init__(
        self, setup: Setup, store: str, owner: str = "", common: str | None = None, doubt: str | None = None
    ) -> None:
        env, home = setup.env, setup.home
        self.store = os.path.realpath(store)
        self.doubt = doubt
        self.named = False
        self.whose = ""
        self.owner = owner
        self.common = common
        self.setup = setup
        self.projects = os.path.realpath(setup.sessions)
        name = vault_name(self.store)
        self.vault = os.path.join(own_home(env, home, "MEMGIT_DATA_HOME", "XDG_DATA_HOME", ".local/share"), name)
        states = own_home(env, home, "MEMGIT_STATE_HOME", "XDG_STATE_HOME", ".local/state")
        self.state = os.path.join(states, "hooks", name)

    @property
    def private(self) -> str:
        """memgit's own files in the vault."""
        return os.path.join(self.vault, "memgit")

    def beside(self) -> Iterator[Place]:
        """The stores of sub-agents. Those that a project shares change with every pull, and are left to its history."""
        for path, whose, _ in self.setup.further(self.setup.cwd):
            other = Place(self.setup, path)
            is_shared = os.path.basename(os.path.dirname(path)) == AGENT_MEMORY[0] and not path.startswith(
                self.setup.folder + os.sep
            )
            if other.store != self.store and os.path.isdir(path) and not is_shared:
                other.named, other.whose = True, whose
                yield other

    def said(self, sentence: str) -> str:
        """A sentence whose commands work on this store: typed without its name they find the main client's."""
        if not self.named:
            return sentence
        from shlex import quote

        return re.sub(r"`(memgit [^`]*)`", lambda found: f"`{found[1]} --store {quote(self.store)}`", sentence)

    @property
    def noted(self) -> str:
        """Where writes are noted: in the vault, and with what else hooks remember before there is one."""
        return self.private if self.has_vault else self.state

    @property
    def has_vault(self) -> bool:
        return os.path.isfile(os.path.join(self.vault, "HEAD"))


def place_of(cwd: str, env: Mapping[str, str], client: Client | None = None) -> Place:
    """The place of the project that a session works in: of its client, or of the main one where that keeps no memories.
    Raises OSError for a folder that is not there."""
    home = home_of(env)
    owner, common = _owner(cwd, env, home)
    keeping = client if client and client.keeps else main_client()
    setup = keeping.setup(cwd, env, home)
    store, _, doubt = next(setup.stores(owner, common))
    place = Place(setup, store, owner, common, doubt)
    place.named = keeping is not main_client()
    return place


def place_of_store(store: str, env: Mapping[str, str]) -> Place:
    """The place of a store that somebody named."""
    return Place(main_client().setup(os.getcwd(), env, home_of(env)), store)


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
