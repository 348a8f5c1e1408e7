"""Asking until the answer keeps its contract: what is wrong with it is sent back, at most twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from time import time
from typing import TypeVar

from memgit import files
from memgit.errors import BadReply
from memgit.evidence.findings import mask
from memgit.miners.model.port import NOTHING_USED, Model, ModelUnavailable, Usage
from memgit.text.layout import fenced

# --- kept ---
# Answers that were paid for once, so that a run that broke off asks only for what it did not get.
#
# An answer is kept when it was found to keep its contract, under a hash of everything that it depends on. What is kept
# is only a convenience: broken, old or gone, the question is put again.

FOLDER = "answers"
MOST = 200
"""Answers that are kept at the most, newest first: some passes of many batches."""
DAYS = 7
"""How long an answer is kept: long enough to go on tomorrow, too short to stand for what a newer model would say."""

_VERSION = 1  # raise it when an answer that was kept would be read differently


@dataclass(frozen=True)
class KeptAnswers:
    """A folder of answers that only its owner can read."""

    folder: Path

    def find(self, key: str) -> str | None:
        """The answer kept under a key, unless that was too long ago."""
        path = self.folder / f"{key}.json"
        try:
            return None if path.stat().st_mtime < _oldest() else str(json.loads(path.read_bytes())["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, answer: str) -> None:
        """Keep an answer, and let go of the oldest. A disk that takes nothing more costs only the convenience."""
        with suppress(OSError):
            with suppress(FileExistsError):
                files.make_private_folder(self.folder)
            files.write_atomic(self.folder / f"{key}.json", json.dumps({"answer": answer}).encode())
            self._prune()

    def _prune(self) -> None:
        aged = sorted(((path.stat().st_mtime, path) for path in answer_files(self.folder)), reverse=True)
        for number, (modified, path) in enumerate(aged):
            if number >= MOST or modified < _oldest():
                files.remove_file(path)


def answer_files(folder: Path) -> tuple[Path, ...]:
    """The files of all answers that are kept, and what a process that was killed has left of one."""
    return tuple(sorted(path for path in folder.iterdir() if path.is_file())) if folder.is_dir() else ()


def _oldest() -> float:
    return time() - DAYS * 86_400


def key(model: str, prompt: str, schema: Mapping[str, object]) -> str:
    """What an answer depends on, as the name of a file."""
    asked = json.dumps([_VERSION, model, prompt, schema], sort_keys=True)
    return blake2b(asked.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


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
            answer = self.model.ask(asked, schema)
            self.answered.append(answer.usage)
            try:
                agreed = read(answer.text)
            except BadReply as breach:
                if not repairs_left:
                    raise
                asked = mend(prompt, answer.text, breach)
            else:
                if self.kept:
                    self.kept.keep(name, answer.text)
                return agreed
        raise AssertionError("the last breach is raised")

    def _known(self, name: str, read: Callable[[str], _T]) -> _T | None:
        text = self.kept.find(name) if self.kept else None
        try:
            return None if text is None else read(text)
        except BadReply:
            return None  # somebody else's, or of another version: asked anew


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


# --- purse ---
# What a run may take of a model: an estimate before each question, and a stop before a bound is passed.

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
