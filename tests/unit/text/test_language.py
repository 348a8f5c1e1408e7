"""Languages as data: every lexicon is whole, a text is told by its words, and words are found as whole ones."""

from __future__ import annotations

import pytest

from memgit.text.language import CATEGORIES, language, languages, lexicon, spoken

TOLD = {
    "en": "We are not going to do it for this and that, as you can see.",
    "de": "Das ist nicht so, wie wir es uns gedacht haben, und es wird auch nicht mehr so.",
    "fr": "On ne va pas le faire pour les autres, et ce n'est pas dans la liste.",
    "es": "No lo vamos a hacer para los otros, y eso está en la lista que te di.",
    "pt": "Não vamos fazer isso para os outros, e isso está na lista que eu te dei.",
    "it": "Non lo facciamo per gli altri, e questo è nella lista che ti ho dato.",
    "nl": "Dat doen we niet voor de anderen, en het staat ook niet op de lijst.",
    "pl": "Nie będziemy tego robić dla innych, a to jest na liście i się nie zmieni.",
    "ru": "Мы не будем этого делать для других, и это уже есть в списке, как я сказал.",
    "zh": "我们不会为其他人做这个，它已经在列表里了。",
    "ja": "これは他の人のためにはやりません。リストにあります。",
    "ko": "다른 사람을 위해서는 하지 않을 것입니다. 목록에 있습니다.",
}


@pytest.mark.parametrize("name", TOLD)
def test_a_text_is_told_by_its_script_or_its_commonest_words(name: str) -> None:
    assert language(TOLD[name]) == name


def test_there_is_a_text_for_every_lexicon() -> None:
    assert set(TOLD) == set(languages())


@pytest.mark.parametrize(
    "text", ["", "   ", "12345", "DEPLOY_WINDOW_MINUTES", "ok", "per request, per second", "การตั้งค่านี้ไม่เปลี่ยนแปลง"]
)
def test_what_does_not_tell_is_no_language(text: str) -> None:
    assert language(text) == ""


def test_texts_are_counted_by_their_language() -> None:
    assert spoken(iter([TOLD["de"], TOLD["de"], TOLD["en"], "ok"])) == {"de": 2, "en": 1, "": 1}


# --- what a lexicon holds


@pytest.mark.parametrize("name", languages())
def test_a_lexicon_has_words_of_every_category_numbers_and_units(name: str) -> None:
    words = lexicon(name)
    assert set(words.words) == set(CATEGORIES)
    assert words.common
    assert {2.0, 5.0, 10.0} <= set(words.numbers.values())
    assert {"second", "minute", "hour", "day"} <= set(words.units.values())


def test_an_unknown_language_has_what_all_share() -> None:
    words = lexicon("xx")
    assert words.units["ms"] == "millisecond"
    assert words.found("always", "always") == ()


# --- how words are found


@pytest.mark.parametrize(
    ("name", "category", "text", "found"),
    [
        ("en", "always", "From now on, always squash.", ("From now on", "always")),
        ("en", "always", "he lives in Alwaysville", ()),
        ("en", "always", "stop pushing to main", ("stop pushing",)),
        ("en", "change", "it is not on staging but on live", ("not on staging but",)),
        ("en", "negation", "don't and don’t", ("don't", "don’t")),
        ("en", "retract", "you are overreacting", ("overreacting",)),
        ("en", "remember", "please keep\n in mind", ("keep\n in mind",)),
        ("zh", "negation", "我不用这个", ("不",)),
    ],
)
def test_words_are_found_whole_in_whatever_case_and_spacing(
    name: str, category: str, text: str, found: tuple[str, ...]
) -> None:
    assert lexicon(name).found(category, text) == found


def test_a_phrase_with_a_gap_ends_with_its_sentence() -> None:
    assert lexicon("en").found("change", "it is not. But so it is") == ()
