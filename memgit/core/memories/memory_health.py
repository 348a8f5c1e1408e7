"""What is wrong with single memories: frontmatter that the agent's client would damage, links that lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from memgit.core.memories.frontmatter import split
from memgit.core.memories.links import Names, Wikilink, links
from memgit.core.memories.memory import is_copy_of_index
from memgit.core.memories.metadata import opens_metadata
from memgit.core.store.finding_names import finding_of
from memgit.model.finding import Area, Finding
from memgit.model.store import INDEX, FrontmatterState, Memory

_COMMENT = re.compile(rb"^[ \t]*#", re.MULTILINE)
_CUT = re.compile(rb"^[ \t]*[\w-]+:[ \t]+(?:#|[^\s\"'#\[{|>][^\n]*?[ \t]#)", re.MULTILINE)
_UNREADABLE = frozenset({FrontmatterState.LENIENT, FrontmatterState.UNPARSED})


def memory_health(memories: Sequence[Memory], known: Collection[str] = ()) -> Iterator[Finding]:
    """Measured: the client writes frontmatter anew at each edit, drops values that are no valid YAML, and gives a
    memory without a name an empty one. ``known`` are names of other things that links may lead to."""
    yield from _of(
        memories,
        "Frontmatter that is no valid YAML, of which the agent's client would drop parts",
        lambda memory: memory.frontmatter in _UNREADABLE,
        "Put the value in quotes.",
    )
    yield from _of(
        memories,
        "Metadata at the top that is no frontmatter, so that nothing of it is read",
        lambda memory: memory.frontmatter is FrontmatterState.NONE and opens_metadata(memory.body),
        "Begin the file with a line `---`, and close the block with another.",
    )
    yield from _of(
        memories,
        "Frontmatter without a name",
        lambda memory: memory.frontmatter is FrontmatterState.OK and not memory.name,
        "Add the line `name: …`.",
    )
    yield from _of(
        memories,
        "Values in frontmatter that YAML cuts at a `#`",
        lambda memory: bool(_CUT.search(split(memory.data).block)),
        "Put the value in quotes.",
    )
    yield from _of(
        memories,
        "Comments in frontmatter, which the agent's client drops at its next edit",
        lambda memory: bool(_COMMENT.search(split(memory.data).block)),
        "Move them into the text.",
    )
    if loose := [*_loose(memories, known)]:
        yield finding_of(Area.TEXT, "Links to no memory", loose, "Link to one that is there, or unlink it.")


def _of(memories: Sequence[Memory], what: str, is_so: Callable[[Memory], bool], remedy: str) -> Iterator[Finding]:
    if found := [memory.path for memory in memories if is_so(memory)]:
        yield finding_of(Area.TEXT, what, found, remedy)


def _loose(memories: Sequence[Memory], known: Collection[str]) -> Iterator[str]:
    names = Names(memories)
    for memory in memories:
        targets = dict.fromkeys(link.target for link in links(memory.body) if isinstance(link, Wikilink))
        for target in targets:
            if names.resolve(target) is None and target not in known and not _is_index(target):
                yield f"{memory.id} -> [[{target}]]"


def _is_index(target: str) -> bool:
    path = target.removesuffix(".md").removeprefix("./") + ".md"
    return path.casefold() == INDEX.casefold() or is_copy_of_index(path)
