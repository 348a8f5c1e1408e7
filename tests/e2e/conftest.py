"""The worked example, and commands run in the tests' own process."""

from __future__ import annotations

import json

import pytest

from memgit.cli import run


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
