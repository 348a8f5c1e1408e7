"""What is measured, each in a process of its own: ``python -m tests.bench.jobs NAME ARGUMENTS-AS-JSON``.

A job does its imports and opens what it needs, then is timed; it prints one JSON object with seconds, CPU seconds,
peak memory and what it counted.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Work = Callable[[], dict[str, Any]]
JOBS: dict[str, Callable[..., Work]] = {}


def job(prepare: Callable[..., Work]) -> Callable[..., Work]:
    JOBS[prepare.__name__] = prepare
    return prepare


def main() -> None:
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    work = JOBS[name](**arguments)
    read, cpu, start = _bytes_read(), _cpu(), time.perf_counter()
    counted = work()
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu": _cpu() - cpu,
                "peak_mb": sum(map(_peak, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))) / 1024,
                "read": _bytes_read() - read,
                **counted,
            }
        )
    )


def _cpu() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _peak(who: int) -> int:
    """The largest amount of memory that a process had, in KiB: of this one, or of the largest that it started."""
    return resource.getrusage(who).ru_maxrss


def _bytes_read() -> int:
    """What this process has read by system calls; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])
    except (OSError, IndexError):
        return 0


def _clock() -> datetime:
    return datetime(2026, 11, 29, 12, tzinfo=UTC)


class _Silent:
    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        pass


def _forget_pages(folder: str) -> None:
    """Let the next reading come from the disk."""
    os.sync()
    for path in Path(folder).rglob("*"):
        if path.is_file() and hasattr(os, "posix_fadvise"):
            descriptor = os.open(path, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


# --- transcripts ---


@job
def survey(projects: str, project: str, cache: str, *, fresh: bool = True, cold: bool = True) -> Work:
    """memgit's preflight: every session of the project, classified and kept in the cache."""
    from memgit.process import git
    from memgit.sessions.claude import ClaudeTranscripts
    from memgit.stores.rules import project_key

    if fresh:
        shutil.rmtree(cache, ignore_errors=True)
    if cold:
        _forget_pages(projects)

    def work() -> dict[str, Any]:
        transcripts = ClaudeTranscripts(projects, key=project_key, git=git, cache_dir=cache)
        found = transcripts.survey(project, _Silent())
        return {"sessions": len(found.sessions), "tokens": sum(each.tokens for each in found.sessions)}

    return work


@job
def read_all(folder: str, *, cold: bool = True) -> Work:
    """The limit: every byte of every file into one buffer."""
    if cold:
        _forget_pages(folder)

    def work() -> dict[str, Any]:
        buffer, size = bytearray(1 << 20), 0
        for path in sorted(Path(folder).rglob("*.jsonl")):
            descriptor = os.open(path, os.O_RDONLY)
            while got := os.readv(descriptor, [buffer]):
                size += got
            os.close(descriptor)
        return {"bytes": size}

    return work


ORIGINAL = """
const fs = require('fs'), path = require('path');
let kept = 0, size = 0;
for (const name of fs.readdirSync(process.argv[1]).filter(n => n.endsWith('.jsonl'))) {
  for (const line of fs.readFileSync(path.join(process.argv[1], name), 'utf8').split('\\n')) {
    let record;
    try { record = JSON.parse(line); } catch { continue; }
    if (record.type !== 'user' && record.type !== 'assistant') continue;
    const content = record.message && record.message.content;
    const text = typeof content === 'string' ? content
      : (content || []).filter(b => b.type === 'text').map(b => b.text).join('\\n');
    if (text.trim()) { kept++; size += text.length; }
  }
}
console.log(JSON.stringify({kept, size}));
"""


@job
def whole_files_in_node(folder: str, *, cold: bool = True) -> Work:
    """The method of the script that memgit replaces: each file whole, split, every line through JSON.parse."""
    if cold:
        _forget_pages(folder)

    def work() -> dict[str, Any]:
        done = subprocess.run(["node", "-e", ORIGINAL, folder], capture_output=True, check=True)
        return dict(json.loads(done.stdout))

    return work


@job
def whole_files_in_python(folder: str, *, cold: bool = True) -> Work:
    """The same method where there is no node."""
    if cold:
        _forget_pages(folder)

    def work() -> dict[str, Any]:
        kept = 0
        for path in Path(folder).glob("*.jsonl"):
            for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                content = record.get("message", {}).get("content") or []
                texts = [content] if isinstance(content, str) else [each.get("text", "") for each in content]
                kept += any(text.strip() for text in texts)
        return {"kept": kept}

    return work


# --- a working tree ---


@job
def look_up(root: str, spans: list[str]) -> Work:
    """memgit's search of the working tree."""
    from memgit.tree.git import open_tree
    from memgit.tree.scan import machine

    tree = open_tree(root)
    files = tree.files()
    engine = type(machine([b"x"], len(files))).__name__.strip("_").lower()

    def work() -> dict[str, Any]:
        return {"found": len(tree.find(spans)), "files": len(files), "engine": engine}

    return work


@job
def look_up_again(root: str, spans: list[str], cache: str, change: int) -> Work:
    """The same with what the last search found, after so many files have changed; listing them is in its time."""
    from memgit.tree.git import open_tree
    from memgit.tree.known import KnownTrees

    known = KnownTrees(Path(cache))
    files = open_tree(root).files()
    for path in files[:: max(1, len(files) // change)][:change] if change else ():
        with Path(root, path).open("a") as file:
            file.write("# changed\n")

    def work() -> dict[str, Any]:
        tree = open_tree(root, known=known)
        return {"found": len(tree.find(spans))}

    return work


@job
def list_tree(root: str) -> Work:
    """memgit's list of the working tree's files."""
    from memgit.tree.git import open_tree

    def work() -> dict[str, Any]:
        return {"files": len(open_tree(root).files())}

    return work


@job
def git_list(root: str) -> Work:
    def work() -> dict[str, Any]:
        done = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True
        )
        return {"files": done.stdout.count(b"\0")}

    return work


@job
def read_tree(root: str) -> Work:
    """The limit: each file opened and read once into one reused buffer."""
    from memgit.tree.git import open_tree

    paths = [f"{root}/{path}" for path in open_tree(root).files()]

    def work() -> dict[str, Any]:
        buffer, size = bytearray(1 << 20), 0
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY)
            size += os.readv(descriptor, [buffer])
            os.close(descriptor)
        return {"bytes": size}

    return work


@job
def ripgrep(root: str, spans: list[str], program: str) -> Work:
    def work() -> dict[str, Any]:
        done = subprocess.run(
            [program, "--no-config", "--hidden", "-o", "-I", "-N", "-F", "-f", "-", "."],
            cwd=root,
            input="\n".join(spans).encode(),
            capture_output=True,
        )
        return {"found": len(set(done.stdout.split(b"\n")) & {span.encode() for span in spans})}

    return work


# --- a store ---


def _content(store: str) -> Any:
    from memgit.model.store import Resolution
    from memgit.stores.directory import DirectoryStore

    return DirectoryStore(Resolution(store, "named"))


@job
def fingerprint(store: str) -> Work:
    """memgit's fingerprint of a store: listed twice, read, hashed."""
    reader = _content(store)
    reader.fingerprint()
    return lambda: {"hash": reader.fingerprint()[:12]}


@job
def hash_only(store: str) -> Work:
    """The hashing alone, of a content that is in memory."""
    from memgit.memory.fingerprint import fingerprint as hashed

    content = _content(store).read()
    return lambda: {"hash": hashed(content)[:12]}


@job
def read_store(store: str) -> Work:
    """The limit: each file of the store opened and read."""

    def work() -> dict[str, Any]:
        size = 0
        with os.scandir(store) as entries:
            for entry in entries:
                with open(entry.path, "rb") as file:  # noqa: PTH123 – the fastest way is the measure
                    size += len(file.read())
        return {"bytes": size}

    work()
    return work


def _vault(folder: str, store: str) -> Any:
    from memgit.vault import Vault

    return Vault.create(Path(folder), store, clock=_clock, who={}, witness=Path(f"{folder}.witness"))


@job
def snapshot(vault: str, store: str, *, fresh: bool = True, change: str = "") -> Work:
    """memgit's snapshot of a store, durable; with ``change`` one file is written anew before."""
    import pygit2  # noqa: F401 - start-up is measured elsewhere

    from memgit.memory.fingerprint import fingerprint as hashed
    from memgit.model.history import OpKind

    if fresh:
        shutil.rmtree(vault, ignore_errors=True)
        Path(f"{vault}.witness").unlink(missing_ok=True)
    reader = _content(store)
    _vault(vault, store).head()
    if change:
        Path(store, change).write_text(f"changed {time.time_ns()}\n")
    os.sync()

    def work() -> dict[str, Any]:
        ours = _vault(vault, store)
        content = reader.read()
        with ours.transaction(OpKind.SNAPSHOT, "snapshot") as transaction:
            transaction.set_store(content, "snapshot", fingerprint=hashed(content))
        return {"files": len(content.files)}

    return work


@job
def git_snapshot(vault: str, store: str, *, fresh: bool = True, change: str = "") -> Work:
    """The same by git: add everything and commit, everything synced."""
    git = [
        "git",
        f"--git-dir={vault}",
        f"--work-tree={store}",
        "-c",
        "core.fsync=all",
        "-c",
        "user.name=b",
        "-c",
        "user.email=b",
    ]
    git += ["-c", "gc.auto=0", "-c", "maintenance.auto=false"]
    if fresh:
        shutil.rmtree(vault, ignore_errors=True)
        subprocess.run(["git", "init", "-q", "--bare", vault], check=True, capture_output=True)
    if change:
        Path(store, change).write_text(f"changed {time.time_ns()}\n")
    os.sync()

    def work() -> dict[str, Any]:
        subprocess.run([*git, "add", "-A", "."], check=True, capture_output=True, cwd=store)
        subprocess.run([*git, "commit", "-qm", "snapshot", "--allow-empty"], check=True, capture_output=True, cwd=store)
        return {}

    return work


@job
def adopt_and_undo(folder: str, store: str) -> Work:
    """One memory dropped, adopted and brought back; and what one reading and hashing of the store takes."""
    from memgit.flows.adopt import adopt
    from memgit.flows.undo import undo
    from tests.desks import desk_over, make_pass

    shutil.rmtree(folder, ignore_errors=True)
    desk = desk_over(Path(store), Path(folder, "v"))
    before = desk.store.read()
    kept = {path: file for path, file in before.files.items() if path != "lesson-3.md"}
    header = make_pass(desk, replace(before, files=kept))

    def work() -> dict[str, Any]:
        spans = {}
        steps = {"check": desk.store.fingerprint, "adopt": lambda: adopt(desk, header.id), "undo": lambda: undo(desk)}
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            spans[name] = time.perf_counter() - start
        return spans

    return work


# --- near duplicates ---


@job
def near_duplicates(count: int) -> Work:
    """The search for memories that may say the same, over all of a store's."""
    from memgit.likeness.pairs import near
    from memgit.model.store import Memory
    from tests.bench.material import lessons

    store = [Memory(f"lesson-{n}", f"lesson-{n}.md", b"", line) for n, line in enumerate(lessons(count))]
    return lambda: {"pairs": len(near(store))}


# --- the offline miner and decider ---


@job
def mine_and_decide(memories: int, sessions: int) -> Work:
    """One miner per session, then one decider over everything, on the labelled projects put together as often as
    needed."""
    from memgit.miners.offline import OfflineDecider, OfflineMiner
    from tests.bench.material import together

    store, digests = together(memories, sessions)

    def work() -> dict[str, Any]:
        candidates = [one for digest in digests for one in OfflineMiner().mine(digest, store).candidates]
        return {"proposals": len(OfflineDecider().decide(store, digests, candidates))}

    return work


if __name__ == "__main__":
    main()
