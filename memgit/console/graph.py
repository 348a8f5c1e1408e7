"""The log as a graph in plain characters: the store's line, and each candidate as a branch off it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memgit.console.looking import header_json, operation_json
from memgit.console.paint import Canvas
from memgit.console.streams import answer, say

if TYPE_CHECKING:
    from memgit.core.passes.history import Graph, Knot
    from memgit.model.history import PassHeader
    from memgit.text.layout import Row

_MARKS = {
    "adopted": "+",
    "merged": "~",
    "discarded": "x",
    "undone": "-",
    "unsafe": "!",
}
_OPEN = "?"


def graphed(graph: Graph, as_json: bool) -> int:
    """The store's line, newest first, with the passes that branch off."""
    if as_json:
        answer("graph", _json(graph))
        return 0
    canvas = Canvas.now()
    canvas.paint(_rows(graph, canvas.reading_columns))
    if not graph.knots:
        say("There is nothing to draw yet; `memgit curate` runs a pass.")
    return 0


def _rows(graph: Graph, columns: int) -> Iterator[Row]:
    for header in graph.rootless:
        yield from _branch(header, "", columns)
    for above, knot in pairwise((None, *graph.knots)):
        assert knot is not None
        yield from _branches(above, knot, columns)
        yield from _station(knot, columns)


def _branches(above: Knot | None, knot: Knot, columns: int) -> Iterator[Row]:
    """The passes that started from a knot, between it and the knot above."""
    from memgit.text.layout import Run

    line = " " if above is None else "|"
    if above and knot.passes and above.takes_in == knot.passes[0].id:
        yield (Run("|\\"),)
    for header in knot.passes:
        yield from _branch(header, f"{line} ", columns)
    if knot.passes:
        yield (Run(f"{line}/"),)


def _station(knot: Knot, columns: int) -> Iterator[Row]:
    from memgit.text.layout import Run, Style, wrapped

    operation = knot.operation
    told = [
        Run(f"{operation.time:%Y-%m-%d %H:%M}  ", Style.FAINT),
        Run(operation.id, Style.TITLE),
        Run(f"  {operation.subject}"),
    ]
    yield from wrapped(told, columns, "* ", "| ")


def _branch(header: PassHeader, line: str, columns: int) -> Iterator[Row]:
    from memgit.text.layout import Run, Style, wrapped

    told = [
        Run(header.id, Style.TITLE),
        Run(f"  {header.state}  {header.kind}: {header.summary or 'no decisions yet'}"),
    ]
    yield from wrapped(told, columns, f"{line}{_MARKS.get(header.state, _OPEN)} ", f"{line}  ")


def _json(graph: Graph) -> dict[str, Any]:
    line = [
        {
            **operation_json(knot.operation),
            "takes_in": knot.takes_in,
            "passes": [header_json(header) for header in knot.passes],
        }
        for knot in graph.knots
    ]
    return {"line": line, "rootless": [header_json(header) for header in graph.rootless]}
