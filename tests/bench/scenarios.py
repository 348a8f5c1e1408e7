"""Scenarios as a miner sees them: sessions as digests, the store as memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from memgit.core.memories.memory import memories
from memgit.model.session import Digest, Message, Role
from memgit.model.store import Memory, StoreContent, StoreFile

SCENARIOS = Path(__file__).parents[1] / "data" / "scenarios"


def _moment(value: datetime | str) -> datetime:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def content(scenario: Path) -> StoreContent:
    """The input store with the times that the scenario gives its files."""
    folder = scenario / "store"
    if not folder.is_dir():
        return StoreContent(exists=False)
    about = yaml.safe_load((scenario / "scenario.yaml").read_text(encoding="utf-8"))
    written = {name: _moment(when).timestamp() for name, when in (about.get("written") or {}).items()}
    files = {
        path.name: StoreFile(path.name, path.read_bytes(), mtime_ns=int(written.get(path.name, 0) * 1e9))
        for path in sorted(folder.glob("*.md"))
    }
    return StoreContent(files)


def store(scenario: Path) -> tuple[Memory, ...]:
    return memories(content(scenario))


def digests(scenario: Path) -> tuple[Digest, ...]:
    """One digest per session, oldest first, so that nothing can lean on a batch's neighbours."""
    paths = [*(scenario / "sessions").glob("*.yaml"), *scenario.glob("worktrees/*/sessions/*.yaml")]
    sessions = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths]
    ordered = sorted(sessions, key=lambda session: _moment(session["start"]))
    return tuple(Digest(number, tuple(_messages(session))) for number, session in enumerate(ordered, 1))


def _messages(session: dict[str, Any]) -> Iterator[Message]:
    clock = _moment(session["start"])
    for number, turn in enumerate(session["turns"]):
        clock += timedelta(seconds=20)
        for kind, text in turn.items():
            if kind in ("user", "assistant"):
                yield Message(session["id"], f"line-{number}", clock, Role(kind), text.strip())


def together(memories: int, sessions: int) -> tuple[tuple[Memory, ...], tuple[Digest, ...]]:
    """All scenarios as one store with its sessions, repeated under other names until there are as many of both."""
    folders = sorted(path.parent for path in SCENARIOS.glob("*/scenario.yaml"))
    kept = [replace(one, id=f"{folder.name}-{one.id}") for folder in folders for one in store(folder)]
    talk = [digest.messages for folder in folders for digest in digests(folder)]
    return (
        tuple(replace(kept[n % len(kept)], id=f"{kept[n % len(kept)].id}-{n}") for n in range(memories)),
        tuple(Digest(n + 1, _renamed(talk[n % len(talk)], n)) for n in range(sessions)),
    )


def _renamed(messages: tuple[Message, ...], number: int) -> tuple[Message, ...]:
    return tuple(replace(one, session=f"{one.session}-{number}") for one in messages)
