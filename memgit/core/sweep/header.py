"""The line in front of a curated memory, and the mark of one that another has superseded.

@type=semantic:lesson @created=2026-06-28 @salience=4 @refs=bd-12,worktree-path @tags=memory,curation
[superseded 2026-07-01 by worktree-default]
the fact itself
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

ORDER = ("type", "created", "salience", "refs", "tags")
"""Fields in the order in which they are written; any further ones follow as they were."""

_FIELD = re.compile(r"@([A-Za-z][\w-]*)\s*[=:]\s*(\S*)(?:[ \t]+|(?=\n)|\Z)")
_TOMBSTONE = re.compile(r"\[superseded (\d{4}-\d\d-\d\d) by ([^\]\n]+)\][ \t]*(?:\n|\Z)")
_UNSAFE = re.compile(r"[\s\"\\<>&\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Marked:
    """A memory's text taken apart: the fields in front, the mark of what superseded it (day and key), the fact."""

    fields: Mapping[str, str] = field(default_factory=dict)
    superseded: tuple[str, str] | None = None
    body: str = ""

    @property
    def salience(self) -> int:
        """1 to 5; 0 where it is not said."""
        text = self.fields.get("salience", "")
        return int(text) if text in ("1", "2", "3", "4", "5") else 0

    def listed(self, name: str) -> tuple[str, ...]:
        """A field that holds several words."""
        return tuple(filter(None, self.fields.get(name, "").split(",")))

    def with_fields(self, **given: str) -> Marked:
        """The same with other values; an empty one takes its field away."""
        return replace(self, fields={name: value for name, value in {**self.fields, **given}.items() if value})

    def text(self) -> str:
        """The whole text, with its header in the normal form."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        names = sorted(self.fields, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
        if names:
            yield " ".join(f"@{name}={self.fields[name]}" for name in names)
        if self.superseded:
            day, key = self.superseded
            yield f"[superseded {day} by {key}]"
        yield self.body


def marked(text: str) -> Marked:
    """Take a text apart. A header is read leniently (``@type: x``, any order) and must stand at the very start."""
    fields: dict[str, str] = {}
    at = 0
    while found := _FIELD.match(text, at):
        fields.setdefault(found[1].lower(), found[2])
        at = found.end()
    rest = text[at:].removeprefix("\n") if at else text
    tombstone = _TOMBSTONE.match(rest)
    superseded = (tombstone[1], tombstone[2]) if tombstone else None
    return Marked(fields, superseded, rest[tombstone.end() :] if tombstone else rest)


def united(own: Marked, others: Iterable[Marked], gone: Collection[str] = ()) -> Marked:
    """``own`` with the references and tags of all, and with the fields of others that it has none of itself.

    ``gone`` are keys that nothing shall refer to any more.
    """
    others = tuple(others)
    fields = {name: value for each in reversed(others) for name, value in each.fields.items()} | dict(own.fields)
    listed = {name: [word for each in (own, *others) for word in each.listed(name)] for name in ("refs", "tags")}
    kept = {name: listing(tuple(word for word in words if word not in gone)) for name, words in listed.items()}
    return replace(own, fields=fields).with_fields(**kept)


def listing(words: tuple[str, ...]) -> str:
    """Words as a field's value: what would end the header for those who look for it in printed JSON is left out."""
    return ",".join(dict.fromkeys(word for word in words if not _UNSAFE.search(word) and "," not in word))
