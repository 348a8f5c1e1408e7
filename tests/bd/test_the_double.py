"""The double of bd answers as the real one does, in everything that memgit takes from it."""

from __future__ import annotations

import json
import os
import re
import subprocess

from tests.bd.conftest import BINARY
from tests.beads_world import beads_at

CALLS = (
    ("memories", "--json"),
    ("remember", "--key=a-b", "--", "Value <one> & \"two\"\n\nü 漢 🙂"),
    ("remember", "--key=a-b", "--", "Another value"),
    ("remember", "--key=-x", "--", "-y"),
    ("remember", "--key=schema_version", "--", "one"),
    ("remember", "--key=empty", "--", "  "),
    ("remember", "--key=" + "k" * 300, "--", "too long a key"),
    ("remember", "--key=large", "--", "x" * 70_000),
    ("remember", "--nothing=x", "--", "y"),
    ("memories", "--json"),
    ("forget", "--", "a-b"),
    ("forget", "--", "a-b"),
    ("memories", "--json"),
    ("vc", "status", "--json"),
    ("dolt", "status"),
    ("types", "--json"),
    ("list", "--label", "kb", "--status", "all", "--limit", "0", "--json"),
    ("create", "A title", "-t", "chore", "--body-file", "-", "--silent"),
    ("create", "No such type", "-t", "nonesuch", "--body-file", "-", "--silent"),
    ("create", "Deferred", "-t", "task", "-l", "kb,caching", "--defer", "2099-01-01", "--body-file", "-", "--silent"),
    ("list", "--title", "A title", "--status", "all", "--limit", "0", "--json"),
    ("list", "--label", "kb", "--status", "all", "--limit", "0", "--json"),
    ("nonesuch",),
)  # fmt: skip

KEPT = {"title", "issue_type", "labels", "status", "description"}


def told(program: str, folder, arguments: tuple[str, ...]) -> tuple[bool, object]:
    """Whether a call succeeded, and of its answer what memgit reads."""
    env = {**os.environ, "BEADS_DIR": str(folder), "BD_JSON_ENVELOPE": "1"}
    ran = subprocess.run(
        [program, *arguments], cwd=folder.parent, env=env, input="A body.\n", capture_output=True, text=True, timeout=60
    )
    if "--json" not in arguments or ran.returncode:
        return ran.returncode == 0, ""
    found = json.loads(ran.stdout)["data"]
    match arguments[0]:
        case "vc":
            return True, (found["branch"], bool(re.fullmatch(r"\w+", found["commit"])))
        case "types":
            return True, sorted(each["name"] for each in found["core_types"])
        case "list":
            return True, [{key: bead[key] for key in KEPT if bead.get(key)} for bead in found]
    return True, found


def test_every_call_that_memgit_makes_has_the_same_answer(project, tmp_path):
    double = beads_at(tmp_path / "double" / "project", {})
    (double.project / ".git").mkdir()
    for arguments in CALLS:
        expected = told(str(BINARY), project.folder, arguments)
        assert told("bd", double.folder, arguments) == expected, arguments[:2]
