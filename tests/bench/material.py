"""What is measured on: transcripts, a working tree and a store of any size, the same for the same seed."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memgit.model.session import Digest, Message
from memgit.model.store import Memory
from tests.bench.labelled import DATA, projects

SEED = 20261129
GIT = (
    "git",
    "-c",
    "user.name=bench",
    "-c",
    "user.email=bench@invalid",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
)

_SYLLABLES = [
    "ka",
    "to",
    "ri",
    "me",
    "lo",
    "sa",
    "ne",
    "vu",
    "di",
    "po",
    "gra",
    "shi",
    "ter",
    "mon",
    "bel",
    "fin",
    "dra",
    "qu",
    "zel",
    "hor",
    "win",
    "pas",
]


def words(chance: random.Random, count: int) -> list[str]:
    """Invented words, rare ones as rare as in a text."""
    return ["".join(chance.choices(_SYLLABLES, k=chance.choice((1, 2, 2, 3)))) for _ in range(count)]


def prose(chance: random.Random, size: int, vocabulary: Sequence[str]) -> str:
    """About ``size`` characters of sentences."""
    picked = chance.choices(vocabulary, k=max(3, size // 6))
    return " ".join(picked).capitalize() + "."


# --- transcripts ---


def transcripts(folder: Path, size: int, cwd: str, *, largest: float = 0.0, session: int = 5 << 20) -> None:
    """Sessions of one project, ``size`` bytes in all; one of them has the share ``largest`` of it.

    By bytes four fifths are tool results, as in real ones, and prose is a few per cent.
    """
    folder.mkdir(parents=True)
    chance = random.Random(SEED)
    sizes = [int(size * largest)] if largest else []
    while sum(sizes) < size:
        sizes.append(min(max(session, 1 << 16), size - sum(sizes)))
    for number, each in enumerate(sizes):
        with (folder / f"{number:08x}-0000-4000-8000-000000000000.jsonl").open("wb") as file:
            _session(file, chance, each, number, cwd)


def grow(transcript: Path, size: int, cwd: str) -> None:
    """Append ``size`` bytes of whole records."""
    with transcript.open("ab") as file:
        _session(file, random.Random(SEED + size), size, 0xFFFF, cwd)


def _session(file, chance: random.Random, size: int, number: int, cwd: str) -> None:
    vocabulary = words(chance, 4000)
    output = prose(chance, 1 << 17, vocabulary).replace("ka ", "\n")
    turn = 0
    while file.tell() < size or turn == 0:
        for record in _turn(chance, vocabulary, output, number, turn, cwd):
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        turn += 1
        if file.tell() > size:
            return


def _turn(
    chance: random.Random, vocabulary: Sequence[str], output: str, number: int, turn: int, cwd: str
) -> Iterator[dict[str, object]]:
    def record(step: int, kind: str, content: object) -> dict[str, object]:
        return {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": f"{number:08x}-0000-4000-8000-000000000000",
            "version": "2.0.0",
            "type": kind,
            "message": {"role": kind, "content": content},
            "uuid": f"{number:08x}-{turn:04x}-4000-8000-{step:012x}",
            "timestamp": f"2026-06-{1 + number % 28:02}T{turn // 60 % 24:02}:{turn % 60:02}:{step:02}.000Z",
        }

    yield record(0, "user", prose(chance, 180, vocabulary))
    for step in range(1, 7, 2):
        call = {
            "type": "tool_use",
            "id": f"t{step}",
            "name": "Bash",
            "input": {"command": prose(chance, 400, vocabulary)},
        }
        yield record(step, "assistant", [call])
        start = chance.randrange(len(output) // 2)
        shown = output[start : start + chance.choice((300, 4000, 24_000))]
        yield record(step + 1, "user", [{"type": "tool_result", "tool_use_id": f"t{step}", "content": shown}])
    yield record(
        8, "assistant", [{"type": "thinking", "thinking": prose(chance, 900, vocabulary), "signature": "x" * 200}]
    )
    yield record(9, "assistant", [{"type": "text", "text": prose(chance, 600, vocabulary)}])


# --- a working tree ---


@dataclass(frozen=True)
class Tree:
    """A repository, and texts of which three fifths stand in it."""

    root: Path
    spans: tuple[str, ...]


def tree(root: Path, files: int, spans: int, *, size: int = 5000) -> Tree:
    """A repository of ``files`` files of ``size`` bytes on average, ten to a folder, some of them binary."""
    chance = random.Random(SEED + files)
    vocabulary = words(chance, 8000)
    names = [f"{chance.choice(vocabulary)}_{chance.choice(vocabulary)}_{number}" for number in range(spans)]
    present = names[: spans * 3 // 5]
    page = prose(chance, 1 << 20, vocabulary).replace(" ka", "\n")
    for number in range(files):
        folder = root / f"part{number // 1000}" / f"unit{number // 10 % 100}"
        if number % 10 == 0:
            folder.mkdir(parents=True)
        start = chance.randrange(len(page) // 2)
        text = page[start : start + int(chance.expovariate(1 / size)) + 40]
        data = b"\0\1\2" + text.encode() if number % 50 == 0 else text.encode()
        (folder / f"{chance.choice(vocabulary)}{number}.py").write_bytes(data)
    for name, path in zip(present, chance.choices(sorted(root.rglob("*.py")), k=len(present)), strict=True):
        if b"\0" not in (data := path.read_bytes())[:10]:
            path.write_bytes(data + f"\n{name}()\n".encode())
    for command in (["init", "-q"], ["-c", "core.compression=0", "add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*GIT, *command], cwd=root, check=True, capture_output=True)
    return Tree(root, tuple(names))


# --- a store ---


def lessons(count: int) -> list[str]:
    """One line each; about one in twenty says what another says, in a few other words."""
    chance = random.Random(SEED + count)
    vocabulary = words(chance, 4000 + count // 4)
    lines: list[str] = []
    for number in range(count):
        if lines and number % 20 == 0:
            told = chance.choice(lines).rstrip(".").split()
            told[chance.randrange(len(told))] = chance.choice(vocabulary)
            lines.append(" ".join(told) + ".")
        else:
            lines.append(prose(chance, 90, vocabulary))
    return lines


def together(memories: int, sessions: int) -> tuple[tuple[Memory, ...], tuple[Digest, ...]]:
    """All labelled projects as one store with its sessions, repeated under other names until there are as many."""
    known = projects(DATA / "scenarios")
    kept = [replace(one, id=f"{project.name}-{one.id}") for project in known for one in project.memories]
    talk = [digest.messages for project in known for digest in project.digests]
    return (
        tuple(replace(kept[n % len(kept)], id=f"{kept[n % len(kept)].id}-{n}") for n in range(memories)),
        tuple(Digest(n + 1, _renamed(talk[n % len(talk)], n)) for n in range(sessions)),
    )


def _renamed(messages: tuple[Message, ...], number: int) -> tuple[Message, ...]:
    return tuple(replace(one, session=f"{one.session}-{number}") for one in messages)


def store(folder: Path, count: int) -> None:
    """A store of ``count`` memories with its index."""
    folder.mkdir(parents=True)
    chance = random.Random(SEED)
    vocabulary = words(chance, 4000)
    index = ["# Memory", ""]
    for number, line in enumerate(lessons(count)):
        body = prose(chance, 500, vocabulary)
        head = f"---\nname: lesson-{number}\ndescription: {line}\ntype: project\n---\n"
        (folder / f"lesson-{number}.md").write_text(f"{head}\n{line} {body} See `src/unit{number}.py`.\n")
        index.append(f"- [Lesson {number}](lesson-{number}.md): {line}")
    (folder / "MEMORY.md").write_text("\n".join(index) + "\n")
