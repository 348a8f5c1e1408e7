"""Which of the languages that have rules here a text is in, if it is in one of them."""

# ruff: noqa: SIM905 - word lists read best as text
from __future__ import annotations

import re
from functools import lru_cache

ENGLISH, GERMAN = "en", "de"

_ENGLISH = frozenset(
    """the a an of to in is are was were it its that this these those and or but not no for on with at by from as be
    been has have had do does did we you i they he she our your my their there here what which who when where why how
    if then than so can could will would should must may might never always every each all any only now just still
    into out up down over under again more please pls yes yeah ok""".split()
)
_OTHERS = frozenset(
    """der die das und ist nicht ein eine wir ich du mit auf für von zu den dem im bitte auch noch schon les des est
    pas une le la et dans pour avec que qui el los las del por para una con che di il per non sono uma não os""".split()
)
"""Everyday words of neighbouring languages: enough to tell that a short text is not English."""

_GERMAN = frozenset(
    """der das dem und oder aber sondern nicht nie niemals kein keine keinen keinem keiner nichts nix ein eine einen
    einem einer ist sind wird werden wurde wurden habe haben hatte hatten hab bist seid sein muss musst müssen
    muessen soll sollen sollst darf dürfen duerfen kann kannst können koennen möchte moechte will wollen wir ich
    du ihr sie mir mich dir dich uns euch unser unsere unseren unserem mein meine meinen dein deine deinen auf
    für fuer von zu zum zur mit bei beim im vom nach aus über ueber ohne gegen bis seit statt stattdessen wegen
    weil wenn falls sobald bevor damit dass daß ob als wie wo wer wann warum wieso weshalb woran auch noch schon
    nur immer jetzt heute gestern morgen mal wieder mehr weniger bitte danke ja nein doch halt eben hier dort da
    dann denn sonst künftig kuenftig ab sofort bleibt gilt heißt heisst steht liegt läuft laeuft gehört gehoert
    gehören gehoeren kommt kommen macht machen mach nimm nutze benutze verwende schreib schreibe lass frag frage
    zeig merk merke alle alles jede jeder jedes jeden etwas andere anderen grundsätzlich generell vielleicht
    eigentlich falsch richtig quatsch unsinn veraltet weg neue neuen alte alten zwei drei vier fünf sechs sieben
    acht neun zehn uhr stunden minuten sekunden tage wochen montags dienstags mittwochs donnerstags freitags""".split()
)
"""Everyday German words; some are English ones, too, or those of a neighbour."""

_GERMAN_ALONE = _GERMAN - frozenset(
    """der das dem die ein eine aber im von mit über ob als wie wo ja da dann ab alle hier an in so was also man
    hat war will mal halt weg sie ihr du mir kommen uns vier eben drei acht neun denn noch""".split()
)
"""Those of them that neither English nor Dutch, Danish, Norwegian and Swedish have."""

_NEIGHBOURS = frozenset(
    """niet een het van voor ook maar geen altijd nooit wordt deze dit dat ik jij jullie wij zijn naar bij uit
    moet mag kan zal zou graag og ikke det jeg på til som af altid aldrig och att är inte jag alltid från för när eller
    med ska skal vi har de av om hvis men fra ved blir bliver varje hver gjør niets meer zonder nu op
    isch nöd nid gäll hät händ chönd""".split()
)
"""Everyday words of Dutch, Danish, Norwegian, Swedish and Alemannic that German has not."""

_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH_WORDS = 12
_SHORT = 40  # words: terse talk full of names has few everyday words
_SHARE = 0.2  # measured: English prose has 0.35 and more, German and French prose below 0.12

_STRAY = 0.03  # share of another language's everyday words that names and typos may make up


def english_share(text: str) -> float:
    """The share of a text's words that are everyday English ones, 0 to 1."""
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _ENGLISH for word in words) / len(words) if words else 0.0


def is_english(text: str, surroundings: str = "") -> bool:
    """Whether a text may be read by the English rules.

    A text of a few words is judged by its surroundings; where these are short, too, by the absence of
    another language's everyday words. Terse talk full of names is English where all around it is.
    """
    judged = max((text, surroundings), key=len) if len(_WORD.findall(text)) < _ENOUGH_WORDS else text
    words = [word.lower() for word in _WORD.findall(judged)]
    if len(words) < _ENOUGH_WORDS:
        return judged.isascii() and sum(word in _OTHERS for word in words) <= sum(word in _ENGLISH for word in words)
    if len(words) < _SHORT and judged.isascii() and _foreign_share(words) == 0:
        return english_share(judged) >= _SHARE / 2
    return english_share(judged) >= _SHARE or (
        english_share(surroundings) >= _SHARE and _foreign_share(words) <= _STRAY
    )


def _foreign_share(words: list[str]) -> float:
    return sum(word in _OTHERS for word in words) / len(words)


_GERMAN_SHARE = 0.2  # of a message's words; German prose has 0.35 and more
_FEW = 3  # words
_SURELY = 2  # words that German alone has


def is_read(text: str, surroundings: str = "") -> bool:
    """Whether a text is in a language that has rules, by itself or by its surroundings."""
    return is_english(text, surroundings) or is_german(text, surroundings)


def is_german(text: str, surroundings: str = "") -> bool:
    """Whether a text may be read by the German rules, by itself or, where it tells little, by its surroundings.

    A neighbour's words count against it, so that Dutch and the Scandinavian languages are told from it.
    """
    words = _words(text)
    german, alone = sum(word in _GERMAN for word in words), sum(word in _GERMAN_ALONE for word in words)
    english = sum(word in _ENGLISH_ALONE for word in words)
    if _is_neighbours(words) or english > german:
        return False
    if len(words) >= _FEW and alone >= _SURELY and german >= _GERMAN_SHARE * len(words):
        return True
    return bool(surroundings) and len(_words(surroundings)) > len(words) and is_german(surroundings)


def _is_neighbours(words: list[str]) -> bool:
    """Whether as many words are a neighbour's as are German alone."""
    theirs = sum(word in _NEIGHBOURS for word in words)
    return 2 * theirs > sum(word in _GERMAN_ALONE for word in words)


@lru_cache(maxsize=50_000)
def language_of(text: str) -> str:
    """The language by whose rules a sentence is read; what tells none is read by the English ones.

    Asked of texts in a language with rules only: whether a message is in one is asked before.
    """
    words = _words(text)
    german = sum(word in _GERMAN_ONLY for word in words)
    if (not german and text.isascii()) or _is_neighbours(words):
        return ENGLISH
    tells = german >= _SURELY or any(word in _GERMAN_ALONE or not word.isascii() for word in words)
    return GERMAN if tells and german >= sum(word in _ENGLISH_ALONE for word in words) else ENGLISH


_GERMAN_ONLY = _GERMAN - frozenset("die was an in so also man will hat war am".split())
"""Those of the German words that are no English ones."""

_ENGLISH_ALONE = _ENGLISH - _GERMAN - frozenset("in was an so all am no".split())


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
