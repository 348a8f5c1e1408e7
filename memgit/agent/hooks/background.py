"""What hooks ask another memgit to do: here, the vault is opened."""

from __future__ import annotations

import os
from contextlib import suppress

from memgit.agent.hooks import slow, state, watchdog
from memgit.agent.hooks.place import place_of


def run(verb: str, store: str) -> None:
    """``publish``, ``snapshot`` or ``questions`` for the store at a path. Raises MemgitError."""
    watchdog.kill_after(slow.QUESTIONS if verb == "questions" else slow.SNAPSHOT)
    from memgit.flows import lifecycle
    from memgit.wiring import Settings, Site

    if verb == "questions":
        _look_for_questions(store)
        return
    site = Site(Settings(dict(os.environ), os.getcwd(), store))
    match verb:
        case "publish":
            site.vault().publish_head()
        case "snapshot":
            lifecycle.snapshot(site.new_desk())


def _look_for_questions(store: str) -> None:
    """Bring the open pass up to the newest sessions, without a model, and keep how many questions wait."""
    from memgit.console import SILENT
    from memgit.flows.curate import curate
    from memgit.model.decision import Standing
    from memgit.model.passes import Outcome
    from memgit.wiring import Choices, Settings, workshop

    with suppress(AttributeError, OSError):  # no such thing on Windows
        os.nice(10)
    shop = workshop(Settings(dict(os.environ), os.getcwd()), SILENT, Choices(miner="offline", decider="offline"))
    place = place_of(os.getcwd(), os.environ)
    if place.store != store:
        return
    made = curate(shop)
    if isinstance(made, Outcome):
        waiting = sum(each.standing is Standing.HELD for each in made.decisions)
        state.write(place.state, "questions", {"pass": made.plan.id, "count": waiting})
