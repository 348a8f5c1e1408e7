"""The decisions of a pass, each whole: what it does to which text, why, and on what evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.core.review.dossier import Dossier, safe
from memgit.model.decision import Approval, Decision, Kind
from memgit.show.checks import prose
from memgit.show.evidence import evidence, not_found
from memgit.show.markup import Markup, code, joined, tag
from memgit.show.texts import text_change

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
