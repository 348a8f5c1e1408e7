"""Amounts in prose and code: read in one unit, in both ways where there are two, compared where they can be."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.text.amounts import Amount, amounts, value_in_code
from memgit.text.language import lexicon


def read(text: str, language: str = "en") -> tuple[Amount, ...]:
    return amounts(text, lexicon(language))


def only(text: str, language: str = "en") -> Amount:
    (amount,) = read(text, language)
    return amount


def same(one: str, other: str) -> bool:
    left, right = only(one).same(only(other)), only(other).same(only(one))
    assert left == right
    return left


def texts(text: str, language: str = "en") -> list[str]:
    return [amount.text for amount in read(text, language)]


# --- units


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 minutes", "900 s"),
        ("15 min", "15 minutes"),
        ("a 15-minute window", "900 seconds"),
        ("1.5 hours", "90 minutes"),
        ("half an hour", "30 min"),
        ("two weeks", "14 days"),
        ("500 ms", "0.5 s"),
        ("1 year", "12 months"),
        ("20 %", "20 percent"),
        ("2 km", "2000 metres"),
        ("1,000 requests", "1000 requests"),
        ("1 000 requests", "1000 requests"),
        ("1_000 requests", "1000 requests"),
        ("1e3 requests", "1000 requests"),
        ("5 retries", "5 retry"),
        ("a dozen workers", "12 workers"),
    ],
)
def test_one_amount_in_two_spellings_is_the_same(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 minutes", "15 hours"),
        ("15 minutes", "20 minutes"),
        ("15 minutes", "15 retries"),
        ("2 GB", "2 MB"),
        ("20 %", "20 minutes"),
        ("-5 °C", "5 °C"),
        ("12 months", "365 days"),
    ],
)
def test_another_value_or_another_measure_is_not(one: str, other: str) -> None:
    assert not same(one, other)


def test_amounts_of_one_measure_can_be_compared_and_others_cannot() -> None:
    assert only("15 minutes").comparable(only("3 weeks"))
    assert only("5 retries").comparable(only("3 retries"))
    for other in ("15 retries", "15 %", "15", "v15"):
        assert not only("15 minutes").comparable(only(other))


def test_a_bare_number_is_the_same_as_any_amount_of_that_number() -> None:
    bare = only("15")
    assert bare.is_bare
    assert all(bare.same(only(text)) for text in ("15 minutes", "15 retries", "15"))
    assert bare.same(only("15 minutes")), "whoever writes 15 may mean them"
    assert not bare.same(only("16 minutes"))


def test_what_is_measured_is_told_from_what_is_counted() -> None:
    assert only("15 minutes").is_measure
    assert not only("15 retries").is_measure
    assert not only("15").is_measure


# --- two readings


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("15m", ("15 minutes", "15 metres")),
        ("1.000", ("1000", "1")),
        ("2 GB", ("2000 MB", "2 GiB", "2048 MiB")),
        ("1,500 ms", ("1.5 ms", "1500 ms")),
    ],
)
def test_what_can_be_read_in_two_ways_agrees_with_either(text: str, others: tuple[str, ...]) -> None:
    assert all(same(text, other) for other in others)


def test_where_it_cannot_there_is_one_reading() -> None:
    assert len(only("1.25").readings) == 1
    assert len(only("1,234,567").readings) == 1
    assert len(only("0.125").readings) == 1
    assert not same("1.25", "125")


# --- words


@pytest.mark.parametrize(
    ("language", "text", "figures"),
    [
        ("en", "thirteen metres", "13 metres"),
        ("en", "twenty-five minutes", "25 minutes"),
        ("en", "three hundred and twenty five days", "325 days"),
        ("en", "two hundred thousand users", "200000 users"),
        ("de", "fünfzehn Minuten", "15 Minuten"),
        ("de", "hundert und zwanzig Tage", "120 Tage"),
        ("fr", "vingt et un jours", "21 jours"),
        ("es", "treinta y cinco minutos", "35 minutos"),
        ("pt", "cento e vinte minutos", "120 minutos"),
        ("it", "quindici minuti", "15 minuti"),
        ("nl", "vijftien minuten", "15 minuten"),
        ("pl", "sto dwadzieścia dni", "120 dni"),
        ("ru", "сто двадцать дней", "120 дней"),
        ("zh", "十五分钟", "15分钟"),
        ("zh", "两百二十秒", "220秒"),
        ("ja", "三十分", "30分"),
        ("ja", "百二十秒", "120秒"),
        ("ko", "세 시간", "3시간"),
    ],
)
def test_a_number_told_in_words_is_the_number(language: str, text: str, figures: str) -> None:
    assert only(text, language).same(only(figures, language))


def test_a_range_in_words_is_two_numbers() -> None:
    assert texts("twenty to thirty minutes") == ["twenty", "thirty minutes"]
    assert texts("two and five hours") == ["two", "five hours"]


def test_one_is_mostly_an_article() -> None:
    assert texts("one of the workers has one job") == []
    assert texts("ein Tag und eine Sache", "de") == ["ein Tag"]
    assert texts("within one hour") == ["one hour"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "15 minutes"),
        ("de", "15 Minuten"),
        ("fr", "15 minutes"),
        ("ru", "15 минут"),
        ("zh", "15分钟"),
        ("ko", "15분"),
    ],
)
def test_every_language_has_its_units(language: str, text: str) -> None:
    assert only(text, language).same(only("900 s"))


def test_the_language_of_a_text_is_found_where_none_is_given() -> None:
    german = "Das Fenster ist fünfzehn Minuten lang, und das ist nicht zu wenig."
    assert [amount.text for amount in amounts(german)] == ["fünfzehn Minuten"]


# --- dates, clocks, versions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-06-03", "2026/06/03"),
        ("2026-06-03", "3.6.2026"),
        ("2026-06-03", "03/06/2026"),
        ("2026-06-03", "2026年6月3日"),
        ("6pm", "18:00"),
        ("6:30 am", "06:30"),
        ("v1.2.3", "1.2.3"),
        ("v1.2", "1.2.9"),
    ],
)
def test_dates_times_and_versions_agree_however_they_are_written(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-06-03", "2026-06-04"),
        ("06:30", "18:30"),
        ("v1.2.3", "1.2.4"),
        ("v2", "2026-06-03"),
        ("10:30", "2026-10-30"),
    ],
)
def test_and_differ_where_they_differ(one: str, other: str) -> None:
    assert not same(one, other)


def test_no_such_date_is_no_date() -> None:
    assert "date" not in {name for amount in read("2026-13-40") for name in amount.dimensions}


# --- what is no amount


@pytest.mark.parametrize("text", ["file.py:12", "see a.py:12 and b.py:7", "sha1 and x2y and md5", "no number"])
def test_a_number_in_a_name_or_a_place_is_no_amount(text: str) -> None:
    assert texts(text) == []


def test_amounts_come_in_order_and_do_not_overlap() -> None:
    found = read("At 10:30 on 2026-06-03, 15 minutes, v1.2.3, 3 retries and 20 %.")
    assert [amount.text for amount in found] == ["10:30", "2026-06-03", "15 minutes", "v1.2.3", "3", "20 %"]
    assert all(one.end <= two.start for one, two in pairwise(found))


PIECES = [
    "15",
    " ",
    "minutes",
    "1.000",
    "m",
    "GB",
    "v1.2",
    "2026-06-03",
    ":",
    "10:30",
    "twenty",
    "five",
    "%",
    ",",
    "十五",
    "分",
    "-",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.sampled_from(["en", "de", "zh", "ko"]))
def test_every_amount_is_the_text_that_it_names_and_the_same_as_itself(text: str, language: str) -> None:
    for amount in read(text, language):
        assert text[amount.start : amount.end] == amount.text
        assert amount.same(amount)
        assert amount.comparable(amount)


# --- code


@pytest.mark.parametrize(
    ("value", "name", "prose"),
    [
        ("900", "window_seconds", "15 minutes"),
        ("15 * 60", "WINDOW_SECONDS", "15 minutes"),
        ("15*60*1000", "windowMillis", "15 minutes"),
        ("PT15M", "", "15 minutes"),
        ("P1DT2H", "", "26 hours"),
        ("Duration.ofMinutes(15)", "", "15 minutes"),
        ("timedelta(minutes=15)", "", "15 minutes"),
        ("15 * time.Minute", "", "15 minutes"),
        ("time.Minute * 15", "", "15 minutes"),
        ("15.minutes", "", "15 minutes"),
        ("Duration::from_secs(900)", "", "15 minutes"),
        ("15m", "timeout", "15 minutes"),
        ("'15 minutes'", "", "15 minutes"),
        ("1 << 20", "max_bytes", "1 MiB"),
        ("2**10", "limit_bytes", "1 KiB"),
        ("20%", "share", "20 percent"),
        ("1_000", "", "1000"),
        ("v1.2.3", "", "1.2.3"),
    ],
)
def test_a_value_in_code_is_the_amount_that_prose_gives(value: str, name: str, prose: str) -> None:
    found = value_in_code(value, name)
    assert found is not None
    assert found.same(only(prose))


@pytest.mark.parametrize("value", ["", "  ", "retry", "retry(3)", "[15]", "a*b", "15 apples and pears", "PT", "P"])
def test_what_is_not_just_an_amount_is_none(value: str) -> None:
    found = value_in_code(value)
    assert found is None or found.is_bare


def test_a_number_without_a_unit_is_bare() -> None:
    for name in ("", "window", "seconds", "windowM"):
        found = value_in_code("900", name)
        assert found is not None
        assert found.is_bare


def test_a_hostile_power_is_no_number_and_takes_no_time() -> None:
    found = value_in_code("9**999999999")
    assert found is not None
    assert math.isnan(found.numerals[0])
    assert not found.same(found)
