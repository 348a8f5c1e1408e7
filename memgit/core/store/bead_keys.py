"""The normal form of a beads store: each memory a file whose path spells its key, and whose bytes are its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from memgit.errors import UsageError
from memgit.model.store import INDEX, StoreContent, StoreFile

BEADS = "beads"
"""The shape's name in a resolution, and what an address of one begins with (``beads:DIR``)."""

_PIECE = 200  # characters of a path's part; file systems allow 255 bytes, and a vault's temporary names need some
_JOINT = "%/"  # no key is spelled with it, because after a ``%`` come two digits


def path_of(key: str) -> str:
    """The path that spells a key: plain letters as they are, all else in per cent; ``/`` parts folders where it can."""
    *folders, last = key.split("/")
    plain = all(part and not part.startswith(".") for part in (*folders, last))
    plain = plain and not any(part.endswith(".md") for part in folders)  # a file may have that name
    spelled = quote(key, safe="/" if plain else "", errors="surrogatepass")
    if not plain and spelled.startswith("."):
        spelled = f"%2E{spelled[1:]}"
    if f"{spelled}.md" == INDEX:
        spelled = f"%{ord(spelled[0]):02X}{spelled[1:]}"
    return "/".join(map(_cut, spelled.split("/"))) + ".md"


def key_of(path: str) -> str | None:
    """The key that a path spells; None for a path that spells none."""
    if not path.endswith(".md"):
        return None
    key = unquote(path.removesuffix(".md").replace(_JOINT, ""), errors="surrogatepass")
    return key if key and path_of(key) == path else None


def _cut(part: str) -> str:
    if len(part) <= _PIECE:
        return part
    undotted = part.replace(".", "%2E")  # no piece may begin with a dot: that would be another tool's folder
    return _JOINT.join(re.findall(rf"(?:%..|[^%]){{1,{_PIECE // 3}}}", undotted))


def content_of(memories: Mapping[str, str]) -> StoreContent:
    """A store of these values by key. There is no index, and no time: the store keeps none."""
    files = (StoreFile(path_of(key), value.encode("utf-8", "surrogatepass")) for key, value in memories.items())
    return StoreContent({file.path: file for file in sorted(files, key=lambda file: file.path)}, indexed=False)


def values_of(content: StoreContent) -> dict[str, str]:
    """The values by key, as a store shall have them. Raises UsageError naming the file that can be no such memory."""
    return {_named(file): _said(file) for file in content.files.values()}


def _named(file: StoreFile) -> str:
    key = None if file.is_link else key_of(file.path)
    if key is not None and len(key) > MOST_CHARACTERS:
        raise _unsayable(file, f"its key is longer than {MOST_CHARACTERS} characters")
    if key is None or "\0" in key:
        raise UsageError(
            f"{file.path!r} can be no memory of a beads store.",
            "Memories are files NAME.md; take the file out of the candidate, or give it such a name.",
        )
    return key


def _said(file: StoreFile) -> str:
    try:
        value = file.data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unsayable(file, "it is not UTF-8") from None
    if not value.strip():
        raise _unsayable(file, "it is empty")
    if "\0" in value:
        raise _unsayable(file, "it holds a NUL character")
    if len(file.data) > MOST_BYTES:
        raise _unsayable(file, f"it is longer than {MOST_BYTES:,} bytes")
    return value


MOST_BYTES = 65_535
"""Of one value: that is what the column of bd's database holds, and less than systems allow an argument."""

MOST_CHARACTERS = 245
"""Of one key: its column holds 255, of which bd's own prefix takes ten."""


def _unsayable(file: StoreFile, why: str) -> UsageError:
    return UsageError(f"bd cannot keep {file.path!r}: {why}.", "Change it in the candidate, or leave its change out.")
