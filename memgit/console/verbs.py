"""What a lifecycle verb did, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memgit.console.terminal import answer, say, steps

if TYPE_CHECKING:
    from memgit.flows.desk import Done


def done(result: Done, as_json: bool, *, verbose: bool = False) -> int:
    """What a lifecycle verb did, and how to take it back; with ``verbose`` also where the store before is."""
    if as_json:
        answer("done", done_json(result))
        return 0
    say(result.did)
    lines(result.notes)
    if result.superseded and verbose:
        say(f"The store before is in {result.superseded}.")
    steps([("take it back", result.undo_hint)] if result.undo_hint else ())
    return 0


def done_json(result: Done) -> dict[str, Any]:
    """What a lifecycle verb did, as ``--json`` prints it."""
    return {
        "did": result.did,
        "undo": result.undo_hint,
        "operation": result.operation.id if result.operation else None,
        "superseded": str(result.superseded) if result.superseded else None,
        "notes": list(result.notes),
    }


def lines(rows: Iterable[str]) -> None:
    """Print rows of an answer."""
    for row in rows:
        say(row)
