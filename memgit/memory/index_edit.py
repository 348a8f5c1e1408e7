"""One line of an index added or replaced, every other byte left as it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from memgit.errors import WrongState
from memgit.evidence.findings import printable_name
from memgit.memory.index import Drift, drift
from memgit.memory.index_lines import IndexLine, Pointer, Targets, encoded, parse_index
from memgit.memory.memory import memories, no_memories
from memgit.memory.rebuild import HEADER, Style, below, end_of_text, hook
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile
from memgit.model.times import shell_word
from memgit.text.markdown import BOM


def with_line(index: StoreFile | None, memories: Sequence[Memory], memory: Memory, text: str) -> bytes:
    """The bytes of the index with one line for a memory, whose hook is ``text``.

    ``memories`` are all of the store. The memory's own line is replaced, its title kept; without one a line is added
    below the last. A line that lists several memories is left alone.
    """
    shown, targets = replace(memory, description=text), Targets(memories)
    if index is None or index.is_link or not index.data.removeprefix(BOM).strip():
        return f"{HEADER}\n\n{Style().entry(shown)}\n".encode("utf-8", "surrogateescape")
    lines = parse_index(index.data, targets)
    own = next(((line, p) for line in lines for p in line.pointers if targets.memory(p) == memory.id), None)
    if own is None:
        return _added(lines, targets, shown)
    at = lines.index(own[0])
    row = _rewritten(*own, shown, targets)
    return b"".join([*_data(lines[:at]), row, *_data(lines[at + 1 :])])


def _rewritten(line: IndexLine, pointer: Pointer, shown: Memory, targets: Targets) -> bytes:
    if len(line.pointers) > 1 or hook(shown) == pointer.hook:
        return line.data
    ending = line.data[len(line.data.rstrip(b"\r\n")) :]
    style = Style.of(line)
    if line.is_table_row:
        return encoded(style.entry(shown, targets)) + ending
    bold = "**" if line.text[pointer.end :].startswith("**") else ""
    mark = BOM if line.data.startswith(BOM) else b""
    return mark + encoded(line.text[: pointer.end] + bold + style.separator + hook(shown)) + ending


def _added(lines: tuple[IndexLine, ...], targets: Targets, shown: Memory) -> bytes:
    entries = [line for line in lines if line.is_entry]
    at = below(lines, lines.index(entries[-1])) if entries else end_of_text(lines)
    newline = b"\r\n" if lines[0].data.endswith(b"\r\n") else b"\n"
    gap = newline if not entries and at >= 0 and lines[at].text.strip() else b""
    row = gap + encoded(Style.of_new(entries).at(1).entry(shown, targets))
    before, after = b"".join(_data(lines[: at + 1])), b"".join(_data(lines[at + 1 :]))
    if before and not before.endswith(b"\n"):
        return before + newline + row  # the file ends without a line end, and goes on doing so
    return before + row + newline + after


def _data(lines: Sequence[IndexLine]) -> list[bytes]:
    return [line.data for line in lines]


# --- listing ---
# Whether what a store lists and what it holds agree.

_HOOK = 120
"""Characters of a memory's first line that stand for a description where it has none."""


def drift_of(content: StoreContent) -> Drift:
    """How far the index of a store and its memories have come apart; a store of a shape without one has no drift."""
    if not content.indexed:
        return Drift()
    return drift(content.index, memories(content), no_memories(content), content.roots)


def listed(content: StoreContent) -> frozenset[str]:
    """The ids of the memories to which the index leads."""
    return frozenset(memory.id for memory in memories(content)).difference(drift_of(content).orphans)


def stands_alone(content: StoreContent) -> bool:
    """Whether the store is a `MEMORY.md` whose prose is its one memory."""
    return not content.indexed and [memory.path for memory in memories(content)] == [INDEX]


def grown(before: StoreContent, after: StoreContent) -> StoreContent:
    """``after``; where ``before`` was a `MEMORY.md` alone, with a line in that for each memory beside it now,
    so that agents are told of it. The file is an index from then on."""
    added = [memory for memory in memories(after) if memory.path != INDEX]
    index = after.index
    if not added or index is None or not stands_alone(before):
        return after
    for number, memory in enumerate(added, start=1):
        told = memory.description or memory.body.partition("\n")[0][:_HOOK]
        index = index.holding(with_line(index, added[:number], memory, told))
    return replace(after, files=dict(sorted({**after.files, INDEX: index}.items())), indexed=True)


# --- index link ---
# An index behind a symbolic link: its text counts, the link stays, and nobody writes through it.


def is_behind_link(content: StoreContent) -> bool:
    """Whether the index is a link, to a file that can be read or to none."""
    return content.index is not None and bool(content.index.link or content.index.is_link)


def leads_nowhere(content: StoreContent) -> bool:
    """Whether the index is a link behind which agents read nothing."""
    return content.index is not None and content.index.is_link


def leads_to(content: StoreContent) -> str:
    """Where the link of an index leads, as it may be shown."""
    assert content.index is not None
    return printable_name(os.fsdecode(content.index.link or content.index.data))


def refuse_nowhere(content: StoreContent) -> None:
    """Raise WrongState for an index that is a link to nothing that can be read."""
    if leads_nowhere(content):
        raise WrongState(
            f"{INDEX} is a link to {leads_to(content)}, where no file can be read, so agents see no index.",
            f"Mend what it leads to, or remove the link {INDEX} in the store; then run the command again.",
        )


def refuse_other_index(folder: str, before: StoreContent, content: StoreContent) -> None:
    """Raise WrongState if the store at ``folder`` would get an index that is not what its link leads to."""
    if not is_behind_link(before) or _same_index(before, content):
        return
    refuse_nowhere(before)
    raise WrongState(
        f"{INDEX} is a link to {leads_to(before)}, and the index is to hold another text: memgit neither writes "
        "through a link nor replaces it. The store is as it was.",
        f"Put the text itself in its place ({mend(folder)}), or what was decided where it leads, and run it again.",
    )


def mend(folder: str) -> str:
    """The command that puts what an index's link leads to in the place of the link."""
    link, beside = (shell_word(f"{folder}/{name}") for name in (INDEX, f"{INDEX}.new"))
    return f"cp -p {link} {beside} && mv -f {beside} {link}"


def _same_index(before: StoreContent, content: StoreContent) -> bool:
    one, other = before.index, content.index
    return one is not None and other is not None and (one.data, one.is_link) == (other.data, other.is_link)
