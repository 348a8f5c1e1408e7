"""The hooks as the client runs them: a process, one line in, at most one object out, always code 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.agent.clients import main_client
from tests.unit.hooks.conftest import ROOT, TIDY, Hooked, said

VERBS = [hook.verb for hook in main_client().hooks if hook.event != "PostToolUseFailure"]
HEAVY = (
    "typer",
    "click",
    "pygit2",
    "yaml",
    "rich",
    "msgspec",
    "asyncio",
    "dataclasses",
    "pathlib",
    "typing",
    "subprocess",
)


def loaded(hooked: Hooked, verb: str) -> set[str]:
    """The modules that a hook had imported when it was done."""
    probe = (
        "import sys, io\n"
        "from memgit.agent.hooks.dispatch import main\n"
        f"main([{verb!r}])\n"
        "sys.stderr.write(' '.join(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        input=json.dumps(hooked.fields(source="startup")),
        env=dict(hooked.env),
        capture_output=True,
        text=True,
        cwd=hooked.project,
        timeout=60,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("verb", ["session-start", "user-prompt-submit", "pre-tool-use", "stop"])
def test_a_hook_on_an_unchanged_store_imports_nothing_slow(hooked: Hooked, verb: str) -> None:
    hooked.run("session-start", source="startup")

    assert loaded(hooked, verb) & set(HEAVY) == set()


def test_a_first_look_at_a_store_imports_no_library(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")

    assert loaded(hooked, "session-start") & {"typer", "pygit2", "yaml", "rich", "msgspec", "asyncio"} == set()


def test_a_tampered_store_is_told_in_one_object(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")

    done = hooked.run("session-start", source="startup")

    assert done.returncode == 0
    assert "`deploys.md`" in said(json.loads(done.stdout))


def test_the_guard_blocks_only_when_it_was_asked_for(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")

    assert hooked.run("user-prompt-submit", prompt="hello").stdout == ""
    blocked = json.loads(hooked.run("user-prompt-submit", "--guard", "strict", prompt="hello").stdout)
    assert blocked["decision"] == "block"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "junk", ["", "[]", "{", "null", '{"cwd": 7}', '{"cwd": "/nowhere/at/all"}', "\x00\x01", "[" * 9999]
)
def test_an_event_of_junk_is_met_with_silence(hooked: Hooked, verb: str, junk: str) -> None:
    done = hooked.run(verb, "--nudge", "off", stdin=junk)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_store_that_cannot_be_read_is_met_with_silence(hooked: Hooked) -> None:
    broken = hooked.store.with_name("memory-real")
    hooked.store.rename(broken)
    hooked.store.symlink_to(hooked.store)

    done = hooked.run("session-start", source="startup")

    assert done.returncode == 0
    assert done.stderr == ""


def test_state_that_cannot_be_written_is_met_with_silence(hooked: Hooked) -> None:
    states = Path(hooked.place.state).parent
    states.parent.mkdir(parents=True, exist_ok=True)
    states.write_text("in the way")

    done = hooked.run("stop", "--every", "1")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_hook_that_does_not_exist_is_an_error_that_does_not_block(hooked: Hooked) -> None:
    done = hooked.run("session-begin")

    assert done.returncode == 1
    assert "session-start" in done.stderr


def test_a_hook_that_hangs_is_ended_without_an_error(hooked: Hooked) -> None:
    probe = (
        "import memgit.agent.hooks.watchdog as w\nw.QUICK = 0.2\n"
        "from memgit.agent.hooks.dispatch import main\nmain(['session-start'])\n"
    )
    reader, writer = os.pipe()  # standard input that never comes

    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", probe], stdin=reader, env=dict(hooked.env), capture_output=True, timeout=60
    )
    os.close(writer)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - started < 60


def test_a_look_that_takes_too_long_ends_with_a_word_about_it(hooked: Hooked) -> None:
    probe = (
        "import time\nimport memgit.agent.hooks.watchdog as w\nw.QUICK = 1.5\n"
        "import memgit.agent.hooks.session_start as s\ns.verdict = lambda _: time.sleep(50)\n"
        "from memgit.agent.hooks.dispatch import main\nmain(['session-start'])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", probe],
        input=json.dumps(hooked.fields(source="startup")).encode(),
        env=dict(hooked.env),
        capture_output=True,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert "took too long and was given up" in said(json.loads(done.stdout))


@pytest.mark.parametrize("name", ["findings.json", "mentioned.json"])
def test_a_pipe_among_what_hooks_remember_holds_nobody_up(hooked: Hooked, name: str) -> None:
    Path(hooked.place.state).mkdir(parents=True, exist_ok=True)
    os.mkfifo(Path(hooked.place.state) / name)  # whoever opens it waits for ever
    done = hooked.run("session-start", source="startup")
    assert done.returncode == 0
    assert "given up" not in done.stdout


def test_the_end_of_a_session_with_a_store_that_is_too_large_is_recorded_all_the_same(hooked: Hooked) -> None:
    with (hooked.store / "huge.md").open("wb") as file:
        file.truncate(50_000_001)

    hooked.run("session-end", reason="other")

    assert _awaited(hooked, number=3)["unacknowledged"] == [{"id": "op3", "subject": "added huge.md"}]


def test_a_folder_of_memgit_s_name_in_the_project_is_not_run(hooked: Hooked) -> None:
    (hooked.project / "memgit").mkdir()
    (hooked.project / "memgit" / "__init__.py").write_text("raise SystemExit('taken over')\n")
    (hooked.private / "head.json").unlink()

    assert hooked.run("session-start", source="startup").stderr == ""
    assert (hooked.private / "head.json").exists()


def test_the_plugin_s_hook_is_silent_where_the_user_s_settings_run_the_same(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")
    line = f"{sys.executable} -P -m memgit hook session-start --via settings"
    settings = Path(hooked.env["HOME"]) / ".claude" / "settings.json"
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": line}]}]}}))

    assert hooked.run("session-start", "--via", "plugin", source="startup").stdout == ""
    assert hooked.run("session-start", "--via", "settings", source="startup").stdout != ""


def test_the_plugin_s_hook_speaks_where_the_settings_name_a_memgit_that_is_gone(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Fridays.\n")
    line = "/gone/memgit hook session-start --via settings"
    settings = Path(hooked.env["HOME"]) / ".claude" / "settings.json"
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": line}]}]}}))

    assert hooked.run("session-start", "--via", "plugin", source="startup").stdout != ""


def test_the_end_of_a_session_is_recorded_by_a_process_of_its_own(hooked: Hooked) -> None:
    (hooked.store / "deploys.md").write_text("On Mondays.\n")

    done = hooked.run("session-end", reason="other")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    head = _awaited(hooked, number=3)
    assert (head["number"], head["unacknowledged"]) == (3, [{"id": "op3", "subject": "changed deploys.md"}])


def _awaited(hooked: Hooked, number: int) -> dict[str, object]:
    """The published head once the background process has got there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        head = json.loads((hooked.private / "head.json").read_bytes())
        if head["number"] >= number:
            return head
        time.sleep(0.05)
    raise AssertionError("the snapshot was never taken")


ENTRY = "import sys; sys.argv = ['memgit', 'hook', 'session-start']; from memgit._entry import main; main()"


@pytest.mark.parametrize("memories", [10, 100, 1000])
def test_every_start_succeeds_and_what_it_costs_beside_python_s_own_is_printed(
    hooked: Hooked, memories: int, record_property: Callable[[str, object], None]
) -> None:
    """Printed, not asserted: what a busy machine measures is no reason to fail."""
    rows = []
    for number in range(memories):
        name = f"fact-{number:04}"
        text = f"---\nname: {name}\ndescription: fact {number}\ntype: project\n---\n\n{'Prose that goes on. ' * 20}\n"
        (hooked.store / f"{name}.md").write_text(text)
        rows.append(f"- [Fact {number}]({name}.md) — fact {number}\n")
    (hooked.store / "MEMORY.md").write_text(TIDY["MEMORY.md"] + "".join(rows))
    hooked.snapshot()
    hooked.run("session-start", source="resume")

    bare, hook = _medians(hooked, "pass", ENTRY)

    record_property("ratio", hook / bare)
    print(
        f"\nsession-start, {memories} memories: {hook * 1000:.0f} ms, `pass` {bare * 1000:.0f} ms, {hook / bare:.2f}x"
    )


def _medians(hooked: Hooked, *programs: str) -> list[float]:
    """The median seconds of some programs, run in turn with compiled bytecode."""
    env = {**hooked.env, "PYTHONPYCACHEPREFIX": str(hooked.project.with_name("bytecode"))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    event = json.dumps(hooked.fields(source="resume"))
    times: dict[str, list[float]] = {program: [] for program in programs}
    for _ in range(7):
        for program, taken in times.items():
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", program], input=event, env=env, cwd=ROOT, capture_output=True, text=True
            )
            taken.append(time.perf_counter() - started)
            assert (done.returncode, done.stderr) == (0, "")
    return [sorted(taken)[3] for taken in times.values()]
