"""A pack that memgit writes itself is one that git takes, and a snapshot of many memories is one."""

from __future__ import annotations

import os
import subprocess

import pytest

from memgit.vault import packs
from memgit.vault.gitobjects import object_id
from tests.vault_world import content, create, reopen, snapshot

CONTENTS = [b"", b"x", b"fifteen bytes..", b"sixteen bytes...", os.urandom(5_000), b"long " * 70_000]


@pytest.fixture
def vault(tmp_path):
    return create(tmp_path / "root")


def many(count, data=b"memory %d\n"):
    return content(*((f"{number:04}.md", data % number) for number in range(count)))


@pytest.mark.parametrize("synced", [True, False])
def test_git_finds_every_object_of_the_pack_whole(vault, synced):
    objects = {object_id("blob", data): ("blob", data) for data in CONTENTS}
    pack = packs.write(vault.git_dir / "objects" / "pack", objects, synced=synced)
    checked = subprocess.run(["git", "verify-pack", "-v", pack.with_suffix(".idx")], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert {line.split()[0] for line in checked.stdout.splitlines() if " blob " in line} == set(objects)
    assert packs.fault(pack) is None
    assert packs.names(pack) == set(objects)


def test_the_pack_is_its_owners_alone(vault):
    pack = packs.write(vault.git_dir / "objects" / "pack", {object_id("blob", b"a"): ("blob", b"a")}, synced=False)
    assert [path.stat().st_mode & 0o077 for path in (pack, pack.with_suffix(".idx"))] == [0, 0]


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
