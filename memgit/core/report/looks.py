"""What an audit and a prune report beside their decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memgit import __version__
from memgit.claims.appraise import Finding, is_protected
from memgit.core.prune.recalls import Recalls
from memgit.core.prune.rules import COPY, ORPHAN, Pruning
from memgit.evidence.findings import mask, printable, whole
from memgit.likeness.pairs import opposed
from memgit.memory.index import Drift
from memgit.memory.index_edit import drift_of
from memgit.memory.memory import memories, read_memory, written_on
from memgit.model.decision import Decision, Evidence, FactName, Kind, Said, Standing
from memgit.model.passes import Outcome, Remark
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile
from memgit.model.verification import Appraisal, MemoryClass
from memgit.rulings.settle import MAX_PROPOSALS
from memgit.rulings.standing import recurring
from memgit.text.layout import code, counted, line

# --- audit report ---
# What an audit says beside its proposals: the class of each memory, what is flagged, how healthy the store is.

INVENTORY = "Inventory"
"""The heading of the counts by class."""

_ROT = "Recurring rot"
_ROTTEN = frozenset({MemoryClass.STALE, MemoryClass.ABSORBED})


def remarks(
    findings: Sequence[Finding], content: StoreContent, pairs: Iterable[tuple[str, str, float]]
) -> tuple[Remark, ...]:
    """The sections of the report that are no decisions. ``pairs`` are memories about one thing."""
    store = {memory.id: memory for memory in memories(content)}
    appraisals = [one.appraisal for one in findings]
    sections = (
        (INVENTORY, (*_inventory(appraisals, content), *_foreign(findings))),
        ("Contradictions, for you to settle", tuple(contradictions(store, pairs))),
        (
            "Flagged, nothing proposed",
            tuple(f"{code(f.appraisal.memory)}: {line(f.flag)}." for f in findings if f.flag),
        ),
        (_ROT, tuple(recurring(appraisals))),
    )
    return tuple(Remark(title, lines) for title, lines in sections if lines)


def recounted(
    told: Iterable[Remark], appraisals: Sequence[Appraisal], trivia: int, content: StoreContent
) -> tuple[Remark, ...]:
    """The same sections where a host has given some of the classes. ``trivia`` are proposals of that reason."""
    kept = {remark.title: remark.lines for remark in told}
    counted_anew = tuple(_inventory(appraisals, content))
    beyond = kept.get(INVENTORY, ())[len(counted_anew) :]
    anew = {INVENTORY: (*counted_anew, *beyond), _ROT: tuple(recurring(appraisals, trivia))}
    sections = {INVENTORY: (), **kept, **anew}
    return tuple(Remark(title, lines) for title, lines in sections.items() if lines)


def health(appraisals: Sequence[Appraisal], found: Drift) -> int:
    """How much of a store can be relied on, 0 to 100: the share of its entries that are not stale, absorbed, one
    duplicate too many, missing from the index or pointed to in vain."""
    kinds = Counter(appraisal.kind for appraisal in appraisals)
    total = len(appraisals) + len(found.dead)
    surplus = kinds[MemoryClass.DUPLICATE] // 2
    bad = sum(kinds[kind] for kind in _ROTTEN) + surplus + len(found.dead) + len(found.orphans) + len(found.doubles)
    return max(0, round(100 * (total - bad) / total)) if total else 100


def _inventory(appraisals: Sequence[Appraisal], content: StoreContent) -> Iterator[str]:
    found = drift_of(content)
    kinds = Counter(appraisal.kind for appraisal in appraisals)
    classes = ", ".join(f"{kinds[kind]} {kind}" for kind in MemoryClass if kinds[kind])
    yield f"{counted(len(appraisals), 'memory')}: {classes or 'none'}. Health: {health(appraisals, found)} of 100."
    if not content.indexed:
        yield "Index: this shape of store has none."
        return
    counts = (
        (found.orphans, "memory", "not listed"),
        (found.dead, "dead pointer", ""),
        (found.doubles, "double entry", ""),
        (found.dead_mentions, "broken link", "in its prose"),
        (found.outside, "link", "to files outside"),
        (found.crowded, "line", "with several links"),
    )
    told = [counted(len(each), noun, rest) for each, noun, rest in counts if each]
    yield f"Index: {', '.join(told)}." if told else "Index: every line leads to a memory, and every memory has one."


_FEW = 4
"""Memories of which names were looked for in vain, below which that tells nothing about the store."""


def _foreign(findings: Sequence[Finding]) -> Iterator[str]:
    """A store of which most names are unknown here was perhaps written for another project."""
    lost = [one.appraisal.memory for one in findings if one.is_foreign]
    named = sum(bool(one.targets) for one in findings)
    if len(lost) >= _FEW and 2 * len(lost) >= named:
        shown = ", ".join(code(name) for name in lost[:5])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        yield (
            f"{len(lost)} of {named} memories that name something name nothing that this repository or its history "
            f"knows ({shown}{more}): they may belong to another project. Nothing is proposed for that."
        )


def contradictions(store: dict[str, Memory], pairs: Iterable[tuple[str, str, float]]) -> Iterator[str]:
    """Memories of a person's own words that cannot both hold, each with its day. They are never settled on what the
    repository says."""
    for first, second, _ in pairs:
        one, other = store[first], store[second]
        if is_protected(one) and is_protected(other) and (why := opposed(one, other)):
            yield (
                f"{code(one.id)} ({written_on(one)}) against {code(other.id)} ({written_on(other)}): "
                f"{line(why)}. Which of them holds is for you to say."
            )


# --- prune report ---
# What a prune reports: counts with a few examples each, what it would do, and what it leaves alone.

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
    counts = ((COPY, "copy"), (ORPHAN, "memory that nobody uses"))
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
    yield from _kind("Copies", [one for one in changing if one.claim == COPY])
    yield from _section("Contradictions surfaced", found.contradictions, "they wait for you")
    if found.passed_over:
        yield f"Without a vector that can be compared: {found.passed_over}."
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
    """What only a person can tell, by the number that answers it."""
    if held:
        asked = (f"{one.id}  {line(one.asks) or '; '.join(line(doubt.says) for doubt in one.doubts)}" for one in held)
        yield from _section("Questions", list(asked), "nothing is done for them without your word", most=len(held))


def _kind(title: str, decisions: Sequence[Decision]) -> Iterator[str]:
    shown = [f"{' + '.join(map(line, one.memories))}: {line(one.justification)}" for one in decisions]
    yield from _section(title, shown)


def _section(title: str, entries: Sequence[str], what: str = "", most: int = EXAMPLES) -> Iterator[str]:
    yield f"{title}: {len(entries)}" + (f" ({what})" if entries and what else "")
    yield from (f"  - {entry}" for entry in entries[:most])
    if len(entries) > most:
        yield f"  … and {len(entries) - most} more"


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


def prune_remarks(found: Pruning) -> tuple[Remark, ...]:
    """What the report of the pass keeps beside its decisions."""
    sections = (
        ("Contradictions, for you to settle", found.contradictions),
        ("Stale, flagged and retained", tuple(f"{line(name)}: {line(why)}" for name, why in found.stale)),
        ("Pinned", tuple(map(line, found.pinned))),
    )
    return tuple(Remark(title, lines) for title, lines in sections if lines)


# --- proposals ---
# The proposals of a pass as a person reads them before deciding, in plain text.

_HEADINGS = {Kind.DROP: "Delete", Kind.UPDATE: "Update", Kind.REPLACE: "Update", Kind.MERGE: "Merge"}
_LEFT = "    "


def proposals(decisions: Sequence[Decision]) -> Iterator[str]:
    """The changing decisions grouped by what they do: each with the memory's current description, the evidence, and
    the exact text that would replace it. Rows are safe to print."""
    heading = ""
    for decision in (each for each in decisions if each.changes):
        if (own := _heading(decision)) != heading:
            heading = own
            yield f"{heading}:"
        yield from _proposal(decision)


def _heading(decision: Decision) -> str:
    if decision.kind is Kind.REPAIR:
        return "Links that follow" if decision.memories else "Index repair"
    return _HEADINGS.get(decision.kind, decision.kind.value.capitalize())


def _proposal(decision: Decision) -> Iterator[str]:
    names = " + ".join(line(name) for name in decision.memories) or "the index"
    survivor = f" -> {line(decision.results[0])}" if decision.kind is Kind.MERGE and decision.results else ""
    yield f"  {decision.id}  {names}{survivor}"
    for memory, text in decision.dropped_text.items():
        if description := read_memory(StoreFile(f"{memory}.md", text.encode("utf-8", "replace"))).description:
            yield f"{_LEFT}now: {line(memory)} — {line(description)}"
    if decision.standing is Standing.HELD:
        doubts = "; ".join(line(doubt.says) for doubt in decision.doubts)
        yield f"{_LEFT}a question: {line(decision.asks) or doubts}"
    yield f"{_LEFT}why: {line(decision.justification)}"
    yield from (f"{_LEFT}evidence: {evidence(one)}" for one in decision.evidence)
    if decision.kind is not Kind.REPAIR:
        for data in decision.writes.values():
            yield f"{_LEFT}becomes:"
            text = printable(mask(data.decode("utf-8", "replace")).text)
            yield from (f"{_LEFT}| {row}".rstrip() for row in text.rstrip("\n").split("\n"))


def evidence(one: Evidence) -> str:
    """One piece of evidence on one line: where it stands, and its words."""
    if isinstance(one, Said):
        return f"session {line(one.session)[:8]} — “{line(one.quote)}”"
    return f"{line(one.where)} — “{line(one.quote)}”"


# --- sarif ---
# The findings of an audit in SARIF 2.1.0, the form that code hosts and editors show beside the lines.

_RULES: Mapping[str, str] = {
    "stale": "A claim of the memory holds no longer.",
    "absorbed": "A document of the project says what the memory says.",
    "duplicate": "Another memory says the same.",
    "trivia": "The memory tells of a passing state, or of what the repository tells by itself.",
    "index": "The index and the memories have come apart.",
}
_SHOWN = frozenset({MemoryClass.STALE, MemoryClass.ABSORBED, MemoryClass.DUPLICATE})


def sarif(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """One run with the findings of all stores; places are paths of files on this machine."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "memgit", "version": __version__, "rules": rules}
    results = [result for outcome in outcomes for result in _results(outcome)]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def findings(outcome: Outcome) -> int:
    """How many things an audit has found: for a check that fails on any."""
    return len(_results(outcome))


def _results(outcome: Outcome) -> list[dict[str, Any]]:
    store = outcome.plan.store.path
    found = [
        _result(each.kind.value, each.evidence, f"{store}/{each.memory}.md")
        for each in outcome.inspection.appraisals
        if each.kind in _SHOWN
    ]
    told = {each.memory for each in outcome.inspection.appraisals if each.kind in _SHOWN}
    for decision in outcome.decisions:
        if decision.kind is Kind.REPAIR and not decision.memories:
            found.append(_result("index", decision.justification, f"{store}/{INDEX}"))
        elif decision.kind is Kind.DROP and not told.intersection(decision.memories):
            found += [_result("trivia", decision.justification, f"{store}/{name}.md") for name in decision.memories]
    return found


def _result(rule: str, text: str, path: str) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _safe(path)}, "region": {"startLine": 1}}
    return {
        "ruleId": rule,
        "level": "warning",
        "message": {"text": _safe(text)},
        "locations": [{"physicalLocation": place}],
    }


def _safe(text: str) -> str:
    return mask(whole(text)).text
