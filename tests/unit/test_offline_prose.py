"""Whose words they are: what a person typed, what was pasted, and what is no lasting statement."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.miners.offline.guards import objection
from memgit.miners.offline.prose import paragraphs, statements
from memgit.miners.offline.words import stem
from tests.unit.offline_world import changes, memory, session, store


@pytest.mark.parametrize(
    "line",
    [
        "    always run this as root",
        "> always send it in duplicate",
        "$ rm -rf build",
        "2026-05-01 12:00:00 always retry",
        "21:02:11 canary start build=4417",
        "ERROR always fails",
        "Traceback (most recent call last):",
        "ValueError: never pass None",
        '{"always": true}',
        "<note>remember this</note>",
        "src/app.py:12: always unused",
        "DATABASE_URL=postgres://x",
        "| always | never |",
        "--- a/file",
        "FAIL  tests/always.py",
    ],
)
def test_a_pasted_line_is_nobodys_statement(line: str) -> None:
    assert paragraphs(f"look:\n\n{line}\n\nwhat is it") == [("look:",), ("what is it",)]


def test_a_fenced_block_is_left_out_whole() -> None:
    assert paragraphs("see\n```\nalways x\n\nnever y\n```\nok then") == [("see",), ("ok then",)]


def test_a_wrapped_line_is_one_sentence() -> None:
    text = "the gateway gives an upload sixty seconds now and that is the end\nof it. next"
    assert paragraphs(text) == [("the gateway gives an upload sixty seconds now and that is the end of it.", "next")]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("is the window 15 minutes now", "it is a question"),
        ("what if it was 15 minutes", "it is a question"),
        ("maybe we should use tabs", "it is hypothetical"),
        ("if we ever had more users we need a queue", "it is hypothetical"),
        ("just for this release skip the notes", "it is meant for one occasion"),
        ("skip it until friday", "it is meant for one occasion"),
        ("for now use the old one", "it is meant for one occasion"),
        ("on saturday only, switch it off", "it is meant for one occasion"),
        ("the vendor says to restart it twice", "it gives somebody else's words"),
        ("according to the docs it restarts", "it gives somebody else's words"),
        ("yeah sure, passwords in plain text", "it is not meant seriously"),
        ("great idea, let's delete the tests", "it is not meant seriously"),
        ("at work we squash everything", "it is about another project"),
        ("in the other repo we use npm", "it is about another project"),
        ("we used to deploy on fridays", "it tells of the past"),
        ("we deploy on tuesdays", ""),
        ("the window is 15 minutes now", ""),
        ("pressing submit is mine", ""),
        ("bugs go on the web board", ""),
        ("never merge without a review", ""),
    ],
)
def test_a_guard_names_its_reason(said: str, reason: str) -> None:
    (statement,) = statements([session(said)])
    assert objection(statement) == reason


@pytest.mark.parametrize(
    ("a", "b"),
    [("retry", "retries"), ("deploy", "deploys"), ("upload", "uploaded"), ("stop", "stopped"), ("translate", "translators"),
     ("commit", "commits"), ("widen", "widened"), ("prod", "production"), ("charge", "bills"), ("language", "languages")],
)  # fmt: skip
def test_forms_of_one_word_have_one_stem(a: str, b: str) -> None:
    assert stem(a) == stem(b)


@pytest.mark.parametrize(
    ("a", "b"), [("staging", "production"), ("test", "text"), ("merge", "mirror"), ("port", "part")]
)
def test_other_words_have_other_stems(a: str, b: str) -> None:
    assert stem(a) != stem(b)


def test_hostile_text_is_read_without_harm_and_comes_to_nothing() -> None:
    huge = "x" * 200_000 + "=" * 200_000
    evil = "always \ud800 never \x00 do\u202e it. " + "a= " * 5_000
    memories = (memory("a", "d", huge), memory("b", "d\ud800", evil), *store())
    talk = session(huge, f"A: {huge}", evil, "> " * 10_000, "no, " + "very " * 20_000 + "always")
    assert changes(memories, talk) == []
