"""The same pass in three steps, for a host agent that thinks in between: plan, propose, decide.

A curation is planned here; of an audit and a prune ``host_look`` has what is their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgit.core.report.looks import prune_remarks, recounted
from memgit.core.seam.brief import parts
from memgit.core.seam.protocol import goes_on, parse_candidates, parse_decisions, parse_opinions, read_reply
from memgit.errors import BadReply
from memgit.evidence.quotes import Prose, Void, find_said, find_seen
from memgit.flows import audit, prune
from memgit.flows.conclude import Looked, Turn, answered, settled
from memgit.flows.prepare import draw_up, given_up_on_failure, prepare
from memgit.likeness.pairs import near
from memgit.memory.memory import memories
from memgit.model.decision import Candidate, Decision, Evidence, Kind, MinerReply, Opinion, Proposal, Said
from memgit.model.history import Mode, PassKind
from memgit.model.passes import Inspection, Look, Outcome, Plan, Remark
from memgit.model.verification import Appraisal
from memgit.rulings.case import TRIVIA, open_case
from memgit.rulings.handed_in import ASKED, agreed, gone_on, marked, numbered
from memgit.rulings.opinions import merged_by_host, weighed
from memgit.text.layout import code, line

if TYPE_CHECKING:
    from memgit.core.prune.rules import Terms
    from memgit.flows.prepare import Workshop
    from memgit.model.store import StoreContent

# --- host look ---
# An audit or a prune that a host takes part in: memgit looks by rules, the host adds what takes judgement.

Seeing = Callable[[Plan, "StoreContent"], Looked]
"""What memgit saw by itself."""


def plan_audit(shop: Workshop) -> Plan:
    """Prepare an audit, look by memgit's own rules, and write the brief of a host."""
    return _plan(shop, PassKind.AUDIT, lambda made, content: audit.look_over(shop, made, content))


def plan_prune(shop: Workshop, terms: Terms) -> Plan:
    """The same for a prune on these terms."""

    def see(_: Plan, content: StoreContent) -> Looked:
        found, _recalls = prune.look_over(shop, content, terms)
        return Looked(found.proposals, inspection=Inspection(remarks=prune_remarks(found)))

    return _plan(shop, PassKind.PRUNE, see)


def _plan(shop: Workshop, kind: PassKind, see: Seeing) -> Plan:
    made = prepare(shop, kind)
    if made.mode is Mode.NOOP:
        return made
    with given_up_on_failure(shop, made):
        content = shop.book.snapshot(made)
        looked = see(made, content)
        assert isinstance(looked.inspection, Inspection)  # what rules see depends on no decision
        pairs = [pair[:3] for pair in near(memories(content))]
        shown = parts(memories(content), pairs)
        shop.book.open_look(made, Look(tuple(looked.proposals), looked.inspection, len(shown)), shown, pairs)
    return made


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

    return answered(shop, made, Looked(proposals, [*replies, *_unread(look, replies)], (), seen), turn)


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
    case = open_case(made.kind, memories(shop.book.snapshot(made)), (), shop.tree.text_at)
    own = {one.memory: one for one in look.inspection.appraisals}
    results = [(one.memory, weighed(one, case, own, proposed)) for one in opinions]
    return (
        tuple(result for _, result in results if isinstance(result, Appraisal)),
        tuple((name, result) for name, result in results if isinstance(result, str)),
    )


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


@dataclass(frozen=True)
class Proposed:
    """What handing in candidates came to: how many are kept, what a decision could not use and why,
    what the bound cut, and the batches that are still awaited."""

    plan: Plan
    kept: tuple[Candidate, ...]
    void: tuple[tuple[str, str], ...]
    cut: tuple[Candidate, ...]
    awaited: tuple[int, ...]


def plan(shop: Workshop, kind: PassKind = PassKind.CURATE) -> Plan:
    """Prepare a curation or a sweep, and write a brief for the miner of each batch."""
    drawn, read = draw_up(shop, kind)
    if drawn.mode is not Mode.NOOP and (open_ := shop.book.planned_on(drawn)):
        return open_
    made = prepare(shop, kind, drawn=(drawn, read))
    if made.mode is not Mode.NOOP:
        shop.book.write_briefs(made)
    return made


def propose(shop: Workshop, pass_id: str, replies: Sequence[bytes]) -> Proposed:
    """Take candidate files, one per batch of sessions or, in an audit or a prune, part of the store, and say of each
    candidate whether what it quotes is there.

    Raises BadReply naming the field that breaks the contract; then none of the files is kept.
    """
    made = shop.book.load(pass_id)
    limit = made.selection.limits.candidates_per_batch
    batches = _batches(shop, made)
    taken: list[MinerReply] = []
    cut: list[Candidate] = []
    for data in replies:
        number = read_reply(data)["batch"].number()
        if number not in batches:
            known = ", ".join(map(str, sorted(batches))) or "none"
            raise BadReply(f"batch: {number} is no batch of pass {made.id}.", f"It has {known}.")
        bounded = parse_candidates(data, made.id, number, limit)
        opinions = parse_opinions(data) if made.kind in ASKED else ()
        taken.append(MinerReply(number, bounded.kept, opinions=opinions))
        cut.extend(bounded.cut)
    kept = shop.book.keep_replies(made, taken)
    if made.kind is PassKind.CURATE:
        shop.book.write_decide_brief(made, [candidate for reply in kept for candidate in reply.candidates])
    fresh = tuple(candidate for reply in taken for candidate in reply.candidates)
    awaited = tuple(sorted(batches - {reply.batch for reply in kept}))
    return Proposed(made, fresh, tuple(_void(shop, made, taken)), tuple(cut), awaited)


def _batches(shop: Workshop, made: Plan) -> set[int]:
    """The numbers of what miners read."""
    if made.kind in ASKED:
        return set(range(1, shop.book.look(made).parts + 1))
    return {batch.number for batch in made.selection.batches}


def decide(shop: Workshop, pass_id: str, decisions: bytes, *, check: bool = False, final: bool = False) -> Outcome:
    """Take the decisions of a host and build the candidate; what nobody mined or read is reported as such.

    As long as no person has answered the pass the host may come again: with ``check`` the decisions are only judged
    and nothing is kept, and its last word (``final``, or a reply that changes nothing) ends its part.
    Raises BadReply, and WrongState for a pass that is not open to it.
    """
    shop = replace(shop, attended=True)  # the host stands beside it, whoever would decide otherwise
    made, last = shop.book.load_open(pass_id)
    turn = Turn(last, goes_on(decisions), check, final)
    replies = {reply.batch: reply for reply in shop.book.replies(made)}
    if made.kind in ASKED:
        return decide_look(shop, made, list(replies.values()), decisions, turn)
    missing = {
        batch.number: MinerReply(batch.number, failure="no candidates were handed in for it")
        for batch in made.selection.batches
        if batch.number not in replies
    }
    replies |= missing
    candidates = [candidate for reply in replies.values() for candidate in reply.candidates]
    proposals = parse_decisions(decisions, made.id, candidates, last)
    kept = [replies[number] for number in sorted(replies)]
    if made.kind is PassKind.SWEEP and shop.beads:
        from memgit.flows.sweep import decide_sweep

        return decide_sweep(shop, made, shop.beads, kept, proposals, turn)
    return answered(shop, made, Looked(proposals, kept), turn)


def _void(shop: Workshop, made: Plan, replies: Sequence[MinerReply]) -> list[tuple[str, str]]:
    """Each quote that no decision could rest on, and why, so that a miner can mend its reply; verdicts that do not
    count are named by their memory."""
    store = memories(shop.book.snapshot(made))

    prose = Prose(made.digests)

    def look_up(evidence: Evidence) -> Evidence | Void:
        if isinstance(evidence, Said):
            return find_said(evidence, prose)
        return find_seen(evidence, store, shop.tree.text_at)

    candidates = [candidate for reply in replies for candidate in reply.candidates]
    looked_up = [(candidate.id, look_up(evidence)) for candidate in candidates for evidence in candidate.evidence]
    opinions = [one for reply in replies for one in reply.opinions]
    void = [(name, found.says) for name, found in looked_up if isinstance(found, Void)]
    if not opinions:
        return void
    look = shop.book.look(made)
    return [*void, *_weighed(shop, made, look, look.proposals, opinions)[1]]
