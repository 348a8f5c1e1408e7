"""Values read and compared: what decides where nearness cannot."""

from __future__ import annotations

import pytest

from memgit.miners.offline.facts import Contradicts, Different, Dimension, Same, compare, values


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("45 min on the farm", Dimension.DURATION, "2700"),
        ("0.75 h", Dimension.DURATION, "2700"),
        ("1 h now", Dimension.DURATION, "3600"),
        ("15 minutes", Dimension.DURATION, "900"),
        ("fifteen minutes", Dimension.DURATION, "900"),
        ("a quarter of an hour", Dimension.DURATION, "900"),
        ("half an hour", Dimension.DURATION, "1800"),
        ("a 30-day window", Dimension.DURATION, "2592000"),
        ("180 kB gzip", Dimension.SIZE, "180000"),
        ("512Mi", Dimension.SIZE, "536870912"),
        ("99.5% of sessions", Dimension.PERCENT, "99.5"),
        ("Python 3.11", Dimension.VERSION, "3.11"),
        ("until september 30", Dimension.DATE, "09-30"),
        ("on the 30th of September", Dimension.DATE, "09-30"),
        ("2026-09-30", Dimension.DATE, "09-30"),
        ("at 18:00", Dimension.CLOCK, "1080"),
        ("at 6:00 pm", Dimension.CLOCK, "1080"),
        ("on Thursdays", Dimension.WEEKDAY, "thu"),
        ("in `#ops-alerts`", Dimension.CHANNEL, "ops-alerts"),
        ("port 8080", Dimension.PORT, "8080"),
        ("three approvals", Dimension.COUNT, "3"),
        ("the shop-fe board", Dimension.NAME, "shop-fe"),
    ],
)
def test_a_value_is_read_in_its_normal_form(text: str, dimension: Dimension, amount: str) -> None:
    assert [(value.dimension, value.amount) for value in values(text)] == [(dimension, amount)]


@pytest.mark.parametrize(
    "text", ["the old ones included", "one of them", "step 2", "#12", "may change", "10k", "a second look"]
)
def test_what_is_no_value_is_not_read_as_one(text: str) -> None:
    assert values(text) == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The cache lives for 5 minutes.", "Cache entries expire after five minutes."),
        ("The window is 0.75 h.", "The window is 45 min."),
        ("Do not send the text before it is final.", "Send the text once it is final."),
        ("Keep it in `conf/app.toml`.", "It is kept in `conf/app.toml`."),
        ("No merge without a review.", "Every merge needs a review."),
    ],
)
def test_statements_with_equal_facts_are_not_told_apart(a: str, b: str) -> None:
    assert compare(a, b) == Same()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The limit is 600 requests.", "The limit is 1000 requests."),
        ("The window is 45 min.", "The window is 1 h."),
        ("Python 3.9 is the minimum version.", "Python 3.11 is the minimum version."),
        ("The branch is cut on Thursday.", "The branch is cut on Tuesday."),
        ("The API listens on port 8080.", "The API listens on port 9000."),
        ("Alerts go to `#web-alerts`.", "Alerts go to `#ops-alerts`."),
        ("List endpoints use offset pagination.", "List endpoints use cursor pagination."),
        ("The freeze ends on July 31.", "The freeze ends on August 31."),
    ],
)
def test_differing_values_of_one_thing_contradict(a: str, b: str) -> None:
    assert isinstance(compare(a, b), Contradicts)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Production keeps logs for a month.", "Staging keeps logs for a month."),
        ("iOS builds are signed in CI.", "Android builds are signed in CI."),
        ("The arm64 image is built nightly.", "The amd64 image is built nightly."),
        ("Always squash when merging.", "Never squash when merging."),
        ("The user wants a summary at the end.", "The user does not want a summary at the end."),
        ("Staging is wiped every Sunday.", "Staging is no longer wiped."),
    ],
)
def test_siblings_denials_and_changes_are_different(a: str, b: str) -> None:
    assert not isinstance(compare(a, b), Same)


def test_the_reason_names_what_tells_two_siblings_apart() -> None:
    assert compare("prod is frozen", "staging is frozen") == Different("they speak of different environments")
