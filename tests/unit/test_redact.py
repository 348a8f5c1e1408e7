"""A redacted secret is gone from everything that memgit has written, and nothing else is."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path

import pytest

from memgit import files
from memgit.errors import MemgitError, WrongState
from memgit.evidence.redaction import REDACTED, redaction
from memgit.flows.adopt import adopt, discard
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.redact import Given, InMemory, OfKind, Reach, redact
from memgit.flows.undo import redo, restore, undo
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import OpKind
from memgit.vault import Standing
from memgit.vault.integrity import check
from tests.desks import NEW, OLD, desk_over, like, make_pass, read_folder, texts, write

SECRET = "ghp_" + "Zk3vQ9xLm2RtYw8Bn5Jd7Fh1Pc4Sg6Tu0AeX"
LEAKY = {**OLD, "deploys.md": OLD["deploys.md"] + f"\nThe token is {SECRET}\nand more.\n"}


@pytest.fixture
def desk(tmp_path):
    """A store that held a secret for a while: adopted, undone, in a waiting pass, its record and its report."""
    store = tmp_path / "agent" / "memory"
    write(store, LEAKY)
    desk = desk_over(store, tmp_path / "data" / "vault")
    snapshot(desk)
    first = make_pass(desk, like(desk.store.read(), NEW))
    adopt(desk, first.id)
    undo(desk)
    second = make_pass(desk, like(desk.store.read(), {**LEAKY, "more.md": f"More: {SECRET}\n"}))
    named = f"read {second.snapshot} as {desk.vault.head().fingerprint}, {second.snapshot[:12]}"
    with desk.vault.transaction(OpKind.PLAN, "records", pass_id=second.id) as change:
        change.put_record(second.id, "prose.jsonl", json.dumps({"text": f'"{SECRET}"', "of": named}).encode())
        change.put_record(second.id, "encoded", base64.b64encode(b"x" + SECRET.encode()))
    Path(second.paths.report).write_text(f"Report of {SECRET}; {named}\n")
    write(Path(second.paths.digests), {"batch-01.json": json.dumps({"said": SECRET})})
    return desk


def everything_below(*roots: Path) -> list[str]:
    """Where the secret still stands below these folders, unpacked objects included."""
    secret = redaction([SECRET])
    return [
        str(path)
        for root in roots
        for path in root.rglob("*")
        if secret.touches(os.fsencode(path)) or (path.is_file() and secret.touches(path.read_bytes()))
    ]


def objects_with_it(desk) -> list[str]:
    objects = desk.vault.objects
    names = {*objects.loose(), *objects.packed()}
    return [oid for oid in names if redaction([SECRET]).touches(objects.read_any(oid)[1])]


def test_nothing_that_memgit_wrote_holds_it_afterwards(desk, tmp_path):
    done = redact(desk, Given(SECRET), Reach(), really=True)
    assert done.done
    assert everything_below(tmp_path) == []
    assert objects_with_it(desk) == []
    assert desk.vault.check_witness() is Standing.OK
    assert check(desk.vault, full=True) == ()
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["vault", "witness.json"]


def test_all_else_is_byte_for_byte_what_it_was(desk):
    cleaner = redaction([SECRET])
    before = [desk.vault.store_at(op) if op.store else None for op in desk.vault.operations()]
    redact(desk, Given(SECRET), Reach(), really=True)
    operations = list(desk.vault.operations())[1:]
    after = [desk.vault.store_at(op) if op.store else None for op in operations]
    assert len(after) == len(before)
    for was, now, op in zip(before, after, operations, strict=True):
        if was is not None:
            assert {p: (cleaner.clean(f.data), f.mode, f.mtime_ns) for p, f in was.files.items()} == {
                p: (f.data, f.mode, f.mtime_ns) for p, f in now.files.items()
            }
            assert op.fingerprint == fingerprint(now)


def test_records_and_reports_name_the_new_commits(desk):
    pass_id = desk.vault.passes()[0].id
    redact(desk, Given(SECRET), Reach(), really=True)
    header = desk.vault.pass_header(pass_id)
    record = json.loads(desk.vault.record(pass_id, "prose.jsonl"))
    mark = fingerprint(desk.vault.content(header.snapshot))
    assert record == {
        "text": f'"{REDACTED}"',
        "of": f"read {header.snapshot} as {mark}, {header.snapshot[:12]}",
    }
    assert Path(header.paths.report).read_text() == f"Report of {REDACTED}; {record['of']}\n"


def test_life_goes_on_with_the_new_history(desk):
    second = max(header.id for header in desk.vault.passes())
    redact(desk, Given(SECRET), Reach(), really=True)
    redo(desk)
    assert texts(desk.store.read()) == NEW
    undo(desk)
    assert texts(desk.store.read())["deploys.md"] == LEAKY["deploys.md"].replace(SECRET, REDACTED)
    adopt(desk, second)
    assert texts(desk.store.read())["more.md"] == f"More: {REDACTED}\n"
    restore(desk, "op2")
    assert texts(desk.store.read())["deploys.md"] == LEAKY["deploys.md"].replace(SECRET, REDACTED)
    assert check(desk.vault, full=True) == ()


def test_the_waiting_candidate_is_not_taken_for_edited_by_hand(desk):
    pass_id = desk.vault.passes()[0].id
    redact(desk, Given(SECRET), Reach(), really=True)
    discard(desk, pass_id)
    assert OpKind.REVISION not in {op.kind for op in desk.vault.operations()}


def test_a_dry_run_names_places_and_kinds_and_changes_nothing(desk, tmp_path):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    found = redact(desk, Given(SECRET), Reach())
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not found.done
    assert found.kinds == ("GitHub token",)
    places = {(place.what, Path(place.where).name, place.form) for place in found.places}
    assert places >= {
        ("live store", "deploys.md", "plain"),
        ("store and candidate history", "deploys.md", "plain"),
        ("store and candidate history", "more.md", "plain"),
        ("operation log and pass records", "prose.jsonl", "plain"),
        ("operation log and pass records", "encoded", "base64"),
        ("files on disk", "batch-01.json", "plain"),
        ("files on disk", "memory-candidate-REPORT.md", "plain"),
    }
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    "wanted", [OfKind("GitHub token"), InMemory("deploys"), InMemory("deploys.md", 8), InMemory("deploys", 8)]
)
def test_the_screening_can_say_what_the_secret_is(desk, wanted):
    line = LEAKY["deploys.md"].splitlines().index(f"The token is {SECRET}") + 1
    if isinstance(wanted, InMemory) and wanted.line:
        wanted = InMemory(wanted.memory, line)
    assert redact(desk, wanted, Reach()).kinds == ("GitHub token",)


def test_a_secret_that_the_live_store_no_longer_holds_is_named_by_its_memory_still(desk):
    write(desk.live, OLD)
    snapshot(desk)
    assert redact(desk, InMemory("deploys"), Reach()).kinds == ("GitHub token",)


def test_what_is_nowhere_is_refused(desk):
    with pytest.raises(WrongState):
        redact(desk, Given("nobody ever wrote this"), Reach(), really=True)
    with pytest.raises(WrongState):
        redact(desk, InMemory("retry-budget"), Reach())


def test_caches_are_deleted_and_reports_of_faults_cleaned(desk, tmp_path):
    cache, bug = tmp_path / "transcripts.sqlite", tmp_path / "bug-report.txt"
    cache.write_bytes(b"whatever")
    bug.write_text(f"Traceback: {SECRET}\n")
    redact(desk, Given(SECRET), Reach((bug,), (cache,)), really=True)
    assert not cache.exists()
    assert bug.read_text() == f"Traceback: {REDACTED}\n"


def test_copies_of_the_vault_that_hold_it_or_cannot_be_read_go_whole(desk, tmp_path):
    data = tmp_path / "data"
    for name in ("damaged", "set-aside"):
        shutil.copytree(desk.vault.folder, data / f".vault.{name}")
    object_ = next((data / ".vault.damaged" / "objects").glob("??/*"))
    object_.chmod(0o600)
    object_.write_bytes(b"broken")
    other = desk_over(tmp_path / "elsewhere", data / ".vault.innocent")
    snapshot(other)
    redact(desk, Given(SECRET), Reach(), really=True)
    assert sorted(path.name for path in data.iterdir()) == [".vault.innocent", "vault", "witness.json"]


def test_file_names_that_hold_it_are_changed_too(tmp_path):
    store = tmp_path / "agent" / "memory"
    write(store, {**OLD, f"{SECRET}.md": "One.\n", f"team/{SECRET}/x.md": "Two.\n"})
    desk = desk_over(store, tmp_path / "data" / "vault")
    snapshot(desk)
    make_pass(desk, desk.store.read())
    redact(desk, Given(SECRET), Reach(), really=True)
    assert texts(read_folder(store)) == {**OLD, f"{REDACTED}.md": "One.\n", f"team/{REDACTED}/x.md": "Two.\n"}
    assert everything_below(tmp_path) == []
    assert objects_with_it(desk) == []


def test_the_log_says_what_was_done_and_that_nothing_brings_it_back(desk):
    redact(desk, Given(SECRET), Reach(), really=True)
    head = desk.vault.head()
    assert (head.kind, head.subject) == (OpKind.REDACT, "redact a secret (GitHub token)")
    with pytest.raises(WrongState, match="for good"):
        undo(desk, head.id)


def test_a_live_store_that_cannot_be_replaced_is_named_before_anything_is_done(desk, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    tip = desk.vault.head()
    desk.live.chmod(0o500)
    with pytest.raises(MemgitError, match="read-only"):
        redact(desk, Given(SECRET), Reach(), really=True)
    desk.live.chmod(0o700)
    assert desk.vault.head() == tip


def test_damage_is_reported_and_nothing_replaced(desk):
    tip = desk.vault.head().commit
    objects = desk.vault.objects
    victim = objects.find(objects.commit(desk.vault.head().store).tree, "team/oncall.md").oid
    objects.loose_path(victim).chmod(0o600)
    objects.loose_path(victim).write_bytes(b"broken")
    with pytest.raises(MemgitError):
        redact(desk, Given(SECRET), Reach(), really=True)
    assert desk.vault.head().commit == tip


def test_without_an_exchange_two_renames_do_it(desk, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise files.Unsupported("not here")

    monkeypatch.setattr(files, "exchange", refuse)
    redact(desk, Given(SECRET), Reach(), really=True)
    assert everything_below(tmp_path) == []
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["vault", "witness.json"]
    assert recover(desk) is None
