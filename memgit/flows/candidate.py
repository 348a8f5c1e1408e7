"""What a candidate holds: what stands of its pass, and what a person changed in it by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit import files
from memgit.core.passes import records
from memgit.core.passes.message import adopt_line, discard_line, summary
from memgit.core.passes.records import pass_json
from memgit.core.review.dossier import Dossier, Glimpse, NotFound, dossier, safe
from memgit.core.review.state import Answer
from memgit.errors import MemgitError, VaultLocked, WrongState
from memgit.evidence.findings import printable_json, printable_name
from memgit.evidence.quotes import fold
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.merge import merge3
from memgit.model.decision import Approval, Decision, MinerReply, Seen
from memgit.model.passes import Inspection, Outcome, PassHeader, PassState, Plan
from memgit.model.store import ABSENT, INDEX, StoreContent
from memgit.model.verification import Change, Line
from memgit.rulings.approval import Ruling
from memgit.rulings.standing import is_decidable, is_index_repair, is_untouched, standing

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.model.passes import Paths
    from memgit.model.store import Resolution
    from memgit.ports import WorkingTree
    from memgit.ports.vault import Transaction, Vault, VaultReader


@dataclass(frozen=True)
class Held:
    """What a candidate holds, and what its decisions alone make of the store that was read; the two differ where a
    person changed the candidate by hand."""

    content: StoreContent
    built: StoreContent
    from_frontmatter: bool = False

    @cached_property
    def by_hand(self) -> bool:
        return fingerprint(self.content) != fingerprint(self.built)


def held_by(desk: Desk, header: PassHeader, outcome: Outcome, read: StoreContent) -> Held:
    assert header.candidate is not None
    content = desk.vault.content(header.candidate)
    own, derived = (
        Held(content, built(outcome, outcome.decisions, read, from_frontmatter=way), way) for way in (False, True)
    )
    return derived if own.by_hand and not derived.by_hand else own


def of_decisions(held: Held, outcome: Outcome, decided: Sequence[Decision], read: StoreContent) -> StoreContent:
    """The store that results from what stands now, with what a person changed in the candidate by hand."""
    decided_on = built(outcome, decided, read, from_frontmatter=held.from_frontmatter)
    if not held.by_hand:
        return decided_on
    merged = merge3(held.built, held.content, decided_on)
    if merged.conflicts:
        named = ", ".join(printable_name(conflict.path) for conflict in merged.conflicts)
        raise WrongState(
            f"These were changed by hand in the candidate, and the ruling would change them again: {named}.",
            "Put them back in the candidate's folder, or adopt the candidate as it is with --all.",
        )
    return merged.content


def built(
    outcome: Outcome, decisions: Sequence[Decision], read: StoreContent, *, from_frontmatter: bool
) -> StoreContent:
    """What a candidate of these decisions holds. The index is rebuilt only where something stands."""
    chosen = [each for each in decisions if each.stands]
    if not is_untouched(decisions):
        stands = {each.id for each in standing(decisions, outcome.plan.kind)}
        chosen = [
            each for each in decisions if each.id in stands or (stands and each.changes and not is_decidable(each))
        ]
        if not chosen:
            return read
    time_ns = int(outcome.plan.time.timestamp()) * 1_000_000_000
    repair = all(each.id in {one.id for one in chosen} for each in decisions if is_index_repair(each))
    return apply(read, chosen, time_ns=time_ns, from_frontmatter=from_frontmatter, repair_index=repair)


# --- handing over ---
# What a person runs to adopt a candidate, or to put it away.


def commands(
    pass_id: str, store: Resolution, paths: Paths, *, safe: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What to run to adopt and to discard: memgit's own command first, then the same for a plain shell.

    A pass that is not ``safe`` has nothing to adopt; a store that is no folder is adopted into by memgit alone.
    """
    adopt_, discard_ = (store.said(f"memgit {verb} {pass_id}") for verb in ("adopt", "discard"))
    if not store.is_folder:
        return (adopt_,) if safe else (), (discard_,)
    live = Path(os.path.realpath(store.path))
    aside = Path(paths.candidate).with_name(f"{live.name}-superseded")
    superseded = str(files.free_name(aside)) if live.is_dir() else None
    adopt = [adopt_]
    if not (live / INDEX).is_symlink():  # moving folders would put a file in its place
        kept = live.iterdir() if live.is_dir() else ()  # what other tools keep there goes along
        carried = sorted(each.name for each in kept if each.name.startswith(".") and each.is_dir())
        adopt.append(adopt_line(str(live), paths.candidate, superseded, carried))
    return tuple(adopt) if safe else (), (discard_, discard_line(paths))


# --- kept ---
# A decided pass on record: kept as it was decided, and read back.


def header_of(plan: Plan, state: PassState, outcome: Outcome | None = None) -> PassHeader:
    """What the vault shows of a pass without reading its records."""
    return PassHeader(
        id=plan.id,
        kind=plan.kind,
        mode=plan.mode,
        state=state,
        time=plan.time,
        snapshot=plan.snapshot,
        candidate=outcome.candidate if outcome else None,
        paths=plan.paths,
        summary=summary(outcome) if outcome else "",
    )


def with_commands(outcome: Outcome) -> Outcome:
    """Add the commands that adopt (none, when unsafe) and that discard."""
    plan, safe = outcome.plan, outcome.state is not PassState.UNSAFE
    adopt, discard = commands(plan.id, plan.store, plan.paths, safe=safe)
    return replace(outcome, adopt=adopt, discard=discard)


def keep_outcome(change: Transaction, outcome: Outcome) -> None:
    """The machine-readable record of a decided pass: what ``memgit show`` prints, and the decisions whole."""
    plan, seen = outcome.plan, replace(outcome.inspection, notes=outcome.notes)
    change.put_header(header_of(plan, outcome.state, outcome))
    change.put_record(plan.id, "pass.json", printable_json(json.dumps(pass_json(outcome), ensure_ascii=False)).encode())
    change.put_record(plan.id, "decisions.json", records.dump(outcome.decisions))
    change.put_record(plan.id, "replies.json", records.dump(outcome.replies))
    change.put_record(plan.id, "inspection.json", records.dump(seen))


def decisions_of(vault: VaultReader, pass_id: str) -> tuple[Decision, ...]:
    """What a pass settled; nothing where it is not decided. Raises Damaged."""
    return records.load_decisions(vault.record(pass_id, "decisions.json") or b"[]")


def kept_outcome(vault: Vault, header: PassHeader) -> Outcome:
    """A decided pass as its records have it, without verification and report, which follow from the rest.

    Raises WrongState for one that has not all of them.
    """
    found = {name: vault.record(header.id, name) for name in _RECORDS}
    absent = [name for name in _RECORDS if found[name] is None]
    if absent:
        raise WrongState(
            f"The decisions of pass {header.id} cannot be taken one by one: their record is not complete.",
            "Adopt it whole, or run the pass again.",
        )
    plan, prose, decisions, replies, seen = (found[name] or b"" for name in _RECORDS)
    inspection = records.load(Inspection, seen)
    return Outcome(
        plan=replace(records.load_plan(plan, records.load_digests(prose)), paths=header.paths),
        state=header.state,
        decisions=records.load_decisions(decisions),
        replies=records.load(tuple[MinerReply, ...], replies),
        verification={},
        report="",
        candidate=header.candidate,
        fingerprint_after="",
        notes=inspection.notes,
        inspection=inspection,
    )


_RECORDS = ("plan.json", "prose.jsonl", "decisions.json", "replies.json", "inspection.json")

# --- answers ---
# The answers of a review that are not in the candidate yet, kept so that nothing is lost at whatever moment it ends.
#
# Each answer is a line of a file in the vault's own folder, on disk before the next key is read. One revision of the
# candidate is made of all of them when the review ends: a revision for each key would make the operation log
# unreadable, and rebuild and verify the candidate each time. What a review that was cut short has left is taken along
# by the next ``approve``, goes on in the next review, and keeps the candidate from being adopted without it.

FOLDER = "reviews"
"""Folder in memgit's part of the vault; a redaction cleans what is in it."""

_TAKEN_BACK = {"taken_back": True}


@dataclass(frozen=True)
class Answers:
    """The kept answers of one pass, held by this process alone."""

    notebook: files.Notebook

    def all(self) -> tuple[Answer, ...]:
        """What was answered and not taken back, oldest first."""
        return _replayed(self.notebook.lines())

    def keep(self, before: Sequence[Answer], now: Sequence[Answer]) -> None:
        """Bring to disk by what one action changed the answers: one more, or the last one taken back."""
        if len(now) > len(before):
            self.notebook.add(_line(now[-1]))
        elif len(now) < len(before):
            self.notebook.add(json.dumps(_TAKEN_BACK).encode())

    def clear(self) -> None:
        """Forget them: they are in the candidate now."""
        self.notebook.clear()


@contextmanager
def kept(desk: Desk, pass_id: str) -> Iterator[Answers]:
    """Hold the answers of a pass. Raises VaultLocked while another process does."""
    try:
        held = files.Notebook.open(_place(desk, pass_id))
    except files.Taken:
        raise VaultLocked(
            f"Another memgit is ruling on pass {pass_id} at this moment.",
            "End the review that is open elsewhere; its answers are kept.",
        ) from None
    except OSError as error:
        raise MemgitError(
            f"The rulings on pass {pass_id} cannot be kept: {error.strerror}.", "Make room, or mend the disk, say."
        ) from error
    try:
        yield Answers(held)
    finally:
        held.close()


def refuse_unsaved(desk: Desk, pass_id: str) -> None:
    """Raise WrongState where a review was cut short: its answers are not in the candidate."""
    place = _place(desk, pass_id)
    left = _replayed(place.read_bytes().split(b"\n")) if place.is_file() else ()
    if left:
        named = ", ".join(dict.fromkeys(answer.decision for answer in left))
        raise WrongState(
            f"A review of pass {pass_id} has answers that are not in its candidate yet: {named}.",
            f"`memgit review {pass_id}` goes on with it and, when it ends, puts them there.",
        )


def _place(desk: Desk, pass_id: str) -> Path:
    return desk.vault.private / FOLDER / f"{pass_id}.jsonl"


def _line(answer: Answer) -> bytes:
    ruling = answer.ruling
    facts = {"decision": answer.decision, "verdict": ruling.verdict, "edit": ruling.edit, "reason": ruling.reason}
    return json.dumps(facts).encode()


def _replayed(lines: Sequence[bytes]) -> tuple[Answer, ...]:
    """The answers that stand after all lines. One that was cut short as it was written says nothing."""
    standing: list[Answer] = []
    for line in lines:
        match _read(line):
            case Answer() as answer:
                standing.append(answer)
            case Mapping() if standing:
                standing.pop()
            case _:
                pass
    return tuple(standing)


def _read(line: bytes) -> Answer | Mapping[str, Any] | None:
    try:
        facts = json.loads(line)
        if facts == _TAKEN_BACK:
            return _TAKEN_BACK
        verdict = Approval(facts["verdict"])
        return Answer(str(facts["decision"]), Ruling(verdict, str(facts["edit"]), str(facts["reason"])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# --- papers ---
# The papers of a pass: what it decided, what it read, and the dossier of each decision. Reading only.
#
# Everything that shows single decisions (the review, the report page) takes its facts from here.


@dataclass(frozen=True)
class Papers:
    """A decided pass as it is kept: ``outcome`` holds its decisions and frozen prose, ``read`` is the store that it
    read, ``not_found`` what the working tree lacked when the candidate was verified, by memory id."""

    header: PassHeader
    outcome: Outcome
    read: StoreContent
    not_found: Mapping[str, tuple[NotFound, ...]]


def papers(desk: Desk, header: PassHeader) -> Papers:
    """The papers of a pass in any state but planned.

    Raises WrongState for a pass without all its records, Damaged for records that cannot be read.
    """
    outcome = kept_outcome(desk.vault, header)
    record = json.loads(desk.vault.record(header.id, "pass.json") or b"{}")
    read = desk.vault.content(header.snapshot) if header.snapshot else ABSENT
    return Papers(header, outcome, read, dict(_not_found(record)))


def dossier_of(kept: Papers, decision: Decision, tree: Callable[[], WorkingTree]) -> Dossier:
    """The dossier of one decision. The tree is opened only for a decision that cites it, and asked for that alone."""
    cited = [one for one in decision.evidence if isinstance(one, Seen) and one.where.startswith(("tree:", "commit:"))]
    glimpses = {one.where: glimpse(tree(), one) for one in cited}
    lacking = [each for memory in decision.results for each in kept.not_found.get(safe(memory), ())]
    return dossier(decision, kept.read, kept.outcome.plan.digests, glimpses, lacking)


def dossiers(kept: Papers, decisions: Sequence[Decision], tree: Callable[[], WorkingTree]) -> tuple[Dossier, ...]:
    """The dossiers of several decisions, in their order."""
    return tuple(dossier_of(kept, decision, tree) for decision in decisions)


def glimpse(tree: WorkingTree, seen: Seen) -> Glimpse:
    """What the tree shows now at a place that is cited (``tree:<path>:<line>``, ``tree:<path>``, ``commit:<hash>``)."""
    text = tree.text_at(seen.where)
    holds = text is not None and fold(seen.quote) in fold(text)
    kind, _, rest = seen.where.partition(":")
    if kind == "commit":
        return Glimpse(Change(rest, "", safe((text or "").partition("\n")[0])), holds)
    path, _, number = rest.rpartition(":")
    change = tree.since(Line(path, int(number), text)) if text is not None and path and number.isdecimal() else None
    return Glimpse(change, holds)


def _not_found(record: Mapping[str, Any]) -> Iterator[tuple[str, tuple[NotFound, ...]]]:
    for memory, check in record.get("verification", {}).items():
        missing = (NotFound(memory, each["span"], each["reason"], each["hint"]) for each in check["missing"])
        if found := tuple(missing):
            yield memory, found
