"""Which of very many texts are nearly the same, in time that grows with their number and not with its square.

Texts are sketched by the smallest hashes of their word pairs; those with a part of the sketch in common are compared
word by word. Only what differs in words without a meaning of their own, in inflection or by what one of the two adds
is nearly the same: where one word stands in another's place, the two may speak of siblings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from memgit.text.words import STOP_WORDS, stem

NEAR = 0.88
"""Share of all words of two texts that must be the same, in order. Measured: copies with a word of grace more reach
0.9, and what another person words anew stays below 0.6."""

_BANDS, _ROWS = 4, 3
_MASK = (1 << 32) - 1
_SEEDS = tuple((0x9E3779B1 * (2 * n + 1) & _MASK | 1, 0x85EBCA77 * (n + 1) & _MASK) for n in range(_BANDS * _ROWS))
_LONGEST = 600
"""Words of a text beyond which only an exact copy is nearly the same."""

_COMPARED = 6
"""Groups of one bucket that a text is compared with: a text copied a thousand times is one group."""

_WORD = re.compile(r"[^\W_]+(?:[.:/%-][^\W_]+)*%?|--?\w[\w-]*")


def near_groups(texts: Sequence[str], near: float = NEAR) -> list[list[int]]:
    """Groups of positions whose texts are nearly the same, each with two or more, first member first."""
    words = [tuple(_words(text)) for text in texts]
    parent = list(range(len(texts)))
    for bucket in _buckets(words):
        heads: list[int] = []
        for number in bucket:
            head = next((each for each in heads if nearly_same(words[each], words[number], near)), None)
            if head is None:
                heads = [*heads, number][-_COMPARED:]
            else:
                _join(parent, head, number)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number in range(len(texts)):
        groups[_root(parent, number)].append(number)
    return [group for group in groups.values() if len(group) > 1]


def nearly_same(one: Sequence[str], other: Sequence[str], near: float = NEAR) -> bool:
    """Whether two texts, as words, differ in nothing that has a meaning."""
    if one == other:
        return bool(one)
    if max(len(one), len(other)) > _LONGEST or min(len(one), len(other)) < near * max(len(one), len(other)) - 1:
        return False
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    same = sum(2 * (j - i) for tag, i, j, _, _ in steps if tag == "equal")
    added = [(_telling(one[i:j]), _telling(other[m:n])) for tag, i, j, m, n in steps if tag != "equal"]
    return same >= near * (len(one) + len(other)) and not _says_another(added)


def _says_another(added: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> bool:
    """Whether something stands in another's place, both sides add something, or what is added denies or counts."""
    if any(mine and theirs and set(mine) != set(theirs) for mine, theirs in added):
        return True
    mine, theirs = ({word for pair in added for word in pair[side]} for side in (0, 1))
    if mine - theirs and theirs - mine:
        return True
    return any(_is_weighty(word) for word in mine ^ theirs)


def _is_weighty(word: str) -> bool:
    """A number, a denial, a name of code: no word of grace."""
    return word in _DENIALS or any(char.isdigit() for char in word) or word.startswith("-")


_DENIALS = frozenset(
    (
        "no",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "without",
        "cannot",
        "don",
        "doesn",
        "isn",
        "nor",
        "except",
        "unless",
        "only",
    )
)


def _telling(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(stem(word) for word in words if word not in STOP_WORDS or word in _DENIALS)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(text.lower()))


def _buckets(texts: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """Positions of texts with a band of their sketches in common."""
    bands: defaultdict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for number, words in enumerate(texts):
        if words:
            sketch = _sketch(words)
            for band in range(_BANDS):
                bands[band, sketch[band * _ROWS : (band + 1) * _ROWS]].append(number)
    return (numbers for numbers in bands.values() if len(numbers) > 1)


def _sketch(words: Sequence[str]) -> tuple[int, ...]:
    telling = [word for word in words if word not in STOP_WORDS] or list(words)
    pairs = {_hash(f"{one} {other}") for one, other in pairwise(telling)} or {_hash(telling[0])}
    return tuple(min([(value * a + b) & _MASK for value in pairs]) for a, b in _SEEDS)


@lru_cache(maxsize=200_000)
def _hash(pair: str) -> int:
    return crc32(pair.encode("utf-8", "surrogatepass"))


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _join(parent: list[int], one: int, other: int) -> None:
    first, second = sorted((_root(parent, one), _root(parent, other)))
    parent[second] = first
