"""Planted claims in many notations, each with a near miss: what an audit takes the memory that makes them for."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.audit_world import audit, commit, memory, store

CASES = yaml.safe_load((Path(__file__).parents[1] / "data" / "audit_claims.yaml").read_text(encoding="utf-8"))
NOBODY = type("Nobody", (), {"merges": lambda *_: (), "related": lambda *_: ()})()
"""Finds no two memories alike."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_planted_claim_is_taken_for_what_it_is(case, tmp_path):
    root = tmp_path / "project"
    commit(root, case["files"], "Begin", "2026-01-05")
    if "then" in case:
        commit(root, case["then"], case["subject"], "2026-04-02")
    planted = memory("it", case["says"], type_=case.get("type", "project"), description="About it")
    seen = audit(root, store(planted))
    assert seen.kind("it") in case["class"], seen.evidence("it")
    assert [each for each in seen.decisions if each.kind.value == "reject"] == []
    if "proposes" in case:
        assert seen.on("it").kind.value == case["proposes"]
