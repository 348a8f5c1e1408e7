"""Every line of some files that holds one of many words, all looked for at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ahocorasick_rs import BytesAhoCorasick

from memgit.model.verification import Line
from memgit.text.words import stands_alone

MOST = 40
"""Lines that are given of one word; a word on more of them names nothing in particular."""

_HEAD = 8192  # bytes among which a NUL shows a binary file
_CHAR = 4  # bytes of the longest UTF-8 character


def occurrences(files: Iterable[tuple[str, bytes]], words: Iterable[str]) -> Mapping[str, tuple[Line, ...]]:
    """The lines of each word, in the order of the files; a word that stands nowhere is left out."""
    wanted = [word for word in dict.fromkeys(words) if word and "\0" not in word]
    if not wanted:
        return {}
    machine = BytesAhoCorasick([word.encode("utf-8", "surrogatepass") for word in wanted])
    found: defaultdict[str, dict[tuple[str, int], Line]] = defaultdict(dict)
    for path, data in files:
        if b"\0" in data[:_HEAD]:
            continue
        for number, at, end in machine.find_matches_as_indexes(data, overlapping=True):
            lines, word = found[wanted[number]], wanted[number]
            if len(lines) < MOST and _is_whole(word, data, at, end):
                line = _line(path, data, at)
                lines.setdefault((path, line.number), line)
    return {word: tuple(lines.values()) for word, lines in found.items() if lines}


def _is_whole(word: str, data: bytes, start: int, end: int) -> bool:
    before = data[max(0, start - _CHAR) : start].decode("utf-8", "ignore")
    after = data[end : end + _CHAR].decode("utf-8", "ignore")
    return stands_alone(word, before[-1:], after[:1])


def _line(path: str, data: bytes, at: int) -> Line:
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    text = data[start : end if end >= 0 else len(data)]
    return Line(path, data.count(b"\n", 0, start) + 1, text.decode("utf-8", "replace").rstrip("\r"))
