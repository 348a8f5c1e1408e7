"""Three-way merge by memory: what one side changed wins, what both changed is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.memory.apply import changes
from memgit.memory.merge import Conflict, merge3, same_but_stamp
from memgit.model.store import ABSENT, INDEX
from tests.desks import NEW, OLD, content, texts

BASE = content({"a.md": "a\n", "b.md": "b\n"})


def side(**files: str | None):
    merged = {"a.md": "a\n", "b.md": "b\n"} | {f"{name}.md": text for name, text in files.items()}
    return content({path: text for path, text in merged.items() if text is not None})


def test_changes_of_either_side_are_taken():
    merged = merge3(BASE, side(a="ours\n"), side(b=None, c="new\n"))
    assert texts(merged.content) == {"a.md": "ours\n", "c.md": "new\n"}
    assert merged.conflicts == ()


def test_the_same_change_on_both_sides_is_no_conflict():
    assert merge3(BASE, side(a="x\n"), side(a="x\n")).conflicts == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [
        ("x\n", "y\n", {"a.md": "x\n", "b.md": "b\n"}),
        (None, "y\n", {"b.md": "b\n"}),
        ("x\n", None, {"a.md": "x\n", "b.md": "b\n"}),
    ],
)
def test_differing_changes_are_named_with_all_texts_and_ours_stays(ours, theirs, kept):
    merged = merge3(BASE, side(a=ours), side(a=theirs))
    assert merged.conflicts == (Conflict("a.md", b"a\n", ours and ours.encode(), theirs and theirs.encode()),)
    assert texts(merged.content) == kept


def test_a_mode_is_part_of_a_file():
    changed = replace(BASE, files={**BASE.files, "a.md": replace(BASE.files["a.md"], mode=0o100600)})
    assert merge3(BASE, BASE, changed).content.files["a.md"].mode == 0o100600


def test_an_index_that_fits_is_taken_as_it_is():
    base, theirs = content(OLD), content(NEW)
    assert merge3(base, base, theirs).content == theirs
    assert merge3(base, theirs, base).content == theirs


def test_an_index_that_both_sides_changed_is_made_anew():
    ours = {**OLD, "mine.md": "---\nname: mine\ndescription: of mine\n---\n\nMine.\n"}
    ours[INDEX] += "- [Mine](mine.md) — my own hook\n"
    merged = texts(merge3(content(OLD), content(ours), content(NEW)).content)
    assert "- [Mine](mine.md) — my own hook\n" in merged[INDEX]
    assert "(tests.md)" in merged[INDEX]
    assert "(deploys.md)" not in merged[INDEX]


def test_an_index_that_one_side_removed_is_gone():
    theirs = content({path: text for path, text in OLD.items() if path != INDEX})
    assert merge3(content(OLD), content(OLD), theirs).content.index is None


def test_a_store_that_one_side_removed_is_gone_unless_the_other_changed_it():
    assert not merge3(BASE, BASE, ABSENT).content.exists
    merged = merge3(BASE, side(c="new\n"), ABSENT)
    assert texts(merged.content) == {"c.md": "new\n"}


def test_empty_folders_are_merged_and_give_way_to_files():
    base, ours = replace(BASE, folders=("x", "y")), replace(BASE, folders=("x", "y", "z"))
    theirs = replace(content({**texts(BASE), "y/c.md": "c\n"}), folders=("x",))
    assert merge3(base, ours, theirs).content.folders == ("x", "z")


PLAIN = b"---\nname: Retry Budget\ndescription: three tries\ntype: project\ntags: [a, b]\n---\nThree.\n"


STAMPED = b"""---
name: retry-budget
description: three tries
metadata:\x20
  node_type: memory
  type: project
  tags: [a, b]
  originSessionId: abc
  modified: 2026-11-29T12:00:00Z
---

Three.
"""
FOLDED = PLAIN.replace(b"three tries", b">\n  three\n  tries")


@pytest.mark.parametrize(
    ("stamped", "same"),
    [
        (STAMPED, True),
        (FOLDED.replace(b"\n", b"\r\n").replace(b"Three.\r\n", b"Three.\n"), True),
        (PLAIN.replace(b"three", b"four"), False),
        (PLAIN.replace(b"Three.", b"Four."), False),
        (PLAIN.replace(b"[a, b]", b"[a]"), False),
        (PLAIN.replace(b"type: project", b"type: user"), False),
        (b"Three.\n", False),
        (b"---\nname: [\n---\nThree.\n", False),
        (b"---\n&a [*a]\n---\nThree.\n", False),
        (b"---\nname: \xff\n---\nThree.\n", False),
    ],
)
def test_what_the_agents_client_rewrites_is_no_change(stamped, same):
    assert same_but_stamp(PLAIN, stamped) is same
    assert same_but_stamp(stamped, PLAIN) is same


def test_a_restamped_memory_gives_way_to_a_changed_one():
    stamped = PLAIN.replace(b"type: project", b"metadata:\n  node_type: memory\n  type: project").decode()
    base = content({"a.md": PLAIN.decode()})
    changed = content({"a.md": PLAIN.decode().replace("Three.", "Five.")})
    assert texts(merge3(base, content({"a.md": stamped}), changed).content) == texts(changed)
    assert texts(merge3(base, changed, content({"a.md": stamped})).content) == texts(changed)


def test_changes_are_told_in_one_line_with_a_bound_on_names():
    before = content({f"{name}.md": "" for name in "abcdef"})
    found = changes(before, content({"g.md": "", "a.md": "x"}))
    assert found.sentence(2) == "changed a.md; added g.md; removed b.md, c.md and 3 more"


def test_control_characters_of_a_name_do_not_get_into_the_line():
    assert "\x1b" not in changes(ABSENT, content({"\x1b[31m.md": ""})).sentence()
