"""The scripts that a project's own build files define. Files are read as data; nothing is run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

LARGEST = 1 << 20
"""Bytes of a build file that are read."""

_MAKE_RULE = re.compile(r"""^([^\s#=:%$"'{}][^#=:%$"'{}\n]*?)[ \t]*&?::?(?![=:])""", re.MULTILINE)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)", re.MULTILINE)
_JUST_ALIAS = re.compile(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)
_TASKS = re.compile(r"^tasks:[ \t]*\n((?:[ \t]+.*\n|[ \t]*\n|#.*\n)*)", re.MULTILINE)
_TASK = re.compile(r"""^(\s+)(['"]?)([\w:.*/-]+)\2:""", re.MULTILINE)
_PYTHON_TABLES = (
    "project.scripts",
    "tool.poetry.scripts",
    "tool.pdm.scripts",
    "tool.poe.tasks",
    "tool.rye.scripts",
    "tool.taskipy.tasks",
    "tool.hatch.scripts",
)


def reads_scripts(path: str) -> bool:
    """Whether a file of this path may define scripts."""
    return _reader(path) is not None


def scripts_in(path: str, text: str) -> tuple[str, ...]:
    """The scripts that one build file defines, as family and name: ``make deploy``, ``npm build``.

    A file that cannot be understood defines none.
    """
    found = _reader(path)
    if found is None:
        return ()
    family, read = found
    try:
        return tuple(f"{family} {name}" for name in read(text))
    except (ValueError, RecursionError):
        return ()


def _reader(path: str) -> tuple[str, Callable[[str], Iterable[str]]] | None:
    name = path.rpartition("/")[2]
    if name.endswith(".mk"):
        return _READERS["Makefile"]
    if path.endswith(".cargo/config.toml"):
        return "cargo", _cargo_aliases
    return _READERS.get(name) or _READERS.get(name.lower())


def _make_targets(text: str) -> Iterator[str]:
    for rule in _MAKE_RULE.finditer(text):
        yield from (name for name in rule[1].split() if not name.startswith("."))


def _just_recipes(text: str) -> Iterator[str]:
    yield from (found[1] for shape in (_JUST_RECIPE, _JUST_ALIAS) for found in shape.finditer(text))


def _tasks(text: str) -> Iterator[str]:
    """Names one level below ``tasks:``, read by their indentation."""
    block = _TASKS.search(f"{text}\n")
    names = _TASK.findall(block[1]) if block else []
    outermost = min((len(indent.expandtabs()) for indent, _, _ in names), default=0)
    yield from (name for indent, _, name in names if len(indent.strip("\n").expandtabs()) == outermost)


def _package_scripts(text: str) -> Iterable[str]:
    return _table(json.loads(text), "scripts")


def _deno_tasks(text: str) -> Iterable[str]:
    return _table(json.loads(text), "tasks")


def _python_scripts(text: str) -> Iterator[str]:
    import tomllib  # here, and below: few trees have such a file

    project = tomllib.loads(text)
    for table in _PYTHON_TABLES:
        yield from _table(project, table)
    for environment, settings in _table(project, "tool.hatch.envs").items():
        for name in _table(settings, "scripts"):
            yield from (name, f"{environment}:{name}")


def _cargo_aliases(text: str) -> Iterable[str]:
    import tomllib

    return _table(tomllib.loads(text), "alias")


def _table(data: Any, path: str) -> Mapping[str, Any]:
    """The table at a dotted path of a decoded file; an empty one where there is none."""
    for part in path.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


_READERS: Mapping[str, tuple[str, Callable[[str], Iterable[str]]]] = {
    "Makefile": ("make", _make_targets),
    "makefile": ("make", _make_targets),
    "GNUmakefile": ("make", _make_targets),
    "justfile": ("just", _just_recipes),
    ".justfile": ("just", _just_recipes),
    "taskfile.yml": ("task", _tasks),
    "taskfile.yaml": ("task", _tasks),
    "taskfile.dist.yml": ("task", _tasks),
    "package.json": ("npm", _package_scripts),
    "composer.json": ("composer", _package_scripts),
    "deno.json": ("deno", _deno_tasks),
    "deno.jsonc": ("deno", _deno_tasks),
    "pyproject.toml": ("python", _python_scripts),
}

BUILD_FILES = ("[Jj]ustfile", "[Tt]askfile*.y*ml", ".cargo/config.toml", "*.mk", *sorted(_READERS))
"""Patterns of git for the names of the files that are read."""
