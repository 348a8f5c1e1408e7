"""Summaries with their vectors, a hundred thousand with ``--whole``: read, merged and given back, by the adapters and
by the commands that a user types, a daemon writing into the log meanwhile."""

from __future__ import annotations

import os
import random
import re
import resource
import sqlite3
import struct
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from memgit.core.prune.rules import copies
from memgit.files import Journal
from memgit.memory.apply import apply
from memgit.memory.fingerprint import fingerprint
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Kind
from memgit.model.store import Resolution
from memgit.stores.sqlite.database import SqliteStore
from memgit.stores.sqlite.install import SqliteInstaller
from tests.summary_world import SCHEMA, START


def large_database(path: Path, number: int) -> Path:
    """Summaries of invented words: of a hundred, four are copies of others of their time, and one is another's text
    with another number, which vectors hardly feel."""
    chance = random.Random(7)
    words = ["".join(chance.choice("bcdfgklm") + chance.choice("aeiou") for _ in range(3)) for _ in range(6000)]
    texts: list[str] = []
    for at in range(number):
        if texts and chance.random() < 0.01:
            texts.append(f"{chance.choice(texts[-1000:]).rpartition(' ')[0]} {at}.")
            continue
        new = f"Fixed {' '.join(chance.choice(words) for _ in range(24))} in src/{chance.choice(words)}.ts, {at}."
        texts.append(chance.choice(texts[-1000:]) if texts and chance.random() < 0.04 else new)
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(SCHEMA.replace("{more}", ""))
        rows = [(at, at, START + at * 60_000, text) for at, text in enumerate(texts, start=1)]
        db.executemany(
            "INSERT INTO events(id, ts, session_id, tool, input_hash, payload_json)"
            " VALUES (?, ?, 's', 'Edit', ?, '{}')",
            ((at, ts, str(at)) for at, _, ts, _ in rows),
        )
        db.executemany(
            "INSERT INTO summaries(id, event_id, ts, model, prompt_hash, text) VALUES (?, ?, ?, 'm', 'p', ?)", rows
        )
        db.executemany(
            "INSERT INTO summary_embeddings VALUES (?, 384, ?)", ((at, vector(text)) for at, *_, text in rows)
        )
        db.commit()
    return path


def vector(text: str) -> bytes:
    """A vector that is the text's own; of texts that differ in the number at the end the cosine is about 0.98."""
    words, number = (random.Random(crc32(each.encode())).randbytes(384) for each in (text.rpartition(" ")[0], text))
    return struct.pack("<384f", *(_LEVELS[a] + 0.15 * _LEVELS[b] for a, b in zip(words, number, strict=True)))


_LEVELS = tuple((byte - 127.5) / 64 for byte in range(256))


@pytest.mark.parametrize("number", [1000, 100_000])
def test_a_large_database_is_read_merged_and_given_back(tmp_path, request, capsys, number):
    if number > 1000 and not request.config.getoption("--whole"):
        pytest.skip("needs --whole")
    path = large_database(tmp_path / "own" / "db.sqlite", number)
    store = SqliteStore(Resolution(str(path), "--store", "sqlite"))
    installer = SqliteInstaller(Journal(tmp_path / "journal.json"))
    taken: dict[str, float] = {}

    began = time.perf_counter()
    content = store.read()
    free = memories(content)
    taken["read"] = time.perf_counter() - began
    found = list(copies(free))
    taken["copies"] = time.perf_counter() - began - taken["read"]
    assert number * 0.02 < sum(len(each.memories) - 1 for each in found) < number * 0.06

    kept = {each.id: each for each in free}
    decisions = [
        Decision(
            f"M{at}",
            Kind.MERGE,
            "",
            memories=each.memories,
            results=(each.drafts[0].id,),
            removes=frozenset(kept[name].path for name in each.memories if name != each.drafts[0].id),
        )
        for at, each in enumerate(found)
    ]
    began = time.perf_counter()
    after = apply(content, decisions, time_ns=START * 1_000_000)
    installer.install(path, content, after, {})
    installer.close()
    taken["install"] = time.perf_counter() - began
    assert fingerprint(store.read()) == fingerprint(after)
    installer.install(path, after, replace(content), {})
    assert fingerprint(store.read()) == fingerprint(content)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    with capsys.disabled():
        steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in taken.items())
        print(f"\nsummaries: {number:,}: {steps}; {peak} MB at most")


DAEMON = """
import sqlite3, sys
from tests.summary_world import add_summaries
db = sqlite3.connect(sys.argv[1], timeout=60)
for number, _ in enumerate(sys.stdin):
    add_summaries(db, [{"text": f"The daemon wrote {number}.", "ts": 1_800_000_000_000 + number}])
    db.commit()
    print(number, flush=True)
"""


class Daemon:
    """A second process that keeps the database open and writes a summary with its vector whenever it is told to."""

    def __init__(self, path: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen([sys.executable, "-c", DAEMON, str(path)], cwd=ROOT, **pipes)

    def write(self) -> None:
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline().strip().isdecimal()

    def kill(self) -> None:
        """End it as a crash does, its log left behind."""
        self._process.kill()
        self._process.communicate()


ROOT = Path(__file__).parents[2]


def typed(folder: Path, *args: str) -> tuple[str, resource.struct_rusage]:
    """What a command prints, and what it took: processor seconds, and memory at most."""
    home = {"HOME": str(folder / "home"), "MEMGIT_DATA_HOME": str(folder / "data"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "memgit", *args, "--now", "2027-06-01T00:00:00Z"]
    with (folder / "out").open("w+") as out:
        process = subprocess.Popen(command, stdout=out, cwd=folder / "project", env={**os.environ, **home})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, args
        out.seek(0)
        return out.read(), used


def rows(path: Path, last: int) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the first ``last`` summaries and events, as bytes, with their edges and vectors."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        ours = {"events": "id", "summaries": "id", "summary_embeddings": "summary_id", "summary_supersedes": "older_id"}
        return {
            table: db.execute(f"SELECT rowid, * FROM {table} WHERE {key} <= ? ORDER BY rowid", (last,)).fetchall()
            for table, key in ours.items()
        }


@pytest.mark.parametrize("number", [300, 100_000])
def test_a_whole_prune_is_told_adopted_and_taken_back_beside_a_daemon(tmp_path, request, capsys, number):
    if number > 300 and not request.config.getoption("--whole"):
        pytest.skip("needs --whole")
    path = large_database(tmp_path / "own" / "db.sqlite", number)
    (tmp_path / "project").mkdir()
    subprocess.run(["git", "init", "-q", str(tmp_path / "project")], check=True)
    store, taken = ("--store", f"sqlite:{path}"), {}
    before, daemon = rows(path, number), Daemon(path)
    try:
        daemon.write()
        told, taken["prune"] = typed(tmp_path, "prune", "-v", *store)
        assert rows(path, number) == before
        copies = int(re.search(r"Copies: (\d+)", told)[1])
        assert copies >= min(number * 0.02, 400)
        done, taken["prune --confirm"] = typed(tmp_path, "prune", "--confirm", *store)
        assert "Adopted pass " in done
        assert len(rows(path, number)["summary_supersedes"]) >= copies
        daemon.write()
        _, taken["undo"] = typed(tmp_path, "undo", *store)
        daemon.write()
    finally:
        daemon.kill()
    assert rows(path, number) == before
    with closing(sqlite3.connect(path)) as db:
        said = db.execute("SELECT text FROM summaries WHERE id > ? ORDER BY id", (number,)).fetchall()
        assert said == [("The daemon wrote 0.",), ("The daemon wrote 1.",), ("The daemon wrote 2.",)]
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with capsys.disabled():
        for verb, used in taken.items():
            seconds = used.ru_utime + used.ru_stime
            print(f"\n{number:,} summaries, {verb}: {seconds:.1f} s of processor, {used.ru_maxrss // 1024} MB", end="")
        print()
