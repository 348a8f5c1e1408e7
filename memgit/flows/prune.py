"""A prune: copies merged, what nobody uses let go, lessons told twice asked about; and nothing before it is confirmed.

Only the store is ever touched: the working tree and transcripts come in through ports that have no method that writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from memgit import files
from memgit.claims.appraise import Finding
from memgit.core.passes import records
from memgit.core.prune import rules
from memgit.core.prune.recalls import Recalls
from memgit.core.prune.rules import Pair, Pruning, Terms, in_company
from memgit.core.report.looks import prune_remarks
from memgit.core.summaries.form import is_summaries
from memgit.core.summaries.vectors import keeps_vectors, near_pairs, of_database, signals, vectors
from memgit.core.sweep.injection import facts, standing
from memgit.errors import Damaged
from memgit.flows.adopt import adopt
from memgit.flows.audit import appraised
from memgit.flows.conclude import Looked, run
from memgit.likeness import pairs
from memgit.memory.fingerprint import fingerprint
from memgit.memory.index_edit import listed
from memgit.memory.memory import memories
from memgit.memory.shapes import shape_named
from memgit.model.decision import Decision, Proposal
from memgit.model.history import PassKind
from memgit.model.passes import Inspection, Outcome
from memgit.model.store import Memory, StoreContent
from memgit.rulings.approval import parse, rulings
from memgit.rulings.case import open_case
from memgit.rulings.rejections import withheld
from memgit.rulings.settle import settle
from memgit.rulings.standing import asked_at_most, is_decidable, is_question
from memgit.rulings.told_twice import likely

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgit.flows.desk import Desk, Done
    from memgit.flows.prepare import Workshop

SHOWN = "prune-shown.json"
"""The file in the vault's folder that remembers which report was shown last, and of which store."""

_AT_ONCE = 2000
"""Memories that are compared by meaning at a time: neighbours in time, so that the work grows with their number."""


@dataclass(frozen=True)
class Pruned:
    """What a prune came to. ``done`` is the adoption, where it was confirmed; ``refused`` says why a confirmation was
    not taken and a new report is shown instead."""

    found: Pruning
    decisions: tuple[Decision, ...]
    recalls: Recalls
    pass_id: str = ""
    done: Done | None = None
    refused: str = ""


def prune(
    shop: Workshop,
    desk: Callable[[], Desk],
    terms: Terms,
    *,
    confirm: bool = False,
    take: Sequence[str] = (),
    while_in_use: bool = False,
) -> Pruned:
    """Report what could go; with ``confirm`` do what the last report showed, if the store is still the same. Of what it
    only asked the questions named by ``take`` (ids and ranges) are answered with yes.

    A confirmed prune is a pass like any other: a candidate, adopted, one undo away. Raises what adopting raises.
    """
    content = shop.store.read()
    place = shop.book.vault().private / SHOWN
    shown = _shown(place)
    terms = shown.terms if confirm and shown else terms
    found, recalls = look_over(shop, content, terms)
    decisions = _settled(shop, content, found.proposals)
    report = _Shown(_state(content), _digest(decisions), _digest(decisions, asked=True), terms)
    if not confirm or shown is None or not shown.holds(report, asked=bool(take)):
        files.write_atomic(place, records.dump(report))
        return Pruned(found, decisions, recalls, refused=_refusal(shown, report) if confirm else "")
    chosen = rulings(parse(f"approve {', '.join(take)}"), decisions) if take else {}
    if not chosen and not any(decision.stands for decision in decisions):
        return Pruned(found, decisions, recalls, refused="There is nothing to prune without your word.")
    looked = Looked(found.proposals, inspection=Inspection(remarks=prune_remarks(found)))
    outcome = run(shop, PassKind.PRUNE, lambda *_: looked)
    assert isinstance(outcome, Outcome)  # a store in which something stands is no noop
    only = [
        each.id for each in outcome.decisions if each.id in chosen or (chosen and is_decidable(each) and each.stands)
    ]
    done = adopt(desk(), outcome.plan.id, only=only, while_in_use=while_in_use, remove_most=shop.remove_most)
    files.remove_file(place)
    return Pruned(found, outcome.decisions, recalls, outcome.plan.id, done)


def look_over(shop: Workshop, content: StoreContent, terms: Terms) -> tuple[Pruning, Recalls]:
    """What a prune on these terms would do, ask and tell, before facts and doubts look at it."""
    shape, known = shop.store.resolution.shape, signals(content) if is_summaries(content) else None
    store = facts(memories(content), shape)
    free, now = rules.pool(store, terms), shop.clock()
    current = standing(free, shape)
    recalls = of_database(known) if known else _recalls(shop)
    shop.progress.step("looking for copies", 0, len(current))
    proposals = [*rules.copies(current, recalls.cited, listed(content))]
    left = rules.left_of(current, proposals)
    by_vector, passed_over = _near_by_vector(shop, content, current, left) if known else ((), 0)
    near = compared(shop, left, by_vector)
    gone = rules.stale(_appraised(shop, free), free)
    spared = tuple(rules.spared(free, recalls, now)) if known else ()
    proposals += rules.stale_drops(gone, (*_taken(proposals), *spared)) if terms.include_stale else ()
    spoken_of = {*_taken(proposals), *(one.appraisal.memory for one in gone), *spared}
    proposals += rules.orphans(store, free, recalls, terms, now, spoken_of)
    edges = {frozenset(pair): pair for pair in known.contradicts} if known else {}
    called = rules.called_contradictory({each.id: each for each in store}, edges.values())
    contradictory = _contradictions(left, near, proposals, edges)
    stays = rules.left_of(left, proposals)
    proposals += rules.lessons(stays, _askable(near, by_vector, {*contradictory, *edges}), terms, recalls.cited)
    found = Pruning(
        memories=len(store),
        pinned=tuple(sorted({memory.id for memory in store} - {memory.id for memory in free})),
        proposals=tuple(proposals),
        stale=tuple((one.appraisal.memory, one.appraisal.evidence) for one in gone),
        contradictions=(*called, *contradictory.values()),
        no_orphans=rules.why_no_orphans(recalls, terms, now),
        passed_over=passed_over,
    )
    return found, recalls


def _recalls(shop: Workshop) -> Recalls:
    survey = shop.transcripts.survey(shop.project, shop.progress)
    return shop.transcripts.recalls(survey.sessions, shop.store.resolution.path)


def _near_by_vector(
    shop: Workshop, content: StoreContent, free: Sequence[Memory], left: Sequence[Memory]
) -> tuple[tuple[Pair, ...], int]:
    """The pairs of those that are ``left`` which the vectors of a database take for one thing, and how many of the free
    ones have no vector; none where it keeps none."""
    if not keeps_vectors(content):
        return (), 0
    shop.progress.step("comparing vectors", 0, len(free))
    found = tuple(vectors(content, {memory.id for memory in free}))
    names = {memory.id for memory in left}
    return near_pairs(vector for vector in found if vector.memory in names), len(free) - len(found)


Near = tuple[tuple[Memory, ...], tuple[pairs.Pair, ...]]
"""Memories that are compared with each other, and those of their pairs that are about one thing."""


def compared(shop: Workshop, free: Sequence[Memory], by_vector: Sequence[Pair] = ()) -> list[Near]:
    """The store block by block: neighbours in time, and what vectors take for one thing wherever it lies."""
    blocks = _blocks(_comparable(free))
    if len(free) > _AT_ONCE:
        names = {name for pair in by_vector for name in pair[:2]}
        blocks += _blocks([memory for memory in free if memory.id in names])
    found: list[Near] = []
    for done, block in enumerate(blocks):
        shop.progress.step("comparing memories with each other", done * _AT_ONCE, len(free))
        found.append((block, pairs.near(block)))
    return found


def _askable(near: Sequence[Near], by_vector: Sequence[Pair], told: Collection[frozenset[str]]) -> Iterable[Pair]:
    """The pairs that may say one thing, each with the chance of it, but for those ``told`` as contradictory."""
    by_words = ((pair.one, pair.other, chance) for block, related in near for pair, chance in likely(block, related))
    found = {frozenset(pair[:2]): pair for pair in (*by_words, *by_vector)}
    return (pair for both, pair in found.items() if both not in told)


def _contradictions(
    free: Sequence[Memory], near: Sequence[Near], proposals: Sequence[Proposal], told: Collection[frozenset[str]]
) -> dict[frozenset[str], str]:
    """Those that the texts show, pair by pair, but for the pairs that are ``told`` already."""
    merged = set(_taken(proposals))
    related = {frozenset(pair[:2]): pair[:3] for _, each in near for pair in each}
    open_to = [pair for both, pair in related.items() if not both <= merged and both not in told]
    return dict(rules.contradictions({memory.id: memory for memory in free}, open_to))


def _appraised(shop: Workshop, free: Sequence[Memory]) -> Sequence[Finding]:
    shop.progress.step("holding claims against the working tree")
    return tuple(appraised(shop, free, open_case(PassKind.PRUNE, free, (), None, {})).values())


def _comparable(free: Sequence[Memory]) -> Sequence[Memory]:
    """All memories of a store that is compared at once; of a larger one those that may be about one thing."""
    return free if len(free) <= _AT_ONCE else in_company(free)


def _blocks(free: Sequence[Memory]) -> list[tuple[Memory, ...]]:
    """The memories in the order of their age, in blocks of neighbours in time."""
    aged = sorted(free, key=lambda memory: (memory.mtime_ns, memory.id))
    return [tuple(aged[start : start + _AT_ONCE]) for start in range(0, len(aged), _AT_ONCE)]


def _taken(proposals: Sequence[Proposal]) -> list[str]:
    return [name for proposal in proposals for name in proposal.memories]


def _settled(shop: Workshop, content: StoreContent, proposals: Sequence[Proposal]) -> tuple[Decision, ...]:
    """The proposals as facts and doubts leave them, so that a report counts what a confirmation would do."""
    shape = shape_named(shop.store.resolution.shape)
    case = open_case(PassKind.PRUNE, memories(content), (), shop.tree.text_at, shape=shape)
    decisions = settle(proposals, content, case, remove_most=shop.remove_most)
    return asked_at_most(withheld(decisions, content, shop.book.rejections())).decisions


# --- the report that was shown last ---


@dataclass(frozen=True, slots=True)
class _Shown:
    """A report: of which store, of which decisions and questions, on which terms."""

    store: str
    decisions: str
    questions: str
    terms: Terms

    def holds(self, now: _Shown, *, asked: bool) -> bool:
        """Whether what was shown is what there is ``now``; of questions only where one of them is ``asked`` for."""
        return replace(now, questions=now.questions if asked else self.questions) == self


def _shown(place: Path) -> _Shown | None:
    """The report that was shown last; None where there is none, or it cannot be read."""
    try:
        return records.load(_Shown, place.read_bytes())
    except (OSError, Damaged):
        return None


def _state(content: StoreContent) -> str:
    """What must be as it was beside the decisions: the whole store, but for a database, to which a daemon adds."""
    return "" if is_summaries(content) else fingerprint(content)


def _digest(decisions: Sequence[Decision], *, asked: bool = False) -> str:
    """What would be done, down to the texts that go, or what is ``asked``; what is refused does not count."""
    hasher = blake2b(digest_size=16)
    for decision in (each for each in decisions if (is_question(each) if asked else each.stands)):
        texts = (decision.dropped_text[name] for name in sorted(decision.dropped_text))
        named = (decision.id, decision.kind.value, *decision.memories, *decision.results, *sorted(decision.writes))
        hasher.update("\0".join((*named, *texts)).encode("utf-8", "surrogatepass") + b"\1")
        hasher.update(b"\0".join(decision.writes[path] for path in sorted(decision.writes)))
    return hasher.hexdigest()


def _refusal(shown: _Shown | None, report: _Shown) -> str:
    if shown is None:
        return "No report has been shown yet, so nothing was pruned. This is one."
    changed = "The store has" if shown.store != report.store else "What could be pruned has"
    return f"{changed} changed since the last report, so nothing was pruned. This is a new one."
