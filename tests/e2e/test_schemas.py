"""What ``--json`` prints against the schemas that are shipped: real output of every command."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from memgit.core.schemas import KINDS, schema

CONSOLE = Path(__file__).parents[2] / "memgit" / "console"


def kind_of(found: dict) -> str:
    return found["schema"].removeprefix("memgit.").removesuffix("/1")


def valid(found: dict) -> str:
    """The kind of an object that keeps its schema."""
    Draft202012Validator(schema(kind_of(found))).validate(found)
    return kind_of(found)


def answered() -> set[str]:
    """The kinds that the console's modules print, read from their source."""
    calls = (
        node
        for path in CONSOLE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "answer"
    )
    return {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}


def test_every_kind_that_is_printed_has_a_schema_and_no_schema_is_left_over():
    assert set(KINDS) == answered() | {"pass"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_sound_and_demands_something(kind):
    Draft202012Validator.check_schema(schema(kind))
    with pytest.raises(ValidationError):
        Draft202012Validator(schema(kind)).validate({"schema": f"memgit.{kind}/1"})


def test_the_demo_as_json_is_a_pass_and_names_its_command(memgit, world, tmp_path):
    made = memgit("demo", tmp_path / "demo", "--json", cwd=tmp_path, env=world.env).json
    assert (valid(made), made["state"], len(made["decisions"])) == ("pass", "ready", 5)
    assert made["example"] == {"folder": str(tmp_path / "demo"), "command": str(tmp_path / "demo" / "memgit-demo")}


def test_the_life_of_a_pass_keeps_its_schemas(person, hosted, go, tmp_path, world):
    assert valid(go("status")[1]) == "status"
    _, planned = go("plan")
    assert valid(planned) == "pass"
    reply = {"schema": "memgit.candidates/1", "pass": planned["pass"], "batch": 1, "candidates": []}
    (tmp_path / "reply.json").write_text(json.dumps(reply))
    (tmp_path / "text").write_text("DEPLOY_WINDOW_MINUTES")
    assert valid(go("propose", planned["pass"], str(tmp_path / "reply.json"))[1]) == "proposed"
    assert valid(go("discard", planned["pass"])[1]) == "done"
    passed = hosted()
    assert (valid(passed), len(passed["decisions"])) == ("pass", 2)
    assert valid(go("show")[1]) == "pass"
    for command, kind in [
        (("log",), "log"),
        (("log", "--graph"), "graph"),
        (("diff",), "diff"),
        (("diff", "--tool", "true"), "compared"),
        (("review",), "review"),
        (("report", "--html", str(tmp_path / "page.html")), "report"),
        (("adopt", passed["pass"]), "done"),
        (("ops",), "ops"),
        (("history", "deploy-window"), "history"),
        (("undo",), "done"),
        (("status",), "status"),
        (("check",), "check"),
        (("check", "--full"), "check"),
        (("verify",), "verify"),
        (("doctor",), "doctor"),
        (("doctor", "--repair"), "repair"),
        (("export", str(tmp_path / "bundle")), "sync"),
        (("redact", "--match", str(tmp_path / "text")), "redact"),
    ]:
        _, found = go(*command)
        assert (command, valid(found)) == (command, kind)


def test_what_agents_and_everyday_commands_print_keeps_its_schemas(example, go):
    for command, kind in [
        (("remember", "deploy-owner", "-d", "Mira owns the deploys", "-b", "Mira owns the deploys."), "remembered"),
        (("remember", "x", "-d", "", "-b", ""), "remembered"),
        (("extract", "--session", "7f2a9c14"), "facts"),
        (("inject",), "inject"),
        (("hooks", "install"), "hooks-change"),
        (("hooks", "status"), "hooks"),
        (("config",), "config"),
        (("config", "--path"), "config-path"),
        (("config", "--example"), "config-example"),
        (("completion", "bash"), "completion"),
        (("schema",), "schema"),
        (("audit",), "pass"),
        (("audit", "--all"), "audits"),
        (("prune",), "prune"),
        (("show", "1999"), "error"),
        (("nonsense",), "error"),
    ]:
        _, found = go(*command)
        assert (command, valid(found)) == (command, kind), found


def test_a_schema_is_printed_by_its_kind_and_an_unknown_kind_is_refused(example, memgit, go):
    assert memgit("schema", "log", cwd=example.project, env=example.env).json == schema("log")
    code, found = go("schema", "nothing")
    assert (code, found["error"]["message"]) == (2, "There is no kind nothing.")
