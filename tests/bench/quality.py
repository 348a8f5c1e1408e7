"""How good are the decisions? Runs the offline miner and decider over labelled scenarios and scores what they leave.

python -m tests.bench.quality [SLUG …]

Scenarios on which the rules were developed are reported apart from those that were held out, of which nobody who
wrote a rule read more than the score.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit.core.decisions.settle import settle
from memgit.core.memories.memory import memories
from memgit.core.store.apply import apply
from memgit.miners.offline import OfflineDecider, OfflineLikeness, OfflineMiner
from memgit.model.decision import Decision, Proposal, Said
from memgit.model.session import Digest
from memgit.model.store import Memory, StoreContent
from tests.bench.scenarios import SCENARIOS, content, digests, store
from tests.data.scenarios.score import Score, citations

HELD_OUT = frozenset({"claims-batch", "data-notebooks", "robot-firmware", "static-site"})
"""Scenarios that no rule was written for."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one scenario came to: the scorer's object, the citations' object, the proposals and what was settled."""

    slug: str
    score: dict[str, Any]
    citations: dict[str, Any]
    proposals: tuple[Proposal, ...]
    decisions: tuple[Decision, ...]


def run(slug: str) -> Result:
    """Mine and decide one scenario, apply the proposals to a copy of its store, and score that."""
    scenario = SCENARIOS / slug
    memories, batches = store(scenario), digests(scenario)
    proposals = decide(memories, batches)
    with tempfile.TemporaryDirectory() as folder:
        decisions = leave(Path(folder), scenario, batches, proposals)
        score = Score(scenario, Path(folder)).run()
    return Result(slug, score, citations(scenario, cited(decisions)), proposals, decisions)


def decide(memories: Sequence[Memory], batches: Sequence[Digest]) -> tuple[Proposal, ...]:
    """The offline way: one miner per batch, one decider over everything."""
    candidates = [one for digest in batches for one in OfflineMiner().mine(digest, memories).candidates]
    return OfflineDecider().decide(memories, batches, candidates)


def leave(
    folder: Path, scenario: Path, batches: Sequence[Digest], proposals: Sequence[Proposal]
) -> tuple[Decision, ...]:
    """Settle the proposals as a pass does and write the store that they leave."""
    before = content(scenario)
    decisions = settle(proposals, before, batches, told_twice=lambda: told_twice(before, batches))
    for path, file in apply(before, decisions, time_ns=0).files.items():
        (folder / path).write_bytes(file.data)
    return decisions


def told_twice(before: StoreContent, batches: Sequence[Digest]) -> list[frozenset[str]]:
    return [frozenset(each.memories) for each in OfflineLikeness().merges(memories(before), batches)]


def cited(decisions: Sequence[Decision]) -> list[dict[str, str]]:
    """The changes with their quotes, as the scorer wants them; what memories themselves show needs no session."""
    said = [
        (one.kind, found) for one in decisions if one.changes for found in one.evidence[:1] if isinstance(found, Said)
    ]
    return [{"kind": kind.value, "session": found.session, "quote": found.quote} for kind, found in said]


def table(results: Sequence[Result]) -> str:
    """One line per scenario, and one for those developed on, those held out, and all."""
    rows = [
        f"{'scenario':<18}{'found':>6}{'missed':>7}{'wrong':>6}{'P':>7}{'R':>7}{'F1':>7}{'traps':>6}{'broken':>7}{'uncited':>8}"
    ]
    rows += [_pooled(result.slug, [result]) for result in results]
    for name, part in parts(results).items():
        rows.append(_pooled(name, part))
    return "\n".join(rows)


def parts(results: Sequence[Result]) -> dict[str, list[Result]]:
    """The results by what their scenarios were for; parts without a scenario are left out."""
    found = {
        "development": [result for result in results if result.slug not in HELD_OUT],
        "held out": [result for result in results if result.slug in HELD_OUT],
        "pooled": list(results),
    }
    return {name: part for name, part in found.items() if part}


def kinds(results: Sequence[Result]) -> str:
    """One line per kind of decision: found and missed, development and held out."""
    lines = [f"{'kind':<10}" + "".join(f"{name:>22}" for name in parts(results))]
    for kind in ("merge", "replace", "add", "drop", "split"):
        cells = (_found_of(kind, part) for part in parts(results).values())
        lines.append(f"{kind:<10}" + "".join(f"{found:>12} of {found + missed:<6}" for found, missed in cells))
    return "\n".join(lines)


def _found_of(kind: str, results: Sequence[Result]) -> tuple[int, int]:
    pairs = [result.score["by_kind"].get(kind, (0, 0)) for result in results]
    return sum(found for found, _ in pairs), sum(missed for _, missed in pairs)


def counts(results: Sequence[Result]) -> tuple[int, int, int]:
    """Found, missed and wrong over all of the results."""
    found, missed, wrong = (sum(result.score[key] for result in results) for key in ("found", "missed", "wrong"))
    return found, missed, wrong


def precision_and_f1(results: Sequence[Result]) -> tuple[float, float]:
    """Of decisions of all results together; precision is 1 where nothing was proposed."""
    found, missed, wrong = counts(results)
    precision = found / (found + wrong) if found + wrong else 1.0
    recall = found / (found + missed) if found + missed else 1.0
    return precision, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _pooled(name: str, results: Sequence[Result]) -> str:
    zeros = tuple(sum(column) for column in zip(*(_zeros(result) for result in results), strict=True))
    return _row(name, *counts(results), zeros)


def _zeros(result: Result) -> tuple[int, ...]:
    """What must be nothing: traps sprung, unchanged memories broken, changes without a verbatim quote."""
    return (
        len(result.score["traps_sprung"]),
        len(result.score["unchanged_broken"]),
        result.citations["uncited"],
    )


def _row(name: str, found: int, missed: int, wrong: int, zeros: tuple[int, ...]) -> str:
    precision = found / (found + wrong) if found + wrong else 1.0
    recall = found / (found + missed) if found + missed else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"{name:<18}{found:>6}{missed:>7}{wrong:>6}{precision:>7.2f}{recall:>7.2f}{f1:>7.2f}" + "".join(
        f"{zero:>7}" for zero in zeros
    )


def main() -> None:
    arguments = [name for name in sys.argv[1:] if not name.startswith("-")]
    slugs = arguments or sorted(path.name for path in SCENARIOS.iterdir() if (path / "scenario.yaml").is_file())
    results = [run(slug) for slug in slugs]
    print(table(results), kinds(results), sep="\n\n")
    if "--json" in sys.argv:
        print(json.dumps({r.slug: r.score for r in results}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
