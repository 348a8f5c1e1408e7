"""Audits and prunes of a store of beads compare what memories say: a header is no content, and none is lost."""

from __future__ import annotations

import json

import pytest

from memgit.cli import run
from memgit.core.sweep.filing import marked
from tests.beads_world import beads_at

FACT = "The webhook signature is checked against the raw body. A parsed body has other white space and never matches."
MEMORIES = {
    "lesson-webhook": f"@type=semantic:lesson @created=2026-08-01 @salience=4 @refs=bd-7 @tags=webhook\n{FACT}",
    "pattern-webhook": (
        f"@type=semantic:pattern @created=2026-07-01 @salience=2 @refs=bd-9,lesson-webhook @tags=signature\n{FACT}"
    ),
    "done-webhook": f"@type=episodic:done @salience=1\n[superseded 2026-09-01 by lesson-webhook]\n{FACT}",
    "lesson-port": "@type=semantic:lesson @created=2026-08-01 @salience=4 @tags=port\nThe local port is 8080.",
    "lesson-host": "@type=semantic:lesson @created=2026-08-01 @salience=4 @tags=port\nThe staging host is amber.",
}
NOW = "2026-11-29T12:00:00Z"


@pytest.fixture
def beads(world, monkeypatch):
    monkeypatch.setenv("PATH", world.env["PATH"])
    made = beads_at(world.root / "project", MEMORIES)
    monkeypatch.chdir(made.project)
    return made


@pytest.fixture
def go(beads, capsys):
    def ran(*arguments: str) -> dict:
        assert run([*arguments, "--store", "beads", "--json", "--now", NOW]) == 0
        return json.loads(capsys.readouterr().out)

    return ran


@pytest.mark.parametrize("verb", ["prune", "audit"])
def test_copies_under_other_headers_are_merged_with_the_keepers_own_header_and_all_refs_and_tags(verb, go, beads):
    if verb == "prune":
        go("prune")
        go("prune", "--confirm")
    else:
        go("adopt", go("audit")["pass"], "--all")
    (gone,) = MEMORIES.keys() - beads.memories.keys()
    (kept,) = {"lesson-webhook", "pattern-webhook"} - {gone}
    before, after = marked(MEMORIES[kept]), marked(beads.memories[kept])
    one_valued = ("type", "created", "salience")
    assert [after.fields[name] for name in one_valued] == [before.fields[name] for name in one_valued]
    assert set(after.listed("refs")) == {"bd-7", "bd-9"}
    assert set(after.listed("tags")) == {"webhook", "signature"}
    assert after.body == FACT
    assert {**beads.memories, kept: ""} == {**{key: MEMORIES[key] for key in MEMORIES if key != gone}, kept: ""}


def test_a_merge_says_what_the_other_header_says_otherwise(go):
    found = go("prune")
    (merge,) = (each for each in found["decisions"] if each["standing"] == "taken")
    (kept,) = merge["results"]
    told = {
        "lesson-webhook": "that of pattern-webhook says @type=semantic:pattern, @salience=2, @created=2026-07-01.",
        "pattern-webhook": "that of lesson-webhook says @type=semantic:lesson, @salience=4, @created=2026-08-01.",
    }
    assert told[kept] in merge["justification"]


def test_memories_that_share_no_more_than_a_header_are_no_copies(go):
    merged = [one for one in go("prune")["decisions"] if one["standing"] == "taken"]
    named = {name for one in merged for name in one["memories"]}
    assert not named & {"lesson-port", "lesson-host"}


def test_what_is_superseded_is_no_member_of_a_merge(go):
    assert "done-webhook" not in {name for one in go("prune")["decisions"] for name in one["memories"]}
