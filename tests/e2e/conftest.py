"""The worked example, and commands run in the tests' own process."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from memgit.cli import run
from tests.conftest import Ran
from tests.hosting import decided

ROOT = Path(__file__).parents[2]


@pytest.fixture
def example(render_scenario):
    return render_scenario("checkout-api")


@pytest.fixture
def go(example, monkeypatch, capsys):
    """``go(*arguments)`` runs a command in this process, in the example's project: exit code and the object printed."""
    monkeypatch.chdir(example.project)
    monkeypatch.setenv("HOME", example.env["HOME"])

    def ran(*arguments: str) -> tuple[int, dict]:
        code = run([*map(str, arguments), "--json", "--now", example.now])
        return code, json.loads(capsys.readouterr().out)

    return ran


@pytest.fixture
def ask(example, memgit):
    """``ask(*arguments, stdin=…)`` runs a command as a program of its own in the example's project."""

    def ran(*arguments: str, stdin: str = "") -> Ran:
        return memgit(*arguments, "--now", example.now, cwd=example.project, env=example.env, stdin=stdin)

    return ran


@pytest.fixture
def hosted(ask):
    """``hosted()``: a pass over the example as its host decided it: ``deploy-window`` is replaced (M1), and the two on
    retries are merged (M2). What ``decide --json`` prints."""
    return partial(decided, ask, "checkout-api", order=(1, 0))


@pytest.fixture
def typed(example):
    """``typed(*arguments, columns=…, **env)``: what a terminal shows of a command."""

    def run(*arguments: str, columns: int = 80, **env: str) -> str:
        master, slave = pty.openpty()
        done = subprocess.Popen(
            [sys.executable, "-m", "memgit", *arguments],
            cwd=example.project,
            env={
                **example.env,
                "PYTHONPATH": str(ROOT),
                "COLUMNS": str(columns),
                "LINES": "24",
                "TERM": "xterm",
                **env,
            },
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(master)
        assert done.wait() == 0, shown
        return shown.decode().replace("\r\n", "\n")

    return run
