"""How good is what is asked, and what is taken without asking? Runs a miner and decider over labelled projects.

python -m tests.bench quality [PROJECT …] [--folder DIR] [--miner NAME] [--model MODEL] [--decider NAME] [--json]

NAME is offline (the default), claude, api, bad (each bad model in turn) or bad:HABIT (see ``tests.bench.bad_models``).
Each project is judged by weights that were fitted on the others. All of them are development data (see ``labelled``);
a folder of projects that nobody looked at is judged by the shipped weights.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from memgit import wiring
from memgit.memory.apply import apply
from memgit.miners.model.conversation import Conversation
from memgit.miners.model.miner import ModelDecider, ModelMiner
from memgit.miners.model.port import NOTHING_USED, Usage
from memgit.miners.offline import OfflineDecider, OfflineMiner
from memgit.model.decision import Decision, Kind, Said, Standing
from memgit.model.history import PassKind
from memgit.model.session import Digest
from memgit.ports import Decider, Miner
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.rulings.standing import MOST, asked_at_most
from tests.bench import fit
from tests.bench.bad_models import NAMES, BadModel
from tests.bench.labelled import DATA, Project, is_wanted, load, projects
from tests.data.scenarios.score import Score

Truth = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What one project came to. ``true`` are the changes that a careful person would make, ``shown`` those of them that
    were taken or are among the questions that a pass asks; ``worth`` are the questions that rest on any of them."""

    name: str
    language: str
    true: int
    shown: int
    asked: int
    worth: int
    right: int
    wrong: int
    refused: int
    harm: Mapping[str, int]
    seconds: float = 0.0
    used: Usage = NOTHING_USED

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to change, so that every question is one too many."""
        return not self.true


# --- who mines and decides ---


@dataclass(frozen=True)
class Team:
    """Who mines and decides one project, and what that took so far."""

    miner: Miner
    decider: Decider
    used: Callable[[], Usage] = lambda: NOTHING_USED


Gather = Callable[[Project], Team]


def offline(_: Project) -> Team:
    return Team(OfflineMiner(), OfflineDecider())


def bad(habit: str) -> Gather:
    """A model with one bad habit, asked as every model is."""

    def gather(project: Project) -> Team:
        talk = Conversation(BadModel(habit, project.memories, project.digests))
        return Team(ModelMiner(talk), ModelDecider(talk), lambda: talk.used)

    return gather


def own(name: str, model: str | None, decider: str | None) -> Gather:
    """A miner as ``memgit curate`` would build it from the user's own settings."""
    choices = wiring.Choices(miner=name, model=model, decider=decider)
    asked = wiring.conversations(choices, wiring.Settings.of_process(None, None, None))
    mines, decides = wiring.miners(choices, asked)
    return lambda _: Team(mines, decides, lambda: sum((talk.used for talk in asked.values()), NOTHING_USED))


def teams(options: argparse.Namespace) -> dict[str, Gather]:
    """Who is to be measured, by name."""
    name = options.miner
    if name == "offline" and options.decider is None:
        return {name: offline}
    if name == "bad":
        return {f"bad:{habit}": bad(habit) for habit in NAMES}
    if name.startswith("bad:"):
        return {name: bad(name.removeprefix("bad:"))}
    return {name: own(name, options.model, options.decider)}


# --- one project ---


def run(project: Project, gather: Gather = offline, folder: Path | None = None) -> Result:
    """Mine and decide one project as a pass does that nobody stands beside, and hold what comes of it to the truth.
    ``folder`` is where its own lies, if not in the repository's."""
    team = gather(project)
    before, started = team.used(), perf_counter()
    decisions = decided(project, team)
    seconds, used = perf_counter() - started, _less(team.used(), before)
    return replace(judged(project, decisions, folder), seconds=seconds, used=used)


def decided(project: Project, team: Team) -> tuple[Decision, ...]:
    """What a pass settles: one miner per batch, one decider over everything, one round with what stands against it.

    Offline all sessions are one batch, as they are in a pass over a project of this size.
    """
    digests = (Digest(1, project.messages),) if team.miner.name == "offline" else project.digests
    case = open_case(PassKind.CURATE, project.memories, digests)

    def settled(wanted: Sequence[Any]) -> tuple[Decision, ...]:
        return settle(wanted, project.content, case, remove_most=True, confirmable=False)

    candidates = [one for digest in digests for one in team.miner.mine(digest, project.memories).candidates]
    proposals = team.decider.decide(project.memories, digests, candidates)
    ruled = settled(proposals)[: len(proposals)]
    return asked_at_most(settled(team.decider.reconsider(project.memories, proposals, ruled))).decisions


def judged(project: Project, decisions: Sequence[Decision], folder: Path | None = None) -> Result:
    """The figures of what was settled."""
    changing = [each for each in decisions if each.changes and each.kind is not Kind.REPAIR]
    taken = [each for each in changing if each.standing is Standing.TAKEN]
    asked = [each for each in changing if each.standing is Standing.HELD]
    shown = [*taken, *asked[:MOST]]
    right = [each for each in taken if any(settles(each, one) for one in project.truth)]
    return Result(
        name=project.name,
        language=project.language,
        true=len(project.truth),
        shown=sum(any(rests_on(each, one) for each in shown) for one in project.truth),
        asked=len(asked),
        worth=sum(any(rests_on(each, one) for one in project.truth) for each in asked[:MOST]),
        right=len(right),
        wrong=len(taken) - len(right),
        refused=sum(each.standing is Standing.REFUSED for each in decisions),
        harm=harm(project, decisions, folder),
    )


def rests_on(decision: Decision, truth: Truth) -> bool:
    """Whether whoever looks at a decision sees what a right change rests on: its statement, or its memories."""
    said = (one for one in decision.evidence if isinstance(one, Said))
    if truth.get("quote") and any(is_wanted(one.session, one.quote, [truth]) for one in said):
        return True
    named = set(truth.get("memories") or ([truth["memory"]] if not truth.get("quote") and "memory" in truth else []))
    return bool(named) and bool(decision.memories) and set(decision.memories) <= named and _is_of_kind(decision, truth)


def settles(decision: Decision, truth: Truth) -> bool:
    """Whether a decision does what a careful person would do, as far as its kind and its memory tell."""
    target = truth.get("memory")
    return rests_on(decision, truth) and _is_of_kind(decision, truth) and (not target or target in decision.memories)


def _is_of_kind(decision: Decision, truth: Truth) -> bool:
    return {Kind.UPDATE: "replace"}.get(decision.kind, decision.kind.value) == truth["kind"]


def harm(project: Project, decisions: Sequence[Decision], folder: Path | None = None) -> dict[str, int]:
    """What must never happen to a store, whoever proposes, counted: only what was taken is applied."""
    score = left(project, decisions, folder)
    groups = [set(one["memories"]) for one in project.truth if one["kind"] == "merge"]
    merged = [set(one.memories) for one in decisions if one.kind is Kind.MERGE and one.stands]
    counts = {
        "wrong merges": sum(not any(members <= group for group in groups) for members in merged),
        "lost": len(score["lost"]) + len(score["index_prose_lost"]),
        "unchanged altered": len(score["unchanged_broken"]),
        "traps sprung": len(score["traps_sprung"]),
    }
    return {kind: count for kind, count in counts.items() if count}


def left(project: Project, decisions: Sequence[Decision], folder: Path | None = None) -> dict[str, Any]:
    """The scorer's object for the store that the decisions leave."""
    own = next(each / project.name for each in _FOLDERS if (each / project.name).is_dir()) if folder is None else folder
    with tempfile.TemporaryDirectory() as candidate:
        for path, file in apply(project.content, decisions, time_ns=0).files.items():
            target = Path(candidate, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)
        found: dict[str, Any] = Score(own, Path(candidate)).run()
    return found


_FOLDERS = (DATA / "scenarios", DATA / "projects")


def _less(after: Usage, before: Usage) -> Usage:
    cost = None if after.cost is None else after.cost - (before.cost or 0)
    return Usage(after.tokens_in - before.tokens_in, after.tokens_out - before.tokens_out, cost)


# --- judged by what the others teach ---


def on_development_data(of: Sequence[Project], gather: Gather) -> list[Result]:
    """Each project by weights fitted on all the others of the repository."""
    known = projects()
    read = fit.everything(known)
    found: list[Result] = []
    for project in of:
        models = {name: fit.without(name, rows, project.name) for name, rows in read.items()}
        with fit.weighed_by(models):
            found.append(run(project, gather))
    return found


# --- what is printed ---

_COLUMNS = ("true", "shown", "asked", "worth", "right", "wrong", "refused")


def table(results: Sequence[Result]) -> Iterator[str]:
    """One line per project, quiet ones last, and one for all."""
    yield f"| project | language | {' | '.join(_COLUMNS)} | harm |"
    yield "|---|---" + "|---" * (len(_COLUMNS) + 1) + "|"
    for result in sorted(results, key=lambda each: (each.is_quiet, each.name)):
        yield _row(result.name, result.language or "", [result])
    yield _row("**all**", "", results)
    yield ""
    yield from _told(results)


def _row(name: str, language: str, results: Sequence[Result]) -> str:
    counts = (str(sum(getattr(each, column) for each in results)) for column in _COLUMNS)
    kinds = dict.fromkeys(kind for each in results for kind in each.harm)
    harms = ", ".join(f"{kind} {sum(each.harm.get(kind, 0) for each in results)}" for kind in kinds)
    return f"| {name} | {language} | {' | '.join(counts)} | {harms} |"


def _told(results: Sequence[Result]) -> Iterator[str]:
    busy, quiet = ([each for each in results if each.is_quiet is what] for what in (False, True))
    yield f"Shown of all true changes within {MOST} questions: {_share(busy, 'shown', 'true')}."
    yield f"Worth asking: {_share(busy, 'worth', 'asked')} of the questions on projects with something to change."
    yield f"Taken: {sum(each.right for each in results)} right, {sum(each.wrong for each in results)} wrong."
    yield f"Questions on {len(quiet)} quiet projects: {sum(each.asked for each in quiet)}."
    used = sum((each.used for each in results), NOTHING_USED)
    cost = "" if used.cost is None else f", ${used.cost:.2f}"
    yield f"{sum(each.seconds for each in results):.1f} s, {used.tokens_in:,} tokens in, {used.tokens_out:,} out{cost}."


def _share(results: Sequence[Result], part: str, whole: str) -> str:
    some, all_ = (sum(getattr(each, name) for each in results) for name in (part, whole))
    return f"{some} of {all_}" + (f" ({some / all_:.0%})" if all_ else "")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m tests.bench quality")
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="all of them if left out")
    parser.add_argument("--folder", type=Path, help="projects that nothing was fitted on, by the shipped weights")
    parser.add_argument("--miner", default="offline", help="offline, claude, api, bad, bad:HABIT")
    parser.add_argument("--decider", help="who decides; the miner if left out")
    parser.add_argument("--model", help="as for memgit curate")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    options = parser.parse_args(arguments)
    known = projects() if options.folder is None else _loaded(options.folder)
    chosen = [project for project in known if not options.projects or project.name in options.projects]
    for name, gather in teams(options).items():
        if options.folder:
            results = [run(each, gather, options.folder / each.name) for each in chosen]
        else:
            results = on_development_data(chosen, gather)
        if options.json:
            print(json.dumps({name: {each.name: asdict(each) for each in results}}, indent=2))
        else:
            print(f"# {name}", *table(results), sep="\n", end="\n\n")
    return 0


def _loaded(folder: Path) -> tuple[Project, ...]:
    return tuple(load(path.parent) for path in sorted(folder.glob("*/expected.yaml")))


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
