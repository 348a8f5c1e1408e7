"""From the command line: a secret found by kind and removed, history shared through a git repository and a file."""

from __future__ import annotations

import subprocess

import pytest

SECRET = "ghp_" + "Zk3vQ9xLm2RtYw8Bn5Jd7Fh1Pc4Sg6Tu0AeX"


@pytest.fixture
def store(world):
    folder = world.root / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- [Deploys](deploys.md) - how\n")
    (folder / "deploys.md").write_text(f"---\nname: deploys\ntype: project\n---\n\nThe token is {SECRET}\n")
    return folder


@pytest.fixture
def run(memgit, world, store):
    def command(*arguments, **options):
        return memgit(*arguments, "--store", store, cwd=world.root, env=world.env, **options)

    assert command("snapshot").code == 0
    return command


def test_a_secret_is_shown_by_place_first_and_then_removed(run, store):
    shown = run("redact", "deploys:6")
    assert shown.code == 0
    assert "GitHub token" in shown.out
    assert "live store: deploys.md (1x)" in shown.out
    assert SECRET not in shown.out + shown.err
    done = run("redact", "--match", "-", "--yes", "--json", stdin=f"{SECRET}\n")
    assert (done.code, done.json["schema"], done.json["done"]) == (0, "memgit.redact/1", True)
    assert SECRET not in (store / "deploys.md").read_text()
    assert run("check", "--full").code == 0
    assert run("redact", "--kind", "GitHub token").code == 13
    assert run("undo").code == 13


def test_two_ways_of_naming_a_secret_at_once_or_none_are_refused(run):
    assert run("redact").code == 2
    assert run("redact", "deploys", "--kind", "GitHub token").code == 2


def test_nothing_leaves_before_the_secret_is_gone_and_the_user_agreed(run, world):
    remote, bundle = world.root / "remote.git", world.root / "all.bundle"
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True, capture_output=True)
    refused = run("sync", remote, "--yes")
    assert refused.code == 13
    assert "deploys.md:6 (GitHub token)" in refused.err
    assert run("redact", "--kind", "GitHub token", "--yes").code == 0
    assert run("sync", remote).code == 13
    sent = run("sync", remote, "--yes", "--json").json
    assert (sent["schema"], len(sent["sent"]), sent["arrived"]) == ("memgit.sync/1", 3, [])
    assert run("sync").code == 0
    assert run("export", bundle).code == 0
    assert run("import", bundle).code == 0
    assert run("log", "--machine", sent["machine"]).code == 0
    assert run("sync", world.root / "nowhere.git").code == 16
