"""A model that answers what a test wrote down, and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memgit.core.seam.brief import IN_PROCESS
from memgit.miners.model.port import Answer, Usage

Say = str | Exception


@dataclass
class ScriptedModel:
    """Answers in turn, the last one for ever; or with what a function makes of the prompt. An exception is raised."""

    script: Sequence[Say] | Callable[[str], Say]
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)
    schemas: list[Mapping[str, object]] = field(default_factory=list)

    def ask(self, prompt: str, schema: Mapping[str, object]) -> Answer:
        self.asked.append(prompt)
        self.schemas.append(schema)
        said = self.script(prompt) if callable(self.script) else self._next()
        if isinstance(said, Exception):
            raise said
        return Answer(said, Usage(10, 1, 0.5))

    def _next(self) -> Say:
        assert not callable(self.script)
        return self.script[min(len(self.asked), len(self.script)) - 1]


def candidates(*entries: Mapping[str, Any], batch: int = 1, **changes: Any) -> str:
    """A miner's answer."""
    reply = {"schema": "memgit.candidates/1", "pass": IN_PROCESS, "batch": batch, "candidates": list(entries)}
    return json.dumps(reply | changes)


def decisions(*entries: Mapping[str, Any]) -> str:
    """A decider's answer."""
    return json.dumps({"schema": "memgit.decisions/1", "pass": IN_PROCESS, "decisions": list(entries)})
