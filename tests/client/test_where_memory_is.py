"""Which memories the client reads, by itself, and what memgit says of that: the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memgit.agent.clients import main_client
from tests.client.conftest import Client

OTHER = "- [Zebra crossings](zebra.md) — the other store\n"
NAMED = {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "@OTHER@"}
OFF = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}


def env(**block: object) -> dict[str, object]:
    return {"env": block}


CASES: dict[str, tuple[dict[str, object], dict[str, object], dict[str, str]]] = {
    "nothing said": ({}, {}, {}),
    "off by the environment": ({}, {}, OFF),
    "off by the user's env block": (env(**OFF), {}, {}),
    "off by the project's env block": ({}, env(**OFF), {}),
    "on again by the environment's no": ({"autoMemoryEnabled": False}, {}, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}),
    "off by the user's key": ({"autoMemoryEnabled": False}, {}, {}),
    "on again by the project's key": ({"autoMemoryEnabled": False}, {"autoMemoryEnabled": True}, {}),
    "bare by the user's env block": (env(CLAUDE_CODE_SIMPLE="1"), {}, {}),
    "bare by the project's env block": ({}, env(CLAUDE_CODE_SIMPLE="1"), {}),
    "no instructions by the project's env block": ({}, env(CLAUDE_CODE_DISABLE_CLAUDE_MDS="1"), {}),
    "far away by the environment": ({}, {}, {"CLAUDE_CODE_REMOTE": "1"}),
    "far away by the user's env block": (env(CLAUDE_CODE_REMOTE="1"), {}, {}),
    "moved by the environment": ({}, {}, NAMED),
    "moved by the user's env block": (env(**NAMED), {}, {}),
    "moved by the project's env block": ({}, env(**NAMED), {}),
    "moved by the user's key": ({"autoMemoryDirectory": "@OTHER@"}, {}, {}),
    "a word that is no yes": ({}, {}, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "maybe"}),
}


@pytest.mark.parametrize(("user", "project", "environment"), CASES.values(), ids=CASES.keys())
def test_memgit_says_where_the_client_reads_its_memories(
    client: Client, user: dict[str, object], project: dict[str, object], environment: dict[str, str]
) -> None:
    other = os.path.realpath(client.world.root) + "/other"
    Path(other).mkdir()
    Path(other, "MEMORY.md").write_text(OTHER)
    for folder, settings in ((client.world.home, user), (client.project, project)):
        (folder / ".claude").mkdir(exist_ok=True)
        (folder / ".claude" / "settings.json").write_text(json.dumps(settings).replace("@OTHER@", other))
    variables = {name: value.replace("@OTHER@", other) for name, value in environment.items()}

    client.ask("hello", **variables)

    told = "\n".join(client.requests())
    read = [path for path, mark in ((str(client.store), "[Deploys]"), (other, "[Zebra crossings]")) if mark in told]
    setup = main_client().setup(str(client.project), {**client.env, **variables}, str(client.world.home))
    found = os.path.realpath(next(setup.stores(str(client.project), ".git"))[0])
    assert ([] if setup.off else [found]) == read
