"""What a pass came to."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memgit.console.terminal import CALLED, Canvas, answer, answer_whole, done, lines, say, steps, tell

if TYPE_CHECKING:
    from memgit.demo import Example
    from memgit.flows.audit import Audited
    from memgit.flows.host import Proposed
    from memgit.flows.prune import Pruned
    from memgit.model.decision import Decision
    from memgit.model.passes import IndexChange, Outcome, Plan


def passed(result: Plan | Outcome, as_json: bool, at_hand: str = "", *, verbose: bool = False) -> int:
    """What a pass came to: the answer, a line for each decision, what it could not do, and what to run next. With
    ``verbose`` also how it was found. ``at_hand`` tells of a model that could read more."""
    from memgit.core.passes.records import pass_json
    from memgit.model.passes import Outcome

    if as_json:
        answer_whole(pass_json(result))
    elif isinstance(result, Outcome):
        _answer(result)
        outlined(result.decisions)
        lines(_unsaid(result))
        if at_hand and any(decision.asks for decision in result.decisions):
            say(f"Read without a model. {at_hand}")
        if verbose:
            lines(_how(result))
        steps(next_steps(result))
    else:
        _planned(result, verbose=verbose)
    return passed_code(result)


def _answer(outcome: Outcome) -> None:
    from memgit.core.passes.message import summary
    from memgit.model.history import PassState
    from memgit.text.layout import Run, Style

    named = f"pass {outcome.plan.id}" if outcome.plan.id else "a dry run"
    if not outcome.unchanged:
        tell(Run("Unsafe: ", Style.BAD), f"the store changed during {named}, so its candidate must not replace it.")
    elif outcome.state is PassState.CLOSED:
        tell("Nothing to change and nothing to ask ", Run(f"({named}).", Style.FAINT))
    else:
        tell(Run(summary(outcome), Style.WARNING), f" in {named}. Nothing is adopted yet.")


def outlined(decisions: Sequence[Decision], limit: int | None = None) -> None:
    """Each decision in a row, questions first; ``limit`` bounds how many."""
    from memgit.core.report.outline import in_order, outline

    canvas = Canvas.now()
    told = in_order(decisions)
    canvas.paint(outline(each, canvas.reading_columns) for each in told[:limit])
    if limit is not None and len(told) > limit:
        say(f"  and {len(told) - limit} more")


def next_steps(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """What can be done with a pass, each with its command."""
    from memgit.core.report.outline import in_order
    from memgit.model.decision import Standing
    from memgit.model.history import PassState
    from memgit.rulings.standing import is_decidable, standing

    name, said = outcome.plan.id, outcome.plan.store.said
    if not name or outcome.state is PassState.CLOSED:
        return
    if not outcome.unchanged:
        yield "both, as a new candidate", said(f"memgit merge {name}")
        yield "put it away", said(f"memgit discard {name}")
        return
    rulable = [each for each in in_order(outcome.decisions) if is_decidable(each)]
    if rulable:
        yield "decide one by one", said(f"memgit review {name}")
        yield "see one with its texts", said(f"memgit show {rulable[0].id}")
    takes = standing(outcome.decisions, outcome.plan.kind)
    if takes:
        yield f"adopt {_these(takes)}", said(f"memgit adopt {name}")
    elif taken := [each for each in rulable if each.standing is Standing.TAKEN]:
        yield f"adopt {_these(taken)}", said(f"memgit adopt {name} --all")
    yield "put it away", said(f"memgit discard {name}")


def _these(decisions: Sequence[Decision]) -> str:
    ids = ", ".join(each.id for each in decisions)
    return ids if len(ids) <= 24 else f"{len(decisions)} changes"


def ruled(outcome: Outcome, as_json: bool) -> int:
    """What stands against the decisions of a host, of which nothing is kept."""
    from memgit.core.passes.message import summary
    from memgit.core.passes.records import pass_json

    if as_json:
        answer_whole(pass_json(outcome))
        return 0
    say(f"Would be: {summary(outcome)}. Nothing is kept of this.")
    outlined(outcome.decisions)
    return 0


def swept(result: Plan | Outcome, as_json: bool, *, verbose: bool = False) -> int:
    """What a sweep proposes, with the commands that adopting would run and what it asks."""
    from memgit.model.passes import Outcome

    code = passed(result, as_json, verbose=verbose)
    if isinstance(result, Outcome) and not as_json:
        lines(_remarks(result))
    return code


def _remarks(outcome: Outcome) -> Iterator[str]:
    for remark in outcome.inspection.remarks:
        yield ""
        yield f"{remark.title}:"
        yield from (f"  {text}" for text in remark.lines)


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
    from memgit.text.layout import counted

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


def _planned(plan: Plan, *, verbose: bool) -> None:
    """What a pass without decisions says: why it stopped, or what it would read."""
    from memgit.core.report.outline import preflight
    from memgit.core.seam.brief import DECIDE_BRIEF
    from memgit.model.history import Mode, PassKind
    from memgit.text.layout import counted

    if plan.mode is Mode.NOOP:
        say(f"Nothing to do: the store is {plan.status}, and there is no session history to build it from.")
        if plan.memories:
            say(f"The {plan.memories} memory files are real; only the index is missing.")
        say("Nothing was written.")
    else:
        selected = plan.selection
        read = counted(len(selected.selected), "session")
        say(
            f"{read} of {selected.pool:,} would be read, about {selected.tokens:,} tokens in "
            f"{counted(len(selected.batches), 'batch')}."
        )
        lines(_left_unread(plan))
        say(f"Digests: {plan.paths.digests}")
    if verbose:
        say("\n\n".join(preflight(plan)))
    if plan.mode is Mode.NOOP:
        return
    decide = plan.store.said(f"memgit decide {plan.id} FILE")
    if plan.id and plan.kind is not PassKind.CURATE:
        say(f"Next: read {DECIDE_BRIEF} there, then `{decide}`.")
    elif plan.id:
        propose = plan.store.said(f"memgit propose {plan.id} FILE…")
        say(f"Next: one miner per batch, then `{propose}` and `{decide}`.")
    else:
        say("A dry run ends here: no snapshot, no candidate. The next pass takes the place of its digests.")


def _unsaid(outcome: Outcome) -> Iterator[str]:
    """What a person should know beside the decisions, in a line each, with the command that helps."""
    from memgit.evidence.findings import printable_name
    from memgit.text.layout import counted, line

    said = outcome.plan.store.said
    if outcome.index:
        yield from _of_index(outcome.index)
    lacking = [printable_name(memory) for memory, check in outcome.verification.items() if check.missing]
    if lacking:
        verify = said(f"memgit verify {outcome.plan.id}".rstrip())
        yield f"Not in the working tree: what {_few(lacking)} names (`{verify}`)."
    yield from _left_unread(outcome.plan)
    unread = [session for reply in outcome.replies for session, _ in reply.unread]
    if unread:
        languages = sorted(name or "unknown" for name in outcome.plan.languages if name != "en")
        yield (
            f"{counted(len(unread), 'session')} in a language that no rules are for ({', '.join(languages)}) were read "
            f"by likeness alone; a model reads them: `{said('memgit curate --miner claude')}`"
        )
    yield from (f"Batch {reply.batch} was not mined: {reply.failure}." for reply in outcome.replies if reply.failure)
    if found := {(each.place, each.line) for each in outcome.findings if each.line}:
        places = counted(len(found), "place")
        yield f"Looks like a secret, or could steer an agent: {places} in the candidate (`{said('memgit check')}`)."
    yield from map(line, outcome.notes)


def _of_index(index: IndexChange) -> Iterator[str]:
    from memgit.memory.index_lines import LINE_LIMIT
    from memgit.text.layout import counted

    (old, new), (_, units) = index.lines, index.units
    if index.lost:
        yield (
            f"The index is full: {counted(index.lost, 'line')} at its end are never read "
            f"({new} of {LINE_LIMIT} lines, {units:,} units); shorter descriptions and `memgit prune` make room."
        )
    elif old != new or index.units[0] != units:
        yield f"Index: {old} -> {new} lines of {LINE_LIMIT}, {index.units[0]:,} -> {units:,} units."


def _left_unread(plan: Plan) -> Iterator[str]:
    """Sessions that the limits leave out, and the option that takes them in."""
    from memgit.model.history import Mode
    from memgit.text.layout import counted, line

    selection, said = plan.selection, plan.store.said
    if beyond := selection.beyond_budget:
        whole = selection.tokens + sum(session.tokens for session in beyond)
        more = said(f"memgit curate --token-budget {-(-whole // 10_000) * 10_000}")
        budget = f"{selection.limits.token_budget:,} tokens"
        yield f"{counted(len(beyond), 'session')} beyond the budget of {budget}: `{more}`"
    if capped := selection.beyond_cap:
        more = said(f"memgit curate --session-cap {selection.limits.session_cap + len(capped)}")
        yield f"{counted(len(capped), 'session')} beyond the cap of {selection.limits.session_cap}: `{more}`"
    yield from (
        f"Another store, not part of this: {orphan.path} ({counted(orphan.memories, 'memory')}, {line(orphan.why)})."
        for orphan in plan.survey.orphans
    )
    yield from (line(note) for note in (*plan.notes, *plan.survey.notes))
    if plan.mode is Mode.COLD_START:
        yield f"A cold start: the store is {plan.status.value}, so every change adds; files that were there are kept."


def _few(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _how(outcome: Outcome) -> Iterator[str]:
    """How a pass came to its answer, and where everything lies."""
    from memgit.core.report.outline import preflight, unverifiable
    from memgit.evidence.findings import printable_name
    from memgit.text.layout import counted

    yield ""
    yield from preflight(outcome.plan)
    yield _verdicts(outcome)
    for memory, check in outcome.verification.items():
        if check.missing:
            yield f"  {printable_name(memory)} {unverifiable(check)}"
    found = dict.fromkeys(f"{each.place}, line {each.line}: {each.kind}" for each in outcome.findings if each.line)
    yield from (f"  {place}" for place in found)
    if outcome.plan.findings:
        yield f"Masked in what was read: {counted(len(outcome.plan.findings), 'place')}."
    yield f"Candidate: {outcome.plan.paths.candidate}"
    yield f"Report: {outcome.plan.paths.report}"
    yield f"The store was {outcome.plan.fingerprint} before and is {outcome.fingerprint_after} now."
    for what, listed in (("adopt", outcome.adopt[1:]), ("discard", outcome.discard[1:])):
        yield from (f"To {what} without memgit:\n  {command}" for command in listed)


def _verdicts(outcome: Outcome) -> str:
    from memgit.model.verification import Verdict

    count = Counter(check.verdict for check in outcome.verification.values())
    return (
        f"Working tree: {count[Verdict.VERIFIED]} verified, {count[Verdict.UNVERIFIABLE]} name what is not there, "
        f"{count[Verdict.NO_TARGETS]} with nothing to check."
    )


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


def audited(result: Audited, how: str, strict: bool, *, verbose: bool = False) -> int:
    """Audits of one store or of all: what was found in each, and what to say to it. Exit 3 under ``strict`` when
    anything was found. ``how`` is text, json or sarif."""
    from memgit.core.report.looks import findings, sarif
    from memgit.model.passes import Outcome

    outcomes = [each for each in result.results if isinstance(each, Outcome)]
    code = max((_exit_code(each) for each in outcomes), default=0)
    match how:
        case "sarif":
            answer_whole(sarif(outcomes))
        case "json":
            _answer_audits(result)
        case _:
            _tell_audits(result, verbose=verbose)
    return code or (3 if strict and any(map(findings, outcomes)) else 0)


def _answer_audits(result: Audited) -> None:
    from memgit.core.passes.records import pass_json

    if not result.is_all:
        answer_whole(pass_json(result.results[0]))
        return
    passes = [pass_json(each) for each in result.results]
    answer("audits", {"passes": passes, "unreachable": [{"store": a, "why": b} for a, b in result.unreachable]})


def _tell_audits(result: Audited, *, verbose: bool) -> None:
    from memgit.model.passes import Outcome
    from memgit.text.layout import counted

    outcomes = [each for each in result.results if isinstance(each, Outcome)]
    if result.is_all:
        say(f"{counted(len(outcomes), 'store')} audited, {len(result.unreachable)} not.")
    for each in result.results:
        if result.is_all:
            say(f"\n== {each.plan.store.path if isinstance(each, Outcome) else each.store.path}")
        if isinstance(each, Outcome):
            _tell_audit(each, verbose=verbose)
        else:
            say(f"Nothing to audit: the store {each.store.path} is {each.status}.")
    lines(f"Not audited: {store}. {why}" for store, why in result.unreachable)


def _tell_audit(outcome: Outcome, *, verbose: bool) -> None:
    from memgit.core.report.looks import proposals
    from memgit.text.layout import Run, Style, counted, line

    changing = [decision for decision in outcome.decisions if decision.changes]
    told = f"{counted(len(changing), 'proposal')} in pass {outcome.plan.id}" if outcome.plan.id else "a dry run"
    classes = Counter(each.kind for each in outcome.inspection.appraisals)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(classes.items()))
    memories = counted(outcome.plan.memories, "memory")
    styled = Style.WARNING if changing else Style.GOOD
    tell(
        Run(f"{memories}: {counts or 'nothing to look at'}", styled), f"; {told if changing else 'nothing to change'}."
    )
    outlined(outcome.decisions, None if verbose else _FEW_ENOUGH)
    if not outcome.unchanged:
        tell(Run("Unsafe: ", Style.BAD), "the store changed during this audit; put it away and run it again.")
    if verbose:
        lines(proposals(outcome.decisions))
    lines(_remarks(outcome) if verbose else _said_shortly(outcome))
    lines(map(line, outcome.notes))
    steps(next_steps(outcome) if changing else ())


_FEW_ENOUGH = 15
"""Proposals that are listed at once; the report and -v have all."""


def _said_shortly(outcome: Outcome) -> Iterator[str]:
    """What an audit saw beside its proposals: how much of each, which the report has whole."""
    from memgit.text.layout import counted

    others = [(each.title, len(each.lines)) for each in outcome.inspection.remarks if each.title != "Inventory"]
    if others:
        told = ", ".join(f"{title[:1].lower()}{title[1:]} ({counted(count, 'line')})" for title, count in others)
        yield f"Also seen, in the report and with -v: {told}."


def pruned(result: Pruned, as_json: bool, store: str | None = None, *, verbose: bool = False) -> int:
    """What could be pruned, or what was. ``store`` is the one that was named."""
    from memgit.core.report.looks import answered, report
    from memgit.rulings.standing import is_question
    from memgit.text.layout import Run, Style

    if as_json:
        answer("prune", prune_json(result))
        return 0
    if result.done is not None:
        return done(result.done, as_json=False, verbose=verbose)
    if result.refused:
        tell(Run(result.refused, Style.WARNING))
    goes = [decision for decision in result.decisions if decision.stands]
    tell(Run(answered(result.found, result.decisions), Style.WARNING if goes else Style.GOOD))
    outlined(result.decisions, None if verbose else _FEW_ENOUGH)
    lines(_flagged(result))
    if verbose:
        lines(("", *report(result.found, result.decisions, result.recalls)))
    named = f" --store {shlex.quote(store)}" if store else ""
    asked = [decision for decision in result.decisions if is_question(decision)]
    whole = [("let these go", f"memgit prune --confirm{named}")] if goes else []
    one = [("say yes to a question", f"memgit prune --confirm --take {asked[0].id}{named}")] if asked else []
    steps([*whole, *one])
    return 0


def _flagged(result: Pruned) -> Iterator[str]:
    """What a prune leaves alone, in a line each."""
    from memgit.text.layout import counted, line

    found = result.found
    if found.stale:
        names = _few([line(name) for name, _ in found.stale])
        yield f"Out of date, and kept: {names} (`memgit audit` proposes what to write instead)."
    if found.contradictions:
        yield f"{counted(len(found.contradictions), 'contradiction')}, left to you (-v shows both sides)."
    if found.no_orphans:
        yield f"What nobody uses cannot be told: {found.no_orphans}."


def prune_json(result: Pruned) -> dict[str, Any]:
    """A prune as ``--json`` prints it."""
    from memgit.core.passes.records import pruned_json

    operation = result.done.operation if result.done else None
    facts = {"pass": result.pass_id, "operation": operation.id if operation else None, "refused": result.refused}
    return {**facts, **pruned_json(result.found, result.decisions, result.recalls.sessions)}


def demonstrated(example: Example, result: Plan | Outcome, as_json: bool) -> int:
    """The pass over the worked example, and how it goes when it is no longer wanted."""
    from memgit.core.passes.records import pass_json

    if as_json:
        answer_whole({**pass_json(result), "example": {"folder": str(example.folder), "command": str(example.command)}})
        return 0
    os.environ[CALLED] = shlex.quote(str(example.command))
    code = passed(result, as_json=False)
    say(f"\nAn invented project in {example.folder}, with what an agent decided of it. Try also:")
    steps([*_TRIES, ("remove it again", f"rm -rf {shlex.quote(str(example.folder))}")])
    return code


_TRIES = (("what would change", "memgit diff"), ("how the store stands", "memgit status"))
