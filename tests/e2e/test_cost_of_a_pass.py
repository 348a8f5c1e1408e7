"""What a pass of its own rules does not do: start programs twice for one question, load what it has no use for."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROBE = """
import json, sys
started = []
sys.addaudithook(lambda event, args: event == "subprocess.Popen" and started.append(list(args[1])))
from memgit.cli import run
code = run(sys.argv[1:])
print(json.dumps({"code": code, "started": started, "modules": sorted(sys.modules)}), file=sys.stderr)
"""
OF_OTHER_PASSES = (
    "memgit.claims.appraise",
    "memgit.claims.quoted",
    "memgit.claims.values",
    "memgit.claims.documents",
    "memgit.core.prune.rules",
    "memgit.core.sweep.filing",
    "memgit.flows.audit",
    "memgit.flows.prune",
    "memgit.flows.sweep",
)
OF_RULINGS = ("memgit.rulings.approval", "memgit.core.review.state", "memgit.flows.adopt")
OF_MODELS = ("memgit.miners.model.conversation", "memgit.miners.model.miner", "memgit.miners.model.api")
OF_LARGE_POOLS = ("concurrent.futures.process", "multiprocessing")


@pytest.fixture
def curated(example) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "curate", "--now", example.now],
        cwd=example.project,
        env={**example.env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["code"] == 0
    return told


def test_git_is_asked_each_question_once(curated):
    asked = [tuple(argv) for argv in curated["started"]]
    verbs = [next(word for word in argv[1:] if not word.startswith("-") and "=" not in word) for argv in asked]
    assert len(asked) == len(set(asked))
    asks = "check-ignore log log ls-files rev-parse rev-parse rev-parse worktree"
    assert sorted(verbs) == asks.split()


def test_a_curation_loads_no_rules_but_its_own(curated):
    others = {*OF_OTHER_PASSES, *OF_RULINGS, *OF_MODELS, *OF_LARGE_POOLS}
    assert {name for name in others if find_spec(name) is None} == set()
    assert others.isdisjoint(curated["modules"])


def test_a_log_loads_no_library_and_no_rules_that_it_has_no_use_for(example):
    """It is what all other commands are measured by."""
    env = {**example.env, "PYTHONPATH": str(ROOT)}
    for arguments in (["snapshot"], ["log"]):
        done = subprocess.run(
            [sys.executable, "-c", PROBE, *arguments], cwd=example.project, env=env, capture_output=True, text=True
        )
    loaded = set(json.loads(done.stderr.splitlines()[-1])["modules"])
    assert not loaded & {"pygit2", "msgspec", "markdown_it", "ahocorasick_rs", "yaml", "frontmatter"}
    assert not loaded & {"memgit.claims.verify", "memgit.core.report.compose", "memgit.model.passes", *OF_OTHER_PASSES}
