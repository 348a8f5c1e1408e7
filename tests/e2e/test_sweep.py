"""A sweep from the first command to the last undo, with a bd that fails where it likes."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from memgit.cli import run
from memgit.stores.beads.bd import values_of
from tests.beads_world import beads_at
from tests.desks import read_folder

KEY = "AKIAIOSFODNN7EXAMPLE"
MEMORIES = {
    "lesson-worktree-path": "The default path of a worktree is ./<name> (src/worktree.py:12).",
    "worktree-path-again": "The default path of a worktree is ./<name> (src/worktree.py:12).",
    "done-gateway-1": "@created=2026-09-01\nThe gateway refreshes auth tokens before they expire.",
    "done-gateway-2": "@created=2026-09-10\nThe gateway refreshes auth tokens in the background, between requests.",
    "continuation-2026-10-01": "Go on with the retry work.",
    "continuation-2026-11-20": "Go on with the release.",
    "research-caching": "@type=semantic:research @salience=3 @tags=caching\nCaching is compared in docs/caching.md.",
    "upload-key": f"The upload uses {KEY} for now.",
    "moon": "Full.",
}
NOW = "2026-11-29T12:00:00Z"


@pytest.fixture
def beads(world, monkeypatch):
    monkeypatch.setenv("PATH", world.env["PATH"])  # put back what the double stands on
    made = beads_at(world.root / "project", MEMORIES)
    for path, text in {"docs/caching.md": "# Caching\n", "scripts/kb-label-vocab.txt": "kb\ncaching\n"}.items():
        (made.project / path).parent.mkdir(exist_ok=True)
        (made.project / path).write_text(text)
    subprocess.run(["git", "init", "-q", "."], cwd=made.project, check=True)
    subprocess.run(["git", "add", "docs", "scripts"], cwd=made.project, check=True)
    monkeypatch.chdir(made.project)
    return made


@pytest.fixture
def go(beads, capsys):
    def ran(*arguments: str) -> tuple[int, dict]:
        named = () if arguments[0] == "sweep" else ("--store", "beads")
        code = run([*arguments, *named, "--json", "--now", NOW])
        return code, json.loads(capsys.readouterr().out)

    return ran


def proposed(go) -> tuple[str, dict[str, str]]:
    """A sweep: its id, and what adopting all of it is to make of the store."""
    _, found = go("sweep")
    return found["pass"], values_of(read_folder(Path(found["paths"]["candidate"])))


def test_the_page_and_the_answers_name_the_store_in_each_command(beads, capsys):
    assert run(["sweep", "--now", NOW]) == 0
    name = f"--store beads:{beads.folder}"
    found = capsys.readouterr().out.split("memgit adopt ")[1].split()[0]
    assert run(["approve", found, "approve M1", "--store", "beads", "--now", NOW]) == 0
    said = capsys.readouterr().out
    assert f"memgit adopt {found} {name}" in said
    assert f"memgit undo op5 {name}" in said
    page = beads.project / "page.html"
    assert run(["report", "--store", "beads", "--html", str(page)]) == 0
    assert f"memgit review {found} {name}<" in page.read_text()


def test_a_sweep_writes_nothing_and_says_everything(beads, capsys):
    before = (beads.database.read_bytes(), beads.database.stat().st_mtime_ns)
    assert run(["sweep", "--now", NOW]) == 0
    said = capsys.readouterr().out
    assert (beads.database.read_bytes(), beads.database.stat().st_mtime_ns) == before
    assert set(beads.verbs) == {"memories", "vc", "list", "types"}
    assert f"`memgit undo --store beads:{beads.folder}` after adopting" in said
    commands = [line.split("`")[1].split(" -- ")[0] for line in said.split("\n") if "`bd remember" in line]
    forgotten = [line.split("`")[1] for line in said.split("\n") if "`bd forget" in line]
    assert commands == [
        "bd remember --key=continuation-2026-10-01",
        "bd remember --key=continuation-2026-11-20",
        "bd remember --key=lesson-worktree-path",
    ]
    assert forgotten == ["bd forget -- worktree-path-again"]
    assert "`moon`: nothing says what it is." in said
    assert "bd recall research-caching | bd create" in said
    assert "Before this sweep bd's own history was at `branch main, commit 7v3k9qd0t1`." in said
    accounted = {line.split("`")[1] for line in said.split("\n") if " — " in line and line.startswith("  `")}
    assert accounted == set(MEMORIES)


def test_a_secret_is_named_by_kind_and_never_by_value(beads, capsys, world):
    assert run(["sweep", "--now", NOW]) == 0
    said = capsys.readouterr()
    assert "`upload-key`: AWS" in said.out
    assert KEY not in said.out + said.err
    reports = list(world.data_home.rglob("*REPORT.md"))
    assert len(reports) == 1
    assert KEY not in reports[0].read_text()


def test_nothing_is_adopted_that_nobody_approved(go, beads):
    _, found = go("sweep")
    code, answer = go("adopt", found["pass"])
    assert (code, answer["error"]["kind"]) == (13, "wrong-state")
    assert beads.memories == MEMORIES


def test_what_is_approved_in_part_is_run_in_part_and_undone_exactly(go, beads):
    _, found = go("sweep")
    duplicate = next(one["id"] for one in found["decisions"] if "worktree-path-again" in one["memories"])
    assert go("adopt", found["pass"], "--only", duplicate)[0] == 0
    header = "@type=semantic:lesson @salience=4 @tags=worktree,path"
    text = MEMORIES["lesson-worktree-path"]
    rest = {key: value for key, value in MEMORIES.items() if "worktree" not in key}
    assert beads.memories == {**rest, "lesson-worktree-path": f"{header}\n{text}"}
    assert go("undo")[0] == 0
    assert beads.memories == MEMORIES


def test_a_swept_store_has_nothing_more_to_sweep(go, beads):
    _, found = go("sweep")
    go("adopt", found["pass"], "--all")
    _, again = go("sweep")
    assert [one for one in again["decisions"] if one["standing"] == "taken" and one["kind"] != "reject"] == []


@pytest.mark.parametrize("rule", ["remember 1", "memories 5", "forget 1 lie"])
def test_a_command_that_fails_once_is_got_over(go, beads, rule):
    name, new = proposed(go)
    beads.fail(rule)
    assert go("adopt", name, "--all")[0] == 0
    assert beads.memories == new


@pytest.mark.parametrize("rule", ["remember 3+", "forget 1+", "memories 7+"])
def test_a_bd_that_stays_broken_leaves_the_old_store_or_one_that_recover_completes(go, beads, rule):
    name, new = proposed(go)
    beads.fail(rule)
    code, answer = go("adopt", name, "--all")
    assert code in (14, 16)
    assert "database is locked" in answer["error"]["message"]
    assert all(key in beads.memories for key in MEMORIES)
    beads.fail()
    if code == 14:
        assert go("recover")[0] == 0
    assert beads.memories in (MEMORIES, new)
    if beads.memories == MEMORIES:
        assert go("adopt", name, "--all")[0] == 0
    assert beads.memories == new
    go("undo")
    assert beads.memories == MEMORIES


def test_a_failing_bd_is_no_empty_store(go, beads):
    beads.fail("memories 1 lie")
    code, answer = go("sweep")
    assert (code, answer["error"]["kind"]) == (16, "tool-failed")


def test_a_bead_is_filed_only_when_asked_verified_and_only_then_the_memory_may_go(go, beads):
    _, found = go("sweep")
    assert beads.beads == []
    _, found = go("sweep", "--run-bd-create")
    (bead,) = beads.beads
    assert bead == {
        "id": "bd-1",
        "title": "Caching is compared in docs/caching.md.",
        "issue_type": "research",
        "labels": ["caching", "kb"],
        "status": "deferred",
        "description": "Caching is compared in docs/caching.md.",
        "metadata": {"doc": "docs/caching.md"},
    }
    gone = next(one for one in found["decisions"] if one["kind"] == "drop")
    assert gone["memories"] == ["research-caching"]
    assert beads.memories == MEMORIES
    go("adopt", found["pass"], "--only", gone["id"])
    assert "research-caching" not in beads.memories
    go("undo")
    go("sweep", "--run-bd-create")
    assert len(beads.beads) == 1


def test_a_type_that_bd_does_not_have_here_is_told_with_the_remedy_and_nothing_is_filed(go, beads):
    tables = json.loads(beads.database.read_text())
    beads.database.write_text(json.dumps(tables | {"types": []}))
    _, found = go("sweep", "--run-bd-create")
    told = found["remarks"]["Knowledge beads"]
    assert any("bd has no beads of type research here until `bd config set types.custom LIST`" in line for line in told)
    assert beads.beads == []


def test_where_beads_can_not_be_listed_nothing_is_filed_and_the_sweep_goes_on(go, beads, capsys):
    beads.fail("list *")
    assert run(["sweep", "--now", NOW]) == 0
    assert "What is filed already was not looked up: `bd list` failed with exit code 1" in capsys.readouterr().out
    code, answer = go("sweep", "--run-bd-create")
    assert (code, answer["error"]["kind"]) == (16, "tool-failed")
    assert beads.beads == []


def test_a_bead_on_the_same_document_is_to_be_superseded(beads, capsys):
    former = {"id": "bd-7", "title": "Caching", "status": "deferred", "labels": ["kb"], "description": "Once."}
    beads.put(MEMORIES, [{**former, "metadata": {"doc": "docs/caching.md"}}])
    assert run(["sweep", "--now", NOW]) == 0
    assert "`bd supersede bd-7 --with ID`" in capsys.readouterr().out


def test_once_the_new_bead_is_there_the_old_one_is_named_with_it_and_others_on_the_document_are_not(go, beads):
    old = {"status": "deferred", "labels": ["kb"], "issue_type": "research", "metadata": {"doc": "docs/caching.md"}}
    other = {**old, "id": "bd-8", "title": "A decision", "issue_type": "decision", "description": "Another matter."}
    beads.put(MEMORIES, [{**old, "id": "bd-7", "title": "Caching", "description": "Once."}, other])
    _, found = go("sweep", "--run-bd-create")
    told = found["remarks"]["Knowledge beads"]
    assert "`bd supersede bd-7 --with bd-3` (`bd-7` is on its document and says otherwise)" in told
    assert not any("bd-8" in line for line in told)


def test_a_create_that_only_claims_success_keeps_the_memory(go, beads):
    beads.fail("create 1 lie")
    _, found = go("sweep", "--run-bd-create")
    assert not [one for one in found["decisions"] if one["kind"] == "drop"]


def test_a_redaction_takes_a_secret_out_and_says_what_bd_keeps(go, beads, world):
    go("snapshot")
    code, done = go("redact", "upload-key", "--yes")
    assert (code, done["done"]) == (0, True)
    assert (
        "Out of memgit's reach: the history that bd keeps of its database, and every place it was pushed to."
        in (done["notes"])
    )
    assert beads.memories == {**MEMORIES, "upload-key": "The upload uses [masked: redacted] for now."}
    assert not [path for path in world.data_home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_sweep_of_a_directory_is_refused(beads, capsys, tmp_path):
    (tmp_path / "memory").mkdir()
    assert run(["sweep", "--store", str(tmp_path / "memory"), "--json"]) == 2
    assert "is no store of beads" in json.loads(capsys.readouterr().out)["error"]["message"]


# --- cooled memories ---

COOLED = {
    "lesson-cache-old": "@type=semantic:lesson @salience=1 @tags=caching\nThe old cache is told of in docs/caching.md.",
    "lesson-cache-new": "@type=semantic:lesson @salience=4 @tags=caching\nA tenant has its own cache (src/a.py:8).",
    "done-cache": (
        "@type=episodic:done @salience=1 @tags=caching\n[superseded 2026-09-01 by lesson-cache-new]\n"
        "The cache moved; docs/caching.md tells how."
    ),
    "done-stray": (
        "@type=episodic:done @salience=1 @tags=caching\n[superseded 2026-09-01 by nobody]\n"
        "The cache was cleared, as docs/caching.md asks."
    ),
    "lesson-bare": "@type=semantic:lesson @salience=1 @tags=caching\nClear the cache by hand.",
    "lesson-low": "@type=semantic:lesson @salience=2 @tags=caching\nWarm it first.",
    "lesson-key": f"@type=semantic:lesson @salience=1\nThe cache of docs/caching.md takes {KEY}.",
}


def test_what_has_cooled_is_filed_verified_and_only_then_proposed_to_go(go, beads):
    beads.put(COOLED)
    _, found = go("sweep")
    assert (beads.beads, [one for one in found["decisions"] if one["kind"] == "drop"]) == ([], [])
    _, found = go("sweep", "--run-bd-create")
    texts = {bead["title"]: (bead["issue_type"], bead["status"], bead["description"]) for bead in beads.beads}
    assert texts == {
        "The old cache is told of in docs/caching.md.": (
            "research",
            "deferred",
            "The old cache is told of in docs/caching.md.",
        ),
        "The cache moved; docs/caching.md tells how.": (
            "research",
            "deferred",
            "[superseded 2026-09-01 by lesson-cache-new]\nThe cache moved; docs/caching.md tells how.",
        ),
    }
    gone = {name for one in found["decisions"] if one["kind"] == "drop" for name in one["memories"]}
    assert gone == {"lesson-cache-old", "done-cache"}
    assert beads.memories == COOLED
    go("adopt", found["pass"], "--all")
    assert gone.isdisjoint(beads.memories)
    go("undo")
    assert beads.memories == COOLED


def test_what_may_have_cooled_is_asked_about_and_left(go, beads):
    beads.put(COOLED)
    _, found = go("sweep")
    told = found["remarks"]["Cooled: does it belong into a bead?"]
    assert told == [
        "`done-stray`: what its mark says superseded it is no memory that stands.",
        "`lesson-bare`: it names no document that exists in the project.",
        "`lesson-key`: it holds what looks like a secret or personal data, which is removed, never moved.",
        (
            "`lesson-low`: of salience 2, which no session is told; with `@salience=1` and its document named it is"
            " proposed for a bead."
        ),
    ]


def test_a_bead_that_holds_a_part_of_a_cooled_memory_lets_nothing_go(go, beads):
    part = {"id": "bd-3", "title": "The old cache", "status": "deferred", "labels": ["kb"], "description": "is told of"}
    beads.put(COOLED, [part])
    _, found = go("sweep")
    assert not [one for one in found["decisions"] if one["kind"] == "drop"]


# --- the chore ---


def chores(beads) -> list[dict]:
    return [bead for bead in beads.beads if bead["issue_type"] == "chore"]


def adopted(go, *how: str) -> str:
    _, found = go("sweep")
    assert go("adopt", found["pass"], *(how or ("--all",)))[0] == 0
    return found["pass"]


def test_the_chore_of_an_adopted_sweep_is_created_and_closed_once_with_the_counts(go, beads):
    name = adopted(go, "--only", "M1,M2")
    go("sweep", "--run-bd-create")
    (bead,) = chores(beads)
    assert (bead["title"], bead["status"]) == (f"Memory curation: sweep {name}", "closed")
    assert bead["close_reason"] == "Curated: 1 header, 1 exact duplicate; before: branch main, commit 7v3k9qd0t1"
    go("sweep", "--run-bd-create")
    assert len(chores(beads)) == 1


def test_no_chore_is_filed_before_a_sweep_is_adopted_or_without_being_asked(go, beads):
    go("sweep")
    go("sweep", "--run-bd-create")
    adopted(go, "--only", "M1")
    go("sweep")
    assert chores(beads) == []


@pytest.mark.parametrize("rule", ["create 1", "close 1", "create 1 lie", "close 1 lie"])
def test_a_chore_that_was_cut_short_is_taken_up_where_it_stopped(go, beads, rule):
    adopted(go, "--only", "M1")
    beads.fail(rule)
    go("sweep", "--run-bd-create")
    assert [bead["status"] for bead in chores(beads)] in ([], ["open"])
    beads.fail()
    go("sweep", "--run-bd-create")
    assert [bead["status"] for bead in chores(beads)] == ["closed"]


def test_every_printed_bd_command_is_one_that_bd_takes(beads, capsys):
    former = {"id": "bd-1", "title": "Caching", "status": "deferred", "labels": ["kb"], "description": "Once."}
    beads.put({**MEMORIES, **COOLED}, [{**former, "issue_type": "research", "metadata": {"doc": "docs/caching.md"}}])
    assert run(["sweep", "--now", NOW]) == 0
    said = capsys.readouterr().out
    found = [line.split("`")[1] for line in said.split("\n") if re.match(r" *-? *`(bd|printf) ", line)]
    assert {text.split(" | ")[-1].split()[1] for text in found} == {
        "create",
        "close",
        "supersede",
        "forget",
        "remember",
    }
    for text in found:
        ran = subprocess.run(["sh", "-c", re.sub(r"\bID\b", "bd-1", text)], cwd=beads.project, capture_output=True)
        assert ran.returncode == 0, (text, ran.stderr)
