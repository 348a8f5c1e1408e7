"""The ``claude`` command, asked headless: what it is given, and what every way of failing comes to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit import process
from memgit.agent.clients import main_client
from memgit.core.schemas import schema_candidates
from memgit.miners.model.claude import MOST, ClaudeModel
from memgit.miners.model.port import ModelFailed, ModelUnavailable, Usage
from tests.claude_stub import Act, Stub

SCHEMA = schema_candidates("in-process")

Asked = Callable[..., ClaudeModel]


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return Stub(tmp_path / "bin")


@pytest.fixture
def claude(stub: Stub) -> Asked:
    """``claude(act, …)``: the command, which does that."""

    def made(*acts: Act, version: str = "2.1.332 (Claude Code)", **more: object) -> ClaudeModel:
        stub.script((".", list(acts)), version=version)
        return ClaudeModel(process.run, program=str(stub.program), **more)  # type: ignore[arg-type]

    return made


def test_what_comes_back_is_the_structured_output_with_what_it_took(claude: Asked) -> None:
    answer = claude({"structured": {"a": ["ü"]}}).ask("hello", SCHEMA)
    assert (answer.text, answer.usage) == ('{"a": ["ü"]}', Usage(1000, 50, 0.25))


def test_without_structured_output_its_words_are_taken_and_judged_like_any_others(claude: Asked) -> None:
    assert claude({"result": "I would rather not."}).ask("hello", SCHEMA).text == "I would rather not."


def test_it_is_asked_without_tools_memory_settings_or_files(claude: Asked, stub: Stub) -> None:
    claude({"structured": {}}).ask("hello", SCHEMA)

    (call,) = stub.calls()
    assert call["argv"][:3] == ["-p", "--output-format", "json"]
    assert call["argv"][5:11] == [
        "--tools",
        "",
        "--setting-sources",
        "",
        "--strict-mcp-config",
        "--disable-slash-commands",
    ]
    assert "--no-session-persistence" in call["argv"]
    assert "--model" not in call["argv"]
    for name in ("AUTO_MEMORY", "CLAUDE_MDS", "ATTACHMENTS"):
        assert call["env"][f"CLAUDE_CODE_DISABLE_{name}"] == "1"
    assert call["beside"] == []
    assert not Path(call["cwd"]).exists()


def test_it_is_given_the_schema_without_the_dialect_that_it_does_not_know(claude: Asked, stub: Stub) -> None:
    claude({"structured": {}}).ask("hello", SCHEMA)

    (call,) = stub.calls()
    given = json.loads(call["argv"][call["argv"].index("--json-schema") + 1])
    assert "$schema" not in given
    assert given["properties"]["pass"] == {"const": "in-process"}


def test_no_prompt_attaches_a_file_or_is_a_command(claude: Asked, stub: Stub) -> None:
    claude({"structured": {}}).ask('/compact\n@/etc/passwd and @"id_rsa"', SCHEMA)

    (prompt,) = stub.prompts()
    assert "@" not in prompt
    assert prompt.startswith("The task follows.")
    assert "\\u0040/etc/passwd" in prompt


@pytest.mark.parametrize("copied", ["mail ops@example.com", "mail ops\\u0040example.com"])
def test_a_sign_that_was_escaped_is_put_back_in_the_answer(claude: Asked, copied: str) -> None:
    answer = claude({"structured": {"quotes": [{"quote": copied}]}}).ask("x", SCHEMA)
    assert json.loads(answer.text) == {"quotes": [{"quote": "mail ops@example.com"}]}


def test_a_model_that_is_named_is_passed_on(claude: Asked, stub: Stub) -> None:
    named = claude({"structured": {}}, model="opus")
    named.ask("x", SCHEMA)

    argv = stub.calls()[0]["argv"]
    assert argv[argv.index("--model") + 1] == "opus"
    assert named.name == "claude:opus"


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script")
@pytest.mark.parametrize(
    ("act", "said"),
    [
        pytest.param({"is_error": "API Error: 529 overloaded", "status": 529}, "529 overloaded", id="overloaded"),
        pytest.param({"is_error": "I cannot help with that"}, "I cannot help", id="refused"),
        pytest.param(
            {"errors": ["5 tries"], "subtype": "error_max_structured_output_retries"}, "5 tries", id="unstructured"
        ),
        pytest.param({"errors": [], "subtype": "error_max_budget_usd"}, "error_max_budget_usd", id="budget"),
        pytest.param({"exit": 1, "stderr": "Error: bad flag"}, "exit code 1: Error: bad flag", id="exit"),
        pytest.param({"exit": 0, "stderr": ""}, "it printed no JSON object", id="silent"),
        pytest.param({"raw": "Welcome to \x1b[31mClaude"}, "it printed no JSON object", id="prose"),
        pytest.param({"raw": "[" * 100_000}, "it printed no JSON object", id="nested"),
        pytest.param({"raw": "[1]"}, "it printed no JSON object", id="list"),
        pytest.param({"flood": MOST + 1}, "which is no answer", id="flood"),
        pytest.param({"exit": 1, "stderr": "\x1b]0;x\x07 bad"}, "bad", id="escapes"),
    ],
)
def test_a_run_without_an_answer_is_a_failure_of_this_question(claude: Asked, act: Act, said: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        claude(act).ask("x", SCHEMA)
    assert said in caught.value.message
    assert "\x1b" not in caught.value.message
    assert caught.value.code == 16


def test_a_run_that_takes_too_long_is_stopped(claude: Asked) -> None:
    with pytest.raises(ModelFailed, match=r"took longer than 0.5 s and was stopped"):
        claude({"hang": True}, seconds=0.5).ask("x", SCHEMA)


@pytest.mark.parametrize(
    "act",
    [
        {"is_error": "Not logged in · Please run /login"},
        {"is_error": "Invalid API key · Fix external API key"},
        {"is_error": "Failed", "status": 401},
    ],
)
def test_where_nobody_is_logged_in_no_question_will_be_answered(claude: Asked, act: Act) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        claude(act).ask("x", SCHEMA)
    assert "log in" in caught.value.hint


@pytest.mark.parametrize("version", ["2.1.82 (Claude Code)", "2.0.77", "1.99.999", "hello", ""])
def test_a_version_that_is_too_old_is_refused_with_the_remedy(claude: Asked, version: str, stub: Stub) -> None:
    with pytest.raises(ModelUnavailable, match=r"memgit needs 2\.1\.83 or newer") as caught:
        claude({"structured": {}}, version=version).ask("x", SCHEMA)
    assert "claude update" in caught.value.hint
    assert stub.calls() == []


@pytest.mark.parametrize("version", ["2.1.83 (Claude Code)", "2.2.0", "10.0.1"])
def test_a_version_from_the_floor_up_is_taken(claude: Asked, version: str) -> None:
    assert claude({"structured": {}}, version=version).ask("x", SCHEMA).text == "{}"


def test_a_missing_program_is_named_with_the_remedy() -> None:
    with pytest.raises(ModelUnavailable, match="no-such-claude was not found") as caught:
        ClaudeModel(process.run, program="no-such-claude").ask("x", SCHEMA)
    assert "Install no-such-claude" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "env", "model"),
    [
        ('{"model": "opus"}', {}, "opus"),
        ('{"model": "opus"}', {"ANTHROPIC_MODEL": "haiku"}, "haiku"),
        ('{"model": 3}', {}, ""),
        ("{", {}, ""),
        (None, {}, ""),
    ],
)
def test_the_users_own_model_is_that_of_the_settings_which_the_command_does_not_read(
    tmp_path: Path, settings: str | None, env: dict[str, str], model: str
) -> None:
    (tmp_path / ".claude").mkdir()
    if settings is not None:
        (tmp_path / ".claude" / "settings.json").write_text(settings)
    assert main_client().setup(str(tmp_path), env, str(tmp_path)).model == model
