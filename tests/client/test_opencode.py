"""OpenCode itself: the plugin that `hooks install --for opencode` writes tells memgit what sessions do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memgit.stores.rules import project_key
from memgit.wiring import Settings, Site
from tests.client.conftest import ROOT, TIDY, Stub, memgit_program
from tests.conftest import World
from tests.desks import write

NAMED = os.environ.get("MEMGIT_OPENCODE", "")
BINARY = Path(NAMED or ROOT / ".ci" / "client-installed" / "node_modules" / ".bin" / "opencode")
pytestmark = pytest.mark.skipif(
    not BINARY.exists(), reason=f"OpenCode is not installed at {BINARY} (.ci/client does it)"
)

ASKED = "remove it please"


def test_a_removal_by_its_shell_is_put_to_its_session(world: World, tmp_path: Path) -> None:
    project = Path(os.path.realpath(world.root)) / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    store = world.home / ".claude" / "projects" / project_key(str(project)) / "memory"
    write(store, TIDY)
    run = f"rm {store}/deploys.md; echo > {store}/MEMORY.md"
    turn = [{"tool": "bash", "input": {"command": run, "description": "x"}}]
    (tmp_path / "rules.json").write_text(json.dumps([{"when": ASKED, "in": "user", "turns": [turn, ["done"]]}]))
    (tmp_path / "requests").mkdir()
    program = memgit_program(world.root)
    env = {**world.env, "PYTHONPATH": str(ROOT), "PATH": f"{program.parent}:{world.env['PATH']}"}
    env |= {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}

    with Stub(tmp_path / "requests", tmp_path / "port", tmp_path / "rules.json") as port:
        model = {"npm": "@ai-sdk/anthropic", "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"}}
        config = {
            "model": "stub/m",
            "provider": {"stub": {**model, "models": {"m": {"name": "m"}}}},
            "autoupdate": False,
            "permission": {"bash": "allow", "external_directory": "allow"},
        }
        (tmp_path / "XDG_CONFIG_HOME" / "opencode").mkdir(parents=True)
        (tmp_path / "XDG_CONFIG_HOME" / "opencode" / "opencode.json").write_text(json.dumps(config))
        site = Site(Settings(env, str(project)))
        for command in (["snapshot"], ["hooks", "install", "--for", "opencode", "--yes"]):
            subprocess.run(["memgit", *command], cwd=project, env=env, check=True, capture_output=True)
        done = subprocess.run(
            [str(BINARY), "run", ASKED],
            cwd=project,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    assert not (store / "deploys.md").exists()
    subprocess.run(["memgit", "snapshot"], cwd=project, env=env, check=True, capture_output=True)
    head = site.vault().head()
    assert head is not None
    assert head.details["session"].startswith("ses_")
    assert not head.needs_acknowledgement
