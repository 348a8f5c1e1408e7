"""Numbers weighed together: logistic models, as they were fitted last.

``python -m tests.bench fit --write`` fits them on labelled projects and writes the files that are read here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over named numbers, each beside what is ``usual``. Above the ``border`` a thing is told, where
    one was fitted."""

    bias: float
    weights: Mapping[str, float]
    usual: Mapping[str, float]
    border: float = 0.5

    def chance(self, numbers: Mapping[str, float]) -> float:
        """From 0 to 1. A number that is not there counts as the usual one."""
        usual = self.usual
        total = self.bias + sum(
            weight * (numbers[name] - usual[name]) for name, weight in self.weights.items() if name in numbers
        )
        return 1 / (1 + exp(-max(-50.0, min(50.0, total))))


def fitted(path: Path, name: str) -> Logistic:
    """The model of this name in a file."""
    return read(path)[name]


@cache
def read(path: Path) -> Mapping[str, Logistic]:
    """The models of a file, by what they are for."""
    with path.open("rb") as file:
        found = tomllib.load(file)
    return {
        name: Logistic(each["bias"], each["weights"], each["usual"], each.get("border", 0.5))
        for name, each in found.items()
    }
