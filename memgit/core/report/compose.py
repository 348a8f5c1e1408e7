"""The report of a pass, in Markdown: each change justified and cited, each surviving memory with its verdict.

It is the body of the candidate's commit message and the file beside the candidate, so it is the same for
the same pass, holds no secret and no control character, and whatever comes from outside is fenced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memgit.core.report.outline import memories_section, preflight, unverifiable
from memgit.evidence.findings import mask, printable, printable_name
from memgit.memory.apply import Changes
from memgit.memory.index_edit import drift_of
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT, limits
from memgit.memory.memory import memories
from memgit.memory.merge import Conflict
from memgit.memory.rebuild import hook
from memgit.model.decision import Approval, Decision, Doubt, Evidence, Kind, MinerReply, Said, Seen, Standing
from memgit.model.history import Mode
from memgit.model.passes import IndexChange, Inspection, Outcome
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import Appraisal
from memgit.rulings.standing import is_decidable
from memgit.text.layout import code, counted, fenced, line, quoted

# --- inspection ---
# What a pass saw beside what it decided, in its report.


def classes_section(seen: Inspection) -> Iterator[str]:
    """One line for each memory that was classified: its class, and what was looked at."""
    if seen.appraisals:
        yield "## Classes"
        yield "\n".join(map(_row, seen.appraisals))


def _row(given: Appraisal) -> str:
    by = f" (by the {given.by})" if given.by else ""
    return f"- {code(given.memory)} — **{given.kind}**{by}: {line(given.evidence)}"


def remarks_section(seen: Inspection) -> Iterator[str]:
    """The remarks, each under its own heading; their lines are Markdown already."""
    for remark in seen.remarks:
        yield f"## {remark.title}"
        yield "\n".join(f"- {each}" for each in remark.lines)


# --- index part ---
# What a report says of the index: what was wrong with it, and whether the agent can read all of the new one.

_SHOWN = 20
_LONG_HOOK = 100


def index_section(before: StoreContent, after: StoreContent) -> Iterator[str]:
    """Drift of the old index, size of the new one, and what falls past the end of what the agent loads."""
    index = after.index
    if index is None:
        return
    yield "## Index"
    measured = limits(index.data)
    yield (
        f"The new index has {counted(measured.lines, 'line')} and {measured.units:,} UTF-16 units; the agent reads "
        f"{LINE_LIMIT} lines and {UNIT_LIMIT:,} units."
    )
    if problems := [*_drift(before)]:
        yield "The old index, put right by rebuilding:"
        yield "\n".join(f"- {problem}" for problem in problems)
    if measured.over:
        lost = f"{len(measured.lost):,} lines fall" if len(measured.lost) > 1 else "1 line falls"
        yield f"**Over the limit:** {lost} off; nothing was dropped to make it fit. They are:"
        yield "\n".join(f"- {line(text)}" for text in measured.lost)
        yield measured.remedy
        if measured.units > UNIT_LIMIT:
            yield from _shorter_hooks(memories(after))


def index_change(before: StoreContent, after: StoreContent) -> IndexChange | None:
    """What becomes of the index; None where there is none."""
    if after.index is None or not after.indexed:
        return None
    old, new = limits(before.index_text), limits(after.index_text)
    return IndexChange((old.lines, new.lines), (old.units, new.units), len(new.lost))


def _drift(before: StoreContent) -> Iterator[str]:
    if before.index is None:
        return
    found = drift_of(before)
    for places, what in ((found.dead, "points to {}, which is not there"), (found.doubles, "lists {} a second time")):
        for place in places:  # what it says may stand nowhere else
            yield f"line {place.line} {what.format(code(place.target))}; it says: {code(place.text)}"
    yield from (f"{code(orphan)} was not listed" for orphan in found.orphans)


def _shorter_hooks(store: tuple[Memory, ...]) -> Iterator[str]:
    """The entries from whose descriptions most can be saved."""
    long = sorted((memory for memory in store if len(hook(memory)) > _LONG_HOOK), key=lambda memory: -len(hook(memory)))
    if long:
        yield "Shorter descriptions would help most here:"
        yield "\n".join(f"- {code(memory.id)} ({len(hook(memory))} characters)" for memory in long[:_SHOWN])


def compose(outcome: Outcome, before: StoreContent, after: StoreContent) -> str:
    """The whole report. ``before`` is the store as read, ``after`` the candidate."""
    title, *found = preflight(outcome.plan)
    cold_start = [found.pop()] if outcome.plan.mode is Mode.COLD_START else []
    sections = (
        (title, *cold_start),
        _questions(outcome),
        _decisions(outcome),
        _rejected(outcome),
        _refused(outcome),
        memories_section(outcome, after),
        index_section(before, after),
        classes_section(outcome.inspection),
        remarks_section(outcome.inspection),
        _noticed(outcome.replies),
        _open(outcome),
        _screening(outcome),
        _balance(outcome, before, after),
        ("## How it was found", *found),
        _undo(outcome),
    )
    return "\n\n".join(block for section in sections for block in section) + "\n"


def _questions(outcome: Outcome) -> Iterator[str]:
    """What somebody has to judge: it is not in the candidate until a person takes it."""
    held = [decision for decision in outcome.decisions if decision.standing is Standing.HELD]
    if held:
        yield "## Questions"
        yield "These are not in the candidate. A person takes them, as they are or edited, or turns them down."
    for decision in held:
        yield from entry(decision, outcome)


def _decisions(outcome: Outcome) -> Iterator[str]:
    yield "## Changes"
    changing = [each for each in outcome.decisions if each.changes and each.standing is Standing.TAKEN]
    if not changing:
        yield "None. The candidate is the store as it was, with its index rebuilt."
    for decision in changing:
        yield from entry(decision, outcome)


def entry(decision: Decision, outcome: Outcome) -> Iterator[str]:
    """One decision as paragraphs of the report."""
    yield f"### {decision.kind}: {_title(decision)} ({decision.id})"
    yield "\n".join(_facts(decision, outcome))
    if decision.kind is not Kind.REPAIR:
        for path, data in decision.writes.items():
            yield f"The text of {code(path.removesuffix('.md'))} would be:"
            yield fenced(data.decode("utf-8", "replace"), "markdown")
    for memory, text in decision.dropped_text.items():
        yield f"The text of {code(memory)} that goes, whole (the vault keeps its bytes):"
        yield fenced(text, "markdown")


def _facts(decision: Decision, outcome: Outcome) -> Iterator[str]:
    if any(each.approval is not Approval.PROPOSED for each in outcome.decisions) and is_decidable(decision):
        yield f"**State:** {_state(decision)}"
    yield f"**Result:** {_result(decision)}"
    if decision.asks:
        yield f"**Question:** {line(decision.asks)}"
    yield f"**Justification:** {line(decision.justification)}"
    yield from (f"**Citation:** {_citation(evidence)}" for evidence in decision.evidence)
    yield from (
        f"**Doubt:** {line(doubt.says)}{_about(doubt)} To settle it: {line(doubt.settle)}." for doubt in decision.doubts
    )
    if decision.confirmed:
        yield f"**Confirmed:** {line(decision.confirmed)}"
    yield from (f"**Remark:** {line(remark)}" for remark in decision.remarks)
    if decision.leaves_out:
        yield f"**Left out on purpose:** {', '.join(quoted(text) for text in decision.leaves_out)}"
    for memory in decision.results:
        check = outcome.verification.get(memory)
        if check and check.missing:
            yield f"**Working tree:** {code(memory)} {unverifiable(check)}"


def _about(doubt: Doubt) -> str:
    """The words that a doubt is about, where its sentence does not hold them."""
    return f" ({quoted(doubt.about)})" if doubt.about and line(doubt.about) not in line(doubt.says) else ""


def _state(decision: Decision) -> str:
    """Where a decision stands with the user, once anything of its pass has been answered."""
    match decision.approval:
        case Approval.PROPOSED:
            return "open; nobody has answered it."
        case Approval.REJECTED:
            return f"rejected{f' — {line(decision.reason)}' if decision.reason else ''}; not in this candidate."
        case Approval.DEFERRED:
            return "deferred; not in this candidate."
        case Approval.APPROVED:
            return "approved."


def _title(decision: Decision) -> str:
    names = decision.memories or decision.results
    return " + ".join(line(name) for name in names) or line(decision.claim) or "a candidate"


def _result(decision: Decision) -> str:
    names = ", ".join(code(name) for name in decision.results)
    match len(decision.results):
        case 0:
            return "no memory."
        case 1:
            return f"one memory, {names}."
        case number:
            return f"{number} memories, {names}."


def _citation(evidence: Evidence) -> str:
    match evidence:
        case Said():
            date = f", {evidence.time[:10]}" if evidence.time else ""
            to = f", in answer to {quoted(evidence.answers)}" if evidence.answers else ""
            return f"session {line(evidence.session)[:8]}{date} — {quoted(evidence.quote)}{to}"
        case Seen():
            return f"{code(evidence.where)} — {quoted(evidence.quote)}"


def _rejected(outcome: Outcome) -> Iterator[str]:
    rejected = [decision for decision in outcome.decisions if decision.kind is Kind.REJECT]
    if rejected:
        yield "## Rejected"
        yield "Candidates that whoever decided did not take."
    for decision in rejected:
        yield f"### reject: {_rejected_title(decision)} ({decision.id})"
        yield "\n".join(_rejected_facts(decision))


def _refused(outcome: Outcome) -> Iterator[str]:
    refused = [decision for decision in outcome.decisions if decision.standing is Standing.REFUSED]
    if refused:
        yield "## Refused"
        yield "A fact stands against these. They can be mended and handed in again; nobody overrules a fact."
    for decision in refused:
        yield f"### refused: {decision.kind} {_rejected_title(decision)} ({decision.id})"
        yield f"**Fact:** {decision.refused_by} — {line(decision.refusal)}\n" + "\n".join(_rejected_facts(decision))


def _rejected_title(decision: Decision) -> str:
    return line(decision.claim) or _title(decision)


def _rejected_facts(decision: Decision) -> Iterator[str]:
    about = [*(code(name) for name in decision.candidates), *(code(name) for name in decision.memories)]
    yield f"**Result:** nothing changes{' for ' + ', '.join(about) if about else ''}."
    yield f"**Justification:** {line(decision.justification)}"
    yield from (f"**Citation, as given:** {_citation(evidence)}" for evidence in decision.evidence)


def _noticed(replies: Sequence[MinerReply]) -> Iterator[str]:
    notices = [notice for reply in replies for notice in reply.notices]
    if notices:
        yield "## Noticed, not added"
        yield _list(
            f"session {line(notice.session)[:8]} — {quoted(notice.quote)}: {line(notice.why)}" for notice in notices
        )


def _open(outcome: Outcome) -> Iterator[str]:
    """What the pass did not get to: batches nobody mined, candidates nobody decided on."""
    failed = [reply for reply in outcome.replies if reply.failure]
    if failed:
        yield "## Not mined"
        yield _list(f"Batch {reply.batch}: {line(reply.failure or '')}" for reply in failed)
    settled = {name for decision in outcome.decisions for name in decision.candidates}
    undecided = [one for reply in outcome.replies for one in reply.candidates if one.id not in settled]
    if undecided:
        yield "## Candidates without a decision"
        yield _list(f"{one.id}, {one.intent}: {line(one.claim)}" for one in undecided)


def _screening(outcome: Outcome) -> Iterator[str]:
    findings = dict.fromkeys((*outcome.plan.findings, *outcome.findings))
    if findings:
        yield "## Screening"
        yield "Text that looks like a secret or tries to steer an agent, by place and kind; the text is not repeated."
        yield _list(
            f"{code(found.place)}{f', line {found.line}' if found.line else ''}: {line(found.kind)}"
            for found in findings
        )


def _balance(outcome: Outcome, before: StoreContent, after: StoreContent) -> Iterator[str]:
    old, new = _size(before), _size(after)
    yield "## Balance"
    saved = old[1] - new[1]
    difference = f"{abs(saved):,} bytes {'less' if saved >= 0 else 'more'}"
    yield f"Memories: {old[0]} before, {new[0]} after ({difference} to read)."
    notes = [line(note) for note in outcome.notes]
    if notes:
        yield _list(notes)


def _size(content: StoreContent) -> tuple[int, int]:
    store = memories(content)
    return len(store), sum(len(memory.data) for memory in store)


def _undo(outcome: Outcome) -> Iterator[str]:
    name, said = outcome.plan.id, outcome.plan.store.said
    yield "## What you can do"
    if not name:
        yield "This was a dry run: nothing is kept of it, so nothing of it can be approved or adopted."
        return
    before, after = code(outcome.plan.fingerprint), code(outcome.fingerprint_after)
    if not outcome.unchanged:
        yield f"**Unsafe:** the store changed during this pass ({before} is now {after}). Do not adopt this candidate."
        yield _list(
            (
                f"`{said(f'memgit merge {name}')}` makes a candidate that holds both.",
                f"`{said(f'memgit discard {name}')}` puts it away.",
            )
        )
        return
    yield f"The live store was only read: it was {before} before the pass, and it still is."
    adopt, discard = (code(said(f"memgit {verb} {name}")) for verb in ("adopt", "discard"))
    yield _list(
        (
            f"{adopt} puts the candidate in place; {discard} puts it away.",
            f"`{said('memgit undo')}` takes back whichever of these you did last; every text above stays in the vault.",
        )
    )


def _list(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)


# --- merge report ---
# The report of a candidate that merges a pass with what the live store has become.


def merge_report(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> str:
    """Markdown: what the live store changed, each conflict with both texts, and the changes that the report of pass
    ``merged`` justifies. What that report says of the store, its verdicts and its next steps is no longer true."""
    return "\n".join(_parts(merged, live, conflicts, report)).rstrip() + "\n"


def _parts(merged: str, live: Changes, conflicts: Sequence[Conflict], report: str) -> Iterator[str]:
    yield f"# Pass {merged} merged with the store as it is now\n"
    yield f"Since pass {merged} read the store it has changed: {live.sentence(names=50)}. Those changes are kept.\n"
    if conflicts:
        yield "## Conflicts\n"
        yield "The pass and the store changed each of these differently. The candidate holds the store's text.\n"
    for conflict in conflicts:
        yield f"### `{printable_name(conflict.path)}`\n"
        yield f"In the store:\n\n{_block(conflict.ours)}\n"
        yield f"As pass {merged} would have it:\n\n{_block(conflict.theirs)}\n"
    yield from (f"{section}\n" for section in _sections(report) if section.startswith(_STILL_TRUE))
    yield "## What you can do\n"
    yield "`memgit log` shows this pass as the newest; `memgit adopt` puts it in place, `memgit discard` puts it away."


_STILL_TRUE = ("## Changes", "## Rejected", "## Noticed", "## Not mined", "## Candidates without")


def _sections(report: str) -> Iterator[str]:
    """The second-level sections of a report; a heading inside a fenced text starts none."""
    section: list[str] = []
    fence = ""
    for row in report.split("\n"):
        mark = row[: len(row) - len(row.lstrip("`"))]
        if len(mark) >= 3 and (not fence or (row == mark and len(mark) >= len(fence))):
            fence = "" if fence else mark
        if row.startswith("## ") and not fence:
            yield "\n".join(section).rstrip()
            section = []
        section.append(row)
    yield "\n".join(section).rstrip()


def _block(data: bytes | None) -> str:
    """A text as an indented block, which no fence inside it can end."""
    if data is None:
        return "    (removed)"
    text = mask(data.decode("utf-8", "replace")).text
    return "\n".join(f"    {printable(line)}" for line in text.splitlines()) or "    (empty)"
