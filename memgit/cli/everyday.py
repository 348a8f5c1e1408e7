"""Everyday: record, verify, check, mend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgit import wiring
from memgit.cli.completion import SHELLS, script
from memgit.cli.frame import EVERYDAY, Call, EveryStore, MaybePass, command, in_every_store
from memgit.console import checks, every, settings, terminal
from memgit.errors import UsageError

if TYPE_CHECKING:
    from memgit.flows.check import Checked
    from memgit.flows.desk import Done


@command(EVERYDAY)
def snapshot(call: Call, all_: EveryStore = False) -> int:
    """Record the live store as it is now.

    Example: memgit snapshot
    """
    from memgit.flows import observe

    def recorded(one: Call) -> Done:
        return observe.snapshot(one.site().new_desk())

    if all_:
        return in_every_store(call, "snapshot", recorded, every.of_verb(), at_project=False)
    return terminal.done(recorded(call), call.json, verbose=call.verbose)


@command(EVERYDAY)
def verify(
    call: Call,
    pass_id: MaybePass = None,
    memories: Annotated[str | None, typer.Option("--memories", metavar="DIR", help="Any folder of memories.")] = None,
) -> int:
    """Look up what memories name in the working tree.

    Example: memgit verify --memories docs/memory
    """
    from memgit.flows.look import content_at, content_of, verified

    site = call.site()
    if memories is not None:
        folder = Path(memories).absolute()
        content, tree = content_at(wiring.folder_of_memories(folder), folder), site.tree(folder)
    else:
        content, tree = content_of(site.desk(), pass_id) if pass_id else site.store.read(), site.tree()
    return checks.verified(verified(content, tree), call.json, verbose=call.verbose)


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
    all_: EveryStore = False,
) -> int:
    """Check the store, its record and its health.

    Example: memgit check --strict
    """
    from memgit.flows.check import check as look
    from memgit.flows.check import check_fingerprint

    def checked(one: Call) -> Checked:
        site = one.site()
        found = look(
            site.store,
            lambda: site.record_findings(full, time_limit),
            site.place_findings,
            site.callables(),
            site.earlier,
            full=full,
        )
        return checks.checked_of(found, one.settings.store)

    if all_ and expected is not None:
        raise UsageError("--all and --fingerprint exclude each other.", "A fingerprint is of one store.")
    if all_:
        return in_every_store(call, "check", checked, every.of_check(strict), at_project=False)
    if expected is not None:
        site = call.site()
        return checks.matched(site.resolution.path, check_fingerprint(site.store, expected), call.json)
    return checks.checked(checked(call), strict, call.json, verbose=call.verbose)


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
        return checks.mended(site.mend(), call.json)
    return checks.diagnosed(site.diagnosis(), call.json, verbose=call.verbose)


@command(EVERYDAY)
def relink(
    call: Call,
    source: Annotated[str | None, typer.Option("--from", metavar="DIR", help="Where the store was before.")] = None,
) -> int:
    """Give a store that was moved its history back.

    Example: memgit relink --store ~/new/place/memory
    """
    return terminal.done(call.site().relink(source), call.json, verbose=call.verbose)


@command(EVERYDAY)
def ack(call: Call) -> int:
    """Take note of changes that memgit did not make.

    Example: memgit ack
    """
    from memgit.flows import status

    return terminal.done(status.acknowledge(call.desk()), call.json, verbose=call.verbose)


@command(EVERYDAY)
def config(
    call: Call,
    path: Annotated[bool, typer.Option("--path", help="Only where your own file is.")] = False,
    example: Annotated[bool, typer.Option("--example", help="A commented file with every key.")] = False,
) -> int:
    """Show each setting, its value and where that is from.

    The strongest counts: an option, the environment, memgit.toml at the project's root, your own memgit.toml.

    Example: memgit config --example > ~/.config/memgit-curator/memgit.toml
    """
    from memgit.config_files import NAME

    if path:
        return settings.configured_at(call.settings.config_home / NAME, call.json)
    if example:
        return settings.configured_like(call.json)
    return settings.configured(call.settings.configuration, call.json)


@command(EVERYDAY)
def completion(
    call: Call,
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=SHELLS)],
) -> int:
    """Print what makes a shell complete passes, memories and more.

    For bash, put `source <(memgit completion bash)` into ~/.bashrc; zsh has it in ~/.zshrc. For fish, write it to
    ~/.config/fish/completions/memgit.fish.

    Example: memgit completion bash
    """
    return settings.completed(shell, script(shell), call.json)


@command(EVERYDAY)
def schema(
    call: Call,
    kind: Annotated[str | None, typer.Argument(metavar="[KIND]", help="The middle of an object's schema.")] = None,
) -> int:
    """Print the JSON schema of what --json prints, or the kinds.

    An object whose schema is memgit.pass/1 is of the kind pass.

    Example: memgit schema pass
    """
    from memgit.core.schemas import KINDS
    from memgit.core.schemas import schema as of_kind

    if kind is None:
        return settings.schemas(tuple(KINDS), call.json)
    if kind not in KINDS:
        raise UsageError(f"There is no kind {kind}.", f"Choose one of {', '.join(KINDS)}.")
    return settings.schema_printed(of_kind(kind))
