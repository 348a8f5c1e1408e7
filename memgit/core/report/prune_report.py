"""What a prune reports: counts with a few examples each, what it would do, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.core.prune.recalls import Recalls
from memgit.core.prune.rules import COPY, LESSON, ORPHAN, Pruning, Suspects
from memgit.model.decision import Decision, FactName, Kind, Standing
from memgit.model.passes import Remark
from memgit.rulings.settle import MAX_PROPOSALS
from memgit.text.layout import counted, line

EXAMPLES = 3


def answered(found: Pruning, decisions: Sequence[Decision]) -> str:
    """What there is to prune, in one sentence."""
    changing = [decision for decision in decisions if decision.stands and decision.kind is not Kind.REPAIR]
    asked = sum(decision.standing is Standing.HELD for decision in decisions)
    memories = counted(found.memories, "memory")
    if not found.memories:
        return "There are no memories to prune."
    if not changing and not asked:
        return f"Nothing to prune in {memories}."
    counts = ((COPY, "copy"), (LESSON, "lesson told twice"), (ORPHAN, "memory that nobody uses"))
    told = [_plural(sum(one.claim == claim for one in changing), what) for claim, what in counts]
    rest = sum(one.claim not in dict(counts) for one in changing)
    told += [f"{rest} out of date"] if rest else []
    told += [counted(asked, "question")] if asked else []
    return f"Could go of {memories}: {', '.join(filter(None, told))}. Nothing was changed."


def _plural(count: int, what: str) -> str:
    noun, _, rest = what.partition(" ")
    return counted(count, noun, rest) if count else ""


def report(found: Pruning, decisions: Sequence[Decision], recalls: Recalls) -> Iterator[str]:
    """The report in plain text. ``decisions`` are what became of the proposals."""
    changing = [decision for decision in decisions if decision.stands and decision.kind is not Kind.REPAIR]
    across = "" if recalls.of_store else f" across {counted(recalls.sessions, 'session')}"
    yield f"Inventoried {counted(found.memories, 'memory')}{across}."
    yield ""
    yield from _kind("Copies, nearly word for word", [one for one in changing if one.claim == COPY])
    yield from _kind("The same lesson told twice", [one for one in changing if one.claim == LESSON])
    yield from _section("Contradictions surfaced", found.contradictions, "they wait for you")
    if found.suspects:
        yield from _suspected(found.suspects)
    yield from _section("Stale flagged", [f"{line(name)}: {line(why)}" for name, why in found.stale], "kept")
    if found.no_orphans:
        yield f"Orphans: none proposed; {found.no_orphans}."
    else:
        yield from _kind("Orphans", [one for one in changing if one.claim == ORPHAN])
    if found.pinned:
        yield f"Pinned, exempt from everything: {len(found.pinned)}."
    yield ""
    yield recommended(found, changing)
    yield from _asked([decision for decision in decisions if decision.standing is Standing.HELD])
    if refused := [decision for decision in decisions if decision.standing is Standing.REFUSED]:
        beyond = "not done: a fact stands against it"
        if any(decision.refused_by is FactName.LIMIT for decision in refused):
            beyond = f"not done: a pass of {MAX_PROPOSALS} changes is full; another prune shows the rest"
        yield f"{counted(len(refused), 'further proposal')} {beyond}."


def _asked(held: Sequence[Decision]) -> Iterator[str]:
    """What only reads alike, with what is doubted of it."""
    if held:
        doubts = (
            f"{' + '.join(map(line, one.memories))}: {'; '.join(line(doubt.says) for doubt in one.doubts)}"
            for one in held
        )
        yield from _section("Questions", list(doubts), "nothing is done for them")


def _kind(title: str, decisions: Sequence[Decision]) -> Iterator[str]:
    shown = [f"{' + '.join(map(line, one.memories))}: {line(one.justification)}" for one in decisions]
    yield from _section(title, shown)


def _suspected(found: Suspects) -> Iterator[str]:
    """What only vectors take for one thing: a question."""
    yield from _section(ALIKE, found.lines, "a question: nothing is merged for it")
    if found.beyond:
        yield f"  Beyond these {len(found.lines)}, {counted(found.beyond, 'further pair')}."
    if found.passed_over:
        yield f"  Without a vector that can be compared: {found.passed_over}."


ALIKE = "Perhaps told twice, by their vectors alone"


def _section(title: str, entries: Sequence[str], what: str = "") -> Iterator[str]:
    yield f"{title}: {len(entries)}" + (f" ({what})" if entries and what else "")
    yield from (f"  - {entry}" for entry in entries[:EXAMPLES])
    if len(entries) > EXAMPLES:
        yield f"  … and {len(entries) - EXAMPLES} more"


def recommended(found: Pruning, changing: Sequence[Decision]) -> str:
    """The count by kind, and what is deliberately left."""
    merged = sum(len(one.memories) - 1 for one in changing if one.kind is Kind.MERGE)
    orphans = sum(one.claim == ORPHAN for one in changing)
    gone = sum(len(one.memories) for one in changing if one.kind is Kind.DROP and one.claim != ORPHAN)
    parts = [counted(merged, "duplicate"), counted(orphans, "orphan"), *([f"{gone} stale"] if gone else [])]
    left = len(found.stale) - gone
    return (
        f"Recommended prune count: {merged + orphans + gone} ({' + '.join(parts)}); {left} stale flagged but retained"
        f"{'' if gone else ' (--include-stale takes those whose subject is gone)'}, "
        f"{counted(len(found.contradictions), 'contradiction')} deferred."
    )


def remarks(found: Pruning) -> tuple[Remark, ...]:
    """What the report of the pass keeps beside its decisions."""
    sections = (
        ("Contradictions, for you to settle", found.contradictions),
        (ALIKE, found.suspects.lines if found.suspects else ()),
        ("Stale, flagged and retained", tuple(f"{line(name)}: {line(why)}" for name, why in found.stale)),
        ("Pinned", tuple(map(line, found.pinned))),
    )
    return tuple(Remark(title, lines) for title, lines in sections if lines)
