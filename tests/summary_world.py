"""Databases of summaries for tests: the schema of the tool that keeps them, with its triggers and write-ahead log."""

from __future__ import annotations

import hashlib
import math
import re
import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

DIMENSIONS = 384

SCHEMA = """
CREATE TABLE sessions(id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, cwd TEXT);
CREATE TABLE events(
  id INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER NOT NULL, session_id TEXT NOT NULL, tool TEXT NOT NULL,
  input_hash TEXT NOT NULL, payload_json TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'raw', tokens_est INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0, last_error TEXT, expires_at INTEGER, UNIQUE(session_id, input_hash));
CREATE TABLE summaries(
  id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER NOT NULL UNIQUE REFERENCES events(id) ON DELETE CASCADE,
  ts INTEGER NOT NULL, model TEXT NOT NULL, prompt_hash TEXT NOT NULL, text TEXT NOT NULL, tokens_in INTEGER,
  tokens_out INTEGER, confidence REAL, pinned_at INTEGER{more});
CREATE VIRTUAL TABLE summaries_fts USING fts5(text, content='summaries', content_rowid='id');
CREATE TRIGGER summaries_ai AFTER INSERT ON summaries BEGIN
  INSERT INTO summaries_fts(rowid, text) VALUES (new.id, new.text); END;
CREATE TRIGGER summaries_ad AFTER DELETE ON summaries BEGIN
  INSERT INTO summaries_fts(summaries_fts, rowid, text) VALUES ('delete', old.id, old.text); END;
CREATE TRIGGER summaries_au AFTER UPDATE OF text ON summaries BEGIN
  INSERT INTO summaries_fts(summaries_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO summaries_fts(rowid, text) VALUES (new.id, new.text); END;
CREATE TABLE summary_embeddings(
  summary_id INTEGER PRIMARY KEY REFERENCES summaries(id) ON DELETE CASCADE, dim INTEGER NOT NULL, vec BLOB NOT NULL);
CREATE TABLE provenance_edges(
  id INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER NOT NULL, from_kind TEXT NOT NULL, from_id TEXT NOT NULL,
  to_kind TEXT NOT NULL, to_id TEXT NOT NULL, edge_type TEXT NOT NULL, confidence REAL, source TEXT, meta_json TEXT);
CREATE TABLE summary_supersedes(
  newer_id INTEGER NOT NULL REFERENCES summaries(id) ON DELETE CASCADE,
  older_id INTEGER NOT NULL REFERENCES summaries(id) ON DELETE CASCADE,
  cosine REAL NOT NULL, ts INTEGER NOT NULL, PRIMARY KEY(newer_id, older_id));
CREATE TABLE summary_cache(prompt_hash TEXT PRIMARY KEY, text TEXT NOT NULL);
"""

HITS = ", hit_count INTEGER NOT NULL DEFAULT 0, last_hit_at INTEGER"
"""Columns that a later schema could have."""

TABLES = ("events", "summaries", "summary_embeddings", "summary_supersedes", "provenance_edges")

DAY = 86_400_000
START = 1_780_000_000_000


def make_database(
    path: Path, summaries: Sequence[str | Mapping[str, Any]], *, more: str = "", wal: bool = True
) -> Path:
    """A database with an event, a summary and a vector for each text; a mapping sets columns of the summary besides."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        db.executescript(SCHEMA.replace("{more}", more))
        add_summaries(db, summaries)
        db.commit()
    return path


def add_summaries(db: sqlite3.Connection, summaries: Iterable[str | Mapping[str, Any]]) -> None:
    for number, given in enumerate(summaries, start=1):
        columns = {"text": given} if isinstance(given, str) else dict(given)
        ts = columns.pop("ts", START + number * 60_000)
        event = columns.pop("event_id", None) or add_event(db, ts)
        row = {"event_id": event, "ts": ts, "model": "small", "prompt_hash": f"p{event}", "confidence": 0.5, **columns}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        key = db.execute(f"INSERT INTO summaries({names}) VALUES ({marks})", tuple(row.values())).lastrowid
        text = row["text"] if isinstance(row["text"], str) else ""
        db.execute("INSERT INTO summary_embeddings VALUES (?, ?, ?)", (key, DIMENSIONS, vector(text)))


def add_event(db: sqlite3.Connection, ts: int) -> int:
    """A tool call that is on record; its number."""
    known = db.execute("SELECT count(*) FROM events").fetchone()[0]
    made = db.execute(
        "INSERT INTO events(ts, session_id, tool, input_hash, payload_json, status) "
        "VALUES (?, 's1', 'Edit', ?, '{}', 'summarized')",
        (ts, f"hash-{known}"),
    )
    return int(made.lastrowid or 0)


def vector(text: str) -> bytes:
    """A vector as the tool makes it without a model: signed counts of hashed words, of length one."""
    counts = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z0-9_]+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        counts[int.from_bytes(digest[:4], "big") % DIMENSIONS] += 1.0 if digest[4] & 1 else -1.0
    length = math.sqrt(sum(each * each for each in counts)) or 1.0
    return struct.pack(f"<{DIMENSIONS}f", *(each / length for each in counts))


def run(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a statement gives; committed."""
    with closing(sqlite3.connect(path)) as db:
        found = db.execute(sql, values).fetchall()
        db.commit()
    return found


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the tables with its number and the kinds of its values, read as bytes from a copy."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(":memory:")) as db:
        source.backup(db)
        db.text_factory = bytes
        return {
            name: [tuple((type(value), value) for value in row) for row in db.execute(f"SELECT rowid, * FROM {name}")]
            for name in TABLES
        }


def search(path: Path, words: str) -> list[int]:
    """The summaries that the full-text index gives for words."""
    return [row[0] for row in run(path, "SELECT rowid FROM summaries_fts WHERE summaries_fts MATCH ?", words)]


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What lies in a folder, with size, time and inode of each."""
    return {each.name: (each.stat().st_size, each.stat().st_mtime_ns, each.stat().st_ino) for each in folder.iterdir()}
