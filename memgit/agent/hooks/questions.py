"""Questions that wait for a person: looked for when a session ends, and told when one starts, at most once a day."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import strftime

from memgit.agent.hooks import published, slow, state
from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import Place

_STATE = "questions"


def look(event: Event, place: Place) -> None:
    """Have the sessions read that ended since, where a person has made a pass before: nobody else asked for any."""
    if place.doubt or not place.has_vault:
        return
    head = published.read_head(place)
    folder = event.text("cwd") or os.getcwd()
    if head and head.last_pass and os.path.isdir(folder):
        slow.look_for_questions(place, folder)


def waiting(place: Place) -> Iterator[str]:
    """One sentence where questions wait that nobody has begun to answer; none if today's was said."""
    known = state.read(place.state, _STATE)
    today = strftime("%Y-%m-%d")
    count = known.get("count")
    if not isinstance(count, int) or count < 1 or known.get("told") == today:
        return
    head = published.read_head(place)
    if head is None or head.last_pass != known.get("pass") or head.did != "pass":
        return
    state.write(place.state, _STATE, {**known, "told": today})
    questions = "1 question" if count == 1 else f"{count} questions"
    yield (
        f"{questions} about what this project's sessions taught wait for the user: the skill `review-memory` asks them "
        "one by one, as `memgit review` does at a terminal."
    )
