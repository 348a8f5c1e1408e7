"""What a pass lets its caller choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memgit.errors import UsageError

if TYPE_CHECKING:
    from memgit.core.configuration import Configuration
    from memgit.model.session import Limits


OFFLINE = "offline"


@dataclass(frozen=True)
class Choices:
    """What a pass lets its caller choose. None is what the caller left to the configuration."""

    token_budget: int | None = None
    session_cap: int | None = None
    miner: str | None = None
    index: str | None = None
    remove_most: bool = False
    mask_personal: bool = False
    decider: str | None = None
    model: str | None = None
    parallel: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    @property
    def mines(self) -> str:
        """Who proposes."""
        return self.miner or OFFLINE

    @property
    def decides(self) -> str:
        """Who decides: the one who proposes, unless another is chosen."""
        return self.decider or self.mines

    @property
    def limits(self) -> Limits:
        from memgit.model.session import Limits

        given = {"token_budget": self.token_budget, "session_cap": self.session_cap}
        return Limits(**{name: value for name, value in given.items() if value is not None})

    @property
    def index_from_frontmatter(self) -> bool:
        if self.index not in (None, "own", "frontmatter"):
            raise UsageError(f"--index {self.index} is unknown.", "Choose own or frontmatter.")
        return self.index == "frontmatter"

    def filled(self, configured: Configuration) -> Choices:
        """These choices with what the configuration says where nothing was chosen."""
        left: dict[str, Any] = {
            field: configured.settings[name].value for field, name in CONFIGURED.items() if getattr(self, field) is None
        }
        return replace(self, **left)


CONFIGURED: Mapping[str, str] = {
    "token_budget": "pass.token-budget",
    "session_cap": "pass.session-cap",
    "miner": "pass.miner",
    "decider": "pass.decider",
    "model": "pass.model",
    "parallel": "pass.parallel",
    "index": "pass.index",
}
"""Each choice that a file may make, with its key there."""
