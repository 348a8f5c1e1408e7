"""Rulings without what was learnt: the weights change with the material that they are fitted on, facts do not."""

from __future__ import annotations

from contextlib import AbstractContextManager

from memgit.likeness.models import Logistic
from tests.bench.fit import weighed_by

SILENT = Logistic(bias=-50.0, weights={}, usual={})
"""A model that finds nothing likely, whatever it reads."""


def unweighed() -> AbstractContextManager[None]:
    """No model weighs how evidence reads or how near two memories are."""
    return weighed_by(dict.fromkeys(("said", "merge", "statement", "about", "pair"), SILENT))
