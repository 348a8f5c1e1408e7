"""A whole pass by ``memgit curate --miner api``, against an endpoint on this machine: what is sent, what fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgit import wiring
from memgit.console.terminal import SILENT
from memgit.flows.curate import curate
from memgit.miners.model.api import api_model
from memgit.miners.model.conversation import Conversation, KeptAnswers, Purse
from memgit.miners.model.miner import ModelDecider, ModelMiner
from memgit.model.decision import Kind
from memgit.model.passes import Outcome
from memgit.model.session import Limits
from tests.conftest import Scenario
from tests.e2e.test_host import INCIDENT, WINDOW, WINDOW_BODY
from tests.e2e.test_scenarios import tree_of
from tests.endpoint_stub import Asked, Reply, chat, stub
from tests.scripted_model import candidates, decisions

KEY = "sk-planted-0123456789abcdefghij"
SECRET = "ghp_" + "a1B2" * 9

SHORTER = {
    "intent": "replace",
    "targets": ["deploy-window"],
    "claim": "The deploy window is 15 minutes",
    "description": "A production deploy of checkout-api has a 15 minute window before it rolls back",
    "body": WINDOW_BODY,
    "evidence": [{"session": INCIDENT, "quote": WINDOW}],
}

Go = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture(autouse=True)
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMGIT_API_KEY_NAME", "MY_KEY")
    monkeypatch.setenv("MY_KEY", KEY)


def prompt_of(asked: Asked) -> str:
    return str(asked.body["messages"][-1]["content"])


def batch_of(asked: Asked) -> int | None:
    """The number of the batch that a question is about; None for the decision."""
    found = re.search(r"# Mine batch (\d+)", prompt_of(asked))
    return int(found[1]) if found else None


def good(asked: Asked) -> Reply:
    """What a model answers that sees the one change, in the batch that holds its quote."""
    batch = batch_of(asked)
    if batch is None:
        names = re.findall(r"\bB\d+\.\d+\b", prompt_of(asked).partition("## Candidates")[2] or prompt_of(asked))
        chosen = {"kind": "replace", "candidates": [names[-1]], "justification": "It was shortened."}
        return Reply(chat(decisions(chosen)))
    mined = [SHORTER] if WINDOW in prompt_of(asked) else []
    return Reply(chat(candidates(*mined, batch=batch)))


def run(go: Go, url: str, monkeypatch: pytest.MonkeyPatch, *more: str) -> tuple[int, dict[str, Any]]:
    monkeypatch.setenv("MEMGIT_API_URL", url)
    return go("curate", "--miner", "api", "--model", "openai:some-model", *more)


# --- through the command ---


def test_a_pass_is_a_candidate_and_says_what_it_took(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGIT_API_PRICE_IN", "1000")
    monkeypatch.setenv("MEMGIT_API_PRICE_OUT", "1000")
    with stub(good) as endpoint:
        code, passed = run(go, endpoint.url, monkeypatch)

    assert code == 0
    assert [(each["kind"], each["quote"]) for each in passed["decisions"]] == [("replace", WINDOW)]
    assert any("200 tokens in, 40 out, about $0.24" in note for note in passed["notes"])
    assert {asked.headers["authorization"] for asked in endpoint.asked} == {f"Bearer {KEY}"}


def test_a_bound_stops_before_the_first_question(go: Go, example: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree_of(example.store)
    with stub(good) as endpoint:
        code, failed = run(go, endpoint.url, monkeypatch, "--max-tokens", "1000")

    assert code == 16
    assert "1,000 are allowed" in failed["error"]["message"]
    assert endpoint.asked == []
    assert tree_of(example.store) == before


def test_a_bound_in_money_needs_prices(go: Go, monkeypatch: pytest.MonkeyPatch) -> None:
    code, failed = run(go, "http://127.0.0.1:1", monkeypatch, "--max-cost", "1")
    assert code == 2
    assert "needs prices" in failed["error"]["message"]


def test_a_refused_key_ends_the_pass_by_its_variable_and_is_kept_nowhere(
    go: Go, example: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stub([Reply({"error": {"message": f"bad key {KEY}"}}, 401)]) as endpoint:
        code, failed = run(go, endpoint.url, monkeypatch)

    assert code == 16
    assert "the key in MY_KEY" in failed["error"]["message"]
    assert KEY not in json.dumps(failed)
    assert not [path for path in files_below(example.home) if KEY.encode() in path.read_bytes()]


def test_a_secret_of_a_memory_or_a_session_never_leaves(
    go: Go, example: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = example.store / "runbook-location.md"
    memory.write_text(memory.read_text() + f"\nThe token of the old server was {SECRET}.\n")
    transcript = next(path for path in files_below(example.home) if path.suffix == ".jsonl" and INCIDENT in path.name)
    transcript.write_text(transcript.read_text().replace(WINDOW, f"{WINDOW} and the token is {SECRET}"))
    with stub(good) as endpoint:
        run(go, endpoint.url, monkeypatch)

    assert endpoint.asked
    assert any("The token of the old server was" in prompt_of(asked) for asked in endpoint.asked)
    assert any("and the token is" in prompt_of(asked) for asked in endpoint.asked)
    assert not any(SECRET.encode() in asked.raw for asked in endpoint.asked)


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# --- several batches ---


def batched(example: Scenario, url: str) -> Outcome:
    """A pass in which each session is a batch of its own."""
    settings = wiring.Settings({"HOME": str(example.home)}, str(example.project), now=example.now)
    model = api_model("openai:some-model", url, "", {"OPENAI_API_KEY": KEY}, Purse())
    model = replace(model, endpoint=replace(model.endpoint, pause=lambda _: None))
    talk = Conversation(model, KeptAnswers(settings.cache_home / "answers"))
    shop = wiring.workshop(settings, SILENT)
    limits = Limits(near_empty=0, batch_window=1)
    outcome = curate(replace(shop, miner=ModelMiner(talk), decider=ModelDecider(talk), limits=limits))
    assert isinstance(outcome, Outcome)
    return outcome


def test_a_batch_that_fails_is_unmined_the_others_count_and_the_next_run_asks_only_for_it(example: Scenario) -> None:
    def overloaded_once(asked: Asked) -> Reply:
        return Reply({}, 503) if batch_of(asked) == 2 else good(asked)

    with stub(overloaded_once) as endpoint:
        outcome = batched(example, endpoint.url)
        failed = {reply.batch: reply.failure for reply in outcome.replies if reply.failure}
        asked_for = {batch_of(asked) for asked in endpoint.asked}
        endpoint.script = good
        endpoint.asked.clear()
        again = batched(example, endpoint.url)

    assert list(failed) == [2]
    assert "it answered 503" in str(failed[2])
    assert {1, 2, 3} <= asked_for
    assert [batch for asked in endpoint.asked if (batch := batch_of(asked))] == [2]
    assert not [reply for reply in again.replies if reply.failure]
    assert [each.kind for each in again.decisions if each.changes] == [Kind.REPLACE]
