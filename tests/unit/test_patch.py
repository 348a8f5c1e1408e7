"""A diff of a store is a patch: git takes it, and what comes of it is the other store."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.model.store import StoreContent, StoreFile
from memgit.text.diff import diff

CASES = {
    "ends without a line feed": ({"a.md": b"one\ntwo"}, {"a.md": b"one\nthree"}),
    "gains its line feed": ({"a.md": b"one\ntwo"}, {"a.md": b"one\ntwo\n"}),
    "loses its line feed": ({"a.md": b"one\ntwo\n"}, {"a.md": b"one\ntwo"}),
    "comes and goes": ({"old.md": b"gone\n"}, {"new.md": b"here\n"}),
    "comes empty": ({"a.md": b"x\n"}, {"a.md": b"y\n", "empty.md": b""}),
    "goes empty": ({"a.md": b"x\n", "empty.md": b""}, {"a.md": b"y\n"}),
    "has line ends of Windows": ({"a.md": b"one\r\ntwo\r\n"}, {"a.md": b"one\r\n2\r\n"}),
    "changes its line ends": ({"a.md": b"one\r\ntwo\r\n"}, {"a.md": b"one\ntwo\n"}),
    "has lines that look like a header": ({"a.md": b"---\n-- x\n++ y\n---\n"}, {"a.md": b"---\n-- z\n---\n"}),
    "lies in a folder": ({"team/a b.md": b"one\n"}, {"team/a b.md": b"two\n", "team/c d.md": b"x"}),
    "has a name of another alphabet": ({"büro.md": b"one\n"}, {"büro.md": b"two\n"}),
    "has a name with quotes": ({'say "x".md': b"one\n"}, {'say "x".md': b"two\n"}),
}


def content(files: dict[str, bytes]) -> StoreContent:
    return StoreContent({path: StoreFile(path, data) for path, data in sorted(files.items())})


def laid_out(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


@pytest.mark.parametrize("case", CASES)
def test_git_makes_the_new_store_of_the_old_one(case, tmp_path):
    before, after = CASES[case]
    laid_out(tmp_path, before)
    found = diff(content(before), content(after))
    patch = "".join(f"{row}\n" for each in found for row in (*each.head, *each.lines))
    apply = ["git", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(apply, cwd=tmp_path, input=patch.encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode() + patch
    files = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*.md")}
    assert files == after


@pytest.mark.parametrize("case", CASES)
def test_lines_are_counted_as_git_counts_them(case, tmp_path):
    before, after = CASES[case]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    laid_out(tmp_path / "a", before)
    laid_out(tmp_path / "b", after)
    command = ["git", "diff", "--no-index", "--no-renames", "--numstat", "a", "b"]
    counted = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    rows = sorted(tuple(map(int, row.split("\t")[:2])) for row in counted.splitlines())
    assert sorted((each.added, each.removed) for each in diff(content(before), content(after))) == rows


def test_a_script_that_becomes_one_keeps_its_mode(tmp_path):
    old, new = StoreFile("a.md", b"x\n", 0o100644), StoreFile("a.md", b"x\n", 0o100755)
    (found,) = diff(StoreContent({"a.md": old}), StoreContent({"a.md": new}))
    assert found.head[1:] == ("old mode 100644", "new mode 100755")
