"""The command line: parse, wire, call, print. Nothing else happens here."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command

from memgit import console, wiring
from memgit.errors import MemgitError, UsageError

if TYPE_CHECKING:
    from memgit.flows.desk import Desk

PASSES, LIFECYCLE, LOOK, EVERYDAY, AGENT = "Passes", "Lifecycle", "Look", "Everyday", "In the agent's hands"


class Grouped(TyperGroup):
    """Lists the commands by what they are for, in the order in which they are defined.

    The options of a command are worked out when it is called: for all of them that takes longer than importing
    the library.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _COMPLETED:
            return super().get_command(ctx, cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(_COMPLETED[cmd_name]())
        return get_command(single)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 – the library's signature
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        for group in (PASSES, LIFECYCLE, LOOK, EVERYDAY, AGENT):
            rows = [
                (name, command.get_short_help_str(limit=78))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == group and not command.hidden
            ]
            with formatter.section(group):
                formatter.write_dl(rows)


app = typer.Typer(
    name="memgit",
    cls=Grouped,
    help="Curate an AI coding agent's memory store, with every step reversible.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)

_COMPLETED: dict[str, Callable[[], Callable[..., int]]] = {}
"""For each command that `command` registers, what gives its function with a signature."""

INTERRUPTED = 130

UsageMistake: Any = typer.BadParameter.__bases__[0]
"""The usage errors of whichever click typer brings along; it does not export their base class."""

PassId = Annotated[str, typer.Argument(metavar="ID", help="A pass, or an unambiguous beginning of its id.")]
MaybePass = Annotated[str | None, typer.Argument(metavar="[ID]", help="A pass; the newest one if left out.")]
TokenBudget = Annotated[int | None, typer.Option(min=1, metavar="N", help="Prose tokens to read, newest first.")]
SessionCap = Annotated[int | None, typer.Option(min=1, metavar="N", help="Sessions to read at the most.")]
RemoveMost = Annotated[bool, typer.Option("--yes-remove-most", help="Allow dropping more than half.")]


@dataclass(frozen=True)
class Call:
    """What every command was given: where it works, and who reads its answer."""

    settings: wiring.Settings
    json: bool

    def site(self) -> wiring.Site:
        return wiring.Site(self.settings)

    def desk(self) -> Desk:
        return self.site().desk()


def _common(
    store: Annotated[str | None, typer.Option("--store", metavar="DIR", help="Not the agent's own store.")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="DIR", help="Not this directory.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    now: Annotated[str | None, typer.Option("--now", metavar="TIME", help="Take an ISO 8601 time for now.")] = None,
) -> Call:
    return Call(wiring.Settings.of_process(store, project, now), json)


def command(group: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a command whose first parameter is its `Call`; the options behind that are the same everywhere."""

    def register(function: Callable[..., int]) -> Callable[..., int]:
        def named() -> None:
            """Stands in the list of commands."""

        name = function.__name__.rstrip("_")  # import_ stands for a word that Python keeps for itself
        named.__name__, named.__doc__ = name, function.__doc__
        app.command(rich_help_panel=group)(named)
        _COMPLETED[name.replace("_", "-")] = lambda: _completed(function)
        return function

    return register


def _completed(function: Callable[..., int]) -> Callable[..., int]:
    """The function of a command, taking its own options and those that all have."""
    own, common = (_parameters(each) for each in (function, _common))

    def called(**given: Any) -> int:
        call = _common(**{name: given.pop(name) for name in common})
        return function(call, **given)

    parameters = [*list(own.values())[1:], *common.values()]
    called.__name__, called.__doc__ = function.__name__, function.__doc__
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    hints = get_type_hints(function, globals() | {"Desk": object}, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(function).parameters.items()
    }


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Every failure leaves through here, as one sentence."""
    wants_json = "--json" in arguments
    try:
        code = app(list(arguments), prog_name="memgit", standalone_mode=False)
        if code == INTERRUPTED:  # the library catches Ctrl-C itself and says nothing
            return console.interrupted()
        return code if isinstance(code, int) else 0
    except MemgitError as error:
        return console.failure(error, wants_json)
    except UsageMistake as error:
        return console.misused(error, wants_json)
    except (KeyboardInterrupt, typer.Abort):
        return console.interrupted()
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; there is nobody to tell
        return 141
    except Exception as error:
        if refusal := console.of_the_system(error):
            return console.failure(refusal, wants_json)
        return console.bug(error, wiring.bug_report_folder(), wants_json)


# --- passes ---


@command(PASSES)
def curate(
    call: Call,
    token_budget: TokenBudget = None,
    session_cap: SessionCap = None,
    miner: Annotated[str, typer.Option(metavar="NAME", help="Who proposes changes: offline.")] = "offline",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Preflight and digests only.")] = False,
    index: Annotated[str, typer.Option(metavar="WAY", help="Index lines: own, or frontmatter.")] = "own",
    yes_remove_most: RemoveMost = False,
) -> int:
    """Propose a curated store beside the live one; adopt nothing.

    Example: memgit curate --dry-run
    """
    from memgit.flows.curate import curate as run_pass

    choices = wiring.Choices(token_budget, session_cap, miner, index, yes_remove_most)
    with console.progress() as progress:
        result = run_pass(wiring.workshop(call.settings, progress, choices), dry_run=dry_run)
    return console.passed(result, call.json)


@command(PASSES)
def plan(call: Call, token_budget: TokenBudget = None, session_cap: SessionCap = None) -> int:
    """Step 1 for a host agent: snapshot, digests, briefs.

    Example: memgit plan --json
    """
    from memgit.flows.host import plan as make_plan

    choices = wiring.Choices(token_budget, session_cap)
    with console.progress() as progress:
        result = make_plan(wiring.workshop(call.settings, progress, choices))
    return console.passed(result, call.json)


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

    shop = wiring.workshop(call.settings, console.SILENT)
    return console.proposed(take(shop, pass_id, [console.read_input(name) for name in replies]), call.json)


@command(PASSES)
def decide(
    call: Call,
    pass_id: PassId,
    decisions: Annotated[str, typer.Argument(metavar="FILE", help="Decisions as JSON; - for stdin.")],
    yes_remove_most: RemoveMost = False,
) -> int:
    """Step 3: hand in decisions; memgit checks and builds.

    Example: memgit decide 2026-11-29.3 decisions.json
    """
    from memgit.flows.host import decide as settle

    with console.progress() as progress:
        shop = wiring.workshop(call.settings, progress, wiring.Choices(remove_most=yes_remove_most))
        result = settle(shop, pass_id, console.read_input(decisions))
    return console.passed(result, call.json)


@command(PASSES)
def audit(
    call: Call,
    dry: Annotated[bool, typer.Option("--dry", help="The report only; nothing to approve or adopt.")] = False,
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

    Example: memgit audit --dry
    """
    from memgit.flows.audit import Audited, audit_all
    from memgit.flows.audit import audit as run_pass

    if format_ not in ("text", "sarif"):
        raise UsageError(f"There is no format {format_}.", "Choose text or sarif; --json prints memgit's own.")
    moment = wiring.parse_time(since) if since else None
    choices = wiring.Choices(remove_most=yes_remove_most)
    with console.progress() as progress:
        if all_:
            result = audit_all(wiring.workshops(call.settings, progress, choices), dry=dry, since=moment)
        else:
            result = Audited((run_pass(wiring.workshop(call.settings, progress, choices), dry=dry, since=moment),))
    return console.audited(result, "json" if call.json else format_, strict)


@command(PASSES)
def prune(
    call: Call,
    confirm: Annotated[bool, typer.Option("--confirm", help="Do what the last report showed.")] = False,
    include_stale: Annotated[bool, typer.Option("--include-stale", help="Also what tells of things gone.")] = False,
    window: Annotated[int, typer.Option(min=0, metavar="DAYS", help="Between two tellings of one lesson.")] = 180,
    orphan_days: Annotated[int, typer.Option(min=1, metavar="DAYS", help="Without recall: an orphan.")] = 30,
    near: Annotated[float, typer.Option(min=0.5, max=1.0, help="Share of words that copies share.")] = 0.88,
    alike: Annotated[float, typer.Option(min=0.5, max=1.0, help="Nearness of one lesson told twice.")] = 0.84,
    pin: Annotated[list[str] | None, typer.Option("--pin", metavar="ID", help="Leave this one alone.")] = None,
    while_in_use: Annotated[bool, typer.Option("--while-in-use", help="Although another session uses it.")] = False,
    yes_remove_most: RemoveMost = False,
) -> int:
    """Report what could go; --confirm lets it go.

    Copies, lessons told twice, memories nobody uses. Worth a run each month on a project at work, never on an
    archived one, and never to save space.

    Example: memgit prune
    """
    from memgit.core.prune import Terms
    from memgit.flows.prune import prune as run_pass

    terms = Terms(near, alike, window, orphan_days, include_stale, tuple(pin or ()))
    with console.progress() as progress:
        shop = wiring.workshop(call.settings, progress, wiring.Choices(remove_most=yes_remove_most))
        result = run_pass(shop, call.site().new_desk, terms, confirm=confirm, while_in_use=while_in_use)
    return console.pruned(result, call.json)


@app.command(rich_help_panel=PASSES)
def demo(
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", help="A new folder; a temporary one if not.")] = None,
) -> int:
    """Take a small invented project through a whole pass.

    Example: memgit demo
    """
    from memgit.flows.curate import curate as run_pass

    example, settings = wiring.demo(folder)
    with console.progress() as progress:
        result = run_pass(wiring.workshop(settings, progress))
    return console.demonstrated(example, result)


# --- lifecycle ---


@command(LIFECYCLE)
def adopt(
    call: Call,
    pass_id: PassId,
    only: Annotated[str | None, typer.Option("--only", metavar="M1,M3", help="Just these of its changes.")] = None,
    except_: Annotated[str | None, typer.Option("--except", metavar="M2", help="All of them but these.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All, although nobody has approved them.")] = False,
    while_in_use: Annotated[bool, typer.Option("--while-in-use", help="Although another session uses it.")] = False,
    yes_remove_most: RemoveMost = False,
) -> int:
    """Make a candidate the live store. The old one is kept.

    Example: memgit adopt 2026-11-29.3
    """
    from memgit.flows import lifecycle

    if sum(map(bool, (only, except_, all_))) > 1:
        raise UsageError("--only, --except and --all exclude each other.", "Give one of them.")
    done = lifecycle.adopt(
        call.desk(),
        pass_id,
        only=[only] if only else (),
        except_=[except_] if except_ else (),
        all_=all_,
        while_in_use=while_in_use,
        remove_most=yes_remove_most,
    )
    return console.done(done, call.json)


@command(LIFECYCLE)
def approve(
    call: Call,
    pass_id: PassId,
    reply: Annotated[str, typer.Argument(metavar="REPLY", help="What you say to its proposals; - for stdin.")],
) -> int:
    """Rule on single proposals of a pass.

    Forms: approve all; approve M1, M3; approve M2-M5; approve all except M2; approve M3 with edit: TEXT;
    reject M4 - REASON; defer M6. Several may stand in one reply. What is not named stays open.

    Example: memgit approve 2026-11-29.3 "approve M1, M3; reject M4 - it still holds"
    """
    from memgit.flows.approve import approve as rule

    said = console.read_input("-").decode("utf-8", "replace") if reply == "-" else reply
    return console.done(rule(call.desk(), pass_id, said, call.site().verdicts), call.json)


@command(LIFECYCLE)
def merge(call: Call, pass_id: PassId) -> int:
    """Merge a candidate with what the store has become since.

    Example: memgit merge 2026-11-29.3
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.merge(call.desk(), pass_id), call.json)


@command(LIFECYCLE)
def discard(call: Call, pass_id: PassId) -> int:
    """Put a candidate away. Undo brings it back.

    Example: memgit discard 2026-11-29.3
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.discard(call.desk(), pass_id), call.json)


@command(LIFECYCLE)
def undo(
    call: Call,
    operation: Annotated[str | None, typer.Argument(metavar="[OP]", help="The last decision if left out.")] = None,
) -> int:
    """Take back the last decision, or a named one. Undoing twice takes back two.

    Example: memgit undo
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.undo(call.desk(), operation), call.json)


@command(LIFECYCLE)
def redo(call: Call) -> int:
    """Do again what the last undo took back.

    Example: memgit redo
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.redo(call.desk()), call.json)


@command(LIFECYCLE)
def restore(
    call: Call,
    at: Annotated[str, typer.Option("--at", metavar="WHEN", help="An operation, a pass or a time.")],
    memories: Annotated[list[str] | None, typer.Argument(metavar="[FILE...]", help="Only these files.")] = None,
) -> int:
    """Bring back the store, or some files, as they were.

    Example: memgit restore --at 2026-11-01 retry-budget.md
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.restore(call.desk(), at, tuple(memories or ())), call.json)


@command(LIFECYCLE)
def recover(call: Call) -> int:
    """Finish or take back what was cut short.

    Example: memgit recover
    """
    from memgit.flows.desk import Done
    from memgit.flows.lifecycle import recover as finish

    return console.done(finish(call.desk()) or Done("Nothing was cut short.", ""), call.json)


@command(LIFECYCLE)
def redact(
    call: Call,
    memory: Annotated[str | None, typer.Argument(metavar="[MEMORY[:LINE]]", help="The secret found there.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="All secrets found of a kind.")] = None,
    match: Annotated[str | None, typer.Option("--match", metavar="FILE", help="Its text; - for stdin.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. It cannot be undone.")] = False,
) -> int:
    """Remove a leaked secret from all that memgit has written, for good. Without --yes only its places are shown.

    Example: memgit redact deploy-notes:12
    """
    from memgit.flows.redact import redact as remove
    from memgit.flows.redact import wanted

    text = console.read_input(match) if match is not None else None
    asked = wanted(memory, kind, text)
    done = remove(call.desk(), asked, wiring.reach(call.settings), really=yes)
    return console.redacted(done, call.json)


@command(LIFECYCLE)
def sync(
    call: Call,
    remote: Annotated[str | None, typer.Argument(metavar="[REMOTE]", help="A remote's name, or its address.")] = None,
    push: Annotated[bool, typer.Option("--push", help="Only push.")] = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Only fetch.")] = False,
    without_prose: Annotated[bool, typer.Option("--without-prose", help="Keep operation log and prose here.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to push to this remote.")] = False,
    take: Annotated[
        str | None, typer.Option("--take", metavar="ID", help="Take over what a review made of it.")
    ] = None,
) -> int:
    """Push to, and fetch from, any git repository.

    Example: memgit sync git@example.com:team/memories.git
    """
    from memgit.flows.sync import Scope
    from memgit.flows.sync import sync as exchange
    from memgit.flows.takeover import take as take_over

    desk = call.desk()
    if take is not None:
        return console.done(take_over(desk, take), call.json)
    scope = Scope.WITHOUT_PROSE if without_prose else Scope.ALL
    agree = console.agreed if yes else console.asked_to_push
    result = exchange(desk, remote, agree, push=push or not fetch, fetch=fetch or not push, scope=scope)
    return console.synced(result, call.json)


@command(LIFECYCLE)
def export(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A new file.")],
    without_prose: Annotated[bool, typer.Option("--without-prose", help="Leave operation log and prose out.")] = False,
) -> int:
    """Write the whole history into one file, a git bundle.

    Example: memgit export memories.bundle
    """
    from memgit.flows.sync import Scope
    from memgit.flows.sync import export as write

    leaving = write(call.desk(), Path(file), Scope.WITHOUT_PROSE if without_prose else Scope.ALL)
    return console.exported(file, leaving, call.json)


@command(LIFECYCLE)
def import_(call: Call, file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote.")]) -> int:
    """Bring the history in a bundle here, beside your own.

    Example: memgit import memories.bundle
    """
    from memgit.flows.sync import import_ as bring

    return console.synced(bring(call.site().new_desk(), Path(file)), call.json)


# --- look ---


@command(LOOK)
def log(
    call: Call,
    machine: Annotated[str | None, typer.Option("--machine", metavar="NAME", help="Another machine's.")] = None,
) -> int:
    """List all passes and where each stands.

    Example: memgit log
    """
    vault = call.site().vault()
    if machine is not None:
        from memgit.flows.sync import passes_of

        return console.logged(passes_of(vault, machine), call.json)
    return console.logged(vault.passes(), call.json)


@command(LOOK)
def show(call: Call, pass_id: MaybePass = None) -> int:
    """Print a report: each change with text, reason, quote.

    Example: memgit show 2026-11-29.3
    """
    from memgit.flows.views import report

    return console.shown(report(call.desk(), pass_id), call.json)


@command(LOOK)
def diff(
    call: Call,
    pass_id: MaybePass = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only which files, and how many lines.")] = False,
) -> int:
    """Show what a candidate changes.

    Example: memgit diff 2026-11-29.3
    """
    from memgit.flows.views import difference

    return console.differed(difference(call.desk(), pass_id), stat, call.json)


@command(LOOK)
def status(call: Call) -> int:
    """Say how the store stands and what waits for you.

    Example: memgit status
    """
    from memgit.flows.views import standing

    site = call.site()
    return console.stood(
        standing(site.store, site.desk_or_none(), call.settings.clock()), site.strays_found(), call.json
    )


@command(LOOK)
def ops(call: Call) -> int:
    """List every operation; each can be gone back to.

    Example: memgit ops
    """
    return console.operated(tuple(call.site().vault().operations()), call.json)


# --- everyday ---


@command(EVERYDAY)
def snapshot(call: Call) -> int:
    """Record the live store as it is now.

    Example: memgit snapshot
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.snapshot(call.site().new_desk()), call.json)


@command(EVERYDAY)
def verify(
    call: Call,
    pass_id: MaybePass = None,
    memories: Annotated[str | None, typer.Option("--memories", metavar="DIR", help="Any folder of memories.")] = None,
) -> int:
    """Look up what memories name in the working tree.

    Example: memgit verify --memories docs/memory
    """
    from memgit.flows import views

    site = call.site()
    if memories is not None:
        folder = Path(memories).absolute()
        content, tree = views.content_at(wiring.folder_of_memories(folder), folder), site.tree(folder)
    else:
        content, tree = views.content_of(site.desk(), pass_id) if pass_id else site.store.read(), site.tree()
    return console.verified(views.verified(content, tree), call.json)


@command(EVERYDAY)
def check(
    call: Call,
    expected: Annotated[
        str | None, typer.Option("--fingerprint", metavar="F", help="Fail unless the store has it.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Read every object of the vault.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 when anything is found.")] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0.1, metavar="S", help="Seconds for the vault; 10, --full: 600.")
    ] = None,
) -> int:
    """Check the store, its record and its health.

    Example: memgit check --strict
    """
    from memgit.flows.check import check as look
    from memgit.flows.check import check_fingerprint

    site = call.site()
    if expected is not None:
        return console.matched(site.resolution.path, check_fingerprint(site.store, expected), call.json)
    return console.checked(
        look(site.store, lambda: site.record_findings(full, time_limit), full=full), strict, call.json
    )


@command(EVERYDAY)
def doctor(
    call: Call,
    repair: Annotated[bool, typer.Option("--repair", help="Mend the vault, a copy of which is kept.")] = False,
) -> int:
    """Say where everything is, what is wrong, and how to mend it.

    Example: memgit doctor --repair
    """
    site = call.site()
    if repair:
        return console.mended(site.mend(), call.json)
    return console.diagnosed(site.diagnosis(), call.json)


@command(EVERYDAY)
def relink(
    call: Call,
    source: Annotated[str | None, typer.Option("--from", metavar="DIR", help="Where the store was before.")] = None,
) -> int:
    """Give a store that was moved its history back.

    Example: memgit relink --store ~/new/place/memory
    """
    return console.done(call.site().relink(source), call.json)


@command(EVERYDAY)
def ack(call: Call) -> int:
    """Take note of changes that memgit did not make.

    Example: memgit ack
    """
    from memgit.flows import lifecycle

    return console.done(lifecycle.acknowledge(call.desk()), call.json)


# --- in the agent's hands ---

Override = Annotated[
    list[str] | None, typer.Option("--override", metavar="CODE", help="A refusal that you weighed and do not accept.")
]
SessionId = Annotated[str, typer.Option("--session", metavar="ID", help="Not the session that calls.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")]


@command(AGENT)
def remember(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The subject, as a short slug.")],
    description: Annotated[str, typer.Option("--description", "-d", metavar="LINE", help="The fact in one line.")],
    body: Annotated[str, typer.Option("--body", "-b", metavar="TEXT", help="The fact in full; - for stdin.")] = "-",
    type_: Annotated[str, typer.Option("--type", "-t", help="user, feedback, project or reference.")] = "project",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, which feedback needs.")] = "",
    how: Annotated[str, typer.Option("--how", metavar="TEXT", help="When and how to apply it.")] = "",
    memory: Annotated[str, typer.Option("--memory", metavar="ID", help="The memory to update.")] = "",
    hook_text: Annotated[str, typer.Option("--hook", metavar="LINE", help="Its index line, if another.")] = "",
    override: Override = None,
    session: SessionId = "",
    dry_run: DryRun = False,
) -> int:
    """Write one fact into the live store, and its line into the index.

    Unlike a pass this writes at once, with a snapshot before; `memgit undo` takes it back.

    Example: memgit remember retry-budget -d "The retry budget is five" -b "Mira raised it on 2026-11-02."
    """
    from memgit.core.facts_json import fact_of, with_reasons
    from memgit.flows.extract import remember as write

    text = console.read_input("-").decode("utf-8", "replace") if body == "-" else body
    text = with_reasons(text, why, how)
    fact = fact_of(name, description, type_, text, memory=memory, hook=hook_text, override=override or ())
    result = write(call.site().new_desk(), (fact,), call.settings.session(session), dry_run=dry_run)
    return console.remembered(result, call.json)


@command(AGENT)
def extract(
    call: Call,
    facts: Annotated[str | None, typer.Option("--facts", metavar="FILE", help="Facts as JSON; - for stdin.")] = None,
    session: SessionId = "",
    dry_run: DryRun = False,
) -> int:
    """Write a session's facts into the live store, or propose some.

    Without --facts the session is mined and nothing written. Unlike a pass, --facts writes at once, with a snapshot
    before; `memgit undo` takes all of it back.

    Example: memgit extract --facts facts.json
    """
    from memgit.core.facts_json import parse_facts
    from memgit.flows.extract import mine_session
    from memgit.flows.extract import remember as write

    calling = call.settings.session()
    if facts is None:
        with console.progress() as progress:
            found = mine_session(wiring.workshop(call.settings, progress), session, calling)
        return console.found_facts(found, call.json)
    given = parse_facts(console.read_input(facts))
    return console.remembered(write(call.site().new_desk(), given, session or calling, dry_run=dry_run), call.json)


@command(AGENT)
def inject(call: Call) -> int:
    """Print the index, fenced as data, for clients that do not load it.

    Example: memgit inject
    """
    from memgit.core.inject import fenced

    content = call.site().store.read()
    text = fenced(content.index.data if content.index else b"", wiring.nonce())
    return console.injected(text, call.json)


@command(AGENT)
def hooks(
    call: Call,
    action: Annotated[str, typer.Argument(metavar="install|uninstall|status", help="What to do with them.")],
    yes: Annotated[bool, typer.Option("--yes", help="Write what is shown.")] = False,
    guard: Annotated[str, typer.Option(metavar="off|strict", help="Hold prompts back from a store in doubt.")] = "off",
    nudge: Annotated[str, typer.Option(metavar="MODE", help="block, context, message or off.")] = "block",
    every: Annotated[int, typer.Option(min=1, metavar="N", help="Turns between two reminders.")] = 3,
) -> int:
    """Put memgit's hooks into your settings, or out of them.

    The change is shown first and written with --yes. Skills (/curate-memory) come along.

    Example: memgit hooks install --yes
    """
    from memgit.flows.hook_lines import Wishes

    lines = wiring.hook_lines(call.settings)
    match action:
        case "install":
            wishes = Wishes(guard, nudge, every)
            return console.hooked(lines.install(wishes) if yes else lines.installing(wishes), yes, call.json)
        case "uninstall":
            return console.hooked(lines.uninstall() if yes else lines.uninstalling(), yes, call.json)
        case "status":
            return console.hooks_stand(lines.standing(), call.json)
        case _:
            raise UsageError(f"{action} is nothing to do with hooks.", "Choose install, uninstall or status.")


@command(AGENT)
def hook(
    _call: Call,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="session-start, stop, session-end, ...")],
) -> int:
    """Run one hook: the agent's client does, with the event on stdin.

    Events: session-start, user-prompt-submit, post-tool-use, stop, session-end, pre-compact. Options: --guard strict,
    --nudge block|context|message|off, --every N. `memgit hooks install` writes the lines.

    Example: memgit hook session-start
    """
    from memgit.hooks.dispatch import main

    return main([event])  # whatever has no option in front gets there without the command line
