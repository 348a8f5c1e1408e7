"""How many secrets get through, and how much that is none is masked: phrasings times places, misses printed."""

from __future__ import annotations

from collections import Counter

import pytest

from memgit.evidence.findings import mask, masked_kinds
from memgit.evidence.secret_search import KINDS
from tests.secret_table import Said, said

PLACES = {
    "by itself": "{}",
    "in a list": "- {}\n- the next one",
    "in a sentence": "We agreed on this today: {} and went on.",
    "in a fence": "```\n{}\n```",
    "between lines": "First the loader was slow.\n{}\nThen it was fast.",
    "in quoted lines": "> {}",
}


def placed(one: Said, form: str) -> str:
    return form.replace("{}", one.text.replace("\n", "\n> ") if form.startswith(">") else one.text)


@pytest.mark.parametrize("table", ["said", "closed said"])
def test_at_most_two_in_a_hundred_ways_to_tell_a_secret_get_through(table: str, capsys: pytest.CaptureFixture[str]):
    every = [(one, place) for one in said(table, seed=7) for place in PLACES]
    missed = Counter(one.template for one, place in every if one.is_shown_in(mask(placed(one, PLACES[place])).text))
    share = missed.total() / len(every)
    with capsys.disabled():
        print(f"\nsecrets, {table!r}: {missed.total()} of {len(every)} missed ({share:.1%})")
        for template, places in missed.most_common():
            print(f"  in {places} of {len(PLACES)} places: {template}")
    assert share <= 0.02


@pytest.mark.parametrize("table", ["alike", "closed alike"])
def test_at_most_two_in_seventy_look_alikes_are_masked(table: str, capsys: pytest.CaptureFixture[str]):
    every = said(table, seed=7)
    masked = [(one.template, mask(one.text).kinds) for one in every if mask(one.text).kinds]
    with capsys.disabled():
        print(f"\nlook-alikes, {table!r}: {len(masked)} of {len(every)} masked")
        for template, kinds in masked:
            print(f"  {', '.join(kinds)}: {template}")
    assert len(masked) / len(every) <= 2 / 71


def test_masking_what_is_masked_changes_nothing_more():
    for one in said("said", seed=8):
        once = mask(one.text).text
        assert mask(once).text == once, one.template


def test_what_a_text_was_masked_of_is_still_told_when_it_is_masked_again():
    """Prose comes masked from what was read before, and a pass says the same of it as of prose read anew."""
    for one in said("said", seed=9):
        once = mask(one.text)
        assert masked_kinds(once.text) == once.kinds, one.template
    assert {kind for kind in KINDS if masked_kinds(f"[masked: {kind}]") != (kind,)} == set()
