"""Where the agent keeps a project's memory, by the agent's own rules (measured on its client, not documented).

The first that applies: an override in the environment, a directory named in the project's or the
user's settings, else a folder whose name is derived from the root of the git repository. A linked
worktree shares the folder of its main worktree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memgit.agent.clients import main_client
from memgit.agent.clients.client import Found
from memgit.errors import ToolFailed, UsageError
from memgit.memory.file_names import is_synchronised
from memgit.model.store import EXPORTS, INDEX, Resolution
from memgit.model.times import shell_word
from memgit.reading import small_text
from memgit.stores.directory import markdown, shape_of
from memgit.stores.kinds import Kind, Ran
from memgit.stores.registry import KINDS, kind_of
from memgit.stores.registry import named as named_store
from memgit.stores.rules import at_home, default_store, named_folder, names, project_key, twin_rule

# --- watched ---
# Folders that somebody else records or sends elsewhere: work trees of version control, folders kept in step with other
# machines. What memgit lays beside a store would go with them, and what they are in the middle of concerns the store.

_MARKS = (
    ".git", ".hg", ".jj", ".svn", ".bzr", ".pijul", ".fslckout", "_FOSSIL_", "CVS",
    ".stfolder", ".dropbox", ".dropbox.cache", ".sync", ".owncloudsync.log", ".nextcloudsync.log", ".tmp.drivedownload",
)  # fmt: skip
"""What version control and programs that synchronise put into a folder that is theirs."""

_UNFINISHED = (
    ("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase"),
)  # fmt: skip


def watched(folder: str) -> str:
    """The nearest folder above a real path that somebody records or synchronises; empty where none does."""
    return next((str(above) for above in Path(folder).parents if _is_watched(above)), "")


def _is_watched(folder: Path) -> bool:
    return is_synchronised(folder.name) or any(os.path.lexists(folder / mark) for mark in _MARKS)


def unfinished(folder: str) -> Iterator[str]:
    """What the git work tree that a real path lies in is in the middle of, in words."""
    if (top := _marked_by_git(Path(folder))) is not None:
        git_dir = Path(git_dir_of(top))
        yield from dict.fromkeys(what for name, what in _UNFINISHED if os.path.lexists(git_dir / name))


def git_dir_of(top: Path) -> str:
    """The git directory of a work tree, read from its ``.git``, which may be a file that names it."""
    mark = top / ".git"
    named = "" if mark.is_dir() else small_text(str(mark)).partition("gitdir:")[2].strip()
    return os.path.realpath(top / named if named else mark)


ABOVE = "a directory above the project"
NEAREST = "named most like this one, of those with memories"


class RunGit(Protocol):
    """Runs git with arguments in a directory, without the caller's ``GIT_*`` variables; may raise ToolFailed."""

    def __call__(self, args: tuple[str, ...], *, cwd: str) -> Ran: ...


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A project as the agent sees it.

    ``root`` is the work tree's top (or the current directory outside of git), ``common_dir`` the git
    directory that all its worktrees share (None outside of git). ``owner`` is the directory whose
    encoded path, ``key``, names the memory's folder under ``projects_dir``: the main worktree; ``named`` is the name
    that the environment gives that folder. All paths are real ones. ``refusal`` is what git says where there is a
    repository that it does not read.
    """

    root: str
    common_dir: str | None
    projects_dir: str
    owner: str
    named: str = ""
    refusal: str = ""

    @property
    def key(self) -> str:
        return self.named or project_key(self.owner)

    @property
    def default_store(self) -> str:
        """Where the project's memory is unless something says otherwise."""
        return default_store(self.projects_dir, self.owner, self.named)


def place(cwd: str, env: Mapping[str, str], home: str, run_git: RunGit) -> ProjectPlace:
    """The project that a directory belongs to."""
    here = os.path.realpath(cwd)
    projects = main_client().setup(here, env, home).sessions
    named = named_folder(env)
    known = _git_paths(here, run_git)
    git, refusal = (_paths_in_files(here), known) if isinstance(known, str) else (known, "")
    if git is None:
        return ProjectPlace(here, None, projects, here, named)
    git_dir, shared, top = git
    is_linked = git_dir != shared and _points_back(git_dir, top)
    return ProjectPlace(top, shared, projects, _main_worktree(shared) if is_linked else top, named, refusal)


Paths = tuple[str, str, str]
"""Git directory, common git directory and top of the work tree."""


def _git_paths(here: str, run_git: RunGit) -> Paths | str:
    """The paths as git knows them, or what it says instead."""
    try:
        ran = run_git(("rev-parse", "--git-dir", "--git-common-dir", "--show-toplevel"), cwd=here)
    except ToolFailed as failure:
        return failure.message
    lines = os.fsdecode(ran.out).removesuffix("\n").split("\n")
    if ran.code != 0 or len(lines) != 3:
        return ran.complaint or "git says nothing"
    git_dir, common_dir, root = (os.path.realpath(Path(here, line)) for line in lines)
    return git_dir, common_dir, root


def _paths_in_files(here: str) -> Paths | None:
    """The same as git's own files have them, for when git is missing or refuses a repository; None without one."""
    top = _marked_by_git(Path(here))
    if top is None:
        return None
    git_dir = git_dir_of(top)
    shared = small_text(os.fspath(Path(git_dir, "commondir"))).strip()
    return git_dir, os.path.realpath(Path(git_dir, shared)), str(top)


def _marked_by_git(here: Path) -> Path | None:
    """The nearest directory with a ``.git``."""
    return next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), None)


def _points_back(git_dir: str, root: str) -> bool:
    """True for a worktree that its repository knows. A ``.git`` file alone can claim anything; the agent checks."""
    pointer = small_text(os.fspath(Path(git_dir, "gitdir"))).strip()
    return bool(pointer) and os.path.realpath(Path(git_dir, pointer)) == os.path.realpath(Path(root, ".git"))


def _main_worktree(common_dir: str) -> str:
    """The directory around ``.git``; a bare repository stands for itself."""
    path = Path(common_dir)
    return os.fspath(path.parent if path.name == ".git" else path)


def locate(cwd: str, env: Mapping[str, str], home: str, explicit: str | None, run_git: RunGit) -> Resolution:
    """The store of the project at ``cwd``, or the ``explicit`` one, with the other stores that could be meant.

    Raises UsageError for a place that is no memory store.
    """
    if explicit is not None:
        _refuse_export(cwd, explicit, home)
    project = place(cwd, env, home, run_git)
    if explicit is not None and (found := named_store(project.root, explicit, cwd, home)):
        return found
    path, rule, doubt = next(candidates(project, cwd, env, home, explicit))
    refuse_what_is_no_store(path, project, home)
    shape = shape_of(path, named=explicit is not None).name
    others = (*_others(path, project, cwd), *_of_other_shapes(project, home))
    if explicit is None and not others and not any(markdown(path)):
        others = tuple(_nearest(project))
    return Resolution(path, rule, shape, others=others, needs_confirmation=doubt)


def _refuse_export(cwd: str, named: str, home: str) -> None:
    """Raise UsageError for a file of records that a tool wrote of what it keeps elsewhere."""
    name, _, place = named.partition(":")
    where = place if name in KINDS else named
    if where.endswith(EXPORTS) and "\0" not in where and Path(cwd, at_home(where, home)).is_file():
        raise UsageError(
            f"{where!r} is a file of records, a line each, as tools export what they keep; it is no store.",
            "Import it with the tool that wrote it, then name what that keeps: "
            f"--store {' or '.join(kind.form for kind in KINDS.values())}.",
        )


def _of_other_shapes(project: ProjectPlace, home: str) -> Iterator[tuple[str, str]]:
    """Stores of other shapes of the project, which are read only where somebody names them."""
    for name, kind in KINDS.items():
        for path in kind.beside(project.root, home):
            yield path, f"{kind.what}; `--store {name}` names it"


def candidates(
    project: ProjectPlace, cwd: str, env: Mapping[str, str], home: str, explicit: str | None
) -> Iterator[Found]:
    """Every rule that applies, the strongest first."""
    if explicit is not None:
        if not explicit or "\0" in explicit:
            raise UsageError(f"{explicit!r} is no path of a store.", f"Name the directory that holds {INDEX}.")
        yield os.path.normpath(Path(cwd, at_home(explicit, home))), "--store", None
    yield from main_client().setup(cwd, env, home).stores(project.owner, project.common_dir)


def refuse_what_is_no_store(path: str, project: ProjectPlace, home: str) -> None:
    """Raise UsageError for places that hold more than memories, where adopting would do harm."""
    real = Path(os.path.realpath(path))
    projects = Path(os.path.realpath(project.projects_dir))
    precious = {"your home directory": Path(os.path.realpath(home)), "the agent's folder of all projects": projects}
    if project.common_dir is not None:
        precious["the project itself"] = Path(project.root)
    for what, where in precious.items():
        if real in (where, *where.parents):
            raise _no_store(path, f"it is or contains {what}")
    if real.parent == projects:
        raise _no_store(path, "it is a project's folder with its transcripts", f"Its store is {path}/memory.")
    kind = kind_of(real)
    if real.exists() and not real.is_dir():
        raise _no_store(path, "it is a file", _named_as(kind, path) if kind else "")
    if kind:
        raise _no_store(path, f"it is {kind.own}", _named_as(kind, path))
    if real.is_dir() and (why := _unlike_a_store(real)):
        raise _no_store(path, why)


def _named_as(kind: Kind, path: str) -> str:
    return f"Its memories are named with --store {shell_word(f'{kind.shape.name}:{path}')}."


def _no_store(path: str, why: str, hint: str = "") -> UsageError:
    return UsageError(
        f"{path!r} is no memory store: {why}.", hint or f"Name the directory that holds {INDEX} and the memories."
    )


_PROJECT_FILES = frozenset(
    ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "Makefile", "CMakeLists.txt", "setup.py"]
)


def _unlike_a_store(folder: Path) -> str | None:
    """Why a directory cannot be a store, judged by its top level; hidden names say nothing (a vault may have them)."""
    inside = {name for name in names(str(folder)) if not name.startswith(".")}
    if INDEX in inside or not inside:
        return None
    if any(name.endswith(".jsonl") for name in inside) and not any(name.endswith(".md") for name in inside):
        return "it holds transcripts"
    if any(map(_TRANSCRIPT.fullmatch, inside)):
        return "it holds transcripts"
    if found := sorted(inside & _PROJECT_FILES):
        return f"it is a source directory ({found[0]})"
    return None if any(markdown(str(folder))) else f"it holds files and none of them is Markdown ({min(inside)!r})"


_TRANSCRIPT = re.compile(r"(?:(?:rollout|agent)-.*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")


def _others(chosen: str, project: ProjectPlace, cwd: str) -> Iterator[tuple[str, str]]:
    """Further stores with memories that could have been meant; each once, however it is spelled."""
    seen = {os.path.realpath(chosen)}
    for path, rule in _neighbours(project, os.path.realpath(cwd)):
        real = os.path.realpath(path)
        if real not in seen and any(markdown(path)):
            seen.add(real)
            yield path, rule


def _neighbours(project: ProjectPlace, here: str) -> Iterator[tuple[str, str]]:
    """Where memories of the same project turn up when a tool, a rename or another start directory misled the agent."""
    yield project.default_store, "git common directory"
    for path, rule in _starting_points(project, here):
        yield _store_of(project, project_key(path)), rule
    for key in sorted(names(project.projects_dir)):
        if rule_ := twin_rule(key, project.key):
            yield _store_of(project, key), rule_
    yield os.fspath(Path(project.projects_dir, project.key, project.key, "memory")), "folder nested in itself"
    for inside in (".claude/memory", "docs/memory"):
        yield os.fspath(Path(project.root, inside)), f"the project's own {inside}"


def _nearest(project: ProjectPlace) -> Iterator[tuple[str, str]]:
    """The stores with memories whose folders have the names most like this project's."""
    from difflib import get_close_matches  # here: every command locates a store

    keys = [key for key in names(project.projects_dir) if any(markdown(_store_of(project, key)))]
    yield from ((_store_of(project, key), NEAREST) for key in get_close_matches(project.key, sorted(keys)))


def _starting_points(project: ProjectPlace, here: str) -> Iterable[tuple[str, str]]:
    above = ((os.fspath(path), ABOVE) for path in Path(project.owner).parents)
    return [(here, "current directory"), (project.root, "this worktree"), *above]


def _store_of(project: ProjectPlace, key: str) -> str:
    return os.fspath(Path(project.projects_dir, key, "memory"))
