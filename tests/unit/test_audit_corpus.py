"""Few false alarms on a store of the shape that real ones have: most names of files do not stand at root/path."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.model.store import StoreContent, StoreFile
from tests.audit_world import audit, commit, memory, store

SHARES = {
    "exact": 274,
    "suffix": 267,
    "outside": 214,
    "never": 110,
    "gone": 40,
    "several": 32,
    "glob": 29,
    "pair": 18,
    "elsewhere": 16,
}
"""Measured: per mille of the file-like spans of public stores, by what a tree says of them."""

MEMORIES = 160
FOLDERS = ("api", "billing", "cart", "mail", "search", "users", "orders", "stock")
NAMES = ("handler", "model", "routes", "client", "worker", "schema", "views", "rules", "cache", "limits")
NEUTRAL = (
    "The checks for this live in {}.",
    "See {} for how it is wired.",
    "Tests start from {}, so keep it small.",
    "It is read at start by {}.",
    "The numbers come from {}; ask before they are raised.",
)
HISTORY = (
    "{} was removed when the flow changed.",
    "It used to be in {}, which is gone.",
    "{} no longer exists; its rules moved.",
)


@dataclass(frozen=True)
class Planted:
    """A store over a project, and the memories that are stale by plan."""

    content: StoreContent
    stale: frozenset[str]


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Path, Planted]:
    root, random_ = tmp_path / "project", random.Random(73)
    kept = {
        f"src/{folder}/{name}.py": f"def {folder}_{name}():\n    return {n}\n"
        for n, (folder, name) in enumerate(_all())
    }
    settings = "".join(f"{folder.upper()}_LIMIT={n + 3}\n" for n, folder in enumerate(FOLDERS))
    lost = {
        f"src/old/{name}_{n}.py": f"def lost_{n}():\n    return '{name}{n}'\n"
        for n in range(12)
        for name in ("flow", "step")
    }
    commit(root, {**kept, **lost, "config/limits.env": settings, "README.md": "# A project\n"}, "Begin", "2026-01-05")
    moved = {f"src/core/{path.rpartition('/')[2]}": text for path, text in list(lost.items())[:8]}
    commit(root, {**dict.fromkeys(lost), **moved}, "Tidy the old flow away", "2026-04-02")
    return root, _plant(random_, list(kept), list(lost))


def _all() -> Iterator[tuple[str, str]]:
    return ((folder, name) for folder in FOLDERS for name in NAMES)


def _plant(random_: random.Random, kept: list[str], lost: list[str]) -> Planted:
    files: list[StoreFile] = []
    stale: set[str] = set()
    for number in range(MEMORIES):
        name = f"memory-{number:03}"
        sentences, is_stale = [], False
        for _ in range(random_.choice((1, 2, 3, 4, 6))):
            kind = random_.choices(list(SHARES), list(SHARES.values()))[0]
            told_as_gone = kind == "gone" and random_.random() < 0.25
            is_stale |= kind == "gone" and not told_as_gone
            frame = random_.choice(HISTORY if told_as_gone else NEUTRAL)
            sentences.append(frame.format(f"`{_span(kind, random_, kept, lost)}`"))
        figure, wrong = _figure(random_)
        sentences.append(figure)
        if is_stale or wrong:
            stale.add(name)
        files.append(memory(name, " ".join(sentences), description=f"Notes on part {number} of the project"))
    return Planted(store(*files), frozenset(stale))


def _span(kind: str, random_: random.Random, kept: list[str], lost: list[str]) -> str:
    path, number = random_.choice(kept), random_.randrange(900)
    match kind:
        case "exact":
            return path
        case "suffix":
            return path.partition("/")[2]
        case "outside":
            return random_.choice(
                (
                    f"~/notes/{number}.md",
                    f"/etc/app/{number}.conf",
                    f"../other-{number}/main.py",
                    f"$HOME/x/{number}.sh",
                )
            )
        case "never":
            return random_.choice(
                (f"deploy/host-{number}/site.yaml", f"vendorlib/part{number}/init.lua", f"ops/{number}/run.sh")
            )
        case "gone":
            return random_.choice(lost)
        case "several":
            return path.rpartition("/")[2]
        case "glob":
            return random_.choice((f"{path.rpartition('/')[0]}/*.py", f"logs/{number}/**/*.log"))
        case "pair":
            return random_.choice(("origin/main", "and/or", "read/write", "client/server"))
        case _:
            return f"lib/{path.rpartition('/')[2]}"


def _figure(random_: random.Random) -> tuple[str, bool]:
    """Now and then a number with its name: right, wrong, told as history, or of something else."""
    folder = random_.randrange(len(FOLDERS))
    name, right = f"{FOLDERS[folder].upper()}_LIMIT", folder + 3
    match random_.randrange(12):
        case 0:
            return f"The limit is {right} (`{name}`).", False
        case 1:
            return f"The limit is {right + 20} (`{name}`).", True
        case 2:
            return f"`{name}` was {right + 20} until the spring.", False
        case 3:
            return f"`{name}` is shared by 2 services and watched by 14 people.", False
        case _:
            return "Nothing else is known of it.", False


def test_stale_memories_are_told_with_few_false_alarms(planted, capsys):
    root, plan = planted
    seen = audit(root, plan.content)
    found = {name for name, finding in seen.findings.items() if finding.appraisal.kind.value == "stale"}
    right = len(found & plan.stale)
    precision, recall = right / len(found), right / len(plan.stale)
    with capsys.disabled():
        print(f"\nstale: precision {precision:.2f}, recall {recall:.2f} ({len(plan.stale)} planted of {MEMORIES})")
    assert precision >= 0.9, sorted(found - plan.stale)
    assert recall >= 0.8, sorted(plan.stale - found)


def test_a_check_by_existence_alone_would_cry_wolf(planted):
    root, plan = planted
    spans = [
        span
        for file in plan.content.files.values()
        for span in file.data.decode().split("`")[1::2]
        if "/" in span or ".py" in span
    ]
    absent = sum(not (root / span).exists() for span in spans) / len(spans)
    assert 0.65 < absent < 0.8
