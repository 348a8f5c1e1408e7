"""A stand-in for the ``claude`` command that behaves as the real one was measured to, from a script.

Beside the program lies ``claude.json``: ``version`` and ``rules``, each with ``when`` (a pattern of the prompt) and
``turns``, what it does the first time, the second time, …, the last one for ever. Each call is noted in ``calls``.
Standard library only: it is run as a program of its own.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Act = Mapping[str, Any]

USAGE = {"input_tokens": 900, "cache_creation_input_tokens": 80, "cache_read_input_tokens": 20, "output_tokens": 50}


def envelope(**more: Any) -> str:
    """What the command prints of a run; the order of its keys is that of a recent version."""
    common = {"duration_ms": 1, "num_turns": 1, "session_id": "0", "total_cost_usd": 0.25, "usage": USAGE}
    return json.dumps({"is_error": False, **common, "subtype": "success", "type": "result", **more})


def perform(act: Act) -> int:
    """Do one thing that the real command has been seen to do, and return the exit code."""
    match act:
        case {"structured": answer}:
            print(envelope(structured_output=answer, result="Done."))
            return 0
        case {"result": text}:
            print(envelope(result=text))
            return 0
        case {"is_error": text, **more}:  # its subtype says success all the same
            print(envelope(is_error=True, result=text, api_error_status=more.get("status")))
            return 1
        case {"errors": errors, "subtype": subtype}:
            print(envelope(is_error=True, subtype=subtype, errors=errors))
            return 1
        case {"raw": text}:
            print(text)
            return 0
        case {"exit": code, "stderr": text}:
            print(text, file=sys.stderr)
            return int(code)
        case {"flood": size}:
            sys.stdout.write("x" * size)
            return 0
        case _:  # hang
            time.sleep(600)
            return 0


def main() -> int:
    """Answer as the script says."""
    here = Path(sys.argv[0]).parent
    script = json.loads((here / "claude.json").read_text(encoding="utf-8"))
    if "--version" in sys.argv:
        print(script.get("version", "2.1.332 (Claude Code)"))
        return 0
    prompt = sys.stdin.buffer.read().decode("utf-8")
    for number, rule in enumerate(script["rules"]):
        if re.search(rule["when"], prompt):
            turn = _note(here / "calls", f"rule{number}", prompt)
            return perform(rule["turns"][min(turn, len(rule["turns"]) - 1)])
    return perform({"exit": 9, "stderr": "no rule of the script fits"})


def _note(calls: Path, rule: str, prompt: str) -> int:
    """Keep what this call was given, and return how many of the same rule there were before."""
    calls.mkdir(exist_ok=True)
    before = len(list(calls.glob(f"{rule}-*")))
    env = {name: value for name, value in os.environ.items() if name.startswith("CLAUDE")}
    call = {
        "argv": sys.argv[1:],
        "prompt": prompt,
        "env": env,
        "cwd": str(Path.cwd()),
        "beside": [path.name for path in Path().iterdir()],
        "pid": os.getpid(),
    }
    aside = calls / f".{os.getpid()}"
    aside.write_text(json.dumps(call), encoding="utf-8")
    aside.rename(calls / f"{rule}-{before:03}-{os.getpid()}")
    return before


class Stub:
    """The stand-in, installed as ``claude`` in a folder that can be put on PATH."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.program = folder, folder / "claude"
        source = Path(__file__).read_text(encoding="utf-8")
        self.program.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
        self.program.chmod(0o755)
        self.script()

    def script(self, *rules: tuple[str, list[Act]], version: str = "2.1.332 (Claude Code)") -> None:
        """What it does from now on."""
        told = [{"when": when, "turns": turns} for when, turns in rules]
        (self.folder / "claude.json").write_text(json.dumps({"version": version, "rules": told}), encoding="utf-8")

    def calls(self) -> list[dict[str, Any]]:
        """What each call so far was given, the earliest first."""
        noted = sorted((self.folder / "calls").glob("rule*"), key=lambda path: path.stat().st_mtime_ns)
        return [json.loads(path.read_text(encoding="utf-8")) for path in noted]

    def prompts(self) -> Iterator[str]:
        """The prompts of those calls."""
        return (call["prompt"] for call in self.calls())


if __name__ == "__main__":
    sys.exit(main())
