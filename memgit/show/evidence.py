"""What backs a decision: quotes with the turns around them, places of the tree with their commits."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.core.review.dossier import Dossier, NotFound, Quotation, Sight, Turn
from memgit.core.review.dossier import safe as safely
from memgit.model.session import Role
from memgit.show.markup import Markup, code, joined, listed, tag, time

_PLACES = {
    "tree": "In the working tree",
    "commit": "In its history",
    "memory": "In the memory",
    "index": "In the index, line",
}


def evidence(shown: Dossier, heading: str) -> Iterator[Markup]:
    """Every quote and sight of a decision, under a heading of their own."""
    if shown.quotations or shown.sights:
        yield tag("h4", heading)
    yield from map(quotation, shown.quotations)
    yield from map(sight, shown.sights)


def quotation(shown: Quotation) -> Markup:
    """A quote in its conversation; alone, and why so, where the conversation is not there."""
    said = shown.said
    day = f", {said.time[:10]}" if said.time else ""
    by = f", in answer to “{said.answers}”" if said.answers else ""
    source = tag("p", f"Session {said.session[:8]}{day}{by}", class_="soft small")
    if not shown.turns:
        alone = tag("blockquote", tag("p", tag("mark", said.quote)))
        return tag(
            "div", source, alone, tag("p", shown.why_not, class_="small") if shown.why_not else None, class_="talk"
        )
    return tag("div", source, *map(_turn, shown.turns), class_="talk")


def _turn(turn: Turn) -> Markup:
    who = "You" if turn.role is Role.USER else "Agent"
    when = time(turn.time.isoformat(), f"{turn.time:%Y-%m-%d %H:%M}") if turn.time else None
    named = tag("span", who, " · " if when else None, when, class_="who")
    said = _context(turn.text) if turn.quote is None else tag("p", _marked(turn.text, turn.quote))
    return tag("div", named, said, class_=f"turn {turn.role.value}")


def _context(text: str) -> Markup:
    """What was said around a quote; of a long message the beginning, with the rest folded behind it."""
    if len(text) <= _BEGINNING + _LITTLE:
        return tag("p", text)
    cut = text.rfind(" ", 0, _BEGINNING) + 1 or _BEGINNING
    rest, more = text[cut : cut + _LONG], len(text) - cut - _LONG
    left_out = tag("span", f" … {more:,} more characters", class_="soft") if more > 0 else None
    return tag("details", tag("summary", text[:cut], tag("span", "…", class_="soft")), tag("p", "… ", rest, left_out))


def _marked(text: str, quote: tuple[int, int]) -> Markup:
    start, end = quote
    before, after = text[:start], text[end:]
    before = before if len(before) <= _LONG else f"… {before[-_LONG:]}"
    after = after if len(after) <= _LONG else f"{after[:_LONG]} …"
    return joined(before, tag("mark", text[start:end]), after)


_BEGINNING, _LITTLE = 220, 60
"""Characters that a message around a quote shows before it is unfolded, and so few more that folding them is silly."""
_LONG = 1_200
"""Characters of a message that are shown at the most on one side."""


def sight(shown: Sight) -> Markup:
    """A place that can be looked at: what it says, the commit that brought it, whether it is still there."""
    kind, _, where = shown.seen.where.partition(":")
    known = joined(_PLACES.get(kind, kind), ": ", code(where))
    change, holds = shown.glimpse.change, shown.glimpse.holds
    brought = (
        joined(" · ", code(change.commit[:7]), " ", safely(_what(change.date, change.subject))) if change else None
    )
    gone = tag("strong", " · no longer there") if holds is False else None
    text = tag("pre", shown.seen.quote) if shown.seen.quote.strip() else None
    return tag("div", tag("div", known, brought, gone, class_="small"), text, class_="seen")


def _what(date: str, subject: str) -> str:
    return ", ".join(part for part in (date, subject) if part)


def not_found(missing: tuple[NotFound, ...]) -> Iterator[Markup]:
    """What the resulting text names and the working tree does not have."""
    if missing:
        yield tag("h4", "Not found in the working tree")
        entries = [joined(code(each.span), f": {_reason(each.reason, each.hint)}") for each in missing]
        yield listed(entries) or joined()


def _reason(reason: str, hint: str) -> str:
    return hint if hint.startswith(reason) else ", ".join(part for part in (reason, hint) if part)
