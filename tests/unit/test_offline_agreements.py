"""What the assistant proposed and the user said yes to: a new name for what a memory holds, never more than that."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind, Said
from tests.unit.offline_world import OTHERS, changes, memory, session

STORE = (
    *(memory(name, *claim) for name, claim in OTHERS.items()),
    memory("alarm-recipient", "Surge alarms page the harbour-desk rotation", "Surge alarms page the `harbour-desk` rotation, day and night."),
    memory("stage-host", "The staging database is on db-stage-2", "Staging's Postgres runs on `db-stage-2`. The replica lags."),
)  # fmt: skip
PROPOSED = "surge alarms page the `duty-officer` rotation directly instead of `harbour-desk`."
PROPOSAL = f"A: They get 31 pages a month. I suggest that {PROPOSED}"


@pytest.mark.parametrize("answer", ["yes, do that", "ok, sounds good", "agreed, go ahead please"])
def test_a_proposal_that_is_plainly_agreed_to_is_what_holds(answer: str) -> None:
    (change,) = changes(STORE, session("the desk complains about night pages", PROPOSAL, answer))
    assert (change.kind, change.memories) == (Kind.REPLACE, ("alarm-recipient",))
    assert change.drafts[0].body == "Surge alarms page the `duty-officer` rotation, day and night."
    assert [one.quote for one in change.evidence if isinstance(one, Said)] == [PROPOSED]


@pytest.mark.parametrize(
    ("proposal", "answer"),
    [
        (PROPOSAL, "maybe"),
        (PROPOSAL, "yes, but only for tonight"),
        (PROPOSAL, "no"),
        (PROPOSAL, "ok, I'll ask them"),
        (PROPOSAL.replace("I suggest that", "I could imagine that"), "yes"),
        (PROPOSAL.replace("I suggest that", "Should I see to it that"), "yes"),
        (f"{PROPOSAL} Or I suggest that somebody mutes them.", "yes"),
        (f"{PROPOSAL} Shall I send the summary, too?", "yes"),
        (f"A: I suggest that somebody mutes them. {PROPOSAL.removeprefix('A: ')}", "yes"),
        ("A: I suggest that for this test the surge alarms page the `dummy-desk` rotation instead of `harbour-desk`.", "yes"),
        ("A: I suggest that the query runs on `db-prod-1` instead of `db-stage-2`.", "yes, do that"),
        ("A: I suggest that the script prints `duty-officer` instead of `harbour-desk`.", "yes, do that"),
        ("A: I suggest that surge alarms page the `duty-officer` rotation as well.", "yes, do that"),
    ],
)  # fmt: skip
def test_what_was_not_proposed_for_good_or_not_agreed_to_changes_nothing(proposal: str, answer: str) -> None:
    assert changes(STORE, session("the desk complains about night pages", proposal, answer)) == []
