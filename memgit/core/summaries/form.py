"""The normal form of a database of summaries: what a vault keeps of it, and what is shown and compared.

Each live summary is a memory of its own, ``<group>/<id>.md``: its other columns stand in the frontmatter and its text
follows byte for byte. A summary that another one supersedes is a file of the same form under ``superseded/``, out of
the sight of passes. Vectors are packed by neighbours under ``embeddings/``, edges are lines under ``edges/``, and
``summaries.json`` names the columns that the tables have. Events are not in it: nothing of memgit's ever changes them.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256

from memgit.memory.frontmatter import split
from memgit.model.store import StoreContent, StoreFile
from memgit.model.times import time_of_seconds, time_of_text

# --- rows ---
# Rows of a table as text, without loss: SQLite keeps whole numbers, reals, texts, bytes and nulls in any column.

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


SUMMARIES, EMBEDDINGS, SUPERSEDES, PROVENANCE = (
    "summaries",
    "summary_embeddings",
    "summary_supersedes",
    "provenance_edges",
)
"""The tables that are looked at. Only the first must be there."""

TABLES_FILE = "summaries.json"
SUPERSEDED = "superseded/"
EDGE_FILES = {SUPERSEDES: "edges/supersedes.jsonl", PROVENANCE: "edges/provenance.jsonl"}
_VECTORS = "embeddings/"

_TOGETHER, _PACKED = 1000, 250
"""Summaries of one folder, and vectors of one file: so that a change writes little anew."""

Columns = Mapping[str, tuple[str, ...]]
"""The columns of each table that is there, in their order."""


def is_summaries(content: StoreContent) -> bool:
    """Whether a store is a database of summaries."""
    return not content.indexed and TABLES_FILE in content.files


def text_files(content: StoreContent) -> Iterator[StoreFile]:
    """The files that hold text: all of them, but for the packed vectors of a database."""
    packed = is_summaries(content)
    return (file for path, file in content.files.items() if not (packed and is_vectors(path)))


def tables_file(columns: Columns, keys: Columns) -> StoreFile:
    """The file that names the columns of each table, and those by which its rows are told apart and ordered."""
    facts = {"form": "memgit.summaries/1", "tables": columns, "keys": keys}
    return StoreFile(TABLES_FILE, f"{json.dumps(facts)}\n".encode())


def columns_of(content: StoreContent) -> Columns:
    """The tables with their columns. Raises ValueError where the file that names them cannot be read."""
    return _listed(content, "tables")


def keys_of(content: StoreContent) -> Columns:
    """The tables with the columns that tell their rows apart. Raises ValueError as ``columns_of`` does."""
    return _listed(content, "keys")


def _listed(content: StoreContent, what: str) -> Columns:
    try:
        found = json.loads(content.files[TABLES_FILE].data)[what]
        return {str(name): tuple(map(str, each)) for name, each in found.items()}
    except (KeyError, TypeError, AttributeError) as fault:
        raise ValueError(f"{TABLES_FILE} does not name the tables") from fault


def in_order(found: Iterable[Row], keys: Iterable[str]) -> list[Row]:
    """Rows as the database orders them by their keys: nothing, numbers, texts, bytes."""
    names = tuple(keys)
    return sorted(found, key=lambda row: tuple(_rank(row.get(name)) for name in names))


def _rank(value: Value) -> tuple[int, float, bytes]:
    match value:
        case None:
            return 0, 0, b""
        case int() | float():
            return 1, value, b""
        case str():
            return 2, 0, value.encode("utf-8", "surrogateescape")
        case bytes():
            return 3, 0, value


# --- summaries ---


def summary_file(row: Row, *, superseded: bool = False) -> StoreFile:
    """A summary as a file. Its time is that of the row."""
    moment = time_of(row.get("ts"))
    text = row.get("text")
    head = [f"name: summary-{_name(row['id'])}"]
    head += [f"modified: {moment.isoformat(timespec='milliseconds')}"] if moment else []
    head += ["pinned: true"] if is_pinned(row) else []
    head += ["row:", *(f"  {key}: {spelled(value)}" for key, value in row.items() if not _is_body(key, value))]
    body = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else b""
    data = "\n".join(("---", *head, "---", "")).encode() + body
    time_ns = int(moment.timestamp() * 1000) * 1_000_000 if moment else 0
    return StoreFile(path_of(row["id"], superseded=superseded), data, mtime_ns=time_ns)


def _is_body(key: str, value: Value) -> bool:
    return key == "text" and isinstance(value, str)


def is_pinned(row: Row) -> bool:
    return row.get("pinned_at") is not None or bool(row.get("pinned"))


def row_of(file: StoreFile) -> dict[str, Value]:
    """The row that a file stands for. Raises ValueError naming what is amiss."""
    parts = split(file.data)
    found: dict[str, Value] = {}
    for each in parts.block.decode("utf-8", "surrogateescape").partition("row:\n")[2].splitlines():
        key, colon, value = each.strip().partition(": ")
        if not colon:
            raise ValueError(f"the line {each!r} is no column")
        found[key] = value_of(value)
    if "id" not in found:
        raise ValueError("it names no row")
    if parts.body or "text" not in found:
        found["text"] = parts.body.decode("utf-8", "surrogateescape")
    return found


def path_of(key: Value, *, superseded: bool = False) -> str:
    """Where a summary lies: numbers by thousands, other ids by their hash."""
    group = f"{key // _TOGETHER:03}" if isinstance(key, int) else _hash(key)[:2]
    return f"{SUPERSEDED}{group}/{_name(key)}.summary" if superseded else f"{group}/{_name(key)}.md"


def is_summary(path: str) -> bool:
    return path.endswith((".md", ".summary"))


_PLAIN = re.compile(r"(?!-?\d+\Z)[A-Za-z0-9_][A-Za-z0-9_-]{0,79}")


def _name(key: Value) -> str:
    if isinstance(key, int):
        return str(key)
    return key if isinstance(key, str) and _PLAIN.fullmatch(key) else f"id-{_hash(key)[:24]}"


def _hash(key: Value) -> str:
    return sha256(spelled(key).encode()).hexdigest()


_MILLISECONDS = 100_000_000_000
"""A number beyond this counts milliseconds; as seconds it would be a time after the year 5000."""


def time_of(ts: Value) -> datetime | None:
    """The moment that a row's ``ts`` names: seconds or milliseconds since 1970, or ISO 8601."""
    match ts:
        case int() | float():
            return time_of_seconds(ts / 1000 if abs(ts) >= _MILLISECONDS else ts)
        case str():
            return time_of_text(ts)
        case _:
            return None


def like_time(ts: Value, time_ns: int) -> Value:
    """A moment in the unit that a row's ``ts`` has."""
    match ts:
        case str():
            return datetime.fromtimestamp(time_ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case int() | float() if abs(ts) < _MILLISECONDS:
            return time_ns // 1_000_000_000
        case _:
            return time_ns // 1_000_000


# --- vectors ---

_FRAME = struct.Struct(">II")


def vectors_path(key: Value) -> str:
    return f"{_VECTORS}{key // _PACKED:04}.bin" if isinstance(key, int) else f"{_VECTORS}id-{_hash(key)[:3]}.bin"


def is_vectors(path: str) -> bool:
    return path.startswith(_VECTORS)


def vector_record(row: Row) -> bytes:
    """A row of the vectors' table, framed by lengths: its columns as a line, then the vector's bytes."""
    vector = row.get("vec")
    plain = {key: value for key, value in row.items() if key != "vec" or not isinstance(value, bytes)}
    head, tail = lines([plain]), vector if isinstance(vector, bytes) else b""
    return _FRAME.pack(len(head), len(tail)) + head + tail


def vector_rows(data: bytes, columns: Collection[str]) -> Iterator[dict[str, Value]]:
    """The rows of one file of vectors. Raises ValueError where it is none."""
    return (_in_order(found, vector.tobytes(), columns) for found, vector in vector_parts(data))


def vector_parts(data: bytes) -> Iterator[tuple[dict[str, Value], memoryview]]:
    """The same with each vector where it lies, not copied; its row is without it."""
    view, at = memoryview(data), 0
    while at < len(data):
        if len(data) - at < _FRAME.size:
            raise ValueError("a record of vectors is cut short")
        head, tail = _FRAME.unpack_from(data, at)
        start = at + _FRAME.size
        at = start + head + tail
        found = next(rows(data[start : start + head]), None)
        if found is None or at > len(data):
            raise ValueError("a record of vectors is cut short")
        yield found, view[start + head : at]


def _in_order(found: dict[str, Value], vector: bytes, columns: Collection[str]) -> dict[str, Value]:
    whole = found if "vec" in found else {**found, "vec": vector}
    return {name: whole[name] for name in ("rowid", *columns) if name in whole}


# --- edges ---


def edge_file(table: str, found: Iterable[Row]) -> StoreFile:
    return StoreFile(EDGE_FILES[table], lines(found))


def edges(content: StoreContent, table: str) -> tuple[dict[str, Value], ...]:
    """The edges of a table; none where the database has no such table. Raises ValueError for broken lines."""
    file = content.files.get(EDGE_FILES[table])
    return tuple(rows(file.data)) if file else ()


def ends(edge: Row) -> Iterator[str]:
    """The summaries at the ends of an edge, as their ids are written."""
    for kind, key in (("from_kind", "from_id"), ("to_kind", "to_id")):
        if is_of_summary(edge.get(kind)):
            yield str(edge.get(key))


def is_of_summary(kind: Value) -> bool:
    return isinstance(kind, str) and kind.casefold() in ("summary", "summaries")
