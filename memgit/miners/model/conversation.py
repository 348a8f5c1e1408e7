"""Asking until the answer keeps its contract: what is wrong with it is sent back, at most twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from memgit.core.text.markdown import fenced
from memgit.errors import BadReply
from memgit.miners.model.port import Model

REPAIRS = 2
"""Times that a model may mend an answer before its batch is given up."""

_SHOWN = 20_000  # characters of a broken answer that are shown to the model again

_T = TypeVar("_T")


@dataclass(frozen=True)
class Conversation:
    """A model, and how its answers are read."""

    model: Model

    def agree(self, prompt: str, schema: Mapping[str, object], read: Callable[[str], _T]) -> _T:
        """What ``read`` makes of the answer. Raises BadReply with the last breach when mending did not help."""
        asked = prompt
        for repairs_left in reversed(range(REPAIRS + 1)):
            answer = self.model.ask(asked, schema)
            try:
                return read(answer.text)
            except BadReply as breach:
                if not repairs_left:
                    raise
                asked = mend(prompt, answer.text, breach)
        raise AssertionError("unreachable")


def mend(prompt: str, answer: str, breach: BadReply) -> str:
    """The question again, with the answer that broke its contract and what is wrong with it."""
    parts = [
        prompt.rstrip(),
        "## Your last answer",
        fenced(answer[:_SHOWN]),
        f"It cannot be used: {breach.message} {breach.hint}",
        "Send the whole answer again, with only that put right.",
    ]
    return "\n\n".join(parts) + "\n"
