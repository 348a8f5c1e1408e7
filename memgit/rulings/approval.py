"""What a person says to a list of proposals: one grammar for every pass.

    approve all · approve M1, M3 · approve M2-M5 · approve all except M2 · approve M3 with edit: <new text>
    reject M4 — <reason> · defer M6

Several clauses may stand in one reply, on lines of their own or after a full stop or semicolon. What no clause names
stays open. A reply that names something unknown, or one thing twice, is refused whole: half of it would be a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memgit.errors import BadReply
from memgit.memory.memory import memories, read_memory, render_changed
from memgit.model.decision import Approval, Decision, Draft, Kind, Standing
from memgit.model.history import PassKind
from memgit.model.store import Memory, StoreContent, StoreFile
from memgit.rulings.case import open_case
from memgit.rulings.facts import unfit
from memgit.rulings.settle import tidied
from memgit.rulings.standing import is_decidable

EXAMPLE = 'Say it like "approve M1, M3", "approve all except M2", "reject M4 — reason" or "defer M6".'


@dataclass(frozen=True, slots=True)
class Span:
    """A run of proposals by number, both ends included: ``M2-M5``, or one of them."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"M{self.first}" if self.first == self.last else f"M{self.first}-M{self.last}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The proposals that a clause speaks of: those named, or (``everything``) all but those named."""

    named: tuple[Span, ...] = ()
    everything: bool = False

    def __str__(self) -> str:
        listed = ", ".join(map(str, self.named))
        if not self.everything:
            return listed
        return f"all except {listed}" if self.named else "all"


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence of a reply. ``edit`` is the text that a proposal shall get, ``reason`` why it is turned down."""

    verdict: Approval
    choice: Choice
    edit: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a reply says of one proposal."""

    verdict: Approval
    edit: str = ""
    reason: str = ""


_VERBS = {Approval.APPROVED: "approve", Approval.REJECTED: "reject", Approval.DEFERRED: "defer"}
_VERDICTS = {verb: verdict for verdict, verb in _VERBS.items()}
_DASH = "-–—‒−"
_ONE = rf"m\d{{1,6}}(?:\s*(?:[{_DASH}]|\.\.|to\b)\s*m?\d{{1,6}})?"
_LIST = rf"{_ONE}(?:(?:\s*,\s*(?:and\b\s*)?|\s+and\s+|\s*&\s*|\s+){_ONE})*"
_CHOICE = rf"(?:all(?:\s+(?:except|but)\s+(?P<but>{_LIST}))?|(?P<named>{_LIST}))(?!\w)"
_CLAUSE = re.compile(rf"(?:please\s+)?(?P<verb>approve|reject|defer)\s+{_CHOICE}", re.IGNORECASE)
_NEXT = re.compile(r"(?:(?<=\n)|(?<=[;.,])[ \t]*|(?<=\s))(?=(?:and\s+)?(?:approve|reject|defer)\s+(?:all\b|m\d))", re.I)
_NEXT_LINE = re.compile(r"(?<=\n)(?=[ \t]*(?:approve|reject|defer)\s+(?:all\b|m\d))", re.IGNORECASE)
_EDIT = re.compile(r"\s*,?\s*with\s+(?:this\s+|the\s+)?edit\s*:[ \t]*\n?", re.IGNORECASE)
_REASON = re.compile(rf"\s*(?:[{_DASH}]+|:|because\b)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s;.,]*(?:and\s+)?", re.IGNORECASE)


def parse(reply: str) -> tuple[Clause, ...]:
    """The clauses of a reply, in order. Raises BadReply quoting what cannot be understood."""
    clauses: list[Clause] = []
    rest = _BETWEEN.sub("", reply, count=1)
    while rest.strip():
        clause, rest = _clause(rest)
        clauses.append(clause)
    if not clauses:
        raise BadReply("The reply says nothing.", EXAMPLE)
    return tuple(clauses)


def _clause(text: str) -> tuple[Clause, str]:
    """The first clause of a text, and what follows it."""
    found = _CLAUSE.match(text)
    if found is None:
        raise BadReply(f'The reply cannot be understood from "{_short(text)}" on.', EXAMPLE)
    verdict = _VERDICTS[found["verb"].lower()]
    named = found["but"] or found["named"] or ""
    choice = Choice(tuple(_spans(named)), everything=found["named"] is None)
    after = text[found.end() :]
    if edit := _EDIT.match(after):
        return _edit(verdict, choice, after[edit.end() :])
    own, rest = _until(_NEXT, after)
    return Clause(verdict, choice, reason=_reason(verdict, own)), _BETWEEN.sub("", rest, count=1)


def _edit(verdict: Approval, choice: Choice, text: str) -> tuple[Clause, str]:
    """An edit goes to the end of the reply, or to a line that begins the next clause: it may hold any text."""
    if verdict is not Approval.APPROVED or choice.everything or len(choice.named) != 1:
        raise BadReply(f"An edit goes with approving one proposal, not with {_VERBS[verdict]} {choice}.", EXAMPLE)
    own, rest = _until(_NEXT_LINE, text)
    if not own.strip():
        raise BadReply(f"The edit of {choice} is empty.", "Write the text after the colon.")
    return Clause(verdict, choice, edit=own.strip()), rest.lstrip()


def _until(border: re.Pattern[str], text: str) -> tuple[str, str]:
    found = border.search(text)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")


def _reason(verdict: Approval, text: str) -> str:
    """What stands behind a choice: nothing, or (but after approving) a dash and a reason."""
    if not text.strip(" \t\n;.,"):
        return ""
    lead = _REASON.match(text)
    if lead is None or verdict is Approval.APPROVED:
        raise BadReply(f'The reply cannot be understood from "{_short(text)}" on.', EXAMPLE)
    return " ".join(text[lead.end() :].rstrip(" \t\n;,").split())


def _spans(text: str) -> Iterator[Span]:
    for one in re.finditer(_ONE, text, re.IGNORECASE):
        first, *more = map(int, re.findall(r"\d+", one[0]))
        last = more[0] if more else first
        if last < first:
            raise BadReply(f"{one[0]} runs backwards.", f"Write M{last}-M{first}.")
        yield Span(first, last)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 40 else f"{flat[:39]}…"


def render(clauses: Iterable[Clause]) -> str:
    """Clauses as a reply, one a line; reading it gives them back."""
    return "\n".join(_rendered(clause) for clause in clauses)


def _rendered(clause: Clause) -> str:
    said = f"{_VERBS[clause.verdict]} {clause.choice}"
    if clause.edit:
        return f"{said} with edit: {clause.edit}"
    return f"{said} — {clause.reason}" if clause.reason else said


def rulings(clauses: Sequence[Clause], decisions: Sequence[Decision]) -> Mapping[str, Ruling]:
    """What the clauses say of each decision that they name, by its id; ``all`` means those that no other clause
    names. Raises BadReply naming every id that is unknown, not to be decided on, or named twice."""
    open_to = {decision.id: decision for decision in decisions if is_decidable(decision)}
    named = [(clause, tuple(_ids(clause.choice, decisions))) for clause in clauses]
    _refuse_unknown({name for _, ids in named for name in ids} - set(open_to), decisions)
    _refuse_doubles(named)
    taken = {name for clause, ids in named for name in ids if not clause.choice.everything}
    ruled: dict[str, Ruling] = {}
    for clause, ids in named:
        chosen = [one for one in _all(open_to, clause.verdict) if one not in taken and one not in ids]
        chosen = chosen if clause.choice.everything else list(ids)
        ruled |= dict.fromkeys(chosen, Ruling(clause.verdict, clause.edit, clause.reason))
    return ruled


def _all(open_to: Mapping[str, Decision], verdict: Approval) -> Iterator[str]:
    """What "all" means: every proposal. What is asked is taken by its name only, and turned down with the rest."""
    approving = verdict is Approval.APPROVED
    return (name for name, each in open_to.items() if not (approving and each.standing is Standing.HELD))


def _ids(choice: Choice, decisions: Sequence[Decision]) -> Iterator[str]:
    """The ids a choice names. Inside a range, what cannot be decided on is passed over; its ends must be there."""
    decidable = {decision.id for decision in decisions if is_decidable(decision)}
    for span in choice.named:
        inside = (f"M{number}" for number in range(span.first + 1, min(span.last, len(decisions) + 1)))
        ends = (f"M{span.first}", f"M{span.last}") if span.last > span.first else (f"M{span.first}",)
        yield from dict.fromkeys((*ends, *(name for name in inside if name in decidable)))


def _refuse_unknown(unknown: set[str], decisions: Sequence[Decision]) -> None:
    if not unknown:
        return
    known = {decision.id: decision for decision in decisions}
    told = [f"{name} {_why_not(known.get(name))}" for name in sorted(unknown, key=lambda name: int(name[1:]))]
    raise BadReply(f"Nothing was decided: {'; '.join(told)}.", "`memgit show` lists the proposals of a pass.")


def _why_not(decision: Decision | None) -> str:
    if decision is None:
        return "is no proposal of this pass"
    if decision.standing is Standing.REFUSED:
        return f"was refused, and nobody overrules a fact ({decision.refused_by}): {decision.refusal.rstrip('.')}"
    return (
        "was turned down and proposes nothing" if decision.kind is Kind.REJECT else "follows from the others by itself"
    )


def _refuse_doubles(named: Sequence[tuple[Clause, tuple[str, ...]]]) -> None:
    times = Counter(name for clause, ids in named if not clause.choice.everything for name in ids)
    doubles = sorted((name for name, count in times.items() if count > 1), key=lambda name: int(name[1:]))
    if sum(clause.choice.everything for clause, _ in named) > 1:
        doubles.append("all")
    if doubles:
        raise BadReply(f"Nothing was decided: {', '.join(doubles)} named more than once.", "Name each proposal once.")


def ruled(decisions: Iterable[Decision], given: Mapping[str, Ruling]) -> tuple[Decision, ...]:
    """The decisions as they stand after these rulings (texts of edits are not looked at here)."""
    return tuple(
        replace(decision, approval=given[decision.id].verdict) if decision.id in given else decision
        for decision in decisions
    )


# --- edits ---
# A user's own wording for a proposal: the text changes, the proposal stays, and the guards of wording still hold.

_DESCRIPTION = re.compile(r"\A\s*description:[ \t]*(?P<line>[^\n]+)\n*", re.IGNORECASE)


def edited(decision: Decision, text: str, content: StoreContent, kind: PassKind) -> Decision:
    """The decision with ``text`` as the body of the memory that it leaves; a first line ``description: …`` gives that
    too. Raises BadReply for a decision that leaves no memory or several, and for text that no memory may hold."""
    path, proposed = _one_memory(decision)
    given = _DESCRIPTION.match(text)
    body = text[given.end() :] if given else text
    description = given["line"] if given else proposed.description
    draft = tidied(Draft(proposed.name, description, proposed.type, body, proposed.id))
    known = [memory.text for memory in (*memories(content), proposed)]
    if refusal := unfit(draft, open_case(kind, memories(content), ()), known):
        raise BadReply(f"The edit of {decision.id} was refused: {refusal.says}", "Reword it; nothing was decided.")
    return replace(decision, writes={path: render_changed(proposed, draft)}, unlinked={})


def text_to_edit(decision: Decision) -> str:
    """What a decision would write, in the form that ``edited`` takes. Raises BadReply where that is no one memory."""
    _, proposed = _one_memory(decision)
    return f"description: {proposed.description}\n\n{proposed.body}\n"


def _one_memory(decision: Decision) -> tuple[str, Memory]:
    if len(decision.results) != 1 or len(decision.writes) != 1:
        raise BadReply(
            f"{decision.id} leaves {len(decision.results) or 'no'} memories, so it has no one text to edit.",
            "Approve or reject it, or change the files in the candidate's folder by hand.",
        )
    ((path, data),) = decision.writes.items()
    return path, read_memory(StoreFile(path, data))
