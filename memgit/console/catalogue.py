"""The stores of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memgit.console.paint import tell
from memgit.console.streams import answer, say
from memgit.console.verbs import lines

if TYPE_CHECKING:
    from memgit.memory.stores import Listed


def catalogued(found: Sequence[Listed], as_json: bool, *, verbose: bool = False) -> int:
    """All stores in a sentence, then each in a line or two, with what somebody should know of it."""
    from memgit.memory.stores import concerns, row, rows, summary
    from memgit.text.layout import Run, Style

    if as_json:
        answer("stores", {"stores": [_listed(one) for one in found]})
        return 0
    say(summary(found))
    for one in found:
        if verbose:
            lines(rows(one))
            continue
        path, told = row(one)
        tell(Run(path, Style.TITLE))
        tell(told, left="  ")
        for concern in concerns(one):
            tell(Run(concern, Style.WARNING), left="  ")
    return 0


def _listed(one: Listed) -> dict[str, Any]:
    from memgit.memory.stores import concerns

    record, found = one.record, one.drift
    return {
        "path": one.path,
        "shape": one.shape,
        "why": one.why,
        "project": one.project or None,
        "memories": one.memories,
        "loaded": {
            "lines": one.loaded.lines,
            "units": one.loaded.units,
            "bytes": one.loaded.bytes,
            "over": one.loaded.is_over,
        },
        "drift": {"orphans": len(found.orphans), "dead": len(found.dead), "doubles": len(found.doubles)},
        "kin": one.kin,
        "overlaps": [{"path": other.path, "shared": other.shared} for other in one.overlaps],
        "recorded": record is not None,
        "operations": record.operations if record else 0,
        "last_pass": {"pass": record.last_pass, "did": record.did} if record and record.last_pass else None,
        "concerns": list(concerns(one)),
    }
