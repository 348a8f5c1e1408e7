"""What users lay down in everyday words is added; what they say of the work at hand is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, session, store

GUIDANCE: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data/offline/guidance.yaml").read_text("utf-8"))
LEFT = [*GUIDANCE["left"], *GUIDANCE["missed"]]


@pytest.mark.parametrize("case", GUIDANCE["said"], ids=lambda case: case[1][:50])
def test_what_is_laid_down_in_reply_is_added_once(case: tuple[str, str, str, list[str]]) -> None:
    before, said, kind, patterns = case
    (change,) = changes(store(), session("hi, look at this please", before, said))
    text = f"{change.drafts[0].description}\n{change.drafts[0].body}"
    assert change.kind is Kind.ADD
    assert re.fullmatch(kind, change.drafts[0].type)
    assert [pattern for pattern in patterns if not re.search(pattern, text, re.IGNORECASE)] == []


@pytest.mark.parametrize("case", LEFT, ids=lambda case: case[1][:50])
def test_talk_of_the_work_at_hand_adds_nothing(case: tuple[str, str]) -> None:
    before, said = case
    assert changes(store(), session("hi, look at this please", before, said)) == []
