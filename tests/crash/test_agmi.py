"""The public suite for tamper evidence: every attack is reported, its controls pass, and no two moves together land."""

from __future__ import annotations

import pytest

agmi = pytest.importorskip("agmi", reason="agent-memory-integrity is not installed: tamper evidence was not measured")

from agmi.agent.compose import _lands, compose  # noqa: E402
from agmi.attacks.at_rest import ALL_AT_REST_ATTACKS, AT_REST_ATTACKS_WITH_SNAPSHOT  # noqa: E402
from agmi.check import render, verdict  # noqa: E402

from tests.crash.agmi_adapter import Memgit  # noqa: E402

SEQUENCES = (("edit:tamper", "write"), ("rollback", "write"), ("edit:truncate", "rollback"))
"""Those of two moves that land on a design that builds on whatever it finds."""


@pytest.mark.parametrize("attack", AT_REST_ATTACKS_WITH_SNAPSHOT, ids=lambda attack: attack.name)
def test_every_attack_is_reported_and_its_controls_pass(attack):
    adapter = Memgit()
    result = attack().run(adapter)
    assert (verdict(result, adapter), result.guard, result.error) == ("REPORTED", None, None)


def test_a_store_that_only_agents_wrote_to_is_clean_and_stays_so():
    adapter = Memgit()
    adapter.setup()
    adapter.seed(3)
    assert adapter.verify(), adapter.verify_detail
    adapter.append_genuine()
    assert adapter.verify(), adapter.verify_detail
    adapter.teardown()


def test_no_sequence_of_moves_lands(pytestconfig):
    if pytestconfig.getoption("--whole", default=False):
        _, findings = compose(Memgit, target="memgit", max_len=2)
        assert [finding.sequence for finding in findings] == []
        return
    known = {f"edit:{attack.name}" for attack in ALL_AT_REST_ATTACKS} | {"write", "rollback"}
    for moves in SEQUENCES:
        assert set(moves) <= known
        landed, detail = _lands(Memgit, list(moves))
        assert not landed, (moves, detail)


def test_the_table_of_the_suite_can_be_printed():
    rows = [{"edit": "T1 content tamper", "verdict": "REPORTED"}]
    assert "REPORTED" in render("memgit", rows)
