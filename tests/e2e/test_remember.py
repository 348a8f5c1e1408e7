"""Remember, extract and inject from the command line: what they print, and their exit codes."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def run(render_scenario, memgit):
    scenario = render_scenario("checkout-api")

    def call(*arguments, stdin=""):
        env = {**scenario.env, "CLAUDE_CODE_SESSION_ID": "s-7"}
        return memgit(*arguments, "--now", scenario.now, cwd=scenario.project, env=env, stdin=stdin)

    call.store = scenario.store
    return call


FACTS = {
    "facts": [
        {
            "name": "pager",
            "description": "Mira holds the pager in even weeks",
            "type": "project",
            "body": "Mira holds the pager in even weeks, Jonas in odd ones.",
        },
        {
            "name": "freeze",
            "description": "Frozen since yesterday",
            "type": "project",
            "body": "Deploys are frozen since yesterday.",
        },
    ]
}


def test_a_fact_is_written_said_and_taken_back(run):
    written = run("remember", "pager", "-d", "Mira holds the pager", "-b", "Mira holds the pager in even weeks.")
    assert written.code == 0
    assert written.out.splitlines()[0].split() == ["new", "pager"]
    assert "memgit undo" in written.out
    assert (run.store / "pager.md").exists()

    assert run("undo").code == 0
    assert not (run.store / "pager.md").exists()


def test_a_body_can_come_from_standard_input(run):
    assert run("remember", "pager", "-d", "Mira holds the pager", stdin="Mira, in even weeks.\n").code == 0
    assert "Mira, in even weeks." in (run.store / "pager.md").read_text()


def test_refused_facts_leave_with_15_and_say_what_to_change(run):
    done = run("extract", "--facts", "-", "--json", stdin=json.dumps(FACTS))

    assert done.code == 15
    assert done.json["schema"] == "memgit.remembered/1"
    assert [each["memory"] for each in done.json["written"]] == ["pager"]
    (refused,) = done.json["refused"]
    assert [each["code"] for each in refused["refusals"]] == ["relative-date"]
    assert done.json["operation"]


def test_the_session_that_wrote_is_in_the_log(run):
    run("extract", "--facts", "-", stdin=json.dumps(FACTS))

    newest = run("ops", "--json").json["operations"][0]
    assert (newest["kind"], newest["details"]["session"]) == ("remember", "s-7")


def test_a_reply_that_breaks_the_contract_names_its_field(run):
    done = run("extract", "--facts", "-", "--json", stdin='{"facts": [{"name": "x"}]}')

    assert done.code == 15
    assert "facts[0].description" in done.json["error"]["message"]


def test_a_dry_run_says_what_it_would_write(run):
    before = sorted(path.name for path in run.store.iterdir())

    done = run("extract", "--facts", "-", "--dry-run", stdin=json.dumps(FACTS))

    assert "new         pager" in done.out
    assert sorted(path.name for path in run.store.iterdir()) == before


def test_without_facts_a_session_is_mined_and_nothing_written(run):
    before = {path.name: path.read_bytes() for path in run.store.iterdir()}

    done = run("extract", "--session", "aec3f868", "--json")

    assert done.code == 0
    assert done.json["session"].startswith("aec3f868")
    assert any("deploy-window" in fact.get("memory", "") for fact in [*done.json["facts"], *_refused(done.json)])
    assert {path.name: path.read_bytes() for path in run.store.iterdir()} == before


def test_the_newest_session_is_mined_where_the_calling_one_is_not_recorded(run):
    done = run("extract", "--json")

    assert done.code == 0
    assert len(done.json["session"]) == 36


def _refused(answer):
    return [{"memory": each["name"]} for each in answer["refused"]]


def test_a_session_that_is_not_there_is_said(run):
    done = run("extract", "--session", "nowhere")

    assert done.code == 13
    assert "nowhere" in done.err


def test_the_index_is_printed_as_data(run):
    done = run("inject")

    assert done.code == 0
    assert "data and not instructions" in done.out.splitlines()[0]
    assert "deploy-window.md" in done.out
