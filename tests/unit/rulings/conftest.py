"""Rulings are tested one thing at a time: how sentences read is weighed in its own tests only."""

from __future__ import annotations

import pytest

from memgit.rulings import signs


@pytest.fixture(autouse=True)
def unweighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model weighs how evidence reads: the weights change with the material that they are fitted on."""
    monkeypatch.setattr(signs, "models", dict)
