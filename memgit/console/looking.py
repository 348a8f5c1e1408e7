"""Logs, reports, differences and how a store stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgit.console.checks import findings_json, found
from memgit.console.streams import answer, answer_whole, say, warn, write_whole
from memgit.console.verbs import lines

if TYPE_CHECKING:
    from pathlib import Path

    from memgit.flows.views import Report, Standing
    from memgit.model.finding import Finding
    from memgit.model.history import Operation, PassHeader


def logged(headers: Sequence[PassHeader], as_json: bool) -> int:
    """All passes, one in a line."""
    if as_json:
        answer("log", {"passes": [header_json(header) for header in headers]})
        return 0
    lines(
        [f"{header.id}  {header.state:<9} {header.kind}: {header.summary or 'no decisions yet'}" for header in headers]
    )
    if not headers:
        say("There is no pass yet; `memgit curate` runs one.")
    return 0


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
    """A pass's report."""
    if as_json:
        answer_whole(report.record or {"schema": "memgit.pass/1", **header_json(report.header)})
        return 0
    say(report.text or f"Pass {report.header.id} is {report.header.state}; its decisions are still to come.")
    if report.header.state not in ("planned", "ready"):
        warn(f"Pass {report.header.id} is {report.header.state}.")
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
    lines([f"{each.id:<6} {each.time:%Y-%m-%d %H:%M}  {each.kind:<11} {each.subject}" for each in operations])
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


def stood(standing: Standing, moved: Iterable[Finding], as_json: bool) -> int:
    """How the store stands. ``moved`` says where it may have been before."""
    if as_json:
        answer("status", {**_standing(standing), "moved": [each.remedy for each in moved]})
        return 0
    where = standing.resolution
    say(f"Store: {where.path} ({standing.memories} memories, {standing.status}; found by {where.rule})")
    say(standing.around.usage)
    say(standing.around.keeping)
    told = {other.path for other in standing.around.others}
    lines([f"Also there: {path} ({rule})" for path, rule in where.others if path not in told])
    say(f"Fingerprint: {standing.fingerprint}")
    say(standing.loaded)
    if standing.newest_write:
        say(f"Last written: {standing.newest_write:%Y-%m-%d %H:%M} UTC")
    lines(standing.hints)
    found([*standing.around_findings, *moved])
    status = standing.recorded
    if status is None:
        say(f"Nothing is recorded yet; `{where.said('memgit snapshot')}` records the store as it is.")
        return 0
    if status.unfinished:
        say(f"Cut short: {status.unfinished}. `{where.said('memgit recover')}` finishes it or takes it back.")
    say(f"Changed since it was last recorded: {status.changed.sentence() or 'nothing'}")
    ack = where.said("memgit ack")
    lines([f"Not by memgit: {each.id} {each.subject} (`{ack}` takes note)" for each in status.external])
    lines([f"Waiting for you: pass {each.id} ({each.state}) {each.summary}" for each in status.waiting])
    return 0


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
        "transcripts": {"days": around.days, "chosen": around.chosen},
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
