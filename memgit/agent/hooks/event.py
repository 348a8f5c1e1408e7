"""What the client tells a hook: one JSON object on standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

MOST = 8 * 1024 * 1024
"""Bytes of an event that are read: a tool's input is part of it."""


class Event:
    """One event. A field that is missing or of another type reads as empty."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """A field that is a string."""
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        """A field that is true."""
        return self._fields.get(name) is True

    def inner(self, name: str) -> Event:
        """A field that is an object itself."""
        value = self._fields.get(name)
        return Event(value if isinstance(value, dict) else {})

    @property
    def session(self) -> str:
        return self.text("session_id")


def read_fields() -> Mapping[str, object]:
    """The event on standard input, as its client names things. Raises ValueError for what is none."""
    fields = json.loads(sys.stdin.buffer.read(MOST))
    if not isinstance(fields, dict):
        raise ValueError("the event is no JSON object")
    return fields
