"""Which sentence of a merge stands in another, found without holding each against all."""

from __future__ import annotations

import pytest
from memgit.miners.offline.anatomy import Kept

from memgit.miners.offline import anatomy

KEPT = ("Deploys run on Tuesday at 10:00 with `make ship`.", "Never restart the cache.", "Ask Mira.")


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Deploys run on Tuesday.", True),
        ("Deploys run at 10:00.", True),
        ("`make ship` deploys.", True),
        ("Deploys run at 11:00.", False),
        ("Deploys run with `make shop`.", False),
        ("Deploys never run on Tuesday.", False),
        ("Restart the cache.", False),
        ("Never restart the cache.", True),
        ("Ask Mira on Tuesday.", False),
        ("10:00.", False),
        ("It is.", True),
        ("", True),
    ],
)
def test_a_sentence_stands_in_another_that_says_all_of_it(sentence: str, stands: bool) -> None:
    assert Kept(KEPT).contains(sentence) is stands


def test_nothing_stands_in_nothing() -> None:
    assert not Kept().contains("It is.")


def test_a_sentence_is_held_against_few_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, held = Kept(f"Service {WORDS[n % 16]}{WORDS[n // 16]} answers in {n} ms." for n in range(256)), []
    monkeypatch.setattr(anatomy, "_says_all", lambda other, sentence: bool(held.append(other)))
    assert not kept.contains("Service norkoporko answers.")
    assert held == ["Service norkoporko answers in 186 ms."]


WORDS = [f"{letter}orko" for letter in "bcdfghjklmnpqrst"]
