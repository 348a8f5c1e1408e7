"""``--all``: one command in every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, TypeVar

import typer

from memgit import console, wiring
from memgit.cli.frame import Call
from memgit.errors import UsageError

T = TypeVar("T")

EveryStore = Annotated[bool, typer.Option("--all", help="In every store, each at its own project.")]


def in_every_store(
    call: Call, command: str, do: Callable[[Call], T], told: console.Told[T], *, at_project: bool = True
) -> int:
    """Do it in each store that `memgit stores` lists. Raises UsageError where one was named as well.

    With ``at_project`` a store is left out whose project is not known, or that agents no longer read.
    """
    from memgit.flows.every import in_every

    if call.settings.store is not None:
        raise UsageError("--all and --store exclude each other.", "Give one of them.")
    places = wiring.every_store(call.settings, at_project=at_project)
    return console.in_all(
        command, in_every(places, lambda settings: do(replace(call, settings=settings))), told, call.json
    )
