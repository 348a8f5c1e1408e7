"""What models do that quote falsely, or nobody, or name what is not there: facts stop them, whatever their words are.

What they do with true quotes is judged by doubts, and measured: ``python -m tests.bench quality --miner bad``.
"""

from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.bench.bad_models import NAMES
from tests.bench.quality import bad, decided, harm, run
from tests.golden_host import project

STOPPED_BY_FACTS = ("nonsense", "obedient", "misquotes", "truncated", "chatty")


@pytest.fixture(params=["checkout-api", "game-server-de"])
def about(request: pytest.FixtureRequest):
    return project(request.param)


@pytest.mark.parametrize("habit", STOPPED_BY_FACTS)
def test_what_quotes_nobody_is_refused_and_not_even_asked(habit: str, about) -> None:
    result = run(about, bad(habit))
    assert (result.right + result.wrong, result.asked, result.harm) == (0, 0, {})


@pytest.mark.parametrize("habit", sorted(set(NAMES) - set(STOPPED_BY_FACTS)))
def test_whatever_a_bad_model_does_no_text_goes_unkept_and_nobody_confirms_it(habit: str, about) -> None:
    for one in decided(about, bad(habit)(about)):
        assert one.confirmed == ""
        gone = {name.removesuffix(".md") for name in (*one.removes, *one.writes) if name in about.content.files}
        unchanged = {name for name in gone if one.writes.get(f"{name}.md") == about.content.files[f"{name}.md"].data}
        assert set(one.dropped_text) == gone - unchanged or one.kind is Kind.REPAIR


def test_one_memory_is_never_changed_twice(about) -> None:
    for habit in ("strays", "shrinks", "piles_up"):
        standing = [one for one in decided(about, bad(habit)(about)) if one.stands and one.kind is not Kind.REPAIR]
        taken = [name for one in standing for name in one.memories]
        assert len(taken) == len(set(taken)), habit


def test_what_is_taken_of_nothing_harms_nothing(about) -> None:
    assert harm(about, ()) == {}
