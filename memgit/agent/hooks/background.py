"""What hooks ask another memgit to do: here, the vault is opened."""

from __future__ import annotations

import os
from contextlib import suppress

from memgit.agent.hooks import slow, state, watchdog
from memgit.agent.hooks.place import place_of

TYPE_CHECKING = False  # what `typing` gives, without importing it
if TYPE_CHECKING:
    from memgit.wiring import Site


def run(verb: str, store: str, session: str = "") -> None:
    """``publish``, ``snapshot``, ``questions`` or ``statements`` (of a session) for the store at a path. Raises
    MemgitError."""
    is_reading = verb in ("questions", "statements")
    watchdog.kill_after(slow.QUESTIONS if is_reading else slow.SNAPSHOT)
    if is_reading:
        with suppress(AttributeError, OSError):  # no such thing on Windows
            os.nice(10)
    match verb:
        case "publish":
            _site(store).vault().publish_head()
        case "snapshot":
            from memgit.flows import observe

            observe.snapshot(_site(store).new_desk())
        case "questions":
            _look_for_questions(store)
        case "statements":
            _look_for_statements(store, session)


def _site(store: str) -> Site:
    from memgit.wiring import Settings, Site

    return Site(Settings(dict(os.environ), os.getcwd(), store))


def _look_for_statements(store: str, session: str) -> None:
    """Keep which statements of a session may be worth a memory, by the marks of their texts."""
    from memgit.agent.hooks.nudge import statements_name
    from memgit.agent.hooks.place import place_of_store
    from memgit.agent.hooks.spool import digest
    from memgit.console.terminal import SILENT
    from memgit.flows.extract import mine_session
    from memgit.model.fact import Act
    from memgit.wiring import Choices, Settings, workshop

    settings = Settings(dict(os.environ), os.getcwd(), store)
    shop = workshop(settings, SILENT, Choices(miner="offline", decider="offline"))
    placed = mine_session(shop, session).extracted.placed
    found = [digest(each.fact.body.encode("utf-8", "replace"))[:16] for each in placed if each.act is not Act.UNCHANGED]
    folder = place_of_store(store, os.environ).state
    state.write(folder, statements_name(state.session_name(session)), {"found": found})


def _look_for_questions(store: str) -> None:
    """Bring the open pass up to the newest sessions, without a model, and keep how many questions wait."""
    from memgit.console.terminal import SILENT
    from memgit.flows.curate import curate
    from memgit.model.decision import Standing
    from memgit.model.history import PassKind
    from memgit.model.passes import Outcome
    from memgit.wiring import Choices, Settings, workshop

    shop = workshop(Settings(dict(os.environ), os.getcwd()), SILENT, Choices(miner="offline", decider="offline"))
    place = place_of(os.getcwd(), os.environ)
    if place.store != store or shop.book.has_touched(PassKind.CURATE):
        return
    made = curate(shop)
    if isinstance(made, Outcome):
        waiting = sum(each.standing is Standing.HELD for each in made.decisions)
        state.write(place.state, "questions", {"pass": made.plan.id, "count": waiting})
