"""What a pass came to."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memgit.console.streams import answer, answer_whole, say
from memgit.console.verbs import done, lines

if TYPE_CHECKING:
    from memgit.demo import Example
    from memgit.flows.audit import Audited
    from memgit.flows.host import Proposed
    from memgit.flows.prune import Pruned
    from memgit.model.decision import Decision
    from memgit.model.passes import Outcome, Plan


def passed(result: Plan | Outcome, as_json: bool, command: str = "memgit", at_hand: str = "") -> int:
    """What a pass came to: its figures, each decision in a line, what could not be checked, and what to run next.
    ``at_hand`` tells of a model that could read more."""
    from memgit.core.passes.pass_json import pass_json
    from memgit.core.report.preflight import preflight
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
    if at_hand and outcome and any(decision.asks for decision in outcome.decisions):
        say(f"\nRead without a model. {at_hand}")
    return code


def ruled(outcome: Outcome, as_json: bool) -> int:
    """What stands against the decisions of a host, of which nothing is kept."""
    from memgit.core.passes.message import summary
    from memgit.core.passes.pass_json import pass_json

    if as_json:
        answer_whole(pass_json(outcome))
        return 0
    say(f"Would be: {summary(outcome)}. Nothing is kept of this.")
    lines(_decided(decision) for decision in outcome.decisions)
    return 0


def swept(result: Plan | Outcome, as_json: bool) -> int:
    """What a sweep proposes, with the commands that adopting would run and what it asks."""
    from memgit.model.passes import Outcome

    if isinstance(result, Outcome) and not as_json:
        for remark in result.inspection.remarks:
            say(f"{remark.title}:")
            lines(f"  {each}" for each in remark.lines)
            say("")
    return passed(result, as_json)


def passed_code(result: Plan | Outcome) -> int:
    """The exit code of a pass."""
    from memgit.model.passes import Outcome

    return _exit_code(result if isinstance(result, Outcome) else None)


def passed_in_a_line(result: Plan | Outcome) -> str:
    """What a pass came to, and how to go on."""
    from memgit.core.passes.message import summary
    from memgit.model.history import Mode
    from memgit.model.passes import Outcome

    if not isinstance(result, Outcome):
        return "nothing to do" if result.mode is Mode.NOOP else f"digests in {result.paths.digests}"
    changes = any(decision.changes for decision in result.decisions)
    next_step = f"; `{result.adopt[0]}`" if changes and result.adopt else ""
    return f"pass {result.plan.id}, {summary(result)}{next_step}"


def pruned_in_a_line(result: Pruned) -> str:
    """What could be pruned, or what was."""
    from memgit.core.text.numbers import counted

    if result.done:
        return result.done.did
    return result.refused or counted(sum(decision.stands for decision in result.decisions), "proposal")


def _exit_code(outcome: Outcome | None) -> int:
    if outcome is None:
        return 0
    if not outcome.unchanged:
        return 12
    if any(reply.failure for reply in outcome.replies):
        return 3
    unread = {session for reply in outcome.replies for session, _ in reply.unread}
    nothing = not any(reply.candidates for reply in outcome.replies)
    return 3 if unread and nothing and len(unread) == len(outcome.plan.selection.selected) else 0


def _planned(plan: Plan) -> Iterator[str]:
    """What a pass without decisions says: why it stopped, or where its digests are."""
    from memgit.core.seam.decide_brief import DECIDE_BRIEF
    from memgit.model.history import Mode, PassKind

    if plan.mode is Mode.NOOP:
        yield f"Nothing to do: the store is {plan.status}, and there is no session history to build it from."
        if plan.memories:
            yield f"The {plan.memories} memory files are real; only the index is missing. Nothing was written."
        else:
            yield "Nothing was written."
        return
    yield f"Digests: {plan.paths.digests}"
    decide = plan.store.said(f"memgit decide {plan.id} FILE")
    if plan.id and plan.kind is not PassKind.CURATE:
        yield f"Next: read {DECIDE_BRIEF} there, then `{decide}`."
    elif plan.id:
        propose = plan.store.said(f"memgit propose {plan.id} FILE…")
        yield f"Next: one miner per batch, then `{propose}` and `{decide}`."
    else:
        yield "A dry run ends here: no snapshot, no candidate."


def _settled(outcome: Outcome, command: str) -> Iterator[str]:
    from memgit.core.passes.message import summary
    from memgit.core.text.markdown import line
    from memgit.model.decision import Standing

    yield f"Decided: {summary(outcome)}."
    asked = [decision for decision in outcome.decisions if decision.asks and decision.standing is Standing.HELD]
    yield from (_decided(decision) for decision in outcome.decisions if decision not in asked)
    yield from _asked(asked, outcome)
    yield from _open_again(outcome)
    yield from _unread(outcome)
    yield ""
    yield _verdicts(outcome)
    yield from _unverifiable(outcome)
    yield from map(line, outcome.notes)
    yield from _screened(outcome)
    yield from (f"Batch {reply.batch} was not mined: {reply.failure}." for reply in outcome.replies if reply.failure)
    yield ""
    yield f"Candidate: {outcome.plan.paths.candidate}"
    show = outcome.plan.store.said(f"{command} show {outcome.plan.id}")
    yield f"Report:    {outcome.plan.paths.report} (also `{show}`)"
    yield from _hand_over(outcome, command)


def _unread(outcome: Outcome) -> Iterator[str]:
    """Which languages were read, and which sessions by likeness alone."""
    from memgit.core.text.numbers import counted

    named = [f"{name or 'unknown'} {count}" for name, count in sorted(outcome.plan.languages.items())]
    if [*outcome.plan.languages] not in ([], ["en"]):
        yield f"Languages of the sessions: {', '.join(named)}."
    unread = [session for reply in outcome.replies for session, _ in reply.unread]
    if unread:
        yield f"{counted(len(unread), 'session')} in a language without a lexicon were read by likeness alone; a model"
        yield "reads them: `memgit curate --miner claude`, or the host's own pass (`memgit plan`)."


_BEST = 3
"""Questions that are shown at once; `memgit review` shows all."""


def _asked(asked: Sequence[Decision], outcome: Outcome) -> Iterator[str]:
    """The best questions in a line each, with what was said, and how many there are beyond."""
    from memgit.core.text.columns import cut
    from memgit.core.text.markdown import line
    from memgit.model.decision import Said

    for decision in asked[:_BEST]:
        said = next((one.quote for one in decision.evidence if isinstance(one, Said)), "")
        quoted = f' "{cut(said, 90)}"' if said else ""
        yield f"  {line(f'{decision.id}  {decision.asks}{quoted}')}"
    if more := len(asked[_BEST:]):
        yield f"  and {more} more: `{outcome.plan.store.said(f'memgit review {outcome.plan.id}')}`"


def _open_again(outcome: Outcome) -> Iterator[str]:
    """What a host, or a person, can do about what is not in the candidate."""
    from memgit.model.decision import Standing

    if all(each.standing is Standing.TAKEN for each in outcome.decisions):
        return
    review = outcome.plan.store.said(f"memgit review {outcome.plan.id}")
    yield f"Questions and refusals are not in the candidate. `{review}` goes through them."


def _decided(decision: Decision) -> str:
    from memgit.core.text.markdown import line
    from memgit.model.decision import Kind, Standing

    names = " + ".join(decision.memories or decision.results) or decision.claim
    results = f" -> {', '.join(decision.results)}" if decision.memories and decision.results else ""
    said = f"{decision.id}  {decision.kind} {names}{results}"
    match decision.standing:
        case Standing.REFUSED:
            told = f"{said}: refused. {decision.refusal}"
        case Standing.HELD:
            told = f"{said}: a question. {decision.asks or '; '.join(doubt.says for doubt in decision.doubts)}"
        case _:
            told = f"{said}: {decision.justification}" if decision.kind is Kind.REJECT else said
    return "  " + line(told)


def _verdicts(outcome: Outcome) -> str:
    from memgit.model.verification import Verdict

    count = Counter(check.verdict for check in outcome.verification.values())
    return (
        f"Working tree: {count[Verdict.VERIFIED]} verified, {count[Verdict.UNVERIFIABLE]} unverifiable, "
        f"{count[Verdict.NO_TARGETS]} with nothing to check."
    )


def _unverifiable(outcome: Outcome) -> Iterator[str]:
    from memgit.core.report.verdicts import unverifiable
    from memgit.core.screening.findings import printable_name

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
        by_hand = " (one of these; the second needs no memgit)" if len(outcome.adopt) > 1 else ""
        yield f"To adopt{by_hand}:"
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
    from memgit.core.report.sarif import findings, sarif
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
    from memgit.core.passes.pass_json import pass_json

    if not result.is_all:
        answer_whole(pass_json(result.results[0]))
        return
    passes = [pass_json(each) for each in result.results]
    answer("audits", {"passes": passes, "unreachable": [{"store": a, "why": b} for a, b in result.unreachable]})


def _audited(result: Audited) -> Iterator[str]:
    from memgit.core.text.numbers import counted
    from memgit.model.passes import Outcome

    for each in result.results:
        yield from _audit(each) if isinstance(each, Outcome) else _nothing_to_audit(each)
        yield ""
    yield from (f"Not audited: {store}. {why}" for store, why in result.unreachable)
    if result.is_all:
        outcomes = [each for each in result.results if isinstance(each, Outcome)]
        yield f"{counted(len(outcomes), 'store')} audited, {len(result.unreachable)} not."
        yield from (f"  {_in_a_line(each)}" for each in outcomes)


def _nothing_to_audit(plan: Plan) -> Iterator[str]:
    yield f"Nothing to audit: the store {plan.store.path} is {plan.status}."


def _in_a_line(outcome: Outcome) -> str:
    seen = next((remark.lines[0] for remark in outcome.inspection.remarks if remark.title == "Inventory"), "")
    return f"{outcome.plan.store.path}: {seen}"


def _audit(outcome: Outcome) -> Iterator[str]:
    from memgit.core.report.proposals import PRINTED, proposals
    from memgit.core.text.markdown import line

    yield f"Store: {outcome.plan.store.path}"
    yield from map(line, outcome.notes)
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
    name, said = outcome.plan.id, outcome.plan.store.said
    yield ""
    if not name:
        yield "This was a dry run: nothing of it can be approved or adopted."
        return
    if not outcome.unchanged:
        discard = said(f"memgit discard {name}")
        yield f"UNSAFE: the store changed during this audit. `{discard}` puts it away; run it again."
        return
    adopt = said(f"memgit adopt {name}")
    yield f'Say what shall be done: {said(f"memgit approve {name}")} "approve M1, M3; reject M2 - reason"'
    yield f"Then: {adopt}   (or at once: {adopt} --only M1,M3 | --except M2 | --all)"
    yield f"Report: {outcome.plan.paths.report} (also `{said(f'memgit show {name}')}`)"


def pruned(result: Pruned, as_json: bool, store: str | None = None) -> int:
    """What could be pruned, or what was. ``store`` is the one that was named."""
    from memgit.core.report.prune_report import report

    if as_json:
        answer("prune", prune_json(result))
        return 0
    if result.done is None:
        lines([result.refused, ""] if result.refused else ())
        lines(report(result.found, result.decisions, result.recalls))
        if any(decision.stands for decision in result.decisions):
            named = f" --store {shlex.quote(store)}" if store else ""
            say(f"Nothing was changed. To do this: memgit prune --confirm{named}")
        say("A prune is no security tool: `memgit check` looks for secrets, `memgit redact` removes one.")
        return 0
    return done(result.done, as_json=False)


def prune_json(result: Pruned) -> dict[str, Any]:
    """A prune as ``--json`` prints it."""
    from memgit.core.passes.pass_json import pruned_json

    operation = result.done.operation if result.done else None
    facts = {"pass": result.pass_id, "operation": operation.id if operation else None, "refused": result.refused}
    return {**facts, **pruned_json(result.found, result.decisions, result.recalls.sessions)}


def demonstrated(example: Example, result: Plan | Outcome, as_json: bool) -> int:
    """The pass over the worked example, and the commands to try on it."""
    from memgit.core.passes.pass_json import pass_json

    if as_json:
        answer_whole({**pass_json(result), "example": {"folder": str(example.folder), "command": str(example.command)}})
        return 0
    code = passed(result, as_json=False, command=str(example.command))
    say(f"\nThis was an invented example in {example.folder}. Look at its changes one by one, and decide:")
    say(f"  {example.command} review")
    say("Or try on it, with what is said above:")
    lines(f"  {example.command} {verb}" for verb in ("show", "diff", "status", "undo", "log"))
    say("On a project of your own: memgit curate")
    return code
