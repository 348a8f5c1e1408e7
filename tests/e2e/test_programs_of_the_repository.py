"""A repository that names a program for every occasion: no command of memgit starts one of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.cli import app

SETTINGS = (
    "alias.log",
    "alias.blame",
    "browser.odd.cmd",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "credential.https://example.org.helper",
    "diff.external",
    "diff.odd.command",
    "diff.odd.textconv",
    "difftool.odd.cmd",
    "filter.odd.clean",
    "filter.odd.process",
    "filter.odd.smudge",
    "gc.recentObjectsHook",
    "gpg.openpgp.program",
    "gpg.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "gpg.x509.program",
    "imap.tunnel",
    "interactive.diffFilter",
    "man.odd.cmd",
    "merge.odd.driver",
    "mergetool.odd.cmd",
    "pager.blame",
    "pager.log",
    "pager.show",
    "remote.origin.proxy",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "sendemail.toCmd",
    "sequence.editor",
    "submodule.odd.update",
    "tar.odd.command",
    "trailer.odd.cmd",
    "trailer.odd.command",
    "uploadpack.packObjectsHook",
)
"""Settings whose value git runs, some day, as a program."""
WITH_THEM = {
    "browser.odd.path": "odd",
    "commit.gpgSign": "true",
    "core.untrackedCache": "true",
    "core.repositoryFormatVersion": "1",
    "diff.renames": "copies",
    "diff.tool": "odd",
    "extensions.partialClone": "origin",
    "filter.odd.required": "true",
    "gpg.format": "ssh",
    "log.showSignature": "true",
    "log.diffMerges": "on",
    "merge.tool": "odd",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "push.gpgSign": "if-asked",
    "remote.origin.promisor": "true",
    "web.browser": "odd",
}
"""What makes git look at them."""
HOOKS = (
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-commit",
    "pre-push",
    "reference-transaction",
)

LINES: dict[str, tuple[str, ...]] = {
    "curate": (),
    "plan": (),
    "propose": ("PASS", "replies.json"),
    "decide": ("PASS", "replies.json"),
    "audit": (),
    "prune": (),
    "sweep": (),
    "demo": ("made",),
    "adopt": ("PASS",),
    "approve": ("PASS", "approve all"),
    "review": ("PASS", "--json"),
    "merge": ("PASS",),
    "discard": ("PASS",),
    "undo": (),
    "redo": (),
    "restore": ("--at", "PASS"),
    "recover": (),
    "redact": ("deploy-window:1",),
    "sync": ("REMOTE", "--yes"),
    "export": ("memories.bundle",),
    "import": ("memories.bundle",),
    "log": ("--graph",),
    "show": (),
    "report": ("--html", "-"),
    "diff": (),
    "history": ("deploy-window",),
    "status": (),
    "ops": (),
    "stores": (),
    "snapshot": (),
    "verify": (),
    "check": ("--full",),
    "doctor": ("--repair",),
    "relink": (),
    "ack": (),
    "config": (),
    "completion": ("bash",),
    "schema": (),
    "forget": ("deploy-window",),
    "mcp": (),
    "remember": ("port", "-d", "The port is 5", "-b", "It stands in `app.py`."),
    "extract": (),
    "inject": (),
    "hooks": ("status",),
    "hook": ("session-start",),
}
"""Every command, with arguments that make it do what it is for; it may fail at that."""


@pytest.fixture
def ran(example, tmp_path) -> Path:
    """Makes every setting of the example's repository a program that leaves a trace; the folder of the traces."""
    traces, canary = tmp_path / "traces", tmp_path / "canary"
    traces.mkdir()
    canary.write_text(f'#!/bin/sh\ntouch "{traces}/$1-$(basename "$0")"\n')
    canary.chmod(0o755)
    _grow(example.project)
    _remember(example.store)
    _set(example.project, canary, traces)
    return traces


def _grow(project: Path) -> None:
    """A history in which files went, a word went, and a work tree that differs from it, all under drivers."""
    (project / ".gitattributes").write_text("* filter=odd diff=odd merge=odd\n")
    (project / "gone.py").write_text("PORT_LIMIT = 5\n" * 30)
    (project / "limits.env").write_text("DEPLOY_WINDOW_MINUTES=30\nPORT_LIMIT=5\n")
    (project / "Makefile").write_text("lint:\n\truff\n")
    _git(project, "add", "-A")
    _git(project, "commit", "-qm", "Grow")
    (project / "gone.py").rename(project / "here.py")
    (project / "Makefile").write_text("check:\n\truff\n")
    _git(project, "add", "-A")
    _git(project, "commit", "-qm", "Move")
    (project / "limits.env").write_text("PORT_LIMIT=5\nDEPLOY_WINDOW_MINUTES=30\nMORE=1\n")


def _remember(store: Path) -> None:
    """What makes an audit look into work tree and history."""
    text = "`PORT_LIMIT` is 9 in `limits.env`, see `gone.py`; run `make lint`. `DEPLOY_WINDOW_MINUTES` is 45."
    (store / "limits.md").write_text(f"---\nname: limits\ndescription: limits\ntype: project\n---\n\n{text}\n")


def _set(project: Path, canary: Path, traces: Path) -> None:
    for name in SETTINGS:
        command = f"!{canary} {name}" if name.startswith(("alias.", "submodule.")) else f"{canary} {name}"
        _git(project, "config", name, command)
    for name, value in WITH_THEM.items():
        _git(project, "config", name, value)
    _git(project, "config", "remote.origin.url", f"ext::{canary} remote")
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(canary.read_text())
        (hooks / name).chmod(0o755)
    blob = subprocess.run(["git", "rev-parse", "HEAD~1:gone.py"], cwd=project, capture_output=True, text=True)
    missing = blob.stdout.strip()
    (project / ".git" / "objects" / missing[:2] / missing[2:]).unlink()  # a partial clone would fetch it
    for trace in traces.iterdir():
        trace.unlink()


def _git(project: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Dev", "-c", "user.email=dev@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)


def test_every_command_is_run_in_such_a_repository() -> None:
    known = {each.name or each.callback.__name__.rstrip("_") for each in app.registered_commands if each.callback}
    assert set(LINES) == known


def test_the_canary_sings_where_git_is_not_told_better(example, ran) -> None:
    subprocess.run(["git", "blame", "limits.env"], cwd=example.project, capture_output=True)
    subprocess.run(["git", "-c", "filter.odd.process=", "log", "-Sx"], cwd=example.project, capture_output=True)
    assert {trace.name.split("-")[0] for trace in ran.iterdir()} >= {"filter.odd.process", "diff.odd.textconv"}


def test_no_command_starts_a_program_that_the_repository_names(example, memgit, ran, tmp_path) -> None:
    (example.project / "replies.json").write_text("{}")
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    codes = {}
    passed = ""
    for verb, arguments in LINES.items():
        words = [{"PASS": passed, "REMOTE": str(remote)}.get(word, word) for word in arguments]
        done = memgit(verb, *words, "--now", example.now, cwd=example.project, env=example.env)
        assert done.code != 70, (verb, done.err)
        assert [trace.name for trace in ran.iterdir()] == [], verb
        codes[verb] = done.code
        if verb in ("curate", "audit"):
            passed = memgit("log", "--json", cwd=example.project, env=example.env).json["passes"][0]["pass"]
    assert codes["audit"] == codes["curate"] == codes["verify"] == 0
    assert codes["prune"] in (0, 10)


@pytest.mark.parametrize("event", ["session-start", "stop", "session-end"])
def test_no_hook_starts_a_program_that_the_repository_names(example, memgit, ran, event) -> None:
    told = f'{{"cwd": "{example.project}", "session_id": "s", "hook_event_name": "x", "source": "startup"}}'
    assert memgit("hook", event, cwd=example.project, env=example.env, stdin=told).code == 0
    assert list(ran.iterdir()) == []
