"""A model behind an endpoint: two dialects, every way in which it can fail, and a key that stays in one header."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from memgit.errors import UsageError
from memgit.miners.model.api import LONGEST, ApiModel, api_model, checked_url
from memgit.miners.model.conversation import Prices, Purse, estimated
from memgit.miners.model.port import ModelFailed, ModelUnavailable, Usage
from tests.endpoint_stub import Reply, Stub, chat, messages, stub

KEY = "sk-planted-0123456789abcdefghij"
SCHEMA = {"$schema": "a dialect", "type": "object"}
OPENAI, ANTHROPIC = "openai:some-model", "anthropic:some-model"
OK = Reply(chat('{"a": 1}'))


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def model(url: str, spec: str = OPENAI, purse: Purse | None = None, **changes: Any) -> ApiModel:
    """A model with a key that notes its pauses in ``pauses`` and makes none."""
    made = api_model(spec, url, "THE_KEY", {"THE_KEY": KEY}, purse or Purse())
    return replace(made, endpoint=replace(made.endpoint, **{"pause": lambda _: None, **changes}))


def failure(script: list[Reply], kind: type[Exception] = ModelFailed, spec: str = OPENAI, **changes: Any) -> str:
    """What is said of the failure that a script of replies leads to; the key is never in it."""
    with stub(script) as endpoint, pytest.raises(kind) as caught:
        model(endpoint.url, spec, **changes).ask("a question", SCHEMA)
    told = f"{caught.value.message} {caught.value.hint}"  # type: ignore[attr-defined]
    assert KEY not in told
    return told


# --- the two dialects ---


def test_messages_are_asked_through_a_tool_that_must_be_called() -> None:
    with stub([Reply(messages(called={"a": "ü"}))]) as endpoint:
        answer = model(endpoint.url, ANTHROPIC).ask("a question", SCHEMA)

    (asked,) = endpoint.asked
    assert (answer.text, answer.usage) == ('{"a": "ü"}', Usage(100, 20))
    assert asked.path == "/v1/messages"
    assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in asked.headers
    assert asked.body["tools"][0]["input_schema"] == {"type": "object"}
    assert asked.body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert asked.body["messages"] == [{"role": "user", "content": "a question"}]


def test_chat_completions_are_held_to_the_schema() -> None:
    with stub([OK]) as endpoint:
        answer = model(endpoint.url + "/v1/").ask("a question", SCHEMA)

    (asked,) = endpoint.asked
    assert (answer.text, answer.usage) == ('{"a": 1}', Usage(100, 20))
    assert (asked.path, asked.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert asked.body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_where_no_schema_is_enforced_it_goes_with_the_prompt_from_then_on() -> None:
    refusal = Reply({"error": {"message": "response_format json_schema is not supported"}}, 400)
    with stub([refusal, OK]) as endpoint:
        asked_twice = model(endpoint.url)
        assert [asked_twice.ask("a question", SCHEMA).text for _ in range(2)] == ['{"a": 1}'] * 2

    assert ["response_format" in asked.body for asked in endpoint.asked] == [True, False, False]
    assert '{"type": "object"}' in endpoint.asked[1].body["messages"][1]["content"]


def test_a_local_server_needs_no_key() -> None:
    with stub([OK]) as endpoint:
        assert api_model(OPENAI, endpoint.url, "", {}, Purse()).ask("a question", SCHEMA).text == '{"a": 1}'
    assert "authorization" not in endpoint.asked[0].headers


# --- failures ---


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_what_passes_is_tried_again_after_pauses_that_double(status: int) -> None:
    pauses: list[float] = []
    with stub([Reply({}, status)] * 3 + [OK]) as endpoint:
        assert model(endpoint.url, pause=pauses.append).ask("a question", SCHEMA).text == '{"a": 1}'
    assert pauses == [1.0, 2.0, 4.0]


def test_it_waits_as_long_as_the_endpoint_asks_for() -> None:
    pauses: list[float] = []
    with stub([Reply({}, 429, {"retry-after": "7"}), OK]) as endpoint:
        model(endpoint.url, pause=pauses.append).ask("a question", SCHEMA)
    assert pauses == [7.0]


def test_it_does_not_wait_for_ever() -> None:
    told = failure([Reply({"error": {"message": "too many"}}, 429, {"retry-after": "3600"})])
    assert "it answered 429, too many" in told


def test_after_five_tries_the_batch_is_given_up() -> None:
    with stub([Reply({}, 503)]) as endpoint, pytest.raises(ModelFailed, match="it answered 503"):
        model(endpoint.url).ask("a question", SCHEMA)
    assert len(endpoint.asked) == 5


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_variable(status: int) -> None:
    told = failure([Reply({"error": {"message": f"bad key {KEY}"}}, status)], ModelUnavailable)
    assert "the key in THE_KEY" in told


def test_an_unknown_model_is_named() -> None:
    assert "knows no model 'some-model'" in failure([Reply({}, 404)], ModelUnavailable)


def test_a_key_that_an_endpoint_repeats_is_not_shown() -> None:
    told = failure([Reply({"error": {"message": f"what is {KEY}\x1b[31m?"}}, 400)])
    assert "refused the question (400): what is [key]" in told
    assert "\x1b" not in told


def test_a_redirect_is_told_and_not_followed() -> None:
    with stub([OK]) as other:
        told = failure([Reply({}, 307, {"location": f"{other.url}/x"})], ModelUnavailable)
        assert other.url.removeprefix("http://") in told
    assert other.asked == []


def test_nobody_listening_is_said_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(ModelUnavailable, match="Nothing listens at 127"):
        model(url).ask("a question", SCHEMA)


def test_an_endpoint_without_tls_where_it_should_be_is_no_safe_connection() -> None:
    with stub([OK]) as endpoint, pytest.raises(ModelUnavailable, match="No safe connection"):
        model(endpoint.url.replace("http:", "https:")).ask("a question", SCHEMA)


def test_an_answer_that_does_not_come_is_given_up() -> None:
    never = Event()
    try:
        told = failure([Reply(chat("{}"), until=never)], seconds=0.05)
        assert "nothing came within 0.05 seconds" in told
    finally:
        never.set()


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"", b"[" * 50_000, b"\xff\x00"])
def test_what_is_no_object_is_no_answer(body: bytes) -> None:
    assert "no JSON object" in failure([Reply(body)])


def test_an_answer_without_end_is_not_read() -> None:
    assert "more than 8,000,000 bytes" in failure([Reply(b" " * 8_000_001)])


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": [7]}, {"choices": [{"message": {"content": 7}}]}])
def test_an_answer_of_another_shape_says_nothing(body: Any) -> None:
    assert "answered with nothing" in failure([Reply(body)])


@pytest.mark.parametrize(
    ("spec", "body"), [(OPENAI, chat('{"a', finish="length")), (ANTHROPIC, messages('{"a', stop="max_tokens"))]
)
def test_an_answer_that_was_cut_is_not_taken(spec: str, body: Any) -> None:
    assert "not whole" in failure([Reply(body)], spec=spec)


# --- addresses and keys ---


@pytest.mark.parametrize("url", ["http://models.example/v1", "ftp://models.example", "models.example", "https://"])
def test_an_address_that_is_not_safe_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        checked_url(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        checked_url("https://me:hunter22@models.example/v1")
    assert "hunter22" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("spec", ["", "some-model", "other:x", "openai:"])
def test_a_model_without_a_provider_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="needs a model"):
        api_model(spec, "", "", {}, Purse())


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY holds no key for api"):
        api_model(OPENAI, "", "", {}, Purse()).ask("a question", SCHEMA)


def test_a_key_that_no_header_can_carry_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        api_model(OPENAI, "", "", {"OPENAI_API_KEY": "sk-hidden\r\nX: y"}, Purse())
    assert "sk-hidden" not in caught.value.message


def test_a_key_is_in_no_representation() -> None:
    assert KEY not in repr(model("http://127.0.0.1:1"))


# --- what it takes ---


def stopped(purse: Purse, endpoint: Stub) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        model(endpoint.url, purse=purse).ask("a question", SCHEMA)
    return caught.value.message


def test_a_question_that_might_pass_the_bound_is_not_asked() -> None:
    with stub([OK]) as endpoint:
        assert "10,000 are allowed" in stopped(Purse(most_tokens=10_000), endpoint)
        assert "$0.10 are allowed" in stopped(Purse(Prices(1, 10), most_cost=0.1), endpoint)
    assert endpoint.asked == []


def test_what_answers_took_is_counted_and_priced() -> None:
    purse = Purse(Prices(3, 15), most_tokens=LONGEST + 500)
    with stub([OK]) as endpoint:
        asked = model(endpoint.url, purse=purse)
        first = asked.ask("a question", SCHEMA).usage
        assert (first.tokens_in, first.tokens_out, first.cost) == (100, 20, pytest.approx(0.0006))
        assert asked.ask("a question", SCHEMA).usage.tokens_in == 100
        assert (purse.used.tokens_in, purse.used.tokens_out) == (200, 40)
    assert purse._held == []


def test_an_estimate_counts_bytes() -> None:
    assert [estimated(text) for text in ("", "abc", "abcd", "abcde", "再試行")] == [0, 1, 1, 2, 3]


def test_the_prompt_is_sent_as_valid_unicode() -> None:
    with stub([OK]) as endpoint:
        model(endpoint.url).ask("a\ud83d b", SCHEMA)
    assert json.loads(endpoint.asked[0].raw)["messages"][1]["content"] == "a\ufffd b"
