"""Asking until the answer keeps its contract: what is wrong with it is sent back, at most twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from memgit.errors import BadReply
from memgit.evidence.findings import mask
from memgit.miners.model.kept import KeptAnswers, key
from memgit.miners.model.port import NOTHING_USED, Model, Usage
from memgit.text.layout import fenced

REPAIRS = 2
"""Times that a model may mend an answer before it is given up."""

_SHOWN = 20_000  # characters of a broken answer that are shown to the model again

_T = TypeVar("_T")


@dataclass(frozen=True)
class Conversation:
    """A model, and the answers it has given already. Every question stands alone.

    ``mask_personal``: personal data is masked in whatever is asked, as secrets always are.
    """

    model: Model
    kept: KeptAnswers | None = None
    mask_personal: bool = False
    answered: list[Usage] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)

    @property
    def used(self) -> Usage:
        """What all answers of this run took; those that were kept took nothing."""
        return sum(self.answered, NOTHING_USED)

    def account(self) -> str:
        """What was asked in this run and what it took, in a sentence; empty when nothing was asked."""
        used, times, again = self.used, len(self.answered), len(self.recalled)
        cost = "" if used.cost is None else f", about ${used.cost:.2f}"
        took = f"{used.tokens_in:,} tokens in, {used.tokens_out:,} out{cost}"
        parts = [f"{times} ({took})"] if times else []
        parts += [f"answers kept from an earlier run: {again}"] if again else []
        return f"Questions to {self.model.name}: {'; '.join(parts)}." if parts else ""

    def agree(self, prompt: str, schema: Mapping[str, object], read: Callable[[str], _T]) -> _T:
        """What ``read`` makes of the answer.

        Raises BadReply with the last breach when mending did not help, ModelFailed and ModelUnavailable.
        """
        prompt = mask(prompt, personal_too=True).text if self.mask_personal else prompt
        name = key(self.model.name, prompt, schema)
        known = self._known(name, read)
        if known is not None:
            self.recalled.append(name)
            return known
        asked = prompt
        for repairs_left in reversed(range(REPAIRS + 1)):
            text = self._ask(asked, schema)
            try:
                agreed = read(text)
            except BadReply as breach:
                if not repairs_left:
                    raise
                asked = mend(prompt, text, breach)
            else:
                self._keep(name, text)
                return agreed
        raise AssertionError("the last breach is raised")

    def _ask(self, prompt: str, schema: Mapping[str, object]) -> str:
        answer = self.model.ask(prompt, schema)
        self.answered.append(answer.usage)
        return answer.text

    def _known(self, name: str, read: Callable[[str], _T]) -> _T | None:
        text = self.kept.find(name) if self.kept else None
        try:
            return None if text is None else read(text)
        except BadReply:
            return None  # somebody else's, or of another version: asked anew

    def _keep(self, name: str, text: str) -> None:
        if self.kept:
            self.kept.keep(name, text)


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
