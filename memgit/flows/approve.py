"""The answers to the decisions of a pass: its candidate then holds only what stands, as a revision of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from memgit.core.passes.message import commit_message
from memgit.core.report.compose import compose, index_change
from memgit.flows import answers
from memgit.flows.adopt import ADOPTABLE, in_state, take_hand_edits
from memgit.flows.candidate import held_by, keep_outcome, kept_outcome, of_decisions, with_commands
from memgit.flows.desk import Change, Desk, Done, announced, newest, own_paths, said_of
from memgit.flows.recovery import at_work
from memgit.model.decision import Approval, Decision
from memgit.model.history import OpKind, PassHeader
from memgit.model.passes import Outcome
from memgit.model.store import ABSENT, StoreContent
from memgit.model.verification import MemoryCheck
from memgit.rulings import rejections
from memgit.rulings.approval import Ruling, edited, parse, ruled, rulings
from memgit.rulings.settle import reconnected
from memgit.rulings.standing import (
    is_decidable,
    is_question,
    refuse_two_for_one,
    standing,
)

Verify = Callable[[StoreContent], Mapping[str, MemoryCheck]]
"""The verdict of the working tree for each memory of a store."""


def approve(desk: Desk, pass_id: str, reply: str, verify: Verify) -> Done:
    """Answer decisions as a reply says (the grammar is ``core.approval``'s). What no ruling names stays open.

    Raises BadReply for a reply that is not clear, and then nothing is decided; WrongState if the pass has no
    candidate to decide about.
    """
    clauses = parse(reply)
    with answers.kept(desk, desk.vault.pass_header(pass_id).id) as left:
        before = {answer.decision: answer.ruling for answer in left.all()}
        done = record(desk, pass_id, lambda decisions: {**before, **rulings(clauses, decisions)}, verify)
        if before:
            left.clear()
    taken = f"Taken along from a review that was cut short: {', '.join(before)}."
    return replace(done, notes=(taken, *done.notes)) if before else done


def record(desk: Desk, pass_id: str, say: Callable[[Sequence[Decision]], Mapping[str, Ruling]], verify: Verify) -> Done:
    """Approve or reject decisions: what ``say`` gives for its decisions, as one revision of its candidate.

    Raises as ``approve`` does, and what ``say`` raises; then nothing is decided.
    """
    with at_work(desk, f"approve {pass_id}") as notes:
        header = take_hand_edits(desk, in_state(desk, pass_id, ADOPTABLE, "approved"))
        outcome = kept_outcome(desk.vault, header)
        decisions = _ruled(outcome, say(outcome.decisions), _read(desk, header))
        outcome = _revise(desk, header, outcome, decisions, verify)
        operation = desk.vault.head()
        assert operation is not None
        did = f"Pass {header.id}: {_counted(outcome.decisions)}."
        return Done(did, said_of(desk, f"memgit undo {operation.id}"), operation, notes=(*notes, *_told(outcome)))


def outlook(
    desk: Desk, header: PassHeader, outcome: Outcome, by_hand: StoreContent | None = None
) -> Callable[[Mapping[str, Ruling]], StoreContent]:
    """What gives the store that would result from rulings on a pass. Nothing is written. ``by_hand`` is what the
    candidate's folder holds, where a person has changed it.

    It raises WrongState for rulings that would change again what a person changed by hand in the candidate.
    """
    read = _read(desk, header)
    held = held_by(desk, header, outcome, read, by_hand)

    def result(given: Mapping[str, Ruling]) -> StoreContent:
        decisions = _ruled(outcome, given, read)
        decided = reconnected(decisions, standing(decisions, header.kind), read)
        return of_decisions(held, outcome, decided, read)

    return result


def narrow(desk: Desk, header: PassHeader, only: Sequence[str], without: Sequence[str], verify: Verify) -> PassHeader:
    """Approve just some decisions of a pass, all but some, or (where none is named) all that nobody turned down;
    returns the header after that. Names are ids and ranges, as in a reply. Of what is asked only that is among all
    which a person took by its name.

    Under the vault's lock. Raises as ``approve`` does.
    """
    outcome, approved = chosen(desk, header, only, without)
    _revise(desk, header, outcome, ruled(outcome.decisions, approved), verify)
    return desk.vault.pass_header(header.id)


def chosen(
    desk: Desk, header: PassHeader, only: Sequence[str], without: Sequence[str]
) -> tuple[Outcome, Mapping[str, Ruling]]:
    """A decided pass with its approvals taken back, and the rulings that ``narrow`` gives its decisions."""
    outcome = kept_outcome(desk.vault, header)
    open_to = tuple(_reopened(each) for each in outcome.decisions)
    answered = {each.id for each in outcome.decisions if each.approval is Approval.APPROVED}
    taken = tuple(
        each
        for each in open_to
        if is_decidable(each) and each.approval is Approval.PROPOSED and (each.id in answered or not is_question(each))
    )
    named = rulings(parse(f"approve {', '.join(only or without)}"), open_to) if only or without else {}
    approved = named if only else {each.id: APPROVE for each in taken if each.id not in named}
    return replace(outcome, decisions=open_to), approved


APPROVE = Ruling(Approval.APPROVED)


def _reopened(decision: Decision) -> Decision:
    return replace(decision, approval=Approval.PROPOSED) if decision.approval is Approval.APPROVED else decision


def _read(desk: Desk, header: PassHeader) -> StoreContent:
    """The store as the pass read it."""
    return desk.vault.content(header.snapshot) if header.snapshot else ABSENT


def _ruled(outcome: Outcome, given: Mapping[str, Ruling], read: StoreContent) -> tuple[Decision, ...]:
    """The decisions with rulings, reasons and edited texts."""
    worded = (
        edited(each, given[each.id].edit, read, outcome.plan.kind) if each.id in given and given[each.id].edit else each
        for each in outcome.decisions
    )
    reasons = {name: ruling.reason for name, ruling in given.items()}
    return tuple(replace(each, reason=reasons.get(each.id, each.reason)) for each in ruled(worded, given))


def _revise(desk: Desk, header: PassHeader, outcome: Outcome, decisions: Sequence[Decision], verify: Verify) -> Outcome:
    """Keep the rulings, and a candidate of what stands, in place of the former one."""
    read = _read(desk, header)
    refuse_two_for_one(standing(decisions, header.kind))
    decided = reconnected(decisions, standing(decisions, header.kind), read)
    content = of_decisions(held_by(desk, header, outcome, read), outcome, decided, read)
    outcome = replace(
        outcome,
        decisions=decided,
        verification=verify(content),
        fingerprint_after=desk.store.fingerprint(),
        index=index_change(read, content),
    )
    outcome = replace(outcome, report=compose(outcome, read, content))
    if not any(own_paths(desk, header)):
        return _record(desk, header, outcome, content, read)
    gone, subject = (header.paths.candidate, header.paths.report), f"lay out {header.id}"
    with announced(desk, Change(OpKind.APPROVE, subject, newest(desk), header.id, removes=gone, lays_out=(header.id,))):
        return _record(desk, header, outcome, content, read)


def _record(desk: Desk, header: PassHeader, outcome: Outcome, content: StoreContent, read: StoreContent) -> Outcome:
    assert header.candidate is not None
    subject = f"approve {header.id}: {_counted(outcome.decisions)}"
    with desk.vault.transaction(OpKind.APPROVE, subject[:72], pass_id=header.id) as change:
        commit = change.put_candidate(header.id, content, commit_message(outcome), header.candidate)
        outcome = with_commands(replace(outcome, candidate=commit))
        keep_outcome(change, outcome)
        down = rejections.turned_down(outcome.decisions, read, header.id)
        change.put_record(header.id, rejections.RECORD, rejections.dump(down))
    return outcome


# --- what is said of it ---


def _counted(decisions: Sequence[Decision]) -> str:
    counts = ((state, _in(decisions, state)) for state in Approval)
    words = {Approval.PROPOSED: "open"}
    return ", ".join(f"{len(ids)} {words.get(state, state.value)}" for state, ids in counts if ids) or "nothing open"


def _in(decisions: Sequence[Decision], state: Approval) -> tuple[str, ...]:
    return tuple(each.id for each in decisions if is_decidable(each) and each.approval is state)


def _told(outcome: Outcome) -> Iterator[str]:
    for state in (Approval.APPROVED, Approval.REJECTED, Approval.DEFERRED):
        if ids := _in(outcome.decisions, state):
            yield f"{state.value.capitalize()}: {', '.join(ids)}."
    if ids := _in(outcome.decisions, Approval.PROPOSED):
        yield f"Still open: {', '.join(ids)}."
    if any(each.approval is Approval.REJECTED for each in outcome.decisions):
        yield "What was rejected is not proposed again until its evidence changes."
    if outcome.unchanged and standing(outcome.decisions, outcome.plan.kind):
        yield f"`{outcome.plan.store.said(f'memgit adopt {outcome.plan.id}')}` puts that in place."
    elif not outcome.unchanged:
        merge = outcome.plan.store.said(f"memgit merge {outcome.plan.id}")
        yield f"The store has changed since the pass read it; `{merge}` makes a candidate of both."
