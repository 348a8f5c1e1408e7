"""Vectors of summaries: which can be compared, which are near each other, and what is made of that."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from itertools import combinations

import pytest

from memgit.core.summaries import vectors as nearness
from memgit.core.summaries.form import EMBEDDINGS, SUMMARIES, StoreFile, tables_file, vector_record, vectors_path
from memgit.core.summaries.vectors import Vector, keeps_vectors, near_pairs, vectors
from memgit.model.store import Memory, StoreContent

COLUMNS = {SUMMARIES: ("id", "ts", "text"), EMBEDDINGS: ("summary_id", "dim", "vec")}


def packed(numbers: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def database(*rows: tuple[int, object, object], columns=COLUMNS) -> StoreContent:
    """The content of a database with these rows of vectors: summary, dim, vec."""
    data = b"".join(vector_record({"summary_id": key, "dim": dim, "vec": vec}) for key, dim, vec in rows)
    files = [tables_file(columns, dict.fromkeys(columns, ("id",)))]
    files += [StoreFile(vectors_path(1), data)] if data else []
    return StoreContent({file.path: file for file in files}, indexed=False)


def vector(name: str, numbers: Sequence[float]) -> Vector:
    data = packed(numbers)
    return Vector(
        name, memoryview(data), math.sqrt(sum(each * each for each in struct.unpack(f"<{len(numbers)}f", data)))
    )


def drawn(chance: random.Random, size: int = 384) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(size)]


def turned(chance: random.Random, numbers: Sequence[float], cosine: float) -> list[float]:
    """A vector at this cosine to another one, as nearly as a random direction is at a right angle to it."""
    aside = drawn(chance, len(numbers))
    along = sum(a * b for a, b in zip(aside, numbers, strict=True)) / sum(a * a for a in numbers)
    aside = [a - along * b for a, b in zip(aside, numbers, strict=True)]
    by = math.sqrt(1 / cosine**2 - 1) * math.hypot(*numbers) / math.hypot(*aside)
    return [a + by * b for a, b in zip(numbers, aside, strict=True)]


# --- which can be compared ---


def test_a_vector_is_read_where_it_lies_with_its_length():
    (found,) = vectors(database((1, 2, packed([3.0, 4.0]))), {"000/1"})
    assert (found.memory, found.dimensions, found.length) == ("000/1", 2, 5.0)
    assert found.numbers == (0.6, 0.8)


@pytest.mark.parametrize(
    ("dim", "vec"),
    [
        pytest.param(2, packed([0.0, 0.0]), id="zero"),
        pytest.param(2, packed([math.nan, 1.0]), id="no number"),
        pytest.param(2, packed([math.inf, 1.0]), id="infinite"),
        pytest.param(2, packed([1.0, 1.0])[:-1], id="cut inside a number"),
        pytest.param(3, packed([1.0, 1.0]), id="cut between numbers"),
        pytest.param(0, b"", id="empty"),
        pytest.param(2, None, id="null"),
        pytest.param(2, "0.1 0.2", id="a text"),
    ],
)
def test_what_has_no_direction_is_passed_over(dim, vec):
    assert list(vectors(database((1, dim, vec)), {"000/1"})) == []


def test_only_the_vectors_that_are_wanted_are_read():
    content = database((1, 1, packed([1.0])), (2, 1, packed([1.0])))
    assert [found.memory for found in vectors(content, {"000/2"})] == ["000/2"]


def test_a_database_without_a_table_of_vectors_keeps_none():
    assert keeps_vectors(database())
    assert not keeps_vectors(database(columns={SUMMARIES: COLUMNS[SUMMARIES]}))


# --- which are near each other ---


def test_a_pair_is_given_from_the_bound_on_with_its_exact_cosine():
    one, above, below = ([near, side * math.sqrt(1 - near**2)] for near, side in ((1.0, 1), (0.951, 1), (0.949, -1)))
    ((first, second, cosine),) = near_pairs(
        vector(name, each) for name, each in zip("abc", (one, above, below), strict=True)
    )
    assert (first, second) == ("a", "b")
    assert cosine == pytest.approx(0.951, abs=1e-6)


def test_how_long_a_vector_is_does_not_matter():
    ((_, _, cosine),) = near_pairs([vector("a", [1.0, 2.0, 3.0]), vector("b", [100.0, 200.0, 301.0])])
    assert cosine == pytest.approx(0.99999, abs=1e-5)


def test_vectors_of_different_sizes_are_not_compared():
    assert near_pairs([vector("a", [1.0, 1.0]), vector("b", [1.0, 1.0, 0.0])]) == ()


def test_opposite_vectors_are_not_near():
    assert near_pairs([vector("a", [1.0, 1.0]), vector("b", [-1.0, -1.0])]) == ()


@pytest.mark.parametrize("number", [2, 30, 190, 600])
def test_few_vectors_give_every_pair_that_comparing_each_with_each_gives(number):
    chance = random.Random(number)
    numbers = [drawn(chance, 48)]
    while len(numbers) < number:
        near = turned(chance, chance.choice(numbers[-9:]), chance.uniform(0.93, 0.99))
        numbers.append(near if chance.random() < 0.3 or number == 2 else drawn(chance, 48))
    found = [vector(f"{at:03}", each) for at, each in enumerate(numbers)]
    wanted = {
        (one.memory, other.memory)
        for one, other in combinations(found, 2)
        if sum(a * b for a, b in zip(one.numbers, other.numbers, strict=True)) >= 0.95
    }
    assert {pair[:2] for pair in near_pairs(found)} == wanted


@pytest.mark.parametrize("common", [0.0, 1.0])
def test_of_many_vectors_nine_pairs_in_ten_are_found_also_where_all_are_a_little_alike(common):
    chance = random.Random(4)
    shared = drawn(chance)
    numbers = [[a + common * b for a, b in zip(drawn(chance), shared, strict=True)] for _ in range(900)]
    numbers += [turned(chance, numbers[at], 0.96) for at in range(0, 900, 9)]
    found = {pair[:2] for pair in near_pairs(vector(f"{at:04}", each) for at, each in enumerate(numbers))}
    planted = {(f"{at:04}", f"{900 + at // 9:04}") for at in range(0, 900, 9)}
    assert found <= planted
    assert len(found) >= 90


def test_the_work_grows_with_the_number_of_vectors(monkeypatch):
    compared = []

    class Counted(int):
        def __xor__(self, other: int) -> int:
            compared.append(1)
            return int(self) ^ int(other)

    plain = nearness._sketches
    monkeypatch.setattr(nearness, "_sketches", lambda group: map(Counted, plain(group)))
    steps = []
    for number in (400, 1600):
        compared.clear()
        chance = random.Random(number)
        near_pairs([vector(f"{at:04}", drawn(chance, 48)) for at in range(number)])
        steps.append(len(compared) / number)
    assert steps[1] < 2 * steps[0]


def test_equal_vectors_make_a_pair_with_the_first_of_them_and_no_more():
    found = near_pairs([vector(f"{at:03}", [1.0, 2.0]) for at in range(300)])
    assert sorted(found) == [("000", f"{at:03}", 1.0) for at in range(1, 300)]


def test_no_more_pairs_are_given_than_anybody_looks_at_and_the_nearest(monkeypatch):
    monkeypatch.setattr(nearness, "MOST_PAIRS", 2)
    near = [vector(name, [1.0, aside]) for name, aside in (("a", 0.0), ("b", 0.01), ("c", 0.1), ("d", 0.11))]
    assert [pair[:2] for pair in near_pairs(near)] == [("c", "d"), ("a", "b")]


# --- what is made of that ---


def memory(name: str, text: str) -> Memory:
    return Memory(name, f"{name}.md", text.encode(), text)
