"""Whatever a store holds, the vault gives it back exactly."""

from __future__ import annotations

import itertools
import os
import stat
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.model.store import StoreContent, StoreFile
from memgit.vault.snapshot import store_name, tree_name
from tests.vault_world import create, reopen, snapshot

_ODD = [
    ".git",
    ".GIT",
    "git~1",
    ".gitmodules",
    "%2Egit",
    "%252Egit",
    "a\\b",
    "CON",
    "-",
    "caf\u00e9",
    "cafe\u0301",
    "é%FF",
]
_names = st.one_of(
    st.sampled_from(_ODD),
    st.binary(min_size=1, max_size=12)
    .map(lambda raw: os.fsdecode(raw.replace(b"\0", b"0").replace(b"/", b"_")))
    .filter(lambda name: name not in (".", "..")),
    st.from_regex(r"%?[a-z.%~]{1,6}(%[0-9A-F]{2})?", fullmatch=True).filter(lambda name: name not in (".", "..")),
)
_modes = st.one_of(
    st.sampled_from([0o644, 0o600, 0o444, 0o755, 0o2700, 0o000]).map(lambda bits: stat.S_IFREG | bits),
    st.just(stat.S_IFLNK | 0o777),
)
_data = st.one_of(st.binary(max_size=64), st.sampled_from([b"", b"a\r\nb\r\n", b"\0\xff", b"\xef\xbb\xbfx"]))


@st.composite
def contents(draw):
    """Files in folders of a depth up to 2 (a file's name is nobody's folder), and empty folders beside them."""
    folders = draw(st.lists(st.lists(_names, max_size=2).map(tuple), min_size=1, max_size=3))
    used = {part for folder in folders for part in itertools.accumulate(folder, lambda a, b: f"{a}/{b}")}
    files = {}
    for folder in folders:
        for name in draw(st.lists(_names, max_size=3, unique=True)):
            path = "/".join([*folder, name])
            if path not in used:
                time = draw(st.integers(-(10**18), 2 * 10**18))
                files[path] = StoreFile(path, draw(_data), draw(_modes), time)
    empty = tuple(sorted(folder for folder in used if not any(path.startswith(f"{folder}/") for path in files)))
    return StoreContent(dict(sorted(files.items())), folders=empty, foreign=(".obsidian",))


@settings(max_examples=30, deadline=None)
@given(st.lists(contents(), min_size=1, max_size=2))
def test_every_content_comes_back_exactly_and_git_finds_nothing_wrong(held):
    with tempfile.TemporaryDirectory() as root:
        vault = create(Path(root))
        commits = [snapshot(vault, each, f"s{number}") for number, each in enumerate(held)]
        again = reopen(vault)
        stored = [op for op in reversed(list(again.operations())) if op.store]
        assert [again.content(commit) for commit in commits[:1]] == held[:1]
        assert [again.store_at(op) for op in stored] == held


@given(_names)
def test_a_name_has_one_spelling_and_a_spelling_one_name(name):
    spelled = tree_name(name)
    spelled.encode()
    assert "/" not in spelled
    assert store_name(spelled) == name


@given(st.lists(_names, unique=True, max_size=6))
def test_two_names_never_share_a_spelling(names):
    assert len({tree_name(name) for name in names}) == len(names)
