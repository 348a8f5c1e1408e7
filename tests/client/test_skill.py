"""A scripted host runs the skill's whole pass in the real client: plan, a subagent per batch, decide, hand over."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.client.conftest import Client, calls, turns
from tests.conftest import Scenario
from tests.e2e.test_host import INCIDENT, WINDOW, replace_window

CANDIDATE = {
    "intent": "replace",
    "targets": ["deploy-window"],
    "name": "deploy-window",
    "type": "project",
    "claim": "The deploy window is 15 minutes",
    "body": "The deploy window for production is 15 minutes.",
    "evidence": [{"session": INCIDENT, "quote": WINDOW}],
    "rank": 1,
}
PASS = "2026-06-30.1"


@pytest.fixture
def example(render_scenario) -> Scenario:
    return render_scenario("checkout-api")


@pytest.fixture
def digests(example: Scenario) -> Path:
    return example.store.with_name("memory-session-digest")


@pytest.fixture
def rules(digests: Path) -> list[dict[str, object]]:
    """The subagent reads its brief and answers with one candidate."""
    reply = {"schema": "memgit.candidates/1", "pass": PASS, "batch": 1, "candidates": [CANDIDATE]}
    read = calls("Read", file_path=str(digests / "batch-01-brief.md"))
    return [{"when": r"^Read .*batch-01-brief\\.md", "in": "user", "turns": [read, [json.dumps(reply)]]}]


@pytest.fixture
def host(client: Client, example: Scenario) -> Client:
    """The client of the example's user, with the plugin."""
    here = replace(client, project=example.project, store=example.store, env={**client.env, "HOME": str(example.home)})
    # The sessions of the example are months old, and the client removes such at its start.
    (here.store.parents[2] / "settings.json").write_text('{"cleanupPeriodDays": 9999}')
    here.install_plugin()
    return here


STRAYING = "Read the batch, then write what you like."


@pytest.mark.parametrize(
    "rules",
    [
        [
            {
                "when": rf"(?m)^{STRAYING}\s*$",
                "in": "user",
                "turns": [
                    calls("Bash", command="memgit ops", description="look"),
                    calls("Write", file_path="/nowhere/x", content="x"),
                    ["mined"],
                ],
            }
        ]
    ],
)
def test_the_miner_can_read_and_nothing_else_and_runs_on_the_session_s_own_model(plugged: Client) -> None:
    plugged.ask(
        turns(
            calls(
                "Agent",
                description="mine",
                prompt=STRAYING,
                subagent_type="memgit:memory-miner",
                run_in_background=False,
            ),
            ["done"],
        )
    )

    (model, *_), *rest = plugged.tools()
    assert [each for each in rest if each[1] == ["Read"]] == [(model, ["Read"])] * 3
    told = "\n".join(plugged.requests())
    assert "No such tool available: Bash" in told
    assert "No such tool available: Write" in told


def test_the_skill_s_pass_ends_with_a_candidate_that_the_user_can_adopt(
    host: Client, digests: Path, example: Scenario, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    at = f"--store {host.store} --now {example.now}"
    candidates = {"schema": "memgit.candidates/1", "pass": PASS, "batch": 1, "candidates": [CANDIDATE]}
    decisions = {"schema": "memgit.decisions/1", "pass": PASS, "decisions": [replace_window(candidates=["B1.1"])]}
    confirmed = {"id": "M1", "confirm": "The review in that session agreed on it, and nobody took it back."}
    again = {**decisions, "decisions": [confirmed]}
    prompt = f"Read {digests}/batch-01-brief.md to its end and do what it says. Answer with the JSON object alone."
    script = turns(
        calls("Bash", command=f"memgit plan --json {at}", description="plan"),
        calls(
            "Agent",
            description="mine batch 1",
            prompt=prompt,
            subagent_type="memgit:memory-miner",
            run_in_background=False,
        ),
        calls("Write", file_path=f"{scratch}/reply-01.json", content=json.dumps(candidates)),
        calls("Bash", command=f"memgit propose {PASS} {scratch}/reply-01.json {at}", description="propose"),
        calls("Read", file_path=f"{digests}/decide-brief.md"),
        calls("Write", file_path=f"{scratch}/decisions.json", content=json.dumps(decisions)),
        calls("Bash", command=f"memgit decide {PASS} {scratch}/decisions.json {at}", description="decide"),
        calls("Write", file_path=f"{scratch}/again.json", content=json.dumps(again)),
        calls("Bash", command=f"memgit decide {PASS} {scratch}/again.json --final {at}", description="decide again"),
        ["The candidate is ready."],
    )
    scratch.mkdir()
    before = {path.name: path.read_bytes() for path in example.store.glob("*.md")}

    said = host.run("-p", f"/memgit:curate-memory {script}", "--session-id", "00000001-0000-4000-8000-000000000000")

    told = "\n".join(line[:9000] for line in host.transcript().splitlines() if "tool_result" in line)
    assert said.returncode == 0, said.stderr
    assert {path.name: path.read_bytes() for path in example.store.glob("*.md")} == before
    assert "memgit.candidates/1" in told  # what the subagent answered
    assert example.store.with_name("memory-candidate").is_dir(), told
    done = subprocess.run(
        ["memgit", "adopt", PASS],
        cwd=host.project,
        env=dict(host.env),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()


def test_an_active_skill_opens_neither_the_other_commands_nor_the_files_of_the_project(host: Client) -> None:
    refused = ["memgit undo", "memgit --json plan", "memgit diff --tool true", "memgit hooks install --yes"]
    script = turns(
        calls("Bash", command="memgit plan --json", description="plan"),
        *(calls("Bash", command=line, description="no") for line in refused),
        calls("Write", file_path="/var/lib/nowhere/Makefile", content="all:\n"),
        ["done"],
    )

    host.run("-p", f"/memgit:curate-memory {script}", "--session-id", "00000001-0000-4000-8000-000000000000")

    rows = [json.loads(line) for line in host.transcript().splitlines() if '"tool_result"' in line]
    first, *rest = [row["message"]["content"][0] for row in rows]
    assert '"memgit.pass/1"' in str(first["content"])
    assert [each["is_error"] for each in rest] == [True] * (len(refused) + 1)
