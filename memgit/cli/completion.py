"""What a shell may complete: passes, operations, memories, decisions, miners.

Completion runs at every press of a key, so what can be is read from plain files, without opening the vault; whatever
goes wrong gives nothing and says nothing. Names that a shell could take for more than a word are not offered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memgit.errors import UsageError

Offer = Callable[[Any, str], list[str]]
"""Takes the command's context and the beginning of a word; returns the words that begin so."""

_SAFE = re.compile(r"[\w@+][\w./@+-]*")


def _offer(find: Callable[[Any], Iterable[str]]) -> Offer:
    def offered(ctx: Any, incomplete: str) -> list[str]:
        with suppress(Exception):
            return [word for word in find(ctx) if word.startswith(incomplete) and _SAFE.fullmatch(word)]
        return []

    return offered


def words(*known: str) -> Offer:
    """Always the same words."""
    return _offer(lambda _: known)


def _place(ctx: Any) -> Any:
    """The store that is meant, and its vault's folder, found as the hooks find them."""
    from memgit.agent.hooks.place import place_of, place_of_store

    if store := ctx.params.get("store"):
        return place_of_store(store, os.environ)
    return place_of(str(Path(ctx.params.get("project") or ".").absolute()), os.environ)


def _passes(ctx: Any) -> list[str]:
    """Passes with a candidate, newest first."""
    vault = Path(_place(ctx).vault)
    found = {*_loose(vault), *_packed(vault)}
    return sorted(found, key=lambda name: int(name.rpartition(".")[2]), reverse=True)


_KEPT = "refs/memgit/keep/"


def _loose(vault: Path) -> Iterator[str]:
    with suppress(OSError):
        yield from (path.name for path in (vault / _KEPT).iterdir() if not path.name.endswith(".lock"))


def _packed(vault: Path) -> Iterator[str]:
    with suppress(OSError), (vault / "packed-refs").open(encoding="utf-8", errors="replace") as file:
        yield from (row.split(_KEPT)[1].strip() for row in file if f" {_KEPT}" in row)


def _operations(ctx: Any) -> Iterator[str]:
    """All operations, newest first."""
    from memgit.agent.hooks.published import read_json

    number = (read_json(str(Path(_place(ctx).private, "head.json"))) or {}).get("number")
    return (f"op{each}" for each in range(number if isinstance(number, int) else 0, 0, -1))


def _memories(ctx: Any) -> Iterator[str]:
    """The ids of what is in the live store."""
    store = Path(_place(ctx).store)
    for path in sorted(store.rglob("*.md")):
        inside = path.relative_to(store)
        if inside.as_posix() != "MEMORY.md" and not any(part.startswith(".") for part in inside.parts):
            yield inside.with_suffix("").as_posix()


def _files(ctx: Any) -> Iterator[str]:
    return (f"{memory}.md" for memory in _memories(ctx))


def _decisions(ctx: Any) -> list[str]:
    """The decisions of the pass that is named before."""
    from memgit import wiring

    settings = wiring.Settings.of_process(ctx.params.get("store"), ctx.params.get("project"), None)
    from memgit.flows.look import report

    record = report(wiring.Site(settings).desk(), ctx.params.get("pass_id")).record
    return [str(each["id"]) for each in record.get("decisions", [])]


def _listed_decisions(ctx: Any, incomplete: str) -> list[str]:
    """The last of several decisions with commas between."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    return [f"{before}{comma}{each}" for each in decisions(ctx, last) if each not in taken]


SHELLS = words("bash", "zsh", "fish")
miners, index_ways = words("offline", "claude", "api"), words("own", "frontmatter")
passes, operations, memories = _offer(_passes), _offer(_operations), _offer(_memories)
files, decisions = _offer(_files), _offer(_decisions)
listed_decisions: Offer = _listed_decisions
shown = _offer(lambda ctx: [*_passes(ctx), *_memories(ctx)])
"""What `show` takes."""
moments = _offer(lambda ctx: [*_operations(ctx), *_passes(ctx)])
"""What `restore --at` takes, times apart."""


def script(shell: str) -> str:
    """What a shell reads to complete memgit's words. Raises UsageError for one that is not known."""
    from typer._completion_shared import get_completion_script

    if shell not in ("bash", "zsh", "fish"):
        raise UsageError(f"There is no completion for {shell}.", "Choose bash, zsh or fish.")
    return get_completion_script(prog_name="memgit", complete_var="_MEMGIT_COMPLETE", shell=shell)
