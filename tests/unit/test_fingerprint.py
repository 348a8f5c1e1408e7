from __future__ import annotations

from dataclasses import replace

from memgit.memory.fingerprint import fingerprint, original_digest
from memgit.model.store import ABSENT, StoreContent, StoreFile


def store(*files: StoreFile, **more: object) -> StoreContent:
    return replace(StoreContent(files={file.path: file for file in files}), **more)


A = StoreFile("a.md", b"X")
B = StoreFile("b.md", b"Y")


def test_an_absent_store_has_a_word_for_a_hash() -> None:
    assert fingerprint(ABSENT) == "absent"
    assert original_digest(ABSENT) == "absent"


def test_the_hash_names_its_algorithm_and_never_changes_between_releases() -> None:
    assert fingerprint(store()) == "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert fingerprint(store(A, B)) == "blake3:3f27cb92043df4ec15e890ecf115fd7b15922e6edf2f35385008dfc198b2c42a"


def test_order_times_and_folders_do_not_count() -> None:
    assert fingerprint(store(A, B)) == fingerprint(store(B, A))
    assert fingerprint(store(replace(A, mtime_ns=5))) == fingerprint(store(A))
    assert fingerprint(store(A, folders=("empty",), foreign=(".git",))) == fingerprint(store(A))


def test_every_byte_path_and_mode_counts() -> None:
    others = [
        store(replace(A, data=b"x")),
        store(replace(A, path="A.md")),
        store(replace(A, mode=0o100600)),
        store(replace(A, mode=0o120777)),
        store(A, B),
    ]
    assert len({fingerprint(other) for other in [store(A), *others]}) == 6


def test_file_bounds_cannot_be_forged() -> None:
    assert fingerprint(store(A, B)) != fingerprint(store(StoreFile("a.md", b"Xb.md\0Y")))


def test_names_that_are_not_utf8_have_a_hash() -> None:
    assert fingerprint(store(StoreFile("caf\udce9.md", b""))) != fingerprint(store(StoreFile("caf\udce8.md", b"")))


def test_the_original_digest_is_that_of_the_original_script() -> None:
    empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert original_digest(store()) == empty
    assert original_digest(store(replace(A, mode=0o120777))) == empty
    collision = original_digest(store(A, B))
    assert collision.startswith("sha256:21cc30de")
    assert collision == original_digest(store(StoreFile("a.md", b"Xb.md\0Y")))


def test_the_original_digest_sorts_by_utf16_units() -> None:
    emoji, private = StoreFile("\U0001f642.md", b"1"), StoreFile("\ue000.md", b"2")
    expected = "sha256:266b0fb3a683b21efa2de884eaccc5fbd223c81ed81602e6099bc274db0ac038"
    assert original_digest(store(private, emoji)) == expected
