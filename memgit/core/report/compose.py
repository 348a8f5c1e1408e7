"""The report of a pass, in Markdown: each change justified and cited, each surviving memory with its verdict.

It is the body of the candidate's commit message and the file beside the candidate, so it is the same for
the same pass, holds no secret and no control character, and whatever comes from outside is fenced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memgit.core.report.index_part import index_section
from memgit.core.report.inspection import classes_section, remarks_section
from memgit.core.report.preflight import preflight
from memgit.core.report.verdicts import memories_section, unverifiable
from memgit.memory.memory import memories
from memgit.model.decision import Approval, Decision, Doubt, Evidence, Kind, MinerReply, Said, Seen, Standing
from memgit.model.history import Mode
from memgit.model.passes import Outcome
from memgit.model.store import StoreContent
from memgit.rulings.standing import is_decidable
from memgit.text.layout import code, fenced, line, quoted


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
    """Where a decision stands with the user, once anything of its pass has been ruled on."""
    match decision.approval:
        case Approval.PROPOSED:
            return "open; nobody has ruled on it."
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
