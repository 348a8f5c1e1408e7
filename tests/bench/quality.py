"""How good are the decisions? Runs a miner and decider over labelled scenarios and scores what they leave.

python -m tests.bench quality [SLUG …] [--miner NAME] [--model MODEL] [--decider NAME] [--scenarios DIR] [--json]

NAME is offline (the default), claude, api, host (a capable agent's replies, handed in again), bad (each bad model in
turn) or bad:HABIT (see ``tests.bench.bad_models``).

Scenarios on which the rules were developed are reported apart from those that were held out, of which nobody who
wrote a rule read more than the score.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from memgit import wiring
from memgit.core.memories.memory import memories
from memgit.core.store.apply import apply
from memgit.miners.model.conversation import Conversation
from memgit.miners.model.decider import ModelDecider
from memgit.miners.model.miner import ModelMiner
from memgit.miners.model.port import NOTHING_USED, Usage
from memgit.miners.offline import OfflineDecider, OfflineLikeness, OfflineMiner
from memgit.model.decision import Decision, Kind, Proposal, Said
from memgit.model.session import Digest
from memgit.model.store import Memory, StoreContent
from memgit.ports import Decider, Miner
from memgit.rulings.settle import settle
from tests.bench.bad_models import NAMES, BadModel
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
    seconds: float = 0.0
    used: Usage = NOTHING_USED

    @property
    def wrong_merges(self) -> int:
        """Merges of memories that no one lesson joins."""
        groups = [set(row["of"]) for row in self.score["rows"] if row["kind"] == "merge"]
        merged = [set(one.memories) for one in self.decisions if one.kind is Kind.MERGE]
        return sum(1 for members in merged if not any(members <= group for group in groups))

    @property
    def harm(self) -> dict[str, list[Any]]:
        """What must never happen, whoever proposes: each kind with its cases, none of them left out."""
        kinds = {
            "wrong merges": [None] * self.wrong_merges,
            "lost": self.score["lost"] + self.score["index_prose_lost"],
            "unchanged altered": self.score["unchanged_broken"],
            "traps sprung": self.score["traps_sprung"],
            "not verbatim": self.citations["bad"],
        }
        return {kind: cases for kind, cases in kinds.items() if cases}


OFFLINE = (OfflineMiner(), OfflineDecider())
Team = Callable[[Sequence[Memory], Sequence[Digest]], tuple[Miner, Decider, Callable[[], Usage]]]
"""Who mines and decides one scenario, and what that took so far."""


def offline(memories: Sequence[Memory], batches: Sequence[Digest]) -> tuple[Miner, Decider, Callable[[], Usage]]:
    return *OFFLINE, lambda: NOTHING_USED


def bad(habit: str) -> Team:
    """A model with one bad habit, asked as every model is."""

    def team(memories: Sequence[Memory], batches: Sequence[Digest]) -> tuple[Miner, Decider, Callable[[], Usage]]:
        talk = Conversation(BadModel(habit, memories, batches))
        return ModelMiner(talk), ModelDecider(talk), lambda: talk.used

    return team


def own(miner: str, model: str | None, decider: str | None) -> Team:
    """A miner as ``memgit curate`` would build it from the user's own settings."""
    choices = wiring.Choices(miner=miner, model=model, decider=decider)
    asked = wiring.conversations(choices, wiring.Settings.of_process(None, None, None))
    mines, decides = wiring.miners(choices, asked)
    return lambda *_: (mines, decides, lambda: sum((talk.used for talk in asked.values()), NOTHING_USED))


def run(slug: str, team: Team = offline, scenarios: Path = SCENARIOS) -> Result:
    """Mine and decide one scenario, apply the proposals to a copy of its store, and score that."""
    scenario = scenarios / slug
    memories, batches = store(scenario), digests(scenario)
    miner, decider, used = team(memories, batches)
    before, started = used(), perf_counter()
    proposals = decide(memories, batches, miner, decider)
    seconds = perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        decisions = leave(Path(folder), scenario, batches, proposals)
        score = Score(scenario, Path(folder)).run()
    took = _less(used(), before)
    return Result(slug, score, citations(scenario, cited(decisions)), proposals, decisions, seconds, took)


def _less(after: Usage, before: Usage) -> Usage:
    cost = None if after.cost is None else after.cost - (before.cost or 0)
    return Usage(after.tokens_in - before.tokens_in, after.tokens_out - before.tokens_out, cost)


def decide(
    memories: Sequence[Memory], batches: Sequence[Digest], miner: Miner = OFFLINE[0], decider: Decider = OFFLINE[1]
) -> tuple[Proposal, ...]:
    """One miner per batch, one decider over everything."""
    candidates = [one for digest in batches for one in miner.mine(digest, memories).candidates]
    return decider.decide(memories, batches, candidates)


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


def harms(results: Sequence[Result]) -> str:
    """One line of what must be nothing, over all results, and one of what it took."""
    counts = {kind: sum(len(result.harm.get(kind, ())) for result in results) for kind in HARMS}
    took = sum((result.used for result in results), NOTHING_USED)
    cost = "" if took.cost is None else f", ${took.cost:.2f}"
    seconds = sum(result.seconds for result in results)
    return "\n".join(
        [
            ", ".join(f"{kind} {count}" for kind, count in counts.items()),
            f"{seconds:.1f} s, {took.tokens_in:,} tokens in, {took.tokens_out:,} out{cost}",
        ]
    )


HARMS = ("wrong merges", "lost", "unchanged altered", "traps sprung", "not verbatim")


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


def facts(result: Result) -> dict[str, Any]:
    """What one scenario came to, as JSON."""
    took = {"seconds": result.seconds, "tokens_in": result.used.tokens_in, "tokens_out": result.used.tokens_out}
    return result.score | {
        "wrong_merges": result.wrong_merges, "citations": result.citations, "cost": result.used.cost, **took,
    }  # fmt: skip


def teams(options: argparse.Namespace) -> dict[str, Team]:
    """Who is to be measured, by name."""
    name = options.miner
    if name == "offline" and options.decider is None:
        return {name: offline}
    if name == "bad":
        return {f"bad:{habit}": bad(habit) for habit in NAMES}
    if name.startswith("bad:"):
        return {name: bad(name.removeprefix("bad:"))}
    return {name: own(name, options.model, options.decider)}


def _measured(options: argparse.Namespace, slugs: Sequence[str]) -> dict[str, list[Result]]:
    if options.miner == "host":
        from tests.golden_host import replay

        return {"host": [replay(slug) for slug in slugs]}
    return {name: [run(slug, team, options.scenarios) for slug in slugs] for name, team in teams(options).items()}


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.bench quality")
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help="scenarios; all of the folder if left out")
    parser.add_argument("--miner", default="offline", help="offline, claude, api, host, bad, bad:HABIT")
    parser.add_argument("--decider", help="who decides; the miner if left out")
    parser.add_argument("--model", help="as for memgit curate")
    parser.add_argument("--scenarios", type=Path, default=SCENARIOS, help="a folder of scenarios of your own")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    options = parser.parse_args()
    slugs = options.slugs or sorted(path.parent.name for path in options.scenarios.glob("*/scenario.yaml"))
    measured = _measured(options, slugs)
    if options.json:
        print(json.dumps({name: {r.slug: facts(r) for r in each} for name, each in measured.items()}, indent=2))
        return
    for name, results in measured.items():
        print(f"# {name}", table(results), kinds(results), harms(results), sep="\n\n", end="\n\n")


if __name__ == "__main__":
    main()
