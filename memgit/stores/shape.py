"""Which shape a store that is a folder has: told by where it lies and by the names in it, and read no further."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memgit.memory.shapes import CODEX, DIRECTORY, NOTES, PROSE, SUMMARY, Shape
from memgit.model.store import INDEX
from memgit.reading import beginning
from memgit.stores.rules import is_of_the_client

_SAMPLE = 20
"""Files looked at to tell notes from memories that have lost their index."""
_HEAD = 4096


def shape_of(path: str, named: bool) -> Shape:
    """The shape of the folder at a path, which may not be there. ``named`` says that the user named it: elsewhere the
    agent's client reads and writes memories with an index, whatever the folder holds."""
    names = frozenset(_names(path))
    if SUMMARY in names:
        return CODEX
    if INDEX in names:
        return PROSE if _is_alone(path) else DIRECTORY
    if not named or is_of_the_client(path) or not any(_markdown(path)):
        return DIRECTORY
    return DIRECTORY if _are_memories(path) else NOTES


def _is_alone(path: str) -> bool:
    """Whether the index is the only memory: it says something, and points to nothing."""
    from memgit.memory.index_lines import parse_index  # here: few stores need a look into their files

    index = Path(path, INDEX)
    if index.is_symlink() or any(name != INDEX for name in _markdown(path)):
        return False
    lines = parse_index(beginning(index))
    says = any(line.text.strip() and not line.text.lstrip().startswith(("#", "<!--")) for line in lines)
    return says and not any(line.pointers for line in lines)


def _are_memories(path: str) -> bool:
    """Whether most files begin as the client's memories do: with a block that names and describes them."""
    from memgit.memory.frontmatter import split

    heads = [split(beginning(f"{path}/{name}", _HEAD)).block for name in islice(_markdown(path), _SAMPLE)]
    like = sum(b"description:" in block and b"name:" in block for block in heads)
    return 2 * like > len(heads)


def _markdown(path: str) -> Iterator[str]:
    """The Markdown files in a folder and one level below, without those that are hidden."""
    folders = []
    for name in _names(path):
        if name.startswith("."):
            continue
        if name.endswith(".md"):
            yield name
        else:
            folders.append(name)
    for folder in folders:
        for name in _names(f"{path}/{folder}"):
            if name.endswith(".md") and not name.startswith("."):
                yield f"{folder}/{name}"


def _names(folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in Path(folder).iterdir())
    except OSError:
        return []
