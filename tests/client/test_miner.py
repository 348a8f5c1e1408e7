"""``memgit curate --miner claude`` with the real client, whose model is the loopback stand-in."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest

from tests.client.conftest import BINARY, Client
from tests.conftest import Scenario
from tests.e2e.test_model_pass import CHOSEN, SHORTER
from tests.scripted_model import candidates, decisions

PRIVATE = "what only the user may read"


def answers(reply: str) -> list[object]:
    """A turn in which the model fills in the schema that it was given."""
    return [[{"tool": "StructuredOutput", "input": json.loads(reply)}]]


@pytest.fixture
def example(render_scenario) -> Scenario:  # type: ignore[no-untyped-def]
    return render_scenario("checkout-api")  # type: ignore[no-any-return]


@pytest.fixture
def rules() -> list[dict[str, object]]:
    return [
        {"when": "# Mine batch", "in": "user", "turns": answers(candidates(SHORTER))},
        {"when": "# Decide", "in": "user", "turns": answers(decisions(CHOSEN))},
    ]


@pytest.fixture
def user(client: Client, example: Scenario) -> Client:
    """The example's user, who has the client on the path, and a memory that would attach a file."""
    key = example.home / "key"
    key.write_text(PRIVATE)
    (example.store / "mail.md").write_text(f"---\nname: mail\n---\n\nAsk @{key} or ops@example.com.\n")
    path = f"{BINARY.absolute().parent}:{client.env['PATH']}"
    env = {**client.env, "HOME": str(example.home), "PATH": path, "CLAUDECODE": "1"}
    return replace(client, project=example.project, store=example.store, env=env)


def test_a_pass_by_the_real_client_ends_with_a_candidate(user: Client, example: Scenario) -> None:
    before = {path.name: path.read_bytes() for path in example.store.glob("*.md")}
    transcripts = sorted((example.home / ".claude" / "projects").rglob("*.jsonl"))
    command = ["memgit", "curate", "--miner", "claude", "--json", "--now", example.now]
    done = subprocess.run(command, cwd=user.project, env=dict(user.env), capture_output=True, text=True, timeout=180)

    assert done.returncode == 0, done.stdout + done.stderr
    passed = json.loads(done.stdout)
    assert [(each["kind"], each["memories"]) for each in passed["decisions"]] == [("replace", ["deploy-window"])]
    assert {path.name: path.read_bytes() for path in example.store.glob("*.md")} == before
    assert sorted((example.home / ".claude" / "projects").rglob("*.jsonl")) == transcripts

    mined, decided, *doubted = user.requests()
    for asked in (mined, decided, *doubted):
        assert [each["name"] for each in json.loads(asked)["tools"]] == ["StructuredOutput"]
        assert "MEMORY.md" not in asked
        assert PRIVATE not in asked
        assert f"\\\\u0040{example.home}/key" in asked
