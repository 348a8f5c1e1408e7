"""Adopting and discarding a candidate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.passes import records
from memgit.core.passes.message import message, report_of
from memgit.core.passes.records import pass_json
from memgit.core.report.compose import merge_report
from memgit.core.summaries.form import is_summaries
from memgit.errors import StoreChanged, WrongState
from memgit.evidence.findings import printable, printable_name
from memgit.flows.answers import refuse_unsaved
from memgit.flows.candidate import built, decisions_of, held_by, keep_outcome, kept_outcome, with_commands
from memgit.flows.desk import (
    Change,
    Desk,
    Done,
    HeaderChange,
    announced,
    carry_out,
    newest,
    own_paths,
    owns_its_folder,
    said_of,
)
from memgit.flows.observe import observe, recognise
from memgit.flows.recovery import at_work
from memgit.memory.apply import changes
from memgit.memory.fingerprint import fingerprint
from memgit.memory.from_elsewhere import refuse_foreign
from memgit.memory.memory import is_memory_of, memories, status
from memgit.memory.merge import Merged, merge3
from memgit.memory.shapes import shape_named
from memgit.model.decision import Decision, FactName, Standing
from memgit.model.history import OpKind, PassHeader, PassKind, PassState
from memgit.model.passes import NOTHING_SEEN, Inspection, Outcome
from memgit.model.store import ABSENT, StoreContent, StoreFile
from memgit.rulings.case import TRIVIA
from memgit.rulings.standing import NEEDS_APPROVAL, balance, is_decidable, is_question, recurring, standing
from memgit.text.layout import counted

if TYPE_CHECKING:
    from memgit.model.session import LiveSession
    from memgit.ports.vault import VaultReader

# --- tally ---
# The final word on an adopted audit or prune.

_TOLD = frozenset({PassKind.AUDIT, PassKind.PRUNE, PassKind.SWEEP})


def share(vault: VaultReader, header: PassHeader) -> str:
    """Which changes of a pass its candidate holds, where it does not hold all: ``, 1 of 3 changes (M1)``."""
    changes = [each for each in decisions_of(vault, header.id) if is_decidable(each)]
    held = standing(changes, header.kind)
    if not held:
        return ", none of its changes" if changes else ""
    if len(held) == len(changes):
        return ""
    return f", {len(held)} of {len(changes)} changes ({', '.join(each.id for each in held)})"


def tally(vault: VaultReader, header: PassHeader, before: StoreContent, after: StoreContent) -> tuple[str, ...]:
    """What adopting a pass came to, for those kinds that say so; nothing where its records are not there."""
    data = vault.record(header.id, "decisions.json")
    if header.kind not in _TOLD or data is None:
        return ()
    decisions = records.load_decisions(data)
    done = standing(decisions, header.kind) or decisions
    seen = vault.record(header.id, "inspection.json")
    inspection = records.load(Inspection, seen) if seen else NOTHING_SEEN
    trivia = sum(decision.claim == TRIVIA for decision in done)
    return (balance(before, after, done), *recurring(inspection.appraisals, trivia))


ADOPTABLE = frozenset({PassState.READY, PassState.UNDONE, PassState.UNSAFE})
"""States of a pass whose candidate can become the live store, or be reviewed."""

_DISCARDABLE = ADOPTABLE | {PassState.PLANNED}


def adopt(
    desk: Desk,
    pass_id: str,
    *,
    only: Sequence[str] = (),
    except_: Sequence[str] = (),
    all_: bool = False,
    while_in_use: bool = False,
    remove_most: bool = False,
) -> Done:
    """Make a pass's candidate the live store.

    ``only`` and ``except_`` name decisions by id or range. Raises WrongState if the pass, its approval or a running
    session forbids it, and StoreChanged if the store is not the one that the pass read; then a merge of both waits
    as a new candidate.
    """
    with at_work(desk, f"adopt {pass_id}") as notes:
        live = desk.store.read()
        by_hand = recognise(desk, live)
        if by_hand and by_hand.operation and by_hand.operation.pass_id == desk.vault.pass_header(pass_id).id:
            return replace(by_hand, notes=(*notes, *by_hand.notes))
        observe(desk.vault, live, fingerprint(live))
        header = in_state(desk, pass_id, ADOPTABLE, "adopted")
        refuse_unsaved(desk, header.id)
        if not while_in_use:
            _refuse_in_use(desk.sessions())
        header = _approved(desk, take_hand_edits(desk, header), only, except_, all_)
        done = _adopt(desk, header, live, remove_most=remove_most)
        return replace(done, notes=(*notes, *done.notes))


def _adopt(desk: Desk, header: PassHeader, live: StoreContent, *, remove_most: bool) -> Done:
    assert header.candidate is not None
    base = base_of(desk, header, live)
    content = candidate_of(desk, header, base, live)
    if not only_as_decided(base, live, content):
        if not changes(base, live).only_stamped:
            raise _offer_merge(desk, header, base, live)
        content = _with_stamps(content, base, live)
    files.refuse_collisions(content, apart=live.files)
    if not remove_most:
        refuse_removing_most(desk, header, base)
    change = Change(
        kind=OpKind.ADOPT,
        subject=f"adopt {header.id}",
        after=newest(desk),
        pass_id=header.id,
        commit=header.candidate,
        headers=(HeaderChange(header.id, PassState.ADOPTED),),
        removes=tuple(own_paths(desk, header)),
    )
    done = carry_out(desk, change, live, content)
    notes = (*done.notes, *tally(desk.vault, header, base, content), *_left_open(desk, header), *_read_again(desk))
    sizes = " -> ".join(f"{len(memories(each))}" for each in (base, content))
    return replace(done, did=f"Adopted pass {header.id}{share(desk.vault, header)}: {sizes} memories.", notes=notes)


def _left_open(desk: Desk, header: PassHeader) -> Iterator[str]:
    """That questions of a pass go with it unanswered, and how they can be answered all the same."""
    if questions := sum(is_question(each) for each in decisions_of(desk.vault, header.id)):
        review = said_of(desk, f"memgit review {header.id}")
        yield f"{counted(questions, 'question')} of it left open: take it back, and `{review}` asks them."


def only_as_decided(base: StoreContent, live: StoreContent, content: StoreContent) -> bool:
    """Whether the store is as the pass read it, but for files that hold already what the candidate gives them: such as
    an index behind a link, where only the user can put the text that was decided."""
    if fingerprint(live) == fingerprint(base):
        return True
    paths = {*base.files, *live.files}
    as_known = all(_is(live, path, base) or _is(live, path, content) for path in paths)
    return live.exists and base.exists and as_known


def _with_stamps(content: StoreContent, base: StoreContent, live: StoreContent) -> StoreContent:
    """The candidate with what the client has only restamped since, wherever the pass changes nothing."""
    kept = {path: live.files[path] for path in content.files if path in live.files and _is(content, path, base)}
    return replace(content, files={**content.files, **kept})


def _is(live: StoreContent, path: str, other: StoreContent) -> bool:
    one, wanted = live.files.get(path), other.files.get(path)
    if one is None or wanted is None:
        return one is wanted
    return (one.data, one.mode) == (wanted.data, wanted.mode)


def _read_again(desk: Desk) -> tuple[str, ...]:
    """The agent reads the index once, at its start; the session that adopts is told that it is another one now."""
    if not desk.caller:
        return ()
    store = desk.store.resolution
    shape = shape_named(store.shape)
    if not shape.opening:
        return (f"Read the memories of {store.path} again: this session still has the old ones.",)
    old = "the old index" if shape.indexed else "the old text"
    return (f"Read {desk.live}/{shape.opening} again: this session still has {old}.",)


def discard(desk: Desk, pass_id: str) -> Done:
    """Put a pass away: its candidate, report and digests go from beside the store; the vault keeps them."""
    with at_work(desk, f"discard {pass_id}") as notes:
        live = desk.store.read()
        observe(desk.vault, live, fingerprint(live))
        header = take_hand_edits(desk, in_state(desk, pass_id, _DISCARDABLE, "discarded"))
        change = Change(
            kind=OpKind.DISCARD,
            subject=f"discard {header.id}",
            after=newest(desk),
            pass_id=header.id,
            headers=(HeaderChange(header.id, PassState.DISCARDED),),
            removes=tuple(own_paths(desk, header)),
        )
        done = carry_out(desk, change, live, live)
        return replace(done, did=f"Discarded pass {header.id}; it can be brought back.", notes=(*notes, *done.notes))


# --- what forbids it ---


def in_state(desk: Desk, pass_id: str, allowed: frozenset[PassState], verb: str) -> PassHeader:
    """The pass, if it is in one of these states. Raises WrongState naming why it cannot be ``verb``."""
    if not pass_id.strip():
        raise WrongState(f"A dry run has no id and cannot be {verb}.", "Run the pass again, not as a dry run.")
    header = desk.vault.pass_header(pass_id)
    if header.state not in allowed:
        raise WrongState(f"Pass {header.id} is {header.state} and cannot be {verb}.", _remedy(header.state))
    return header


def _remedy(state: PassState) -> str:
    match state:
        case PassState.PLANNED:
            return "Hand in its decisions with `memgit decide`, or run `memgit curate`."
        case PassState.ADOPTED | PassState.DISCARDED:
            return "`memgit undo` takes the last decision back; `memgit log --ops` lists them all."
        case PassState.CLOSED:
            return "There was nothing in it to take or to ask, or a newer pass took its place: see `memgit log`."
        case PassState.MERGED:
            return "Its changes are in a newer candidate: see `memgit log`."
        case _:
            return "`memgit log` shows where every pass stands."


def _refuse_in_use(sessions: Sequence[LiveSession]) -> None:
    if not sessions:
        return
    first = sessions[0]
    more = f" and {len(sessions) - 1} more" if len(sessions) > 1 else ""
    raise WrongState(
        f"An agent session is running on this store: {printable(first.session)} (process {first.pid}){more}.",
        "End it first, or adopt with --while-in-use; it must then read the index again.",
    )


def _approved(desk: Desk, header: PassHeader, only: Sequence[str], without: Sequence[str], all_: bool) -> PassHeader:
    if only or without or (all_ and desk.vault.record(header.id, "plan.json")):
        return desk.narrow(desk, header, only, without)
    refuse_unapproved(desk, header, all_=all_)
    return header


def refuse_unapproved(desk: Desk, header: PassHeader, *, all_: bool) -> None:
    """Raise WrongState for a pass of a kind that somebody has to approve, where nobody has."""
    if header.kind in NEEDS_APPROVAL and not all_ and not _was_approved(desk, header):
        raise WrongState(
            f"Nobody has approved pass {header.id} ({header.kind}).",
            f"Approve it with `memgit approve {header.id} …`, or adopt with --only, or all of it with --all.",
        )


def _was_approved(desk: Desk, header: PassHeader) -> bool:
    """Whether some decision of a pass stands approved; rejecting or deferring approves nothing."""
    return bool(standing(decisions_of(desk.vault, header.id), header.kind))


def refuse_removing_most(desk: Desk, header: PassHeader, base: StoreContent) -> None:
    dropped, had = desk.drops(header), sum(is_memory_of(base, file) for file in base.files.values())
    if 2 * dropped > had:
        raise WrongState(
            f"Pass {header.id} would remove {dropped} of {had} memories.",
            "Look at them with `memgit show`; if that is meant, adopt with --yes-remove-most.",
        )


# --- edits in the candidate folder ---


def take_hand_edits(desk: Desk, header: PassHeader) -> PassHeader:
    """Make what a person changed in the candidate's folder a revision of it; returns the header after that."""
    content = edited_by_hand(desk, header)
    if content is None or header.candidate is None:
        return header
    what = changes(desk.vault.content(header.candidate, like=content), content).sentence()
    subject = f"edited by hand: {what}" if len(what) < 55 else "edited by hand"
    with desk.vault.transaction(OpKind.REVISION, subject, pass_id=header.id) as transaction:
        message = f"{subject}\n\n{desk.vault.message(header.candidate)}"
        commit = transaction.put_candidate(header.id, content, message, header.candidate)
        header = replace(header, candidate=commit)
        transaction.put_header(header)
    return header


def edited_by_hand(desk: Desk, header: PassHeader) -> StoreContent | None:
    """What a candidate's folder holds where a person has changed it; None where nobody has. Raises WrongState for what
    no store takes in."""
    folder = Path(header.paths.candidate)
    if header.candidate is None or not owns_its_folder(desk, header) or not folder.is_dir():
        return None
    content = desk.installer.read(folder)
    recorded = desk.vault.content(header.candidate, like=content)
    refuse_foreign(
        content,
        (recorded,),
        f"The folder {folder} of pass {header.id} holds",
        "Make it an ordinary file there (no link, no program), or take it out, then run the command again.",
    )
    return None if fingerprint(content) == fingerprint(recorded) else content


# --- a store that has moved ---


def merge(desk: Desk, pass_id: str) -> Done:
    """Make a new candidate of a pass's candidate and what the live store has become since the pass read it.

    Raises WrongState if the store has not changed, or the pass is in no state for it.
    """
    with at_work(desk, f"merge {pass_id}") as notes:
        header = in_state(desk, pass_id, ADOPTABLE, "merged")
        refuse_unsaved(desk, header.id)
        header = take_hand_edits(desk, header)
        live = desk.store.read()
        observe(desk.vault, live, fingerprint(live))
        base = base_of(desk, header, live)
        if fingerprint(live) == fingerprint(base):
            raise WrongState(
                f"The store is as pass {header.id} read it; there is nothing to merge.",
                f"`memgit adopt {header.id}` puts its candidate in place.",
            )
        new, sentence = _merge(desk, header, base, live)
        return Done(sentence, said_of(desk, f"memgit discard {new.id}"), desk.vault.head(), notes=notes)


def candidate_of(desk: Desk, header: PassHeader, base: StoreContent, live: StoreContent) -> StoreContent:
    """A pass's candidate. Raises WrongState if it would bring what the store does not have and no pass makes, however
    that came into it."""
    assert header.candidate is not None
    content = desk.vault.content(header.candidate, like=live)
    remedy = f"Put it away with `memgit discard {header.id}`, then run the pass again."
    refuse_foreign(content, (live, base), f"The candidate of pass {header.id} holds", remedy)
    return content


def base_of(desk: Desk, header: PassHeader, live: StoreContent) -> StoreContent:
    """The store as a pass read it."""
    return desk.vault.content(header.snapshot, like=live) if header.snapshot else ABSENT


def _offer_merge(desk: Desk, header: PassHeader, base: StoreContent, live: StoreContent) -> StoreChanged:
    """Keep the merge as a new candidate and return the error that says so."""
    new, sentence = _merge(desk, header, base, live)
    return StoreChanged(
        f"The store has changed since pass {header.id} read it ({changes(base, live).sentence()}). {sentence}",
        f"Look at it with `memgit show {new.id}`, then run `memgit adopt {new.id}`.",
    )


def _merge(desk: Desk, header: PassHeader, base: StoreContent, live: StoreContent) -> tuple[PassHeader, str]:
    """The pass that holds both, laid out in place of the old one, and what it came to in a sentence."""
    assert header.candidate is not None
    before, gone = newest(desk), tuple(own_paths(desk, header))
    merged = merge3(base, live, candidate_of(desk, header, base, live))
    new, out = _keep_merge(desk, header, merged, (base, live))
    subject = f"lay out {new.id}"
    with announced(desk, Change(OpKind.PASS, subject, before, header.id, removes=gone, lays_out=(new.id,))):
        pass  # it is recorded already
    conflicts = ", ".join(printable_name(conflict.path) for conflict in merged.conflicts)
    named = f" In conflict, left as the store has them: {conflicts}." if conflicts else ""
    named += f" Left out for it: {', '.join(out)}." if out else ""
    return new, f"A merge of both waits as pass {new.id}.{named}"


def _keep_merge(
    desk: Desk, header: PassHeader, merged: Merged, changed: tuple[StoreContent, StoreContent]
) -> tuple[PassHeader, tuple[str, ...]]:
    """The new pass, and which decisions are not in it because the store has changed their memories meanwhile."""
    head, (base, live) = desk.vault.head(), changed
    assert head is not None
    assert head.store is not None
    assert header.candidate is not None
    report = merge_report(
        header.id, changes(base, live), merged.conflicts, report_of(desk.vault.message(header.candidate))
    )
    subject, paths = f"merge {header.id} with the store as it is now", desk.free_paths()
    outcome, content = _carried_over(desk, header, merged, base, live)
    with desk.vault.transaction(OpKind.PASS, subject, pass_id=header.id) as transaction:
        new_id = transaction.new_pass_id()
        trailers = {"Pass": new_id, "Kind": header.kind, "Merge-Of": header.id, "Base": head.store, "Unsafe": "no"}
        commit = transaction.put_candidate(new_id, content, message(subject, report, trailers), head.store)
        new = replace(
            header, id=new_id, state=PassState.READY, time=desk.clock(), snapshot=head.store, candidate=commit,
            paths=paths, summary=subject,
        )  # fmt: skip
        transaction.put_header(new)
        if outcome is not None:
            plan = replace(outcome.plan, id=new_id, time=new.time, snapshot=head.store, paths=paths, input="")
            outcome = with_commands(replace(outcome, plan=plan, state=new.state, candidate=commit))
            keep_outcome(transaction, outcome)
            for name, data in _merged_records(desk, header, outcome).items():
                transaction.put_record(new_id, name, data)
        transaction.put_header(replace(header, state=PassState.MERGED))
    out = (each.id for each in outcome.decisions if each.refused_by is FactName.STORE_CHANGED) if outcome else ()
    return new, tuple(out)


def _carried_over(
    desk: Desk, header: PassHeader, merged: Merged, base: StoreContent, live: StoreContent
) -> tuple[Outcome | None, StoreContent]:
    """The decisions of a pass on the store as it is now, each with its files merged into what they have become, and the
    candidate of those; no decisions where the pass has none on record, or its candidate is merged by the row."""
    if is_summaries(live) or desk.vault.record(header.id, "plan.json") is None:
        return None, merged.content
    try:
        outcome = kept_outcome(desk.vault, header)
    except WrongState:  # its record is not complete: the merge holds what the candidate held, taken whole
        return None, merged.content
    held = held_by(desk, header, outcome, base)
    mark = fingerprint(live)
    plan = replace(outcome.plan, fingerprint=mark, memories=len(memories(live)), status=status(live))
    decisions = tuple(_on_store(each, base, live) for each in outcome.decisions)
    outcome = replace(outcome, plan=plan, decisions=decisions, fingerprint_after=mark)
    if held.by_hand:
        return outcome, merged.content
    return outcome, built(outcome, decisions, live, from_frontmatter=held.from_frontmatter)


def _on_store(decision: Decision, base: StoreContent, live: StoreContent) -> Decision:
    """One decision on the store as it is now; refused where the store has changed the same lines."""
    if not decision.changes:
        return decision
    writes = _merged_files(decision, decision.writes, base, live)
    unlinked = _merged_files(decision, {**decision.writes, **decision.unlinked}, base, live)
    if writes is None or unlinked is None:
        names = ", ".join(map(printable_name, decision.memories))
        return replace(
            decision, standing=Standing.REFUSED, refused_by=FactName.STORE_CHANGED, writes={}, removes=frozenset(),
            unlinked={}, refusal=f"The store has changed {names} otherwise since the pass read it.",
        )  # fmt: skip
    return replace(decision, writes=writes, unlinked={path: unlinked[path] for path in decision.unlinked})


def _merged_files(
    decision: Decision, writes: Mapping[str, bytes], base: StoreContent, live: StoreContent
) -> Mapping[str, bytes] | None:
    """What a decision writes, with what the store has changed in the same files; None where the two do not go
    together."""
    paths = {*writes, *decision.removes}

    def those_of(content: StoreContent) -> StoreContent:
        files = {path: file for path, file in content.files.items() if path in paths}
        return StoreContent(files, indexed=False)

    own = those_of(base)
    files = {path: file for path, file in own.files.items() if path not in decision.removes}
    files |= {path: (own.files.get(path) or StoreFile(path, b"")).holding(data) for path, data in writes.items()}
    merged = merge3(own, those_of(live), replace(own, files=files))
    if merged.conflicts or not set(writes) <= set(merged.content.files):
        return None
    return {path: merged.content.files[path].data for path in writes}


def _merged_records(desk: Desk, header: PassHeader, outcome: Outcome) -> Mapping[str, bytes]:
    """What the new pass has of the one that was merged."""
    kept = {name: desk.vault.record(header.id, name) for name in ("prose.jsonl", "look.json", "round.json")}
    was = json.loads(desk.vault.record(header.id, "pass.json") or b"{}")
    record = pass_json(outcome) | {"verification": was.get("verification", {}), "merge_of": header.id}
    own = {"plan.json": records.dump_plan(outcome.plan), "pass.json": json.dumps(record).encode()}
    return own | {name: data for name, data in kept.items() if data is not None}
