"""The one question that every model answers, whichever way it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memgit.errors import ToolFailed


class ModelFailed(ToolFailed):
    """A model gave no answer this time: a time limit, an overload, a refusal. Another batch may fare better."""


class ModelUnavailable(ToolFailed):
    """No batch will be answered: no program, no key, no such model, nothing left to spend."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What answers took, as far as it was told. ``cost`` is in US dollars, None where nobody said."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        known = [each for each in (self.cost, other.cost) if each is not None]
        return Usage(
            self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, sum(known) if known else None
        )


NOTHING_USED = Usage()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model returned: its text as it came, which should be one JSON object, and what it took."""

    text: str
    usage: Usage = NOTHING_USED


class Model(Protocol):
    """Answers one question, knowing nothing of any other. Safe to ask from several threads at once."""

    @property
    def name(self) -> str:
        """Transport and model, like ``claude`` or ``api:gpt-x``: one part of the key that answers are kept by."""

    def ask(self, prompt: str, schema: Mapping[str, object]) -> Answer:
        """The answer to ``prompt``, in the shape of a JSON ``schema`` as far as the model can be held to it.

        Raises ModelUnavailable when no question will be answered, ModelFailed when this one was not.
        """
