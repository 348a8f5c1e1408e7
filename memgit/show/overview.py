"""The first look at a pass: how much there was and would be, whether the store is as it was, what to run next."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.core.report.page import Page
from memgit.core.review.dossier import safe
from memgit.memory.apply import Size
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT
from memgit.model.history import PassKind, PassState
from memgit.model.shell import shell_word
from memgit.model.store import Resolution
from memgit.show.markup import Markup, code, joined, listed, tag

_BYTES_A_TOKEN = 4


def glance(page: Page) -> Iterator[Markup]:
    """Sizes before and after, and what is to be known of the store before anything else."""
    yield from _alerts(page)
    yield tag("ul", *(tag("li", figure, class_="figure") for figure in _figures(page)), class_="figures")
    store = page.record.get("store", {})
    if store.get("unchanged"):
        yield tag(
            "p",
            "The live store was only read: it was ",
            code(str(store.get("fingerprint_before"))),
            " before the pass, and still was after it.",
            class_="small",
        )
    yield from _fallen_off(page.after or page.before)


def _alerts(page: Page) -> Iterator[Markup]:
    if page.header.state is PassState.UNSAFE:
        yield _alert("The store changed while this pass ran: its candidate must not be adopted as it is.")
    for batch in page.record.get("unmined", ()):
        yield _alert(f"Batch {batch['batch']} was not mined: {batch['why']}")


def _alert(sentence: str) -> Markup:
    return tag("div", tag("p", sentence), class_="alert", role="note")


def _figures(page: Page) -> Iterator[Markup]:
    before, after = page.before, page.after
    yield _figure("Memories", before.memories, after.memories if after else None)
    yield _figure(
        "Bytes to read",
        before.bytes,
        after.bytes if after else None,
        note=f"about {_tokens(after or before):,} tokens",
    )
    if not before.indexed:
        return
    yield _measured("Index lines", before.index.lines, after.index.lines if after else None, LINE_LIMIT)
    yield _measured("Index size", before.index.units, after.index.units if after else None, UNIT_LIMIT)


def _tokens(size: Size) -> int:
    return -(-size.bytes // _BYTES_A_TOKEN)


def _figure(name: str, before: int, after: int | None, note: str | None = None, bar: Markup | None = None) -> Markup:
    moved = after is not None and after != before
    came_from = tag("span", f"{before:,} → ", class_="from") if moved else None
    return joined(
        tag("div", name, class_="name"),
        tag("div", came_from, f"{before if after is None else after:,}", class_="value"),
        bar,
        tag("div", note, class_="note") if note else None,
    )


def _measured(name: str, before: int, after: int | None, limit: int) -> Markup:
    """A figure with its share of what the agent loads."""
    now = before if after is None else after
    unit = "UTF-16 units" if limit == UNIT_LIMIT else "lines"
    return _figure(name, before, after, f"{now / limit:.0%} of the {limit:,} {unit} that are loaded", bar(now, limit))


def bar(value: int, limit: int) -> Markup:
    """How much of a limit is used, as a bar that only repeats the figure beside it."""
    share = min(100.0, round(100 * value / limit, 1))
    drawn = (tag("rect", width=width, height=6, class_=name) for width, name in ((100, "all"), (share, "used")))
    over = " over" if value > limit else ""
    return tag(
        "svg", *drawn, viewBox="0 0 100 6", preserveAspectRatio="none", class_=f"meter{over}", aria_hidden="true"
    )


def _fallen_off(size: Size) -> Iterator[Markup]:
    if size.index.over:
        told = f"The index is over the limit: {len(size.index.lost)} lines of it are not loaded."
        yield tag(
            "div",
            tag("p", told, " Nothing was dropped to make it fit."),
            listed([safe(line) for line in size.index.lost[:50]]),
            class_="alert",
        )


# --- what can be run ---


def commands(page: Page) -> Iterator[Markup]:
    """The commands that decide on the pass, by where it stands."""
    store = _store(page)
    said = store.said if store else str
    yield tag("dl", *(part for what, line in _choices(page) for part in _choice(what, said(line))), class_="facts")
    if store and not store.is_named:
        here = joined("In the project's folder, or from anywhere with ", code(f"--store {shell_word(store.path)}"), ".")
        yield tag("p", here, class_="small soft")
    yield from _by_hand(page)


def _store(page: Page) -> Resolution | None:
    """The store as the pass found it; None where the record does not tell."""
    kept = page.record.get("store", {})
    if not kept.get("path"):
        return None
    return Resolution(kept["path"], kept.get("resolved_by", ""), kept.get("shape", "directory"))


def _choice(what: str, line: str) -> tuple[Markup, Markup]:
    return tag("dt", what), tag("dd", tag("code", line, class_="command"))


def _choices(page: Page) -> Iterator[tuple[str, str]]:
    name = page.header.id
    match page.header.state:
        case PassState.PLANNED:
            yield "Hand in what was decided", f"memgit decide {name} FILE"
            yield "Discard it", f"memgit discard {name}"
        case PassState.READY:
            yield "Decide one by one", f"memgit review {name}"
            yield "Adopt all of it", f"memgit adopt {name}{_all(page)}"
            yield "Adopt some of it", f"memgit adopt {name} --only {_first(page)}"
            yield "Discard it", f"memgit discard {name}"
        case PassState.UNSAFE:
            yield "Merge it with the store's own changes", f"memgit merge {name}"
            yield "Discard it", f"memgit discard {name}"
        case PassState.ADOPTED:
            yield "Take it back", "memgit undo"
        case PassState.UNDONE:
            yield "Adopt it again", "memgit redo"
        case PassState.DISCARDED | PassState.MERGED | PassState.CLOSED:
            yield "Bring back an earlier state", "memgit restore --at OP"


def _all(page: Page) -> str:
    """What adopting needs where proposals are to be approved first."""
    return " --all" if page.header.kind in (PassKind.AUDIT, PassKind.SWEEP) else ""


def _first(page: Page) -> str:
    return next((shown.decision.id for shown in page.dossiers if shown.decision.changes), "M1")


def _by_hand(page: Page) -> Iterator[Markup]:
    """The same without memgit: the lines that the pass printed and that are no command of it."""
    given = page.record.get("commands", {})
    lines = [line for name in ("adopt", "discard") for line in given.get(name, ()) if not line.startswith("memgit ")]
    if lines:
        shown = (tag("code", line, class_="command") for line in lines)
        yield tag("details", tag("summary", "Adopt and discard without memgit"), *shown)
