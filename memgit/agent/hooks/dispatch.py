"""``memgit hook EVENT``: one event in, at most one JSON object out, and never in the way of a session.

Whatever goes wrong here, the hook ends with code 0 and says nothing: an exit code of 2 would block the client.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

from memgit.agent.clients import client_named, host_of, main_client
from memgit.agent.clients.client import Answer, Client, Fields
from memgit.agent.hooks import watchdog
from memgit.agent.hooks.event import Event, read_fields
from memgit.agent.hooks.place import Place, home_of, place_of

OPTIONS: Mapping[str, tuple[str, str]] = {
    "--guard": ("MEMGIT_GUARD", "off"),
    "--nudge": ("MEMGIT_NUDGE", "found"),
    "--every": ("MEMGIT_NUDGE_EVERY", "3"),
    "--questions": ("MEMGIT_QUESTIONS", "on"),
    "--via": ("", "settings"),
    "--for": ("", ""),
    "--store": ("", ""),
    "--session": ("", ""),
}
"""Each option with the variable that stands in for it and its default."""

Options = Mapping[str, str]


def main(arguments: Sequence[str]) -> int:
    """Run one hook; the exit code is 0 whatever happens, and 1 for a hook that does not exist."""
    if arguments[0] not in _HANDLERS and arguments[0] not in _INNER:
        sys.stderr.write(f"memgit: there is no hook {arguments[0]!r}. Choose {', '.join(_HANDLERS)}.\n")
        return 1  # not 2, which would block the client
    watchdog.limit(watchdog.QUICK)
    try:
        answer = _run(arguments[0], _options(arguments, os.environ))
        watchdog.last_words(b"")
        if answer:
            os.write(1, _printed(answer))
    except Exception:
        if os.environ.get("MEMGIT_DEBUG"):
            raise
    return 0


def _printed(answer: Mapping[str, object]) -> bytes:
    return json.dumps(answer).encode("ascii") + b"\n"


def _options(arguments: Sequence[str], env: Mapping[str, str]) -> Options:
    given = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    configured = _configured(env) if arguments[0] in _CHOOSING else {}
    return {
        (word := name.removeprefix("--")): given.get(name) or env.get(variable, "") or configured.get(word) or default
        for name, (variable, default) in OPTIONS.items()
    }


_CHOOSING = ("user-prompt-submit", "stop", "session-end")
"""The verbs for which there is something to choose; the others do not look for a file of settings."""


def _configured(env: Mapping[str, str]) -> Options:
    from memgit.agent.hooks.configured import wished

    return wished(env)


def _run(verb: str, options: Options) -> Mapping[str, object] | None:
    if verb in _INNER:
        _for_a_hook(verb, options)
        return None
    fields = read_fields()
    client = client_named(options["for"]) if options["for"] else host_of(fields, os.environ, home_of(os.environ))
    if not options["for"] and _is_installed(client, verb, options["via"]):
        return None  # the client's own settings run the same hook
    event = Event(client.read(fields))
    place = place_of(event.text("cwd") or os.getcwd(), os.environ, client)
    turn = Turn(client, fields, verb, options)
    answer = _HANDLERS[verb](event, place, turn)
    return turn.worded(answer) if answer else None


class Turn:
    """One event's client, and what is chosen for it."""

    __slots__ = ("_fields", "_verb", "client", "options")

    def __init__(self, client: Client, fields: Fields, verb: str, options: Options) -> None:
        self.client = client
        self.options = options
        self._fields = fields
        self._verb = verb

    @property
    def is_attended(self) -> bool:
        """Whether a person sees what comes of it."""
        return self.client.is_attended(self._fields, os.environ)

    def worded(self, answer: Answer) -> Mapping[str, object] | None:
        """An answer as the client takes it."""
        named = self._fields.get("hook_event_name")
        known = next((hook.event for hook in self.client.hooks if hook.verb == self._verb), "")
        return self.client.worded(named if isinstance(named, str) and named else known, answer)


_INNER = ("publish", "snapshot", "questions", "statements")


def _for_a_hook(verb: str, options: Options) -> None:
    """What another hook asked a memgit of its own to do."""
    from memgit.agent.hooks import background

    background.run(verb, options["store"], options["session"])


def _is_installed(client: Client, verb: str, via: str) -> bool:
    """Whether a client's own settings run this hook too, by a memgit that is there: several clients run plugins and
    settings of others."""
    if via == "settings" and client is main_client():
        return False  # this is that line
    from memgit.agent.hooks.own_lines import runs
    from memgit.agent.hooks.published import read_json

    settings = os.path.join(client.setup(os.getcwd(), os.environ, home_of(os.environ)).folder, client.file)
    return runs(read_json(settings), verb)


# --- one handler an event; each imports only what it needs ---


def _session_start(event: Event, place: Place, turn: Turn) -> Answer | None:
    if place.setup.off:
        return None
    from memgit.agent.hooks.session_start import OUT_OF_TIME, session_start

    if words := turn.worded(OUT_OF_TIME):
        watchdog.last_words(_printed(words))
    return session_start(event, place)


def _user_prompt_submit(event: Event, place: Place, turn: Turn) -> Answer | None:
    if place.setup.off:
        return None
    from memgit.agent.hooks import nudge, session_start

    if turn.options["guard"] == "strict" and not place.doubt and (held := session_start.guard(place)):
        return held
    return nudge.pending(event, place) if turn.options["nudge"] == "context" else None


def _pre_tool_use(event: Event, place: Place, _: Turn) -> None:
    from memgit.agent.hooks.recorder import before_command

    before_command(event, place)


def _post_tool_use(event: Event, place: Place, _: Turn) -> None:
    from memgit.agent.hooks.recorder import post_tool_use

    post_tool_use(event, place)


def _stop(event: Event, place: Place, turn: Turn) -> Answer | None:
    if turn.options["nudge"] == "off" or turn.client.writes_alone or place.doubt or place.setup.off:
        return None
    if not turn.is_attended:
        return None  # a program reads what the session answers
    from memgit.agent.hooks.nudge import EVERY, stop

    every = turn.options["every"]
    return stop(event, place, turn.options["nudge"], (int(every) if every.isdecimal() else 0) or EVERY)


def _snapshot(event: Event, place: Place, _: Turn) -> None:
    from memgit.agent.hooks.recorder import snapshot

    snapshot(event, place)


def _session_end(event: Event, place: Place, turn: Turn) -> None:
    _snapshot(event, place, turn)
    if turn.options["questions"] == "on" and not place.setup.off:
        from memgit.agent.hooks.questions import look

        look(event, place)


_HANDLERS = {
    "session-start": _session_start,
    "user-prompt-submit": _user_prompt_submit,
    "pre-tool-use": _pre_tool_use,
    "post-tool-use": _post_tool_use,
    "stop": _stop,
    "session-end": _session_end,
    "pre-compact": _snapshot,
}
