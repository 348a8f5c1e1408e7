"""What CONTRIBUTING says of a change is true: its files are there, and no other file has to be touched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.cli import app
from memgit.cli.man import page
from memgit.rulings.doubts import DOUBTS, STRICT
from memgit.text import language as languages_of

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    if line.startswith(("| a ", "| what "))
]
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "memgit").rglob("*.py"))}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_file_that_a_change_touches_is_there(row):
    named = re.findall(r"`((?:memgit|tests)/[^` ]*|README\.md)`", row)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_language_is_one_file(tmp_path, monkeypatch):
    for shipped in languages_of._FOLDER.glob("*.toml"):
        (tmp_path / shipped.name).write_bytes(shipped.read_bytes())
    (tmp_path / "xx.toml").write_text('common = "zul bel mir tok"\nalways = "tokzul"\n', encoding="utf-8")
    monkeypatch.setattr(languages_of, "_FOLDER", tmp_path)
    forget()
    try:
        assert languages_of.language("Bel mir zul tok grel.") == "xx"
        assert languages_of.lexicon("xx").found("always", "Bel tokzul mir.") == ("tokzul",)
    finally:
        forget()


def forget() -> None:
    for known in vars(languages_of).values():
        if hasattr(known, "cache_clear"):
            known.cache_clear()


@pytest.mark.parametrize("doubt", [*DOUBTS, *STRICT], ids=lambda doubt: doubt.__name__)
def test_a_doubt_is_named_by_nothing_else(doubt):
    assert [path.name for path, source in SOURCES.items() if re.search(rf"\b{doubt.__name__}\b", source)] == [
        "doubts.py"
    ]


def verbs() -> Iterator[tuple[str, str]]:
    """Each verb of the command line with the module that has it."""
    for path, source in SOURCES.items():
        if path.parent.name == "cli":
            for node in ast.parse(source).body:
                if isinstance(node, ast.FunctionDef) and any("command(" in ast.unparse(d) for d in node.decorator_list):
                    yield node.name.rstrip("_").replace("_", "-"), path.stem


def test_a_verb_is_one_function_of_the_command_line():
    known = dict(verbs())
    assert len(known) > 30
    named = {line.split()[2].replace("\\-", "-") for line in page().splitlines() if line.startswith(".SS memgit ")}
    assert named <= known.keys()  # what is hidden has no place on it
    assert {each.callback.__name__.rstrip("_").replace("_", "-") for each in app.registered_commands} == known.keys()
