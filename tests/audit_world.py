"""A small project under git with memories beside it, and what an audit makes of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from memgit.claims.appraise import Finding
from memgit.flows.audit import inspect
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Proposal
from memgit.model.history import PassKind
from memgit.model.store import StoreContent, StoreFile
from memgit.process import git, require_ok, run
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.tree.git import GitTree

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
WRITTEN = datetime(2026, 3, 1, tzinfo=UTC)
IDENTITY = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "init.defaultBranch=main")


def do(folder: Path, *args: str, day: str = "2026-05-01") -> str:
    dated = {f"GIT_{who}_DATE": f"{day}T12:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    return require_ok(run(["git", *IDENTITY, *args], cwd=folder, env=dated), args[0]).out.decode().strip()


def commit(root: Path, files: Mapping[str, str | None], subject: str, day: str = "2026-05-01") -> None:
    """One commit that writes these files; None takes one away."""
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        do(root, "init", "-q")
    for name, text in files.items():
        path = root / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    do(root, "add", "-A")
    do(root, "commit", "-q", "-m", subject, day=day)


def memory(name: str, body: str, *, type_: str = "project", description: str = "", extra: str = "") -> StoreFile:
    line = description or f"About {name.replace('-', ' ')}"
    text = f"---\nname: {name}\ndescription: {line}\ntype: {type_}\n{extra}---\n\n{body}\n"
    return StoreFile(f"{name}.md", text.encode(), mtime_ns=int(WRITTEN.timestamp() * 1e9))


def store(*files: StoreFile) -> StoreContent:
    index = "# Memory\n\n" + "".join(f"- [{file.path[:-3]}]({file.path}) — it\n" for file in files)
    everything = [*files, StoreFile("MEMORY.md", index.encode())]
    return StoreContent({file.path: file for file in sorted(everything, key=lambda file: file.path)})


@dataclass(frozen=True)
class Audit:
    """The findings by memory, the decisions, and the tree they rest on."""

    findings: Mapping[str, Finding]
    decisions: Sequence[Decision] = field(default_factory=tuple)

    def kind(self, name: str) -> str:
        return self.findings[name].appraisal.kind.value

    def evidence(self, name: str) -> str:
        return self.findings[name].appraisal.evidence

    def on(self, name: str) -> Decision | None:
        """The changing decision that speaks of a memory."""
        return next((each for each in self.decisions if name in each.memories and each.changes), None)

    def text(self, name: str) -> str:
        """What the memory would say."""
        decision = self.on(name)
        assert decision is not None, [each.justification for each in self.decisions]
        return decision.writes[f"{name}.md"].decode()


def audit(root: Path, content: StoreContent) -> Audit:
    """Inspect and settle as the command does."""
    tree = GitTree(os.fspath(root), git)
    shop = SimpleNamespace(tree=tree, progress=SimpleNamespace(step=lambda *_: None))
    plan = SimpleNamespace(
        kind=PassKind.AUDIT,
        digests=(),
        time=NOW,
        survey=SimpleNamespace(sessions=()),
        store=SimpleNamespace(shape="directory"),
    )
    findings, merges = inspect(shop, plan, memories(content))  # type: ignore[arg-type]
    proposals: list[Proposal] = [*(one.proposal for one in findings if one.proposal), *merges]
    decisions = settle(proposals, content, open_case(PassKind.AUDIT, memories(content), (), tree.text_at))
    return Audit({one.appraisal.memory: one for one in findings}, decisions)
