"""memgit as the public suite ``agent-memory-integrity`` sees it: an adapter that drives the real command.

Detection is an audit (`memgit check`), not at reading: agents read their memory files themselves. The attacker of the
suite holds the store and the vault; the witness of the vault's head lies elsewhere, as it does by default. What an
agent writes is genuine when the agent's client told memgit's hook of it; any other change is reported until somebody
acknowledges it. Findings on the health of an index do not count here, only those on store and vault.

``agmi-check --adapter tests.crash.agmi_adapter:Memgit`` prints the suite's own table.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agmi.adapters.base import MemoryAdapter, Record

from memgit.agent.hooks.event import Event
from memgit.agent.hooks.place import place_of
from memgit.agent.hooks.recorder import post_tool_use
from memgit.cli import run

OWN, OTHER = "A", "B"


class Memgit(MemoryAdapter):
    """Two projects with a store each, in one home; their vaults beside them, the witnesses elsewhere."""

    name = "memgit"
    detection_point = "audit"
    supports_replay = True
    supports_metadata = True
    supports_snapshot = True

    def setup(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="memgit-agmi-"))
        self.away = Path(tempfile.mkdtemp(prefix="memgit-agmi-witness-"))
        self.contexts: list[str] = []
        self._begin(OWN)

    def teardown(self) -> None:
        shutil.rmtree(self.root)
        shutil.rmtree(self.away)

    # --- what an agent and memgit do ---

    def _begin(self, context: str) -> None:
        self.contexts.append(context)
        (self.root / context).mkdir()
        folder = self._folder(context)
        folder.mkdir(parents=True)
        (folder / "MEMORY.md").write_text("# Memory\n")
        self._memgit("snapshot", context)

    def seed(self, n: int) -> None:
        self._remember(OWN, range(n))

    def seed_other(self, n: int) -> None:
        self._begin(OTHER)
        self._remember(OTHER, range(n))

    def append_genuine(self) -> None:
        numbers = [int(path.stem[1:]) for path in self._files(OWN) if path.stem[1:].isdigit()]
        self._remember(OWN, [1 + max(numbers, default=-1)])

    def _remember(self, context: str, numbers: range | list[int]) -> None:
        """The agent writes memories and the index; its client tells the hook; the session ends in a snapshot."""
        for number in numbers:
            self._agent_writes(context, f"m{number:03d}.md", _memory(context, number))
        index = "".join(f"- [{path.stem}]({path.name}) — a limit\n" for path in self._files(context))
        self._agent_writes(context, "MEMORY.md", f"# Memory\n\n{index}")
        self._memgit("snapshot", context)

    def _agent_writes(self, context: str, name: str, text: str) -> None:
        path = self._folder(context) / name
        path.write_text(text)
        told = {"tool_name": "Write", "session_id": "s", "cwd": str(self.root / context)}
        with self._world():
            place = place_of(str(self.root / context), os.environ)
            post_tool_use(Event({**told, "tool_input": {"file_path": str(path)}}), place)

    def reload(self) -> None:
        """Every command starts anew."""

    def verify(self) -> bool:
        findings = [each for context in self.contexts for each in self._check(context)]
        self.verify_detail = "; ".join(each["what"] for each in findings[:2]) or None
        return not findings

    def _check(self, context: str) -> list[dict]:
        said = json.loads(self._memgit("check", context, "--strict", "--json"))
        return [each for each in said["findings"] if each["area"] in ("store", "vault")]

    def _memgit(self, verb: str, context: str, *options: str) -> str:
        with self._world(), contextlib.redirect_stdout(io.StringIO()) as said:
            code = run([verb, "--project", str(self.root / context), *options])
        if code not in (0, 3, 17):
            raise RuntimeError(f"memgit {verb}: exit code {code}: {said.getvalue()}")
        return said.getvalue()

    @contextlib.contextmanager
    def _world(self) -> Iterator[None]:
        before = dict(os.environ)
        os.environ.update(
            HOME=str(self.root),
            CLAUDE_CONFIG_DIR=str(self.root / "config"),
            MEMGIT_DATA_HOME=str(self.root / "vaults"),
            MEMGIT_STATE_HOME=str(self.away),
        )
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    # --- what an attacker does ---

    def _folder(self, context: str) -> Path:
        with self._world():
            return Path(place_of(str(self.root / context), os.environ).store)

    def _files(self, context: str) -> list[Path]:
        return sorted(self._folder(context).glob("m*.md"))

    def _read(self, context: str) -> list[Record]:
        return [
            Record(seq, {"ctx": context, "text": path.read_text()}) for seq, path in enumerate(self._files(context))
        ]

    def read_all_raw(self) -> list[Record]:
        return self._read(OWN)

    def read_other_raw(self) -> list[Record]:
        return self._read(OTHER)

    def write_raw(self, record: Record) -> None:
        there = dict(enumerate(self._files(OWN)))
        path = there.get(record.seq, self._folder(OWN) / f"m{record.seq:03d}.md")
        path.write_text(record.fields["text"])

    def delete_raw(self, seq: int) -> None:
        self._files(OWN)[seq].unlink()

    def mutate_payload(self, record: Record) -> Record:
        record.fields["text"] = f"{record.fields['text'].rstrip()} [TAMPERED]\n"
        return record

    def forge_record(self, template: Record) -> Record:
        return Record(template.seq + 1, {"ctx": OWN, "text": _memory(OWN, 999)})

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        path = self._files(OWN)[victim_seq]
        path.write_text(f"---\n{_parts(path.read_text())[0]}---\n{_parts(donor.fields['text'])[1]}")

    def read_meta(self, seq: int) -> dict:
        return {"frontmatter": _parts(self._files(OWN)[seq].read_text())[0]}

    def write_meta(self, seq: int, meta: dict) -> None:
        path = self._files(OWN)[seq]
        head, body = _parts(path.read_text())
        head = head.replace("type: project", "type: user") if meta.get("agmi_meta_tampered") else meta["frontmatter"]
        path.write_text(f"---\n{head}---\n{body}")

    def snapshot_store(self) -> object:
        return self._copy_store(self.root)

    def restore_store(self, token: object) -> None:
        self._restore_store(str(token), self.root)

    # --- what tells one memory from another ---

    def identity_of(self, record: Record) -> str:
        return f"{record.fields['ctx']}:{record.seq}"

    def payload_of(self, record: Record) -> str:
        return _parts(record.fields["text"])[1]

    def owner_of(self, record: Record) -> str | None:
        return record.fields["ctx"]


def _memory(context: str, number: int) -> str:
    return (
        f"---\nname: m{number:03d}\ndescription: a limit\ntype: project\n---\n\n"
        f"In {context} the limit {number} is {40 + number}.\n"
    )


def _parts(text: str) -> tuple[str, str]:
    _, head, body = text.split("---\n", 2)
    return head, body
