"""Every exit code that a command can end with, and the object that ``--json`` prints with each failure."""

from __future__ import annotations

import errno
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memgit import errors, faults
from memgit.cli import run
from memgit.vault import Vault

REPOSITORY = Path(__file__).parents[2]


def no_place(go: Callable) -> None:
    """A place for the vaults that is a file."""
    Path("file").write_text("")
    os.environ["MEMGIT_DATA_HOME"] = str(Path("file").absolute())


def no_history(go: Callable) -> None:
    Path("empty-home").mkdir()
    os.environ["HOME"] = str(Path("empty-home").absolute())


def nothing(go: Callable) -> None:
    """The example as it is."""


def snapshot(go: Callable) -> None:
    assert go("snapshot")[0] == 0


def no_git(go: Callable) -> None:
    os.environ["PATH"] = str(Path("nowhere").absolute())


def a_store_that_moved(go: Callable) -> None:
    """Pass 1 was decided on a store that has changed since, in a memory that the pass changes too."""
    _, passed = go("curate")
    Path(passed["store"]["path"], "deploy-window.md").write_text("Written meanwhile.\n")


def damage(go: Callable) -> None:
    snapshot(go)
    (vault,) = Path(os.environ["XDG_DATA_HOME"], "memgit-curator").iterdir()
    broken = next(path for path in (vault / "objects").glob("??/*") if path.is_file())
    broken.chmod(0o600)
    broken.write_bytes(b"no object")


def a_reply(go: Callable) -> None:
    assert go("plan")[0] == 0
    Path("reply.json").write_text('{"schema": "memgit.candidates/1", "pass": "2026", "batch": "one"}')


CASES = {
    1: (no_place, ["curate"], "failed"),
    2: (nothing, ["curate", "--miner", "nobody"], "usage"),
    10: (no_history, ["curate"], "no-history"),
    12: (a_store_that_moved, ["adopt", "2026-06-30.1"], "store-changed"),
    13: (snapshot, ["adopt", "2020-01-01.1"], "wrong-state"),
    15: (a_reply, ["propose", "2026", "reply.json"], "bad-reply"),
    16: (no_git, ["curate"], "tool-failed"),
}
"""Code: what is done before, the command that fails with it, and the kind in its JSON."""

ELSEWHERE = {3, 11, 14, 17, 70, 130}
"""Codes with a test of their own below: partial success, other processes, cut short, damage, faults, Ctrl-C."""


@pytest.fixture(autouse=True)
def environment(world):
    """What a case does to the environment ends with its test."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def is_error(said: dict, code: int, kind: str) -> bool:
    assert said["schema"] == "memgit.error/1"
    assert set(said) == {"schema", "error"}
    assert set(said["error"]) == {"code", "kind", "message", "hint"}
    assert all(isinstance(said["error"][field], str) for field in ("kind", "message", "hint"))
    assert said["error"]["message"]
    return (said["error"]["code"], said["error"]["kind"]) == (code, kind)


@pytest.mark.parametrize("code", CASES)
def test_a_failure_has_its_code_and_its_object(code, go):
    prepare, arguments, kind = CASES[code]
    prepare(go)
    ended, said = go(*arguments)
    assert ended == code
    assert is_error(said, code, kind)


def test_every_error_class_has_a_case():
    codes = {each.code for _, each in inspect.getmembers(errors, inspect.isclass)}
    assert codes <= set(CASES) | ELSEWHERE


@pytest.mark.parametrize("arguments", [["curate", "--dry-run"], ["curate"], ["status"], ["verify"], ["check"]])
def test_success_is_0(arguments, go):
    assert go(*arguments)[0] == 0


def test_findings_are_exit_3_under_strict_only(example, go):
    (example.store / "unlisted.md").write_text("Nobody lists this.\n")
    snapshot(go)
    assert (go("check")[0], go("check", "--strict")[0]) == (0, 3)


def test_a_vault_in_use_is_exit_11_and_names_who_uses_it(go, world, monkeypatch):
    snapshot(go)
    (vault,) = world.data_home.iterdir()
    script = (
        "import sys; from pathlib import Path; from datetime import UTC, datetime; from memgit.vault import Vault\n"
        "vault = Vault.open(Path(sys.argv[1]), clock=lambda: datetime.now(UTC), who={'host': 'here', 'pid': '7'})\n"
        "with vault.lock('adopt'): print('held', flush=True); sys.stdin.read()\n"
    )
    argv, env = [sys.executable, "-c", script, str(vault)], {**world.env, "PYTHONPATH": str(REPOSITORY)}
    monkeypatch.setattr(Vault.lock, "__defaults__", (0.0,))  # seconds to wait for the other
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as other:
        assert other.stdout.readline() == b"held\n"
        code, said = go("undo")
        other.stdin.close()
    assert code == 11
    assert is_error(said, 11, "locked")
    assert "host here, command adopt" in said["error"]["message"]


@contextmanager
def no_space_at(point: str, after: str = "") -> Iterator[None]:
    """The disk is full when a change reaches ``point``, once it has passed the point ``after``."""
    passed = [not after]

    def strike(reached: str) -> None:
        if passed[0] and reached == point:
            raise OSError(errno.ENOSPC, "No space left on device")
        passed[0] = passed[0] or reached == after

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "_ACTION", "error")
        patch.setattr(faults, "_strike", strike)
        yield


@pytest.fixture
def ready(example, go):
    """A pass that changes the index, to be adopted."""
    (example.store / "unlisted.md").write_text("Nobody lists this.\n")
    return go("curate")[1]["pass"]


def test_a_change_cut_short_is_exit_14_and_recover_ends_it(ready, go):
    with no_space_at("close-journal"):
        code, said = go("adopt", ready)
    assert code == 14
    assert is_error(said, 14, "unfinished")
    assert "memgit recover" in said["error"]["hint"]
    assert go("status")[1]["unfinished"]
    assert go("recover")[0] == 0
    assert not go("status")[1]["unfinished"]


def test_a_change_that_is_whole_is_not_called_a_failure_by_its_last_step(ready, go):
    with no_space_at("fsync-folder", after="close-journal"):
        assert go("adopt", ready)[0] == 0
    assert go("log")[1]["passes"][0]["state"] == "adopted"


def test_damage_is_exit_17_and_says_what_is_left(go):
    damage(go)
    code, said = go("check", "--full")
    assert code == 17
    assert any(found["damage"] and found["area"] == "vault" for found in said["findings"])


def test_a_fault_of_memgit_is_exit_70_and_leaves_a_report(go, monkeypatch):
    snapshot(go)
    monkeypatch.setattr("memgit.console.looking.logged", lambda *_: 1 / 0)
    code, said = go("log")
    assert code == 70
    assert is_error(said, 70, "bug")
    report = Path(said["error"]["hint"].removeprefix("A report is in ").removesuffix("."))
    assert "ZeroDivisionError" in report.read_text()
    assert report.stat().st_mode & 0o077 == 0


def test_ctrl_c_is_exit_130(go, monkeypatch, capsys):
    class Interrupted:
        @property
        def buffer(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert run(["decide", "2026", "-"]) == 130


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["restore"], ["curate", "--token-budget", "0"], ["log", "--no"]]
)
def test_a_line_that_no_command_takes_is_exit_2_with_help_at_hand(arguments, go, capsys):
    assert run(arguments) == 2
    assert "--help" in capsys.readouterr().err
    assert run([*arguments, "--json"]) == 2
    assert is_error(json.loads(capsys.readouterr().out), 2, "usage")


def test_without_a_command_the_help_is_printed_as_it_is(go, capsys):
    assert run([]) == 2
    assert capsys.readouterr().err.startswith("Usage: memgit ")


def test_a_reader_that_has_seen_enough_is_told_nothing_and_ends_it_like_other_programs(go, world):
    snapshot(go)
    argv = [sys.executable, "-c", "from memgit._entry import main; main()", "ops"]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        command.stdout.close()
        said = command.stderr.read()
    assert (command.returncode, said) == (141, b"")


@pytest.mark.parametrize("verb", ["status", "check", "curate", "snapshot", "log", "diff"])
def test_a_mistyped_store_is_an_error_and_makes_no_vault(go, example, world, verb):
    code, answer = go(verb, "--store", f"{example.store.parent}/memroy")
    assert (code, answer["error"]["kind"]) == (2, "usage")
    assert "memroy" in answer["error"]["message"]
    assert not world.data_home.exists()
