"""The shapes of stores: what each is, which file agents are given, and what it cannot express."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import quote, unquote

from memgit.evidence.findings import printable_name
from memgit.memory.index_edit import is_behind_link, leads_to
from memgit.model.store import EXPORTS, INDEX, StoreContent

# --- left alone ---
# What a store holds beside memories and is not read: the folders of other tools, links, pipes.

NAMED = 5
"""Names given before the rest is only counted."""


def left_alone(content: StoreContent) -> tuple[str, ...]:
    """A sentence for each kind of thing that is there and that a pass does not look into."""
    return tuple(_sentences(content))


def _sentences(content: StoreContent) -> Iterator[str]:
    links = [path for path, file in content.files.items() if file.is_link and path != INDEX]
    if content.foreign:
        yield f"Folders of other tools, not read and not copied; adopting carries them over: {_names(content.foreign)}."
    if links:
        yield f"Links, carried as links and not followed: {_names(links)}."
    if is_behind_link(content):
        yield (
            f"{INDEX} is a link to `{leads_to(content)}`: its text is read and carried, and nothing is written there. "
            "A candidate with another index can be adopted once the text itself is in the link's place."
        )
    if exports := [path for path in content.files if path.endswith(EXPORTS)]:
        yield f"Exports of another tool are no memories; kept byte for byte: {_names(exports)}."
    if content.special:
        yield f"Neither files nor folders, not read: {_names(content.special)}."


def _names(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(f"`{printable_name(name)}`" for name in names[:NAMED]) + (f" and {more} more" if more > 0 else "")


# --- bead keys ---
# The normal form of a beads store: each memory a file whose path spells its key, and whose bytes are its value.

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


SUMMARY = "memory_summary.md"
"""What Codex puts before every session, if it begins with `SUMMARY_MARK` and is under `SUMMARY_LIMIT` bytes."""

SUMMARY_MARK = b"v1"
SUMMARY_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. ``what`` names it to people; ``opening`` is the file that agents are given at the start of a session
    (empty where they are given none); ``indexed`` says whether that file lists the others. ``own`` are patterns of
    files that the agent's client makes for itself and no pass changes; ``limits`` are sentences for every report.
    ``grows`` says whether a pass can add memories, ``described`` whether they have a description besides their text.
    ``keeps`` names what the store's own tool keeps of former texts, where memgit cannot reach it. ``no_pass`` says why
    no pass over all stores works on it; empty where one does."""

    name: str
    what: str
    opening: str = ""
    indexed: bool = False
    own: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    grows: bool = True
    described: bool = True
    keeps: str = ""
    no_pass: str = ""

    @property
    def opening_id(self) -> str:
        """The memory that agents are given, where that is one and no index."""
        return "" if self.indexed else self.opening.removesuffix(".md")


DIRECTORY = Shape("directory", "memories with an index", INDEX, indexed=True)
PROSE = Shape(
    "prose",
    f"{INDEX} alone",
    INDEX,
    limits=(
        f"The store is {INDEX} alone: what it says is one memory, which is reworded and never dropped.",
        f"A new fact gets a file of its own and a line in {INDEX}.",
    ),
)
NOTES = Shape(
    "notes",
    "notes without an index",
    limits=("The store has no index, and gets none: agents find a note by its name, or by what sends them there.",),
)
CODEX = Shape(
    "codex",
    "Codex's memories",
    SUMMARY,
    own=("phase2_workspace_diff.md", "extensions/*/instructions.md"),
    limits=(
        f"Codex is given {SUMMARY} alone, which is reworded and never dropped.",
        f"A memory in a file of its own is found only where {SUMMARY} names it.",
        "The repository in the store is Codex's: adopting carries it over as it is, and nothing is committed to it.",
    ),
)

BEADS_MEMORIES = Shape(
    BEADS,
    "memories that bd keeps",
    limits=("bd keeps a text for each key, and neither times nor modes; a new memory is its text alone.",),
    keeps="the history that bd keeps of its database, and every place it was pushed to",
    no_pass="Beads are brought into order by `memgit sweep --store beads`, in their project.",
)

SUMMARIES = Shape(
    "sqlite",
    "summaries in a database",
    limits=(
        "A summary belongs to an event that its own tool recorded, so no pass adds one; events are never changed.",
        "A summary that is merged into another one stays as a row, superseded by an edge.",
        "The vector of a reworded summary stays as its own tool made it.",
    ),
    grows=False,
    described=False,
    keeps="the database's own events, which summaries are made from, and its log while its daemon runs",
)

SHAPES = {shape.name: shape for shape in (DIRECTORY, PROSE, NOTES, CODEX, BEADS_MEMORIES, SUMMARIES)}


def shape_named(name: str) -> Shape:
    """The shape of a resolution; one that is no folder has neither index nor opening."""
    return SHAPES.get(name) or Shape(name, name)


def loaded(content: StoreContent, shape: Shape) -> str:
    """How much of a store agents are given at the start, in a sentence."""
    from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT, limits  # here: every command asks for a shape

    opening = content.files.get(shape.opening)
    data = opening.data if opening else b""
    if shape is CODEX:
        return f"Summary: {len(data):,} of {SUMMARY_LIMIT:,} bytes"
    if not shape.opening:
        return "Index: this shape of store has none"
    found = limits(data)
    name = "Index" if shape.indexed else INDEX
    return f"{name}: {found.lines} of {LINE_LIMIT} lines, {found.units:,} of {UNIT_LIMIT:,} UTF-16 units"


def misshapen_summary(data: bytes) -> str:
    """Why Codex would not take a summary; empty where it would."""
    if data.split(b"\n", 1)[0].strip() != SUMMARY_MARK:
        return f"{SUMMARY} must begin with the line {SUMMARY_MARK.decode()}; Codex takes no other"
    if len(data) >= SUMMARY_LIMIT:
        return f"{SUMMARY} has {len(data):,} bytes; Codex takes less than {SUMMARY_LIMIT:,}"
    return ""


def untouchable(shape: Shape, memories: Iterable[str]) -> Iterator[str]:
    """Those of these memories that the client makes for itself."""
    return (name for name in memories if any(fnmatchcase(f"{name}.md", pattern) for pattern in shape.own))


def of_the_client(files: Collection[str]) -> frozenset[str]:
    """Those of a store's files that its client keeps for itself and writes when it likes."""
    shape = CODEX if CODEX.opening in files else DIRECTORY
    return frozenset(path for path in files if any(fnmatchcase(path, pattern) for pattern in shape.own))
