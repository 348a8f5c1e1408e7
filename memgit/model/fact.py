"""What an agent asks to be remembered, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memgit.model.store import StoreContent


@dataclass(frozen=True, slots=True)
class Fact:
    """One durable fact in the agent's own words.

    ``memory`` is the id of the memory that it is about, empty where memgit shall find it by subject. ``hook`` is the
    text of its line in the index, the description without one. ``override`` are codes of refusals that the agent has
    weighed and does not accept.
    """

    name: str
    description: str
    type: str
    body: str
    memory: str = ""
    hook: str = ""
    override: frozenset[str] = frozenset()

    @property
    def line(self) -> str:
        """What its line in the index says."""
        return self.hook or self.description


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a fact is not written: a stable ``code``, the ``field`` to change and, in one line, how to change it."""

    code: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A fact with everything that speaks against it."""

    fact: Fact
    refusals: tuple[Refusal, ...]


class Act(StrEnum):
    """What writing a fact does to the store."""

    NEW = "new"
    UPDATED = "updated"
    RECONFIRMED = "reconfirmed"
    UNCHANGED = "unchanged"  # it says so already


@dataclass(frozen=True, slots=True)
class Placed:
    """A fact that is written: the memory that holds it, and sentences that the agent should know."""

    fact: Fact
    act: Act
    memory: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a list of facts makes of a store. ``content`` is the store as it would be."""

    content: StoreContent
    placed: tuple[Placed, ...] = ()
    refused: tuple[Refused, ...] = ()
