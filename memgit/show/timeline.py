"""The store over time: the chart, the table that says the same, and every pass with what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memgit.core.report.outline import Chronicle, Page, Stand
from memgit.core.review.dossier import safe
from memgit.memory.apply import Size
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT
from memgit.model.history import OpKind, PassHeader, PassState
from memgit.show.markup import Markup, joined, table, tag

# --- chart ---
# The course of a store as a drawing: memories, index lines and index units over all recorded changes.
#
# Inline SVG without styles of its own, so that the page's stylesheet gives it its colours. The same figures stand in a
# table below it, for whoever cannot see it.

WIDTH, _LEFT, _RIGHT = 760, 8, 132
_TOP, _PANEL, _GAP, _FOOT = 38, 72, 38, 26
_LABEL = 92
"""Width that a date or the id of a pass needs."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One curve: what it counts, a value for each stand, the one that the candidate would have, and a limit."""

    title: str
    values: tuple[int, ...]
    would: int | None = None
    limit: int | None = None

    @property
    def top(self) -> int:
        """The value at the upper edge. A limit is in sight only once the curve comes near it."""
        highest = max((*self.values, self.would or 0, 1))
        return max(highest, self.limit) if self.limit and highest > self.limit / 3 else highest


def panels(stands: Sequence[Stand], would: Size | None) -> tuple[Panel, ...]:
    """The three curves of a store. ``would`` is the size of a candidate that still waits."""
    lines, units = (would.index.lines, would.index.units) if would else (None, None)
    return (
        Panel("Memories", tuple(each.memories for each in stands), would.memories if would else None),
        Panel("Index lines", tuple(each.index_lines for each in stands), lines, LINE_LIMIT),
        Panel("Index size in UTF-16 units", tuple(each.index_units for each in stands), units, UNIT_LIMIT),
    )


def chart(stands: Sequence[Stand], would: Size | None) -> Markup:
    """The drawing. ``stands`` are oldest first and at least one."""
    drawn = panels(stands, would)
    xs = _columns(len(stands) + (would is not None))
    height = _TOP + len(drawn) * (_PANEL + _GAP) - _GAP + _FOOT + 12
    bottom = height - _FOOT
    return tag(
        "svg",
        tag("title", "The store over time", id="chart-title"),
        tag("desc", description(stands, drawn), id="chart-text"),
        *_adoptions(stands, xs, bottom),
        *(_panel(panel, xs, _TOP + at * (_PANEL + _GAP), at > 0) for at, panel in enumerate(drawn)),
        *_dates(stands, xs, bottom, would is not None),
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby="chart-title chart-text",
    )


def description(stands: Sequence[Stand], drawn: Sequence[Panel]) -> str:
    """What the drawing shows, in sentences."""
    span = (
        f"{len(stands)} recorded states, {stands[0].operation.time:%Y-%m-%d} to {stands[-1].operation.time:%Y-%m-%d}."
    )
    return " ".join((span, *map(_sentence, drawn)))


def _sentence(panel: Panel) -> str:
    limit = f" of at most {panel.limit:,}" if panel.limit else ""
    would = f"; this candidate would make it {panel.would:,}" if panel.would is not None else ""
    return f"{panel.title}: {panel.values[0]:,} at first, {panel.values[-1]:,} now{limit}{would}."


def _columns(count: int) -> tuple[float, ...]:
    """Where each state stands: evenly, because changes come in bursts with weeks between them."""
    if count == 1:
        return (_LEFT + 4.0,)
    step = (WIDTH - _LEFT - 4 - _RIGHT) / (count - 1)
    return tuple(round(_LEFT + 4 + at * step, 1) for at in range(count))


def _panel(panel: Panel, xs: Sequence[float], top: int, is_index: bool) -> Markup:
    base = top + _PANEL
    ys = [_height(value, panel, base) for value in panel.values]
    line = _steps(xs, ys)
    now = len(ys) - 1
    return tag(
        "g",
        tag("text", panel.title, x=_LEFT, y=top - 8, class_="title"),
        tag("line", x1=_LEFT, x2=WIDTH - _RIGHT + 8, y1=base, y2=base, class_="axis"),
        *_limit(panel, top, base),
        tag("path", d=f"{line} V{base} H{xs[0]} Z", class_="area"),
        tag("path", d=line, class_="line"),
        tag("circle", cx=xs[now], cy=ys[now], r=3.5, class_="now"),
        *_ends(panel, xs, ys, base),
        class_="index" if is_index else None,
    )


def _height(value: int, panel: Panel, base: int) -> float:
    return round(base - _PANEL * value / panel.top, 1)


def _steps(xs: Sequence[float], ys: Sequence[float]) -> str:
    """A line that stays level until the next change."""
    moves = (
        f"H{x} V{y}" for (x, y), (_, before) in zip(list(zip(xs, ys, strict=False))[1:], pairwise(ys), strict=False)
    )
    return " ".join((f"M{xs[0]} {ys[0]}", *moves))


def _limit(panel: Panel, top: int, base: int) -> Iterator[Markup]:
    if panel.limit is None:
        return
    if panel.limit > panel.top:
        yield tag("text", f"limit {panel.limit:,}", x=WIDTH - _RIGHT + 8, y=top - 8, text_anchor="end", class_="small")
        return
    y = _height(panel.limit, panel, base)
    yield tag("line", x1=_LEFT, x2=WIDTH - _RIGHT + 8, y1=y, y2=y, class_="limit")
    yield tag("text", f"limit {panel.limit:,}", x=WIDTH - _RIGHT + 8, y=y - 4, text_anchor="end", class_="limit-name")


def _ends(panel: Panel, xs: Sequence[float], ys: Sequence[float], base: int) -> Iterator[Markup]:
    """The newest value, and the one that the candidate would have."""
    x = WIDTH - _RIGHT + 16
    if panel.would is None:
        yield tag("text", f"{panel.values[-1]:,}", x=x, y=ys[-1] + 4, class_="value")
        return
    y, here = _height(panel.would, panel, base), len(ys) - 1
    yield tag("path", d=f"M{xs[here]} {ys[here]} L{xs[-1]} {y}", class_="onward")
    yield tag("circle", cx=xs[-1], cy=y, r=3.5, class_="would")
    yield tag("text", f"{panel.values[-1]:,} → {panel.would:,}", x=x, y=y + 4, class_="value")


def _adoptions(stands: Sequence[Stand], xs: Sequence[float], bottom: int) -> Iterator[Markup]:
    """A line through all curves where a pass was adopted, with its id where there is room."""
    free = 0.0
    for stand, x in zip(stands, xs, strict=False):
        if stand.operation.kind is OpKind.ADOPT:
            name = f"{stand.operation.id}: {stand.operation.subject}"
            yield tag("line", tag("title", name), x1=x, x2=x, y1=_TOP - 22, y2=bottom, class_="adopted")
            if x >= max(free, _LEFT + _LABEL):
                label = stand.operation.pass_id or stand.operation.id
                yield tag("text", label, x=x + 4, y=_TOP - 14, class_="pass")
                free = x + _LABEL


def _dates(stands: Sequence[Stand], xs: Sequence[float], bottom: int, waits: bool) -> Iterator[Markup]:
    """Dates below the columns, each day once, as many as have room; below the last the candidate, where one waits."""
    last = xs[-1] - (_LABEL + 70 if waits else 0)
    free, told = 0.0, ""
    for stand, x in zip(stands, xs, strict=False):
        date = f"{stand.operation.time:%Y-%m-%d}"
        if date != told and free <= x <= max(last, xs[0]):
            yield tag("text", date, x=x - 4, y=bottom + 17, class_="date")
            free, told = x + _LABEL, date
    if waits:
        yield tag("text", "if adopted", x=xs[-1] + 16, y=bottom + 17, text_anchor="end", class_="value")


def legend() -> Markup:
    """How to read the drawing."""
    return joined(
        "Each column is one recorded state of the live store, oldest on the left, evenly spaced; ",
        "dotted lines are adopted passes, a hollow point is what this candidate would make of it.",
    )


MOST = 100
"""Passes on a page, the newest."""


def timeline(page: Page) -> Markup:
    """The chart with the table that says the same."""
    kept = page.chronicle
    if not kept.stands:
        return joined()
    would = page.after if page.header.state is PassState.READY else None
    drawing = tag("div", chart(kept.stands, would), class_="scroll", role="region", aria_label="Chart", tabindex=0)
    return joined(
        tag("figure", drawing, tag("figcaption", legend(), class_="soft small"), class_="chart"),
        _passed_over(kept),
        tag("details", tag("summary", "The same as a table"), _stands(kept)),
        _passes(kept.passes, page.header.id),
    )


def _passed_over(kept: Chronicle) -> Markup | None:
    if not kept.passed_over:
        return None
    return tag(
        "p", f"{kept.passed_over:,} older changes are passed over; `memgit log --ops` lists them.", class_="soft small"
    )


def _stands(kept: Chronicle) -> Markup:
    rows = (
        (
            stand.operation.id,
            f"{stand.operation.time:%Y-%m-%d %H:%M}",
            safe(stand.operation.subject),
            f"{stand.memories:,}",
            f"{stand.index_lines:,}",
            f"{stand.index_units:,}",
        )
        for stand in reversed(kept.stands)
    )
    return table(("Operation", "Time", "What", "Memories", "Index lines", "Units"), rows, "States of the live store")


def _passes(headers: Sequence[PassHeader], shown: str) -> Markup:
    rows = (
        (
            tag("strong", header.id) if header.id == shown else header.id,
            header.kind,
            tag("span", header.state, class_=f"badge {header.state}"),
            safe(header.summary) or "no decisions yet",
        )
        for header in headers[:MOST]
    )
    told = f"The newest {MOST} of {len(headers):,}." if len(headers) > MOST else "Newest first."
    return joined(tag("h3", "All passes"), table(("Pass", "Kind", "State", "Decided"), rows, told))
