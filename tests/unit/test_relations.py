"""Relations in frontmatter are read however they are written, and what leads nowhere is told."""

from __future__ import annotations

import pytest

from memgit.memory.links import Relation, leading_nowhere, relations, told
from memgit.memory.memory import memories
from tests.desks import content


def store(**blocks: str):
    return memories(
        content({f"{name}.md": f"---\nname: {name}\n{block}---\n\nFact.\n" for name, block in blocks.items()})
    )


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ("relates_to: b\n", ["b"]),
        ("relates_to: [b, 'c.md', \"d\"]\n", ["b", "c.md", "d"]),
        ("relates_to:\n  - b\n  - [[c]]\nother:\n  - d\n", ["b", "c"]),
        ("metadata:\n  relates_to: b, c\n", ["b", "c"]),
        ("relates_to:\r\n- b\r\n", ["b"]),
        ("relates_to: []\n", []),
        ("relates_to: none\nsuperseded_by: ~\n", []),
        ("description: relates_to b\n", []),
        ("other: x\n", []),
    ],
)
def test_a_relation_is_read_however_it_is_written(block, named):
    (one,) = store(a=block)
    assert [each.target for each in relations(one)] == named


def test_a_relation_leads_to_a_memory_by_file_name_or_title_and_else_nowhere():
    found = store(a="relates_to: [b.md, B, gone]\nsupersedes: b\n", b="superseded_by: lost\n")
    assert leading_nowhere(found) == (Relation("a", "relates_to", "gone"), Relation("b", "superseded_by", "lost"))


def test_what_leads_nowhere_is_told_by_field_and_counted():
    many = [Relation("a", "relates_to", f"x{number}") for number in range(7)]
    assert [*told([*many, Relation("b", "supersedes", "y\x1b")])] == [
        (
            "7 relations in relates_to to memories that are not here, kept as they are: `a` to `x0`, `a` to `x1`,"
            " `a` to `x2`, `a` to `x3`, `a` to `x4` and 2 more."
        ),
        "1 relation in supersedes to memories that are not here, kept as they are: `b` to `y\\x1b`.",
    ]
