"""German words: those without a meaning of their own, and the roots of the others."""

from __future__ import annotations

import re
from functools import lru_cache

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def folded(word: str) -> str:
    """A lower-case word as it is typed without umlauts."""
    return word.translate(_UMLAUTS)


_EMPTY = """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese
    dieses diesen diesem jener jene jenes ich mich mir du dich dir er ihn ihm sie es wir uns ihr euch ihnen sich
    man mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen seinem seiner unser
    unsere unseren unserem unserer euer eure ihre ihren ihrem ihrer wer wen wem was wo wie wann warum wieso
    weshalb wohin woher welche welcher welches welchen und oder aber sondern doch denn weil dass daß damit ob
    wenn falls sobald solange bevor nachdem während als also dann danach davor vorher nachher dabei dafür
    dagegen damit daran darauf daraus darin darum darüber davon dazu drin dran drauf drum rein raus rauf runter
    rüber hin her weg in im an am auf aus bei beim mit nach von vom vor zu zum zur für fürs durch durchs über
    übers unter um ums ohne gegen bis ab seit zwischen neben hinter wegen trotz statt anstatt anstelle
    stattdessen pro je per laut innerhalb bin bist ist sind seid war warst waren wart wäre wären sein gewesen
    habe hab hast hat haben habt hatte hatten hätte gehabt werde wirst wird werden werdet wurde wurden würde
    würden worden geworden kann kannst können könnt konnte könnte muss musst müssen müsst musste müsste soll
    sollst sollen sollte sollten darf darfst dürfen dürft durfte dürfte will willst wollen wollt wollte möchte
    möchten mag mögen lass lassen lässt lasst nicht nichts nix nie niemals nimmer nein ne nee nö ja jep jo doch
    nur auch noch schon erst immer wieder mehr weniger sehr so zu ganz gar etwas viel viele wenig jetzt nun
    heute gestern morgen hier da dort dahin mal halt eben eh ja wohl bitte danke gern gerne ok okay alle alles
    allen aller jede jeder jedes jeden jedem beide andere anderen anderer anderes einfach eigentlich grad gerade
    gleich sofort künftig zukünftig sonst trotzdem deshalb deswegen daher nämlich übrigens sowieso vielleicht
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf eins macht machen mach mache gemacht tun tut tu
    gibt geben gib gehen geht gehe ging kommt kommen komm nehmen nimmt nimm stehen steht liegt liegen gehört
    gehören sagen sagt sag gesagt sehen sieht seh weiß wissen weißt heißt heißen ding dinge dingen sache sachen
    zeug mal male teil art weise beim ins ans aufs vors merk merke merken bitteschön leute"""
FUNCTION_WORDS = frozenset(form for word in _EMPTY.split() for form in (word, folded(word)))
"""German words that carry grammar or too little meaning to say what a text is about, with and without umlauts."""

_SAME = {
    form: whole
    for whole, forms in {
        "production": "prod produktion production", "dokumentation": "doku docs dokumentation",
        "config": "config konfig konfiguration", "repository": "repo repos repository",
        "datenbank": "db datenbanken datenbank",
        "pullrequest": "pr prs", "lauf": "laeuft gelaufen laufen", "schreib": "geschrieben schreibt schreiben",
        "bau": "gebaut baut bauen", "nutz": "genutzt benutzt benutzen nutzt nutzen", "verwend": "verwendet verwenden",
        "merg": "gemergt gemerged merged mergen", "deploy": "deployt deployed deployen", "deployment": "deployments",
        "commit": "committen committet", "push": "pushen gepusht", "log": "loggen geloggt",
        "test": "testen getestet testet", "speicher": "gespeichert speichern",
    }.items()
    for form in forms.split()
}  # fmt: skip
"""Short forms and irregular forms of one word, folded together."""

_WHOLE = frozenset(_SAME.values())
_ENDINGS = ("ungen", "ung", "ern", "est", "en", "er", "em", "es", "st", "e", "n", "s", "t")
_INFIX = re.compile(r"^(ab|an|auf|aus|ein|vor|mit|los|weg|nach|frei|fest|hoch|)(?:ge|(?<!^)zu)(?=\w{2,}(?:t|en)$)")
"""What stands before or inside of a verb's participle: aufgewärmt, aufzuwärmen, gepflegt."""

_LEAST = 4  # letters that remain
_PASSES = 2


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """A rough root of a lower-case German word, the same for its common forms and with or without umlauts."""
    word = folded(word)
    word = _SAME.get(word, _INFIX.sub(r"\1", word))
    for _ in range(_PASSES):
        ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= _LEAST), "")
        if not ending or word in _WHOLE:
            break
        word = word.removesuffix(ending)
    return word
