"""What git is told on every call, so that no repository that it is pointed at makes it start a program.

A repository's configuration and attributes come with an unpacked archive or a shared folder, and name programs for
many occasions. Settings that are known by name are overridden. Drivers (textconv, clean, smudge, process, merge) have
names of the repository's choice, which nobody can override: on a project's repository only verbs run that never
convert content, or that can be told not to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence

EVERYWHERE: Mapping[str, str] = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.editor": "false",
    "sequence.editor": "false",
    "core.alternateRefsCommand": "false",
    "log.showSignature": "false",  # would start gpg.program
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "push.gpgSign": "false",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.program": "false",
    "gpg.ssh.defaultKeyCommand": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
}
"""Settings that hold on every repository, a vault too."""

ON_A_PROJECT: Mapping[str, str] = {
    "core.askPass": "false",
    "core.gitProxy": "false",
    "core.sshCommand": "false",
    "credential.helper": "",  # an empty one takes all back
    "diff.external": "false",
    "interactive.diffFilter": "false",
    "uploadpack.packObjectsHook": "false",
    "protocol.allow": "never",
}
"""Settings that hold on a project's repository as well, from which memgit reads what is there and fetches nothing."""

ENVIRONMENT_ON_A_PROJECT: Mapping[str, str] = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch what is missing, by programs that it names
    "GIT_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_ATTR_NOSYSTEM": "1",
}

_NO_DRIVERS = ("--no-textconv", "--no-ext-diff")

VERBS: Mapping[str, Sequence[str]] = {
    "--version": (),
    "blame": ("--no-textconv",),  # of a commit: the file of the work tree would be cleaned by the repository's filter
    "cat-file": (),
    "check-ignore": (),
    "log": _NO_DRIVERS,
    "ls-files": (),
    "rev-parse": (),
    "show": _NO_DRIVERS,
    "worktree": (),
}
"""What git is asked on a project's repository, with what keeps each verb from converting content."""


def on_a_project(args: Sequence[str]) -> list[str]:
    """The words after ``git`` for a call on a project's repository.

    Raises ValueError for a verb that is not known to leave the repository's programs alone.
    """
    verb, *rest = args
    if verb not in VERBS:
        raise ValueError(f"git {verb} may start programs that a project's repository names")
    return ["--no-pager", *_settings({**EVERYWHERE, **ON_A_PROJECT}), verb, *VERBS[verb], *rest]


def on_a_vault(git_dir: str | os.PathLike[str], args: Sequence[str]) -> list[str]:
    """The words after ``git`` for a call on a bare repository of memgit's own.

    It is named outright: found by its folder, ``safe.bareRepository`` would refuse it.
    """
    return [f"--git-dir={os.fspath(git_dir)}", "--no-pager", *_settings(EVERYWHERE), *args]


def _settings(values: Mapping[str, str]) -> list[str]:
    return [part for name, value in values.items() for part in ("-c", f"{name}={value}")]


_READ_BY_GIT = ("HEAD", "config", "config.worktree", "commondir", "gitdir", "packed-refs", "index", "info/exclude")
_BESIDE = (".gitignore", ".gitattributes", ".gitmodules")


def odd_file(cwd: str | os.PathLike[str]) -> str:
    """A file of the repository around a folder that git would wait for or read without end; empty where there is none.

    Told are pipes, sockets and devices, as they lie or behind a link.
    """
    folder = os.path.realpath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    mark = os.path.join(folder, ".git")
    paths = [
        mark,
        *(os.path.join(folder, name) for name in _BESIDE),
        *(os.path.join(mark, name) for name in _READ_BY_GIT),
    ]
    return next(filter(_is_odd, paths), "")


def _is_odd(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
