"""The power goes out when a command has just ended, or seconds later: its change is there, whole, or not at all."""

from __future__ import annotations

import pytest

from memgit.stores.install import Way
from tests.crash.power import CASES, DELAYS, Cut, can_cut, cuts, table

SAMPLE = (("snapshot", Way.EXCHANGE), ("adopt", Way.EXCHANGE), ("undo", Way.EXCHANGE))


def test_a_power_cut_leaves_old_or_new_and_what_was_called_done_is_done(pytestconfig, capsys):
    if reason := can_cut():
        pytest.skip(f"no power was cut: {reason}")
    whole = bool(pytestconfig.getoption("--whole", default=False))
    made = list(cuts(CASES, DELAYS) if whole else cuts(SAMPLE, DELAYS[:1]))
    with capsys.disabled():
        print(f"\n{table(made)}")
    assert {cut.store for cut in made} <= {"old", "new", "recovered"}


def test_the_table_names_case_delay_and_store():
    assert table([Cut("adopt-exchange", 7, "new")]).splitlines()[1] == "adopt-exchange                 7 s  new"
