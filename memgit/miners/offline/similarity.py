"""Which texts are about the same thing. Nominates only: a restatement and a contradiction look alike from here."""

from __future__ import annotations

import math
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from operator import mul

from memgit.miners.offline.words import Weights, content, stem, telling_words

DIMENSIONS = 128
_WORDS_KNOWN = 20_000  # words whose rows are remembered
_LONGEST_PIECE_RUN = 100  # characters; a longer run of letters is no word
_POSTINGS_CAP = 40  # a stem that more texts share (in large stores: more than the root of their number) tells nothing
_ALIKE = 0.12  # share of the shorter text's words that two must have in common to be looked at

Vector = tuple[float, ...]


class _Table:
    """The word pieces and their rows, as shipped with the package."""

    def __init__(self) -> None:
        folder = files("memgit.miners.offline") / "data"
        pieces = (folder / "static_minilm_vocab.txt").read_text(encoding="utf-8").split("\n")
        self._row = {piece: number for number, piece in enumerate(pieces) if piece}
        with (folder / "static_minilm_128d_int8.npz").open("rb") as raw, zipfile.ZipFile(raw) as archive:
            data = archive.read("q.npy")
        header = 10 + int.from_bytes(data[8:10], "little")
        self._values = memoryview(data)[header:].cast("b")
        self._known: dict[str, list[memoryview]] = {}

    def rows(self, word: str) -> list[memoryview]:
        """The rows of a word's pieces, longest piece first; of an unknown word, none."""
        if word not in self._known:
            if len(self._known) >= _WORDS_KNOWN:
                self._known.clear()
            self._known[word] = self._find(word)
        return self._known[word]

    def _find(self, word: str) -> list[memoryview]:
        found, start = [], 0
        while start < len(word):
            end = next((end for end in range(len(word), start, -1) if self._piece(word, start, end) in self._row), None)
            if end is None:
                return []
            row = self._row[self._piece(word, start, end)]
            found.append(self._values[row * DIMENSIONS : (row + 1) * DIMENSIONS])
            start = end
        return found

    @staticmethod
    def _piece(word: str, start: int, end: int) -> str:
        return word[start:end] if start == 0 else f"##{word[start:end]}"


@cache
def _table() -> _Table:
    return _Table()


def _basic_words(text: str) -> Iterator[str]:
    """Lower-case words without accents, each sign on its own, as the vocabulary expects them."""
    plain = text.lower()
    if not plain.isascii():
        plain = "".join(sign for sign in unicodedata.normalize("NFD", plain) if unicodedata.category(sign) != "Mn")
    spaced = "".join([sign if sign.isalnum() else f" {sign} " for sign in plain])
    return (word for word in spaced.split() if len(word) <= _LONGEST_PIECE_RUN)


@lru_cache(maxsize=20_000)
def vector(text: str) -> Vector:
    """The normalised mean of a text's word pieces; all zeros where no piece is known."""
    table = _table()
    rows = [row for word in _basic_words(text) for row in table.rows(word)]
    if not rows:
        return (0.0,) * DIMENSIONS
    return _unit(list(map(sum, zip(*rows, strict=True))))


def cosine(a: str, b: str) -> float:
    """How near two texts are in topic, −1 to 1."""
    return dot(vector(a), vector(b))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """The inner product of two vectors."""
    products: map[float] = map(mul, a, b)
    return sum(products)


def weighted_vector(text: str, weights: Weights) -> Vector:
    """The normalised sum of a text's telling words, each as heavy as it is rare in the store."""
    words = telling_words(text)
    if not words:
        return (0.0,) * DIMENSIONS
    heavy = [weights[stem(word)] for word in words]
    return _unit([sum(map(mul, heavy, column)) for column in zip(*map(_word_vector, words), strict=True)])


def centred(vectors: Sequence[Vector]) -> tuple[Vector, ...]:
    """The vectors without what all of them have in common, normalised again."""
    middle = [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]
    return tuple(_unit([value - mean for value, mean in zip(one, middle, strict=True)]) for one in vectors)


def _unit(values: Sequence[float]) -> Vector:
    length = math.sqrt(dot(values, values)) or 1.0
    return tuple([value / length for value in values])


@lru_cache(maxsize=20_000)
def _word_vector(word: str) -> Vector:
    """The sum of a word's pieces; all zeros where it is unknown."""
    rows = [row for part in _basic_words(word) for row in _table().rows(part)]
    return tuple(map(float, map(sum, zip(*rows, strict=True)))) if rows else (0.0,) * DIMENSIONS


def related_pairs(texts: Sequence[str], floor: float) -> list[tuple[int, int, float]]:
    """Positions of texts that share telling words and are at least ``floor`` near, nearest first.

    Pairs come from an inverted index over stems that few texts share, so the work grows with the
    number of related texts and not with the square of all.
    """
    near = ((a, b, cosine(texts[a], texts[b])) for a, b in _alike([content(text) for text in texts]))
    return sorted((pair for pair in near if pair[2] >= floor), key=lambda pair: (-pair[2], pair[0], pair[1]))


def _alike(words: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Pairs that share enough telling words: one text after the other, so that only its own candidates are held."""
    frequency = Counter(word for known in words for word in known)
    cap = max(_POSTINGS_CAP, math.isqrt(len(words)))
    before: dict[str, list[int]] = defaultdict(list)
    for number, known in enumerate(words):
        telling = [word for word in known if frequency[word] <= cap]
        shared = Counter(chain.from_iterable(before[word] for word in telling))
        for word in telling:
            before[word].append(number)
        for other, count in shared.items():
            if count >= 2 and count >= _ALIKE * min(len(words[other]), len(known)):
                yield other, number
