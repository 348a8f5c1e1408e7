"""All rules over a set of statements: what the miner asks of one batch, and the decider of everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memgit.miners.offline.additions import additions
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.corrections import corrections
from memgit.miners.offline.duplicates import Duplicates, duplicates, first_line
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.removals import removals
from memgit.miners.offline.splits import splits
from memgit.miners.offline.wording import merged
from memgit.model.decision import Evidence, Intent, Seen


@dataclass(frozen=True, slots=True)
class Survey:
    """What the rules found, and the statements they saw and left alone."""

    findings: tuple[Finding, ...]
    unclear: tuple[Unclear, ...]


def survey(corpus: Corpus, said: Sequence[Statement]) -> Survey:
    """Run every rule. A statement serves one finding only; what changes memories comes before what adds."""
    results = [
        *splits(corpus, said),
        *removals(corpus, said),
        *corrections(corpus, said),
        *merges(corpus, said),
    ]
    used = {_place(result.said) for result in results if result.said is not None}
    results.extend(result for result in additions(corpus, said) if _place(result.said) not in used)
    return Survey(
        tuple(result for result in results if isinstance(result, Finding)),
        tuple(result for result in results if isinstance(result, Unclear)),
    )


def _place(statement: Statement | None) -> tuple[str, str, int]:
    return (statement.session, statement.record, statement.order) if statement else ("", "", -1)


def merges(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding]:
    """Duplicates as findings: the user's restatement is the evidence, else the members' own lines."""
    for group in duplicates(corpus, said):
        yield _merge(group)


def _merge(group: Duplicates) -> Finding:
    members = [entry.memory for entry in group.entries]
    draft = merged(members)
    evidence: tuple[Evidence, ...]
    if group.restated is not None:
        evidence = (quoted(group.restated),)
    else:
        evidence = tuple(Seen(f"memory:{entry.memory.id}", first_line(entry)) for entry in group.entries)
    return Finding(
        intent=Intent.MERGE,
        claim=draft.description,
        why="They state the same lesson, and nothing checkable tells them apart.",
        evidence=evidence,
        targets=tuple(sorted(member.id for member in members)),
        drafts=(draft,),
        said=group.restated,
    )
