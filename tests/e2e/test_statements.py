"""What the hook at a turn's end is told of a session: read by another memgit, whether it may hold a memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgit.agent.hooks.place import place_of_store
from memgit.agent.hooks.state import session_name
from tests.e2e.test_host import INCIDENT, UNKNOWN


@pytest.fixture
def look(render_scenario, memgit):
    """Reads one session as the hook has it done; the statements found, None where nothing was kept."""
    scenario = render_scenario("checkout-api")

    def run(session: str) -> list[str] | None:
        store = os.path.realpath(scenario.store)
        here = {"cwd": scenario.project, "env": scenario.env}
        assert memgit("hook", "statements", "--store", store, "--session", session, **here).code == 0
        kept = Path(place_of_store(store, scenario.env).state) / f"{session_name(session)}.statements.json"
        return json.loads(kept.read_text())["found"] if kept.exists() else None

    return run


def test_a_session_in_which_something_was_settled_holds_statements_and_the_same_ones_again(look) -> None:
    found = look(INCIDENT)

    assert found
    assert look(INCIDENT) == found


def test_of_a_session_that_is_not_there_nothing_is_kept(look) -> None:
    assert look(UNKNOWN) is None
