"""Audits from the command line: the truth of the labelled scenarios, approval before anything is adopted, and CI."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from tests.conftest import SCENARIOS
from tests.e2e.test_scenarios import tree_of
from tests.hosting import told_twice

LABELLED = sorted({path.parent.name for path in SCENARIOS.glob("*/expected.yaml")})


@pytest.fixture
def example(render_scenario):
    return render_scenario("checkout-api")


@pytest.fixture
def run(memgit, example):
    """``run(*arguments)`` in the example's project, at the example's time."""
    return lambda *arguments, **more: memgit(
        *arguments, "--now", example.now, cwd=more.pop("cwd", example.project), env=example.env, **more
    )


@pytest.fixture
def twin(example):
    """The name of a memory that says the same as ``retry-budget``, but for form."""
    return told_twice(example.store)


def test_what_an_audit_takes_memories_for_is_mostly_what_a_careful_person_does(render_scenario, memgit, capsys):
    """Duplicates that are told in other words are for a host to see; none here is equal but for form."""
    pairs = []
    for slug in LABELLED:
        scenario = render_scenario(slug)
        before = tree_of(scenario.home)
        ran = memgit("audit", "--dry", "--json", "--now", scenario.now, cwd=scenario.project, env=scenario.env)
        assert ran.code == 0, ran.err
        truth = yaml.safe_load((SCENARIOS / slug / "expected.yaml").read_text(encoding="utf-8")).get("audit") or {}
        given = ran.json.get("classes", {})
        pairs += [(kind, given[name]["class"]) for name, kind in truth.items() if kind != "duplicate"]
        assert "duplicate" not in {each["class"] for each in given.values()}
        assert [each for each in ran.json["decisions"] if each["kind"] == "reject"] == []
        assert tree_of(scenario.home) == before
    shares = {kind: [truth == kind for truth, given in pairs if given == kind] for kind in ("stale", "current")}
    right = sum(truth == given for truth, given in pairs)
    with capsys.disabled():
        print(
            f"\naudit: {right} of {len(pairs)} labels; " + str({k: f"{sum(v)} of {len(v)}" for k, v in shares.items()})
        )
    assert right >= 0.8 * len(pairs)
    assert all(sum(each) >= 0.9 * len(each) for each in shares.values())


def test_nothing_of_an_audit_is_adopted_before_it_is_approved(run, example, twin):
    passed = run("audit", "--json").json
    assert [(each["id"], each["kind"], each["memories"]) for each in passed["decisions"]] == [
        ("M1", "update", ["deploy-window"]),
        ("M2", "update", ["runbook-location"]),
        ("M3", "merge", ["retry-budget", twin]),
    ]
    before = tree_of(example.store)
    refused = run("adopt", passed["pass"])
    assert refused.code == 13
    assert "Nobody has approved" in refused.err
    assert run("approve", passed["pass"], "reject M3 - two lessons").code == 0
    assert run("adopt", passed["pass"]).code == 13  # a rejection approves nothing
    assert run("approve", passed["pass"], "approve M1-M2").code == 0
    adopted = run("adopt", passed["pass"])
    assert adopted.code == 0, adopted.err
    assert "Kept 3, updated 2, merged away 0, deleted 0; 5 memories and " in adopted.out
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()
    assert "docs/operations/deploy-runbook.md" in (example.store / "runbook-location.md").read_text()
    assert run("undo").code == 0
    assert tree_of(example.store) == before


def test_an_audit_prints_what_a_person_needs_to_rule_on_it(run, twin):
    shown = run("audit", "-v").out
    for row in (
        "  5 memories: 2 stale, 2 duplicate, 1 unverifiable. Health: 40 of 100.",
        "Update:",
        "  M1  deploy-window",
        "    now: deploy-window — A production deploy of checkout-api has a 30 minute window before it rolls back",
        "    evidence: tree:config/defaults.env:4 — “DEPLOY_WINDOW_MINUTES=15”",
        "Merge:",
        f"  M3  retry-budget + {twin} -> retry-budget",
    ):
        assert row in shown.splitlines()
    assert "memgit review 2026-06-30.1" in shown


def test_a_dry_audit_keeps_nothing_and_fails_a_strict_check(run, example, world):
    before = tree_of(example.home)
    ran = run("audit", "--dry", "--strict")
    assert ran.code == 3
    assert "dry run" in ran.out
    assert tree_of(example.home) == before
    assert not world.data_home.exists()


def test_findings_come_as_sarif(run, example, twin):
    shown = run("audit", "--dry", "--format", "sarif").json
    (only,) = shown["runs"]
    assert shown["version"] == "2.1.0"
    assert {
        (each["ruleId"], each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for each in only["results"]
    } == {
        ("stale", f"{example.store}/deploy-window.md"),
        ("stale", f"{example.store}/runbook-location.md"),
        ("duplicate", f"{example.store}/retry-budget.md"),
        ("duplicate", f"{example.store}/{twin}.md"),
    }
    assert {each["id"] for each in only["tool"]["driver"]["rules"]} >= {"stale", "duplicate"}


def test_only_what_became_wrong_since_is_proposed(run):
    ran = run("audit", "--dry", "--json", "--since", "2026-06-01")
    assert [each["memories"] for each in ran.json["decisions"]] == [["deploy-window"]]
    assert ran.json["classes"]["runbook-location"]["class"] == "stale"


def test_every_store_is_audited_against_its_own_project(run, example, render_scenario):
    other = render_scenario("pnpm-monorepo")
    shutil.copytree(other.store.parent, example.store.parent.parent / other.store.parent.name)
    lost = example.store.parent.parent / "-gone-project"
    (lost / "memory").mkdir(parents=True)
    (lost / "memory" / "a.md").write_text("---\nname: a\ndescription: a\ntype: project\n---\n\nA.\n")
    (lost / "s.jsonl").write_text(json.dumps({"type": "user", "cwd": "/gone/project", "sessionId": "s"}) + "\n")
    shown = run("audit", "--all", "--dry", "--json").json
    assert shown["schema"] == "memgit.audits/1"
    classes = {each["store"]["path"].split("/")[-2]: each["classes"] for each in shown["passes"]}
    assert classes[example.store.parent.name]["deploy-window"]["class"] == "stale"
    assert classes[other.store.parent.name]["bundle_budget"]["class"] == "stale"
    assert [each["why"] for each in shown["unreachable"]] == [
        "Agents no longer read it: its project /gone/project is not there."
    ]
    assert "2 stores audited, 1 not." in run("audit", "--all", "--dry").out


def test_the_stores_inside_a_project_are_audited_with_the_others(run, example):
    shutil.copytree(example.store, example.project / ".claude" / "memory")
    shutil.rmtree(example.store)
    shown = run("audit", "--all", "--dry", "--json").json
    assert [each["store"]["path"] for each in shown["passes"]] == [str(example.project / ".claude" / "memory")]
    assert shown["passes"][0]["classes"]["deploy-window"]["class"] == "stale"


def test_a_store_in_a_repository_can_be_checked_by_a_hook(run, example):
    hook = yaml.safe_load((SCENARIOS.parents[2] / ".pre-commit-hooks.yaml").read_text())[0]
    shutil.copytree(example.store, example.project / "docs" / "memory")
    arguments = hook["entry"].split()[1:]
    assert run(*arguments, "--store", "docs/memory").code == 3
    for name in ("deploy-window", "runbook-location", "retries-are-capped"):
        (example.project / "docs" / "memory" / f"{name}.md").unlink()
    index = example.project / "docs" / "memory" / "MEMORY.md"
    index.write_text("".join(row for row in index.read_text().splitlines(True) if "retry-budget" in row))
    clean = run(*arguments, "--store", "docs/memory")
    assert clean.code == 0, clean.out


def test_where_the_project_names_a_memory_that_would_go_is_told(run, example, twin):
    (example.project / "CLAUDE.md").write_text(f"# Rules\n\nRetries: see {twin}.md in memory.\n")
    assert f"CLAUDE.md:3 names {twin}.md, which would go." in run("audit", "--dry", "--json").json["notes"]
    assert f"CLAUDE.md:3 names {twin}.md" in run("audit", "--dry").out


def test_a_line_with_a_secret_is_no_evidence_and_reaches_no_output(run, example):
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"
    (example.project / "config" / "defaults.env").write_text(f"DEPLOY_WINDOW_MINUTES=15  # {secret}\n")
    ran = run("audit", "--json")
    assert secret not in ran.out
    assert secret not in run("show").out


@pytest.mark.parametrize("way", ["frontmatter", "list"])
def test_a_pinned_memory_is_flagged_and_never_proposed(way, run, example, twin):
    pinned = example.store / "runbook-location.md"
    if way == "frontmatter":
        pinned.write_text(pinned.read_text().replace("---\n", "---\npinned: true\n", 1))
    else:
        (example.project / "memgit.toml").write_text('[prune]\npins = ["runbook-location", "retry-budget"]\n')
    passed = run("audit", "--dry", "--json").json
    proposed = {name for each in passed["decisions"] for name in each["memories"]}
    assert "deploy-window" in proposed
    assert "runbook-location" not in proposed
    assert ("retry-budget" in proposed) == (way == "frontmatter")  # a merge goes with any of its members
    assert passed["classes"]["runbook-location"]["class"] == "stale"
    assert "It is pinned, so nothing is proposed" in run("audit", "-v").out


def test_of_three_that_say_the_same_the_two_that_are_not_pinned_are_merged_without_it(run, example):
    body = "Every migration is reviewed by the data group before it is merged into the main branch."
    for name, extra in {
        "migration-review": "pinned: true\n",
        "migration-copy": "",
        "migrations-by-data-group": "",
    }.items():
        text = f"---\nname: {name}\ndescription: Migrations are reviewed\ntype: project\n{extra}---\n\n{body}\n"
        (example.store / f"{name}.md").write_text(text)
    passed = run("audit", "--dry", "--json").json
    (merge,) = (each for each in passed["decisions"] if "migration-copy" in each["memories"])
    assert (merge["kind"], sorted(merge["memories"])) == ("merge", ["migration-copy", "migrations-by-data-group"])
    assert "migration-review says it too; it is pinned and stays as it is." in merge["justification"]
