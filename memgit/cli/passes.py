"""Passes: propose a better store, adopt nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memgit import wiring
from memgit.cli import completion
from memgit.cli.frame import (
    PASSES,
    Call,
    DryRun,
    EveryStore,
    MaskPersonal,
    PassId,
    RemoveMost,
    SessionCap,
    TokenBudget,
    app,
    command,
    in_every_store,
)
from memgit.console import every, passes, terminal
from memgit.errors import UsageError

if TYPE_CHECKING:
    from memgit.flows.prune import Pruned
    from memgit.model.passes import Outcome, Plan


@command(PASSES, begins=True)
def curate(
    call: Call,
    token_budget: TokenBudget = None,
    session_cap: SessionCap = None,
    miner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who proposes: offline, claude, api.", autocompletion=completion.miners),
    ] = None,
    decider: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides; the miner if left out.", autocompletion=completion.miners),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Not the model of your own settings.")] = None,
    parallel: Annotated[int | None, typer.Option(min=1, max=64, metavar="N", help="Batches mined at a time.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="N", help="Tokens asked of an api at most.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, metavar="USD", help="The same in US dollars.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Preflight and digests only.")] = False,
    index: Annotated[
        str | None,
        typer.Option(metavar="WAY", help="Index lines: own, or frontmatter.", autocompletion=completion.index_ways),
    ] = None,
    mask_personal: MaskPersonal = False,
    again: Annotated[bool, typer.Option("--again", help="Although a pass on the same input is open.")] = False,
    yes_remove_most: RemoveMost = False,
    all_: EveryStore = False,
) -> int:
    """Propose a curated store beside the live one; adopt nothing.

    Example: memgit curate --dry-run
    """
    from memgit.flows.curate import curate as run_pass

    choices = wiring.Choices(
        token_budget,
        session_cap,
        miner,
        index,
        yes_remove_most,
        mask_personal,
        decider,
        model,
        parallel,
        max_tokens,
        max_cost,
    )

    def curated(one: Call) -> Plan | Outcome:
        with terminal.progress() as progress:
            return run_pass(wiring.workshop(one.settings, progress, choices), dry_run=dry_run, again=again)

    if all_:
        return in_every_store(call, "curate", curated, every.of_pass())
    at_hand = "" if call.json or miner or decider else wiring.model_at_hand(call.settings)
    return passes.passed(curated(call), call.json, at_hand=at_hand, verbose=call.verbose)


@command(PASSES, begins=True)
def plan(
    call: Call,
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="curate, audit, prune or sweep.",
            autocompletion=completion.words("curate", "audit", "prune", "sweep"),
        ),
    ] = "curate",
    token_budget: TokenBudget = None,
    session_cap: SessionCap = None,
    mask_personal: MaskPersonal = False,
) -> int:
    """Step 1 for a host agent: snapshot, digests, briefs.

    With --kind audit or prune memgit looks by its own rules and the host adds to that.

    Example: memgit plan --json
    """
    from memgit.flows.host import plan as plan_curation
    from memgit.flows.host import plan_audit, plan_prune
    from memgit.model.history import PassKind

    choices = wiring.Choices(token_budget, session_cap, mask_personal=mask_personal)
    with terminal.progress() as progress:
        shop = wiring.workshop(call.settings, progress, choices)
        match kind:
            case "curate":
                result = plan_curation(shop)
            case "audit":
                result = plan_audit(shop)
            case "sweep":
                result = plan_curation(wiring.beads_workshop(call.settings, progress, choices)[0], PassKind.SWEEP)
            case "prune":
                result = plan_prune(shop, wiring.prune_terms(call.settings, {}, (), include_stale=False))
            case _:
                raise UsageError(f"There is no pass of kind {kind} to plan.", "Choose curate, audit, prune or sweep.")
    return passes.passed(result, call.json, verbose=call.verbose)


@command(PASSES)
def propose(
    call: Call,
    pass_id: PassId,
    replies: Annotated[list[str], typer.Argument(metavar="FILE...", help="Candidates as JSON; - for stdin.")],
) -> int:
    """Step 2: hand in what the miners returned.

    Example: memgit propose 2026-11-29.3 batch-01-candidates.json
    """
    from memgit.flows.host import propose as take

    shop = wiring.workshop(call.settings, terminal.SILENT)
    return passes.proposed(take(shop, pass_id, [terminal.read_input(name) for name in replies]), call.json)


@command(PASSES)
def decide(
    call: Call,
    pass_id: PassId,
    decisions: Annotated[str, typer.Argument(metavar="FILE", help="Decisions as JSON; - for stdin.")],
    check: Annotated[bool, typer.Option("--check", help="Only say what stands against them; keep nothing.")] = False,
    final: Annotated[bool, typer.Option("--final", help="The last word: what is held is left to a person.")] = False,
    yes_remove_most: RemoveMost = False,
) -> int:
    """Step 3: hand in decisions; memgit answers with facts and doubts.

    What a fact refuses or a doubt holds can be mended, confirmed or withdrawn in a further decide.

    Example: memgit decide 2026-11-29.3 decisions.json
    """
    from memgit.flows.audit import Audited
    from memgit.flows.host import decide as settle
    from memgit.model.history import PassKind

    with terminal.progress() as progress:
        shop = wiring.workshop(call.settings, progress, wiring.Choices(remove_most=yes_remove_most))
        result = settle(shop, pass_id, terminal.read_input(decisions), check=check, final=final)
    if check:
        return passes.ruled(result, call.json)
    if result.plan.kind is PassKind.AUDIT:
        return passes.audited(Audited((result,)), "json" if call.json else "text", strict=False)
    return passes.swept(result, call.json) if result.plan.kind is PassKind.SWEEP else passes.passed(result, call.json)


@command(PASSES)
def audit(
    call: Call,
    dry: Annotated[bool, typer.Option("--dry-run", help="The report only; nothing to approve or adopt.")] = False,
    dry_: Annotated[bool, typer.Option("--dry", hidden=True)] = False,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Propose only for what became wrong since.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every store found, each against its own project.")] = False,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help="text, or sarif.")] = "text",
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when anything is found.")] = False,
    yes_remove_most: RemoveMost = False,
) -> int:
    """Hold what memories claim against the repository.

    Proposals are numbered, and nothing is adopted before you approve it.

    Example: memgit audit --dry-run
    """
    from memgit.flows.audit import Audited, audit_all
    from memgit.flows.audit import audit as run_pass

    if format_ not in ("text", "sarif"):
        raise UsageError(f"There is no format {format_}.", "Choose text or sarif; --json prints memgit's own.")
    dry, moment = dry or dry_, wiring.parse_time(since) if since else None
    choices = wiring.Choices(remove_most=yes_remove_most)
    with terminal.progress() as progress:
        if all_:
            result = audit_all(wiring.workshops(call.settings, progress, choices), dry=dry, since=moment)
        else:
            result = Audited((run_pass(wiring.workshop(call.settings, progress, choices), dry=dry, since=moment),))
    return passes.audited(result, "json" if call.json else format_, strict, verbose=call.verbose)


@command(PASSES)
def prune(
    call: Call,
    confirm: Annotated[bool, typer.Option("--confirm", help="Do what the last report showed.")] = False,
    take: Annotated[str | None, typer.Option(metavar="M1,M3", help="And of its questions these.")] = None,
    dry_run: DryRun = False,
    include_stale: Annotated[bool, typer.Option("--include-stale", help="Also what tells of things gone.")] = False,
    window: Annotated[
        int | None, typer.Option(min=0, metavar="DAYS", help="Between two tellings of one lesson; 180.")
    ] = None,
    orphan_days: Annotated[int | None, typer.Option(min=1, metavar="DAYS", help="Without recall: orphan; 30.")] = None,
    alike: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="How likely two tell one lesson, to be asked; 0.3.")
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option("--pin", metavar="ID", help="Leave this one alone.", autocompletion=completion.memories),
    ] = None,
    while_in_use: Annotated[bool, typer.Option("--while-in-use", help="Although another session uses it.")] = False,
    yes_remove_most: RemoveMost = False,
    all_: EveryStore = False,
) -> int:
    """Report what could go; --confirm lets it go.

    Copies and memories nobody uses; what may be one lesson told twice is asked, and --take answers with yes. Worth a
    run each month on a project at work, never on an archived one, and never to save space.

    Example: memgit prune
    """
    from memgit.flows.prune import prune as run_pass

    if take and not confirm:
        raise UsageError("--take goes with --confirm.", "Look at the report of `memgit prune` first.")
    given = {"alike": alike, "window": window, "orphan_days": orphan_days}
    terms = wiring.prune_terms(call.settings, given, pin or (), include_stale=include_stale)

    def pruned(one: Call) -> Pruned:
        with terminal.progress() as progress:
            shop = wiring.workshop(one.settings, progress, wiring.Choices(remove_most=yes_remove_most))
            taken = take.split(",") if take else ()
            confirmed = confirm and not dry_run
            return run_pass(shop, one.site().new_desk, terms, confirm=confirmed, take=taken, while_in_use=while_in_use)

    if all_:
        return in_every_store(call, "prune", pruned, every.of_prune())
    return passes.pruned(pruned(call), call.json, call.settings.store, verbose=call.verbose)


@command(PASSES)
def sweep(
    call: Call,
    run_bd_create: Annotated[
        bool, typer.Option("--run-bd-create", help="File the beads that the last sweep listed.")
    ] = False,
    token_budget: TokenBudget = None,
    session_cap: SessionCap = None,
    mask_personal: MaskPersonal = False,
    yes_remove_most: RemoveMost = False,
) -> int:
    """Bring a store of beads memories into order.

    Headers, duplicates, episodes told once as a fact, marks on what is superseded: the whole list of bd commands, and
    nothing run before you approve it. Without --store it is the beads store of this project.

    Example: memgit sweep
    """
    from memgit.flows.sweep import sweep as run_pass

    choices = wiring.Choices(
        token_budget, session_cap, wiring.OFFLINE, remove_most=yes_remove_most, mask_personal=mask_personal
    )
    with terminal.progress() as progress:
        shop, beads = wiring.beads_workshop(call.settings, progress, choices)
        result = run_pass(shop, beads, create=run_bd_create)
    return passes.swept(result, call.json, verbose=call.verbose)


@app.command(rich_help_panel=PASSES)
def demo(
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", help="A new folder; a temporary one if not.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Take a small invented project through a whole pass.

    What an agent decided of it was written down in advance.

    Example: memgit demo
    """
    from memgit.flows.host import decide, plan, propose

    example, settings = wiring.demo(folder)
    with terminal.progress() as progress:
        shop = wiring.workshop(settings, progress)
        pass_id = plan(shop).id
        propose(shop, pass_id, [example.candidates(pass_id)])
        result = decide(shop, pass_id, example.decisions(pass_id), final=True)
    return passes.demonstrated(example, result, json)
