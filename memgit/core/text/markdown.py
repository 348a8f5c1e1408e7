"""Text from outside put safely into Markdown: no fence ends early, no control character or secret gets through."""

from __future__ import annotations

import re
from itertools import chain

from memgit.core.screening.findings import mask, printable, steering


def fenced(text: str, info: str = "") -> str:
    """``text``, masked and printable, in a fence longer than any run of backticks in it."""
    safe = printable(mask(text).text).rstrip("\n")
    fence = "`" * max(3, 1 + _longest(safe))
    return f"{fence}{info}\n{safe}\n{fence}"


def code(text: str) -> str:
    """``text`` as one code span on one line."""
    safe = _flat(text)
    ticks = "`" * (1 + _longest(safe))
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def line(text: str) -> str:
    """``text`` as prose on one line; tags that could pass for the agent's own lose their brackets."""
    safe = _flat(text)
    return safe.replace("<", "&lt;") if steering(safe) else safe


def quoted(text: str) -> str:
    """``text`` in typographic quotes, on one line."""
    return f"“{line(text)}”"


def _flat(text: str) -> str:
    return " ".join(printable(mask(text).text).split())


def _longest(text: str) -> int:
    return max(chain((0,), (len(run) for run in re.findall(r"`+", text))))
