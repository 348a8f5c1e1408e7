"""A host of the scenarios: what one decided on each of them, handed in through ``plan``, ``propose`` and ``decide``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.conftest import DATA

Run = Callable[..., Any]
"""Runs a command as the fixture ``run`` of a test does: arguments, and ``stdin``."""


def decided(run: Run, slug: str, order: Sequence[int] = (), planned: Sequence[str] = ("plan",)) -> dict[str, Any]:
    """The pass of a scenario as its host decided it, each change confirmed; ``order`` says which come, and in which
    order. What ``decide --json`` prints."""
    pass_id = run(*planned, "--json").json["pass"]
    candidates, decisions = (json.loads(_recorded(slug, name, pass_id)) for name in ("candidates", "decisions"))
    if order:
        decisions["decisions"] = [decisions["decisions"][number] for number in order]
    for one in decisions["decisions"]:
        one["confirm"] = "read whole"
    run("propose", pass_id, "-", "--json", stdin=json.dumps(candidates))
    outcome: dict[str, Any] = run("decide", pass_id, "-", "--json", stdin=json.dumps(decisions)).json
    return outcome


def _recorded(slug: str, name: str, pass_id: str) -> str:
    text = (DATA / "hosts" / slug / f"{name}.json").read_text(encoding="utf-8")
    return text.replace('"PASS"', json.dumps(pass_id))
