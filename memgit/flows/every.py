"""One command in store after store: what goes wrong in one does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from memgit.errors import MemgitError

if TYPE_CHECKING:
    pass


S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True)
class Did(Generic[T]):
    """What the command came to in the store at a path."""

    store: str
    result: T


@dataclass(frozen=True)
class LeftOut:
    """A store in which nothing was done, and why; ``code`` is the exit code of what went wrong, 0 where it was not
    tried."""

    store: str
    why: str
    code: int = 0


def in_every(stores: Iterable[tuple[str, S] | LeftOut], do: Callable[[S], T]) -> Iterator[Did[T] | LeftOut]:
    """Do it in each store in turn; each outcome comes as soon as it is there."""
    for each in stores:
        if isinstance(each, LeftOut):
            yield each
            continue
        store, site = each
        try:
            yield Did(store, do(site))
        except MemgitError as error:
            yield LeftOut(store, f"{error.message} {error.hint}".strip(), error.code)
