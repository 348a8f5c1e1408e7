"""The table of faults that users of such stores have met: each is covered by a test, or it is said why not."""

from __future__ import annotations

import ast
import csv
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "data" / "faults.tsv"
IDS = """
    001 002 004 005 007 008 010 011 013 014 016 017 019 020 022 023 025 026 028 029 031 032 034 035 037 038 040 041
    043 044 046 047 049 050 052 053 055 056 058 059 061 062 064 065 067 068 070 071 073 074 076 077 079 080 082 083
    085 086 088 089 091 092 094 095 097 098 100 101 103 104 106 107 109 110 112 113 115 116 118 119 121 122 124 125
    127 128 130 131 133 134
"""
REASONS = ("not ours: ", "not yet: ")
MOST_WAITING = 0
"""Faults that may wait for a part of memgit that does not exist yet; the number only goes down."""


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def defined_in(path: str) -> frozenset[str]:
    """The names of the tests that a file defines at its top level."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_the_table_has_every_fault_once_and_in_order() -> None:
    assert [row["id"] for row in rows()] == [f"B{number}" for number in IDS.split()]


def test_every_fault_is_described() -> None:
    assert all(row["fault"] == row["fault"].strip() and len(row["fault"]) > 10 for row in rows())


def test_every_named_test_exists() -> None:
    for row in rows():
        if not row["covered"].startswith(REASONS):
            path, _, name = row["covered"].partition("::")
            assert name.startswith("test_"), row
            assert name in defined_in(path), row


def test_what_has_no_test_has_a_reason() -> None:
    reasons = [row["covered"] for row in rows() if row["covered"].startswith(REASONS)]
    assert all(len(reason.partition(": ")[2]) > 3 for reason in reasons)
    waiting = [reason for reason in reasons if reason.startswith("not yet: ")]
    print(f"{len(waiting)} of {len(rows())} faults wait for a later part: {', '.join(sorted(set(waiting)))}")
    assert len(waiting) <= MOST_WAITING
