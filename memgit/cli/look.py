"""Look: passes, reports, differences, operations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgit import wiring
from memgit.caller import refuse_writing
from memgit.cli import completion
from memgit.cli.frame import LOOK, Call, MaybePass, command
from memgit.console import differences, looking, settings, terminal
from memgit.errors import UsageError, WrongState


@command(LOOK)
def log(
    call: Call,
    machine: Annotated[str | None, typer.Option("--machine", metavar="NAME", help="Another machine's.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="The store's line, and candidates as branches.")] = False,
    ops_: Annotated[bool, typer.Option("--ops", help="Every operation; each can be gone back to.")] = False,
) -> int:
    """List all passes and where each stands.

    In the graph, + is adopted, x discarded, - undone, ~ merged, ! unsafe, and ? waits for you.

    Example: memgit log --graph
    """
    vault = call.site().vault()
    if ops_:
        return _operations(call)
    if graph:
        from memgit.core.passes.history import graph as lay_out

        drawn = lay_out(reversed(tuple(vault.operations())), vault.passes())
        return call.paged(lambda: looking.graphed(drawn, call.json))
    if machine is not None:
        from memgit.flows.sync import passes_of

        return looking.logged(passes_of(vault, machine), call.json)
    return call.paged(lambda: looking.logged(vault.passes(), call.json))


@command(LOOK)
def show(
    call: Call,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID] [M2|MEMORY]", help="A pass, a decision, a memory.", autocompletion=completion.shown
        ),
    ] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="As one page; - for stdout.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="As a page, in your browser.")] = False,
) -> int:
    """Show a pass, one of its decisions (M2), or a memory.

    Decisions come first, drawn as in a review; in a pipe it is the report in Markdown. The page is one file: decisions
    with their texts and quotes, verdicts, the store over time, each memory's story.

    Example: memgit show M2
    """
    from memgit.flows.look import DECISION, decision_seen, drawn, memory_seen, report

    site, names = call.site(), what or []
    decision = next((each for each in names if DECISION.fullmatch(each)), None)
    rest = [each for each in names if each != decision]
    if len(rest) > 1 or (decision and (html or open_)):
        raise UsageError("That is too much at once.", "Name a pass, a decision of it (M2), or a memory.")
    pass_id = rest[0] if rest else None
    if html is not None or open_:
        return _page(call, pass_id, html, open_=open_)
    if decision is not None:
        seen = decision_seen(call.desk(), decision, pass_id, site.tree)
        return call.paged(lambda: looking.decision_shown(seen, call.json))
    if pass_id is not None and not pass_id[:1].isdecimal():
        memory = memory_seen(site.store, site.desk_or_none(), pass_id)
        if memory is not None:
            return call.paged(lambda: looking.memory_shown(memory, call.json))
    if call.json or not terminal.at_terminal():
        return call.paged(lambda: looking.shown(report(call.desk(), pass_id), call.json))
    try:
        whole = drawn(call.desk(), pass_id, site.tree)
    except WrongState:  # a pass without decisions to draw: still planned, say
        return call.paged(lambda: looking.shown(report(call.desk(), pass_id), call.json))
    return call.paged(lambda: looking.shown_drawn(*whole, verbose=call.verbose))


def _page(call: Call, pass_id: str | None, html: str | None, *, open_: bool) -> int:
    from memgit.flows.page import keep_page, page_of, write_page
    from memgit.show.page import render

    show_page = wiring.browser(call.settings) if open_ else None
    site, desk = call.site(), call.desk()
    page = page_of(desk, pass_id, site.tree, call.settings.clock())
    drawn, pages = render(page), call.settings.state_home / wiring.PAGES
    if html == "-":
        if call.json or open_:
            raise UsageError("--html - prints the page itself.", "Name a file for --json or --open.")
        return looking.page_printed(drawn)
    if html is not None:
        refuse_writing(html, call.settings.env)
        path = Path(html).absolute()
        write_page(path, drawn, pages, site.live)
    else:
        path = keep_page(pages, site.vault_folder.name, page.header.id, drawn)
    return looking.page_made(page.header.id, path, show_page(path) if show_page else None, call.json)


@command(LOOK, hidden=True)
def report(
    call: Call,
    pass_id: MaybePass = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="As one page; - for stdout.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="As a page, in your browser.")] = False,
) -> int:
    """Print a report, or make a page of it: the older name of `show`.

    Example: memgit report 2026-11-29.3 --html pass.html
    """
    from memgit.flows.look import report as kept

    if html is None and not open_:
        return looking.shown(kept(call.desk(), pass_id), call.json)
    return _page(call, pass_id, html, open_=open_)


@command(LOOK)
def diff(
    call: Call,
    pass_id: MaybePass = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only which files, and how many lines.")] = False,
    word: Annotated[bool, typer.Option("--word", help="Word by word.")] = False,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="CMD", help="In a difftool; own: that of your settings.")
    ] = None,
) -> int:
    """Show what a candidate changes.

    A difftool gets two folders if it is known to compare folders, else two files at a time.

    Example: memgit diff 2026-11-29.3 --word
    """
    from memgit.flows.look import difference

    if tool is not None:
        from memgit.flows.side_by_side import side_by_side

        words = wiring.difftool(call.settings, tool)
        return differences.compared(side_by_side(call.desk(), pass_id, words, wiring.at_terminal), call.json)
    found = difference(call.desk(), pass_id)
    way: differences.Way = "figures" if stat else "words" if word else "lines"
    return call.paged(lambda: differences.differed(found, way, call.json))


@command(LOOK)
def history(
    call: Call,
    memory: Annotated[
        str,
        typer.Argument(metavar="MEMORY", help="A memory's id, or its file.", autocompletion=completion.memories),
    ],
) -> int:
    """Tell one memory's story: what changed it, when and why.

    Example: memgit history retry-budget
    """
    from memgit.flows.history import history as look

    life = look(call.site().vault(), memory)
    return call.paged(lambda: looking.told(life, call.json))


@command(LOOK)
def status(call: Call) -> int:
    """Say how the store stands and what waits for you.

    Example: memgit status
    """
    from memgit.flows.look import standing

    site = call.site()
    return looking.stood(
        standing(
            site.store,
            site.desk_or_none(),
            site.surroundings,
            site.files_gone_since,
            site.earlier,
            call.settings.clock(),
        ),
        site.strays_found(),
        call.json,
        verbose=call.verbose,
    )


@command(LOOK, hidden=True)
def ops(call: Call) -> int:
    """List every operation: the older name of `log --ops`.

    Example: memgit ops
    """
    return _operations(call)


def _operations(call: Call) -> int:
    operations = tuple(call.site().vault().operations())
    return call.paged(lambda: looking.operated(operations, call.json))


@command(LOOK)
def stores(call: Call) -> int:
    """List every store of your agents, and what is wrong with it.

    Stores of other shapes than a folder are listed and not counted: that takes their own tools.

    Example: memgit stores
    """
    found = wiring.stores(call.settings)
    return call.paged(lambda: settings.catalogued(found, call.json, verbose=call.verbose))
