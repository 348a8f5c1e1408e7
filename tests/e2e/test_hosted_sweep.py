"""A host decides a sweep: its merges mark what they take in, and the guards are those of memgit's own."""

from __future__ import annotations

import io
import json
import sys

import pytest

from memgit.cli import run
from memgit.core.sweep.header import marked
from tests.beads_world import beads_at

MEMORIES = {
    "done-gateway-1": "The gateway refreshes auth tokens before they expire.",
    "done-gateway-2": "The gateway refreshes auth tokens in the background, between requests.",
    "continuation-1": "Go on with the release.",
}
MERGE = {
    "kind": "merge",
    "memories": ["done-gateway-1", "done-gateway-2"],
    "justification": "Both tell how the gateway refreshes tokens.",
    "evidence": [{"where": f"memory:{name}", "quote": MEMORIES[name]} for name in ("done-gateway-1", "done-gateway-2")],
    "drafts": [
        {
            "name": "gateway-tokens",
            "description": "How tokens are refreshed",
            "type": "project",
            "body": "The gateway refreshes auth tokens before they expire, in the background, between requests.",
        }
    ],
}


@pytest.fixture
def decided(world, monkeypatch, capsys):
    """``decided(decision)``: a planned sweep of the store, and what came of one decision handed in."""
    monkeypatch.setenv("PATH", world.env["PATH"])
    beads = beads_at(world.root / "project", MEMORIES)
    monkeypatch.chdir(beads.project)

    def decide(decision: dict) -> tuple[dict, dict[str, str]]:
        assert run(["plan", "--kind", "sweep", "--json"]) == 0
        name = json.loads(capsys.readouterr().out)["pass"]
        reply = {"schema": "memgit.decisions/1", "pass": name, "decisions": [decision]}
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(reply).encode())))
        assert run(["decide", name, "-", "--store", "beads", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        run(["adopt", name, "--store", "beads", "--all", "--json"])
        capsys.readouterr()
        return found["decisions"][0], beads.memories

    return decide


def test_a_merge_of_records_becomes_a_fact_and_marks(decided):
    decision, memories = decided(MERGE)
    assert decision["kind"] == "merge"
    assert set(memories) == {*MEMORIES, "gateway-tokens"}
    assert marked(memories["gateway-tokens"]).fields["type"] == "semantic:lesson"
    for name in MERGE["memories"]:
        assert marked(memories[name]).superseded[1] == "gateway-tokens"
        assert marked(memories[name]).body == MEMORIES[name]


def test_the_newest_continuation_is_not_a_hosts_to_retire(decided):
    members = ("done-gateway-1", "continuation-1")
    evidence = [{"where": f"memory:{name}", "quote": MEMORIES[name]} for name in members]
    decision, memories = decided({**MERGE, "memories": list(members), "evidence": evidence})
    assert decision["kind"] == "reject"
    assert "it is never retired" in decision["justification"]
    assert memories == MEMORIES
