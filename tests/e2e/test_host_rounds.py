"""A host that comes back: it mends, confirms and withdraws by number, as long as no person has ruled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.test_host import ASSISTANT, FLAKE, Host, merge_retries, replace_window
from tests.e2e.test_scenarios import tree_of

LOSSY = merge_retries(result={**merge_retries()["result"], "body": "The retry cap is per request, three in total."})
UNSAID = replace_window(evidence=[{"session": FLAKE, "quote": ASSISTANT}])
MENDED = {"id": "M1", **{key: replace_window()[key] for key in ("evidence", "confirm")}}


@pytest.fixture
def host(render_scenario, memgit):
    """A host in the worked example; its first turn left a replace that a fact refuses and a merge that is doubted."""
    playing = Host(render_scenario("checkout-api"), memgit)
    playing.propose()
    playing.first = playing.decide(UNSAID, LOSSY).json
    return playing


def standings(passed: dict) -> list[tuple[str, str, str]]:
    return [(each["id"], each["kind"], each["standing"]) for each in passed["decisions"]]


def candidate(passed: dict) -> Path:
    return Path(passed["paths"]["candidate"])


def test_the_first_turn_says_what_stands_against_each(host):
    assert standings(host.first) == [("M1", "replace", "refused"), ("M2", "merge", "held")]


def test_what_is_mended_takes_its_place_and_the_rest_stays(host):
    passed = host.decide(MENDED).json
    assert standings(passed) == [("M1", "replace", "taken"), ("M2", "merge", "held")]
    assert "15 minutes" in (candidate(passed) / "deploy-window.md").read_text()
    assert (candidate(passed) / "retries-are-capped.md").exists()
    assert passed["paths"] == host.first["paths"]
    assert tree_of(host.scenario.store) == host.before


def test_what_is_confirmed_is_taken_and_shown_with_the_reason(host):
    passed = host.decide({"id": "M2", "confirm": "Both were read; what goes is said elsewhere."}).json
    assert standings(passed)[1] == ("M2", "merge", "taken")
    assert not (candidate(passed) / "retries-are-capped.md").exists()
    shown = host.run("show", host.id).out
    assert "Both were read; what goes is said elsewhere." in shown
    assert passed["decisions"][1]["confirmed"] == "Both were read; what goes is said elsewhere."


def test_no_confirmation_gets_past_a_fact(host):
    passed = host.decide({"id": "M1", "confirm": "I am sure."}).json
    assert standings(passed)[0] == ("M1", "replace", "refused")


def test_what_is_withdrawn_is_a_rejection_with_its_reason(host):
    passed = host.decide({"id": "M2", "withdraw": True, "justification": "They are two lessons."}).json
    assert standings(passed)[1][1] == "reject"
    assert passed["decisions"][1]["justification"] == "They are two lessons."


def test_what_has_no_number_is_added(host):
    passed = host.decide({"id": "M1", "withdraw": True}, replace_window()).json
    assert [kind for _, kind, _ in standings(passed)] == ["reject", "merge", "replace"]
    assert standings(passed)[2] == ("M3", "replace", "taken")


def test_a_turn_without_numbers_takes_the_place_of_all(host):
    passed = host.decide(replace_window()).json
    assert standings(passed) == [("M1", "replace", "taken")]


def test_a_number_that_there_is_not_is_named_and_nothing_changes(host):
    ran = host.decide({"id": "M9", "withdraw": True})
    assert ran.code == 15
    assert "M1 to M2" in ran.out
    assert standings(shown(host)) == standings(host.first)


def shown(host) -> dict:
    return host.run("show", host.id, "--json").json


def turn(host, option: str, *decisions):
    reply = {"schema": "memgit.decisions/1", "pass": host.id, "decisions": list(decisions)}
    return host.run("decide", host.id, "-", option, "--json", stdin=json.dumps(reply))


def test_a_check_says_what_would_come_of_it_and_keeps_nothing(host):
    before = tree_of(candidate(host.first))
    ran = turn(host, "--check", {"id": "M2", "confirm": "read both"})
    assert ran.code == 0, ran.err
    assert standings(ran.json)[1] == ("M2", "merge", "taken")
    assert standings(shown(host)) == standings(host.first)
    assert tree_of(candidate(host.first)) == before
    assert standings(host.decide({"id": "M2", "confirm": "read both"}).json)[1] == ("M2", "merge", "taken")


def test_the_last_word_is_the_last(host):
    assert turn(host, "--final", {"id": "M1", "withdraw": True}).code == 0
    again = host.decide({"id": "M2", "confirm": "read both"})
    assert again.code == 13
    assert "said its last word" in again.out


def test_saying_nothing_new_is_the_last_word(host):
    host.decide(UNSAID, LOSSY)
    assert host.decide({"id": "M2", "confirm": "read both"}).code == 13


def test_once_a_person_has_ruled_the_host_is_done(host):
    host.decide(MENDED)
    assert host.run("approve", host.id, "approve M1").code == 0
    ruled = tree_of(candidate(host.first))
    again = host.decide({"id": "M1", "withdraw": True})
    assert again.code == 13
    assert "person has answered" in again.out
    assert tree_of(candidate(host.first)) == ruled


def test_a_person_who_takes_the_ruling_back_lets_the_host_in_again(host):
    host.decide(MENDED)
    host.run("approve", host.id, "approve M1")
    assert host.run("undo").code == 0
    assert standings(host.decide({"id": "M1", "withdraw": True}).json)[0][1] == "reject"


@pytest.mark.parametrize("end", ["adopt", "discard"])
def test_a_pass_that_has_ended_takes_no_turn(host, end):
    host.decide(MENDED)
    assert host.run(end, host.id).code == 0
    assert host.decide({"id": "M1", "withdraw": True}).code == 13


def test_edits_by_hand_in_the_candidates_folder_are_not_lost(host):
    file = candidate(host.first) / "runbook-location.md"
    file.write_text(file.read_text() + "\nBy hand.\n")
    edited = tree_of(candidate(host.first))
    ran = host.decide({"id": "M2", "confirm": "read both"})
    assert ran.code == 13
    assert "was edited in" in ran.out
    assert tree_of(candidate(host.first)) == edited
    assert host.run("approve", host.id, "approve all").code == 0
    assert file.read_text().endswith("\nBy hand.\n")


def test_what_several_turns_came_to_is_adopted_and_undone(host):
    host.decide({"id": "M2", "confirm": "read both"})
    assert not (candidate(host.first) / "retries-are-capped.md").exists()
    assert host.run("adopt", host.id).code == 0
    assert not (host.scenario.store / "retries-are-capped.md").exists()
    assert host.run("undo").code == 0
    assert tree_of(host.scenario.store) == host.before


# --- what is held is a question to a person ---


def test_a_person_takes_a_question_by_its_name(host):
    assert host.run("approve", host.id, "approve M2").code == 0
    assert not (candidate(host.first) / "retries-are-capped.md").exists()
    assert shown(host)["decisions"][1]["state"] == "approved"


def test_all_leaves_questions_open_and_says_so(host):
    host.decide(MENDED)
    ran = host.run("approve", host.id, "approve all")
    assert ran.code == 0, ran.err
    assert "Approved: M1." in ran.out
    assert "M2" in ran.out
    assert (candidate(host.first) / "retries-are-capped.md").exists()


@pytest.mark.parametrize("how", [["--all"], []])
def test_adopting_all_takes_the_questions_that_were_approved_by_name_and_no_other(host, how):
    host.run("approve", host.id, "approve M2")
    assert host.run("adopt", host.id, *how).code == 0
    assert not (host.scenario.store / "retries-are-capped.md").exists()


def test_adopting_all_leaves_an_open_question(host):
    host.decide(MENDED)
    assert host.run("adopt", host.id, "--all").code == 0
    assert (host.scenario.store / "retries-are-capped.md").exists()
    assert "15 minutes" in (host.scenario.store / "deploy-window.md").read_text()


def test_what_a_fact_refuses_cannot_be_approved(host):
    ran = host.run("approve", host.id, "approve M1")
    assert ran.code == 15
    assert "M1" in ran.err


def test_of_two_changes_of_one_memory_a_person_takes_one(host):
    passed = host.decide(LOSSY, merge_retries(memories=["retry-budget", "deploy-window"])).json
    assert standings(passed) == [("M1", "merge", "held"), ("M2", "merge", "held")]
    before = tree_of(candidate(host.first))
    ran = host.run("approve", host.id, "approve M1, M2")
    assert ran.code == 15
    assert tree_of(candidate(host.first)) == before


def test_a_changed_store_makes_a_later_turn_unsafe(host):
    (host.scenario.store / "new.md").write_text("---\nname: new\ndescription: new\n---\n\nNew.\n")
    passed = host.decide({"id": "M2", "confirm": "read both"}).json
    assert passed["state"] == "unsafe"
