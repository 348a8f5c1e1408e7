"""The story of each memory: when it came, what changed it, and what this pass would make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memgit.core.passes.history import TURNS, Event, Life, cause
from memgit.core.review.dossier import Dossier, safe
from memgit.evidence.findings import printable_name
from memgit.model.decision import Decision
from memgit.model.history import Operation
from memgit.show.markup import Markup, code, joined, tag, time

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
