"""Rows of a table as text, without loss: SQLite keeps whole numbers, reals, texts, bytes and nulls in any column."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping

Value = int | float | str | bytes | None
"""One value. Bytes of a text that are not UTF-8 are lone surrogates."""

Row = Mapping[str, Value]
"""The values by column, in the table's order. ``rowid`` is among them where no column stands for it."""


def spelled(value: Value) -> str:
    """A value as JSON in ASCII on one line; what JSON has no word for is an object that says which kind it is."""
    match value:
        case bytes():
            return json.dumps({"blob": value.hex()})
        case float() if not math.isfinite(value):
            return json.dumps({"real": repr(value)})
        case _:
            return json.dumps(value)


def value_of(text: str) -> Value:
    """Read a value back. Raises ValueError for what ``spelled`` never writes."""
    return _plain(json.loads(text))


def _plain(found: object) -> Value:
    match found:
        case {"blob": str(digits)}:
            return bytes.fromhex(digits)
        case {"real": str(digits)}:
            return float(digits)
        case bool() | dict() | list():
            raise ValueError(f"{found!r} is no value of a row")
        case int() | float() | str() | None:
            return found
        case _:
            raise ValueError(f"{found!r} is no value of a row")


def line(row: Row) -> bytes:
    """A row as one line of JSON."""
    inside = ", ".join(f"{json.dumps(name)}: {spelled(value)}" for name, value in row.items())
    return f"{{{inside}}}\n".encode()


def rows(data: bytes) -> Iterator[dict[str, Value]]:
    """The rows of lines that ``line`` wrote. Raises ValueError for others."""
    for each in data.decode("ascii").splitlines():
        found = json.loads(each)
        if not isinstance(found, dict):
            raise ValueError("a line is no row")
        yield {name: _plain(value) for name, value in found.items()}


def lines(found: Iterable[Row]) -> bytes:
    return b"".join(map(line, found))
