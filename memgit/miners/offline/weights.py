"""The models by which offline ranks."""

from __future__ import annotations

from pathlib import Path

from memgit.likeness.models import Logistic
from memgit.likeness.models import fitted as fitted_in

_PATH = Path(__file__).parent / "weights.toml"


def fitted(name: str) -> Logistic:
    """The model of this name."""
    return fitted_in(_PATH, name)
