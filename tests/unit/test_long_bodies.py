"""A memory that is far longer than any memory is looked at up to a bound, and that is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.claims import spans as module
from memgit.claims.spans import LONGEST_BODY, spans
from memgit.core.report.outline import memories_section
from memgit.model.store import StoreContent, StoreFile
from tests.unit.test_report import OUTCOME


def test_spans_are_looked_for_in_the_paragraphs_up_to_the_bound() -> None:
    body = "`first`\n\n" + "word " * (LONGEST_BODY // 5) + "`cut\nhere` " + "\n\n`last`"
    assert spans(body) == ("first",)
    assert spans("`first`\n\n" + "`last`") == ("first", "last")


@pytest.mark.parametrize("gap", ["\n", ""])
def test_without_a_paragraph_before_the_bound_a_line_or_the_bound_ends_it(gap: str) -> None:
    assert spans("`first` " + gap + "x " * LONGEST_BODY + "`last`") == ("first",)


def test_a_body_without_a_backtick_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_parser", None)
    assert spans("[" * 100_000) == ()


@pytest.mark.parametrize(
    ("size", "said"),
    [(10, ""), (LONGEST_BODY + 1, " Only its first 100,000 characters were looked at.")],
)
def test_the_report_says_where_a_memory_was_not_looked_at_whole(size: int, said: str) -> None:
    content = StoreContent({"a.md": StoreFile("a.md", b"---\nname: a\n---\n\n" + b"x" * size)})
    outcome = replace(OUTCOME, decisions=(), verification={})
    assert list(memories_section(outcome, content))[1] == f"- `a` — nothing to check.{said}"
