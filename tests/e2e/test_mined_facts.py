"""Extract without facts: a session is mined offline, and what the repository shows by itself is left out."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.unit.sessions.forge import assistant, user

SESSION = "00000009-0000-4000-8000-000000000000"
FREEZE = "the holiday freeze starts on december 10"
SCHEMA = "the schema docs are in confluence, space DATA"
RULE = "commit messages in english, half the team doesn't read german"


@pytest.fixture
def mine(example, go):
    """``mine(*said)`` records a session in which the user says these things, and mines it."""

    def mined(*said: str) -> tuple[list[str], dict[str, list[str]]]:
        records = [user("start with the loader", 1), assistant("Done.", 2)]
        for number, text in enumerate(said):
            records += [user(text, 3 + 2 * number), assistant("Done. I changed the files.", 4 + 2 * number)]
        own = {"sessionId": SESSION, "cwd": str(example.project)}
        lines = [json.dumps({**each, **own, "uuid": f"u{at}"}) for at, each in enumerate(records)]
        (example.store.parent / f"{SESSION}.jsonl").write_text("\n".join(lines) + "\n")
        code, answer = go("extract", "--session", SESSION)
        assert code == 0
        against = {each["name"]: [one["code"] for one in each["refusals"]] for each in answer["refused"]}
        return [fact["description"] for fact in answer["facts"]], against

    return mined


def commit(example, message: str, **files: str) -> None:
    for name, text in files.items():
        path = example.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (["add", "."], ["commit", "-q", "--allow-empty", "-m", message]):
        subprocess.run([*git, *arguments], cwd=example.project, check=True, capture_output=True)


def test_what_stands_nowhere_is_proposed(mine):
    found, against = mine(FREEZE, SCHEMA)
    assert {FREEZE, SCHEMA} <= set(found)
    assert against == {}


def test_what_a_document_says_is_left_out(example, mine):
    commit(example, "docs", **{"README.md": "# Where things are\n\nThe schema docs are in Confluence, space DATA.\n"})
    found, against = mine(FREEZE, SCHEMA)
    assert FREEZE in found
    assert SCHEMA not in found
    assert list(against.values()) == [["in-document"]]


def test_what_the_code_defines_is_left_out(example, mine):
    commit(example, "queue", **{"config/queue.py": "QUEUE_BATCH_SIZE = 250\n"})
    found, against = mine(FREEZE, "we decided to keep QUEUE_BATCH_SIZE at 250")
    assert FREEZE in found
    assert not any("QUEUE_BATCH_SIZE" in each for each in found)
    assert list(against.values()) == [["in-code"]]


def test_a_person_s_rule_is_left_out_only_where_agents_are_told_it_already(example, mine):
    commit(
        example,
        "Commit messages in english, half the team doesn't read german",
        **{"docs/views.md": f"# Views\n\n{RULE}\n"},
    )
    asked = f"remember: {RULE}"
    assert list(mine(asked)[1].values()) == [["feedback-why", "feedback-how"]]
    commit(
        example, "rules", **{"CLAUDE.md": "# Rules\n\nCommit messages in english, half the team doesn't read german.\n"}
    )
    assert list(mine(asked)[1].values()) == [["feedback-why", "feedback-how", "in-document"]]


def test_what_is_left_out_is_asked_about_and_nothing_is_written(example, mine, memgit):
    commit(example, "docs", **{"README.md": "# Where things are\n\nThe schema docs are in Confluence, space DATA.\n"})
    before = {path.name: path.read_bytes() for path in example.store.iterdir()}
    mine(SCHEMA)
    said = memgit("extract", "--session", SESSION, "--now", example.now, cwd=example.project, env=example.env).out
    assert "in-document (body): README.md:3 says it already. What was surprising about it? Write that instead." in said
    assert {path.name: path.read_bytes() for path in example.store.iterdir()} == before
