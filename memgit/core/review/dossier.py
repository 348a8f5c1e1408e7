"""All that a person needs to see before answering one decision, gathered as values for whatever renders them.

Every text in a dossier is masked and printable: safe for a terminal, still to be escaped for HTML.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memgit.core.passes.records import plain
from memgit.core.review.state import Review, reply
from memgit.evidence.findings import mask, masked_name, printable
from memgit.evidence.quotes import Passage, Place, Prose, Void, fold
from memgit.memory.apply import Size
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT
from memgit.model.decision import Approval, Decision, Said, Seen
from memgit.model.history import PassKind
from memgit.model.session import Digest, Message, Role
from memgit.model.store import StoreContent
from memgit.model.verification import Change
from memgit.rulings.approval import Ruling
from memgit.rulings.standing import NEEDS_APPROVAL
from memgit.text.diff import Piece, word_diff

AROUND = 2
"""Messages shown before and after the one that holds a quote."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One file that a decision changes. ``before`` is None for a new one, ``after`` for one that goes."""

    path: str
    before: str | None
    after: str | None

    @property
    def words(self) -> tuple[Piece, ...]:
        """The difference word by word, in reading order."""
        return word_diff(self.before or "", self.after or "")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message around a quote, white space folded. ``quote`` is the span of the quote in ``text``, where this is
    the message that holds it."""

    role: Role
    time: datetime | None
    text: str
    quote: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quote with the turns around it as the pass froze them, oldest first. ``why_not`` says, in a sentence, why
    there are none: it stands in no message that the pass kept."""

    said: Said
    turns: tuple[Turn, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the working tree says of a place that ``Seen`` cites: the ``change`` that brought it (or that it names),
    and whether the quote stands there now (None where nobody can look, as for a memory's own lines)."""

    change: Change | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """Something that can be looked at, and what looking at it now gives."""

    seen: Seen
    glimpse: Glimpse


@dataclass(frozen=True, slots=True)
class NotFound:
    """A name in a memory that would result, and why the working tree does not have it."""

    memory: str
    span: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Dossier:
    """One decision with its texts, quotes, sights and what the working tree lacks of its results."""

    decision: Decision
    justification: str
    changes: tuple[TextChange, ...]
    quotations: tuple[Quotation, ...]
    sights: tuple[Sight, ...]
    not_found: tuple[NotFound, ...] = ()


def dossier(
    decision: Decision,
    read: StoreContent,
    digests: Sequence[Digest],
    glimpses: Mapping[str, Glimpse],
    not_found: Iterable[NotFound] = (),
) -> Dossier:
    """Gather what is to be seen of a decision.

    ``read`` is the store as the pass read it, ``digests`` its frozen prose, ``glimpses`` what looking at each place
    of the tree gave, by ``Seen.where``.
    """
    seen = (one for one in decision.evidence if isinstance(one, Seen))
    return Dossier(
        decision=decision,
        justification=safe(decision.justification),
        changes=tuple(_changes(decision, read)),
        quotations=tuple(quotation(one, digests) for one in decision.evidence if isinstance(one, Said)),
        sights=tuple(
            Sight(Seen(masked_name(one.where), safe(one.quote)), glimpses.get(one.where, Glimpse())) for one in seen
        ),
        not_found=tuple(not_found),
    )


def safe(text: str) -> str:
    """``text`` without secrets, and without what could steer a terminal."""
    return printable(mask(text).text)


def _changes(decision: Decision, read: StoreContent) -> Iterator[TextChange]:
    for path, data in decision.writes.items():
        yield TextChange(masked_name(path), _text(read, path), safe(data.decode("utf-8", "replace")))
    for path in sorted(decision.removes - set(decision.writes)):
        yield TextChange(masked_name(path), _text(read, path), None)


def _text(read: StoreContent, path: str) -> str | None:
    file = read.files.get(path)
    return safe(file.data.decode("utf-8", "replace")) if file else None


# --- a quote among the turns around it ---


def quotation(said: Said, digests: Sequence[Digest], around: int = AROUND) -> Quotation:
    """A quote with up to ``around`` messages of its session on either side."""
    shown = Said(safe(said.session), safe(said.quote), safe(said.record), said.time, safe(said.answers))
    prose = Prose(digests)
    place = prose.locate(said)
    if isinstance(place, Void):
        return Quotation(shown, why_not=safe(place.says))
    passages: Sequence[Passage] = prose.sessions[place.message.session]
    at = passages.index(place.passage)
    near = [each.message for each in passages[max(0, at - around) : at + around + 1]]
    return Quotation(shown, tuple(_marked(place) if each is place.message else _turn(each) for each in near))


def _turn(message: Message) -> Turn:
    return Turn(message.role, message.time, safe(fold(message.text)))


def _marked(place: Place) -> Turn:
    """The message that holds the quote. Escapes lengthen a text, so the span is counted in what is shown."""
    before, quote = printable(place.text[: place.start]), printable(place.text[place.start : place.end])
    text = before + quote + printable(place.text[place.end :])
    return Turn(place.message.role, place.message.time, text, (len(before), len(before) + len(quote)))


# --- picture ---
# The store that would result from a review as it stands, beside the one that was read.


@dataclass(frozen=True, slots=True)
class Picture:
    """A store before and after, in the few figures that matter while ruling."""

    before: Size
    after: Size

    def __str__(self) -> str:
        counted, index = f"{self.before.memories} -> {self.after.memories} memories", self.after.index
        if not self.after.indexed:
            return counted
        return f"{counted}; index {index.lines} of {LINE_LIMIT} lines, {index.units:,} of {UNIT_LIMIT:,} units"


# --- review json ---
# A dossier as JSON: what ``memgit review --json`` prints of a decision.


def dossier_json(dossier: Dossier) -> dict[str, Any]:
    """One decision with texts, quotes in their context, and what the tree shows. Fields are only ever added."""
    decision = dossier.decision
    return {
        "id": decision.id,
        "kind": decision.kind.value,
        "state": decision.approval.value,
        "reason": safe(decision.reason),
        "memories": [safe(name) for name in decision.memories],
        "results": [safe(name) for name in decision.results],
        "justification": dossier.justification,
        "leaves_out": [safe(text) for text in decision.leaves_out],
        **{name: plain(getattr(dossier, name)) for name in ("changes", "quotations", "sights", "not_found")},
    }


# --- end ---
# What stands at the end of a review: what comes of it, and the plain commands that do the same.


def adoptable(review: Review, kind: PassKind) -> bool:
    """Whether adopting would change anything: something is approved, or open in a pass that needs no approval."""
    approved = review.having(Approval.APPROVED)
    return bool(approved or (review.open and kind not in NEEDS_APPROVAL))


def what_comes(review: Review, kind: PassKind) -> str:
    """What adopting would do, in a sentence."""
    approved = ", ".join(each.id for each in review.having(Approval.APPROVED))
    open_ = ", ".join(each.id for each in review.open)
    if approved:
        return f"Adopting takes {approved}." + (f" Still open, and so left out: {open_}." if open_ else "")
    if open_ and kind not in NEEDS_APPROVAL:
        return f"Nothing is approved, so adopting takes what is open: {open_}."
    return "Nothing stands, so there is nothing to adopt."


def commands(pass_id: str, review: Review, given: Mapping[str, Ruling], kind: PassKind) -> Iterator[str]:
    """The plain commands that say the same as these answers, and what comes then."""
    if said := reply(given):
        yield f"memgit approve {pass_id} {shlex.quote(safe(said))}"
    if adoptable(review, kind):
        yield f"memgit adopt {pass_id}"
    elif review.open:
        yield f'memgit approve {pass_id} "approve {review.open[0].id}"'
    else:
        yield f"memgit discard {pass_id}"
