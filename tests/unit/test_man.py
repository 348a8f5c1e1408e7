"""The man page: made of the commands, true, and readable."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from memgit.cli import app
from memgit.cli.man import page, text
from memgit.core.configuration import KEYS

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "memgit" / "man" / "memgit.1"


def test_the_shipped_page_is_what_the_commands_make():
    assert SHIPPED.read_text(encoding="utf-8") == page(), "python -m memgit.cli.man > memgit/man/memgit.1"


def test_every_command_every_key_and_every_exit_code_is_on_it():
    lines = page().split("\n")
    named = {line.split()[2].replace("\\-", "-") for line in lines if line.startswith(".SS memgit ")}
    assert named == {
        command.name or command.callback.__name__.rstrip("_")
        for command in app.registered_commands
        if not command.hidden
    }
    assert {f".B {key.variable}" for key in KEYS} <= set(lines)
    assert {f".B {code}" for code in (0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16, 17, 70, 130)} <= set(lines)


@pytest.mark.parametrize(
    ("words", "roff"),
    [
        (".profile", "\\&.profile"),
        ("a\n'quoted'", "a\n\\&'quoted'"),
        ("back\\slash", "back\\eslash"),
        ("--yes", "\\-\\-yes"),
    ],
)
def test_no_word_is_taken_for_a_request(words, roff):
    assert text(words) == roff


def test_it_is_put_where_man_looks():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert built["targets"]["wheel"]["shared-data"] == {"memgit/man/memgit.1": "share/man/man1/memgit.1"}


def test_roff_finds_nothing_to_complain_of():
    if shutil.which("groff") is None:
        pytest.skip("there is no groff here")
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-z", str(SHIPPED)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
