"""What becomes of hosts' proposals, right and wrong ones, all with true quotes: refused, held with doubts, or taken.

python -m tests.bench hosts [FOLDER]    FOLDER: labelled projects that nothing was fitted on; else the repository's

Each project is judged by weights fitted on the others. Printed by project and by doubt: a doubt that marks right ones
half as often as wrong ones and more is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memgit.model.decision import Decision, Standing
from memgit.model.history import PassKind
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from tests.bench.fit import proposals_read, weighed_by, without
from tests.bench.labelled import Offer, Project, load, projects


@dataclass(frozen=True)
class Outcome:
    """What became of one offer: at once, and after its host confirmed it."""

    offer: Offer
    first: Decision
    confirmed: Decision


def judged(project: Project) -> list[Outcome]:
    """Each proposal by itself, as a host hands it in and again with a confirmation."""
    case = open_case(PassKind.CURATE, project.memories, project.digests)

    def one(offer: Offer, confirm: str) -> Decision:
        proposal = replace(offer.proposal, confirm=confirm)
        return settle([proposal], project.content, case, remove_most=True)[0]

    return [Outcome(offer, one(offer, ""), one(offer, "It is as the user says.")) for offer in project.offers]


def on_development_data() -> dict[str, list[Outcome]]:
    """Every project of the repository that has proposals, judged by what the others taught."""
    known = [project for project in projects() if project.offers]
    read = proposals_read(known)
    found: dict[str, list[Outcome]] = {}
    for project in known:
        with weighed_by({name: without(name, rows, project.name) for name, rows in read.items()}):
            found[project.name] = judged(project)
    return found


def main(arguments: Sequence[str]) -> int:
    if arguments:
        found = {
            path.parent.name: judged(load(path.parent)) for path in sorted(Path(arguments[0]).glob("*/expected.yaml"))
        }
    else:
        found = on_development_data()
    print("\n".join(table(found)))
    return 0


def table(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    yield "| project | right | refused | marked | taken when confirmed | wrong | refused or marked |"
    yield "|---|---|---|---|---|---|---|"
    for name, outcomes in found.items():
        if outcomes:
            yield _row(name, outcomes)
    everything = [outcome for outcomes in found.values() for outcome in outcomes]
    yield _row("**all**", everything)
    yield ""
    yield "| doubt or fact | right ones | wrong ones | times as often |"
    yield "|---|---|---|---|"
    yield from _by_mark(everything)


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    right = [each for each in outcomes if each.offer.right]
    wrong = [each for each in outcomes if not each.offer.right]
    refused = sum(each.first.standing is Standing.REFUSED for each in right)
    marked = sum(each.first.standing is Standing.HELD for each in right)
    taken = sum(each.confirmed.standing is Standing.TAKEN for each in right)
    kept_out = sum(each.first.standing is not Standing.TAKEN for each in wrong)
    shares = " | ".join((_share(refused, right), _share(marked, right), _share(taken, right)))
    return f"| {name} | {len(right)} | {shares} | {len(wrong)} | {_share(kept_out, wrong)} |"


def _share(count: int, of: Sequence[object]) -> str:
    return f"{count} ({count / len(of):.0%})" if of else "–"


def _by_mark(outcomes: Sequence[Outcome]) -> Iterator[str]:
    counts = {right: Counter(_marks(outcomes, right=right)) for right in (True, False)}
    total = {right: max(1, sum(each.offer.right is right for each in outcomes)) for right in (True, False)}
    for name in sorted({*counts[True], *counts[False]}):
        right, wrong = counts[True][name] / total[True], counts[False][name] / total[False]
        times = f"{wrong / right:.1f}" if right else "∞"
        yield f"| {name} | {counts[True][name]} ({right:.1%}) | {counts[False][name]} ({wrong:.1%}) | {times} |"


def _marks(outcomes: Sequence[Outcome], *, right: bool) -> Iterator[str]:
    for each in outcomes:
        if each.offer.right is right:
            yield from {doubt.name for doubt in each.first.doubts}
            if each.first.refused_by:
                yield f"refused: {each.first.refused_by}"
