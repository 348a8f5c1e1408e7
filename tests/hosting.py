"""A host of the scenarios: what one decided on each of them, handed in through ``plan``, ``propose`` and ``decide``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
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


def told_twice(store: Path) -> str:
    """Have the worked example tell its ``retry-budget`` once more, equal but for form; the name of the other memory."""
    told = (store / "retry-budget.md").read_text(encoding="utf-8")
    (store / "retry-cap.md").write_text(told.replace("name: retry-budget", "name: retry-cap"), encoding="utf-8")
    index = (store / "MEMORY.md").read_text(encoding="utf-8")
    (row,) = (row for row in index.splitlines() if "(retry-budget.md)" in row)
    (store / "MEMORY.md").write_text(f"{index}{row.replace('budget.md', 'cap.md')}\n", encoding="utf-8")
    return "retry-cap"


def _recorded(slug: str, name: str, pass_id: str) -> str:
    text = (DATA / "hosts" / slug / f"{name}.json").read_text(encoding="utf-8")
    return text.replace('"PASS"', json.dumps(pass_id))
