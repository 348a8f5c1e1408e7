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


def as_written(text: str, folder: Path) -> str:
    """Printed text with the folder of the README's example: it is part of the agent's folder names too."""
    key = re.sub("[^A-Za-z0-9]", "-", str(folder))
    return text.replace(key, "-tmp-memgit-demo").replace(str(folder), FOLDER)


def run_in(folder: Path, world, command: str, typed: str = "") -> str:
    """What a command line of the README prints, run by a shell as it is written, but for where the example lies."""
    env = {**world.env, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{world.env['PATH']}"}
    env["COLUMNS"] = "80"
    line = command.replace(FOLDER, shlex.quote(str(folder)))
    done = subprocess.run(["sh", "-c", line], env=env, input=typed, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return as_written(done.stdout, folder)


def test_the_example_prints_what_the_readme_shows(world):
    folder = world.root / "demo"
    for command, shown in steps():
        printed = run_in(folder, world, command)
        assert missing(shown, printed.split("\n")) == [], printed


PASTED = re.compile(rf"(?:`|  )({re.escape(FOLDER)}/memgit-demo [^`]+?)(?:`|$)", re.M)


def test_every_command_that_the_demo_prints_runs_when_it_is_pasted(world):
    folder = world.root / "demo"
    printed = run_in(folder, world, f"memgit demo {FOLDER}")
    known: dict[str, None] = {}
    for verb in ("show M1", "show retry-budget", "status", "check", "verify", "stores", "doctor", "log", "prune"):
        printed += run_in(folder, world, f"{FOLDER}/memgit-demo {verb}")
    known |= dict.fromkeys(PASTED.findall(printed))
    assert len(known) > 8, printed
    deciding = ("adopt", "discard", "undo", "redo", "review", "approve")
    order = sorted(known, key=lambda each: deciding.index(verb_of(each)) if verb_of(each) in deciding else -1)
    for command in order:
        if verb_of(command) == "discard":
            run_in(folder, world, f"{FOLDER}/memgit-demo undo")  # what adopting took away waits again
        run_in(folder, world, command, typed="q\n")
        if verb_of(command) == "discard":
            run_in(folder, world, f"{FOLDER}/memgit-demo undo")


def verb_of(command: str) -> str:
    return shlex.split(command)[1]


def test_the_readme_is_short():
    assert len(README.splitlines()) < 200


def commands(*, listed: bool = False) -> list[str]:
    from memgit.cli import app

    shown = [each for each in app.registered_commands if not (listed and each.hidden)]
    return [command.name or command.callback.__name__ for command in shown]


def test_the_page_of_commands_names_every_command_and_no_other():
    cells = "\n".join(line.split("|")[1] for line in page("COMMANDS").split("\n") if line.startswith("| `"))
    named = set(re.findall(r"[`,] ?(?:`)?(?:memgit )?([a-z]+)(?= |`)", cells))
    assert named == set(commands(listed=True))


def test_the_dozen_of_every_day_is_listed_first_and_the_rest_with_all(memgit, world, tmp_path):
    first = memgit("help", cwd=tmp_path, env={**world.env, "COLUMNS": "80"}).out
    rows = re.findall(r"^  ([a-z]+) {2,}", first[first.index("Commands:") :], re.M)
    assert len(rows) == 12
    every = memgit("help", "--all", cwd=tmp_path, env={**world.env, "COLUMNS": "80"}).out
    assert set(rows) < set(re.findall(r"^  ([a-z]+) {2,}", every, re.M))
    assert set(commands(listed=True)) <= set(re.findall(r"^  ([a-z]+) {2,}", every, re.M))
    assert (
        memgit("help", "show", cwd=tmp_path, env=world.env).out == memgit("show", "-h", cwd=tmp_path, env=world.env).out
    )
    assert memgit("-V", cwd=tmp_path, env=world.env).out == memgit("--version", cwd=tmp_path, env=world.env).out


def test_exit_codes_are_told_of_every_error():
    from memgit import errors

    rows = {int(code) for code in re.findall(r"^\| (\d+) \|", page("EXITS"), re.M)}
    classes = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.MemgitError)
    ]
    assert {each.code for each in classes} <= rows
    assert {0, 3, 70, 130} <= rows


def page(name: str) -> str:
    return (ROOT / "memgit" / f"{name}.md").read_text(encoding="utf-8")


def test_the_readme_names_every_page_and_all_that_it_names_are_there():
    named = set(re.findall(r"`(?:memgit/)?([A-Z]+)\.md`", README))
    assert {path.stem for path in (ROOT / "memgit").glob("*.md")} <= named


def written_commands() -> list[str]:
    """The command lines that pages name between backticks or in code, from their verb on."""
    pages = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "memgit").glob("*.md"))]
    lines = re.findall(r"(?:`|\$ )memgit ([a-z]+(?: [^`\n]*)?)(?:`|$)", "\n".join(pages), re.M)
    return sorted({line.split("  ")[0] for line in lines if line.split()[0] != "help"})


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
