"""A decision in one line: its number, what it does to which memory, what becomes of what, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memgit.claims.spans import LONGEST, LONGEST_BODY
from memgit.core.passes.history import Life
from memgit.memory.apply import Size
from memgit.memory.frontmatter import split
from memgit.memory.memory import memories
from memgit.model.decision import Approval, Decision, Kind, Said, Standing
from memgit.model.history import Mode, Operation, PassHeader
from memgit.model.passes import Outcome, Plan
from memgit.model.session import Agent, RecordClass, Survey
from memgit.model.store import Memory, StoreContent
from memgit.model.verification import MemoryCheck, SpanCheck, Verdict
from memgit.text.diff import Piece, word_diff
from memgit.text.layout import Row, Run, Style, code, cut, line, quoted, width

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier

_CHANGE = 44
"""Columns that what changes may take, so that there is room for the reason."""
_LEAST = 12
"""Columns from which on a reason says anything."""
_FEW = 2
"""Places of a text that are told as old -> new; a text that differs in more has to be looked at."""

MARKS = {Approval.APPROVED: "+", Approval.REJECTED: "-", Approval.DEFERRED: "~", Approval.PROPOSED: " "}
_STYLES = {Approval.APPROVED: Style.GOOD, Approval.REJECTED: Style.FAINT, Approval.DEFERRED: Style.FAINT}


def in_order(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Decisions as they are told: what asks somebody first, then what changes something, then what was refused."""
    held = [each for each in decisions if each.standing is Standing.HELD]
    refused = [each for each in decisions if each.standing is Standing.REFUSED]
    return (*held, *(each for each in decisions if each not in held and each not in refused), *refused)


def outline(decision: Decision, columns: int) -> Row:
    """One row of at most so many columns. ``?`` marks a question, ``!`` what a fact refuses, ``+``, ``-`` and ``~``
    what somebody has approved, rejected or deferred."""
    mark, style = _mark(decision)
    head = Run(f"{mark} {decision.id:<3} {decision.kind:<8}", style)
    room = columns - width(head.text)
    if (said := _asked_of(decision)) and decision.kind is Kind.ADD:  # its name was made of the same words
        return (head, Run(cut(said, room)))
    what = subject(decision)
    if not what:  # what was refused has left nothing to name
        return (head, Run(cut(_told(decision), room)))
    if room - width(what) < _LEAST:
        return (head, Run(cut(what, room), Style.TITLE))
    return (head, Run(f"{what}: ", Style.TITLE), Run(cut(_told(decision), room - width(what) - 2)))


def subject(decision: Decision) -> str:
    """The memories that a decision is about, and what they become where that is another one."""
    names = " + ".join(map(line, decision.memories)) or ", ".join(map(line, decision.results))
    if not names:
        return "the index" if decision.kind is Kind.REPAIR else line(decision.claim)
    led = ", ".join(map(line, decision.results))
    return f"{names} -> {led}" if decision.memories and led and decision.results != decision.memories else names


def _mark(decision: Decision) -> tuple[str, Style]:
    if decision.standing is Standing.REFUSED:
        return "!", Style.BAD
    if decision.standing is Standing.HELD and decision.approval is Approval.PROPOSED:
        return "?", Style.WARNING
    return MARKS[decision.approval], _STYLES.get(decision.approval, Style.PLAIN)


def _told(decision: Decision) -> str:
    """What becomes of what, and why; of a question the user's words, or why it is asked, and what is doubted."""
    if decision.standing is Standing.REFUSED:
        return line(decision.refusal)
    why = decision.justification
    if decision.standing is Standing.HELD:
        asked = _asked_of(decision) or (why if decision.asks else "")
        why = " ".join((asked, *(doubt.says for doubt in decision.doubts))).strip() or why
    changes = old_and_new(decision)
    return changes if changes.endswith("…") else ". ".join(filter(None, (changes, line(why))))


def _asked_of(decision: Decision) -> str:
    """What the user said, of a question that nobody has judged; empty where it is about memories alone."""
    said = [one.quote for one in decision.evidence if isinstance(one, Said)]
    return quoted(said[-1]) if decision.standing is Standing.HELD and decision.asks and said else ""


def old_and_new(decision: Decision) -> str:
    """``30 -> 15`` for a memory whose text changes in one or two places; empty where it is rewritten, comes or goes."""
    if decision.kind not in (Kind.REPLACE, Kind.UPDATE) or len(decision.memories) != 1:
        return ""
    (memory,) = decision.memories
    old, new = decision.dropped_text.get(memory), decision.writes.get(f"{memory}.md")
    if old is None or new is None:
        return ""
    pieces = word_diff(_body(old), _body(new.decode("utf-8", "replace")))
    places = [
        (_short(one), _short(other))
        for one, other in pairwise((*pieces, Piece("same", "")))
        if (one.fate, other.fate) == ("removed", "added")
    ]
    told = dict.fromkeys(f"{one} -> {other}" for one, other in places)
    changed = sum(piece.fate != "same" for piece in pieces)
    if not 0 < len(told) <= _FEW or changed != 2 * len(places):
        return ""
    return cut("; ".join(told), _CHANGE)


def _body(text: str) -> str:
    return split(text.encode("utf-8", "replace")).body.decode("utf-8", "replace")


def _short(piece: Piece) -> str:
    return " ".join(piece.text.split())


# --- verdicts ---
# What is true of each memory that survives: exactly one of four verdicts.


def memories_section(outcome: Outcome, after: StoreContent) -> Iterator[str]:
    """One line for each memory of the candidate."""
    contradicted = {
        name: decision for decision in outcome.decisions if decision.kind is Kind.REPLACE for name in decision.results
    }
    store = memories(after)
    if store:
        yield "## Memories of the candidate"
        yield "\n".join(
            f"- {code(memory.id)} — {_verdict(contradicted.get(memory.id), outcome.verification.get(memory.id))}"
            f"{_extent(memory)}"
            for memory in store
        )


def unverifiable(check: MemoryCheck) -> str:
    """What a memory names and the working tree does not show, with the reason for each name."""
    missing = check.missing
    names = ", ".join(_named(span) for span in missing)
    reasons = "; ".join(_reason(span, alone=len(missing) == 1) for span in missing)
    return f"names {names}, not found in the working tree ({reasons})."


def _verdict(replaced: Decision | None, check: MemoryCheck | None) -> str:
    if replaced is not None:
        beneath = f"\n  - its new text {unverifiable(check)}" if check and check.missing else ""
        return f"**Contradicted by a later session** and replaced ({replaced.id}).{beneath}"
    if check is None or check.verdict is Verdict.NO_TARGETS:
        return "nothing to check."
    if check.verdict is Verdict.UNVERIFIABLE:
        return f"**Unverifiable:** {unverifiable(check)}"
    return "verified."


def _extent(memory: Memory) -> str:
    """What is to be said of a memory that is too long to be looked at whole."""
    return f" Only its first {LONGEST_BODY:,} characters were looked at." if len(memory.body) > LONGEST_BODY else ""


def _reason(span: SpanCheck, *, alone: bool) -> str:
    reason, hint = span.missing.value if span.missing else "unknown", line(span.hint)
    why = hint if hint.startswith(reason) else ", ".join(filter(None, (reason, hint)))
    return why if alone else f"{_named(span)}: {why}"


def _named(span: SpanCheck) -> str:
    """The span as a code span; of one that no name is as long as, the beginning."""
    text = span.span
    return code(text) if len(text) <= LONGEST else f"{code(text[:LONGEST])} … ({len(text):,} characters)"


# --- preflight ---
# The figures with which a report opens: what was read, what was left out, and why.


def preflight(plan: Plan) -> Iterator[str]:
    """The opening of the report, as paragraphs of prose."""
    yield f"# {plan.kind.capitalize()} pass {plan.id or '(dry run)'}"
    yield "\n".join(_figures(plan))
    yield from (_orphan(path, number, why) for path, number, why in _orphans(plan.survey))
    notes = [*plan.notes, *plan.survey.notes]
    if notes:
        yield "\n".join(f"- {line(note)}" for note in notes)
    if plan.mode is Mode.COLD_START:
        yield (
            f"**Cold start:** no usable input store was found (it is {plan.status.value}), so every change below is an "
            "addition. Files that were there are carried over."
        )


def _figures(plan: Plan) -> Iterator[str]:
    selection = plan.selection
    yield (
        f"Store: {code(plan.store.path)} ({_count(plan.memories, 'memory', 'memories')}, {plan.status.value}; "
        f"found by {line(plan.store.rule)})."
    )
    yield f"Worktrees: {_worktrees(plan.survey)}."
    yield (
        f"Pool: {_count(selection.pool, 'session')}{_agents(plan.survey)}; {len(selection.selected)} selected, "
        f"{len(selection.near_empty)} skipped as near-empty, "
        f"{len(selection.beyond_budget)} beyond the {selection.limits.token_budget:,}-token budget, "
        f"{len(selection.beyond_cap)} beyond the {selection.limits.session_cap}-session cap."
    )
    if plan.survey.foreign:
        yield _foreign(plan.survey)
    yield _prose(plan)
    yield f"Filtered out: {_filtered(plan.survey)}."


def _agents(survey: Survey) -> str:
    """Whose sessions they are; nothing where all are Claude Code's."""
    of = Counter(session.agent for session in survey.sessions)
    return "" if set(of) <= {Agent.CLAUDE} else f" ({', '.join(f'{of[agent]} of {agent}' for agent in Agent)})"


def _foreign(survey: Survey) -> str:
    projects = ", ".join(code(cwd) for cwd in sorted({cwd for _, cwd in survey.foreign}))
    return f"Not read: {_count(len(survey.foreign), 'session')} in the same folder of another project ({projects})."


def _prose(plan: Plan) -> str:
    selection = plan.selection
    messages = sum(session.messages for session in selection.selected)
    over = f", {selection.overshoot:,} over the budget" if selection.overshoot else ""
    batches = _count(len(selection.batches), "batch", "batches")
    state = "engaged" if selection.reduce_engaged else "not needed"
    return (
        f"Prose: about {selection.tokens:,} tokens{over} in {_count(messages, 'message')} and {batches} "
        f"(reduce tier {state}: {len(selection.batches)} against a threshold of {selection.limits.reduce_threshold})."
    )


def _worktrees(survey: Survey) -> str:
    if not survey.worktrees:
        return "none found"
    by_source = Counter(tree.provenance.value for tree in survey.worktrees)
    sources = ", ".join(f"{number} by {source}" for source, number in sorted(by_source.items()))
    return f"{len(survey.worktrees)} ({sources})"


_KEPT = (RecordClass.USER_PROSE, RecordClass.ASSISTANT_PROSE)


def _filtered(survey: Survey) -> str:
    classes: Counter[RecordClass] = Counter()
    for session in survey.sessions:
        classes.update(session.records)
    dropped = [f"{number:,} {kind.value}" for kind, number in sorted(classes.items()) if number and kind not in _KEPT]
    if broken := sum(session.broken_lines for session in survey.sessions):
        dropped.append(_count(broken, "broken line"))
    return ", ".join(dropped) or "nothing"


def _orphans(survey: Survey) -> Iterator[tuple[str, int, str]]:
    yield from ((orphan.path, orphan.memories, orphan.why) for orphan in survey.orphans)


def _orphan(path: str, number: int, why: str) -> str:
    return (
        f"**Another store:** {code(path)} holds {_count(number, 'memory', 'memories')} ({line(why)}). "
        "It is not part of this pass and is not merged."
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# --- page ---
# What the page of a pass shows, as values: gathered by a flow, drawn by whatever renders them.

BEGINNING = "<!doctype html>\n<!-- memgit page"
"""How every page starts, by which memgit knows its own: a page is never written over anything else."""


@dataclass(frozen=True, slots=True)
class Stand:
    """The size of the live store after an operation that changed it."""

    operation: Operation
    memories: int
    index_lines: int
    index_units: int


@dataclass(frozen=True, slots=True)
class Chronicle:
    """What happened to a store: its ``stands``, oldest first, all ``passes``, newest first, and the stories of its
    memories. ``passed_over`` changes are told of in neither stands nor stories, because a page could not show so many.
    """

    stands: tuple[Stand, ...]
    passes: tuple[PassHeader, ...]
    lives: tuple[Life, ...]
    passed_over: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A pass to look at in a browser.

    ``record`` is the pass as ``--json`` prints it, masked. ``dossiers`` are its decisions in their order; where they
    cannot be shown one by one, ``untold`` is a sentence that says why, and ``report`` still holds the whole. ``after``
    is None while there is no candidate. ``made`` is when the page was made.
    """

    header: PassHeader
    record: Mapping[str, Any]
    report: str
    dossiers: tuple[Dossier, ...]
    untold: str
    before: Size
    after: Size | None
    chronicle: Chronicle
    made: datetime
