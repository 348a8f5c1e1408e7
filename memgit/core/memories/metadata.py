"""Metadata at the top of a text that is not read as frontmatter: another program's, TOML, JSON, an open block."""

from __future__ import annotations

import json
import re

_FENCES = {"-": re.compile(r"(?:-{3,}|\.{3})[ \t]*"), "+": re.compile(r"\+{3,}[ \t]*"), ";": re.compile(r";{3,}[ \t]*")}
_ENTRY = re.compile(
    r"[ \t]*(?:[\"']?[\w.-]+[\"']?[ \t]*[:=](?:[ \t].*|$)|\[\[?[\w.\"' -]+\]\]?[ \t]*$|[#;].*|[\]})][,;]?)"
)
_BELOW_AN_ENTRY = re.compile(r"[ \t]+\S.*|[ \t]*-[ \t]+.*")


def opens_metadata(text: str) -> bool:
    """Whether a text begins with keys and values below a fence, though not as frontmatter."""
    first = text.lstrip("\ufeff \t\r\n").split("\n")
    return not first[0].startswith("{") and _length(first) > 0


def without_metadata(text: str) -> str:
    """The text below all blocks of metadata that it begins with; the text itself where it begins with none."""
    while True:
        lines = text.lstrip("\ufeff \t\r\n").split("\n")
        length = _length(lines)
        if length == 0:
            return text
        text = "\n".join(lines[length:])


def _length(lines: list[str]) -> int:
    """How many lines the block at the top takes; 0 where there is none."""
    if lines[0].startswith("{"):
        return _length_of_json(lines)
    fence = next(
        (mark for sign, mark in _FENCES.items() if lines[0].startswith(sign * 3) and mark.fullmatch(lines[0])), None
    )
    if fence is None:
        return 0
    end = whole = _end_of_entries(lines, 1)
    while whole < len(lines) and not lines[whole].strip():
        whole = _end_of_entries(lines, whole + 1)
    if end > 1 and whole < len(lines) and fence.fullmatch(lines[whole]):
        return whole + 1
    return end if end > 1 else 0


def _end_of_entries(lines: list[str], start: int) -> int:
    """The position behind the lines of keys and values, and what is indented below them."""
    at = start
    while at < len(lines) and (_ENTRY.fullmatch(lines[at]) or (at > start and _BELOW_AN_ENTRY.fullmatch(lines[at]))):
        at += 1
    return at


def _length_of_json(lines: list[str]) -> int:
    whole = "\n".join(lines)
    try:
        value, end = json.JSONDecoder().raw_decode(whole)
    except (ValueError, RecursionError):
        return 0
    return whole.count("\n", 0, end) + 1 if isinstance(value, dict) and value else 0
