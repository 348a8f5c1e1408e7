from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.errors import MemgitError, StoreChanged, UsageError
from memgit.memory.fingerprint import fingerprint
from memgit.model.store import ABSENT, Resolution
from memgit.ports import StoreReader
from memgit.stores import directory
from memgit.stores.directory import DirectoryStore


def reader(path: Path | str) -> DirectoryStore:
    return DirectoryStore(Resolution(str(path), "--store"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    (root / "team").mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(b"- [A](a.md)\r\n")
    (root / "a.md").write_bytes(b"\xff\x00")
    (root / "team" / "b.md").write_bytes(b"")
    return root


def test_a_directory_store_is_a_store_reader(store: Path) -> None:
    found: StoreReader = reader(store)
    assert found.resolution.path == str(store)
    assert found.fingerprint() == fingerprint(found.read())


def test_everything_is_read_byte_for_byte(store: Path) -> None:
    (store / "a.md").chmod(0o600)
    os.utime(store / "a.md", ns=(1, 1_700_000_000_123_456_789))
    content = reader(store).read()
    assert list(content.files) == ["MEMORY.md", "a.md", "team/b.md"]
    assert content.files["a.md"].data == b"\xff\x00"
    assert content.files["a.md"].mode == stat.S_IFREG | 0o600
    assert content.files["a.md"].mtime_ns == 1_700_000_000_123_456_789
    assert content.exists


def test_dot_files_are_files_and_dot_folders_are_named_and_not_entered(store: Path) -> None:
    for name in (".consolidate-lock", "a.md~", ".a.md.swp"):
        (store / name).write_text("x")
    for name in (".git", ".obsidian", "team/.extract"):
        (store / name).mkdir()
        (store / name / "secret.md").write_text("x")
    content = reader(store).read()
    assert {".consolidate-lock", "a.md~", ".a.md.swp"} < set(content.files)
    assert content.foreign == (".git", ".obsidian", "team/.extract")
    assert not [path for path in content.files if "secret" in path]


def test_a_git_file_is_a_file(store: Path) -> None:
    (store / ".git").write_text("gitdir: elsewhere\n")
    assert ".git" in reader(store).read().files


def test_links_are_read_as_links(store: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret")
    (store / "l.md").symlink_to("../outside.md")
    (store / "folder").symlink_to(tmp_path)
    (store / "dead.md").symlink_to("nowhere")
    files = reader(store).read().files
    assert files["l.md"].is_link
    assert files["l.md"].data == b"../outside.md"
    assert files["folder"].data == os.fsencode(tmp_path)
    assert files["dead.md"].data == b"nowhere"


def test_empty_folders_and_special_files_are_named(store: Path) -> None:
    (store / "empty" / "inner").mkdir(parents=True)
    os.mkfifo(store / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(store)
        server.bind("sock")
        os.chdir(here)
        content = reader(store).read()
    assert content.folders == ("empty/inner",)
    assert content.special == ("pipe", "sock")


def test_a_folder_with_only_a_foreign_one_counts_as_empty(store: Path) -> None:
    (store / "notes" / ".obsidian").mkdir(parents=True)
    content = reader(store).read()
    assert (content.folders, content.foreign) == (("notes",), ("notes/.obsidian",))


def test_names_that_are_not_utf8_are_read(store: Path) -> None:
    Path(os.fsdecode(os.fsencode(store) + b"/caf\xe9.md")).write_text("x")
    assert "caf\udce9.md" in reader(store).read().files


def test_a_missing_store_is_absent(tmp_path: Path) -> None:
    assert reader(tmp_path / "none").read() == ABSENT
    (tmp_path / "dangling").symlink_to("none")
    assert reader(tmp_path / "dangling").fingerprint() == "absent"


def test_a_linked_store_is_read_and_keeps_its_name(store: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)
    linked = reader(tmp_path / "link")
    assert linked.fingerprint() == reader(store).fingerprint()
    assert linked.resolution.path == str(tmp_path / "link")


def test_a_file_is_no_store(store: Path) -> None:
    with pytest.raises(UsageError, match="not a directory"):
        reader(store / "a.md").read()


def test_what_no_store_reaches_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_BYTES", 10)
    with pytest.raises(UsageError, match="no memory store"):
        reader(store).read()
    monkeypatch.undo()
    monkeypatch.setattr(directory, "MOST_FILES", 3)
    with pytest.raises(UsageError, match="no memory store"):
        reader(store).read()


def test_an_unreadable_file_is_named_with_the_remedy(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deny_reading(monkeypatch, "a.md")
    with pytest.raises(MemgitError, match=r"a\.md' cannot be read") as failed:
        reader(store).read()
    assert "chmod u+r" in failed.value.hint


def deny_reading(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The system call that fails for everybody but root, who runs these tests as well."""
    real = os.open

    def denied(path: str, flags: int, *more: int) -> int:
        if str(path).endswith(name):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", denied)


class Writer:
    """Somebody who writes to the store each time a file of it is opened, so many times."""

    def __init__(self, store: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.times, self.real = store, times, os.open
        monkeypatch.setattr(os, "open", self)
        monkeypatch.setattr(directory.time, "sleep", lambda seconds: None)

    def __call__(self, path: str, flags: int, *more: int) -> int:
        if self.times and str(path).endswith("a.md"):
            self.times -= 1
            self.write(f"version {self.times}")
        return self.real(path, flags, *more)

    def write(self, text: str) -> None:
        (self.store / "new").write_text(text)
        (self.store / "new").replace(self.store / "a.md")


def test_a_store_that_changes_while_it_is_read_is_read_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Writer(store, 2, monkeypatch)
    assert reader(store).read().files["a.md"].data == b"version 0"


def test_a_store_that_never_rests_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Writer(store, -1, monkeypatch)
    with pytest.raises(StoreChanged, match="being written to"):
        reader(store).read()


def test_a_file_that_comes_after_the_listing_is_not_missed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(store, 1, monkeypatch)
    writer.write = (store / "late.md").write_text  # type: ignore[method-assign]
    assert "late.md" in reader(store).read().files


def test_a_pipe_put_in_the_place_of_a_file_never_blocks(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(store, 1, monkeypatch)

    def swap(text: str) -> None:
        (store / "a.md").unlink()
        os.mkfifo(store / "a.md")

    writer.write = swap  # type: ignore[method-assign]
    assert reader(store).read().special == ("a.md",)


WATCHED = """
import os, sys
from memgit.model.store import Resolution
from memgit.stores.directory import DirectoryStore
root = sys.argv[1]
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "os.chmod", "os.chown", "os.truncate",
           "os.symlink", "os.link", "os.setxattr", "shutil.rmtree", "subprocess.Popen", "os.system"}
seen, opened = [], []
def watch(event, arguments):
    if event == "open" and str(arguments[0]).startswith(root):
        opened.append(arguments[0])
        if arguments[2] & WRITING:
            seen.append((event, arguments))
    elif event in CHANGES:
        seen.append((event, arguments))
sys.addaudithook(watch)
DirectoryStore(Resolution(root, "--store")).fingerprint()
assert len(opened) >= 3, opened
assert not seen, seen
"""


def test_reading_opens_nothing_for_writing(store: Path) -> None:
    before = {path: path.stat() for path in sorted(store.rglob("*"))}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", WATCHED, str(store)], check=True, env={**os.environ, "PYTHONPATH": str(root)})
    after = {path: path.stat() for path in sorted(store.rglob("*"))}
    assert [(s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for s in after.values()] == [
        (s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for s in before.values()
    ]
