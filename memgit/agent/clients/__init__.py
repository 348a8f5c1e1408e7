"""The clients that memgit knows, each a module of its own behind one port (`client`).

A new client is a module and its name here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from memgit.agent.clients.client import Client, Fields

NAMES = ("claude", "codex", "copilot", "gemini", "cursor", "opencode")
"""Their modules. The first is the one whose store a project has unless something says otherwise."""

OTHERS_MARKS = (
    "AI_AGENT",
    "AGENT",
    "QWEN_CODE",
    "AUGMENT_AGENT",
    "ANTIGRAVITY_AGENT",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
    "AMP_CURRENT_THREAD_ID",
)
"""Variables that several clients set for what their model runs, or clients of which memgit knows no more."""


def client_named(name: str) -> Client:
    """One client. Raises KeyError for a name that is none."""
    if name not in NAMES:
        raise KeyError(name)
    client: Client = import_module(f"memgit.agent.clients.{name}").CLIENT
    return client


def clients() -> Iterator[Client]:
    """All of them."""
    yield from map(client_named, NAMES)


def main_client() -> Client:
    """The one whose store a project has unless something says otherwise."""
    return client_named(NAMES[0])


def host_of(fields: Fields, env: Mapping[str, str], home: str) -> Client:
    """The client that an event came from."""
    return next((client for client in clients() if client.is_host(fields, env, home)), main_client())


def calling_session(env: Mapping[str, str]) -> str:
    """The session of any client that runs this program; empty outside of any."""
    named = (env.get(client.session_mark, "") for client in clients() if client.session_mark)
    return next(filter(None, named), "")


def marks() -> tuple[str, ...]:
    """The variables by which any client shows that it called."""
    return (*OTHERS_MARKS, *(mark for client in clients() for mark in client.marks))
