"""An audit or a prune that a host takes part in: memgit looks by rules, the host adds what takes judgement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memgit.core.report import prune_report
from memgit.core.report.audit_report import recounted
from memgit.core.seam.brief import Pair, parts
from memgit.core.seam.protocol import parse_decisions, parse_opinions
from memgit.flows import audit, prune
from memgit.flows.conclude import Turn, answered, settled
from memgit.flows.prepare import given_up_on_failure, prepare
from memgit.likeness.pairs import near
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind, MinerReply, Opinion, Proposal
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Inspection, Look, Outcome, Plan, Remark
from memgit.model.verification import Appraisal
from memgit.rulings.case import TRIVIA, Case, open_case
from memgit.rulings.handed_in import agreed, gone_on, marked, merged_by_host, numbered, weighed
from memgit.text.layout import code, line

if TYPE_CHECKING:
    from memgit.core.prune.rules import Terms
    from memgit.flows.prepare import Workshop
    from memgit.model.store import StoreContent

Seeing = Callable[[Plan, "StoreContent"], tuple[Sequence[Proposal], Inspection, Sequence[Pair]]]
"""What memgit proposes by itself, what it saw beside that, and pairs that it could not rule out to be one thing."""


def plan_audit(shop: Workshop) -> Plan:
    """Prepare an audit, look by memgit's own rules, and write the brief of a host."""
    return _plan(shop, PassKind.AUDIT, lambda made, content: (*audit.look_over(shop, made, content), ()))


def plan_prune(shop: Workshop, terms: Terms) -> Plan:
    """The same for a prune on these terms."""

    def see(_: Plan, content: StoreContent) -> tuple[Sequence[Proposal], Inspection, Sequence[Pair]]:
        found, _recalls = prune.look_over(shop, content, terms)
        suspected = found.suspects.pairs if found.suspects else ()
        return found.proposals, Inspection(remarks=prune_report.remarks(found)), suspected

    return _plan(shop, PassKind.PRUNE, see)


def _plan(shop: Workshop, kind: PassKind, see: Seeing) -> Plan:
    made = prepare(shop, kind)
    if made.mode is Mode.NOOP:
        return made
    with given_up_on_failure(shop, made):
        content = shop.book.snapshot(made)
        proposals, inspection, suspected = see(made, content)
        pairs = _nearest((*suspected, *(pair[:3] for pair in near(memories(content)))))
        shown = parts(memories(content), pairs)
        shop.book.open_look(made, Look(tuple(proposals), inspection, len(shown)), shown, pairs)
    return made


def _nearest(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Each pair once, nearest first."""
    known = {frozenset(pair[:2]): pair for pair in sorted(pairs, key=lambda pair: pair[2])}
    return tuple(sorted(known.values(), key=lambda pair: (-pair[2], *pair[:2])))


def refused_opinions(shop: Workshop, made: Plan, opinions: Sequence[Opinion]) -> tuple[tuple[str, str], ...]:
    """What of these does not count, and why."""
    look = shop.book.look(made)
    return _weighed(shop, made, look, look.proposals, opinions)[1]


def decide_look(shop: Workshop, made: Plan, replies: Sequence[MinerReply], data: bytes, turn: Turn) -> Outcome:
    """Conclude an audit or a prune with what a host hands in: its decisions beside memgit's own proposals, its
    verdicts where their lines are there. What it leaves unmentioned stays as memgit has it, or as its last turn did."""
    look, before = shop.book.look(made), shop.book.snapshot(made)
    proposals = _joined(shop, made, look, replies, data, turn)
    opinions = (*(each for reply in replies for each in reply.opinions), *parse_opinions(data))
    standing = [one for one in proposals if one.kind is not Kind.REJECT and not one.handed_in]
    given, refused = _weighed(shop, made, look, standing, opinions)

    def seen(decisions: Sequence[Decision]) -> Inspection:
        own = {one.memory: one for one in look.inspection.appraisals}
        classes = own | {one.memory: one for one in given} | merged_by_host(decisions, proposals)
        told = _remarks(made, look, tuple(classes.values()), decisions, before)
        return Inspection(tuple(classes.values()), (*told, *_not_counted(refused)))

    return answered(shop, made, [*replies, *_unread(look, replies)], proposals, turn, seen)


def _joined(
    shop: Workshop, made: Plan, look: Look, replies: Sequence[MinerReply], data: bytes, turn: Turn
) -> tuple[Proposal, ...]:
    """Memgit's own proposals and the host's together."""
    content, before = shop.book.snapshot(made), turn.last or look.proposals
    candidates = [*numbered(look.proposals), *(candidate for reply in replies for candidate in reply.candidates)]
    told = parse_decisions(data, made.id, candidates, before)

    def judge(wanted: Sequence[Proposal]) -> Sequence[Decision]:
        return settled(shop, made, content, wanted)

    if turn.goes_on:
        return gone_on(look.proposals, before, told, judge, shop.pins)
    return agreed(look.proposals, marked(told, shop.pins), judge)


def _weighed(
    shop: Workshop, made: Plan, look: Look, proposed: Sequence[Proposal], opinions: Iterable[Opinion]
) -> tuple[tuple[Appraisal, ...], tuple[tuple[str, str], ...]]:
    """The classes that count, and the memories of those that do not with the reason."""
    case = _case(shop, made)
    own = {one.memory: one for one in look.inspection.appraisals}
    results = [(one.memory, weighed(one, case, own, proposed)) for one in opinions]
    return (
        tuple(result for _, result in results if isinstance(result, Appraisal)),
        tuple((name, result) for name, result in results if isinstance(result, str)),
    )


def _case(shop: Workshop, made: Plan) -> Case:
    return open_case(made.kind, memories(shop.book.snapshot(made)), (), shop.tree.text_at)


def _remarks(
    made: Plan, look: Look, classes: Sequence[Appraisal], decisions: Sequence[Decision], content: StoreContent
) -> tuple[Remark, ...]:
    if made.kind is not PassKind.AUDIT:
        return look.inspection.remarks
    trivia = sum(one.changes and one.claim == TRIVIA for one in decisions)
    return recounted(look.inspection.remarks, classes, trivia, content)


def _not_counted(refused: Sequence[tuple[str, str]]) -> tuple[Remark, ...]:
    rows = tuple(f"{code(name)}: {line(why)}" for name, why in refused)
    return (Remark("Verdicts of the host that do not count", rows),) if rows else ()


def _unread(look: Look, replies: Sequence[MinerReply]) -> tuple[MinerReply, ...]:
    """The parts of a large store that no reader answered for."""
    if look.parts == 1:
        return ()
    missing = set(range(1, look.parts + 1)) - {reply.batch for reply in replies}
    return tuple(MinerReply(number, failure="nobody read this part of the store") for number in sorted(missing))
