"""Lifecycle: decide on a candidate, take decisions back, keep and share the history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgit import wiring
from memgit.cli import completion
from memgit.cli.frame import LIFECYCLE, Call, DryRun, MaybePass, RemoveMost, WaitingPass, command
from memgit.console import differences, terminal, travel
from memgit.errors import UsageError
from memgit.flows.status import decision_on, waiting


@command(LIFECYCLE)
def adopt(
    call: Call,
    pass_id: WaitingPass = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="M1,M3",
            help="Just these of its changes.",
            autocompletion=completion.listed_decisions,
        ),
    ] = None,
    except_: Annotated[
        str | None,
        typer.Option(
            "--except", metavar="M2", help="All of them but these.", autocompletion=completion.listed_decisions
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All, although nobody has approved them.")] = False,
    while_in_use: Annotated[bool, typer.Option("--while-in-use", help="Although another session uses it.")] = False,
    yes_remove_most: RemoveMost = False,
    dry_run: DryRun = False,
) -> int:
    """Make a candidate the live store. The old one is kept.

    Example: memgit adopt 2026-11-29.3
    """
    from memgit.flows import adopt

    if sum(map(bool, (only, except_, all_))) > 1:
        raise UsageError("--only, --except and --all exclude each other.", "Give one of them.")
    desk = call.desk()
    name = waiting(desk).id if pass_id is None else pass_id
    these, but_these = [only] if only else (), [except_] if except_ else ()
    if dry_run:
        from memgit.flows.rehearse import adopting

        return differences.rehearsed(
            adopting(desk, name, these, but_these, all_=all_, remove_most=yes_remove_most), call.json
        )
    done = adopt.adopt(
        desk,
        name,
        only=these,
        except_=but_these,
        all_=all_,
        while_in_use=while_in_use,
        remove_most=yes_remove_most,
    )
    return terminal.done(done, call.json, verbose=call.verbose)


@command(LIFECYCLE)
def approve(
    call: Call,
    pass_id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]", help="A pass; the one that waits if left out.", autocompletion=completion.passes
        ),
    ],
    reply: Annotated[
        str | None, typer.Argument(metavar="REPLY", help="What you say to its proposals; - for stdin.")
    ] = None,
) -> int:
    """Say yes or no to single proposals of a pass.

    Forms: approve all; approve M1, M3; approve M2-M5; approve all except M2; approve M3 with edit: TEXT;
    reject M4 - REASON; defer M6. Several may stand in one reply. What is not named stays open.

    Example: memgit approve 2026-11-29.3 "approve M1, M3; reject M4 - it still holds"
    """
    from memgit.flows.approve import approve as rule

    desk = call.desk()
    name, said = (waiting(desk).id, pass_id) if reply is None else (pass_id, reply)
    said = terminal.read_input("-").decode("utf-8", "replace") if said == "-" else said
    return terminal.done(rule(desk, name, said, call.site().verdicts), call.json)


@command(LIFECYCLE)
def review(
    call: Call,
    pass_id: MaybePass = None,
    full: Annotated[bool, typer.Option("--full", help="As a full screen (the extra named review).")] = False,
) -> int:
    """Decide on proposals one by one, with all that speaks for each.

    Shows each with its texts word by word, the quote among the turns around it, and what the working tree says. A
    letter and Enter answer; ? lists the letters, and the plain command for each. Answers are kept at once: a review
    that was cut short goes on where it was. Without ID, the newest pass that waits. --json prints what is shown.

    Example: memgit review
    """
    from memgit.console import review as face
    from memgit.console.review import Editor
    from memgit.flows import adopt
    from memgit.flows.review import overlook, sitting

    site = call.site()
    desk = site.desk()
    if call.json:
        return face.overlooked(*overlook(desk, pass_id, site.tree))
    reviewed = face.reviewed
    if full:
        from memgit.console.full_screen import needs_terminal, reviewed

        needs_terminal()
    with sitting(desk, pass_id, site.tree, site.verdicts) as held:
        editor = Editor(wiring.editor(call.settings), desk.vault.private)
        return reviewed(held, face.Hands(lambda: adopt.adopt(desk, held.pass_id), editor))


@command(LIFECYCLE)
def merge(call: Call, pass_id: WaitingPass = None) -> int:
    """Merge a candidate with what the store has become since.

    Example: memgit merge 2026-11-29.3
    """
    from memgit.flows import adopt

    desk = call.desk()
    return terminal.done(
        adopt.merge(desk, waiting(desk).id if pass_id is None else pass_id), call.json, verbose=call.verbose
    )


@command(LIFECYCLE)
def discard(call: Call, pass_id: WaitingPass = None) -> int:
    """Put a candidate away. Undo brings it back.

    Example: memgit discard 2026-11-29.3
    """
    from memgit.flows import adopt

    desk = call.desk()
    return terminal.done(
        adopt.discard(desk, waiting(desk).id if pass_id is None else pass_id), call.json, verbose=call.verbose
    )


@command(LIFECYCLE)
def undo(
    call: Call,
    operation: Annotated[
        str | None,
        typer.Argument(metavar="[OP|ID]", help="The last decision if left out.", autocompletion=completion.operations),
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Take back the last decision, or a named one.

    Undoing twice takes back two. A pass stands for the last decision on it.

    Example: memgit undo
    """
    from memgit.flows import undo

    desk = call.desk()
    named = decision_on(desk, operation) if operation else None
    if dry_run:
        from memgit.flows.rehearse import undoing

        return differences.rehearsed(undoing(desk, named), call.json)
    return terminal.done(undo.undo(desk, named), call.json, verbose=call.verbose)


@command(LIFECYCLE)
def redo(call: Call) -> int:
    """Do again what the last undo took back.

    Example: memgit redo
    """
    from memgit.flows import undo

    return terminal.done(undo.redo(call.desk()), call.json, verbose=call.verbose)


@command(LIFECYCLE)
def restore(
    call: Call,
    at: Annotated[
        str,
        typer.Option("--at", metavar="WHEN", help="An operation, a pass or a time.", autocompletion=completion.moments),
    ],
    memories: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="Only these files.", autocompletion=completion.files),
    ] = None,
    dry_run: DryRun = False,
) -> int:
    """Bring back the store, or some files, as they were.

    Example: memgit restore --at 2026-11-01 retry-budget.md
    """
    from memgit.flows import undo

    if dry_run:
        from memgit.flows.rehearse import restoring

        return differences.rehearsed(restoring(call.desk(), at, tuple(memories or ())), call.json)
    return terminal.done(undo.restore(call.desk(), at, tuple(memories or ())), call.json)


@command(LIFECYCLE)
def recover(call: Call) -> int:
    """Finish or take back what was cut short.

    Example: memgit recover
    """
    from memgit.flows.desk import Done
    from memgit.flows.recovery import recover as finish

    return terminal.done(finish(call.desk()) or Done("Nothing was cut short.", ""), call.json, verbose=call.verbose)


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

    text = terminal.read_input(match) if match is not None else None
    asked = wanted(memory, kind, text)
    done = remove(call.desk(), asked, wiring.reach(call.settings), really=yes)
    return travel.redacted(done, call.json)


@command(LIFECYCLE, begins=True)
def sync(
    call: Call,
    remote: Annotated[
        str | None, typer.Argument(metavar="[REMOTE|FILE]", help="A remote's name or address, or a bundle.")
    ] = None,
    push: Annotated[bool, typer.Option("--push", help="Only push.")] = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Only fetch.")] = False,
    without_prose: Annotated[bool, typer.Option("--without-prose", help="Keep operation log and prose here.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to push to this remote.")] = False,
    take: Annotated[
        str | None, typer.Option("--take", metavar="ID", help="Take over what a review made of it.")
    ] = None,
) -> int:
    """Push to, and fetch from, any git repository; or a file.

    A FILE that is there is brought in; one that is not, and ends in .bundle, gets the whole history.

    Example: memgit sync git@example.com:team/memories.git
    """
    from memgit.flows.sync import Scope
    from memgit.flows.sync import sync as exchange
    from memgit.flows.sync import take as take_over

    if remote is not None and Path(remote).is_file():
        return _bring_in(call, remote)
    desk = call.desk()
    if remote is not None and remote.endswith(".bundle") and "://" not in remote:
        return _write_out(call, remote, without_prose=without_prose)
    if take is not None:
        return terminal.done(take_over(desk, take), call.json, verbose=call.verbose)
    scope = Scope.WITHOUT_PROSE if without_prose else Scope.ALL
    agree = travel.agreed if yes else travel.asked_to_push
    result = exchange(desk, remote, agree, push=push or not fetch, fetch=fetch or not push, scope=scope)
    return travel.synced(result, call.json)


def _write_out(call: Call, file: str, *, without_prose: bool) -> int:
    from memgit.flows.sync import Scope
    from memgit.flows.sync import export as write

    leaving = write(call.desk(), Path(file), Scope.WITHOUT_PROSE if without_prose else Scope.ALL)
    return travel.exported(file, leaving, call.json)


def _bring_in(call: Call, file: str) -> int:
    from memgit.flows.sync import import_ as bring

    return travel.synced(bring(call.site().new_desk(), Path(file)), call.json)


@command(LIFECYCLE, hidden=True)
def export(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A new file.")],
    without_prose: Annotated[bool, typer.Option("--without-prose", help="Leave operation log and prose out.")] = False,
) -> int:
    """Write the whole history into one file: the older name of `sync FILE`.

    Example: memgit export memories.bundle
    """
    return _write_out(call, file, without_prose=without_prose)


@command(LIFECYCLE, begins=True, hidden=True)
def import_(call: Call, file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote.")]) -> int:
    """Bring the history in a bundle here: the older name of `sync FILE`.

    Example: memgit import memories.bundle
    """
    return _bring_in(call, file)
