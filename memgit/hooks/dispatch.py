"""``memgit hook EVENT``: one event in, at most one JSON object out, and never in the way of a session.

Whatever goes wrong here, the hook ends with code 0 and says nothing: an exit code of 2 would block the client.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

from memgit.hooks import watchdog
from memgit.hooks.event import EVENTS, Event, read_event
from memgit.hooks.place import Place, home_of, place_of

OPTIONS: Mapping[str, tuple[str, str]] = {
    "--guard": ("MEMGIT_GUARD", "off"),
    "--nudge": ("MEMGIT_NUDGE", "block"),
    "--every": ("MEMGIT_NUDGE_EVERY", "3"),
    "--questions": ("MEMGIT_QUESTIONS", "on"),
    "--via": ("", "settings"),
    "--store": ("", ""),
}
"""Each option with the variable that stands in for it and its default."""

Options = Mapping[str, str]


def main(arguments: Sequence[str]) -> int:
    """Run one hook; the exit code is 0 whatever happens, and 1 for a hook that does not exist."""
    if arguments[0] not in _HANDLERS and arguments[0] not in _INNER:
        sys.stderr.write(f"memgit: there is no hook {arguments[0]!r}. Choose {', '.join(EVENTS)}.\n")
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
    from memgit.hooks.configured import wished

    return wished(env)


def _run(verb: str, options: Options) -> Mapping[str, object] | None:
    if verb in _INNER:
        _for_a_hook(verb, options)
        return None
    event = read_event()
    if options["via"] == "plugin" and _is_installed(verb):
        return None  # the user's settings run the same hook
    place = place_of(event.text("cwd") or os.getcwd(), os.environ)
    return _HANDLERS[verb](event, place, options)


_INNER = ("publish", "snapshot", "questions")


def _for_a_hook(verb: str, options: Options) -> None:
    """What another hook asked a memgit of its own to do."""
    from memgit.hooks import background

    background.run(verb, options["store"])


def _is_installed(verb: str) -> bool:
    """Whether the user's own settings run this hook too, by a memgit that is there."""
    from memgit.hooks.own_lines import runs
    from memgit.hooks.published import read_json
    from memgit.stores.rules import config_dir

    settings = os.path.join(config_dir(os.environ, home_of(os.environ)), "settings.json")
    return runs(read_json(settings), EVENTS[verb], verb)


# --- one handler an event; each imports only what it needs ---


def _session_start(event: Event, place: Place, _: Options) -> Mapping[str, object] | None:
    from memgit.hooks.session_start import OUT_OF_TIME, session_start

    watchdog.last_words(_printed(OUT_OF_TIME))
    return session_start(event, place)


def _user_prompt_submit(event: Event, place: Place, options: Options) -> Mapping[str, object] | None:
    from memgit.hooks import nudge, session_start

    if options["guard"] == "strict" and not place.doubt and (held := session_start.guard(place)):
        return held
    return nudge.pending(event, place) if options["nudge"] == "context" else None


def _post_tool_use(event: Event, place: Place, _: Options) -> None:
    from memgit.hooks.recorder import post_tool_use

    post_tool_use(event, place)


def _stop(event: Event, place: Place, options: Options) -> Mapping[str, object] | None:
    from memgit.hooks.nudge import EVERY, stop

    every = int(options["every"]) if options["every"].isdecimal() else 0
    return stop(event, place, options["nudge"], every or EVERY)


def _snapshot(event: Event, place: Place, _: Options) -> None:
    from memgit.hooks.recorder import snapshot

    snapshot(event, place)


def _session_end(event: Event, place: Place, options: Options) -> None:
    _snapshot(event, place, options)
    if options["questions"] == "on":
        from memgit.hooks.questions import look

        look(event, place)


_HANDLERS = {
    "session-start": _session_start,
    "user-prompt-submit": _user_prompt_submit,
    "post-tool-use": _post_tool_use,
    "stop": _stop,
    "session-end": _session_end,
    "pre-compact": _snapshot,
}
