"""Logs, reports, differences and how a store stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memgit.console.checks import findings_json, found
from memgit.console.terminal import (
    Canvas,
    answer,
    answer_whole,
    at_terminal,
    lines,
    say,
    steps,
    tell,
    warn,
    write_whole,
)
from memgit.model.history import PassState
from memgit.text.layout import Run, Style, wrapped

if TYPE_CHECKING:
    from pathlib import Path

    from memgit.core.passes.history import Event, Graph, Knot, Life
    from memgit.core.review.dossier import Dossier
    from memgit.flows.dossiers import Papers
    from memgit.flows.look import Report, SeenDecision, SeenMemory, Standing
    from memgit.model.decision import Decision, Evidence
    from memgit.model.history import Operation, PassHeader
    from memgit.model.verification import Finding
    from memgit.text.layout import Row

_STATES = {
    PassState.PLANNED: Style.WARNING,
    PassState.READY: Style.WARNING,
    PassState.ADOPTED: Style.GOOD,
    PassState.UNSAFE: Style.BAD,
}
"""What of a pass's states stands out."""


def logged(headers: Sequence[PassHeader], as_json: bool) -> int:
    """All passes, newest first, one in a row; then what can be done with the one that waits."""
    if as_json:
        answer("log", {"passes": [header_json(header) for header in headers]})
        return 0
    for header in headers:
        state = Run(f"{_said(header.state):<9} ", _STATES.get(header.state, Style.FAINT))
        tell(Run(f"{header.id}  ", Style.TITLE), state, f"{header.kind}: {header.summary or 'no decisions yet'}")
    if not headers:
        say("There is no pass yet; `memgit curate` runs one.")
    return 0


def _said(state: PassState) -> str:
    """A state as a person would say it."""
    return "waits" if state is PassState.READY else state.value


def header_json(header: PassHeader) -> dict[str, Any]:
    """A pass as the log knows it."""
    return {
        "pass": header.id,
        "kind": header.kind,
        "mode": header.mode,
        "state": header.state,
        "time": header.time.isoformat(),
        "snapshot": header.snapshot,
        "candidate": header.candidate,
        "summary": header.summary,
        "paths": asdict(header.paths),
    }


def shown(report: Report, as_json: bool) -> int:
    """A pass's report, as Markdown."""
    if as_json:
        answer_whole(report.record or {"schema": "memgit.pass/1", **header_json(report.header)})
        return 0
    state = report.header.state
    if state not in (PassState.PLANNED, PassState.READY):
        say(f"Pass {report.header.id} is {state}.\n")
    say(report.text or f"Pass {report.header.id} is {state}; its decisions are still to come.")
    return 0


def shown_drawn(report: Report, papers: Papers, drawn: Sequence[Dossier], *, verbose: bool) -> int:
    """A pass on a screen: the answer, each decision as a review draws it, and what can be done with it."""
    from memgit.console.passes import next_steps

    header, outcome = report.header, papers.outcome
    state = Run(_said(header.state), _STATES.get(header.state, Style.FAINT))
    tell(Run(f"Pass {header.id} ", Style.TITLE), "(", state, f"): {header.summary or 'no decisions yet'}.")
    for dossier in drawn:
        say("")
        _draw(dossier, outcome.decisions)
    if not drawn:
        say("There is no decision in it.")
    if verbose:
        say("")
        say(report.text)
    if header.state.waits:
        say("")
        steps(next_steps(replace(outcome, fingerprint_after=outcome.plan.fingerprint)))
    return 0


def decision_shown(seen: SeenDecision, as_json: bool) -> int:
    """One decision: drawn as in a review on a screen, as Markdown in a pipe."""
    from memgit.core.review.dossier import dossier_json

    if as_json:
        answer("review", {"pass": seen.header.id, "decisions": [dossier_json(seen.dossier)]})
        return 0
    if at_terminal():
        _draw(seen.dossier, seen.decisions)
    else:
        say(seen.text)
    if seen.header.state is PassState.READY:
        say("")
        name, one = seen.header.id, seen.dossier.decision
        steps((what, seen.said(f'memgit approve {name} "{word} {one.id}"')) for what, word in _ANSWERS if one.changes)
    return 0


_ANSWERS = (("take it", "approve"), ("turn it down", "reject"))


def _draw(dossier: Dossier, decisions: Sequence[Decision]) -> None:
    from memgit.core.review.screen import decision_rows
    from memgit.core.review.state import opened

    canvas = Canvas.now()
    review = opened(decisions)
    canvas.paint(decision_rows(dossier, review, canvas.reading_columns, whole=False, marks=not canvas.colours))


def memory_shown(seen: SeenMemory, as_json: bool) -> int:
    """One memory as it is now, and what a pass that waits would do with it."""
    if as_json:
        decisions = [each.id for each in seen.decisions]
        answer("memory", {"memory": seen.memory, "text": seen.text, "pass": seen.pass_id, "decisions": decisions})
        return 0
    from memgit.console.passes import outlined

    if seen.text is None:
        say(f"{seen.memory} is not in the store.")
    else:
        canvas = Canvas.now()
        canvas.paint(wrapped([Run(seen.text.rstrip("\n"))], canvas.reading_columns))
    if seen.decisions:
        say(f"\nPass {seen.pass_id} would change it:")
        outlined(seen.decisions)
    say("")
    see = [(f"see {each.id} with its texts", f"memgit show {each.id}") for each in seen.decisions]
    steps([*see, ("what made it what it is", seen.history)])
    return 0


def page_printed(html: str) -> int:
    """A page as the whole answer, in plain ASCII, so that it comes whole through any stream. What is hostile in it is
    escaped already."""
    write_whole(html.encode("ascii", "xmlcharrefreplace").decode("ascii"))
    return 0


def page_made(pass_id: str, path: Path, opened: bool | None, as_json: bool) -> int:
    """Where a page lies. ``opened`` says whether a browser took it, None where none was asked for."""
    if as_json:
        answer("report", {"pass": pass_id, "file": str(path), "opened": bool(opened)})
        return 0
    say(f"Page of pass {pass_id}: {path}")
    if opened is False:
        warn(f"No browser could be started. Open it yourself: {path.as_uri()}")
    return 0


def operated(operations: Sequence[Operation], as_json: bool) -> int:
    """The operation log, newest first."""
    if as_json:
        answer("ops", {"operations": [operation_json(each) for each in operations]})
        return 0
    for each in operations:
        style = Style.TITLE if each.kind.is_decision else Style.FAINT
        when = Run(f"{each.time:%Y-%m-%d %H:%M} UTC  ", Style.FAINT)
        tell(Run(f"{each.id:<6} ", style), when, f"{each.kind:<11} {each.subject}")
    return 0


def operation_json(operation: Operation) -> dict[str, Any]:
    """An operation with everything that is known of it."""
    return {
        "id": operation.id,
        "kind": operation.kind,
        "time": operation.time.isoformat(),
        "subject": operation.subject,
        "pass": operation.pass_id,
        "target": operation.target,
        "store": operation.store,
        "fingerprint": operation.fingerprint,
        "details": dict(operation.details),
    }


def stood(standing: Standing, moved: Iterable[Finding], as_json: bool, *, verbose: bool = False) -> int:
    """How the store stands: what waits for somebody first, then what is wrong, then how large it is. ``moved`` says
    where it may have been before."""
    if as_json:
        answer("status", {**_standing(standing), "moved": [each.remedy for each in moved]})
        return 0
    where, status = standing.resolution, standing.recorded
    said = where.said
    _waiting(standing)
    next_ = list(_next_of(standing))
    if status and status.unfinished:
        tell(Run("Cut short: ", Style.BAD), f"{status.unfinished}. `{said('memgit recover')}` finishes or undoes it.")
    if status and (changed := status.changed.sentence()):
        tell(Run("Changed since it was recorded: ", Style.WARNING), changed)
    for each in status.external if status else ():
        tell(Run("Not by memgit: ", Style.WARNING), f"{each.id} {each.subject} (`{said('memgit ack')}` takes note)")
    found([*standing.around_findings, *moved])
    lines(standing.retained)
    lines(standing.hints)
    lines([standing.loaded])
    if verbose:
        lines(_how_it_stands(standing))
    steps(next_)
    return 0


def _waiting(standing: Standing) -> None:
    from memgit.text.layout import counted

    where, status = standing.resolution, standing.recorded
    store = f"{counted(standing.memories, 'memory')} in {where.path}"
    if status is None:
        tell(Run("Nothing is recorded yet: ", Style.WARNING), f"{store} ({standing.status}).")
    elif not status.waiting:
        tell(Run("Nothing waits for you: ", Style.GOOD), f"{store}.")
    for each in status.waiting if status else ():
        tell(Run(f"Waits for you: pass {each.id}, ", Style.WARNING), f"{each.kind}: {each.summary or each.state}.")
    if status and status.waiting:
        say(f"Store: {store}.")


def _next_of(standing: Standing) -> Iterator[tuple[str, str]]:
    status, said = standing.recorded, standing.resolution.said
    if status is None:
        if standing.memories:
            yield "a first pass", said("memgit curate")
            yield "only record it as it is", said("memgit snapshot")
        return
    for each in status.waiting:
        match each.state:
            case PassState.READY:
                yield "decide one by one", said(f"memgit review {each.id}")
            case PassState.UNSAFE:
                yield "take both in", said(f"memgit merge {each.id}")
            case _:
                yield "put it away", said(f"memgit discard {each.id}")
    if status.changed.sentence():
        yield "record the change", said("memgit snapshot")


def _how_it_stands(standing: Standing) -> Iterator[str]:
    where = standing.resolution
    yield f"Found by {where.rule}."
    yield standing.around.usage
    yield standing.around.keeping
    told = {other.path for other in standing.around.others}
    yield from (f"Also there: {path} ({rule})" for path, rule in where.others if path not in told)
    yield f"Fingerprint: {standing.fingerprint}"
    if standing.newest_write:
        yield f"Last written: {standing.newest_write:%Y-%m-%d %H:%M} UTC"


def _standing(standing: Standing) -> dict[str, Any]:
    status, around = standing.recorded, standing.around
    found: dict[str, Any] = {
        "store": {
            "path": standing.resolution.path,
            "shape": standing.resolution.shape,
            "status": standing.status,
            "memories": standing.memories,
            "resolved_by": standing.resolution.rule,
            "others": [{"path": path, "rule": rule} for path, rule in standing.resolution.others],
        },
        "fingerprint": standing.fingerprint,
        "index": {"lines": standing.index_lines, "units": standing.index_units},
        "used_by_agents": {"path": around.used, "rule": around.rule, "off": around.off, "sentence": around.usage},
        "transcripts": {"days": around.days, "chosen": around.chosen, "told": [*standing.retained]},
        "place": findings_json(standing.around_findings),
        "newest_write": standing.newest_write.isoformat() if standing.newest_write else None,
        "recorded": status is not None,
        "hints": list(standing.hints),
    }
    if status is not None:
        found |= {
            "unfinished": status.unfinished,
            "changed": {
                name: list(getattr(status.changed, name)) for name in ("added", "changed", "removed", "stamped")
            },
            "external": [operation_json(each) for each in status.external],
            "waiting": [header_json(each) for each in status.waiting],
        }
    return found


# --- graph ---
# The log as a graph in plain characters: the store's line, and each candidate as a branch off it.

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
    canvas.paint(_graph_rows(graph, canvas.reading_columns))
    if not graph.knots:
        say("There is nothing to draw yet; `memgit curate` runs a pass.")
    return 0


def _graph_rows(graph: Graph, columns: int) -> Iterator[Row]:
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


# --- history ---
# One memory's story: a turn at a time, with what was said.


def told(life: Life, as_json: bool) -> int:
    """Everything that happened to a memory, oldest first."""
    if as_json:
        answer("history", history_json(life))
        return 0
    canvas = Canvas.now()
    canvas.paint(_history_rows(life, canvas.reading_columns))
    return 0


def _history_rows(life: Life, columns: int) -> Iterator[Row]:
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
