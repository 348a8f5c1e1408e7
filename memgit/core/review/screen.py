"""A decision under review as rows of styled text, for any face. Nothing in them can steer a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from memgit.core.review.dossier import Dossier, NotFound, Picture, Quotation, Sight, TextChange, Turn
from memgit.core.review.state import KEYS, Review
from memgit.model.decision import Approval, Decision, Doubt, Standing
from memgit.model.session import Role
from memgit.text.diff import Fate, Piece
from memgit.text.layout import Row, Run, Style, cut, line, wrapped
from memgit.text.markdown import Region, file_regions

STATES = {
    Approval.PROPOSED: "open",
    Approval.APPROVED: "approved",
    Approval.REJECTED: "rejected",
    Approval.DEFERRED: "deferred",
}
_STYLES: dict[Fate, Style] = {"same": Style.PLAIN, "removed": Style.REMOVED, "added": Style.ADDED}
_LEFT = "  "
_AROUND = 1
"""Unchanged lines shown beside changed ones."""
_WHOLE = 8
"""Lines of a text that only comes or only goes, before the rest is folded."""
_BEFORE_QUOTE, _AFTER_QUOTE, _OTHER_TURN = 120, 80, 110
"""Characters of the turns around a quote, before the rest is folded."""
_SEEN = 160
"""Characters of what is seen, before the rest is folded."""


def title(decision: Decision) -> str:
    """A decision on one line: id, kind, memories, and what they become."""
    names = " + ".join(map(line, decision.memories or decision.results)) or line(decision.claim) or "index"
    into = ", ".join(map(line, decision.results)) if decision.results != decision.memories else ""
    led = f" -> {into}" if into and decision.memories else ""
    return f"{decision.id} {decision.kind} {names}{led}"


def standing(decision: Decision, review: Review) -> str:
    """Where a decision stands, with its place among those that are gone through."""
    ids = [each.id for each in review.shown]
    place = f"{ids.index(decision.id) + 1} of {len(ids)}" if decision.id in ids else "outside the filter"
    only = f" ({review.filter})" if review.filter.words else ""
    ruling = review.ruling(decision)
    reworded = ", reworded" if ruling.edit else ""
    why = f": {line(ruling.reason)}" if ruling.reason else ""
    held = (
        "a question"
        if decision.standing is Standing.HELD and ruling.verdict is Approval.PROPOSED
        else STATES[ruling.verdict]
    )
    return f"{place}{only}, {held}{reworded}{why}"


def decision_rows(dossier: Dossier, review: Review, columns: int, *, whole: bool, marks: bool) -> Iterator[Row]:
    """All that is to be seen of one decision. Unless it shall be ``whole``, what did not change and what is far from
    a quote is folded. ``marks`` are put around changed words, for a face without colours."""
    yield from wrapped([Run(title(dossier.decision), Style.TITLE)], columns, left=_LEFT)
    yield from wrapped([Run(standing(dossier.decision, review), Style.FAINT)], columns)
    if dossier.decision.asks:
        yield from wrapped([Run(line(dossier.decision.asks), Style.TITLE)], columns)
    yield from wrapped([Run(dossier.justification)], columns)
    for doubt in dossier.decision.doubts:
        yield from wrapped([Run("Doubt: ", Style.WARNING), Run(line(doubt.says)), *_about(doubt)], columns)
    if dossier.decision.confirmed:
        yield from wrapped([Run(f"Confirmed: {line(dossier.decision.confirmed)}", Style.FAINT)], columns)
    for change in dossier.changes:
        yield ()
        yield from change_rows(change, columns, whole=whole, marks=marks)
    if dossier.decision.leaves_out:
        left = "; ".join(map(line, dossier.decision.leaves_out))
        yield from wrapped([Run(f"Left out on purpose: {left}")], columns)
    for quotation in dossier.quotations:
        yield ()
        yield from _quotation(quotation, columns, whole=whole)
    if dossier.sights or dossier.not_found:
        yield ()
    yield from chain.from_iterable(_sight(sight, columns, whole=whole) for sight in dossier.sights)
    yield from chain.from_iterable(_lacking(each, columns) for each in dossier.not_found)


def _about(doubt: Doubt) -> Iterator[Run]:
    """The words that a doubt is about, where its sentence does not hold them."""
    if doubt.about and line(doubt.about) not in line(doubt.says):
        yield Run(f" “{cut(line(doubt.about), _SEEN)}”", Style.QUOTED)


# --- texts ---


def change_rows(change: TextChange, columns: int, *, whole: bool, marks: bool) -> Iterator[Row]:
    """A change of one text as rows: with words marked as ``[-gone-]`` and ``{+new+}`` where no colour tells them.

    Unless ``whole``, lines far from any change are folded, and so is the end of a long text that comes or goes.
    """
    if change.before is None or change.after is None:
        yield from _one_sided(change, columns, whole=whole)
        return
    yield from wrapped([Run(f"{change.path} changes:", Style.FAINT)], columns)
    lines = list(_lines(change.words))
    near = {at + by for at, pieces in enumerate(lines) if _differs(pieces) for by in range(-_AROUND, _AROUND + 1)}
    for shown, stretch in groupby(range(len(lines)), lambda at: whole or at in near):
        places = list(stretch)
        if not shown and len(places) > 1:  # a single line takes no more room than what would stand for it
            yield from _folded(len(places))
            continue
        for at in places:
            yield from wrapped((_run(piece, marks=marks) for piece in lines[at]), columns, _LEFT)


def _one_sided(change: TextChange, columns: int, *, whole: bool) -> Iterator[Row]:
    """A text that only comes, or only goes."""
    comes = change.before is None
    yield from wrapped([Run(f"{change.path} {'is new:' if comes else 'goes:'}", Style.FAINT)], columns)
    lines = ((change.after if comes else change.before) or "").rstrip("\n").split("\n")
    shown = lines if whole else _gist(lines)[:_WHOLE]
    sign, style = ("+ ", Style.ADDED) if comes else ("- ", Style.REMOVED)
    for text in shown:
        yield from wrapped([Run(text, style)], columns, sign)
    yield from _folded(len(lines) - len(shown))


def _gist(lines: Sequence[str]) -> list[str]:
    """The lines of a memory without its frontmatter, of which only the description is left."""
    named = zip(lines, file_regions(lines), strict=True)
    return [text for text, region in named if region is not Region.FRONTMATTER or text.startswith("description:")]


def _folded(lines: int) -> Iterator[Row]:
    if lines:
        yield (Run(f"{_LEFT}… {lines} more line{'s' if lines > 1 else ''}", Style.FAINT),)


def _lines(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """The pieces of each line, without its end."""
    row: list[Piece] = []
    for piece in pieces:
        *ended, rest = piece.text.split("\n")
        for text in ended:
            yield [*row, Piece(piece.fate, text)]
            row = []
        row += [Piece(piece.fate, rest)] if rest else []
    if row:
        yield row


def _differs(pieces: Sequence[Piece]) -> bool:
    return any(piece.fate != "same" for piece in pieces)


def _run(piece: Piece, *, marks: bool) -> Run:
    if not marks or piece.fate == "same" or not piece.text:
        return Run(piece.text, _STYLES[piece.fate])
    text = f"[-{piece.text}-]" if piece.fate == "removed" else f"{{+{piece.text}+}}"
    return Run(text, _STYLES[piece.fate])


# --- evidence ---


def _quotation(quotation: Quotation, columns: int, *, whole: bool) -> Iterator[Row]:
    said = quotation.said
    date = f", {said.time[:10]}" if said.time else ""
    to = f", in answer to “{line(said.answers)}”" if said.answers else ""
    yield from wrapped([Run(f"Said in session {said.session[:8]}{date}{to}:", Style.FAINT)], columns)
    if quotation.why_not:
        yield from wrapped([Run(f"“{said.quote}”", Style.QUOTED)], columns, _LEFT)
        yield from wrapped([Run(quotation.why_not, Style.WARNING)], columns, _LEFT)
    for turn in quotation.turns:
        yield from wrapped(_turn(turn, whole=whole), columns, "> " if turn.quote else _LEFT, _LEFT)


def _turn(turn: Turn, *, whole: bool) -> Iterator[Run]:
    yield Run("you: " if turn.role is Role.USER else "agent: ", Style.FAINT)
    if turn.quote is None:
        yield Run(turn.text if whole else cut(turn.text, _OTHER_TURN), Style.FAINT)
        return
    start, end = turn.quote
    before, after = turn.text[:start], turn.text[end:]
    if not whole and len(before) > _BEFORE_QUOTE:
        before = f"…{before[-_BEFORE_QUOTE:]}"
    yield from (Run(before), Run(turn.text[start:end], Style.QUOTED))
    yield Run(after if whole else cut(after, _AFTER_QUOTE))


def _sight(sight: Sight, columns: int, *, whole: bool) -> Iterator[Row]:
    where = _place(sight.seen.where)
    quote = line(sight.seen.quote)
    quoted = Run(quote if whole else cut(quote, _SEEN), Style.QUOTED)
    yield from wrapped([Run(f"Seen in {where}: ", Style.FAINT), quoted], columns)
    if change := sight.glimpse.change:
        day = f"{line(change.date)}, " if change.date else ""
        told = f"commit {line(change.commit[:7])} ({day}{line(change.subject)})"
        yield from wrapped([Run(told, Style.FAINT)], columns, _LEFT)
    if sight.glimpse.holds is False:
        yield from wrapped([Run("It does not stand there any more.", Style.WARNING)], columns, _LEFT)


def _place(where: str) -> str:
    kind, _, place = where.partition(":")
    match kind:
        case "tree":
            return place
        case "index":
            return f"line {place} of the index"
        case _:
            return f"{kind} {place}"


def _lacking(each: NotFound, columns: int) -> Iterator[Row]:
    reason = each.hint if each.hint.startswith(each.reason) else ", ".join(filter(None, (each.reason, each.hint)))
    told = f"{line(each.memory)} names `{line(each.span)}`, which the working tree lacks ({line(reason)})."
    yield from wrapped([Run(told, Style.WARNING)], columns)


# --- the rest of a screen ---


def picture_rows(review: Review, picture: Picture | None, columns: int, *, adopts: bool) -> Iterator[Row]:
    """How the answers stand, and the store that would result; ``adopts`` is whether it would as they stand."""
    counts = ((STATES[state], len(review.having(state))) for state in Approval)
    told = ", ".join(f"{count} {name}" for name, count in counts if count)
    yield from wrapped([Run(f"{told}.", Style.FAINT)], columns)
    if picture is None:
        text = "The candidate was edited by hand where an answer would change it again."
        yield from wrapped([Run(text, Style.WARNING)], columns)
        return
    style = Style.WARNING if picture.after.index.over else Style.FAINT
    over = " Over the limit: the agent loads only the beginning." if picture.after.index.over else ""
    which = "Store" if adopts or not review.open else "With what is open"
    yield from wrapped([Run(f"{which}: {picture}.{over}", style)], columns)


def list_rows(review: Review) -> Iterator[str]:
    """Every decision that is gone through, in a line with a sign for its state."""
    signs = {Approval.PROPOSED: " ", Approval.APPROVED: "+", Approval.REJECTED: "-", Approval.DEFERRED: "~"}
    return (f"{signs[review.ruling(each).verdict]} {title(each)}" for each in review.shown)


def help_rows(pass_id: str, columns: int) -> Iterator[Row]:
    """The keys, and below each the plain command that does the same."""
    for key in KEYS:
        yield from wrapped([Run(key.does)], columns, f"{key.letter}  ")
        if key.command:
            command = f"memgit {key.command.replace('ID', pass_id)}"
            yield from wrapped([Run(command, Style.FAINT)], columns, "   ")
