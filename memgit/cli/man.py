"""The man page, made of the commands themselves: ``python -m memgit.cli.man > memgit/man/memgit.1``.

A test says when the shipped page is no longer what this makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memgit import __version__, errors
from memgit.cli.frame import AGENT, EVERYDAY, INTERRUPTED, LIFECYCLE, LOOK, PASSES, app
from memgit.core.configuration import KEYS

_COMMON = ("store", "project", "json", "now")


def page() -> str:
    """The page in roff."""
    return "\n".join([*_head(), *_commands(), *_common(), *_exits(), *_environment(), *_files()]) + "\n"


def text(words: str) -> str:
    """Words as roff prints them: nothing in them is a request or an escape."""
    safe = words.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", safe, flags=re.M)


def _head() -> Iterator[str]:
    yield f'.TH MEMGIT 1 "" "memgit {__version__}" "User Commands"'
    yield from (".SH NAME", "memgit \\- curate an AI coding agent's memory store, with every step reversible")
    yield from (".SH SYNOPSIS", ".B memgit", ".I COMMAND", "[options]", ".br", ".B memgit", "[\\-h|\\-\\-version]")
    yield ".SH DESCRIPTION"
    yield text(
        "memgit reads the memory store of a coding agent and the project's sessions, and builds a candidate store "
        "beside the live one: duplicates merged, contradicted values replaced, unrecorded guidance added, every name "
        "looked up in the working tree. You look, and adopt or discard. The history is in a git repository of its own, "
        "and every operation can be taken back."
    )


def _commands() -> Iterator[str]:
    from typer.main import get_command

    root: Any = get_command(app)
    for group in (PASSES, LIFECYCLE, LOOK, EVERYDAY, AGENT):
        yield f".SH {text(group).upper()}"
        for name, listed in root.commands.items():
            if listed.rich_help_panel == group and not listed.hidden:
                yield from _command(name, root.get_command(None, name))


def _command(name: str, command: Any) -> Iterator[str]:
    shown = [each for each in command.params if each.name not in _COMMON and each.name != "help"]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    metavars = " ".join(each.metavar for each in arguments)
    yield f".SS memgit {text(name)} {text(metavars)}".rstrip()
    for paragraph in (command.help or "").split("\n\n"):
        yield from (".PP", text(" ".join(paragraph.split())))
    for each in shown:
        yield from (".TP", _term(each), text(each.help or ""))


def _term(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f".I {text(parameter.metavar)}"
    value = "" if parameter.is_flag else f" \\fI{text(parameter.metavar or parameter.type.name.upper())}\\fR"
    return f".B {text(', '.join(parameter.opts))}\\fR{value}"


def _common() -> Iterator[str]:
    from typer.main import get_command

    root: Any = get_command(app)
    yield from (".SH OPTIONS OF ALL COMMANDS",)
    for each in root.get_command(None, "status").params:
        if each.name in _COMMON:
            yield from (".TP", _term(each), text(each.help or ""))


def _exits() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    failures = {
        each.code: each.__doc__ or ""
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.MemgitError) and each is not errors.MemgitError
    }
    others = {
        0: "Done; also where there was nothing to do.",
        1: "Failed, without a number of its own.",
        3: "Done, but part was not; or something was found under --strict.",
        70: "A fault in memgit; the path of a report is printed.",
        INTERRUPTED: "Interrupted.",
    }
    for code, says in sorted((failures | others).items()):
        yield from (".TP", f".B {code}", text(" ".join(says.split("\n\n")[0].split())))


def _environment() -> Iterator[str]:
    yield ".SH ENVIRONMENT"
    folders = (
        ("MEMGIT_DATA_HOME", "Where vaults are; else below $XDG_DATA_HOME."),
        ("MEMGIT_STATE_HOME", "Where witnesses are; else below $XDG_STATE_HOME."),
        ("MEMGIT_CACHE_HOME", "Where parsed sessions are; else below $XDG_CACHE_HOME."),
        ("MEMGIT_CONFIG_HOME", "Where your memgit.toml is; else below $XDG_CONFIG_HOME."),
        ("NO_COLOR", "Set: no colours."),
    )
    for variable, says in (*folders, *((key.variable, f"{key.says} ({key.name})") for key in KEYS)):
        yield from (".TP", f".B {text(variable)}", text(says))


def _files() -> Iterator[str]:
    yield from (".SH FILES", ".TP", ".I ~/.config/memgit\\-curator/memgit.toml", "Your own settings.")
    yield from (".TP", ".I memgit.toml", "A project's settings, at its root.")
    yield from (".TP", ".I ~/.local/share/memgit\\-curator/", "The vaults.")
    yield from (".SH SEE ALSO", ".BR git (1)")


if __name__ == "__main__":
    print(page(), end="")
