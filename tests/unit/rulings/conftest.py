"""Rulings are tested one thing at a time: how sentences read is weighed in its own tests only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import weights


@pytest.fixture(autouse=True)
def unweighed() -> Iterator[None]:
    """How evidence reads weighs nothing."""
    with weights.unweighed():
        yield
