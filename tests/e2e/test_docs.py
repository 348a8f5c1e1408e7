"""The README against the program: its example is run, its commands and exit codes are those there are."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FOLDER = "/tmp/memgit-demo"


def fences(mark: str) -> list[str]:
    return re.findall(rf"^```{re.escape(mark)}\n(.*?)^```$", README, re.M | re.S)


def steps() -> list[tuple[str, list[str]]]:
    """Each command of the README's example, and the lines that stand below it."""
    parts = re.split(r"^\$ (.+)\n", "\n".join(fences("console")), flags=re.M)[1:]
    return [(command, shown.strip("\n").split("\n")) for command, shown in zip(parts[::2], parts[1::2], strict=True)]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """Shown lines that the output lacks. ``…`` stands for any lines; what is between two of them is contiguous."""
    at, problems = 0, []
    for block in re.split(r"^…$", "\n".join(shown), flags=re.M):
        wanted = block.strip("\n").split("\n")
        found = next((i for i in range(at, len(printed)) if printed[i : i + len(wanted)] == wanted), None)
        if found is None:
            problems.append("\n".join(wanted))
        else:
            at = found + len(wanted)
    return problems


def test_the_example_prints_what_the_readme_shows(world):
    # The path is part of what is printed, and of the agent's folder name, so both are put back to the README's.
    folder = world.root / "demo"
    here = {**world.env, "PYTHONPATH": str(ROOT)}
    demo = subprocess.run(
        [sys.executable, "-m", "memgit", "demo", folder], env=here, capture_output=True, text=True, check=True
    )
    key = re.sub("[^A-Za-z0-9]", "-", str(folder))
    for command, shown in steps():
        verb = shlex.split(command)[1:]
        if verb == ["curate"]:
            output = demo.stdout
        else:
            done = subprocess.run([folder / "memgit-demo", *verb], env=here, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            output = done.stdout
        printed = output.replace(key, "-tmp-memgit-demo").replace(str(folder), FOLDER)
        printed = printed.replace(f"{FOLDER}/memgit-demo ", "memgit ").split("\n")
        assert missing(shown, printed) == [], output


def commands() -> list[str]:
    from memgit.cli import app

    return [command.name or command.callback.__name__ for command in app.registered_commands]


def test_the_readme_names_every_command_and_no_other():
    table = README[README.index("## Commands") : README.index("| exit |")]
    cells = "\n".join(line.split("|")[1] for line in table.split("\n") if line.startswith("| `"))
    named = set(re.findall(r"[`,] ?(?:`)?(?:memgit )?([a-z]+)(?= |`)", cells))
    assert named == set(commands())


def test_the_readme_gives_the_exit_code_of_every_error():
    from memgit import errors

    rows = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.M)}
    classes = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.MemgitError)
    ]
    assert {each.code for each in classes} <= rows
    assert {0, 3, 70, 130} <= rows


def written_commands() -> list[str]:
    """The command lines that pages name between backticks or in code, from their verb on."""
    pages = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "memgit").glob("*.md"))]
    lines = re.findall(r"(?:`|\$ )memgit ([a-z]+(?: [^`\n]*)?)(?:`|$)", "\n".join(pages), re.M)
    return sorted({line.split("  ")[0] for line in lines})


@pytest.mark.parametrize("written", written_commands())
def test_a_command_line_that_is_written_down_has_options_that_exist(written):
    from memgit.cli import app

    verb, *rest = re.split(r"[\s=]+", written)
    known = {option for each in get_command(app).get_command(None, verb).params for option in each.opts}
    assert {word for word in rest if word.startswith("--")} <= known


@pytest.mark.parametrize("name", commands())
def test_the_help_of_a_command_fits_a_screen_and_has_an_example(name, memgit, world, tmp_path):
    shown = memgit(name, "--help", cwd=tmp_path, env={**world.env, "COLUMNS": "80"}).out
    assert "Example: memgit " + name in shown
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 80


def test_the_list_of_commands_fits_a_screen_and_cuts_no_sentence(memgit, world, tmp_path):
    shown = memgit("--help", cwd=tmp_path, env={**world.env, "COLUMNS": "80"}).out
    assert "..." not in shown.replace("[ARGS]...", "")
    assert max(map(len, shown.splitlines())) <= 80
