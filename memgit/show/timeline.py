"""The store over time: the chart, the table that says the same, and every pass with what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.core.report.page import Chronicle, Page
from memgit.core.review.dossier import safe
from memgit.model.history import PassHeader, PassState
from memgit.show.chart import chart, legend
from memgit.show.markup import Markup, joined, table, tag

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
