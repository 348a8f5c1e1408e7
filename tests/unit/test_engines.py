"""Whatever machine searches, it finds the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from memgit.tree import scan as engines
from memgit.tree.scan import scan

INSTALLED = importlib.util.find_spec("hyperscan") is not None
NEEDLES = [b"retry", b"try", b"retry budget", "größe".encode(), b"a\nb", b".*", b"\xff\xfe"]
TEXT = "retry budget, größe, a\nb, .* retry".encode() + b" \xff\xfe"


@pytest.fixture(
    params=["automaton", pytest.param("hyperscan", marks=pytest.mark.skipif(not INSTALLED, reason="extra"))]
)
def machine(request: pytest.FixtureRequest) -> engines.Machine:
    files = engines.MANY_FILES if request.param == "hyperscan" else 1
    made = engines.machine(NEEDLES, files)
    assert type(made).__name__.lower() == f"_{request.param}"
    return made


def test_every_occurrence_is_reported_even_inside_another(machine: engines.Machine) -> None:
    expected = {
        (number, at, at + len(needle))
        for number, needle in enumerate(NEEDLES)
        for at in range(len(TEXT))
        if TEXT.startswith(needle, at)
    }
    assert set(machine.hits(memoryview(TEXT))) == expected


def test_occurrences_come_in_the_order_of_their_ends(machine: engines.Machine) -> None:
    ends = [end for _, _, end in machine.hits(memoryview(TEXT))]
    assert ends == sorted(ends)


def test_without_the_faster_machine_a_large_tree_is_searched_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("x = retry_budget\n")
    monkeypatch.setattr(engines, "MANY_FILES", 0)
    monkeypatch.setattr(engines, "_hyperscan", lambda: None)
    assert scan(str(tmp_path), ["a.py"], ["retry_budget"]).found == {"retry_budget": "a.py:1"}


def test_a_set_that_the_faster_machine_refuses_goes_to_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        HS_MODE_BLOCK = 1

        class error(Exception):  # noqa: N801 – as the library calls it
            pass

        def Database(self, mode: int) -> None:  # noqa: N802
            raise self.error

    monkeypatch.setattr(engines, "_hyperscan", Refusing)
    assert list(engines.machine([b"a"], engines.MANY_FILES).hits(memoryview(b"ba"))) == [(0, 1, 2)]
