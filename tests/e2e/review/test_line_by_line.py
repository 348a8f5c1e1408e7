"""Reviewing a pass line by line, from the first look to an adopted store; killed, resumed, scripted, refused."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memgit import files, wiring
from memgit.model.history import OpKind, PassState
from memgit.vault import repository
from memgit.vault.lock import locked

PASS = "2026-06-30.1"


@pytest.fixture
def desk(example):
    return wiring.Site(wiring.Settings.of_process(None, str(example.project), example.now)).desk()


def operations(go) -> list[str]:
    return [each["subject"] for each in go("ops")[1]["operations"]]


def kept(example) -> list[dict]:
    (place,) = Path(example.env["XDG_DATA_HOME"]).rglob(f"reviews/{PASS}.jsonl")
    return [json.loads(line) for line in place.read_text().splitlines()]


def test_two_letters_and_a_yes_lead_from_a_pass_to_an_adopted_store(passed, go, example):
    done = passed("a", "a", "y")
    assert done.code == 0, done.err
    flat = " ".join(done.out.split())
    assert "M1 replace deploy-window" in done.out
    assert "The deploy window for production is [-30-]{+15+} minutes" in flat
    assert "> you: 20 sounds right" in done.out
    assert "We moved the deploy window to 15 minutes, agreed in the review this morning." in flat
    assert "Adopting takes M1, M2." in done.out
    assert f"memgit approve {PASS} 'approve M1, M2'" in done.out
    assert "Adopted pass 2026-06-30.1" in done.out
    assert "15 minutes" in (example.store / "deploy-window.md").read_text()
    assert not (example.store / "retries-are-capped.md").exists()
    assert operations(go)[:2] == [f"adopt {PASS}", f"approve {PASS}: 2 approved"]


def test_the_store_that_would_result_is_told_after_each_answer(passed):
    sizes = re.findall(r"Store: 4 -> (\d) memories; index (\d) of", passed("r no", "r no", "q").out)
    assert sizes == [("3", "5"), ("3", "5"), ("4", "6")]


def test_quitting_makes_one_revision_of_all_answers_and_says_how_to_go_on(passed, go):
    done = passed("r it still holds", "q")
    assert "Rejected: M1." in done.out
    assert f"go on         memgit review {PASS}" in done.out or f"go on  memgit review {PASS}" in done.out
    assert operations(go)[0] == f"approve {PASS}: 1 open, 1 rejected"
    again = passed("q")
    assert "M2 merge" in again.out
    assert "M1 replace" not in again.out
    assert "Nothing new was answered" in again.out
    assert operations(go)[0] == f"approve {PASS}: 1 open, 1 rejected"


def test_the_end_of_the_input_is_quitting(passed, go):
    done = passed("d", "x")
    assert "That is no key; ? lists them." in done.out
    assert operations(go)[0] == f"approve {PASS}: 1 open, 1 deferred"


def test_an_answer_taken_back_is_as_if_it_had_not_been_given(passed, go):
    before = operations(go)
    done = passed("a", "u", "q")
    assert "Took back the answer to M1." in done.out
    assert operations(go) == before


def test_an_edit_goes_through_the_users_editor_and_its_guards(person, passed, go, example, tmp_path):
    seen, editor = tmp_path / "seen", tmp_path / "my editor"
    editor.write_text(
        f'#!/bin/sh\nstat -c %a "$1" > {seen}\ncat "$1" >> {seen}\n'
        "printf 'description: Fifteen minutes\\n\\nThe window is 15 minutes, `DEPLOY_WINDOW_MINUTES`.\\n' > \"$1\"\n"
    )
    editor.chmod(0o755)
    done = passed("e", "g 1", "q", env={"VISUAL": shlex.quote(str(editor)), "EDITOR": "false"})
    assert seen.read_text().startswith("600\ndescription: A production deploy of checkout-api has a 15 minute window")
    assert "1 of 2, approved, reworded" in done.out
    assert "Approved: M1." in done.out
    candidate = example.store.with_name("memory-candidate") / "deploy-window.md"
    assert "The window is 15 minutes, `DEPLOY_WINDOW_MINUTES`." in candidate.read_text()
    assert list(Path(example.env["XDG_DATA_HOME"]).rglob("M1.md")) == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("true", "The text is as it was; nothing was answered."),
        ("false", "The text is as it was; nothing was answered."),
        ("no-such-editor", "Set VISUAL or EDITOR to an editor that is installed."),
        (
            "sh -c 'echo The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a. > \"$0\"'",
            "Reword it; nothing was decided.",
        ),
    ],
)
def test_an_edit_that_comes_to_nothing_says_why(person, passed, go, script, told):
    before = operations(go)
    done = passed("e", "q", env={"EDITOR": script})
    assert told in " ".join(done.out.split())
    assert operations(go) == before


def test_help_gives_the_plain_command_of_every_answer(passed):
    shown = passed("?", "q").out
    for command in ('approve ID "approve M1"', 'approve ID "reject M1 - REASON"', 'approve ID "defer M1"', "adopt ID"):
        assert f"memgit {command.replace('ID', PASS)}" in shown


def test_a_filter_and_a_jump_lead_where_they_say(passed):
    shown = passed("f merge", "f", "", "g M9", "g", "2", "q").out
    assert "1 of 1 (merge), open" in shown
    assert "2 of 2, open" in shown
    assert "There is no M9 to answer in this pass; there are M1 to M2." in shown


# --- cut short ---


def test_killed_in_the_middle_it_goes_on_behind_the_last_answer(passed, go, example):
    killed_after(example, b"a\n", signal.SIGKILL)
    assert [(each["decision"], each["verdict"]) for each in kept(example)] == [("M1", "approved")]
    code, refused = go("adopt", PASS)
    assert (code, refused["error"]["message"]) == (
        13,
        f"A review of pass {PASS} has answers that are not in its candidate yet: M1.",
    )
    done = passed("r not yet", "q")
    assert "Going on with a review that was cut short: 1 answered." in done.out
    assert "M1 replace deploy-window\n1 of 2" not in done.out
    assert operations(go)[0] == f"approve {PASS}: 1 approved, 1 rejected"
    assert go("adopt", PASS)[0] == 0


def test_ctrl_c_keeps_the_answers_and_says_so(passed, go, example):
    code, _, told = killed_after(example, b"d\n", signal.SIGINT)
    assert code == 130
    assert f"Interrupted. 1 answer is kept: memgit review {PASS} goes on." in told
    assert [each["decision"] for each in kept(example)] == ["M1"]


def test_a_line_that_was_cut_short_as_it_was_written_is_no_answer(passed, go, example):
    killed_after(example, b"a\n", signal.SIGKILL)
    (place,) = Path(example.env["XDG_DATA_HOME"]).rglob(f"reviews/{PASS}.jsonl")
    place.write_bytes(place.read_bytes() + b'{"decision": "M2", "verd')
    done = passed("r not yet", "q")
    assert "1 answered" in done.out
    assert operations(go)[0] == f"approve {PASS}: 1 approved, 1 rejected"


def test_approve_takes_along_what_a_review_has_left(passed, go, example):
    killed_after(example, b"r no\n", signal.SIGKILL)
    code, done = go("approve", PASS, "approve M2")
    assert code == 0
    assert done["notes"][0] == "Taken along from a review that was cut short: M1."
    assert operations(go)[0] == f"approve {PASS}: 1 approved, 1 rejected"
    assert go("adopt", PASS)[0] == 0


def killed_after(example, typed: bytes, with_signal: int) -> tuple[int, str, str]:
    """Start a review, type something, wait for the prompt that follows it, and send a signal."""
    from subprocess import PIPE, Popen

    process = Popen(
        [sys.executable, "-m", "memgit", "review", "--now", example.now],
        cwd=example.project, env={**example.env, "PYTHONPATH": str(Path(__file__).parents[3])},
        stdin=PIPE, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    process.stdin.write(typed)
    process.stdin.flush()
    seen = b""
    while b"M2 [" not in seen:
        seen += os.read(process.stdout.fileno(), 65536)
    process.send_signal(with_signal)
    out, err = process.communicate()
    return process.returncode, (seen + out).decode(), err.decode()


# --- what it refuses ---


@pytest.mark.parametrize("verb", ["adopt", "discard"])
def test_a_pass_that_is_decided_on_is_not_reviewed(passed, go, verb):
    go(verb, PASS)
    done = passed()
    assert done.code == 13
    assert f"Pass {PASS} is {verb.removesuffix('e')}ed and cannot be reviewed." in done.err
    assert "`memgit undo` takes the last decision back" in done.err


def test_a_planned_pass_has_nothing_to_review_yet(passed, go):
    planned = go("plan")[1]["pass"]
    done = passed(arguments=[planned])
    assert (done.code, f"Pass {planned} is planned and cannot be reviewed." in done.err) == (13, True)


def test_an_unsafe_pass_is_not_worth_ruling_on(passed, desk):
    header = desk.vault.pass_header(PASS)
    with desk.vault.lock("test"), desk.vault.transaction(OpKind.PASS, "unsafe", pass_id=PASS) as change:
        change.put_header(replace(header, state=PassState.UNSAFE))
    done = passed()
    assert done.code == 13
    assert f"Pass {PASS} is unsafe: the store changed while it ran" in done.err
    assert f"`memgit merge {PASS}`" in done.err


def test_a_dry_run_has_no_id_to_review(passed):
    done = passed(arguments=[""])
    assert (done.code, done.err.startswith("memgit: A dry run has no id and cannot be reviewed.\n")) == (13, True)


def test_without_any_pass_it_says_what_makes_one(passed, go, example):
    shutil.rmtree(example.env["XDG_DATA_HOME"])
    shutil.rmtree(example.env["XDG_STATE_HOME"])
    go("snapshot")
    done = passed()
    assert (done.code, done.err) == (13, "memgit: There is no pass yet.\n  `memgit curate` runs one.\n")


def test_a_pass_without_a_decision_says_so(passed, go, tmp_path):
    go("adopt", PASS)
    second = go("plan")[1]["pass"]
    nothing = tmp_path / "decisions.json"
    nothing.write_text(json.dumps({"schema": "memgit.decisions/1", "pass": second, "decisions": []}))
    assert go("decide", second, nothing)[0] == 3  # nobody mined its batch
    done = passed(arguments=[second])
    assert done.out.startswith(f"Pass {second} has no decision to make.\n") or done.code == 13


def test_two_reviews_at_once_are_one_too_many(passed, go, example):
    (about,) = Path(example.env["XDG_DATA_HOME"]).rglob("memgit/store.json")
    held = files.Notebook.open(about.parent / "reviews" / f"{PASS}.jsonl")
    try:
        done = passed("a")
        assert (done.code, f"Another memgit is reviewing pass {PASS} at this moment." in done.err) == (11, True)
        assert go("approve", PASS, "approve M1")[0] == 11
    finally:
        held.close()


def test_a_store_that_moved_is_told_first_and_adopting_offers_a_merge(passed, go, example):
    (example.store / "new-note.md").write_text("---\nname: new-note\ndescription: d\ntype: project\n---\n\nNew.\n")
    done = passed("a", "a", "y")
    assert "The store has changed since this pass read it" in done.out
    assert done.code == 12
    assert "A merge of both waits as pass 2026-06-30.2." in done.err
    assert (example.store / "new-note.md").exists()


def test_a_full_screen_needs_a_terminal(passed):
    pytest.importorskip("textual", reason="the extra `review` is not installed")
    done = passed(arguments=["--full"])
    assert (done.code, done.err.startswith("memgit: --full needs a terminal.\n")) == (2, True)


def test_json_prints_what_is_shown_and_rules_on_nothing(passed, go):
    before = operations(go)
    code, shown = go("review")
    assert (code, shown["schema"], shown["pass"]) == (0, "memgit.review/1", PASS)
    first, second = shown["decisions"]
    assert (first["id"], first["state"], first["changes"][0]["path"]) == ("M1", "proposed", "deploy-window.md")
    assert first["quotations"][0]["turns"][2]["quote"] is not None
    assert [change["after"] is None for change in second["changes"]] == [False, True]
    assert operations(go) == before


def test_while_another_memgit_writes_the_answers_are_kept_and_the_reason_is_said(passed, go, desk, monkeypatch):
    monkeypatch.setattr(repository, "locked", lambda *lock: locked(*lock[:-1], 0.0))  # nobody waits ten seconds here
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(desk.vault.private / "lock")], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    )
    assert holder.stdout.readline() == b"held\n"
    try:
        done = passed("a", "q")
    finally:
        holder.communicate()
    assert done.code == 11
    assert f"The answers are kept, but not in the candidate yet: memgit review {PASS} goes on." in done.err
    assert "Going on with a review that was cut short: 1 answered." in passed("q").out
    assert operations(go)[0] == f"approve {PASS}: 1 open, 1 approved"


HOLD = """
import fcntl, os, sys
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(descriptor, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_redaction_cleans_the_answers_that_wait(passed, go, example, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    killed_after(example, f"r it holds {secret}\n".encode(), signal.SIGKILL)
    assert secret in kept(example)[0]["reason"]
    given = tmp_path / "secret"
    given.write_text(secret)
    assert go("redact", "--match", given, "--yes")[0] == 0
    assert [each["reason"] for each in kept(example)] == ["it holds [masked: redacted]"]
    assert "1 answered" in passed("q").out


@pytest.mark.parametrize("at", [1, 2, 3, 4, 9, 16, 25])
def test_killed_at_any_step_only_the_key_just_pressed_is_lost(passed, go, example, memgit, at):
    here = {**example.env, "MEMGIT_FAULT": f"kill:{at}"}
    killed = memgit("review", "--now", example.now, cwd=example.project, env=here, stdin="a\nq\n")
    assert killed.code == -signal.SIGKILL
    passed("q")
    states = {each["id"]: each["state"] for each in go("show")[1]["decisions"]}
    # The first two steps make the folder and write the line: until then nothing was answered.
    assert states == {"M1": "proposed" if at <= 2 else "approved", "M2": "proposed"}
    assert go("check")[0] == 0
