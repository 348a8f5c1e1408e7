"""What a memory names in its running prose, without marking it as code: paths and commands of a clear shape.

A shape in prose is a weaker sign than a code span. So a mention counts only where the tree or its history knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.claims.spans import spans
from memgit.text.markdown import LONGEST, prose

_SPAN = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|\[\[[^\]\n]*\]\]|\S+://\S+")
_PATH = re.compile(r"(?<![\w/.~$@:\\-])(?:\.?[\w-][\w.-]*/)+(?:[\w.-]*\w\.[A-Za-z]\w{0,5}\b(?![/\w-])|(?=[\s,;:)]|$))")
_COMMAND = re.compile(
    r"\b(?:[Rr]un|[Rr]unning|[Cc]all|[Uu]se|[Vv]ia|[Ww]ith|[Tt]hrough|[Ss]tart|[Dd]o)\s+(?:a\s+|an\s+|the\s+)?"
    r"(?P<command>(?:make|just|task|(?:npm|pnpm|yarn|bun) run|pnpm|yarn|poetry run|uv run) [a-z][\w:.-]*\w)"
)


def mentions(body: str) -> tuple[str, ...]:
    """The paths and commands that the prose of a body names beside its code spans, each once, in order."""
    found = dict.fromkeys(_found(prose(body[:LONGEST])))
    marked = frozenset(spans(body)) if found else frozenset()
    return tuple(one for one in found if one not in marked)


def _found(text: str) -> Iterator[str]:
    plain = _SPAN.sub(" ¦ ", text)
    yield from (match[0] for match in _PATH.finditer(plain))
    yield from (match["command"] for match in _COMMAND.finditer(plain))
