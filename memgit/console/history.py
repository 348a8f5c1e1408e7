"""One memory's story: a turn at a time, with what was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memgit.console.paint import Canvas
from memgit.console.streams import answer

if TYPE_CHECKING:
    from memgit.core.passes.history import Event, Life
    from memgit.model.decision import Evidence
    from memgit.text.layout import Row


def told(life: Life, as_json: bool) -> int:
    """Everything that happened to a memory, oldest first."""
    if as_json:
        answer("history", history_json(life))
        return 0
    canvas = Canvas.now()
    canvas.paint(_rows(life, canvas.reading_columns))
    return 0


def _rows(life: Life, columns: int) -> Iterator[Row]:
    from memgit.evidence.findings import printable_name
    from memgit.text.layout import Run, Style

    stands = "in the store" if life.is_live else "no longer in the store"
    yield (Run(printable_name(life.memory), Style.TITLE), Run(f" ({stands})"))
    for event in life.events:
        yield from _event(life.memory, event, columns)


def _event(memory: str, event: Event, columns: int) -> Iterator[Row]:
    from memgit.core.passes.history import TURNS, cause, others
    from memgit.evidence.findings import printable_name
    from memgit.text.layout import Run, Style, wrapped

    operation = event.operation
    sentence = f"{TURNS[event.turn]}{cause(event)}"
    yield from wrapped([Run(f"{operation.time:%Y-%m-%d %H:%M}  {operation.id}  {sentence}")], columns, left="    ")
    if named := ", ".join(map(printable_name, others(memory, event))):
        yield from wrapped([Run(f"with {named}", Style.FAINT)], columns, "    ")
    for one in event.decision.evidence if event.decision else ():
        yield from wrapped([Run(_evidence(one), Style.QUOTED)], columns, "    ")


def _evidence(one: Evidence) -> str:
    from memgit.core.report.looks import evidence

    return evidence(one)


def history_json(life: Life) -> dict[str, Any]:
    """A memory's story as ``--json`` prints it."""
    return {"memory": life.memory, "live": life.is_live, "events": [_event_json(life.memory, e) for e in life.events]}


def _event_json(memory: str, event: Event) -> dict[str, Any]:
    from memgit.core.passes.history import others, session_of
    from memgit.core.passes.records import decision_json

    operation = event.operation
    return {
        "turn": event.turn.value,
        "time": operation.time.isoformat(),
        "operation": operation.id,
        "kind": operation.kind.value,
        "subject": operation.subject,
        "pass": operation.pass_id,
        "session": session_of(event) or None,
        "origin": event.origin or None,
        "others": list(others(memory, event)),
        "decision": decision_json(event.decision) if event.decision else None,
    }
