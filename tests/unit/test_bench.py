"""The benchmark runs: every row is produced, and what is counted is counted. Seconds are not asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.stores.rules import project_key
from tests.bench import material
from tests.bench.__main__ import table
from tests.bench.measure import growth, job
from tests.bench.rows import TABLE, Bench, Row, Rows, Sizes

TINY = Sizes((1 << 16, 1 << 17), (20, 40), (20, 40), (50, 100), 20, (5, 10), 1 << 17)
JOBS = {
    "hooks": [
        f"hook {verb}, {memories} memories"
        for memories in ("10", "100", "1,000")
        for verb in ("session-start", "user-prompt-submit", "post-tool-use", "stop", "session-end")
    ],
    "startup": ["memgit --help", "memgit log", "memgit curate, a small project"],
    "preflight": [
        *["first preflight, 0 MiB"] * 2,
        "preflight again, nothing changed",
        "one session grown by 1 MiB: MiB read more",
    ],
    "memory": ["memory, 0 MiB, one session a fifth"],
    "lookup": ["look up 20 spans in 40 files"] * 2,
    "snapshots": ["first snapshot, 40 memories", "one of them changed", "fingerprint"],
    "decisions": ["adopt, 40 memories", "undo, 40 memories"],
    "duplicates": ["near duplicates among 100 lines"],
    "mining": ["mine and decide, 10 memories, 4 sessions"],
}


@pytest.mark.parametrize("rows", TABLE, ids=lambda rows: rows.__name__)
def test_every_row_is_produced(rows: Rows, tmp_path: Path) -> None:
    found = list(rows(Bench(tmp_path, TINY, 1, "cpu")))
    expected = JOBS[rows.__name__]
    assert [row.job for row in found][: len(expected)] == expected
    assert json.loads(json.dumps([row.facts() for row in found]))
    assert table(found).count("\n") == len(found) + 1


def test_a_second_survey_opens_no_transcript_and_finds_the_same(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    project = str((tmp_path / "project").resolve())
    material.transcripts(tmp_path / "pool" / project_key(project), 4 << 20, project)
    where = {"projects": str(tmp_path / "pool"), "project": project, "cache": str(tmp_path / "cache")}
    first = job("survey", **where)()
    second = job("survey", **where, fresh=False)()
    assert second.counted == first.counted
    assert first.read > 4 << 20
    assert second.read < 1 << 20


def test_growth_is_the_exponent() -> None:
    assert growth([1, 2, 4], [1.0, 2.0, 4.0]) == pytest.approx(1)
    assert growth([1, 2, 4], [1.0, 4.0, 16.0]) == pytest.approx(2)


def test_a_bar_is_held_against_the_ratio_or_against_the_figure_itself() -> None:
    assert Row("a job", 3.0, "a reference", 2.0, 1.5).met
    assert not Row("a job", 3.1, "a reference", 2.0, 1.5).met
    assert Row("a job", 49.0, bar=50.0, unit="ms").met
    assert Row("a job", 3.0).met is None
