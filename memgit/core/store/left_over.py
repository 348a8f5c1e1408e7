"""What a change of a store leaves behind: names of what goes, old values in the index, entries past its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname

from memgit.core.index.limits import LINE_LIMIT, UNIT_LIMIT, limits
from memgit.core.index.lines import Targets, parse_index
from memgit.core.index.outdated import old_values
from memgit.core.memories.links import Names, mentions
from memgit.core.memories.memory import memories
from memgit.core.memories.relations import leading_nowhere
from memgit.evidence.findings import masked_name
from memgit.model.store import INDEX, Memory, StoreContent
from memgit.text.layout import counted


def left_over(before: StoreContent, after: StoreContent) -> Iterator[str]:
    """A sentence for each thing that somebody may want to mend after the change from one store to the other."""
    old, new = ({memory.id: memory for memory in memories(content)} for content in (before, after))
    yield from _relations(old, new)
    yield from _mentions(old, new)
    if after.indexed and after.index is not None:
        yield from _old_values(after, old, new)
        measured = limits(after.index.data)
        if measured.over and measured.lost:
            bound = f"{LINE_LIMIT} lines and {UNIT_LIMIT:,} units"
            yield f"{counted(len(measured.lost), 'line')} of the index fall off: {bound} are loaded. {measured.remedy}"


def _relations(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """The relations in frontmatter that would lead nowhere and lead somewhere now."""
    known = frozenset(leading_nowhere(tuple(old.values())))
    fresh = (one for one in leading_nowhere(tuple(new.values())) if one not in known)
    return (f"{one.memory} names {one.target} in {one.key}, which would go." for one in fresh)


def _mentions(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """Where a text still names, in a form that is not led to the survivor, a memory that goes."""
    gone = old.keys() - new.keys()
    names = Names(old.values()) if gone else Names(())
    for memory in new.values() if gone else ():
        for mention in mentions(memory.body):
            if names.of(mention, dirname(memory.path)) in gone:
                line = memory.body.count("\n", 0, mention.start) + 1
                told = masked_name(memory.body[mention.start : mention.end])
                yield f"{masked_name(memory.id)} still names {told} in line {line} of its text, which would go."


def _old_values(after: StoreContent, old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """Where the index still gives a value that a changed memory gave: in its own entry, or in prose."""
    changed = [one for one in new.values() if one.id in old and old[one.id].data != one.data]
    targets = Targets(tuple(new.values()))
    for line in parse_index(after.index_text, targets) if changed else ():
        named = {targets.memory(pointer) for pointer in (*line.pointers, *line.mentions)}
        for one in changed:
            if one.id in named or not named:
                for value in old_values(line.text, old[one.id], one):
                    told = f"which {masked_name(one.id)} gave before"
                    yield f"{INDEX}:{line.number} still says {value}, {told}."
