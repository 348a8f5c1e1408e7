"""A few one-line memories, and what a user says to the agent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import FrontmatterState, Memory

WRITTEN = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = datetime(2026, 5, 4, 10, tzinfo=UTC)


def memory(name: str, description: str, body: str, *, kind: str = "project", written: datetime = WRITTEN) -> Memory:
    data = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n".encode("utf-8", "replace")
    return Memory(
        id=name, path=f"{name}.md", data=data, body=body, name=name, description=description, type=kind,
        frontmatter=FrontmatterState.OK, mtime_ns=int(written.timestamp() * 1e9),
    )  # fmt: skip


def session(*turns: str, name: str = "s1", day: int = 0, origin: Origin = Origin.TYPED) -> Digest:
    """A conversation, one message a minute; a turn that starts with ``A:`` is the agent's."""
    start = SAID + timedelta(days=day)
    messages = [
        Message(
            name, f"{name}-{number}", start + timedelta(minutes=number),
            Role.ASSISTANT if turn.startswith("A:") else Role.USER, turn.removeprefix("A:").strip(), origin,
        )
        for number, turn in enumerate(turns)
    ]  # fmt: skip
    return Digest(day + 1, tuple(messages))
