"""A memory file read, and written again with no byte changed that a decision does not name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memgit.core.memories.copies import copied_from
from memgit.core.memories.dialect import Dialect, dialect_of, new_path
from memgit.core.memories.frontmatter import Fields, Parts, quoted, read_fields, split, with_description
from memgit.model.decision import Draft
from memgit.model.store import INDEX, FrontmatterState, Memory, StoreContent, StoreFile, StoreStatus
from memgit.model.times import time_of_text
from memgit.text.markdown import BOM

__all__ = [
    "Dialect",
    "dialect_of",
    "is_memory",
    "is_memory_of",
    "memories",
    "new_path",
    "read_memory",
    "render_changed",
    "render_new",
    "status",
]


def is_memory(file: StoreFile) -> bool:
    """True for Markdown files at any depth, but not the index and copies of it, links and hidden files (editors leave
    those)."""
    name = file.path.rpartition("/")[2]
    is_plain = name.endswith(".md") and not name.startswith(".") and file.path != INDEX and not file.is_link
    return is_plain and not is_copy_of_index(file.path)


def is_copy_of_index(path: str) -> bool:
    """True for a file that is named as a copy of the index: what it lists was listed once."""
    return _INDEX_ID in path and copied_from(path.removesuffix(".md"), (_INDEX_ID,)) is not None


_INDEX_ID = INDEX.removesuffix(".md")


def is_memory_of(content: StoreContent, file: StoreFile) -> bool:
    """The same in its store: where there is no index, a file of that name is a memory as well."""
    return is_memory(file) or (not content.indexed and file.path == INDEX and not file.is_link)


def memories(content: StoreContent) -> tuple[Memory, ...]:
    """All memories of a store, sorted by id."""
    found = (read_memory(file) for file in content.files.values() if is_memory_of(content, file))
    return tuple(sorted(found, key=lambda memory: memory.id))


def no_memories(content: StoreContent) -> tuple[str, ...]:
    """The paths of files that are neither memories nor the index: an index may point to them."""
    return tuple(path for path, file in content.files.items() if not is_memory_of(content, file) and path != INDEX)


def status(content: StoreContent) -> StoreStatus:
    """What a store holds. An index that is a link to nothing that can be read counts as none."""
    if not content.exists:
        return StoreStatus.ABSENT
    if not any(is_memory_of(content, file) for file in content.files.values()):
        return StoreStatus.EMPTY
    has_index = not content.indexed or (content.index is not None and not content.index.is_link)
    return StoreStatus.PRESENT if has_index else StoreStatus.INDEX_LESS


@lru_cache(maxsize=200_000)
def read_memory(file: StoreFile) -> Memory:
    """Read one file. Whatever its bytes are, this succeeds, and says how far the frontmatter was understood.

    A pass reads each of them a dozen times: as snapshot, before and after its changes, and for its report. They are
    kept, so that all these readings are one, and one value in memory.
    """
    parts = split(file.data)
    fields = read_fields(parts.block) if parts.has_frontmatter else Fields(FrontmatterState.NONE)
    return Memory(
        id=file.path.removesuffix(".md"),
        path=file.path,
        data=file.data,
        body=_body(parts.body),
        name=fields.top("name"),
        description=fields.top("description"),
        type=fields.either("type"),
        frontmatter=fields.state,
        problem=fields.problem,
        modified=time_of_text(fields.either("modified")),
        origin_session=fields.either("originSessionId") or None,
        mtime_ns=file.mtime_ns,
        pinned=fields.either("pinned").casefold() == "true",
    )


def _body(data: bytes) -> str:
    return _tidy(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def _tidy(text: str) -> str:
    """A body without the blank lines around it: they belong to the file, not to the fact."""
    return _BLANK_LINES.sub("", text).rstrip()


_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")


def render_new(draft: Draft, dialect: Dialect) -> bytes:
    """A whole new file in the store's dialect; strict YAML reads back exactly the strings of the draft.

    The name is written in the store's style. What UTF-8 cannot hold (lone surrogates) becomes U+FFFD.
    """
    blank = "\n" if dialect.blank_line else ""
    body = _tidy(_unix(draft.body))
    if dialect.keys:
        body = "".join(f"{line}\n" for line in ("---", *_frontmatter(draft, dialect), "---")) + blank + body
    return _encoded(body + "\n" if dialect.final_newline else body, dialect.newline)


def _frontmatter(draft: Draft, dialect: Dialect) -> Iterator[str]:
    for key in dialect.keys:
        match key:
            case "name":
                yield f"name: {quoted(_valid(dialect.name(draft)))}"
            case "description":
                yield f"description: {quoted(_valid(draft.description))}"
            case "type" if draft.type and dialect.nested:
                yield "metadata:"
                yield f"  type: {quoted(_valid(draft.type))}"
            case "type" if draft.type:
                yield f"type: {quoted(_valid(draft.type))}"


def render_changed(memory: Memory, draft: Draft) -> bytes:
    """The memory's file with the draft's description and body; all else stays byte for byte.

    That is: key order, quotes, unknown keys, BOM, line ends, blank lines at the edges. A file without
    frontmatter, or with a block that could not be read, keeps it so and gets the new body only.
    """
    parts = split(memory.data)
    block = parts.block
    readable = memory.frontmatter in (FrontmatterState.OK, FrontmatterState.LENIENT)
    if readable and draft.description != memory.description:
        block = with_description(block, _valid(draft.description))
    return parts.opening + block + parts.closing + _changed_body(parts, memory, draft)


def _changed_body(parts: Parts, memory: Memory, draft: Draft) -> bytes:
    if _tidy(draft.body.replace("\r\n", "\n")) == memory.body:
        return parts.body
    body = _tidy(_unix(draft.body))
    newline = "\r\n" if b"\r\n" in memory.data else "\n"
    lead, trail = _edges(parts.body)
    if not lead and _needs_gap(parts, body):
        lead = newline.encode()
    return lead + _encoded(body, newline) + trail


def _needs_gap(parts: Parts, body: str) -> bool:
    """A fence that ends the file, or a body that would be taken for frontmatter, needs a line end between."""
    return not parts.closing.endswith(b"\n") if parts.has_frontmatter else body.startswith("---")


def _edges(body: bytes) -> tuple[bytes, bytes]:
    """The blank lines before a body and the white space after it."""
    lead = re.match(rb"(?:[ \t]*\r?\n)*", body)
    start = lead.end() if lead else 0
    return body[:start], body[max(start, len(body.rstrip())) :]


def _encoded(text: str, newline: str) -> bytes:
    return _valid(text).replace("\n", newline).encode().removeprefix(BOM)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _valid(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)


_SURROGATES = re.compile(r"[\ud800-\udfff]")
