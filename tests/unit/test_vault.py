"""The vault: operations, passes, contents, and who may write when."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memgit.errors import Damaged, MemgitError, VaultLocked, WrongState
from memgit.model.history import OpKind, PassState
from memgit.model.store import ABSENT, StoreFile
from memgit.vault import Standing, Vault, vault_folder
from memgit.vault.refs import read_ref
from tests.vault_world import NOW, ONE, TWO, WHO, clock, content, create, propose, reopen, snapshot


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return create(tmp_path)


def test_a_new_vault_has_one_operation_and_no_store(vault):
    assert [(op.id, op.kind, op.subject) for op in vault.operations()] == [("op1", "init", "Vault created")]
    assert vault.store_at(vault.head()) == ABSENT
    assert vault.passes() == ()
    assert vault.store == "/store"


def test_creating_a_vault_that_is_there_opens_it(vault, tmp_path):
    snapshot(vault, ONE)
    assert create(tmp_path).head() == vault.head()


def test_the_folder_is_named_after_the_stores_path_and_its_hash(tmp_path):
    folder = vault_folder(tmp_path, "/home/u/.claude/projects/-home-u-app/memory")
    assert folder.parent == tmp_path
    assert folder.name == f"projects-home-u-app-memory-{folder.name[-8:]}"
    assert folder != vault_folder(tmp_path, "/home/u/.claude/projects/-home-u-app/memory2")


def test_a_link_to_a_store_has_the_stores_vault(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "link").symlink_to("store")
    assert vault_folder(tmp_path, str(tmp_path / "link")) == vault_folder(tmp_path, str(tmp_path / "store"))


def test_opening_a_vault_that_is_not_there_is_a_wrong_state(tmp_path):
    with pytest.raises(WrongState, match="there is no vault"):
        Vault.open(tmp_path / "none", clock=clock, who=WHO)


def test_a_vault_whose_log_ref_is_gone_is_damaged_and_not_new(vault, tmp_path):
    (vault.git_dir / "refs/memgit/ops").unlink()
    with pytest.raises(Damaged, match="lost its operation log"):
        reopen(vault)
    with pytest.raises(Damaged, match="lost its operation log"):
        create(tmp_path)


def test_an_operation_keeps_all_that_it_was_given(vault):
    details = {"session": "s1", "tool": "Write"}
    with vault.transaction(OpKind.EXTERNAL, "The agent wrote", target="op1", details=details) as transaction:
        commit = transaction.set_store(ONE, "m", fingerprint="blake3:1")
    head = reopen(vault).head()
    assert head == transaction.operation
    assert (head.number, head.kind, head.time, head.subject) == (2, OpKind.EXTERNAL, NOW, "The agent wrote")
    assert (head.store, head.fingerprint, head.target, head.details) == (commit, "blake3:1", "op1", details)


def test_an_operation_is_found_by_number_id_and_hash(vault):
    snapshot(vault, ONE)
    snapshot(vault, TWO)
    second = vault.operation("op2")
    assert (second.number, vault.operation("2"), vault.operation(second.commit[:10])) == (2, second, second)


@pytest.mark.parametrize("wanted", ["op9", "0", "op0", "zz", "", "ffffffffff"])
def test_an_operation_that_does_not_exist_is_a_wrong_state_that_names_the_newest(vault, wanted):
    with pytest.raises(WrongState) as caught:
        vault.operation(wanted)
    assert "op1" in caught.value.hint


def test_the_same_content_gives_the_same_commit_and_its_new_times_are_kept(vault):
    older = content(StoreFile("a.md", b"x", mtime_ns=1))
    newer = content(StoreFile("a.md", b"x", mtime_ns=2))
    assert snapshot(vault, older) == snapshot(vault, newer)
    two, three = vault.operation("op2"), vault.operation("op3")
    assert (vault.store_at(two), vault.store_at(three)) == (older, newer)


def test_a_changed_mode_or_an_empty_folder_is_another_content(vault):
    plain = content(StoreFile("a.md", b"x"))
    private = content(StoreFile("a.md", b"x", 0o100600))
    with_folder = content(StoreFile("a.md", b"x", 0o100600), folders=("empty",))
    assert len({snapshot(vault, each) for each in (plain, private, with_folder)}) == 3


def test_an_absent_store_can_be_recorded(vault):
    snapshot(vault, ONE)
    snapshot(vault, ABSENT)
    assert vault.store_at(vault.head()) == ABSENT
    assert vault.store_at(vault.operation("op2")) == ONE


def test_an_exception_leaves_the_vault_as_it_was(vault):
    with contextlib.suppress(ZeroDivisionError), vault.transaction(OpKind.SNAPSHOT, "x") as transaction:
        transaction.set_store(ONE, "m", fingerprint="f")
        raise ZeroDivisionError
    assert vault.head().id == "op1"
    assert read_ref(vault.git_dir, "refs/heads/store") is None


def test_a_file_that_is_a_folder_too_is_refused(vault):
    with pytest.raises(MemgitError, match="a file and a folder"):
        snapshot(vault, content(("a", b"x"), ("a/b", b"y")))


def test_a_pass_is_recorded_with_branch_keep_ref_report_and_records(vault):
    base = snapshot(vault, ONE)
    header = propose(vault, TWO)
    again = reopen(vault)
    assert header.id == "2026-11-29.1"
    assert again.passes() == (header,)
    assert again.content(header.candidate) == TWO
    assert again.message(header.candidate) == "A candidate\n\nThe report.\n"
    assert (again.records(header.id), again.record(header.id, "plan.json")) == (("plan.json",), b'{"plan": 1}')
    assert again.record(header.id, "other.json") is None
    assert again.log.refs(again.head().commit) == {
        "refs/heads/store": base,
        f"refs/heads/candidate/{header.id}": header.candidate,
        f"refs/memgit/keep/{header.id}": header.candidate,
    }
    assert again.derived_ref_problems() == ()


def test_a_discarded_pass_loses_its_branch_and_nothing_else_and_gets_it_back(vault):
    snapshot(vault, ONE)
    header = propose(vault, TWO)
    for state, there in ((PassState.DISCARDED, None), (PassState.READY, header.candidate)):
        with vault.transaction(OpKind.DISCARD, "Discard", pass_id=header.id) as transaction:
            transaction.put_header(replace(header, state=state))
        assert read_ref(vault.git_dir, f"refs/heads/candidate/{header.id}") == there
        assert read_ref(vault.git_dir, f"refs/memgit/keep/{header.id}") == header.candidate
        assert vault.content(header.candidate) == TWO
        assert vault.derived_ref_problems() == ()


def test_a_past_operation_shows_passes_as_they_stood_then(vault):
    snapshot(vault, ONE)
    header = propose(vault, TWO)
    with vault.transaction(OpKind.ADOPT, "Adopt", pass_id=header.id) as transaction:
        transaction.put_header(replace(header, state=PassState.ADOPTED))
        transaction.fast_forward_store(header.candidate, "blake3:2")
    assert vault.pass_header(header.id).state is PassState.ADOPTED
    assert vault.pass_header(header.id, vault.operation("op3")).state is PassState.READY
    assert vault.passes(vault.operation("op2")) == ()
    assert (vault.store_at(vault.head()), vault.store_at(vault.operation("op3"))) == (TWO, ONE)


def test_the_store_is_never_moved_to_what_does_not_follow_it(vault):
    first = snapshot(vault, ONE)
    snapshot(vault, TWO)
    with pytest.raises(WrongState, match="does not follow"), vault.transaction(OpKind.ADOPT, "x") as transaction:
        transaction.fast_forward_store(first, "f")


def test_a_merged_candidate_becomes_a_second_parent_even_if_it_changes_nothing(vault):
    snapshot(vault, ONE)
    header = propose(vault, TWO)
    with vault.transaction(OpKind.RECOVER, "Merge") as transaction:
        commit = transaction.set_store(ONE, "m", merge_parent=header.candidate, fingerprint="f")
    assert vault.objects.commit(commit).parents == (vault.operation("op2").store, header.candidate)


def test_pass_ids_count_on_over_days_and_aborted_transactions_give_theirs_back(vault):
    snapshot(vault, ONE)
    with contextlib.suppress(KeyError), vault.transaction(OpKind.PLAN, "x") as transaction:
        assert transaction.new_pass_id() == "2026-11-29.1"
        raise KeyError
    assert propose(vault, TWO).id == "2026-11-29.1"
    later = Vault.open(vault.folder, clock=lambda: NOW + timedelta(days=3), who=WHO)
    with later.transaction(OpKind.PLAN, "x") as transaction:
        assert (transaction.new_pass_id(), transaction.new_pass_id()) == ("2026-12-02.2", "2026-12-02.3")


def test_the_date_of_a_pass_is_utc(vault):
    tokyo = datetime(2026, 11, 30, 5, 0, tzinfo=timezone(timedelta(hours=9)))
    there = Vault.open(vault.folder, clock=lambda: tokyo, who=WHO)
    with there.transaction(OpKind.PLAN, "x") as transaction:
        assert transaction.new_pass_id() == "2026-11-29.1"
    assert there.head().time == datetime(2026, 11, 29, 20, 0, tzinfo=UTC)


def test_a_pass_is_found_by_an_unambiguous_prefix_and_near_ones_are_named(vault):
    snapshot(vault, ONE)
    one, two = propose(vault, TWO), propose(vault, TWO)
    assert vault.pass_header("2026-11-29.2") == two
    assert vault.passes() == (two, one)
    with pytest.raises(WrongState, match=r"2026-11-29\.2, 2026-11-29\.1"):
        vault.pass_header("2026-11")
    with pytest.raises(WrongState) as caught:
        vault.pass_header("29.7")
    assert "2026-11-29.1" in caught.value.hint


def test_the_exact_id_wins_over_longer_ones(vault):
    snapshot(vault, ONE)
    passes = [propose(vault, TWO) for _ in range(10)]
    assert vault.pass_header("2026-11-29.1") == passes[0]


def test_history_lists_the_versions_of_one_file_with_their_operations(vault):
    snapshot(vault, ONE, "first")
    snapshot(vault, content(("MEMORY.md", b"x")), "second")
    snapshot(vault, TWO, "third")
    versions = [(op.subject, data) for _, op, data in vault.history("a.md")]
    assert versions == [("third", b"two\n"), ("second", None), ("first", b"one\r\n")]
    assert list(vault.history("never.md")) == []


def test_a_message_may_hold_anything(vault):
    message = "Subject \0 nul\n\nlone \ud800, emoji 🙂, CRLF\r\n" + "x" * 100_000
    with vault.transaction(OpKind.SNAPSHOT, "Sub\0ject \udcff") as transaction:
        commit = transaction.set_store(ONE, message, fingerprint="f")
    assert vault.message(commit) == message.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
    assert vault.head().subject == "Sub\ufffdject \ufffd"


def test_a_commit_that_another_tool_made_is_read_with_gits_own_modes(vault):
    base = snapshot(vault, content(StoreFile("a.md", b"x", 0o100600, 5), ("b%20c.md", b"y")))
    tree = vault.objects.commit(base).tree
    git = ["git", f"--git-dir={vault.git_dir}", "-c", "user.name=n", "-c", "user.email=e"]
    made = subprocess.run([*git, "commit-tree", tree, "-p", base, "-m", "by hand"], capture_output=True, text=True)
    assert vault.content(made.stdout.strip()) == content(("a.md", b"x"), ("b%20c.md", b"y"))


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_everything_is_private_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        vault = create(tmp_path / "data")
        snapshot(vault, ONE)
        propose(vault, TWO)
        vault.pack()
        snapshot(vault, TWO)
    finally:
        os.umask(before)
    found = [(path, stat.S_IMODE(path.lstat().st_mode)) for path in [vault.folder, *vault.folder.rglob("*")]]
    assert [(path, oct(mode)) for path, mode in found if mode & 0o077] == []


def test_a_lock_names_its_holder_and_waiting_is_bounded(vault):
    script = (
        "import sys; from memgit.vault import Vault; from tests.vault_world import *; from pathlib import Path\n"
        "vault = Vault.open(Path(sys.argv[1]), clock=clock, who=WHO)\n"
        "with vault.lock('adopt'): print('held', flush=True); sys.stdin.read()\n"
    )
    argv = [sys.executable, "-c", script, str(vault.folder)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(VaultLocked, match=f"pid {other.pid}, host here, command adopt"), vault.lock("x", wait=0):
            pass
        assert vault.head().id == "op1"  # readers need no lock
        other.kill()
    snapshot(vault, ONE)  # the dead hold nothing
    assert vault.head().id == "op2"


def test_a_lock_may_be_taken_again_inside_itself(vault):
    with vault.lock("adopt"), vault.lock("adopt"):
        snapshot(vault, ONE)
        with create(vault.folder.parent).lock("x", wait=0):
            pass
    assert (vault.private / "lock").read_bytes() == b""


def test_what_a_killed_process_left_is_cleared_and_keeps_nobody_out(vault):
    (vault.private / "lock").write_text('{"pid": "1"}')  # its holder died
    left = ["refs/memgit/ops.lock", "refs/heads/store.lock", "config.lock", "packed-refs.lock"]
    left += ["objects/pack/tmp_pack_x", "objects/pack/pack_git2_x"]
    (vault.git_dir / "objects/aa").mkdir(exist_ok=True)
    for name in [*left, "objects/aa/tmp_object_git2_x"]:
        (vault.git_dir / name).write_bytes(b"half")
    snapshot(vault, ONE)
    assert [
        path
        for path in vault.folder.rglob("*")
        if path.name.startswith(("tmp_", "pack_git2")) or path.suffix == ".lock"
    ] == []
    assert vault.derived_ref_problems() == ()


def test_derived_refs_are_brought_back_and_what_others_put_there_is_kept(vault):
    first = snapshot(vault, ONE)
    header = propose(vault, TWO)
    git = ["git", f"--git-dir={vault.git_dir}", "-c", "user.name=n", "-c", "user.email=e"]
    made = subprocess.run([*git, "commit-tree", f"{first}^{{tree}}", "-m", "foreign"], capture_output=True, text=True)
    foreign = made.stdout.strip()
    subprocess.run([*git, "update-ref", "refs/heads/store", foreign], check=True)
    subprocess.run([*git, "update-ref", "-d", f"refs/memgit/keep/{header.id}"], check=True)
    (vault.git_dir / "refs/heads/candidate" / header.id).write_bytes(b"")
    wrong = ("refs/heads/candidate/2026-11-29.1", "refs/heads/store", "refs/memgit/keep/2026-11-29.1")
    assert vault.derived_ref_problems() == wrong
    assert vault.repair_refs() == wrong
    assert vault.derived_ref_problems() == ()
    assert read_ref(vault.git_dir, f"refs/memgit/stray/{foreign[:16]}") == foreign


def test_a_vault_put_back_to_an_older_state_is_noticed_until_somebody_acknowledges_it(vault, tmp_path):
    assert vault.check_witness() is Standing.OK
    shutil.copytree(vault.folder, tmp_path / "older")
    snapshot(vault, ONE)
    shutil.rmtree(vault.folder)
    (tmp_path / "older").rename(vault.folder)
    vault = reopen(vault)
    assert vault.check_witness() is Standing.BEHIND
    snapshot(vault, TWO)
    assert vault.check_witness() is Standing.BEHIND  # writing on does not launder it
    with vault.transaction(OpKind.ACKNOWLEDGE, "Seen"):
        pass
    assert vault.check_witness() is Standing.OK


def test_a_witness_that_lags_behind_is_fine_and_one_that_is_gone_is_unknown(vault, tmp_path):
    lagging = (tmp_path / "witness.json").read_bytes()
    snapshot(vault, ONE)
    (tmp_path / "witness.json").write_bytes(lagging)
    assert vault.check_witness() is Standing.OK
    (tmp_path / "witness.json").write_bytes(b"{")
    assert vault.check_witness() is Standing.UNKNOWN
    snapshot(vault, TWO)
    assert json.loads((tmp_path / "witness.json").read_bytes())["tip"] == vault.head().commit


def test_packing_changes_nothing_that_can_be_read(vault):
    first = snapshot(vault, ONE)
    header = propose(vault, TWO)
    before = list(vault.operations())
    assert vault.pack() > 10
    assert list(vault.objects.loose()) == []
    again = reopen(vault)
    assert (list(again.operations()), again.content(first), again.content(header.candidate)) == (before, ONE, TWO)
    snapshot(again, TWO)
    assert again.pack() > 0
    assert again.pack() == 0
    assert again.content(first) == ONE


def test_many_packs_become_one(vault, monkeypatch):
    monkeypatch.setattr("memgit.vault.packing.PACK_BOUND", 3)
    commits = {}
    for number in range(4):
        held = content(("a.md", b"%d" % number))
        commits[snapshot(vault, held, f"s{number}")] = held
        vault.pack()
    assert len(list((vault.git_dir / "objects/pack").glob("*.pack"))) < 3
    assert {commit: reopen(vault).content(commit) for commit in commits} == commits


def test_one_changed_file_among_many_writes_a_bounded_number_of_objects(vault):
    many = [(f"{number}.md", b"%d" % number) for number in range(500)]
    snapshot(vault, content(*many))
    before = set(vault.objects.loose())
    snapshot(vault, content(*many[:-1], ("499.md", b"changed")))
    assert len(set(vault.objects.loose()) - before) < 10


def test_an_operation_costs_the_same_with_many_passes(vault):
    snapshot(vault, ONE)
    counts = []
    for _ in range(30):
        before = set(vault.objects.loose())
        propose(vault, TWO)
        counts.append(len(set(vault.objects.loose()) - before))
    assert max(counts[5:]) <= counts[5] + 1


@pytest.fixture
def stranger():
    """A folder that another user owns, and that user's eyes while the test looks."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    yield root
    os.seteuid(0)
    shutil.rmtree(root)


def test_a_vault_that_may_not_be_written_says_so_and_can_be_read(stranger):
    vault = create(stranger)
    snapshot(vault, ONE)
    for path in [vault.folder, *vault.folder.rglob("*")]:
        os.chown(path, 65534, 65534)
        path.chmod(0o555 if path.is_dir() else 0o444)
    os.seteuid(65534)
    assert reopen(vault).store_at(vault.head()) == ONE
    with pytest.raises(MemgitError, match="cannot be written"):
        snapshot(vault, TWO)


def test_a_vault_of_another_user_names_that_user(stranger):
    vault = create(stranger)
    for path in [vault.folder, *vault.folder.rglob("*")]:
        path.chmod(0o777)
    os.seteuid(65534)
    with pytest.raises(MemgitError, match=r"belongs to user root \(uid 0\) and you are uid 65534"):
        snapshot(vault, ONE)


def test_a_place_that_may_not_be_written_says_so(stranger):
    os.seteuid(65534)
    with pytest.raises(MemgitError, match="cannot be written"):
        create(stranger)


def test_reading_the_newest_operation_starts_without_libgit2(vault):
    """The session-start hook reads a vault within tens of milliseconds; importing libgit2 alone takes as long."""
    code = (
        "import sys; from pathlib import Path; from tests.vault_world import *\n"
        "vault = Vault.open(Path(sys.argv[1]), clock=clock, who=WHO)\n"
        "vault.head(), vault.store_at(vault.head()), vault.check_witness(), vault.derived_ref_problems()\n"
        "assert 'pygit2' not in sys.modules\n"
    )
    snapshot(vault, ONE)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code, vault.folder], env=env, capture_output=True, text=True)
    assert done.stderr == ""


def test_many_loose_objects_are_packed_by_the_operation_that_brought_them(vault):
    many = content(*((f"{number}.md", b"%d" % number) for number in range(2_500)))
    commit = snapshot(vault, many)
    assert sum(1 for _ in vault.objects.loose()) < 20
    assert vault.content(commit) == many


def test_a_reader_that_was_open_while_objects_were_packed_reads_on(vault):
    commits = [snapshot(vault, ONE, "one")]
    vault.pack()
    reader = reopen(vault)
    assert reader.content(commits[0]) == ONE
    commits.append(snapshot(vault, TWO, "two"))
    vault.pack()
    assert [reader.content(commit) for commit in commits] == [ONE, TWO]


def test_where_one_call_cannot_sync_everything_each_object_is_synced(vault, monkeypatch):
    monkeypatch.setattr("memgit.files._syncfs", lambda: None)
    commit = snapshot(vault, TWO)
    assert reopen(vault).content(commit) == TWO
