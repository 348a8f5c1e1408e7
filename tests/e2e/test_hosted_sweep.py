"""A host decides a sweep: its merges mark what they take in, and the guards are those of memgit's own."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from memgit.cli import run
from memgit.core.seam.protocol import parse_decisions
from memgit.core.seam.sweep_brief import sweep_brief
from memgit.core.sweep.filing import KINDS, filed, marked
from memgit.memory.memory import memories
from memgit.model.store import Resolution
from memgit.stores.beads.bd import content_of
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
    "confirm": "They were read side by side.",
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

    def decide(decision: dict, store: dict[str, str] = MEMORIES) -> tuple[dict, dict[str, str]]:
        beads.put(store)
        assert run(["plan", "--kind", "sweep", "--json"]) == 0
        name = json.loads(capsys.readouterr().out)["pass"]
        reply = {"schema": "memgit.decisions/1", "pass": name, "decisions": [decision]}
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(reply).encode())))
        assert run(["decide", name, "-", "--store", "beads", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        decide.told = found["remarks"]
        run(["adopt", name, "--store", "beads", "--all", "--json"])
        capsys.readouterr()
        about = next(one for one in found["decisions"] if set(one["memories"]) >= set(decision["memories"]))
        return about, beads.memories

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
    assert decision["standing"] == "refused"
    assert "it is never retired" in decision["refusal"]
    assert {name: marked(text).body for name, text in memories.items()} == MEMORIES
    assert not any(marked(text).superseded for text in memories.values())


UNKNOWN = "The stub of the payment service answers on 9090 (src/stub.py:4)."


def header(body: str, quote: str = UNKNOWN) -> dict:
    return {
        "kind": "update",
        "memories": ["payments"],
        "justification": "It names the line that shows it.",
        "evidence": [{"where": "memory:payments", "quote": quote}],
        "drafts": [{"id": "payments", "body": body}],
    }


@pytest.mark.parametrize(
    ("text", "given", "kept"),
    [
        (UNKNOWN, "@type=semantic:lesson @salience=5 @tags=stub", "@type=semantic:lesson @salience=5 @tags=stub"),
        ("The stub is slow.", "@type=bug @salience=5", "@type=semantic:root-cause @salience=2"),
        ("The stub is slow.", "@type=semantic:opinion @salience=1", "@salience=1"),
    ],
    ids=["as given", "no more salience than it bears", "no kind that there is not"],
)
def test_a_host_files_what_nothing_files_and_memgit_does_the_rest(decided, text, given, kept):
    copy = {"done-gateway-3": MEMORIES["done-gateway-1"]}
    decision, memories = decided(header(f"{given}\n{text}", text), {**MEMORIES, **copy, "payments": text})
    assert decision["kind"] == "update"
    assert memories["payments"] == f"{kept}\n{text}"
    assert marked(memories["continuation-1"]).fields["type"] == "episodic:continuation"
    assert len({"done-gateway-1", "done-gateway-3"} & memories.keys()) == 1


def test_what_is_decided_has_the_sections_of_a_sweep(decided):
    decided(MERGE)
    assert "Before this sweep bd's own history was at `branch main, commit 7v3k9qd0t1`." in decided.told["The way back"]
    told = decided.told["Commands that adopting runs, in this order"]
    assert [line.split("`")[1].split(" -- ")[0] for line in told] == [
        "bd remember --key=gateway-tokens",
        "bd remember --key=continuation-1",
        "bd remember --key=done-gateway-1",
        "bd remember --key=done-gateway-2",
    ]


def test_the_brief_of_a_sweep_is_its_own(world, monkeypatch, capsys):
    monkeypatch.setenv("PATH", world.env["PATH"])
    beads = beads_at(world.root / "project", {**MEMORIES, "moon": "Full.", "key": "Use AKIAIOSFODNN7EXAMPLE."})
    monkeypatch.chdir(beads.project)
    assert run(["plan", "--kind", "sweep", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    text = (Path(planned["paths"]["digests"]) / "decide-brief.md").read_text()
    for kind in KINDS.values():
        assert f"| `{kind}` |" in text
    assert "- `continuation-1`: episodic:continuation, by its key (continuation)" in text
    assert "- `moon`: unknown: nothing says what it is" in text
    assert "The gateway refreshes auth tokens before they expire." in text
    assert f"memgit decide {planned['pass']} FILE --store beads:{beads.folder}" in text
    assert "never retired" in text
    assert "[[" not in text
    assert "AKIAIOSFODNN7EXAMPLE" not in text


def test_the_example_of_the_brief_keeps_the_contract_that_it_tells():
    plan = SimpleNamespace(id="2026-11-29.1", store=Resolution("/p/.beads", "--store", "beads"))
    text = sweep_brief(plan, filed(memories(content_of({"port-clash": "The dev server and the stub both take 8080"}))))
    example = text.split("```json\n")[1].split("\n```")[0]
    (proposal,) = parse_decisions(example.encode(), "2026-11-29.1", [])
    assert (proposal.kind, proposal.memories) == ("update", ("port-clash",))
