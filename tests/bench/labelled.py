"""Labelled projects as values: stores, sessions, the truth, and what a good and a careless host propose.

``tests/data/scenarios`` holds whole projects with their trees, ``tests/data/projects`` small ones without. All of it is
development data: rules and weights were made with it in view, so a figure on it says nothing unless what is judged was
fitted on other projects (as ``fit`` and ``quality`` do it: each project is judged by weights fitted on the others).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memgit.memory.memory import memories
from memgit.model.decision import Draft, Evidence, Kind, Proposal, Said, Seen
from memgit.model.session import Digest, Message, Role
from memgit.model.store import Memory, StoreContent, StoreFile

DATA = Path(__file__).parents[1] / "data"
KINDS = {"new": Kind.ADD, "stale": Kind.DROP, "merge": Kind.MERGE, "replace": Kind.REPLACE, "split": Kind.SPLIT}


@dataclass(frozen=True)
class Offer:
    """A proposal of a host, whether it is right, and what kind of mistake it is where not."""

    proposal: Proposal
    right: bool
    why: str = ""


@dataclass(frozen=True)
class Project:
    """One labelled project. ``truth`` are the decisions that a careful person would make."""

    name: str
    content: StoreContent
    digests: tuple[Digest, ...]
    truth: Sequence[Mapping[str, Any]]
    offers: tuple[Offer, ...] = ()
    language: str = ""
    traps: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    @property
    def memories(self) -> tuple[Memory, ...]:
        return memories(self.content)

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(message for digest in self.digests for message in digest.messages)


@cache
def projects(folder: Path | None = None) -> tuple[Project, ...]:
    """All labelled projects of the repository, or those of one folder."""
    folders = [folder] if folder else [DATA / "scenarios", DATA / "projects"]
    found = (path.parent for each in folders for path in sorted(each.glob("*/expected.yaml")))
    return tuple(map(load, found))


def load(folder: Path) -> Project:
    about = _yaml(folder / ("project.yaml" if (folder / "project.yaml").exists() else "scenario.yaml"))
    truth = _yaml(folder / "expected.yaml") or {}
    return Project(
        name=folder.name,
        content=_content(folder, about.get("written") or {}),
        digests=tuple(_digests(folder)),
        truth=tuple(truth.get("decisions") or ()),
        offers=tuple(_offers(folder)),
        language=str(about.get("language") or ""),
        traps=tuple(truth.get("traps") or ()),
    )


def _yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def moment(value: datetime | str) -> datetime:
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _content(folder: Path, written: Mapping[str, Any]) -> StoreContent:
    """The input store with the times that the project gives its files."""
    store = folder / "store"
    if not store.is_dir():
        return StoreContent(exists=False)
    times = {name: int(moment(when).timestamp() * 1e9) for name, when in written.items()}
    paths = sorted(store.rglob("*.md"))
    names = [path.relative_to(store).as_posix() for path in paths]
    return StoreContent(
        {
            name: StoreFile(name, path.read_bytes(), mtime_ns=times.get(name, 0))
            for name, path in zip(names, paths, strict=True)
        }
    )


def _digests(folder: Path) -> Iterator[Digest]:
    """One digest per session, oldest first, so that nothing can lean on a batch's neighbours."""
    paths = [*(folder / "sessions").glob("*.yaml"), *folder.glob("worktrees/*/sessions/*.yaml")]
    sessions = sorted(map(_yaml, paths), key=lambda session: moment(session["start"]))
    return (Digest(number, tuple(_messages(session))) for number, session in enumerate(sessions, 1))


def _messages(session: Mapping[str, Any]) -> Iterator[Message]:
    clock = moment(session["start"])
    for number, turn in enumerate(session["turns"]):
        clock += timedelta(seconds=20)
        for kind, said in turn.items():
            text = said.get("args", "") if kind == "command" else said
            if kind in ("user", "assistant", "command") and str(text).strip():
                role = Role.ASSISTANT if kind == "assistant" else Role.USER
                yield Message(session["id"], f"line-{number}", clock, role, str(text).strip())


# --- what hosts propose ---


def _offers(folder: Path) -> Iterator[Offer]:
    if (folder / "proposals.yaml").exists():
        for entry in _yaml(folder / "proposals.yaml") or ():
            yield Offer(proposal(entry), bool(entry["right"]), str(entry.get("why", "")))
    beside = DATA / "proposals" / folder.name
    for right, name in ((True, "right"), (False, "wrong")):
        if (beside / f"{name}-candidates.json").exists():
            candidates, decisions = (
                json.loads((beside / f"{name}-{part}.json").read_text(encoding="utf-8"))[part]
                for part in ("candidates", "decisions")
            )
            for candidate, decision in zip(candidates, decisions, strict=True):
                entry = {**candidate, **decision.get("result", {}), "leaves_out": decision.get("leaves_out", [])}
                entry |= {"drafts": decision["drafts"]} if "drafts" in decision else {}
                yield Offer(proposal(entry), right, candidate.get("why", ""))


def proposal(entry: Mapping[str, Any]) -> Proposal:
    """One proposal as a decider would hand it in."""
    kind, targets = KINDS[entry["intent"]], tuple(entry.get("targets") or ())
    drafts: tuple[Draft, ...] = ()
    if "drafts" in entry:
        drafts = tuple(_draft(each, each.get("id", "")) for each in entry["drafts"])
    elif kind is not Kind.DROP:
        keeper = (
            targets[0]
            if kind is Kind.REPLACE
            else entry["name"]
            if kind is Kind.MERGE and entry["name"] in targets
            else ""
        )
        drafts = (_draft(entry, keeper),)
    evidence = tuple(map(_evidence, entry["evidence"]))
    return Proposal(
        kind, str(entry.get("why", "")) or "why", evidence, targets, drafts, claim=entry["claim"],
        leaves_out=tuple(entry.get("leaves_out") or ()),
    )  # fmt: skip


def _draft(entry: Mapping[str, Any], memory: str) -> Draft:
    return Draft(entry.get("name", ""), entry.get("description") or "", entry.get("type", ""), entry["body"], memory)


def _evidence(entry: Mapping[str, Any]) -> Evidence:
    if "where" in entry:
        return Seen(entry["where"], entry["quote"])
    return Said(entry["session"], entry["quote"], answers=entry.get("answers") or "")


# --- what counts as found ---


def overlaps(one: str, other: str) -> bool:
    """Whether two texts hold half of each other's words: a quote may be cut otherwise than the truth's."""
    here, there = set(_words(one)), set(_words(other))
    return bool(here and there) and len(here & there) >= 0.5 * min(len(here), max(3, len(there)))


def _words(text: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]|[^\W_]+", text.lower())


def is_wanted(session: str, text: str, truth: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a statement is one that a right decision rests on."""
    return any(one.get("session") == session and one.get("quote") and overlaps(text, one["quote"]) for one in truth)
