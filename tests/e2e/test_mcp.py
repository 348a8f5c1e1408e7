"""The server of tools, driven by the protocol's own client: what it offers, what it answers, and what it cannot do."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.e2e.test_host import replace_window
from tests.e2e.test_scenarios import tree_of

ROOT = Path(__file__).parents[2]
Visit = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def visit(render_scenario):
    """Runs something with a client that is connected to the server of a project."""
    scenario = render_scenario("checkout-api")
    command = ["-P", "-m", "memgit", "mcp"]

    def run(what: Visit, *options: str) -> Any:
        async def connected() -> Any:
            env = {**scenario.env, "PYTHONPATH": str(ROOT), "MEMGIT_NOW": scenario.now}
            parameters = StdioServerParameters(
                command=sys.executable, args=[*command, *options], env=env, cwd=scenario.project
            )
            async with Client(stdio_client(parameters)) as client:
                return await what(client)

        return anyio.run(connected)

    run.scenario = scenario
    return run


async def answer(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """What a tool answers; AssertionError with its text where it is an error."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def refusal(client: Client, tool: str, **given: Any) -> str:
    """The sentence with which a tool refuses."""
    result = await client.call_tool(tool, given)
    assert result.is_error
    return " ".join(part.text for part in result.content)


def test_what_it_offers_is_annotated_and_writes_no_live_store(visit) -> None:
    async def look(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool.annotations for tool in visit(look)}

    assert tools.keys() == {"plan", "read", "propose", "decide", "show", "check", "history", "questions"}
    assert all(each.destructive_hint is False and each.open_world_hint is False for each in tools.values())
    assert {name for name, each in tools.items() if not each.read_only_hint} == {"plan", "propose", "decide"}


def test_a_host_without_a_shell_makes_a_pass_and_the_live_store_stays_as_it_is(visit) -> None:
    before = tree_of(visit.scenario.store)

    async def host(client: Client) -> Any:
        plan = await answer(client, "plan")
        brief = await answer(client, "read", pass_id=plan["pass"], file="batch-01-brief.md")
        await answer(
            client,
            "propose",
            pass_id=plan["pass"],
            candidates={"schema": "memgit.candidates/1", "pass": plan["pass"], "batch": 1, "candidates": []},
        )
        decisions = {"schema": "memgit.decisions/1", "pass": plan["pass"], "decisions": [replace_window()]}
        checked = await answer(client, "decide", pass_id=plan["pass"], decisions=decisions, check=True)
        decided = await answer(client, "decide", pass_id=plan["pass"], decisions=decisions, final=True)
        return plan, brief, checked, decided, await answer(client, "show"), await answer(client, "questions")

    plan, brief, checked, decided, shown, questions = visit(host)

    assert "batch-01" in brief["text"]
    assert brief["next"] is None
    assert [each["kind"] for each in checked["decisions"]] == ["replace"]
    assert (decided["pass"], shown["pass"], questions["pass"]) == (plan["pass"],) * 3
    assert shown["commands"]["adopt"]
    held = [each["id"] for each in shown["decisions"] if each["standing"] == "held"]
    assert [each["id"] for each in questions["questions"]] == held
    assert tree_of(visit.scenario.store) == before


def test_what_is_wrong_comes_back_as_a_sentence_with_its_remedy(visit) -> None:
    async def host(client: Client) -> Any:
        plan = await answer(client, "plan")
        return (
            await refusal(client, "show", pass_id="1999-01-01.1"),
            await refusal(client, "history", memory="nothing-of-the-kind"),
            await refusal(client, "decide", pass_id=plan["pass"], decisions={"decisions": "all"}),
            await refusal(client, "read", pass_id=plan["pass"], file="../../../memgit/head.json"),
        )

    for said in visit(host):
        assert said.endswith("."), said
        assert "Traceback" not in said


@pytest.mark.parametrize("name", ["--store=/tmp", "--help", "--project=/"])
def test_what_a_model_names_is_never_an_option(visit, name: str) -> None:
    async def host(client: Client) -> str:
        await answer(client, "plan")
        return await refusal(client, "history", memory=name)

    assert name.strip("-").partition("=")[0] in visit(host)


def test_the_store_that_it_was_started_for_is_the_one(visit, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("# Memory\n")

    async def host(client: Client) -> dict[str, Any]:
        return await answer(client, "check")

    assert visit(host, "--store", str(tmp_path / "memory"))["store"]


def test_without_the_sdk_there_is_a_sentence(memgit, world, tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(name='mcp')\n")

    done = memgit("mcp", cwd=tmp_path, env={**world.env, "PYTHONPATH": f"{tmp_path}:{ROOT}"})

    assert done.code == 2
    assert "memgit-curator[mcp]" in done.err
