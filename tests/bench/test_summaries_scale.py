"""A hundred thousand summaries with their vectors: read, merged and given back; only with ``--whole``."""

from __future__ import annotations

import random
import resource
import sqlite3
import struct
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from memgit.core.memories.memory import memories
from memgit.core.prune.rules import Terms, copies
from memgit.core.store.apply import apply
from memgit.core.store.fingerprint import fingerprint
from memgit.files import Journal
from memgit.miners.offline import OfflineLikeness
from memgit.model.decision import Decision, Kind
from memgit.model.store import Resolution
from memgit.stores.sqlite import SqliteStore
from memgit.stores.sqlite_install import SqliteInstaller
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
    found = list(copies(free, Terms(), OfflineLikeness().joined))
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
