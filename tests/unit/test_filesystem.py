"""What is said of places that cannot promise what a history needs."""

from __future__ import annotations

import pytest

from memgit.memory.file_names import Mount, concerns, mount_of, mounts

MOUNTINFO = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/mira/nas rw - nfs4 server:/export rw
41 22 0:36 / /tmp rw - tmpfs tmpfs rw
42 22 8:1 /srv/shared /home/mira/with\\040space rw - ext4 /dev/sda1 rw
a line of another kind
"""


def test_the_deepest_mount_holds_a_path():
    listed = list(mounts(MOUNTINFO))
    assert mount_of("/home/mira/nas/memory", iter(listed)) == Mount("/home/mira/nas", "nfs4")
    assert mount_of("/home/mira/nasty", iter(listed)) == Mount("/", "ext4")
    assert mount_of("/home/mira/with space/memory", iter(listed)) == Mount(
        "/home/mira/with space", "ext4", "/srv/shared"
    )


def test_a_mount_over_another_at_the_same_place_is_the_one_that_counts():
    listed = [Mount("/data", "ext4"), Mount("/data", "tmpfs")]
    assert mount_of("/data/x", iter(listed)) == Mount("/data", "tmpfs")


@pytest.mark.parametrize(
    ("path", "mount", "said"),
    [
        ("/nas/memory", Mount("/nas", "nfs4"), "network file system (nfs4)"),
        ("/nas/memory", Mount("/nas", "fuse.sshfs"), "network file system (fuse.sshfs)"),
        ("/tmp/memory", Mount("/tmp", "tmpfs"), "empty after a restart"),
        ("/data/memory", Mount("/data/memory", "ext4"), "replaced file by file"),
        ("/home/mira/Dropbox (Team)/memory", Mount("/", "ext4"), "'Dropbox (Team)'"),
        ("/Users/mira/Library/Mobile Documents/memory", None, "'Mobile Documents'"),
        ("/home/mira/OneDrive - Work/memory", Mount("/", "ext4"), "'OneDrive - Work'"),
    ],
)
def test_a_place_at_risk_is_named_with_the_reason(path, mount, said):
    (sentence,) = concerns(path, mount)
    assert sentence.startswith(path)
    assert said in sentence


def test_an_ordinary_place_raises_no_concern():
    assert list(concerns("/home/mira/.claude/projects/x/memory", Mount("/", "ext4"))) == []


def test_a_system_that_cannot_sync_at_once_is_said():
    (sentence,) = concerns("/data", Mount("/", "apfs"), one_sync=False)
    assert "one call" in sentence
