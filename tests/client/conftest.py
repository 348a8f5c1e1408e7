"""The real client in a throw-away home, against a loopback stand-in for its model.

The client is proprietary and an optional peer: these tests run where ``MEMGIT_CLIENT`` names its binary or
``.ci/client`` has installed it, and are skipped, visibly, where it is not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.flows import observe
from memgit.stores.rules import project_key
from memgit.wiring import Settings, Site
from tests.conftest import DATA, World
from tests.desks import write

ROOT = Path(__file__).parents[2]
NAMED = os.environ.get("MEMGIT_CLIENT", "")
BINARY = Path(NAMED or ROOT / ".ci" / "client-installed" / "node_modules" / ".bin" / "claude")
STUB = DATA / "agent" / "stub.py"
TIDY = {
    "MEMORY.md": "# Memory\n\n- [Deploys](deploys.md) — on Tuesdays\n",
    "deploys.md": "---\nname: deploys\ndescription: on Tuesdays\nmetadata:\n  type: project\n---\n\nOn Tuesdays.\n",
}


OTHERS = ("test_codex.py", "test_opencode.py")
"""Tests of further clients, which say themselves what they need."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    missing = pytest.mark.skip(reason=f"the client is not installed at {BINARY} (.ci/client installs it)")
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.client)
            if not BINARY.exists() and item.path.name not in OTHERS:
                item.add_marker(missing)


@dataclass(frozen=True)
class Client:
    """The client, one project with a recorded store, and what the stand-in for its model received."""

    world: World
    project: Path
    store: Path
    requests_folder: Path
    env: Mapping[str, str]

    @property
    def site(self) -> Site:
        return Site(Settings(dict(self.env), str(self.project)))

    @property
    def private(self) -> Path:
        return self.site.vault_folder / "memgit"

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BINARY), *arguments],
            cwd=self.project,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=180,
        )

    def ask(self, prompt: str, session: int = 1, *, resume: bool = False, **env: str) -> str:
        """One turn of a session; what the client printed."""
        name = f"{session:08}-0000-4000-8000-000000000000"
        tools = "Read Write Edit Task Agent Skill Bash(memgit:*) Bash(sh:*)"
        done = self.run("-p", prompt, "--resume" if resume else "--session-id", name, "--allowedTools", tools, **env)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def requests(self) -> list[str]:
        """The bodies of what the client has sent to its model so far, in order."""
        found = []
        for path in sorted(self.requests_folder.glob("*.json")):
            request = json.loads(path.read_text(encoding="utf-8"))
            if request.get("method", "POST") == "POST":
                found.append(json.dumps(request.get("body"), ensure_ascii=False))
        return found

    def transcript(self, session: int = 1) -> str:
        """Everything that the client recorded of a session."""
        folder = self.store.parent
        return (folder / f"{session:08}-0000-4000-8000-000000000000.jsonl").read_text(encoding="utf-8")

    def fired(self) -> list[str]:
        """The hooks that reached memgit, in order."""
        log = self.world.root / "fired"
        return log.read_text().split() if log.exists() else []

    def events(self, verb: str) -> list[dict[str, object]]:
        """What the client gave a hook on standard input, each time that it ran."""
        log = self.world.root / "events" / f"{verb}.jsonl"
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]

    def tools(self) -> list[tuple[str, list[str]]]:
        """The model and the tools of each request so far."""
        bodies = (json.loads(request) for request in self.requests())
        return [(body["model"], sorted(tool["name"] for tool in body.get("tools", ()))) for body in bodies]

    def install_hooks(self) -> None:
        """Put the hooks into the user's settings, as `memgit hooks install` does."""
        program = str(self.world.root / "bin" / "memgit")
        command = [program, "hooks", "install", "--yes"]
        subprocess.run(command, cwd=self.project, env=dict(self.env), check=True, capture_output=True)

    def install_plugin(self) -> None:
        for arguments in (["marketplace", "add", str(ROOT)], ["install", "memgit@memgit-curator"]):
            done = self.run("plugin", *arguments)
            assert done.returncode == 0, done.stdout + done.stderr

    def awaited(self, number: int) -> dict[str, object]:
        """The vault's published head once operation ``number`` has been recorded in the background."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            head = self.private / "head.json"
            if head.exists() and (facts := json.loads(head.read_bytes()))["number"] >= number:
                return facts
            time.sleep(0.1)
        raise AssertionError(f"operation {number} was never recorded")


@pytest.fixture
def rules() -> list[dict[str, object]]:
    """What the stand-in for the model answers where no directive of the prompt says it, such as to a subagent."""
    return []


@pytest.fixture
def client(world: World, tmp_path: Path, rules: list[dict[str, object]]) -> Iterator[Client]:
    """A client that knows nothing yet; its store is recorded and in good health."""
    project = Path(os.path.realpath(world.root)) / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    store = world.home / ".claude" / "projects" / project_key(str(project)) / "memory"
    write(store, TIDY)
    requests = tmp_path / "requests"
    requests.mkdir()
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    with Stub(requests, tmp_path / "port", tmp_path / "rules.json") as port:
        env = {
            **{name: world.env[name] for name in ("PATH", "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")},
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_API_KEY": "sk-ant-fake-00000000000000000000",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_TMPDIR": str(tmp_path / "client-tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "MEMGIT_COMMAND": str(memgit_program(world.root)),
            "PYTHONPATH": str(ROOT),
        }
        env["PATH"] = f"{world.root / 'bin'}:{env['PATH']}"
        made = Client(world, project, Path(os.path.realpath(store)), requests, env)
        observe.snapshot(made.site.new_desk())
        yield made


def memgit_program(root: Path) -> Path:
    """This checkout's memgit as a program that notes which hooks reached it, and with what."""
    program = root / "bin" / "memgit"
    program.parent.mkdir(exist_ok=True)
    (root / "events").mkdir()
    memgit = f'"{sys.executable}" -P -m memgit "$@"'
    program.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" != hook ]; then exec {memgit}; fi\n'
        '[ -z "$WHO_SITS_THERE" ] || export CLAUDE_CODE_ENTRYPOINT="$WHO_SITS_THERE"\n'
        f'echo "$2" >> "{root}/fired"\n'
        f'tee -a "{root}/events/$2.jsonl" | {memgit}\n'
    )
    program.chmod(0o755)
    return program


class Stub:
    """The loopback stand-in, running while a ``with`` block does; its value is the port."""

    def __init__(self, requests: Path, port: Path, rules: Path) -> None:
        self._port = port
        files = ["--log", str(requests), "--port-file", str(port), "--rules", str(rules)]
        command = [sys.executable, str(STUB), "--port", "0", *files]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self) -> str:
        deadline = time.monotonic() + 30
        while not (self._port.exists() and self._port.read_text().strip()):
            assert time.monotonic() < deadline, "the stand-in did not start"
            time.sleep(0.02)
        return self._port.read_text().strip()

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def turns(*answers: object) -> str:
    """A directive in a prompt: what the stand-in for the model answers, turn by turn."""
    return f"@@stub {json.dumps(answers)} @@"


def calls(tool: str, **given: object) -> list[object]:
    """A turn in which the model calls one tool."""
    return [{"tool": tool, "input": given}]


@pytest.fixture
def plugged(client: Client) -> Client:
    """The same with the plugin installed."""
    client.install_plugin()
    return client


@pytest.fixture(autouse=True)
def _no_leftovers(tmp_path: Path) -> Iterator[None]:
    yield
    shutil.rmtree(tmp_path / "client-tmp", ignore_errors=True)
