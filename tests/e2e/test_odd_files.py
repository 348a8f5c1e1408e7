"""Whatever lies where memgit looks, every command answers soon, and none has a fault: places times forms, sampled."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEMORY = 3 << 30
PATIENCE = 20.0
BUG = 70


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(30 << 30)


def _aged(seconds: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_text("---\nname: odd\ndescription: odd\n---\n\nOdd.\n")
        os.utime(path, (seconds, seconds))

    return make


FORMS: dict[str, Callable[[Path], object]] = {
    "endless link": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "loop": lambda path: path.symlink_to(path.name),
    "folder": Path.mkdir,
    "sparse": _sparse,
    "nested arrays": lambda path: path.write_text("[" * 200_000),
    "nested objects": lambda path: path.write_text('{"a":' * 50_000),
    "nested YAML": lambda path: path.write_text("---\nname: " + "[" * 20_000 + "\n---\n"),
    "YAML of aliases": lambda path: path.write_text(
        "---\na: &a [x, x]\n"
        + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True))
        + "---\n"
    ),
    "nested Markdown": lambda path: path.write_text(">" * 20_000 + "\n" + "[" * 20_000 + "\n" + "*a_" * 20_000),
    "one line": lambda path: path.write_text("a`b|" * 400_000),
    "NUL": lambda path: path.write_bytes(bytes(4096)),
    "no UTF-8": lambda path: path.write_bytes(b'\xff\xfe{"a":1}\xed\xa0\x80'),
    "a number": lambda path: path.write_text("1" * 5_000),
    "a list": lambda path: path.write_text("[1,2]"),
    "other types": lambda path: path.write_text(
        json.dumps({"hooks": [1], "autoMemoryDirectory": [1], "env": 7, "cleanupPeriodDays": 10**30, "timestamp": {}})
    ),
    "before all time": _aged(-(2**33)),
    "after all time": _aged(2**34 - 1),
}

PLACES = (
    *(
        f"project/{name}"
        for name in (".claude/settings.json", ".claude/settings.local.json", "memgit.toml", "CLAUDE.md")
    ),
    *(f"project/{name}" for name in ("AGENTS.md", ".git/HEAD", ".git/config", ".git/packed-refs", ".gitignore")),
    *(f"project/{name}" for name in ("package.json", "pyproject.toml", "Makefile", ".beads/metadata.json")),
    *(f"home/{name}" for name in (".claude/settings.json", ".claude/sessions/1.json", ".claude.json")),
    *(f"home/{name}" for name in (".config/memgit-curator/memgit.toml", ".codex/config.toml")),
    *(f"home/.claude/projects/-other/{name}" for name in ("memory/MEMORY.md", "memory/odd.md", "a.jsonl")),
    *(f"store/{name}" for name in ("MEMORY.md", "odd.md", "team/odd.md", "odd.png", "../odd.jsonl")),
)

COMMANDS = (
    "status",
    "check",
    "verify",
    "audit",
    "curate --dry-run",
    "doctor",
    "stores",
    "hooks status",
    "prune",
    "snapshot",
)
SAMPLE = 10


def test_nothing_that_lies_in_the_way_stops_a_command(render_scenario, pytestconfig, capsys):
    example = render_scenario("checkout-api")
    roots = {"project": example.project, "home": Path(example.env["HOME"]), "store": example.store}
    pairs = [(place, form) for place in PLACES for form in FORMS]
    chance = random.Random(17)
    chosen = pairs if pytestconfig.getoption("--whole") else chance.sample(pairs, SAMPLE)
    wrong = [
        f"{form} at {place}: {told}" for place, form in chosen for told in _tried(roots, place, form, example, chance)
    ]
    with capsys.disabled():
        print(f"\nodd files: {len(chosen)} of {len(pairs)} places and forms tried, {len(wrong)} wrong")
    assert wrong == []


def _tried(roots: dict[str, Path], place: str, form: str, example, chance: random.Random) -> list[str]:
    root, _, name = place.partition("/")
    path = roots[root] / name
    kept = path.with_name(f"{path.name}.kept")
    made = not path.parent.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        path.rename(kept)
    try:
        FORMS[form](path)
        return [told for command in chance.sample(COMMANDS, 3) if (told := _run(command, example))]
    finally:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if kept.exists():
            kept.rename(path)
        elif made:
            shutil.rmtree(path.parent)


def _run(command: str, example) -> str:
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "memgit", *command.split(), "--now", example.now],
            cwd=example.project,
            env={**example.env, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE + 5,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        return f"{command} does not end"
    if done.returncode == BUG or done.returncode < 0 or b"Traceback" in done.stderr:
        return f"{command} ended with {done.returncode}: {done.stderr[-200:]!r}"
    return f"{command} took too long" if time.monotonic() - began > PATIENCE else ""
