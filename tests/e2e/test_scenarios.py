"""Every labelled scenario through the installed command: curated offline, scored, adopted, undone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SCENARIOS

SLUGS = sorted(path.parent.name for path in SCENARIOS.glob("*/expected.yaml"))


def tree_of(folder: Path) -> dict[str, tuple]:
    """Everything below a folder: kind, mode, mtime and bytes of each entry. An absent folder is empty."""
    entries = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        body = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        entries[str(path.relative_to(folder))] = (facts.st_mode, facts.st_mtime_ns if path.is_file() else 0, body)
    return entries


def score(slug: str, candidate: Path, tmp_path: Path, passed: dict) -> dict:
    verification = {
        memory: {"status": check["status"], "missing": [span["span"] for span in check["missing"]]}
        for memory, check in passed["verification"].items()
    }
    for decision in passed["decisions"]:
        if (
            decision["kind"] == "merge" and decision["standing"] == "taken"
        ):  # the truth names a merged memory by any of its members
            survivor = verification[decision["results"][0]]
            verification = dict.fromkeys(decision["memories"], survivor) | verification
    (tmp_path / "verification.json").write_text(json.dumps(verification))
    (tmp_path / "decisions.json").write_text(json.dumps(passed["decisions"]))
    done = subprocess.run(
        [
            sys.executable, SCENARIOS / "score.py", SCENARIOS / slug, candidate,
            "--verification", tmp_path / "verification.json", "--decisions", tmp_path / "decisions.json",
        ],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_scenario_is_curated_without_harm_adopted_and_undone(slug, render_scenario, memgit, tmp_path):
    scenario = render_scenario(slug)
    before = tree_of(scenario.store)
    existed = scenario.store.exists()

    def run(*arguments):
        return memgit(*arguments, "--now", scenario.now, cwd=scenario.project, env=scenario.env)

    ran = run("curate", "--json")
    assert ran.code == 0, ran.err
    passed = ran.json
    assert passed["store"]["unchanged"] is True
    assert tree_of(scenario.store) == before

    result = score(slug, Path(passed["paths"]["candidate"]), tmp_path, passed)
    assert result["traps_sprung"] == []
    assert result["unchanged_broken"] == []
    assert result["lost"] == []
    assert result["index_prose_lost"] == []
    assert result["verification"]["wrong"] == []

    adopted = run("adopt", passed["pass"])
    assert adopted.code == 0, adopted.err
    assert run("check").code == 0
    undone = run("undo")
    assert undone.code == 0, undone.err
    assert tree_of(scenario.store) == before
    assert scenario.store.exists() == existed
