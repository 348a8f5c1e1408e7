"""German sessions: what is laid down, corrected and taken back in them, and what of their talk is none of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, session, store

GERMAN: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data/offline/german.yaml").read_text("utf-8"))
OPENING = "schau dir das bitte mal an, der export ist kaputt und ich weiß nicht warum"


def _typed_plainly(text: str) -> str:
    for letter, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("Ü", "Ue"), ("Ä", "Ae")):
        text = text.replace(letter, two)
    return text


def _either(text: str) -> str:
    return text if _typed_plainly(text) == text else f"{text}|{_typed_plainly(text)}"


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", GERMAN["said"], ids=lambda case: case[1][:50])
def test_what_is_laid_down_in_german_is_added_once(case: tuple[str, str, str, list[str]], typed: Any) -> None:
    before, said, kind, patterns = case
    (change,) = changes(store(), session(OPENING, f"A: {before}", typed(said)))
    text = f"{change.drafts[0].description}\n{change.drafts[0].body}"
    assert (change.kind, change.drafts[0].type) == (Kind.ADD, kind)
    assert [each for each in patterns if not re.search(_either(each), text, re.IGNORECASE)] == []


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", GERMAN["left"], ids=lambda case: case[1][:50])
def test_german_talk_of_the_day_adds_nothing(case: tuple[str, str], typed: Any) -> None:
    before, said = case
    assert changes(store(), session(OPENING, f"A: {before}", typed(said))) == []
