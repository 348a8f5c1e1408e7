"""All that a person, or a reader of ``--json``, sees. stdout is the answer; stderr is progress and warnings.

Functions that end a command return its exit code.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit import __version__
from memgit.errors import BadReply, MemgitError, UsageError

if TYPE_CHECKING:
    from memgit.demo import Example
    from memgit.flows.audit import Audited
    from memgit.flows.check import Checked
    from memgit.flows.desk import Done
    from memgit.flows.doctor import Diagnosis, Mended
    from memgit.flows.extract import Found, Remembered
    from memgit.flows.hook_lines import Edit
    from memgit.flows.hook_lines import Standing as HooksStanding
    from memgit.flows.host import Proposed
    from memgit.flows.prune import Pruned
    from memgit.flows.redact import Redacted
    from memgit.flows.sync import Leaving, Synced
    from memgit.flows.views import Difference, Report, Standing
    from memgit.model.decision import Decision
    from memgit.model.fact import Extracted
    from memgit.model.finding import Finding
    from memgit.model.passes import Operation, Outcome, PassHeader, Plan
    from memgit.model.verification import MemoryCheck
    from memgit.ports import Progress

MAX_INPUT = 16 * 1024 * 1024
"""Bytes of a reply that are read; a reply of candidates or decisions is far smaller."""


# --- the two streams ---


class Unheard(MemgitError):
    """A standard stream takes nothing more: its disk is full."""

    kind = "unheard"


def say(text: str) -> None:
    """Print a part of the answer."""
    _write(sys.stdout, text)


def warn(text: str) -> None:
    """Print a warning or a hint beside the answer."""
    _write(sys.stderr, text)


def answer(kind: str, value: Mapping[str, Any]) -> None:
    """Print one JSON object as the whole answer."""
    answer_whole({"schema": f"memgit.{kind}/1", **value})


def answer_whole(value: Mapping[str, Any]) -> None:
    """Print an object that names its own schema. A stream that is not UTF-8 gets plain ASCII."""
    from memgit.core.screening import printable_json

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    import json  # a command that prints text starts faster without

    _send(sys.stdout, printable_json(json.dumps(value, ensure_ascii=not is_utf8, indent=2)))


def _write(stream: Any, text: str) -> None:
    from memgit.core.screening import printable

    _send(stream, printable(text))


def _send(stream: Any, text: str) -> None:
    """Write a line to a stream, unless the process was started without it."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"  # what the stream cannot encode is escaped, never an error
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _let_go(stream)
        raise Unheard(f"The answer could not be written: {error.strerror}.", "What was done stands.") from None


def _let_go(stream: Any) -> None:
    """Send what a dead stream still holds nowhere, so that the interpreter's own last flush does not fail too."""
    with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def read_input(name: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises UsageError naming what cannot be read."""
    try:
        data = _read_stdin() if name == "-" else _read_file(Path(name))
    except OSError as error:
        raise UsageError(f"Cannot read {name}: {error.strerror}.", "Name an existing file, or - for stdin.") from None
    if len(data) > MAX_INPUT:
        raise UsageError(f"{name} is larger than {MAX_INPUT:,} bytes.", "Hand in one batch's reply at a time.")
    return data


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read(MAX_INPUT + 1) if sys.stdin else b""


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_INPUT + 1)


# --- progress ---


class _Silent:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        pass


SILENT: Progress = _Silent()


class _Meter:
    """Progress on a terminal's last line."""

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        share = f" {done:,} of {total:,}" if total else ""
        sys.stderr.write(f"\r\x1b[K{what}{share} …")
        sys.stderr.flush()


@contextmanager
def progress() -> Iterator[Progress]:
    """A meter while a terminal watches, silence otherwise."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield SILENT
        return
    try:
        yield _Meter()
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


# --- failures ---


def failure(error: MemgitError, as_json: bool) -> int:
    """One sentence and its remedy; exit code of the error's class."""
    return _failed(error.code, error.kind, error.message, error.hint, as_json and not isinstance(error, Unheard))


def misused(error: Any, as_json: bool) -> int:
    """What is wrong with the command line, and where its help is."""
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:
        warn(error.format_message())
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "memgit"
    return _failed(2, "usage", error.format_message(), f"See `{command} --help`.", as_json)


def interrupted() -> int:
    """Ctrl-C: say that nothing was lost."""
    warn("Interrupted. Nothing is lost; if a change was under way, the next memgit command says so and finishes it.")
    return 130


_REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE)


def of_the_system(error: Exception) -> MemgitError | None:
    """What is no fault of memgit's: a full disk, a folder that may not be written, too many open files."""
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    where = f"{error.filename}: " if error.filename else ""
    return MemgitError(f"The system refused: {where}{error.strerror}.", "Mend that, then try again.")


def bug(error: Exception, folder: Path, as_json: bool) -> int:
    """A fault in memgit itself: one line, and a report to hand to whoever can mend it."""
    text = f"memgit {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
    text += "".join(traceback.format_exception(error))
    path = _bug_report(folder, text)
    where = f"A report is in {path}." if path else text
    return _failed(70, "bug", f"memgit has a fault: {type(error).__name__}.", where, as_json)


def _bug_report(folder: Path, text: str) -> Path | None:
    from memgit import files

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = files.free_name(folder / "bug-report.txt")
        files.write_atomic(path, text.encode("utf-8", "replace"))
    except OSError:
        return None
    return path


def _failed(code: int, kind: str, message: str, hint: str, as_json: bool) -> int:
    if as_json:
        answer("error", {"error": {"code": code, "kind": kind, "message": message, "hint": hint}})
    else:
        warn(f"memgit: {message}")
        if hint:
            warn(f"  {hint}")
    return code


# --- what verbs did ---


def done(result: Done, as_json: bool) -> int:
    """What a lifecycle verb did, and how to take it back."""
    if as_json:
        operation = result.operation
        answer(
            "done",
            {
                "did": result.did,
                "undo": result.undo_hint,
                "operation": operation.id if operation else None,
                "superseded": str(result.superseded) if result.superseded else None,
                "notes": list(result.notes),
            },
        )
        return 0
    say(result.did)
    for note in result.notes:
        say(note)
    if result.superseded:
        say(f"The store before is in {result.superseded}.")
    if result.undo_hint:
        say(f"To take it back: {result.undo_hint}")
    return 0


def lines(rows: Iterable[str]) -> None:
    """Print rows of an answer."""
    for row in rows:
        say(row)


# --- passes ---


def passed(result: Plan | Outcome, as_json: bool, command: str = "memgit") -> int:
    """What a pass came to: its figures, each decision in a line, what could not be checked, and what to run next."""
    from memgit.core.pass_json import pass_json
    from memgit.core.report_preflight import preflight
    from memgit.model.passes import Outcome

    outcome = result if isinstance(result, Outcome) else None
    plan = result.plan if isinstance(result, Outcome) else result
    code = _exit_code(outcome)
    if as_json:
        answer_whole(pass_json(result))
        return code
    say("\n\n".join(preflight(plan)))
    say("")
    lines(_settled(outcome, command) if outcome else _planned(plan))
    return code


def _exit_code(outcome: Outcome | None) -> int:
    if outcome is None:
        return 0
    if not outcome.unchanged:
        return 12
    return 3 if any(reply.failure for reply in outcome.replies) else 0


def _planned(plan: Plan) -> Iterator[str]:
    """What a pass without decisions says: why it stopped, or where its digests are."""
    from memgit.model.passes import Mode

    if plan.mode is Mode.NOOP:
        yield f"Nothing to do: the store is {plan.status}, and there is no session history to build it from."
        if plan.memories:
            yield f"The {plan.memories} memory files are real; only the index is missing. Nothing was written."
        else:
            yield "Nothing was written."
        return
    yield f"Digests: {plan.paths.digests}"
    if plan.id:
        yield f"Next: one miner per batch, then `memgit propose {plan.id} FILE…` and `memgit decide {plan.id} FILE`."
    else:
        yield "A dry run ends here: no snapshot, no candidate."


def _settled(outcome: Outcome, command: str) -> Iterator[str]:
    from memgit.core.message import summary

    yield f"Decided: {summary(outcome)}."
    yield from (_decided(decision) for decision in outcome.decisions)
    yield ""
    yield _verdicts(outcome)
    yield from _unverifiable(outcome)
    yield from _screened(outcome)
    yield from (f"Batch {reply.batch} was not mined: {reply.failure}." for reply in outcome.replies if reply.failure)
    yield ""
    yield f"Candidate: {outcome.plan.paths.candidate}"
    yield f"Report:    {outcome.plan.paths.report} (also `{command} show {outcome.plan.id}`)"
    yield from _hand_over(outcome, command)


def _decided(decision: Decision) -> str:
    from memgit.core.markdown import line
    from memgit.model.decision import Kind

    names = " + ".join(decision.memories or decision.results) or decision.claim
    results = f" -> {', '.join(decision.results)}" if decision.memories and decision.results else ""
    reason = f": {decision.justification}" if decision.kind is Kind.REJECT else ""
    return "  " + line(f"{decision.id}  {decision.kind} {names}{results}{reason}")


def _verdicts(outcome: Outcome) -> str:
    from memgit.model.verification import Verdict

    count = Counter(check.verdict for check in outcome.verification.values())
    return (
        f"Working tree: {count[Verdict.VERIFIED]} verified, {count[Verdict.UNVERIFIABLE]} unverifiable, "
        f"{count[Verdict.NO_TARGETS]} with nothing to check."
    )


def _unverifiable(outcome: Outcome) -> Iterator[str]:
    from memgit.core.report_memories import unverifiable
    from memgit.core.screening import printable_name

    for memory, check in outcome.verification.items():
        if check.missing:
            yield f"  {printable_name(memory)} {unverifiable(check)}"


def _screened(outcome: Outcome) -> Iterator[str]:
    """Places that hold what looks like a secret or could steer an agent; what was masked in digests is one figure."""
    found = dict.fromkeys(f"{each.place}, line {each.line}: {each.kind}" for each in outcome.findings if each.line)
    if found:
        yield "Screening: text in the candidate that looks like a secret, or could steer an agent:"
        yield from (f"  {place}" for place in list(found)[:5])
        yield from ((f"  and {len(found) - 5} more, in the report",) if len(found) > 5 else ())
    if outcome.plan.findings:
        yield f"Masked in what was read: {len(outcome.plan.findings)} places."


def _hand_over(outcome: Outcome, command: str) -> Iterator[str]:
    """``command`` is how memgit is called where the pass was run."""
    yield ""
    if outcome.unchanged:
        yield f"The store was not written to: {outcome.fingerprint_after}"
        yield "To adopt (one of these; the second needs no memgit):"
        yield from (f"  {_called(line, command)}" for line in outcome.adopt)
    else:
        yield f"UNSAFE: the store changed during this pass ({outcome.plan.fingerprint} is now"
        yield f"{outcome.fingerprint_after}). This candidate must not replace it."
        yield f"A candidate that holds both is made by: {command} merge {outcome.plan.id}"
    yield "To discard:"
    yield from (f"  {_called(line, command)}" for line in outcome.discard)


def _called(line: str, command: str) -> str:
    return f"{command}{line.removeprefix('memgit')}" if line.startswith("memgit ") else line


def proposed(result: Proposed, as_json: bool) -> int:
    """Which candidates were taken, and which quotes no decision could rest on."""
    if as_json:
        answer(
            "proposed",
            {
                "pass": result.plan.id,
                "kept": [candidate.id for candidate in result.kept],
                "void": [{"candidate": name, "why": why} for name, why in result.void],
                "cut": [candidate.claim for candidate in result.cut],
                "awaited_batches": list(result.awaited),
            },
        )
        return 0
    say(f"Pass {result.plan.id}: {len(result.kept)} candidates taken.")
    lines([f"  {candidate.id}  {candidate.intent:<8} {candidate.claim}" for candidate in result.kept])
    lines([f"  {name}: {why}" for name, why in result.void])
    if result.cut:
        say(f"{len(result.cut)} beyond the bound were cut: {'; '.join(each.claim for each in result.cut)}")
    if result.awaited:
        say(f"Still awaited: batches {', '.join(map(str, result.awaited))}.")
    return 0


def audited(result: Audited, how: str, strict: bool) -> int:
    """Audits of one store or of all: what was found in each, and what to say to it. Exit 3 under ``strict`` when
    anything was found. ``how`` is text, json or sarif."""
    from memgit.core.sarif import findings, sarif
    from memgit.model.passes import Outcome

    outcomes = [each for each in result.results if isinstance(each, Outcome)]
    code = max((_exit_code(each) for each in outcomes), default=0)
    match how:
        case "sarif":
            answer_whole(sarif(outcomes))
        case "json":
            _answer_audits(result)
        case _:
            lines(_audited(result))
    return code or (3 if strict and any(map(findings, outcomes)) else 0)


def _answer_audits(result: Audited) -> None:
    from memgit.core.pass_json import pass_json

    if not result.is_all:
        answer_whole(pass_json(result.results[0]))
        return
    passes = [pass_json(each) for each in result.results]
    answer("audits", {"passes": passes, "unreachable": [{"store": a, "why": b} for a, b in result.unreachable]})


def _audited(result: Audited) -> Iterator[str]:
    from memgit.model.passes import Outcome

    for each in result.results:
        yield from _audit(each) if isinstance(each, Outcome) else _nothing_to_audit(each)
        yield ""
    yield from (f"Not audited: {store}. {why}" for store, why in result.unreachable)
    if result.is_all:
        outcomes = [each for each in result.results if isinstance(each, Outcome)]
        yield f"{len(outcomes)} stores audited, {len(result.unreachable)} not."
        yield from (f"  {_in_a_line(each)}" for each in outcomes)


def _nothing_to_audit(plan: Plan) -> Iterator[str]:
    yield f"Nothing to audit: the store {plan.store.path} is {plan.status}."


def _in_a_line(outcome: Outcome) -> str:
    seen = next((remark.lines[0] for remark in outcome.inspection.remarks if remark.title == "Inventory"), "")
    return f"{outcome.plan.store.path}: {seen}"


def _audit(outcome: Outcome) -> Iterator[str]:
    from memgit.core.report_proposals import PRINTED, proposals

    yield f"Store: {outcome.plan.store.path}"
    for remark in outcome.inspection.remarks:
        yield f"{remark.title}:"
        yield from (f"  {text}" for text in remark.lines)
    changing = [decision for decision in outcome.decisions if decision.changes]
    if not changing:
        yield "Nothing to propose."
    elif len(changing) <= PRINTED:
        yield ""
        yield from proposals(outcome.decisions)
    else:
        yield f"{len(changing)} proposals, too many to print: they are in {outcome.plan.paths.report}"
    yield from (_decided(decision) for decision in outcome.decisions if not decision.changes)
    yield from _how_to_rule(outcome) if changing else ()


def _how_to_rule(outcome: Outcome) -> Iterator[str]:
    name = outcome.plan.id
    yield ""
    if not name:
        yield "This was a dry run: nothing of it can be approved or adopted."
        return
    if not outcome.unchanged:
        yield f"UNSAFE: the store changed during this audit. `memgit discard {name}` puts it away; run it again."
        return
    yield f'Say what shall be done: memgit approve {name} "approve M1, M3; reject M2 - reason"'
    yield f"Then: memgit adopt {name}   (or at once: memgit adopt {name} --only M1,M3 | --except M2 | --all)"
    yield f"Report: {outcome.plan.paths.report} (also `memgit show {name}`)"


def pruned(result: Pruned, as_json: bool) -> int:
    """What could be pruned, or what was."""
    from memgit.core.pass_json import pruned_json
    from memgit.core.prune_report import report

    if as_json:
        operation = result.done.operation if result.done else None
        facts = {"pass": result.pass_id, "operation": operation.id if operation else None, "refused": result.refused}
        answer("prune", {**facts, **pruned_json(result.found, result.decisions, result.recalls.sessions)})
        return 0
    if result.done is None:
        lines([result.refused, ""] if result.refused else ())
        lines(report(result.found, result.decisions, result.recalls))
        if any(decision.changes for decision in result.decisions):
            say("Nothing was changed. To do this: memgit prune --confirm")
        say("A prune is no security tool: `memgit check` looks for secrets, `memgit redact` removes one.")
        return 0
    return done(result.done, as_json=False)


def demonstrated(example: Example, result: Plan | Outcome) -> int:
    """The pass over the worked example, and the commands to try on it."""
    code = passed(result, as_json=False, command=str(example.command))
    say(f"\nThis was an invented example in {example.folder}. Try on it, with what is said above:")
    lines(f"  {example.command} {verb}" for verb in ("show", "diff", "status", "undo", "log"))
    say("On a project of your own: memgit curate")
    return code


# --- secrets, and other machines ---


def redacted(result: Redacted, as_json: bool) -> int:
    """Where a secret stands or stood, never the secret; what is done and what is out of reach."""
    if as_json:
        answer(
            "redact",
            {
                "done": result.done,
                "kinds": list(result.kinds),
                "places": [asdict(place) for place in result.places],
                "remotes": [{"name": name, "url": url} for name, url in result.remotes],
                "notes": list(result.notes),
            },
        )
        return 0
    lines(_places(result))
    lines(result.notes)
    lines(_after_redaction() if result.done else _before_redaction())
    say("Out of memgit's reach: the agent's own transcripts, and backups of this machine.")
    lines(f"Out of memgit's reach: what was pushed to {name} ({url})." for name, url in result.remotes)
    return 0


def _places(result: Redacted) -> Iterator[str]:
    stood = "Stood" if result.done else "Stands"
    yield f"{stood} in {len(result.places)} places ({', '.join(result.kinds)}):"
    for place in result.places:
        form = "" if place.form == "plain" else f", {place.form}"
        yield f"  {place.what}: {place.where} ({place.times}x{form})"


def _before_redaction() -> Iterator[str]:
    yield "Nothing was changed. With --yes it is replaced by a mask in all of them, in the live store too."
    yield "Other stores have histories of their own: search them with --store."
    yield "That cannot be undone. Whatever you do here, change the secret where it is used."


def _after_redaction() -> Iterator[str]:
    yield "It is gone from all of them: every object and file of the new history was searched, without a hit."
    yield "This cannot be undone. Other machines and backups may hold it: change the secret where it is used."


def agreed(_url: str, _leaving: Leaving) -> bool:
    """The user has agreed on the command line."""
    return True


def asked_to_push(url: str, leaving: Leaving) -> bool:
    """Show what would leave and ask once; where nobody can answer, the answer is no."""
    for row in _leaving(url, leaving):
        warn(row)
    if not sys.stdin.isatty():
        return False
    warn("Push it? A yes is remembered for this address. [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _leaving(where: str, leaving: Leaving) -> Iterator[str]:
    yield f"New to {where}: {leaving.memories} versions of memory files, {leaving.reports} reports (with quotes),"
    if leaving.scope == "all":
        yield f"  {leaving.messages} messages of session prose (--without-prose keeps them and the operation log here)"
    else:
        yield "  and no session prose: the operation log stays here"


def synced(result: Synced, as_json: bool) -> int:
    """What went and came, and which candidates others have worked on."""
    from memgit.core.screening import printable

    if as_json:
        answer("sync", _synced(result))
        return 0
    if result.leaving:
        lines(_leaving(result.url, result.leaving) if result.sent else ())
        say(f"Pushed to {result.remote} as {result.machine}: {len(result.sent)} refs.")
    say(f"Fetched from {result.remote}: {len(result.arrived)} refs.")
    rewritten = (printable(each.name) for each in result.arrived if each.rewritten)
    lines(f"Rewritten there: {name}; what it was is kept." for name in rewritten)
    lines(f"Here of machine {name}: `memgit log --machine {name}`" for name in map(printable, result.machines))
    for each in result.reviewed:
        did = "was merged as it is" if each.same else "was changed"
        say(f"Pass {each.pass_id} {did} on {printable(each.branch)}. To use that: memgit sync --take {each.pass_id}")
    lines(result.notes)
    return 0


def _synced(result: Synced) -> dict[str, Any]:
    return {
        "remote": result.remote,
        "url": result.url,
        "machine": result.machine,
        "sent": [asdict(each) for each in result.sent],
        "leaving": _figures(result.leaving) if result.leaving else None,
        "arrived": [asdict(each) for each in result.arrived],
        "machines": list(result.machines),
        "reviewed": [asdict(each) for each in result.reviewed],
        "notes": list(result.notes),
    }


def _figures(leaving: Leaving) -> dict[str, Any]:
    return {name: getattr(leaving, name) for name in ("scope", "memories", "messages", "reports")}


def exported(file: str, leaving: Leaving, as_json: bool) -> int:
    """What a bundle holds."""
    if as_json:
        answer("sync", {"file": file, "leaving": _figures(leaving)})
        return 0
    lines(_leaving(file, leaving))
    say(f"On the other machine: memgit import {file}")
    return 0


# --- looking ---


def logged(headers: Sequence[PassHeader], as_json: bool) -> int:
    """All passes, one in a line."""
    if as_json:
        answer("log", {"passes": [_header(header) for header in headers]})
        return 0
    lines(
        [f"{header.id}  {header.state:<9} {header.kind}: {header.summary or 'no decisions yet'}" for header in headers]
    )
    if not headers:
        say("There is no pass yet; `memgit curate` runs one.")
    return 0


def _header(header: PassHeader) -> dict[str, Any]:
    return {
        "pass": header.id,
        "kind": header.kind,
        "mode": header.mode,
        "state": header.state,
        "time": header.time.isoformat(),
        "snapshot": header.snapshot,
        "candidate": header.candidate,
        "summary": header.summary,
    }


def shown(report: Report, as_json: bool) -> int:
    """A pass's report."""
    if as_json:
        answer_whole(report.record or {"schema": "memgit.pass/1", **_header(report.header)})
        return 0
    say(report.text or f"Pass {report.header.id} is {report.header.state}; its decisions are still to come.")
    if report.header.state not in ("planned", "ready"):
        warn(f"Pass {report.header.id} is {report.header.state}.")
    return 0


def differed(difference: Difference, stat: bool, as_json: bool) -> int:
    """What a candidate changes, as a unified diff."""
    if as_json:
        files = [
            {"path": each.path, "change": each.change, "added": each.added, "removed": each.removed, "diff": each.lines}
            for each in difference.files
        ]
        answer("diff", {"pass": difference.header.id, "files": files})
        return 0
    from memgit.core.screening import printable_name

    for each in difference.files:
        lines([f"{each.change:<8} {printable_name(each.path)}  +{each.added} -{each.removed}"] if stat else each.lines)
    if not difference.files:
        say("The candidate is the store as it was.")
    return 0


def operated(operations: Sequence[Operation], as_json: bool) -> int:
    """The operation log, newest first."""
    if as_json:
        answer("ops", {"operations": [_operation(each) for each in operations]})
        return 0
    lines([f"{each.id:<6} {each.time:%Y-%m-%d %H:%M}  {each.kind:<11} {each.subject}" for each in operations])
    return 0


def _operation(operation: Operation) -> dict[str, Any]:
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
    lines([f"Also there: {path} ({rule})" for path, rule in where.others])
    say(f"Fingerprint: {standing.fingerprint}")
    say(f"Index: {standing.index_lines} of 200 lines, {standing.index_units:,} of 25,000 UTF-16 units")
    if standing.newest_write:
        say(f"Last written: {standing.newest_write:%Y-%m-%d %H:%M} UTC")
    lines(standing.hints)
    _found(moved)
    status = standing.recorded
    if status is None:
        say("Nothing is recorded yet; `memgit snapshot` records the store as it is.")
        return 0
    if status.unfinished:
        say(f"Cut short: {status.unfinished}. `memgit recover` finishes it or takes it back.")
    say(f"Changed since it was last recorded: {status.changed.sentence() or 'nothing'}")
    lines([f"Not by memgit: {each.id} {each.subject} (`memgit ack` takes note)" for each in status.external])
    lines([f"Waiting for you: pass {each.id} ({each.state}) {each.summary}" for each in status.waiting])
    return 0


def _standing(standing: Standing) -> dict[str, Any]:
    status = standing.recorded
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
            "external": [_operation(each) for each in status.external],
            "waiting": [_header(each) for each in status.waiting],
        }
    return found


# --- what an agent asked to be remembered ---


def remembered(result: Remembered, as_json: bool) -> int:
    """What became of each fact, and what to change in those that were refused. Exit 15 if any was."""
    from memgit.core.facts_json import extracted_json

    code = 0 if result.complete else BadReply.code
    done = result.done
    if as_json:
        operation = done.operation.id if done and done.operation else None
        undo_hint = done.undo_hint if done else ""
        answer("remembered", {**extracted_json(result.extracted), "operation": operation, "undo": undo_hint})
        return code
    lines(_fates(result.extracted))
    if done:
        lines(done.notes)
        say(f"To take it back: {done.undo_hint}")
    return code


def found_facts(found: Found, as_json: bool) -> int:
    """What a session holds that could be remembered, as facts to hand in."""
    from memgit.core.facts_json import extracted_json, fact_json
    from memgit.core.screening import printable

    facts = [fact_json(placed.fact) for placed in found.extracted.placed]
    if as_json:
        refused = extracted_json(found.extracted)["refused"]
        answer("facts", {"session": found.session, "facts": facts, "refused": refused})
        return 0
    say(f"Session {printable(found.session)}: {len(facts)} facts could be remembered. Nothing was written.")
    for fact in facts:
        say(f"  {printable(fact['name'])} ({fact['type']}): {printable(fact['description'])}")
    if facts:
        say(
            "Weigh them, then hand in the good ones: `memgit extract --json > facts.json`, edit it, "
            "`memgit extract --facts facts.json`"
        )
    return 0


def _fates(extracted: Extracted) -> Iterator[str]:
    from memgit.core.screening import printable

    for placed in extracted.placed:
        yield printable(f"{placed.act:<11} {placed.memory}")
        yield from (f"  {printable(note)}" for note in placed.notes)
    for refused in extracted.refused:
        yield f"{'refused':<11} {printable(refused.fact.name)[:80]}"
        yield from (f"  {each.code} ({each.field}): {printable(each.message)}" for each in refused.refusals)


def hooked(edits: Sequence[Edit], written: bool, as_json: bool) -> int:
    """What putting hooks in or out changes, as a diff, and whether it was written."""
    if as_json:
        changed = [{"path": str(edit.path), "diff": edit.diff} for edit in edits]
        answer("hooks-change", {"written": written and bool(edits), "files": changed})
        return 0
    for edit in edits:
        lines(edit.diff)
    if not edits:
        say("There is nothing to change.")
    elif written:
        say("Written. Sessions that are running go on as they were; new ones have it.")
    else:
        say("Nothing was written yet; the same command with --yes writes it.")
    return 0


def hooks_stand(standing: HooksStanding, as_json: bool) -> int:
    """Which hooks run, and what keeps them from it."""
    if as_json:
        answer("hooks", asdict(standing))
        return 0
    say(f"Settings: {standing.settings}")
    say(f"Hooks there: {', '.join(standing.events) or 'none; `memgit hooks install` shows them'}")
    if standing.events and not standing.program_found:
        say("Not all of them find their memgit: `memgit hooks install --yes` writes them again.")
    if standing.switched_off:
        say("These settings switch all hooks off (disableAllHooks).")
    if standing.plugin:
        say("The plugin is installed too; where both are, only the hooks of the settings run.")
    lines([f"Skill: {path}" for path in standing.skills])
    return 0


def injected(text: str, as_json: bool) -> int:
    """The fenced index; nothing at all where there is none."""
    if as_json:
        answer("inject", {"text": text})
    elif text:
        say(text)
    return 0


# --- checks ---


def verified(checks: Mapping[str, MemoryCheck], as_json: bool) -> int:
    """The working tree's verdict for each memory."""
    from memgit.core.report_memories import unverifiable
    from memgit.core.screening import printable_name

    if as_json:
        rows = {
            name: {
                "status": check.verdict,
                "missing": [{"span": s.span, "reason": s.missing, "hint": s.hint} for s in check.missing],
                "found": [{"span": s.span, "kind": s.kind, "where": s.where} for s in check.spans if s.where],
            }
            for name, check in checks.items()
        }
        answer("verify", {"verification": rows})
        return 0
    for name, check in checks.items():
        say(f"{check.verdict:<12} {printable_name(name)}" + (f" {unverifiable(check)}" if check.missing else ""))
    return 0


def matched(path: str, fingerprint: str, as_json: bool) -> int:
    """The store has the fingerprint that was asked for."""
    if as_json:
        answer("check", {"store": path, "fingerprint": fingerprint, "unchanged": True, "findings": []})
    else:
        say(f"Unchanged: {path} is {fingerprint}")
    return 0


def checked(result: Checked, strict: bool, as_json: bool) -> int:
    """A line per finding. Exit 17 for damage, 3 for any finding under ``--strict``."""
    if as_json:
        facts = {"store": result.path, "fingerprint": result.fingerprint, "full": result.full}
        answer("check", {**facts, "findings": _findings(result.findings)})
    else:
        _found(result.findings)
        if not result.findings:
            say(f"Nothing found: {result.path} is as recorded ({result.fingerprint}).")
    if result.damaged:
        return 17
    return 3 if strict and result.findings else 0


def _findings(found: Iterable[Finding]) -> list[dict[str, Any]]:
    return [{"area": each.area, "what": each.what, "remedy": each.remedy, "damage": each.damage} for each in found]


def _found(found: Iterable[Finding]) -> None:
    lines([f"{each.area}: {each.what}" + (f" {each.remedy}" if each.remedy else "") for each in found])


def diagnosed(diagnosis: Diagnosis, as_json: bool) -> int:
    """Where everything is, and what is wrong. Exit 17 for damage."""
    if as_json:
        facts = [{"name": each.name, "value": each.value, "how": each.how} for each in diagnosis.facts]
        answer("doctor", {"facts": facts, "findings": _findings(diagnosis.findings)})
    else:
        lines([f"{each.name}: {each.value}" + (f" ({each.how})" if each.how else "") for each in diagnosis.facts])
        _found(diagnosis.findings)
        if not diagnosis.findings:
            say("Nothing is wrong.")
    return 17 if diagnosis.damaged else 0


def mended(result: Mended, as_json: bool) -> int:
    """What a repair did, and what is left. Exit 17 where damage is left."""
    before, after = (sum(finding.damage for finding in found) for found in (result.before, result.after))
    if as_json:
        kept = str(result.kept) if result.kept else None
        facts = {"kept": kept, "done": list(result.done), "damaged_before": before, "damaged_after": after}
        answer("repair", {**facts, "findings": _findings(result.after)})
    elif result.kept:
        lines(result.done)
        say(f"Damaged before: {before}, now: {after}. The vault as it was is kept in {result.kept}.")
        _found(result.after)
    else:
        say("Nothing in the vault is damaged.")
    return 17 if after else 0
