"""What is wrong with single memories: frontmatter that the agent's client would damage, links that lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.core.memories.frontmatter import split
from memgit.core.memories.links import Names, Wikilink, links
from memgit.core.store.finding_names import named
from memgit.model.finding import Area, Finding
from memgit.model.store import FrontmatterState, Memory

_COMMENT = re.compile(rb"^[ \t]*#", re.MULTILINE)
_UNREADABLE = frozenset({FrontmatterState.LENIENT, FrontmatterState.UNPARSED})


def memory_health(memories: Sequence[Memory]) -> Iterator[Finding]:
    """Measured: the client writes frontmatter anew at each edit, drops values that are no valid YAML, and gives a
    memory without a name an empty one."""
    if broken := [memory.path for memory in memories if memory.frontmatter in _UNREADABLE]:
        yield Finding(
            Area.TEXT,
            f"Frontmatter that is no valid YAML, of which the agent's client would drop parts: {named(broken)}.",
            "Put the value in quotes.",
        )
    if nameless := [m.path for m in memories if m.frontmatter is FrontmatterState.OK and not m.name]:
        yield Finding(Area.TEXT, f"Frontmatter without a name: {named(nameless)}.", "Add the line `name: …`.")
    if noted := [memory.path for memory in memories if _COMMENT.search(split(memory.data).block)]:
        what = f"Comments in frontmatter, which the agent's client drops at its next edit: {named(noted)}."
        yield Finding(Area.TEXT, what, "Move them into the text.")
    if loose := list(_loose(memories)):
        yield Finding(Area.TEXT, f"Links to no memory: {named(loose)}.", "Link to one that is there, or unlink it.")


def _loose(memories: Sequence[Memory]) -> Iterator[str]:
    names = Names(memories)
    for memory in memories:
        targets = dict.fromkeys(link.target for link in links(memory.body) if isinstance(link, Wikilink))
        yield from (f"{memory.id} -> [[{target}]]" for target in targets if names.resolve(target) is None)
