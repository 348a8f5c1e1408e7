"""File names that git refuses or treats specially, written so that it takes them, and back.

A name is percent-escaped when git could take it for one of its own (``.git``, ``GIT~1``, ``.gitmodules``), when it
is not UTF-8, or when it looks like an escaped name itself; so every name has one spelling in a tree, and every
spelling one name.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from memgit.memory.file_names import taken_for_git

_EMPTY = "%00"  # no file name holds a NUL
_ORDINARY = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_. -]*/)*[A-Za-z0-9_-][A-Za-z0-9_. -]*")
"""What nearly all names and paths are: nothing in them is to be escaped, nothing is escaped."""


def tree_path(path: str) -> str:
    """The path under which a tree holds a file of a store."""
    if _ORDINARY.fullmatch(path):
        return path
    return "/".join(map(tree_name, path.split("/")))


def store_path(path: str) -> str:
    """The file of a store that a tree holds under this path."""
    if _ORDINARY.fullmatch(path):
        return path
    return "/".join(map(store_name, path.split("/")))


def tree_name(name: str) -> str:
    """One name as it stands in a tree."""
    if _ORDINARY.fullmatch(name):
        return name
    if _refused(name) or _looks_escaped(name):
        return _escaped(name)
    return name


def store_name(name: str) -> str:
    """The name that ``name`` in a tree stands for."""
    plain = _unescaped(name)
    return plain if plain != name and tree_name(plain) == name else name


def _refused(name: str) -> bool:
    return name in ("", ".", "..") or not _is_text(name) or any(map(taken_for_git, name.split("\\")))


def _is_text(name: str) -> bool:
    try:
        return "\0" not in name and bool(name.encode())
    except UnicodeEncodeError:
        return False


def _looks_escaped(name: str) -> bool:
    plain = _unescaped(name)
    return plain != name and tree_name(plain) == name


def _unescaped(name: str) -> str:
    if name == _EMPTY:
        return ""
    return unquote_to_bytes(_bytes(name)).decode("utf-8", "surrogateescape")


def _escaped(name: str) -> str:
    """Escape the first character, percent signs, backslashes, and all that is not UTF-8."""
    if not name:
        return _EMPTY
    head, tail = _bytes(name[0]), _bytes(name[1:])
    return "".join(f"%{byte:02X}" for byte in head) + "".join(
        map(_escaped_rest, tail.decode("utf-8", "surrogateescape"))
    )


def _escaped_rest(char: str) -> str:
    if char in "%\\\0" or not _is_text(char):
        return "".join(f"%{byte:02X}" for byte in _bytes(char))
    return char


def _bytes(name: str) -> bytes:
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")
