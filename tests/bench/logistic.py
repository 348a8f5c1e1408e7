"""Logistic regression in plain Python: a few dozen numbers, a few thousand rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt

from memgit.likeness.models import Logistic

ROUNDS = 30


def fit(
    rows: Sequence[Mapping[str, float]],
    wanted: Sequence[bool],
    shrink: float = 20.0,
    *,
    evenly: bool = True,
    counts: Sequence[float] = (),
) -> Logistic:
    """Fit by Newton's method on scaled numbers; one that a row does not give is the mean there.

    ``shrink`` pulls weights towards nothing: the larger, the less is learnt from a few rows. ``evenly`` weighs both
    classes the same; without it chances are as often true as they say. ``counts`` says for how many rows each stands;
    each for itself if left out.
    """
    names = sorted({name for row in rows for name in row})
    given = {name: [row[name] for row in rows if name in row] for name in names}
    means = {name: sum(numbers) / len(numbers) for name, numbers in given.items()}
    spreads = {
        name: sqrt(sum((number - means[name]) ** 2 for number in numbers) / len(numbers)) or 1.0
        for name, numbers in given.items()
    }
    scaled = [[1.0, *((row.get(name, means[name]) - means[name]) / spreads[name] for name in names)] for row in rows]
    positive = max(1, sum(wanted))
    weighed = (
        [*(counts or [1.0] * len(rows))]
        if not evenly
        else [len(rows) / (2 * positive) if each else len(rows) / (2 * max(1, len(rows) - positive)) for each in wanted]
    )
    beta = [0.0] * (len(names) + 1)
    for _ in range(ROUNDS):
        beta, moved = _step(scaled, wanted, weighed, beta, shrink)
        if moved < 1e-6:
            break
    weights = {name: beta[at] / spreads[name] for at, name in enumerate(names, 1)}
    return Logistic(beta[0], weights, means)


def _step(
    rows: Sequence[Sequence[float]],
    wanted: Sequence[bool],
    weighed: Sequence[float],
    beta: Sequence[float],
    shrink: float,
) -> tuple[list[float], float]:
    size = len(beta)
    gradient = [0.0] * size
    hessian = [[0.0] * size for _ in range(size)]
    for row, is_wanted, weight in zip(rows, wanted, weighed, strict=True):
        total = sum(map(float.__mul__, row, beta))
        chance = 1 / (1 + exp(-max(-50.0, min(50.0, total))))
        error, curve = weight * (chance - is_wanted), weight * max(chance * (1 - chance), 1e-6)
        for i, value in enumerate(row):
            if value:
                gradient[i] += error * value
                scaled = curve * value
                line = hessian[i]
                for j in range(i + 1):
                    line[j] += scaled * row[j]
    for i in range(size):
        for j in range(i):
            hessian[j][i] = hessian[i][j]
    for i in range(1, size):
        gradient[i] += shrink * beta[i]
        hessian[i][i] += shrink
    hessian[0][0] += 1e-9
    step = _solved(hessian, gradient)
    return [value - by for value, by in zip(beta, step, strict=True)], max(map(abs, step))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivots."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda number: abs(rows[number][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for number in range(at + 1, size):
            by = rows[number][at] / rows[at][at]
            if by:
                rows[number] = [a - by * b for a, b in zip(rows[number], rows[at], strict=True)]
    found = [0.0] * size
    for at in reversed(range(size)):
        found[at] = (rows[at][size] - sum(rows[at][n] * found[n] for n in range(at + 1, size))) / rows[at][at]
    return found
