"""A whole pass by ``memgit curate --miner claude``: a good model, one that fails half-way, one that is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgit import wiring
from memgit.cli import run as cli
from memgit.console.terminal import SILENT
from memgit.errors import Interrupted, ToolFailed
from memgit.flows.audit import audit
from memgit.flows.curate import curate
from memgit.miners.model.conversation import Conversation, KeptAnswers
from memgit.miners.model.miner import ModelDecider, ModelMiner
from memgit.miners.model.port import ModelFailed
from memgit.model.decision import Kind
from memgit.model.passes import Outcome
from memgit.model.session import Limits
from tests.claude_stub import Act, Stub
from tests.conftest import Scenario
from tests.e2e.test_host import INCIDENT, WINDOW, WINDOW_BODY
from tests.e2e.test_scenarios import tree_of
from tests.scripted_model import ScriptedModel, candidates, decisions

ROOT = Path(__file__).parents[2]

SHORTER = {
    "intent": "replace",
    "targets": ["deploy-window"],
    "claim": "The deploy window is 15 minutes",
    "description": "A production deploy of checkout-api has a 15 minute window before it rolls back",
    "body": WINDOW_BODY,
    "evidence": [{"session": INCIDENT, "quote": WINDOW}],
}
CHOSEN = {"kind": "replace", "candidates": ["B1.1"], "justification": "The window was shortened after the incident."}
MINED: Act = {"structured": json.loads(candidates(SHORTER))}
NONE: Act = {"structured": json.loads(candidates())}
DECIDED: Act = {"structured": json.loads(decisions(CHOSEN))}
STAYS: Act = {"structured": json.loads(decisions())}
GOOD: tuple[tuple[str, list[Act]], ...] = (
    ("# Mine batch", [MINED]),
    ("# Decide again", [STAYS]),
    ("# Decide", [DECIDED]),
)
"""A model that finds the shorter window and stands by it, whatever is doubted."""

Go = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    made = Stub(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{made.folder}{os.pathsep}{os.environ['PATH']}")
    return made


def states(go: Go) -> list[tuple[str, str]]:
    return [(each["pass"], each["state"]) for each in go("log")[1]["passes"]]


# --- through the command ---


def test_a_pass_of_a_good_model_is_a_candidate_like_any_other(go: Go, stub: Stub, example: Scenario) -> None:
    before = tree_of(example.store)
    stub.script(*GOOD)
    code, passed = go("curate", "--miner", "claude")

    assert code == 0
    assert [(each["kind"], each["memories"], each["quote"]) for each in passed["decisions"]] == [
        ("replace", ["deploy-window"], WINDOW)
    ]
    assert tree_of(example.store) == before
    asked = len(stub.calls())
    told = f"Questions to claude: {asked} ({asked},000 tokens in, {50 * asked} out, about ${asked / 4:.2f})."
    assert told in passed["notes"]
    assert go("approve", passed["pass"], "approve M1")[0] == 0
    assert go("adopt", passed["pass"])[0] == 0
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()


def test_an_adopted_result_is_not_proposed_again_by_a_model_that_repeats_itself(go: Go, stub: Stub) -> None:
    stub.script(*GOOD)
    first = go("curate", "--miner", "claude")[1]["pass"]
    go("approve", first, "approve M1")
    assert go("adopt", first)[0] == 0
    code, again = go("curate", "--miner", "claude")

    assert code == 0
    assert {each["standing"] for each in again["decisions"]} == {"refused"}
    mined = sum("# Mine batch" in prompt for prompt in stub.prompts())
    assert mined == 2  # the store is another, so that nothing kept answers for it


def test_the_answer_to_the_same_question_is_not_paid_for_twice(go: Go, stub: Stub) -> None:
    stub.script(*GOOD)
    first = go("curate", "--miner", "claude")[1]
    asked = len(stub.calls())
    second = go("curate", "--miner", "claude", "--again")[1]

    assert second["pass"] != first["pass"]
    assert len(stub.calls()) == asked
    assert [each["kind"] for each in second["decisions"]] == [each["kind"] for each in first["decisions"]]


def test_what_a_model_makes_up_waits_for_a_person(go: Go, stub: Stub) -> None:
    made_up: Any = {**SHORTER, "body": f"{WINDOW_BODY}\n\nIt was settled in memgit pass 2026-06-30.1."}
    (_, _), *rest = GOOD
    stub.script(("# Mine batch", [{"structured": json.loads(candidates(made_up))}]), *rest)
    (decision,) = go("curate", "--miner", "claude")[1]["decisions"]

    assert decision["standing"] == "held"
    assert "unsaid" in {doubt["name"] for doubt in decision["doubts"]}


def test_a_decider_can_be_chosen_apart(go: Go, stub: Stub) -> None:
    stub.script(("# Mine batch", [MINED]))
    code, _ = go("curate", "--miner", "claude", "--decider", "offline")

    assert code == 0
    assert len(stub.calls()) == 1


def test_a_model_is_named_on_the_command_line_or_by_the_users_own_settings(
    go: Go, stub: Stub, example: Scenario
) -> None:
    stub.script(("# Mine batch", [NONE]))
    (example.home / ".claude" / "settings.json").write_text('{"model": "opus"}')
    go("curate", "--miner", "claude")
    go("curate", "--miner", "claude", "--model", "sonnet")

    named = [call["argv"][call["argv"].index("--model") + 1] for call in stub.calls()]
    assert named == ["opus", "sonnet"]


@pytest.mark.parametrize("name", ["host", "clever"])
def test_a_miner_that_there_is_not_is_a_mistake_of_usage(go: Go, name: str) -> None:
    assert go("curate", "--miner", name)[0] == 2


@pytest.mark.parametrize(
    ("version", "acts", "said"),
    [
        ("2.1.2 (Claude Code)", [NONE], "memgit needs 2.1.83 or newer"),
        ("2.1.332 (Claude Code)", [{"is_error": "Not logged in · Please run /login"}], "Not logged in"),
        ("2.1.332 (Claude Code)", [{"is_error": "API Error: 500"}], "API Error: 500"),
    ],
)
def test_a_command_that_answers_nothing_ends_the_pass_and_leaves_nothing(
    go: Go, stub: Stub, example: Scenario, version: str, acts: list[Act], said: str
) -> None:
    before, beside = tree_of(example.store), set(example.store.parent.iterdir())
    stub.script((".", acts), version=version)
    code, failed = go("curate", "--miner", "claude")

    assert code == 16
    assert said in failed["error"]["message"]
    assert "was given up; the store was not touched" in failed["error"]["hint"]
    assert [state for _, state in states(go)] == ["discarded"]
    assert tree_of(example.store) == before
    assert set(example.store.parent.iterdir()) == beside


def test_a_missing_command_is_named_with_the_remedy(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    git = next(Path(folder) for folder in os.environ["PATH"].split(os.pathsep) if (Path(folder) / "git").exists())
    monkeypatch.setenv("PATH", str(git))
    code, failed = go("curate", "--miner", "claude")

    assert code == 16
    assert "the program claude was not found" in failed["error"]["message"]
    assert "Install claude" in failed["error"]["hint"]


def test_a_batch_that_is_never_mended_is_unmined_and_in_the_report(
    go: Go, stub: Stub, capsys: pytest.CaptureFixture[str], example: Scenario
) -> None:
    stub.script(("# Mine batch", [{"result": "I would rather chat."}]), ("# Decide", [DECIDED]))
    code, passed = go("curate", "--miner", "claude")

    assert code == 3
    assert [each["batch"] for each in passed["unmined"]] == [1]
    assert "cannot be used: The reply is no JSON" in passed["unmined"][0]["why"]
    assert passed["decisions"] == []
    assert len(stub.calls()) == 3
    assert cli(["show", passed["pass"], "--now", example.now]) == 0
    assert "Batch 1" in capsys.readouterr().out


def test_decisions_that_are_never_mended_end_the_pass_and_mining_is_not_paid_for_again(go: Go, stub: Stub) -> None:
    stub.script(("# Mine batch", [MINED]), ("# Decide", [{"result": "Hm."}] * 3 + [DECIDED]))
    code, failed = go("curate", "--miner", "claude")
    assert (code, states(go)[0][1]) == (16, "discarded")
    assert "what was mined is kept" in failed["error"]["hint"]

    code, passed = go("curate", "--miner", "claude")
    assert (code, len(passed["decisions"])) == (0, 1)
    assert sum("# Mine batch" in prompt for prompt in stub.prompts()) == 1


def test_redacting_reaches_the_answers_that_are_kept(go: Go, stub: Stub, world: Any) -> None:
    stub.script(("# Mine batch", [MINED]), ("# Decide", [DECIDED]))
    go("curate", "--miner", "claude")
    kept = world.cache_home / "answers"
    assert any(WINDOW in path.read_text() for path in kept.iterdir())
    assert {path.parent for path in wiring.reach(wiring.Settings.of_process(None, None, None)).caches} >= {kept}


def test_only_a_pass_asks_the_miner_that_is_configured(go: Go, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGIT_MINER", "claude")
    stub.script((".", [NONE]))
    for command in ("extract", "audit", "prune"):
        assert go(command)[0] == 0
    assert stub.calls() == []
    assert go("curate")[0] == 0
    assert len(stub.calls()) == 1


# --- interrupted ---


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_ctrl_c_gives_the_pass_up_and_leaves_no_program_running(go: Go, stub: Stub, example: Scenario) -> None:
    before = tree_of(example.store)
    stub.script((".", [{"hang": True}]))
    command = [sys.executable, "-m", "memgit", "curate", "--miner", "claude", "--now", example.now]
    started = subprocess.Popen(
        command,
        cwd=example.project,
        env={**example.env, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    called = awaited(stub)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)

    assert started.returncode == 130
    assert "Interrupted. Pass 2026-06-30.1 was given up; the store was not touched" in said
    assert is_gone(called["pid"])
    assert not Path(called["cwd"]).exists()
    assert states(go) == [("2026-06-30.1", "discarded")]
    assert tree_of(example.store) == before
    assert not list(example.store.parent.glob("*-session-digest"))


class Stopping:
    """A decider, or a reader of the store, at whose work the user presses Ctrl-C."""

    name = "stopping"

    def __init__(self, reader: Any = None, after: int = 0) -> None:
        self._reader, self._left = reader, after

    def decide(self, *_: object) -> Any:
        raise KeyboardInterrupt

    @property
    def resolution(self) -> Any:
        return self._reader.resolution

    def read(self) -> Any:
        return self._reader.read()

    def fingerprint(self) -> str:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return str(self._reader.fingerprint())


def test_a_pass_that_is_stopped_while_it_is_decided_is_given_up(go: Go, example: Scenario) -> None:
    shop = wiring.workshop(here(example), SILENT)
    with pytest.raises(Interrupted, match=r"Pass 2026-06-30\.1 was given up") as caught:
        curate(replace(shop, decider=Stopping()))

    assert caught.value.code == 130
    assert states(go) == [("2026-06-30.1", "discarded")]


def test_an_audit_that_is_stopped_is_given_up_too(go: Go, example: Scenario) -> None:
    shop = wiring.workshop(here(example), SILENT)
    with pytest.raises(Interrupted, match="was given up"):
        audit(replace(shop, store=Stopping(shop.store)))

    assert states(go) == [("2026-06-30.1", "discarded")]


def test_a_pass_that_is_stopped_after_it_was_decided_stays(go: Go, example: Scenario) -> None:
    shop = wiring.workshop(here(example), SILENT)
    with pytest.raises(Interrupted, match=r"Pass 2026-06-30.1 is decided and recorded: see `memgit show 2026-06-30.1`"):
        curate(replace(shop, store=Stopping(shop.store, after=1)))

    assert states(go) == [("2026-06-30.1", "ready")]


def here(example: Scenario) -> wiring.Settings:
    """The settings of the example's user."""
    return wiring.Settings({**os.environ, "HOME": str(example.home)}, str(example.project), now=example.now)


def awaited(stub: Stub) -> dict[str, Any]:
    """The first call, once it has come."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if calls := stub.calls():
            return calls[0]
        time.sleep(0.02)
    raise AssertionError("claude was never called")


def is_gone(pid: int) -> bool:
    """Whether a program has ended, or ends within moments of its signal."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


# --- several batches ---


Batched = Callable[[ScriptedModel], Outcome]


@pytest.fixture
def batched(example: Scenario) -> Batched:
    """``batched(model)`` runs a pass in which each session is a batch of its own."""
    settings = here(example)

    def run(model: ScriptedModel) -> Outcome:
        talk = Conversation(model, KeptAnswers(settings.cache_home / "answers"))
        shop = wiring.workshop(settings, SILENT)
        limits = Limits(near_empty=0, batch_window=1)
        outcome = curate(replace(shop, miner=ModelMiner(talk), decider=ModelDecider(talk), limits=limits))
        assert isinstance(outcome, Outcome)
        return outcome

    return run


def mining(failing: int | None = None) -> Callable[[str], str | Exception]:
    """A model that finds the shorter window wherever it was said, and fails at one batch."""

    def say(prompt: str) -> str | Exception:
        if prompt.startswith("# Decide"):
            (found,) = json.loads(prompt.split("```json\n")[-1].split("\n```")[0])
            return decisions({**CHOSEN, "candidates": [found["id"]]})
        number = int(prompt.split()[3])
        if number == failing:
            return ModelFailed("claude took longer than 900 s and was stopped.")
        return candidates(*([SHORTER] if WINDOW in prompt else []), batch=number)

    return say


def test_each_batch_is_asked_for_alone(batched: Batched) -> None:
    model = ScriptedModel(mining())
    outcome = batched(model)

    asked = [prompt for prompt in model.asked if not prompt.startswith("# Decide")]
    assert len(asked) == len(outcome.plan.digests) > 2
    assert sum(WINDOW in prompt for prompt in asked) == 1


def test_a_batch_that_failed_is_reported_and_the_others_count(batched: Batched) -> None:
    outcome = batched(ScriptedModel(mining(failing=2)))

    assert [(each.batch, each.failure) for each in outcome.replies if each.failure] == [
        (2, "claude took longer than 900 s and was stopped")
    ]
    assert outcome.plan.digests[1].number == 2


def test_a_run_after_it_asks_for_the_failed_batch_only(batched: Batched) -> None:
    batched(ScriptedModel(mining(failing=2)))
    model = ScriptedModel(mining())
    outcome = batched(model)

    asked = [prompt.split()[3] for prompt in model.asked if not prompt.startswith("# Decide")]
    assert asked == ["2"]
    assert not any(each.failure for each in outcome.replies)
    assert [each.kind for each in outcome.decisions if each.changes] == [Kind.REPLACE]


def test_a_model_that_fails_at_every_batch_is_a_tool_that_failed(batched: Batched) -> None:
    with pytest.raises(ToolFailed, match="overloaded") as caught:
        batched(ScriptedModel([ModelFailed("overloaded")]))
    assert "was given up" in caught.value.hint
