"""Names that git would not take, or would take for its own."""

from __future__ import annotations

import pytest

from memgit.vault.snapshot import store_name, store_path, tree_name, tree_path


@pytest.mark.parametrize("name", ["MEMORY.md", "a b.md", "Ä.md", "a\\b.md", "50%.md", "new\nline.md", ".obsidian"])
def test_an_ordinary_name_stays_as_it_is(name):
    assert tree_name(name) == name


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        (".git", "%2Egit"),
        (".GIT", "%2EGIT"),
        ("git~1", "%67it~1"),
        (".gitmodules", "%2Egitmodules"),
        (".g\u200cit", "%2Eg\u200cit"),
        ("x\\.git", "%78%5C.git"),
        ("a\udcff.md", "%61%FF.md"),
        ("", "%00"),
        (".", "%2E"),
        ("..", "%2E."),
    ],
)
def test_a_name_that_git_refuses_or_that_looks_escaped_is_escaped_and_comes_back(name, spelled):
    assert tree_name(name) == spelled
    assert store_name(spelled) == name


def test_a_name_that_is_spelled_like_an_escaped_one_is_told_apart_from_it():
    assert tree_name("%2Egit") == "%252Egit"
    assert store_name("%252Egit") == "%2Egit"


def test_a_percent_sign_from_another_tool_is_no_escape():
    assert store_name("100%20pure.md") == "100%20pure.md"


def test_every_part_of_a_path_is_spelled_on_its_own():
    assert tree_path("a/.git/b") == "a/%2Egit/b"
    assert store_path("a/%2Egit/b") == "a/.git/b"
