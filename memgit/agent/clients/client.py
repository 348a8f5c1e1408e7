"""What memgit asks of a client of agents. Each client is one module beside this one; nothing else names any.

Standard library only and without `pathlib`, `dataclasses` or `typing`: hooks ask, and their start is measured in
milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

Found = tuple[str, str, str | None]
"""A path, the rule that leads to it, and why it needs the user's word."""

Further = tuple[str, str, str]
"""A path, whose store it is, and its shape (empty where only looking tells)."""

Fields = Mapping[str, object]
"""An event as a client hands it to a hook."""


class Setup:
    """One client as it is set up in one folder: where it keeps memories and sessions, and whether it uses them.

    ``folder`` is the client's own; ``sessions`` holds the records of its sessions, ``skills`` the user's skills.
    """

    folder = ""
    sessions = ""
    skills = ""

    def __init__(self, cwd: str, env: Mapping[str, str], home: str) -> None:
        self.cwd = cwd
        self.env = env
        self.home = home
        self.skills = os.path.join(home, ".agents", "skills")

    def stores(self, owner: str, common: str | None) -> Iterator[Found]:  # noqa: ARG002 - a client without memories
        """Where it keeps the memories of the project at ``owner``, by each rule that applies, the strongest first.
        ``common`` is the project's git directory, None outside of git."""
        yield from ()

    def further(self, root: str) -> Iterator[Further]:  # noqa: ARG002
        """Stores that it keeps beside that one, of a project and of the user."""
        yield from ()

    @property
    def off(self) -> str:
        """What keeps it from using memories by itself; empty where nothing does."""
        return ""

    @property
    def retention(self) -> tuple[int, bool] | None:
        """After how many days it deletes the records of sessions, and whether the user chose that; None for never."""
        return None

    @property
    def model(self) -> str:
        """The model that the user chose for it; empty where nothing does."""
        return ""


class Hook:
    """One event at which a client runs memgit: its own name of the event, memgit's verb, the seconds that it is told to
    wait, and which cases of the event are meant."""

    __slots__ = ("event", "matcher", "seconds", "verb")

    def __init__(self, event: str, verb: str, seconds: int = 5, matcher: str = "") -> None:
        self.event = event
        self.verb = verb
        self.seconds = seconds
        self.matcher = matcher


class Answer:
    """What a hook has to say, in nobody's format: ``kind`` is one of those below."""

    __slots__ = ("kind", "model", "user")

    def __init__(self, kind: str, model: str = "", user: str = "") -> None:
        self.kind = kind
        self.model = model
        self.user = user


TELL = "tell"
"""At a session's start: ``model`` is for the model, ``user`` for the user."""
ADD = "add"
"""With a prompt: ``model`` is for the model."""
HOLD = "hold"
"""A prompt is held back; ``user`` says why."""
GO_ON = "go on"
"""At a turn's end: ``model`` asks for one more."""
SHOW = "show"
"""``user`` is for the user alone."""


class Client:
    """One client. ``name`` is what memgit's options call it, ``title`` what its makers do, ``marks`` the variables that
    it sets for what its model runs (``session_mark`` names the session), ``hooks`` where it runs memgit, ``file`` the
    settings below its folder that hold them (``head`` is what such a file begins with, ``plugin`` a file beside this
    module that is written instead). ``keeps`` says whether it has memories that memgit can look after,
    ``writes_alone`` whether they are written by an agent of its own, so that sessions need no reminder,
    ``instructions`` which files of a project it reads."""

    name = ""
    title = ""
    marks: tuple[str, ...] = ()
    session_mark = ""
    hooks: tuple[Hook, ...] = ()
    file = ""
    head: Mapping[str, object] = {}
    keeps = False
    writes_alone = False
    plugin = ""
    instructions: tuple[str, ...] = ()

    def setup(self, cwd: str, env: Mapping[str, str], home: str) -> Setup:
        """How it is set up in a folder."""
        return Setup(cwd, env, home)

    def is_host(self, fields: Fields, env: Mapping[str, str], home: str) -> bool:  # noqa: ARG002
        """Whether an event came from it, by what only it says: several clients read the hooks of others."""
        return False

    def is_attended(self, fields: Fields, env: Mapping[str, str]) -> bool:  # noqa: ARG002
        """Whether a person sees what a session answers; false where a program runs it."""
        return True

    def read(self, fields: Fields) -> Fields:
        """An event in the names that all hooks go by."""
        return fields

    def worded(self, event: str, answer: Answer) -> Mapping[str, object] | None:
        """An answer to an event, as the client takes it; None where it takes none of the kind."""
        context = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": answer.model}}
        match answer.kind:
            case "tell":
                return {"systemMessage": answer.user, **context}
            case "hold":
                return {"decision": "block", "reason": answer.user}
            case "go on":
                return {"decision": "block", "reason": answer.model}
            case "show":
                return {"systemMessage": answer.user}
            case _:
                return context

    def line(self, hook: Hook, command: str) -> Mapping[str, object]:
        """What stands in its settings for one hook, below the event's name."""
        line = {"type": "command", "command": command, "timeout": hook.seconds}
        return {**({"matcher": hook.matcher} if hook.matcher else {}), "hooks": [line]}
