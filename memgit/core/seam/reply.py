"""A JSON reply of a model, read so that every breach of its contract names the field and the remedy."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from memgit.errors import BadReply
from memgit.evidence.findings import whole

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(?P<inside>.*?)\n\s*\1\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of the reply and the path that leads to it, like ``candidates[3].evidence[0].quote``."""

    value: Any
    path: str = ""

    def breach(self, problem: str, remedy: str) -> BadReply:
        """The error for this field: what is wrong, and what to send instead."""
        return BadReply(f"{self.path or 'the reply'} {problem}.", remedy)

    def __getitem__(self, name: str) -> Field:
        """A required member of an object."""
        found = self.get(name)
        if found is None:
            raise self._member(name).breach("is missing", f'Give "{name}" in every such object.')
        return found

    def get(self, name: str) -> Field | None:
        """A member of an object, None where it is absent or null. Members that nobody asks for are ignored."""
        if not isinstance(self.value, dict):
            raise self.breach(f"is {_named(self.value)}, not an object", "Send an object {…} here.")
        value = self.value.get(name)
        return None if value is None else Field(value, self._member(name).path)

    def items(self) -> list[Field]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            raise self.breach(f"is {_named(self.value)}, not a list", "Send a list […] here, even for one entry.")
        return [Field(value, f"{self.path}[{number}]") for number, value in enumerate(self.value)]

    def text(self) -> str:
        """A text that says something; lone surrogates are replaced."""
        if not isinstance(self.value, str):
            raise self.breach(f"is {_named(self.value)}, not a text", "Send a text in quotes here.")
        if not self.value.strip():
            raise self.breach("is empty", "Write it out, or leave the whole entry away.")
        return whole(self.value)

    def number(self) -> int:
        """A whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.breach(f"is {_named(self.value)}, not a whole number", "Send a number like 1 here.")
        return self.value

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list member, nothing where it is absent."""
        found = self.get(name)
        return tuple(entry.text() for entry in found.items()) if found else ()

    def text_of(self, name: str, default: str = "") -> str:
        """The text of a member, ``default`` where it is absent or empty."""
        found = self.get(name)
        return default if found is None or found.value == "" else found.text()

    def _member(self, name: str) -> Field:
        return Field(None, f"{self.path}.{name}" if self.path else name)


def read_reply(data: bytes | str) -> Field:
    """The reply's JSON value. A byte order mark and a Markdown fence around it are tolerated, nothing else."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff").strip()
    if fenced := _FENCE.match(text):
        text = fenced["inside"]
    try:
        return Field(json.loads(text))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadReply(
            f"The reply is no JSON: {error.msg} at {where}.", "Send one JSON object and nothing else."
        ) from None
    except (RecursionError, ValueError):
        raise BadReply("The reply is nested too deeply or holds a number too long.", "Send the plain object.") from None


def _named(value: object) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "null")
