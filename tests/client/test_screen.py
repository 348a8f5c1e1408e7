"""What the user sees in the client's own screen, read through a terminal."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.client.conftest import BINARY, Client

pty = pytest.importorskip("pty")


def test_the_user_reads_the_verdict_at_the_start(plugged: Client) -> None:
    (plugged.store / "deploys.md").write_text("On Fridays.\n")

    with screen(plugged) as seen:
        assert _shows(seen, "memgit, on this project's memory")
        assert _shows(seen, "deploys.md")


@contextmanager
def screen(client: Client) -> Iterator[Iterator[str]]:
    """The client on a terminal; the value gives all that it has shown so far, squeezed to letters and digits."""
    key = client.env["ANTHROPIC_API_KEY"]
    settings = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
        "projects": {str(client.project): {"hasTrustDialogAccepted": True}},
    }
    known = client.world.home / ".claude.json"
    before = json.loads(known.read_text()) if known.exists() else {}
    known.write_text(json.dumps({**before, **settings}))
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), "--permission-mode", "acceptEdits"],
        cwd=client.project,
        env={**client.env, "COLUMNS": "160", "LINES": "50"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield _shown(master)
    finally:
        process.kill()
        process.wait()
        os.close(master)


def _shown(master: int) -> Iterator[str]:
    text = ""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.2)[0]:
            text += os.read(master, 65536).decode("utf-8", "replace")
        yield _squeezed(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07", "", text))


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def _shows(seen: Iterator[str], words: str) -> bool:
    return any(_squeezed(words) in text for text in seen)
