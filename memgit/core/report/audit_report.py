"""What an audit says beside its proposals: the class of each memory, what is flagged, how healthy the store is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memgit.claims.appraise import Finding, is_protected
from memgit.likeness.pairs import opposed
from memgit.memory.index import Drift
from memgit.memory.index_edit import drift_of
from memgit.memory.memory import memories, written_on
from memgit.model.passes import Remark
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import Appraisal, MemoryClass
from memgit.rulings.standing import recurring
from memgit.text.layout import code, counted, line

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
