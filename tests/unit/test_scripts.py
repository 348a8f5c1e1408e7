from __future__ import annotations

import pytest

from memgit.tree.scripts import reads_scripts, scripts_in


@pytest.mark.parametrize(
    ("path", "text", "scripts"),
    [
        (
            "Makefile",
            ".PHONY: all\nVAR := x\nall build: dep\n\tcmd: y\n%.o: %.c\ndb/reset::\n# no: comment\nX ?= a:b\n$(V): z\n",
            ("make all", "make build", "make db/reset"),
        ),
        ("tools/extra.mk", "lint:\n", ("make lint",)),
        ("package.json", '{"scripts": {"tokens:pull": "x", "verify": "y"}}', ("npm tokens:pull", "npm verify")),
        (
            "justfile",
            "set shell := ['sh']\nname := 'x'\n@deploy env='prod': build\n  echo a: b\nbuild:\nalias b := build\n",
            ("just deploy", "just build", "just b"),
        ),
        (
            "Taskfile.yml",
            "tasks:\n  build:\n    cmds:\n      - go build\n  'db:migrate': x\nother:\n  no: 1\n",
            ("task build", "task db:migrate"),
        ),
        (
            "pyproject.toml",
            "[project.scripts]\ns = 'a'\n[tool.poe.tasks]\nfmt = 'x'\n[tool.hatch.envs.docs.scripts]\nbuild = 'x'\n",
            ("python s", "python fmt", "python build", "python docs:build"),
        ),
        (".cargo/config.toml", "[alias]\nxtask = 'run'\n", ("cargo xtask",)),
        ("composer.json", '{"scripts": {"lint": ["a"]}}', ("composer lint",)),
        ("deno.json", '{"tasks": {"dev": "x"}}', ("deno dev",)),
    ],
)
def test_a_build_files_scripts_are_read_without_running_it(path: str, text: str, scripts: tuple[str, ...]) -> None:
    assert reads_scripts(path)
    assert scripts_in(path, text) == scripts


@pytest.mark.parametrize(
    "path", ["package.json", "pyproject.toml", "Taskfile.yml", "Makefile", "justfile", "deno.json"]
)
@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"scripts": 3}', "\0\ud800", "null", "[tool]\npoe = 1"])
def test_a_build_file_that_makes_no_sense_defines_nothing(path: str, text: str) -> None:
    assert scripts_in(path, text) == ()


def test_other_files_define_nothing() -> None:
    assert not reads_scripts("src/main.py")
    assert scripts_in("src/main.py", "deploy:\n") == ()
