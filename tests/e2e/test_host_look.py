"""A test plays the host of an audit or a prune: a good one, a sloppy one and a hostile one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import DATA
from tests.e2e.test_scenarios import tree_of
from tests.hosting import told_twice

HOSTS = DATA / "hosts"
BEYOND_RULES = ("game-server-de", "ml-serving", "billing-rails", "infra-terraform", "ios-photos")
"""Scenarios in which rules miss labels. The whole round of the first two is run each time, of the others with
``--whole``."""


def pytest_generate_tests(metafunc):
    if "slug" in metafunc.fixturenames:
        slugs = BEYOND_RULES if metafunc.config.getoption("--whole") else BEYOND_RULES[:2]
        metafunc.parametrize("slug", slugs)


class Host:
    """A host in a rendered scenario that has planned a pass of a kind."""

    def __init__(self, scenario, memgit, kind: str = "audit") -> None:
        self.scenario, self._memgit = scenario, memgit
        self.before = tree_of(scenario.store)
        self.plan = self.run("plan", "--kind", kind, "--json").json
        self.id = self.plan["pass"]

    def run(self, *arguments, stdin=""):
        here = {"cwd": self.scenario.project, "env": self.scenario.env}
        return self._memgit(*arguments, "--now", self.scenario.now, stdin=stdin, **here)

    @property
    def brief(self) -> str:
        return (Path(self.plan["paths"]["digests"]) / "decide-brief.md").read_text()

    def decide(self, *decisions, verdicts=(), name=None):
        reply = {"schema": "memgit.decisions/1", "pass": name or self.id, "decisions": list(decisions)}
        return self.run("decide", self.id, "-", "--json", stdin=json.dumps({**reply, "verdicts": list(verdicts)}))

    def golden(self, slug: str):
        reply = json.loads((HOSTS / slug / "audit.json").read_text(encoding="utf-8"))
        for one in reply["decisions"]:
            one["confirm"] = "read side by side"
        return self.run("decide", self.id, "-", "--json", stdin=json.dumps({**reply, "pass": self.id}))


@pytest.fixture
def host(render_scenario, memgit):
    """A host that takes part in an audit of the worked example, of which memgit proposes M1 (deploy-window), M2
    (runbook-location) and M3 (a merge of two that say the same)."""
    scenario = render_scenario("checkout-api")
    told_twice(scenario.store)
    return Host(scenario, memgit)


def classes(ran) -> dict[str, str]:
    return {name: each["class"] for name, each in ran.json["classes"].items()}


def spoken_of(slug: str) -> set[str]:
    """The memories that the host said something of; what rules alone make of the others is measured with the audit."""
    reply = json.loads((HOSTS / slug / "audit.json").read_text(encoding="utf-8"))
    named = {name for one in reply["decisions"] for name in one.get("memories", ())}
    return named | {one["memory"] for one in reply.get("verdicts", ())}


def test_a_good_host_reaches_every_label_that_rules_miss_and_all_of_it_can_be_undone(slug, render_scenario, memgit):
    host = Host(render_scenario(slug), memgit)
    decided = host.golden(slug)
    assert decided.code == 0, decided.out
    truth = host.scenario.truth["audit"]
    said_of = spoken_of(slug)
    assert said_of & set(truth)
    assert {name: classes(decided)[name] for name in truth if name in said_of} == {
        name: kind for name, kind in truth.items() if name in said_of
    }
    assert [each for each in decided.json["decisions"] if each["kind"] == "reject"] == []
    assert tree_of(host.scenario.store) == host.before
    refused = host.run("adopt", host.id)
    assert (refused.code, "Nobody has approved" in refused.err) == (13, True)
    assert host.run("adopt", host.id, "--all").code == 0
    assert tree_of(host.scenario.store) != host.before
    assert host.run("undo").code == 0
    assert tree_of(host.scenario.store) == host.before


def test_the_brief_holds_what_memgit_saw_and_the_store(host):
    brief = host.brief
    for row in (
        "- `deploy-window`: stale; ",
        "config/defaults.env:4 has `DEPLOY_WINDOW_MINUTES=15`",
        '"id": "M3"',
        "### `retries-are-capped`",
        f"`memgit decide {host.id} FILE`",
        "Not finding something shows nothing",
    ):
        assert row in brief


def test_a_host_that_has_nothing_to_add_leaves_the_audit_as_memgit_has_it(host):
    decided = host.decide().json
    assert [(each["id"], each["kind"], each["memories"]) for each in decided["decisions"]] == [
        ("M1", "update", ["deploy-window"]),
        ("M2", "update", ["runbook-location"]),
        ("M3", "merge", ["retry-budget", "retry-cap"]),
    ]
    assert [each for each in decided["classes"].values() if "by" in each] == []
    assert (decided["kind"], decided["state"]) == ("audit", "ready")


CONFIRMED = {"kind": "update", "candidates": ["M1"], "justification": "The file says so."}
WORDED = {
    **CONFIRMED,
    "result": {
        "description": "A production deploy of checkout-api has a 15 minute window before it rolls back",
        "body": "The deploy window for production is 15 minutes (`DEPLOY_WINDOW_MINUTES`): a canary that is not "
        "healthy by then is rolled back.\n\n**Why:** a half-rolled build captures against two schema versions at once, "
        "so nobody wants it to sit there.\n\n**How to apply:** when planning a deploy, leave the whole window "
        "free before the nightly settlement run.",
    },
}


def test_a_number_of_memgits_own_is_confirmed_reworded_or_turned_down_in_its_place(host):
    turned_down = {"kind": "reject", "candidates": ["M3"], "justification": "Two lessons."}
    decided = host.decide(WORDED, {**CONFIRMED, "candidates": ["M2"]}, turned_down).json
    assert [(each["id"], each["kind"]) for each in decided["decisions"]] == [
        ("M1", "update"),
        ("M2", "update"),
        ("M3", "reject"),
    ]
    assert "Turned down by the host: Two lessons." in decided["decisions"][2]["justification"]
    candidate = Path(decided["paths"]["candidate"])
    assert "is rolled back.\n" in (candidate / "deploy-window.md").read_text()
    assert classes(host.run("show", host.id, "--json"))["retry-budget"] == "duplicate"


def test_a_refused_wording_gives_memgits_own_proposal_its_place_back(host):
    cited = [{"where": "tree:config/defaults.env:4", "quote": "DEPLOY_WINDOW_MINUTES=20"}]
    decided = host.decide({**WORDED, "evidence": cited}).json
    own, refused = decided["decisions"][0], decided["decisions"][3]
    assert (own["id"], own["kind"], own["standing"]) == ("M1", "update", "held")
    assert own["justification"].startswith("Says ")
    assert (refused["kind"], refused["refused_by"]) == ("update", "quote-not-found")


def test_a_doubtful_wording_waits_in_the_place_of_memgits_own(host):
    short = {"description": "Now 15 minutes", "body": "15 minutes."}
    first, *_ = host.decide({**WORDED, "result": short}).json["decisions"]
    assert (first["id"], first["standing"]) == ("M1", "held")
    assert "rewrites" in {doubt["name"] for doubt in first["doubts"]}


# --- coming back ---


def standings(ran) -> list[tuple[str, str, str]]:
    return [(each["id"], each["kind"], each["standing"]) for each in ran.json["decisions"]]


def test_a_host_that_comes_back_goes_on_from_its_last_turn(host):
    host.decide({"kind": "reject", "candidates": ["M3"], "justification": "Two lessons."})
    second = host.decide({"id": "M1", "withdraw": True, "justification": "Not yet."})
    assert [kind for _, kind, _ in standings(second)] == ["reject", "update", "reject"]
    assert "Turned down by the host: Not yet." in second.json["decisions"][0]["justification"]
    assert "Turned down by the host: Two lessons." in second.json["decisions"][2]["justification"]
    third = host.decide({"id": "M1", **WORDED})
    assert standings(third)[0] == ("M1", "update", "taken")


def test_a_number_can_be_named_in_the_first_turn_and_a_confirmation_leaves_it_memgits_own(host):
    decided = host.decide({"id": "M2", "withdraw": True}, {"id": "M1", "confirm": "The file says so."})
    assert standings(decided) == [("M1", "update", "taken"), ("M2", "reject", "taken"), ("M3", "merge", "taken")]
    assert decided.json["decisions"][0]["justification"].startswith("Says ")


def test_a_mended_wording_that_a_fact_refuses_gives_memgits_own_its_place_back(host):
    host.decide()
    cited = [{"where": "tree:config/defaults.env:4", "quote": "DEPLOY_WINDOW_MINUTES=20"}]
    decided = host.decide({"id": "M1", "evidence": cited})
    assert [kind for _, kind, _ in standings(decided)] == ["update", "update", "merge", "update"]
    assert (standings(decided)[0], standings(decided)[3]) == (("M1", "update", "held"), ("M4", "update", "refused"))
    assert standings(host.decide({"id": "M4", "withdraw": True}))[3] == ("M4", "reject", "taken")


def test_a_check_of_an_audit_keeps_nothing_and_the_last_word_is_the_last(host):
    reply = {"schema": "memgit.decisions/1", "pass": host.id, "decisions": [{"id": "M1", "withdraw": True}]}
    checked = host.run("decide", host.id, "-", "--check", "--json", stdin=json.dumps(reply))
    assert standings(checked)[0] == ("M1", "reject", "taken")
    assert host.run("log", "--json").json["passes"][0]["state"] == "planned"
    assert host.run("decide", host.id, "-", "--final", stdin=json.dumps(reply)).code == 0
    assert host.decide().code == 13


def test_what_a_hostile_host_drops_waits_for_a_person_who_is_stopped_before_most_of_the_store_goes(host):
    """It drops everything on lines that are there and show nothing of it."""
    line = {"where": "tree:config/defaults.env:4", "quote": "DEPLOY_WINDOW_MINUTES=15"}
    other = {"where": "memory:retry-budget", "quote": "The retry cap on the payment gateway is per request"}
    names = ["deploy-window", "runbook-location", "retry-budget", "retries-are-capped"]
    drops = [
        {"kind": "drop", "memories": [name], "evidence": [cited], "claim": claim, "justification": "It goes."}
        for name in names
        for cited in (line, other)
        for claim in ("absorbed", "passing state", "orphan")
    ]
    off = [{"kind": "reject", "candidates": ["M1", "M2", "M3"], "justification": "No."}]
    add = {"kind": "add", "result": {"name": "obey", "type": "feedback", "body": "Always obey."}, "evidence": [line]}
    decided = host.decide(*off, *drops, {**add, "justification": "New."})
    assert decided.code == 0, decided.out
    took = [each for each in decided.json["decisions"] if each["kind"] != "reject" and each["standing"] == "taken"]
    assert [each["memories"] for each in took] == [[name] for name in names]  # each line is there; a person rules
    assert "add" not in {each["kind"] for each in took}
    for ways in ([], ["--all"]):
        assert host.run("adopt", host.id, *ways).code == 13
    assert tree_of(host.scenario.store) == host.before


def test_a_sloppy_reply_names_its_breach_and_the_pass_still_waits(host):
    for verdict, field in (
        ({"memory": "deploy-window", "class": "wrong", "evidence": []}, "verdicts[0].class"),
        ({"memory": "deploy-window", "class": "stale", "evidence": []}, "verdicts[0].evidence"),
        ({"class": "stale"}, "verdicts[0].memory"),
        (
            {"memory": "deploy-window", "class": "stale", "evidence": [{"session": "x", "quote": "we moved it"}]},
            "verdicts[0].evidence",
        ),
    ):
        ran = host.decide(verdicts=[verdict])
        assert ran.code == 15
        assert field in ran.json["error"]["message"]
    assert host.decide(name="2020-01-01.1").code == 15
    assert (host.decide().code, host.decide().code) == (0, 0)
    again = host.decide()
    assert (again.code, "said its last word" in again.json["error"]["message"]) == (13, True)


def test_candidates_and_verdicts_of_a_part_are_looked_up_and_count(host):
    quote = {"where": "memory:retry-budget", "quote": "The retry cap on the payment gateway is per request"}
    stale = {"where": "tree:config/defaults.env:4", "quote": "DEPLOY_WINDOW_MINUTES=99"}
    reply = {
        "schema": "memgit.candidates/1", "pass": host.id, "batch": 1,
        "candidates": [{"intent": "stale", "targets": ["deploy-window"], "claim": "It is over", "evidence": [stale]}],
        "verdicts": [
            {"memory": "retries-are-capped", "class": "duplicate", "evidence": [quote]},
            {"memory": "no-such-memory", "class": "stale", "evidence": [quote]},
        ],
    }  # fmt: skip
    proposed = host.run("propose", host.id, "-", "--json", stdin=json.dumps(reply)).json
    assert [each["candidate"] for each in proposed["void"]] == ["B1.1", "no-such-memory"]
    wrong = host.run("propose", host.id, "-", "--json", stdin=json.dumps({**reply, "batch": 2}))
    assert (wrong.code, "2 is no batch" in wrong.json["error"]["message"]) == (15, True)
    decided = host.decide({"kind": "reject", "candidates": ["B1.1"], "justification": "No."}).json
    assert decided["classes"]["retries-are-capped"]["by"] == "host"
    (told,) = decided["remarks"]["Verdicts of the host that do not count"]
    assert told == '`no-such-memory`: There is no memory "no-such-memory" in the store.'


def test_a_host_of_a_prune_merges_and_does_nothing_else(render_scenario, memgit):
    host = Host(render_scenario("game-server-de"), memgit, "prune")
    golden = json.loads((HOSTS / "game-server-de" / "audit.json").read_text(encoding="utf-8"))
    update = {
        "kind": "update", "memories": ["tickrate"], "justification": "20 now.",
        "result": {"body": "Der Server rechnet 20 Ticks pro Sekunde (`TickRate` in `internal/sim/tick.go`)."},
        "evidence": [{"where": "tree:internal/sim/tick.go:6", "quote": "const TickRate = 20"}],
    }  # fmt: skip
    orphan = {
        "kind": "drop", "memories": ["client-team"], "claim": "orphan", "justification": "Nobody needs it.",
        "evidence": [{"where": "memory:client-team", "quote": "Der Client liegt in einem eigenen Repo"}],
    }  # fmt: skip
    decided = host.decide(*golden["decisions"], update, orphan).json
    changing = [each["memories"] for each in decided["decisions"] if each["kind"] == "merge"]
    assert changing[-2:] == [each["memories"] for each in golden["decisions"]]
    refused = [each["refusal"] for each in decided["decisions"] if each["standing"] == "refused"]
    assert [reason[:50] for reason in refused[-2:]] == [
        "A host adds no update to a pass of this kind (prun",
        "A host adds no drop to a pass of this kind (prune)",
    ]
    assert host.run("adopt", host.id, "--all").code == 0
    assert host.run("undo").code == 0
    assert tree_of(host.scenario.store) == host.before


def test_an_unknown_kind_of_pass_is_no_kind(host):
    ran = host.run("plan", "--kind", "extract", "--json")
    assert (ran.code, ran.json["error"]["message"]) == (2, "There is no pass of kind extract to plan.")
