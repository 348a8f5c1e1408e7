"""All rules over a set of statements: what the miner asks of one batch, and the decider of everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memgit.miners.offline.additions import additions
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.corrections import corrections, retractions
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
    corrected = tuple(corrections(corpus, said))
    results = [
        *splits(corpus, said),
        *(result for result in removals(corpus, said) if not _is_replaced(result, corrected)),
        *corrected,
        *(result for result in retractions(corpus, said) if result.said not in {one.said for one in corrected}),
        *merges(corpus, said),
    ]
    used = {_place(result.said) for result in results if result.said is not None}
    results.extend(
        result
        for result in additions(corpus, said)
        if _place(result.said) not in used and not _tells_what_left(result, corrected)
    )
    return Survey(
        tuple(result for result in results if isinstance(result, Finding)),
        tuple(result for result in results if isinstance(result, Unclear)),
    )


def _is_replaced(result: Finding | Unclear, corrected: Sequence[Finding | Unclear]) -> bool:
    """Whether the message that speaks of removing a memory's thing says what takes its place, too."""
    return isinstance(result, Finding) and any(
        isinstance(one, Finding) and one.targets == result.targets and _message(one) == _message(result)
        for one in corrected
    )


def _tells_what_left(result: Finding | Unclear, corrected: Sequence[Finding | Unclear]) -> bool:
    """Whether a rule only says of the old thing what the same message gave a new one for."""
    return any(
        isinstance(one, Finding)
        and _message(one) == _message(result)
        and any(left.lower() in result.said.text.lower() for left in one.leaves_out if result.said and "\n" not in left)
        for one in corrected
    )


def _message(result: Finding | Unclear) -> tuple[str, str]:
    return (result.said.session, result.said.record) if result.said else ("", "")


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
