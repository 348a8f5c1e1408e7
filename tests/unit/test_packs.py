"""Many objects at once become one pack, and what is packed is read back whole."""

from __future__ import annotations

import os
import subprocess

import pytest

from memgit.vault.gitobjects import object_id
from memgit.vault.packs import Packs, pack_blobs
from tests.vault_world import content, create, reopen, snapshot

CONTENTS = [b"", b"x", b"fifteen bytes..", b"sixteen bytes...", os.urandom(5_000), b"long " * 70_000]


@pytest.fixture
def vault(tmp_path):
    return create(tmp_path / "root")


def many(count, data=b"memory %d\n"):
    return content(*((f"{number:04}.md", data % number) for number in range(count)))


def test_every_object_of_a_pack_is_found_whole_and_no_other(vault):
    names = {object_id("blob", data): data for data in CONTENTS}
    pack_blobs(vault.git_dir, CONTENTS)
    packs = Packs(vault.git_dir)
    assert packs.names == set(names)
    assert all(packs.read(oid) == ("blob", data) for oid, data in names.items())
    assert vault.problems(full=True) == ()


def test_a_pack_is_its_owners_alone(vault):
    pack_blobs(vault.git_dir, CONTENTS)
    assert {path.stat().st_mode & 0o077 for path in (vault.git_dir / "objects" / "pack").iterdir()} == {0}


def test_a_reader_that_was_killed_is_started_again(vault):
    pack_blobs(vault.git_dir, CONTENTS)
    packs, oid = Packs(vault.git_dir), object_id("blob", b"x")
    packs.read(oid)
    packs._reader._process.kill()
    packs._reader._process.wait()
    with pytest.raises((BrokenPipeError, OSError)):
        packs.read(oid)
    assert packs.read(oid) == ("blob", b"x")


def test_a_first_snapshot_of_many_memories_writes_one_pack_and_no_loose_blob(vault):
    commit = snapshot(vault, many(1_000))
    assert len(list((vault.git_dir / "objects" / "pack").glob("*.pack"))) == 1
    assert sum(1 for _ in vault.objects.loose()) < 20
    assert reopen(vault).content(commit) == many(1_000)
    assert (
        subprocess.run(["git", f"--git-dir={vault.git_dir}", "fsck", "--strict"], capture_output=True).returncode == 0
    )


def test_a_changed_memory_among_many_adds_no_pack(vault):
    snapshot(vault, many(1_000))
    before = sum(1 for _ in vault.objects.loose())
    snapshot(vault, content(*((f"{n:04}.md", b"memory %d\n" % (n or 77_777)) for n in range(1_000))))
    assert len(list((vault.git_dir / "objects" / "pack").glob("*.pack"))) == 1
    assert sum(1 for _ in vault.objects.loose()) - before < 12


def test_a_damaged_loose_object_is_replaced_by_the_pack_that_holds_it(vault):
    snapshot(vault, content(("0001.md", b"memory 1\n")))
    loose = vault.objects.loose_path(object_id("blob", b"memory 1\n"))
    loose.chmod(0o600)
    loose.write_bytes(b"damaged")
    commit = snapshot(reopen(vault), many(1_000))
    assert not loose.exists()
    assert reopen(vault).content(commit) == many(1_000)
