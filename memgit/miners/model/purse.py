"""What a run may take of a model: an estimate before each question, and a stop before a bound is passed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from memgit.miners.model.port import NOTHING_USED, ModelUnavailable, Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens, as the user gave them."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION


@dataclass
class Purse:
    """The bounds of one run. ``most_tokens`` and ``most_cost`` count what was used and, of questions that are on their
    way, an estimate: UTF-8 bytes / 4 of the prompt, and all that the answer may be long."""

    prices: Prices | None = None
    most_tokens: int | None = None
    most_cost: float | None = None
    used: Usage = NOTHING_USED
    _held: list[Usage] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def question(self, prompt: str, longest: int) -> Iterator[None]:
        """Sets an estimate aside while a question is asked. Raises ModelUnavailable where a bound would be passed."""
        estimate = self.priced(Usage(estimated(prompt), longest))
        with self._lock:
            self._check(sum((*self._held, estimate), self.used))
            self._held.append(estimate)
        try:
            yield
        finally:
            with self._lock:
                self._held.remove(estimate)

    def took(self, usage: Usage) -> Usage:
        """Counts what an answer took, and prices it where the endpoint does not."""
        priced = self.priced(usage)
        with self._lock:
            self.used += priced
        return priced

    def priced(self, usage: Usage) -> Usage:
        if usage.cost is not None or self.prices is None:
            return usage
        return Usage(usage.tokens_in, usage.tokens_out, self.prices.of(usage.tokens_in, usage.tokens_out))

    def _check(self, total: Usage) -> None:
        tokens = total.tokens_in + total.tokens_out
        if self.most_tokens is not None and tokens > self.most_tokens:
            raise ModelUnavailable(
                f"The next question might bring the run to about {tokens:,} tokens; {self.most_tokens:,} are allowed.",
                "Raise --max-tokens, or lower --token-budget; answers that came are kept.",
            )
        if self.most_cost is not None and total.cost is not None and total.cost > self.most_cost:
            raise ModelUnavailable(
                f"The next question might bring the run to about ${total.cost:.2f}; ${self.most_cost:.2f} are allowed.",
                "Raise --max-cost, or lower --token-budget; answers that came are kept.",
            )


def estimated(text: str) -> int:
    """The tokens of a text, as an estimate: UTF-8 bytes / 4, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)
