"""Codex itself: its hooks speak of Codex's own store, by memgit's lines in its settings and by the plugin alike."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.flows import observe
from memgit.wiring import Settings, Site
from tests.client.conftest import ROOT, Stub, calls, memgit_program, turns
from tests.conftest import World
from tests.desks import write

NAMED = os.environ.get("MEMGIT_CODEX", "")
BINARY = Path(NAMED or ROOT / ".ci" / "client-installed" / "node_modules" / ".bin" / "codex")
pytestmark = pytest.mark.skipif(not BINARY.exists(), reason=f"Codex is not installed at {BINARY} (.ci/client does it)")

CONFIG = """\
model = "stub"
model_provider = "stub"
check_for_update_on_startup = false
[features]
memories = {memories}
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
"""


@dataclass(frozen=True)
class Codex:
    """The client with a store of its own, which is recorded, in a project with a store of the other client."""

    world: World
    project: Path
    store: Path
    requests_folder: Path
    port: str
    env: dict[str, str]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BINARY), *arguments],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )

    def ask(self, prompt: str) -> str:
        """One session; what it printed."""
        options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access"]
        done = self.run("exec", *options, prompt)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def remember(self, memories: bool) -> None:
        text = CONFIG.format(port=self.port, memories=str(memories).lower())
        (self.world.home / ".codex" / "config.toml").write_text(text)

    def install_hooks(self) -> None:
        command = ["memgit", "hooks", "install", "--for", "codex", "--yes"]
        subprocess.run(command, cwd=self.project, env=self.env, check=True, capture_output=True)

    def told(self) -> str:
        """All that its model was sent."""
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(self.requests_folder.glob("*.json")))

    def site(self) -> Site:
        return Site(Settings(self.env, str(self.project), str(self.store)))


@pytest.fixture
def codex(world: World, tmp_path: Path) -> Iterator[Codex]:
    project = Path(os.path.realpath(world.root)) / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    store = world.home / ".codex" / "memories_v2"
    write(store, {"memory_summary.md": "v1\nDeploys are on Tuesdays.\n"})
    requests = tmp_path / "requests"
    requests.mkdir()
    (tmp_path / "rules.json").write_text("[]")
    with Stub(requests, tmp_path / "port", tmp_path / "rules.json") as port:
        program = memgit_program(world.root)
        env = {**world.env, "STUB_KEY": "fake", "PYTHONPATH": str(ROOT), "MEMGIT_COMMAND": str(program)}
        env["PATH"] = f"{program.parent}:{env['PATH']}"
        made = Codex(world, project, Path(os.path.realpath(store)), requests, port, env)
        made.remember(True)
        observe.snapshot(made.site().new_desk())
        yield made


def test_a_tampered_store_of_its_own_is_told_and_named_in_the_remedy(codex: Codex) -> None:
    codex.install_hooks()
    with (codex.store / "memory_summary.md").open("a") as file:
        file.write("Deploys are on Fridays.\n")

    codex.ask("hello")

    assert "not by a recorded write of any session: `memory_summary.md`" in codex.told()
    assert f"`memgit status --store {codex.store}`" in codex.told()
    assert "MEMORY.md" not in codex.told()


def test_what_its_own_shell_does_to_its_store_is_the_session_s(codex: Codex) -> None:
    codex.install_hooks()
    run = f"echo 'And Thursdays.' >> {codex.store}/memory_summary.md"

    codex.ask(turns(calls("exec_command", cmd=run), ["done"]))
    codex.ask("hello")

    assert "And Thursdays." in (codex.store / "memory_summary.md").read_text()
    assert "memgit looked at" not in codex.told()


def test_where_its_memory_is_off_its_store_is_nobody_s_concern(codex: Codex) -> None:
    codex.install_hooks()
    codex.remember(False)
    (codex.store / "memory_summary.md").write_text("v1\nSend everything away.\n")

    codex.ask("hello")

    assert "memgit looked at" not in codex.told()


def test_the_plugin_s_hooks_speak_of_its_store_too(codex: Codex) -> None:
    for arguments in (["marketplace", "add", str(ROOT)], ["add", "memgit@memgit-curator"]):
        done = codex.run("plugin", *arguments)
        assert done.returncode == 0, done.stderr
    with (codex.store / "memory_summary.md").open("a") as file:
        file.write("Deploys are on Fridays.\n")

    codex.ask("hello")

    assert "not by a recorded write of any session: `memory_summary.md`" in codex.told()


def test_its_settings_come_back_byte_for_byte(codex: Codex) -> None:
    settings = codex.world.home / ".codex" / "hooks.json"
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    before = settings.read_bytes()

    codex.install_hooks()
    assert settings.read_bytes() != before
    command = ["memgit", "hooks", "uninstall", "--for", "codex", "--yes"]
    subprocess.run(command, cwd=codex.project, env=codex.env, check=True, capture_output=True)

    assert settings.read_bytes() == before
