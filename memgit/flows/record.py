"""What a pass keeps: its snapshot, plan, frozen prose, replies, decisions and candidate; and where it puts files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files
from memgit.core.passes import records
from memgit.core.passes.message import commit_message, report_of
from memgit.core.passes.records import batch_file, digest_json
from memgit.core.seam.brief import DECIDE_BRIEF, brief, decide_brief
from memgit.core.seam.look_brief import look_brief, part_brief, part_file
from memgit.errors import MemgitError, WrongState
from memgit.evidence.findings import mask
from memgit.flows.candidate import header_of, keep_outcome, kept_outcome, with_commands
from memgit.flows.desk import Change, announced, newest, own_paths
from memgit.flows.observe import observe
from memgit.flows.recovery import at_work
from memgit.memory.fingerprint import fingerprint
from memgit.memory.memory import memories
from memgit.model.decision import MinerReply
from memgit.model.history import OpKind, PassHeader, PassKind, PassState, Paths
from memgit.model.passes import Look, Outcome, Plan, Round
from memgit.rulings import rejections
from memgit.rulings.standing import is_untouched

if TYPE_CHECKING:
    from memgit.core.seam.brief import Pair
    from memgit.flows.desk import Desk
    from memgit.model.decision import Candidate, Proposal
    from memgit.model.store import Memory, StoreContent
    from memgit.ports.vault import Vault

DRY_RUN_MARK = "dry-run"
"""File that marks a digest folder as a dry run's: no pass owns it, so the next run may take its name."""


@dataclass(frozen=True)
class PassBook:
    """Keeps passes. ``vault`` opens the vault, making it when it is first needed.

    ``beside`` is the path that the names of a pass's files are derived from: the live store's real
    path, or a path in the vault's folder for a store that lies inside a project. ``recover`` finishes
    what an earlier command left cut short and returns sentences on it. ``desk`` is where a candidate is revised.
    """

    vault: Callable[[], Vault]
    beside: Path
    recover: Callable[[], tuple[str, ...]]
    desk: Callable[[], Desk]
    _read: dict[str, StoreContent] = field(default_factory=dict, repr=False, compare=False)
    """Snapshots in hand: several steps of a pass ask for its own, and a commit never changes."""

    # --- planning ---

    def open_on(self, plan: Plan) -> Outcome | None:
        """The pass that waits on the same input, which another would only repeat; None where there is none, or where
        a batch failed in it: another try may read that."""
        for header in self._waiting():
            if header.state is PassState.READY and self._is_on(header, plan):
                kept = kept_outcome(self.vault(), header)
                if any(reply.failure for reply in kept.replies):
                    return None
                report = report_of(self.vault().message(header.candidate or ""))
                return with_commands(replace(kept, report=report, fingerprint_after=plan.fingerprint))
        return None

    def planned_on(self, plan: Plan) -> Plan | None:
        """The pass that is planned on the same input and still waits for its host; None where there is none."""
        for header in self._waiting():
            if header.state is PassState.PLANNED and self._is_on(header, plan):
                found = self._plan(header)
                if Path(found.paths.digests).is_dir():
                    return found
        return None

    def _is_on(self, header: PassHeader, plan: Plan) -> bool:
        """Whether a pass looks at the same as a plan. A merge with a store that had moved keeps no plan of its own."""
        if header.kind is not plan.kind or not self.vault().record(header.id, "plan.json"):
            return False
        return bool(plan.input) and self._plan(header).input == plan.input

    def has_touched(self, kind: PassKind) -> bool:
        """Whether a pass of a kind waits on which somebody works: another beside it would only be in the way."""
        return any(header.kind is kind and not self._is_untouched(header) for header in self._waiting())

    def _waiting(self) -> list[PassHeader]:
        """The passes that nobody has decided on, newest first."""
        return [header for header in self.vault().passes() if header.state.waits]

    def open_pass(self, plan: Plan, content: StoreContent) -> Plan:
        """Snapshot the store, then keep the plan with its frozen prose."""
        vault = self.vault()
        with vault.lock("plan a pass"):
            snapshot = observe(vault, content, plan.fingerprint)
            replaced = self._untouched(plan.kind)
            plan = replace(plan, notes=(*plan.notes, *_still_waiting(vault, replaced)))
            with vault.transaction(OpKind.PLAN, f"{plan.kind} planned") as change:
                plan = replace(plan, id=change.new_pass_id(), snapshot=snapshot, paths=self.free_paths())
                with _said_where(folder := Path(plan.paths.digests)):  # where nothing can be written, none is begun
                    files.remove_tree(folder)
                    files.make_private_folder(folder)
                change.put_header(header_of(plan, PassState.PLANNED))
                change.put_record(plan.id, "plan.json", records.dump_plan(plan))
                change.put_record(plan.id, "prose.jsonl", records.dump_digests(plan.digests))
                for former in replaced:
                    change.put_header(replace(former, state=PassState.CLOSED))
            for former in replaced:
                _clear_away(former)
        return plan

    def _untouched(self, kind: PassKind) -> list[PassHeader]:
        """The waiting passes of a kind that a new one takes the place of: nobody has judged them, answered them, edited
        them, or is about to decide them."""
        return [header for header in self._waiting() if header.kind is kind and self._is_untouched(header)]

    def _is_untouched(self, header: PassHeader) -> bool:
        data = self.vault().record(header.id, "decisions.json")
        if header.state is PassState.PLANNED or data is None or self.vault().record(header.id, "round.json"):
            return False
        return is_untouched(records.load_decisions(data)) and not _is_edited(self.desk(), header)

    def free_paths(self) -> Paths:
        """Names beside the store that nothing has, all three with the same number."""
        number = 1
        with _said_where(self.beside.parent):
            while any(map(_taken, self._paths(number))):
                number += 1
        return Paths(*map(str, self._paths(number)))

    def _paths(self, number: int) -> tuple[Path, Path, Path]:
        stem = f"{self.beside.name}-candidate" + (f"-{number}" if number > 1 else "")
        candidate, report, digests = (
            self.beside.with_name(stem + end) for end in ("", "-REPORT.md", "-session-digest")
        )
        return candidate, report, digests

    def write_digests(self, plan: Plan) -> None:
        """One file per batch for its miner, readable by their owner only."""
        folder = Path(plan.paths.digests)
        with _said_where(folder):
            self._write_digests(plan, folder)

    def _write_digests(self, plan: Plan, folder: Path) -> None:
        files.remove_tree(folder)  # a dry run's, or nothing: ``free_paths`` chose the name
        files.make_private_folder(folder)
        if not plan.id:
            files.write_atomic(folder / DRY_RUN_MARK, b"")
        for digest in plan.digests:
            text = json.dumps(digest_json(plan.id, digest), ensure_ascii=False, indent=1)
            files.write_atomic(folder / batch_file(digest.number), text.encode())

    def drop_digests(self, plan: Plan) -> None:
        """Take the digests of a dry run away again, for a pass that nobody mines."""
        if not plan.id:
            files.remove_tree(Path(plan.paths.digests))

    def write_report(self, outcome: Outcome) -> None:
        """The report of a dry run that is too long to be printed."""
        files.write_atomic(Path(outcome.plan.paths.report), outcome.report.encode())

    # --- the seam ---

    def write_briefs(self, plan: Plan) -> None:
        """What a host's miner reads before its digest, one file per batch, and what its decider reads."""
        store = memories(self.snapshot(plan))
        for name, text in _briefs(plan, store):
            self._write_brief(plan, name, text)

    def write_decide_brief(self, plan: Plan, candidates: Sequence[Candidate]) -> None:
        """What a host's decider reads, with the candidates that there are by now."""
        self._write_brief(plan, DECIDE_BRIEF, decide_brief(plan, memories(self.snapshot(plan)), candidates))

    def _write_brief(self, plan: Plan, name: str, text: str) -> None:
        masked = mask(text, personal_too=plan.mask_personal).text
        files.write_atomic(Path(plan.paths.digests) / name, masked.encode())

    def open_look(self, plan: Plan, look: Look, parts: Sequence[Sequence[Memory]], pairs: Sequence[Pair]) -> None:
        """Keep what memgit saw by itself, and write what a host reads that takes part in an audit or a prune: one
        brief, and one for each part of a store that is too large for one reader."""
        vault = self.vault()
        with (
            vault.lock("keep a look"),
            vault.transaction(OpKind.PLAN, f"what memgit saw for {plan.id}", pass_id=plan.id) as change,
        ):
            change.put_record(plan.id, _LOOK, records.dump(look))
        briefs = {DECIDE_BRIEF: look_brief(plan, look, memories(self.snapshot(plan)), pairs)}
        if look.parts > 1:
            numbered = enumerate(parts, start=1)
            briefs |= {part_file(number): part_brief(plan, look, number, part, pairs) for number, part in numbered}
        for name, text in briefs.items():
            masked = mask(text, personal_too=plan.mask_personal).text
            files.write_atomic(Path(plan.paths.digests) / name, masked.encode())

    def look(self, plan: Plan) -> Look:
        """What memgit saw by itself when an audit or a prune was planned."""
        return records.load(Look, self._record(plan.id, _LOOK))

    def load(self, pass_id: str) -> Plan:
        """The plan of a pass that waits for decisions, by id or prefix. Raises WrongState for any other."""
        found = self.vault().pass_header(pass_id)
        if found.state is not PassState.PLANNED:
            raise WrongState(f"Pass {found.id} is {found.state}, not planned.", "`memgit log` shows every pass.")
        return self._plan(found)

    def load_open(self, pass_id: str) -> tuple[Plan, tuple[Proposal, ...]]:
        """The plan of a pass that a host may decide on, and what it handed in before: one that is planned, or one that
        it has decided on and may come back to. Raises WrongState for any other."""
        found = self.vault().pass_header(pass_id)
        if found.state is PassState.PLANNED:
            return self._plan(found), ()
        data = self.vault().record(found.id, _ROUND)
        if found.state is not PassState.READY or data is None:
            raise WrongState(f"Pass {found.id} is {found.state}, not planned.", "`memgit log` shows every pass.")
        last = records.load(Round, data)
        decisions = records.load_decisions(self._record(found.id, "decisions.json"))
        if last.final or not is_untouched(decisions):
            who = "A person has answered" if not is_untouched(decisions) else "The host has said its last word on"
            raise WrongState(
                f"{who} pass {found.id}.",
                f"`memgit review {found.id}` and `memgit approve {found.id}` go on from there.",
            )
        return replace(self._plan(found), paths=found.paths), last.proposals

    def _plan(self, found: PassHeader) -> Plan:
        digests = records.load_digests(self._record(found.id, "prose.jsonl"))
        return records.load_plan(self._record(found.id, "plan.json"), digests)

    def keep_replies(self, plan: Plan, replies: Sequence[MinerReply]) -> tuple[MinerReply, ...]:
        """Keep what miners returned, and return all that is kept; a batch handed in again replaces its reply."""
        vault = self.vault()
        with vault.lock("propose"):
            kept = {reply.batch: reply for reply in (*self.replies(plan), *replies)}
            merged = tuple(kept[batch] for batch in sorted(kept))
            with vault.transaction(OpKind.PLAN, f"candidates for {plan.id}", pass_id=plan.id) as change:
                change.put_record(plan.id, "replies.json", records.dump(merged))
        return merged

    def give_up(self, plan: Plan) -> bool:
        """Put away a pass that broke off while it was only planned; false for one that was decided by then."""
        vault = self.vault()
        with vault.lock("give up a pass"):
            found = vault.pass_header(plan.id)
            if found.state is not PassState.PLANNED:
                return False
            with vault.transaction(OpKind.PLAN, f"give up {plan.id}", pass_id=plan.id) as change:
                change.put_header(replace(found, state=PassState.DISCARDED))
        files.remove_tree(Path(plan.paths.digests))
        return True

    def replies(self, plan: Plan) -> tuple[MinerReply, ...]:
        """What miners have returned so far, by batch."""
        data = self.vault().record(plan.id, "replies.json")
        return records.load(tuple[MinerReply, ...], data) if data else ()

    def snapshot(self, plan: Plan) -> StoreContent:
        """The store exactly as it was when the pass was planned."""
        if plan.snapshot is None:
            raise WrongState("A dry run keeps no snapshot.", "Run the pass without --dry-run.")
        if plan.snapshot not in self._read:
            self._read[plan.snapshot] = self.vault().content(plan.snapshot)
        return self._read[plan.snapshot]

    def _record(self, pass_id: str, name: str) -> bytes:
        data = self.vault().record(pass_id, name)
        if data is None:
            raise WrongState(f"Pass {pass_id} has no {name}.", "Plan a new pass with `memgit plan`.")
        return data

    def rejections(self) -> tuple[rejections.Rejection, ...]:
        """What the user turned down of any pass of this store."""
        vault = self.vault()
        found = (vault.record(header.id, rejections.RECORD) for header in vault.passes())
        return tuple(each for data in found if data for each in rejections.load(data))

    # --- the candidate ---

    def commit_candidate(
        self, outcome: Outcome, content: StoreContent, proposals: Sequence[Proposal] = (), *, final: bool = True
    ) -> Outcome:
        """Commit the candidate with the report as its message, then lay both out beside the store.

        Where a host comes back to its ``proposals`` this is a revision of the candidate. Unless it is ``final`` it may
        do so again.
        """
        plan, desk = outcome.plan, self.desk()
        last = Round(tuple(proposals), final=final)
        with at_work(desk, f"decide {plan.id}"):
            former = desk.vault.pass_header(plan.id)
            if former.candidate:
                return _revise(desk, former, outcome, content, last)
            outcome = _commit(desk.vault, outcome, content, plan.snapshot, last)
            if outcome.state is PassState.CLOSED:
                _clear_away(former)
                return outcome
            with _said_where(Path(plan.paths.candidate), f"; it is recorded all the same as pass {plan.id}"):
                files.build_tree(Path(plan.paths.candidate), content, apart=content.files)
                files.write_atomic(Path(plan.paths.report), outcome.report.encode())
        return outcome

    def mark_unsafe(self, outcome: Outcome) -> Outcome:
        """Keep with the pass that the live store is no longer the one that was curated."""
        outcome = with_commands(replace(outcome, state=PassState.UNSAFE))
        vault, plan = self.vault(), outcome.plan
        with (
            vault.lock("mark a pass"),
            vault.transaction(OpKind.PASS, f"{plan.id} is unsafe", pass_id=plan.id) as change,
        ):
            keep_outcome(change, outcome)
        return outcome


def _revise(desk: Desk, header: PassHeader, outcome: Outcome, content: StoreContent, last: Round) -> Outcome:
    """A revision of a candidate, laid out in place of the former one; one that is cut short is finished later."""
    if not any(own_paths(desk, header)):
        return _commit(desk.vault, outcome, content, header.candidate, last)
    _refuse_hand_edits(desk, header)
    closed = outcome.state is PassState.CLOSED
    change = Change(
        OpKind.PASS,
        f"lay out {header.id}",
        newest(desk),
        header.id,
        removes=tuple(own_paths(desk, header)) if closed else (header.paths.candidate, header.paths.report),
        lays_out=() if closed else (header.id,),
    )
    with announced(desk, change):
        return _commit(desk.vault, outcome, content, header.candidate, last)


def _clear_away(header: PassHeader) -> None:
    """Remove what lies beside the store of a pass that nobody waits for any more; the vault keeps it all."""
    for name in (header.paths.candidate, header.paths.digests):
        files.remove_tree(Path(name))
    files.remove_file(Path(header.paths.report))


def _refuse_hand_edits(desk: Desk, header: PassHeader) -> None:
    """A host must not undo what a person has changed in the candidate's folder meanwhile."""
    if _is_edited(desk, header):
        raise WrongState(
            f"The candidate of pass {header.id} was edited in {header.paths.candidate}.",
            f'`memgit approve {header.id} "approve all"` takes the edits along; then the host is done.',
        )


def _is_edited(desk: Desk, header: PassHeader) -> bool:
    """Whether somebody has changed a candidate where it lies beside the store."""
    folder = Path(header.paths.candidate)
    if header.candidate is None or not folder.is_dir():
        return False
    found = desk.installer.read(folder)
    return fingerprint(found) != fingerprint(desk.vault.content(header.candidate, like=found))


def _commit(vault: Vault, outcome: Outcome, content: StoreContent, parent: str | None, last: Round) -> Outcome:
    plan = outcome.plan
    assert parent is not None
    with vault.transaction(OpKind.PASS, f"{plan.kind} {plan.id}", pass_id=plan.id) as change:
        commit = change.put_candidate(plan.id, content, commit_message(outcome), parent)
        outcome = with_commands(replace(outcome, candidate=commit))
        keep_outcome(change, outcome)
        change.put_record(plan.id, rejections.RECORD, rejections.dump(()))
        change.put_record(plan.id, _ROUND, records.dump(last))
    return outcome


@contextmanager
def _said_where(path: Path, further: str = "") -> Iterator[None]:
    """A disk that is full or may not be written is no fault of memgit: it is named with the remedy."""
    try:
        yield
    except OSError as error:
        raise MemgitError(
            f"{path} cannot be written: {error.strerror}{further}.",
            "Make room there, or make its folder writable, then run the pass again; the store was not touched.",
        ) from error


def _still_waiting(vault: Vault, replaced: Sequence[PassHeader]) -> tuple[str, ...]:
    """A sentence for each earlier pass that nobody has decided on, but for those that this one takes the place of."""
    gone = {header.id for header in replaced}
    ready = (each for each in vault.passes() if each.state is PassState.READY and each.id not in gone)
    return tuple(f"Pass {each.id} still waits for your decision ({each.summary})." for each in ready)


def brief_file(number: int) -> str:
    """The name of a batch's brief in the digests folder."""
    return f"batch-{number:02}-brief.md"


_LOOK = "look.json"
_ROUND = "round.json"


def _taken(path: Path) -> bool:
    return (path.exists() or path.is_symlink()) and not (path / DRY_RUN_MARK).is_file()


def _briefs(plan: Plan, store: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    """The briefs of a curation or a sweep by the names of their files."""
    if plan.kind is not PassKind.SWEEP:
        yield from ((brief_file(digest.number), brief(plan, digest, store)) for digest in plan.digests)
        yield DECIDE_BRIEF, decide_brief(plan, store, ())
        return
    from memgit.core.seam.sweep_brief import mining_task, sweep_brief
    from memgit.core.sweep.filing import filed

    yield from ((brief_file(digest.number), brief(plan, digest, store, mining_task())) for digest in plan.digests)
    yield DECIDE_BRIEF, sweep_brief(plan, filed(store))
