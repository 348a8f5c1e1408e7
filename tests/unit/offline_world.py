"""Small worlds for the offline rules: a store of one-line memories, and what a user says to the assistant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memgit.miners.offline import OfflineDecider, OfflineMiner
from memgit.model.decision import Kind, MinerReply, Proposal
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import FrontmatterState, Memory

WRITTEN = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = datetime(2026, 5, 4, 10, tzinfo=UTC)  # a Monday

OTHERS = {
    "commit-style": ("Commit subjects in the imperative", "Write commit subjects in the imperative mood."),
    "coffee": ("The office coffee machine", "The coffee machine on the second floor takes cards only."),
    "onboarding": ("Where the onboarding checklist is", "The onboarding checklist is in `docs/start.md`."),
    "fonts": ("Fonts are self-hosted", "Fonts are served from our own domain, never from a third party."),
}
"""Memories that have nothing to do with what is said, so that a match must be told from a chance."""


def memory(name: str, description: str, body: str, *, kind: str = "project", written: datetime = WRITTEN) -> Memory:
    data = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n".encode("utf-8", "replace")
    return Memory(
        id=name, path=f"{name}.md", data=data, body=body, name=name, description=description, type=kind,
        frontmatter=FrontmatterState.OK, mtime_ns=int(written.timestamp() * 1e9),
    )  # fmt: skip


def store(**claims: tuple[str, str]) -> tuple[Memory, ...]:
    """The named memories among the others, each as (description, body); underscores stand for dashes."""
    named = {name.replace("_", "-"): claim for name, claim in claims.items()}
    return tuple(memory(name, *claim) for name, claim in sorted({**OTHERS, **named}.items()))


def session(*turns: str, name: str = "s1", day: int = 0, origin: Origin = Origin.TYPED) -> Digest:
    """A conversation, one message a minute; a turn that starts with ``A:`` is the assistant's."""
    start = SAID + timedelta(days=day)
    messages = [
        Message(
            name, f"{name}-{number}", start + timedelta(minutes=number),
            Role.ASSISTANT if turn.startswith("A:") else Role.USER, turn.removeprefix("A:").strip(), origin,
        )
        for number, turn in enumerate(turns)
    ]  # fmt: skip
    return Digest(day + 1, tuple(messages))


def mined(memories: tuple[Memory, ...], *digests: Digest) -> tuple[MinerReply, ...]:
    return tuple(OfflineMiner().mine(digest, memories) for digest in digests)


def decided(memories: tuple[Memory, ...], *digests: Digest) -> tuple[Proposal, ...]:
    """All proposals of a pass, rejects included."""
    candidates = [one for reply in mined(memories, *digests) for one in reply.candidates]
    return OfflineDecider().decide(memories, digests, candidates)


def changes(memories: tuple[Memory, ...], *digests: Digest) -> list[Proposal]:
    return [proposal for proposal in decided(memories, *digests) if proposal.kind is not Kind.REJECT]
