"""Whose vaults there are, from the small files that each publishes: no vault is opened, and none can be in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memgit.memory.stores import Record
from memgit.vault.head import HEAD


def records(data_home: Path) -> Iterator[Record]:
    """The record of each vault that says whose it is."""
    for folder in sorted(data_home.glob("[!.]*/memgit")):
        store = _facts(folder / "store.json").get("store")
        if isinstance(store, str):
            yield _record(store, _facts(folder / HEAD))


def _record(store: str, head: dict[str, Any]) -> Record:
    number, last = head.get("number"), head.get("last_pass")
    named = last if isinstance(last, dict) else {}
    return Record(
        store=store,
        operations=number if isinstance(number, int) else 0,
        last_pass=str(named.get("pass", "")),
        did=str(named.get("did", "")),
    )


def _facts(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        facts = json.loads(path.read_bytes())
        if isinstance(facts, dict):
            return facts
    return {}
