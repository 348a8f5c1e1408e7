"""How good offline is: what it takes by itself, and what it shows a person within the questions of a pass.

python -m tests.bench asked [FOLDER]    FOLDER: labelled projects that nothing was fitted on; else the repository's

Each project is judged by weights fitted on the others. A true change is shown when a question quotes the message that
it rests on, or when the pass takes or asks about its memories; a question is worth asking when it shows one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgit.miners.offline.miner import OfflineDecider, OfflineMiner
from memgit.model.decision import Decision, Kind, Said, Standing
from memgit.model.history import PassKind
from memgit.model.session import Digest
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.rulings.standing import asked_at_most
from tests.bench.fit import everything, weighed_by, without
from tests.bench.labelled import Project, load, overlaps, projects

LONG = 30
"""Sessions from which on a project counts as a long history."""


@dataclass(frozen=True)
class Shown:
    """One project: its true changes and which of them are shown, and the decisions of the pass."""

    project: Project
    truth: tuple[Mapping[str, Any], ...]
    shown: tuple[bool, ...]
    asked: tuple[Decision, ...]
    worth: int
    taken: tuple[Decision, ...]
    wrong: tuple[Decision, ...]


def decided(project: Project) -> tuple[Decision, ...]:
    """What a pass over a project comes to: every session a batch of its own would hide what came later, so that there
    is one batch, as a pass has it for all that fits."""
    batch = Digest(1, project.messages)
    memories = project.memories
    candidates = OfflineMiner().mine(batch, memories).candidates
    proposals = OfflineDecider().decide(memories, (batch,), candidates)
    case = open_case(PassKind.CURATE, memories, (batch,))
    return asked_at_most(settle(proposals, project.content, case, remove_most=True)).decisions


def judged(project: Project) -> Shown:
    decisions = decided(project)
    truth = tuple(one for one in project.truth if one.get("quote") or one["kind"] == "merge")
    asked = tuple(each for each in decisions if each.asks and each.standing is not Standing.REFUSED)
    taken = tuple(each for each in decisions if each.stands)
    shows = {each.id: [_shows(each, one, project) for one in truth] for each in (*asked, *taken)}
    return Shown(
        project,
        truth,
        tuple(any(row[number] for row in shows.values()) for number in range(len(truth))),
        asked,
        sum(any(shows[each.id]) for each in asked),
        taken,
        tuple(each for each in taken if not any(shows[each.id])),
    )


def _shows(decision: Decision, truth: Mapping[str, Any], project: Project) -> bool:
    if decision.kind is Kind.MERGE:
        return truth["kind"] == "merge" and len(set(decision.memories) & set(truth["memories"])) > 1
    said = [one for one in decision.evidence if isinstance(one, Said) and one.session == truth.get("session")]
    quote = truth.get("quote")
    return bool(quote) and any(
        one.quote in " ".join(message.text.split()) and overlaps(message.text, str(quote))
        for one in said
        for message in project.messages
        if message.session == one.session
    )


def on_development_data() -> list[Shown]:
    """Every project of the repository, judged by what the others taught."""
    known = projects()
    read = everything(known)
    found = []
    for project in known:
        with weighed_by({name: without(name, rows, project.name) for name, rows in read.items()}):
            found.append(judged(project))
    return found


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]) if arguments else None
    found = [judged(load(path.parent)) for path in sorted(folder.glob("*/expected.yaml"))] if folder else []
    print("\n".join(table(found or on_development_data())))
    return 0


def table(found: Sequence[Shown]) -> Iterator[str]:
    yield "| project | true changes | shown | questions | worth asking | taken | wrong |"
    yield "|---|---|---|---|---|---|---|"
    yield from (_row(each.project.name, [each]) for each in found)
    long = [each for each in found if len(each.project.digests) >= LONG]
    short = [each for each in found if each.truth and each not in long]
    quiet = [each for each in found if not each.truth]
    yield _row("**ordinary length**", short)
    languages = sorted({each.project.language or "en" for each in short})
    yield from (_row(f"*{name}*", [e for e in short if (e.project.language or "en") == name]) for name in languages)
    yield _row("**long history**", long)
    yield _row("**nothing to be done**", quiet)
    counts = sorted(len(each.asked) for each in quiet)
    yield f"\nQuestions where nothing was to be done, by project: {', '.join(map(str, counts))}."
    yield from _by_kind(short)


def _row(name: str, found: Sequence[Shown]) -> str:
    truth, shown = sum(len(each.truth) for each in found), sum(sum(each.shown) for each in found)
    asked, worth = sum(len(each.asked) for each in found), sum(each.worth for each in found)
    taken, wrong = sum(len(each.taken) for each in found), sum(len(each.wrong) for each in found)
    return f"| {name} | {truth} | {_share(shown, truth)} | {asked} | {_share(worth, asked)} | {taken} | {wrong} |"


def _share(count: int, of: int) -> str:
    return f"{count} ({count / of:.0%})" if of else "–"


def _by_kind(found: Sequence[Shown]) -> Iterator[str]:
    yield "\n| kind | true changes | shown |"
    yield "|---|---|---|"
    rows = [(one["kind"], shown) for each in found for one, shown in zip(each.truth, each.shown, strict=True)]
    for kind in sorted({kind for kind, _ in rows}):
        mine = [shown for name, shown in rows if name == kind]
        yield f"| {kind} | {len(mine)} | {_share(sum(mine), len(mine))} |"
