"""The decisions of a pass, each whole: what it does to which text, why, and on what evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memgit.core.passes.history import TURNS, Event, Life, cause
from memgit.core.review.dossier import Dossier, NotFound, Quotation, Sight, TextChange, Turn, safe
from memgit.core.review.dossier import safe as safely
from memgit.evidence.findings import printable_name
from memgit.model.decision import Approval, Decision, Kind
from memgit.model.history import Operation
from memgit.model.session import Role
from memgit.model.store import INDEX
from memgit.show.checks import prose
from memgit.show.markup import Markup, code, joined, listed, tag, time
from memgit.text.diff import Piece

# --- evidence ---
# What backs a decision: quotes with the turns around them, places of the tree with their commits.

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


# --- texts ---
# The texts of memories as a page shows them: what changed word by word, and no more of the rest than tells where.

LONGEST = 20_000
"""Characters of one text that a page shows; a memory can be megabytes."""
_CONTEXT, _FOLDED = 400, 1_200
"""An unchanged passage longer than the second shows this many characters at either end."""


def text_change(change: TextChange) -> Markup:
    """One file that a decision writes or takes away."""
    name = "the index" if change.path == INDEX else change.path.removesuffix(".md")
    match change.before, change.after:
        case None, after:
            return tag("section", tag("h4", f"New memory {name}"), tag("div", cut(after or ""), class_="text"))
        case before, None:
            told = tag("summary", "The text of ", tag("strong", name), " that goes, whole; the history keeps it")
            return tag("details", told, tag("div", tag("del", cut(before or "")), class_="text gone"))
        case before, after if before == after:
            return tag("p", "The text of ", tag("strong", name), " stays as it is.", class_="small")
        case _:
            return tag("section", tag("h4", f"Change of {name}"), tag("div", *_pieces(change.words), class_="text"))


def cut(text: str) -> Markup:
    """A text, or its beginning with a word on how much is left out."""
    if len(text) <= LONGEST:
        return joined(text)
    return joined(text[:LONGEST], tag("span", f"\n… {len(text) - LONGEST:,} more characters", class_="soft"))


def _pieces(words: Sequence[Piece]) -> Iterator[Markup]:
    left, last = LONGEST, len(words) - 1
    for at, piece in enumerate(words):
        if left <= 0:
            yield tag("span", "\n… more follows; `memgit diff` shows all of it", class_="soft")
            return
        shown = _piece(piece, is_first=at == 0, is_last=at == last)
        left -= len(piece.text) if piece.fate != "same" else min(len(piece.text), _FOLDED)
        yield shown


def _piece(piece: Piece, *, is_first: bool, is_last: bool) -> Markup:
    match piece.fate:
        case "added":
            return tag("ins", cut(piece.text))
        case "removed":
            return tag("del", cut(piece.text))
        case "same":
            return _unchanged(piece.text, is_first=is_first, is_last=is_last)


def _unchanged(text: str, *, is_first: bool, is_last: bool) -> Markup:
    """A passage that stays; of a long one the ends that lie beside a change."""
    if len(text) <= _FOLDED:
        return joined(text)
    head, tail = "" if is_first else text[:_CONTEXT], "" if is_last else text[-_CONTEXT:]
    left_out = len(text) - len(head) - len(tail)
    return joined(head, tag("span", f"\n… {left_out:,} characters stay as they are …\n", class_="soft"), tail)


_DOES = {
    Kind.MERGE: "Merge",
    Kind.REPLACE: "Replace",
    Kind.UPDATE: "Update",
    Kind.ADD: "Add",
    Kind.DROP: "Remove",
    Kind.SPLIT: "Split",
    Kind.REJECT: "Not taken",
    Kind.REPAIR: "Repair",
}


def decisions(shown: Sequence[Dossier]) -> Markup:
    """An article for each."""
    return joined(*map(decision, shown))


def decision(shown: Dossier) -> Markup:
    """One decision."""
    one = shown.decision
    texts = shown.changes if one.changes else ()
    return tag(
        "article",
        _head(one),
        *_standing(one),
        tag("p", prose(shown.justification)),
        _about(one),
        _left_out(one),
        *map(text_change, texts),
        *evidence(shown, "Evidence" if one.changes else "Evidence, as given"),
        *not_found(shown.not_found),
        class_="decision",
        id=one.id,
        aria_labelledby=f"{one.id}-title",
        data_filter=True,
    )


def _standing(one: Decision) -> Iterator[Markup]:
    """What is asked or doubted of it, what was answered to that, and the fact that refuses it."""
    if one.asks:
        yield tag("p", tag("strong", safe(one.asks)))
    for doubt in one.doubts:
        about = f" “{safe(doubt.about)}”" if doubt.about and doubt.about not in doubt.says else ""
        yield tag("p", tag("strong", "Doubt: "), safe(doubt.says), about)
    if one.confirmed:
        yield tag("p", tag("strong", "Confirmed: "), safe(one.confirmed))
    if one.refused_by:
        yield tag("p", tag("strong", "Refused: "), safe(one.refusal))
    for remark in one.remarks:
        yield tag("p", safe(remark), class_="small soft")


def _head(one: Decision) -> Markup:
    number = tag("span", one.id, class_="number")
    state = None if one.approval is Approval.PROPOSED else tag("span", one.approval, class_=f"badge {one.approval}")
    return tag(
        "header",
        tag("h3", number, " ", _title(one), id=f"{one.id}-title"),
        tag("span", _DOES[one.kind], class_=f"badge {one.kind}"),
        state,
        tag("span", safe(one.reason), class_="soft small") if one.reason else None,
    )


def _title(one: Decision) -> Markup:
    """The memories that it speaks of, and what they become where that is another name."""
    if not one.changes and one.claim:
        return joined(safe(one.claim))
    names = " + ".join(map(safe, one.memories or one.results)) or "the index"
    becomes = " + ".join(map(safe, one.results))
    return joined(names, f" → {becomes}" if one.memories and becomes not in ("", names) else None)


def _about(one: Decision) -> Markup | None:
    """The memories of a proposal that was not taken, whose title is what it claimed."""
    if one.changes or not one.claim or not one.memories:
        return None
    return tag("p", "About ", *_commas(one.memories), class_="small soft")


def _left_out(one: Decision) -> Markup | None:
    if not one.leaves_out:
        return None
    return tag("p", "Left out on purpose: ", *_commas(one.leaves_out), class_="small soft")


def _commas(names: Sequence[str]) -> Iterator[Markup]:
    for at, name in enumerate(names):
        yield joined(", " if at else None, code(safe(name)))


# --- stories ---
# The story of each memory: when it came, what changed it, and what this pass would make of it.

MOST = 400
"""Stories on a page; those of the memories that the pass speaks of come first."""


def stories(lives: Sequence[Life], dossiers: Sequence[Dossier], *, waits: bool) -> Iterator[Markup]:
    """One fold for each memory. ``waits`` says that nobody has decided on the pass yet."""
    spoken = {name: shown.decision for shown in dossiers if shown.decision.changes for name in shown.decision.memories}
    ordered = sorted(lives, key=lambda life: life.memory not in spoken)
    yield from (_story(life, spoken if waits else {}) for life in ordered[:MOST])
    if len(ordered) > MOST:
        yield tag("p", f"{len(ordered) - MOST:,} more memories are not told of here.", class_="soft")


def _story(life: Life, spoken: Mapping[str, Decision]) -> Markup:
    ahead = spoken.get(life.memory)
    state = None if life.is_live else tag("span", "gone", class_="badge")
    waiting = tag("span", f"{ahead.id} would change it", class_="badge update") if ahead else None
    often = f" {len(life.events)} events since " if len(life.events) > 1 else " since "
    told = tag("span", often, _day(life.events[0].operation), class_="soft small")
    events = [*map(_event, life.events), *([_would(ahead)] if ahead else [])]
    return tag(
        "details",
        tag("summary", tag("strong", safe(printable_name(life.memory))), told, state, waiting),
        tag("ol", *(tag("li", event) for event in events), class_="events"),
        class_="life",
        data_filter=True,
    )


def _day(operation: Operation) -> Markup:
    return time(operation.time.isoformat(), f"{operation.time:%Y-%m-%d}")


def _event(event: Event) -> Markup:
    return joined(_day(event.operation), " ", TURNS[event.turn], cause(event), " ", code(event.operation.id))


def _would(ahead: Decision) -> Markup:
    return joined(
        "If this pass is adopted, ", tag("a", ahead.id, href=f"#{ahead.id}"), f": {safe(ahead.justification)}"
    )
