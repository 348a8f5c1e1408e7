"""What every command has in common: the application, the options that work everywhere, the one way out."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command

from memgit import wiring
from memgit.cli import completion
from memgit.console import every, failures, terminal
from memgit.errors import MemgitError, UsageError

if TYPE_CHECKING:
    from memgit.flows.desk import Desk

PASSES, LIFECYCLE, LOOK, EVERYDAY, AGENT = "Passes", "Lifecycle", "Look", "Everyday", "In the agent's hands"


class Grouped(TyperGroup):
    """Lists the commands by what they are for, in the order in which they are defined.

    The options of a command are worked out when it is called: for all of them that takes longer than importing
    the library.
    """

    whole = False
    """Whether all commands are listed, or those of every day."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _COMPLETED:
            return super().get_command(ctx, cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(_COMPLETED[cmd_name]())
        return get_command(single)

    def get_params(self, ctx: Any) -> list[Any]:
        """The options without the library's own for completion, which `memgit completion` is for."""
        params: list[Any] = super().get_params(ctx)
        for each in params:
            each.hidden = getattr(each, "hidden", False) or each.name in ("install_completion", "show_completion")
        return params

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 – the library's signature
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        if not self.whole:
            rows = [(name, self.commands[name].get_short_help_str(limit=78)) for name in FIRST]
            with formatter.section("Commands"):
                formatter.write_dl(rows)
            formatter.write_paragraph()
            formatter.write_text(
                "`memgit help --all` lists the rest, `memgit help COMMAND` tells of one, `memgit -V` says which memgit "
                "this is."
            )
            return
        for group in (PASSES, LIFECYCLE, LOOK, EVERYDAY, AGENT):
            rows = [
                (name, command.get_short_help_str(limit=78))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == group and not command.hidden
            ]
            with formatter.section(group):
                formatter.write_dl(rows)


FIRST = (
    "curate", "review", "show", "diff", "adopt", "discard", "undo", "status", "log", "check", "restore", "hooks",
)  # fmt: skip
"""The commands of every day: what `memgit help` lists."""

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

_HELP = frozenset(("-h", "--help"))

UsageMistake: Any = typer.BadParameter.__bases__[0]
"""The usage errors of whichever click typer brings along; it does not export their base class."""

PassId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="A pass, or an unambiguous beginning of its id.", autocompletion=completion.passes
    ),
]
MaybePass = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", help="A pass; the newest one if left out.", autocompletion=completion.passes),
]
WaitingPass = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", help="A pass; the one that waits if left out.", autocompletion=completion.passes),
]
TokenBudget = Annotated[int | None, typer.Option(min=1, metavar="N", help="Prose tokens to read, newest first.")]
SessionCap = Annotated[int | None, typer.Option(min=1, metavar="N", help="Sessions to read at the most.")]
MaskPersonal = Annotated[bool, typer.Option("--mask-personal", help="Mask personal data as secrets are.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")]
RemoveMost = Annotated[bool, typer.Option("--yes-remove-most", help="Allow dropping more than half.")]


@dataclass(frozen=True)
class Call:
    """What every command was given: where it works, and who reads its answer."""

    settings: wiring.Settings
    json: bool
    verbose: bool = False

    def site(self) -> wiring.Site:
        return wiring.Site(self.settings)

    def desk(self) -> Desk:
        return self.site().desk()

    def paged(self, show: Callable[[], int]) -> int:
        """Print what may be long: through the user's pager where he sits at a terminal."""
        if self.json or not terminal.at_terminal():
            return show()
        return terminal.paged(wiring.pager(self.settings), show)


def _common(
    store: Annotated[str | None, typer.Option("--store", metavar="DIR", help="Not the agent's own store.")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="DIR", help="Not this directory.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    now: Annotated[str | None, typer.Option("--now", metavar="TIME", help="Take an ISO 8601 time for now.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also how it was found.")] = False,
) -> Call:
    return Call(wiring.Settings.of_process(store, project, now), json, verbose)


def command(
    group: str, *, begins: bool = False, hidden: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a command whose first parameter is its `Call`; the options behind that are the same everywhere.

    One that ``begins`` a store may be given one that is not there yet; a ``hidden`` one works and is not listed.
    """

    def register(function: Callable[..., int]) -> Callable[..., int]:
        def named() -> None:
            """Stands in the list of commands."""

        name = function.__name__.rstrip("_")  # import_ stands for a word that Python keeps for itself
        named.__name__, named.__doc__ = name, function.__doc__
        app.command(rich_help_panel=group, hidden=hidden)(named)
        _COMPLETED[name.replace("_", "-")] = lambda: _completed(function, begins=begins)
        return function

    return register


def _completed(function: Callable[..., int], *, begins: bool) -> Callable[..., int]:
    """The function of a command, taking its own options and those that all have."""
    own, common = (_parameters(each) for each in (function, _common))

    def called(**given: Any) -> int:
        call = _common(**{name: given.pop(name) for name in common})
        try:
            if call.settings.store is not None and not begins:
                _ = call.site().resolution  # a name that is mistyped is refused before anything is done
            return function(call, **given)
        except MemgitError as error:
            error.hint = failures.naming_store(error.hint, call.settings.store)
            raise

    parameters = [*list(own.values())[1:], *common.values()]
    called.__name__, called.__doc__ = function.__name__, function.__doc__
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    hints = get_type_hints(function, function.__globals__ | {"Desk": object}, include_extras=True)
    return {
        name: parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(function).parameters.items()
    }


def _called(arguments: Sequence[str]) -> Any:
    return app(list(arguments), prog_name="memgit", standalone_mode=False)


def _help(arguments: Sequence[str]) -> Any:
    """What asks for help may be longer than the screen."""
    if not terminal.at_terminal():
        return _called(arguments)
    return terminal.paged(wiring.pager(wiring.Settings.of_process(None, None, None)), lambda: _called(arguments))


def _asked_for_help(arguments: list[str]) -> list[str]:
    """`help`, `help COMMAND` and `help --all` as the options that they stand for."""
    Grouped.whole = arguments[:1] == ["help"] and "--all" in arguments
    if arguments[:1] != ["help"]:
        return arguments
    rest = [each for each in arguments[1:] if each != "--all"]
    return [*rest[:1], "--help"]


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Every failure leaves through here, as one sentence."""
    wants_json = "--json" in arguments
    try:
        arguments = _asked_for_help(list(arguments))
        code = _help(arguments) if _HELP.intersection(arguments) else _called(arguments)
        if code == INTERRUPTED:  # the library catches Ctrl-C itself and says nothing
            return failures.interrupted()
        return code if isinstance(code, int) else 0
    except MemgitError as error:
        return failures.failure(error, wants_json)
    except UsageMistake as error:
        return failures.misused(error, wants_json)
    except (KeyboardInterrupt, typer.Abort):
        return failures.interrupted()
    except (BrokenPipeError, terminal.ReaderGone):
        sys.stderr.close()  # the reader went away; there is nobody to tell
        return 141
    except Exception as error:
        if refusal := failures.of_the_system(error):
            return failures.failure(refusal, wants_json)
        return failures.bug(error, wiring.bug_report_folder(), wants_json)


# --- every ---
# ``--all``: one command in every store.

T = TypeVar("T")

EveryStore = Annotated[bool, typer.Option("--all", help="In every store, each at its own project.")]


def in_every_store(
    call: Call, command: str, do: Callable[[Call], T], told: every.Told[T], *, at_project: bool = True
) -> int:
    """Do it in each store that `memgit stores` lists. Raises UsageError where one was named as well.

    With ``at_project`` a store is left out whose project is not known, or that agents no longer read.
    """
    from memgit.flows.every import in_every

    if call.settings.store is not None:
        raise UsageError("--all and --store exclude each other.", "Give one of them.")
    places = wiring.every_store(call.settings, at_project=at_project)
    return every.in_all(
        command, in_every(places, lambda settings: do(replace(call, settings=settings))), told, call.json
    )
