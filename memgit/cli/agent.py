"""In the agent's hands: remember, extract, inject, hooks."""

from __future__ import annotations

from typing import Annotated

import typer

from memgit import wiring
from memgit.caller import refuse_writing
from memgit.cli import completion
from memgit.cli.frame import AGENT, Call, DryRun, command
from memgit.console import agent, terminal
from memgit.errors import UsageError

Override = Annotated[
    list[str] | None, typer.Option("--override", metavar="CODE", help="A refusal that you weighed and do not accept.")
]
SessionId = Annotated[str, typer.Option("--session", metavar="ID", help="Not the session that calls.")]


@command(AGENT, begins=True)
def remember(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The subject, as a short slug.")],
    description: Annotated[str, typer.Option("--description", "-d", metavar="LINE", help="The fact in one line.")],
    body: Annotated[str, typer.Option("--body", "-b", metavar="TEXT", help="The fact in full; - for stdin.")] = "-",
    type_: Annotated[str, typer.Option("--type", "-t", help="user, feedback, project or reference.")] = "project",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, which feedback needs.")] = "",
    how: Annotated[str, typer.Option("--how", metavar="TEXT", help="When and how to apply it.")] = "",
    memory: Annotated[
        str,
        typer.Option("--memory", metavar="ID", help="The memory to update.", autocompletion=completion.memories),
    ] = "",
    hook_text: Annotated[str, typer.Option("--hook", metavar="LINE", help="Its index line, if another.")] = "",
    override: Override = None,
    session: SessionId = "",
    dry_run: DryRun = False,
) -> int:
    """Write one fact into the live store, and its line into the index.

    Unlike a pass this writes at once, with a snapshot before; `memgit undo` takes it back.

    Example: memgit remember retry-budget -d "The retry budget is five" -b "Mira raised it on 2026-11-02."
    """
    from memgit.core.seam.protocol import fact_of, with_reasons
    from memgit.flows.extract import remember as write

    text = terminal.read_input("-").decode("utf-8", "replace") if body == "-" else body
    text = with_reasons(text, why, how)
    fact = fact_of(name, description, type_, text, memory=memory, hook=hook_text, override=override or ())
    site = call.site()
    result = write(site.new_desk(), (fact,), call.settings.session(session), dry_run=dry_run)
    return agent.remembered(result, site.unread(), call.json)


@command(AGENT, begins=True)
def extract(
    call: Call,
    facts: Annotated[str | None, typer.Option("--facts", metavar="FILE", help="Facts as JSON; - for stdin.")] = None,
    session: SessionId = "",
    dry_run: DryRun = False,
) -> int:
    """Write a session's facts into the live store, or propose some.

    Without --facts the session is mined offline and nothing written; what the tree shows is left out.
    Unlike a pass, --facts writes at once, with a snapshot before; `memgit undo` takes all of it back.

    Example: memgit extract --facts facts.json
    """
    from memgit.core.seam.protocol import parse_facts
    from memgit.flows.extract import mine_session
    from memgit.flows.extract import remember as write

    calling = call.settings.session()
    if facts is None:
        with terminal.progress() as progress:
            shop = wiring.workshop(
                call.settings, progress, wiring.Choices(miner=wiring.OFFLINE, decider=wiring.OFFLINE)
            )
            found = mine_session(shop, session, calling)
        return agent.found_facts(found, call.json)
    given = parse_facts(terminal.read_input(facts))
    site = call.site()
    result = write(site.new_desk(), given, session or calling, dry_run=dry_run)
    return agent.remembered(result, site.unread(), call.json)


@command(AGENT)
def forget(
    call: Call,
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A memory's id, file or name.", autocompletion=completion.memories),
    ],
    session: SessionId = "",
) -> int:
    """Take one memory out of the live store, by its name.

    Its line in the index goes too, and nobody reads what it says for that. `memgit undo` brings it back.

    Example: memgit forget retry-budget
    """
    from memgit.flows.extract import forget as take_out

    return terminal.done(take_out(call.site().new_desk(), name, call.settings.session(session)), call.json)


@command(AGENT)
def inject(call: Call) -> int:
    """Print the index, fenced as data, for clients that do not load it.

    Of a beads store: the newest continuation and what is of salience 4 or more.

    Example: memgit inject
    """
    from memgit.flows.extract import told

    return agent.injected(told(call.site().store, wiring.nonce()), call.json)


@command(AGENT)
def mcp(call: Call) -> int:
    """Serve tools to a client, by the Model Context Protocol.

    Over stdin and stdout, for the project that it is started in: plan, read, propose, decide, show, check, history and
    questions; nothing that writes the live store. It needs the official SDK: pip install 'memgit-curator[mcp]'.

    Example: memgit mcp
    """
    wiring.mcp_server(call.settings).run("stdio")
    return 0


@command(AGENT)
def hooks(
    call: Call,
    action: Annotated[
        str,
        typer.Argument(
            metavar="install|uninstall|status",
            help="What to do with them.",
            autocompletion=completion.words("install", "uninstall", "status"),
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Write what is shown.")] = False,
    dry_run: DryRun = False,
    guard: Annotated[
        str | None, typer.Option(metavar="off|strict", help="Hold prompts back from a store in doubt.")
    ] = None,
    nudge: Annotated[
        str | None, typer.Option(metavar="MODE", help="found (default), block, context, message or off.")
    ] = None,
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="Turns between two reminders; 3.")] = None,
    for_: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="CLIENT",
            help="codex, copilot, gemini, cursor or opencode instead of Claude Code.",
            autocompletion=completion.words("claude", "codex", "copilot", "gemini", "cursor", "opencode"),
        ),
    ] = "",
) -> int:
    """Put memgit's hooks into your settings, or out of them.

    The change is shown first and written with --yes. Skills (/curate-memory) come along.

    Example: memgit hooks install --yes
    """
    lines = wiring.hook_lines(call.settings, for_)
    yes = yes and not dry_run
    if yes:
        refuse_writing(f"What belongs into {lines.config}", call.settings.env)
    match action:
        case "install":
            wishes = wiring.wishes(call.settings, guard, nudge, every)
            return agent.hooked(lines.install(wishes) if yes else lines.installing(wishes), yes, call.json)
        case "uninstall":
            return agent.hooked(lines.uninstall() if yes else lines.uninstalling(), yes, call.json)
        case "status":
            return agent.hooks_stand(lines.standing(), call.json)
        case _:
            raise UsageError(f"{action} is nothing to do with hooks.", "Choose install, uninstall or status.")


@command(AGENT)
def hook(
    _call: Call,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="session-start, stop, session-end, ...")],
) -> int:
    """Run one hook: the agent's client does, with the event on stdin.

    Events: session-start, user-prompt-submit, pre-tool-use, post-tool-use, stop, session-end, pre-compact. Options:
    --guard strict, --nudge found|block|context|message|off, --every N. `memgit hooks install` writes the lines.

    Example: memgit hook session-start
    """
    from memgit.agent.hooks.dispatch import main

    return main([event])  # whatever has no option in front gets there without the command line
