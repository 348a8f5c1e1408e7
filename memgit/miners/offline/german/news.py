"""German words for what is otherwise than it was, for what was laid down, and for what a value is of."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from memgit.miners.offline.german.spelling import any_of

_FOR_GOOD = (
    r"jetzt(?! (?:mal|gleich|schnell|kurz|eben|erst ?mal|noch|bitte mal)\b)|nun|nicht mehr|kein\w* (?:\w+ ){1,4}mehr|ab jetzt|ab sofort|von nun an|künftig|zukünftig|inzwischen|mittlerweile|neuerdings|seit(?!dem ich\b)(?! wann\b)|umgestellt|"
    r"umgestiegen|gewechselt|migriert|umgezogen|umbenannt|ersetzt|abgelöst|stattdessen|abgeschafft|heutzutage"
)
_CHANGED = (
    r"erhöht|gesenkt|angehoben|herabgesetzt|hochgesetzt|runtergesetzt|heruntergesetzt|hochgedreht|hochgestellt|runtergestellt|verschoben|vorgezogen|verlängert|verkürzt|gekürzt|verdoppelt|halbiert|reduziert|"
    r"geändert|angepasst|vergrößert|verkleinert|umgestellt|aktualisiert|hochgezogen|gestiegen|gesunken"
)

NEWS = {
    "news: for good": any_of(rf"\b(?:{_FOR_GOOD})\b"),
    "news: update": any_of(
        rf"\b(?:{_FOR_GOOD}|{_CHANGED}|wir gehen auf|gehen wir auf|gehen (?:hoch|runter) auf|wir (?:sind|stehen) (?:jetzt )?(?:auf|bei)|bleibt (?:jetzt )?(?:so|dabei|es bei)|wir bleiben (?:bei|auf)|bleiben wir (?:bei|auf)|"
        r"(?:wird|werden) (?:auf|zu)|entschieden|beschlossen|festgelegt|statt|anstelle|ab (?:dem|der|nächste[rnm]?|kommende[rnm]?) \w+|ab (?:montag|dienstag|mittwoch|donnerstag|freitag)|endlich|neue (?:regel|vorgabe)|veraltet|überholt|ist alt|"
        r"dieses jahr|nur noch)\b"
    ),
    "news: changed beside": any_of(
        rf"\b(?:{_CHANGED}|vereinbart|beschlossen|entschieden|ist geschichte|sind geschichte|ist weg|abgeschaltet|abgeschafft|zu (?:klein|groß|kurz|lang|langsam|wenig|viel|knapp|teuer)|neue[rnsm]? \w+|nicht mehr|veraltet|überholt|ist alt|sind alt|stimmt nicht mehr)\b"
    ),
    "news: episode": any_of(
        r"\b(?:war|waren|dauerte|lief|liefen|hatte|hatten|ging|gingen|kam|kamen|kostete|brauchte|passierte|wurde|wurden|hat (?:\w+ ){0,6}(?:gedauert|gebraucht|gekostet|gegeben)|ist (?:\w+ ){0,5}(?:passiert|abgebrochen|abgestürzt|gelaufen|fehlgeschlagen))\b"
    ),
    "news: observed": any_of(
        r"\b(?:hat|haben) (?:\S+ ){0,6}?(?:gedauert|gebraucht|gekostet)\b|\bist (?:jetzt |nun |endlich )?(?:fertig|durch|durchgelaufen)\b",
        r"\b(?:da (?:ist|sind|steht|stehen)|find(?:e)? raus,? warum|schau(?: mal)?,? (?:warum|woran)|guck(?: mal)?,? warum|komisch|seltsam|merkwürdig|das ist (?:der|ein) (?:bug|fehler))\b|[,.;] (?:aber )?warum$"
    ),
    "news: states": any_of(
        r"\b(?:ist|sind|dauert|dauern|hat|haben|läuft|laufen|braucht|brauchen|kostet|kosten|geht|gehen|gibt|bekommt|bekommen|kriegt|kriegen|erlaubt|bleibt|bleiben|beginnt|beginnen|startet|starten|endet|enden|heißt|bedeutet|kommt|kommen|"
        r"liegt|liegen|steht|stehen|nutzt|nutzen|benutzen|verwenden|lauscht|hält|halten|rechnet|macht|machen|gilt|gelten)\b"
    ),
    "news: is now": any_of(r"\b(?:ist|sind|steht|stehen|läuft|laufen|liegt|liegen) (?:jetzt |inzwischen |mittlerweile |nun )?(?:auf|bei|aktuell)\b"),
    "news: hanging": any_of(
        r"(?:^|[,;] |\b(?:nein|ne|nee|ja|nicht mehr),? )(?:(?:das|es|die|der) (?:sind|ist|heißt|läuft|laufen|liegt|liegen|steht|stehen|dauert|hat|haben|kostet)|wir (?:sind|haben|machen|gehen))\b"
    ),
    "news: correction": any_of(
        r"^\W*(?:(?:nein|ne|nee|nö|falsch|nicht mehr|vorsicht|moment|stimmt nicht|stimmt so nicht|das ist (?:alt|veraltet|falsch|überholt|nicht richtig)|hm+ nein)\b|(?:\S+ ){0,2}eigentlich\b)"
    ),
    "news: accepts": any_of(r"^\W*(?:ja|jep|jo|jup|jawohl|genau|richtig|korrekt|stimmt|exakt|passt)\b"),
    "news: offers": any_of(
        r"\b(?:soll ich|möchtest du|möchten sie|willst du|wollen sie|ich könnte|wie wäre|ich würde|ich schlage vor|würde ich)\b"
    ),
    "facts: negation": any_of(
        r"\b(?:nicht|nie|niemals|kein\w*|nichts|nix|niemand|ohne|weder|noch nie|vermeide\w*|verboten|untersagt|statt|anstatt|anstelle|außer|unterlass\w*|finger weg|tabu|nirgends|keinesfalls|not|no|never|without)\b"
    ),
    "facts: change": any_of(rf"\b(?:{_FOR_GOOD}|{_CHANGED}|entfernt|gestrichen|früher|vorher|ehemals|bisher|wieder (?:auf|bei))\b"),
    "facts: supersedes": any_of(
        r"\b(?:nicht mehr|kein\w* (?:\w+ ){1,4}mehr|ab jetzt|ab sofort|von nun an|künftig|umgestellt|umgezogen|umbenannt|ersetzt|abgelöst|früher|vormals|ehemals|damals|abgeschafft|mittlerweile|inzwischen)\b"
    ),
    "facts: copula": any_of(r"\b(?:ist|sind|war|waren) (?:noch )?(?:nicht|kein\w*)\b"),
    "facts: clause end": any_of(r"[,;:.\n]|\b(?:aber|weil|denn|sondern|sonst)\b"),
    "facts: bounded": any_of(r"\b(?:bevor|vor|bis|ohne|außer|mehr als|wieder|ehe|solange|es sei denn)\b"),
    "exchanges: the subject": any_of(
        r"(?:^|\b(?:aber|und|weil|also)\s)\W*(?:der|die|das|unser|unsere|mein|meine|deren|dieser|diese|dieses) (?P<of>(?:[\w-]+ ){1,3}?)"
        r"(?:ist|sind|war|hat|haben|läuft|laufen|nutzt|nutzen|braucht|bekommt|geht|gehen|liegt|steht|bleibt|startet|beginnt|hält|erlaubt|rechnet|dauert|wird|werden)\b"
    ),
    "exchanges: gauge": any_of(r"\b(?:ist|sind|war|waren|steht|liegt) (?:schon |jetzt |gerade )?(?:bei|auf|bis auf) $"),
    "exchanges: limit": any_of(
        r"\b(?:muss|müssen|darf|dürfen|höchstens|mindestens|maximal|minimal|unter|über|bis zu|grenze|limit\w*|max\w*|min\w*|budget|ziel|schwelle|schwellwert|kontingent|obergrenze|untergrenze|bleiben)\b"
    ),
    "exchanges: bare word": any_of(r"^(?:\W*(?:nein|ne|nee|nö)\b)*\W*(?P<n>zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|fünfzig|hundert)(?=\s*[,.;:!]|\s*$)"),
    "exchanges: spoken of": any_of(r"^,? (?:ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|kann|kollidiert|passt|reicht|geht|geben|gab)\b(?! jetzt\b)"),
    "exchanges: start of a span": any_of(r"\b(?:ab|von|seit|nach|zwischen|beginnt|startet|beginn|start)\b[\w ]{0,20}$"),
    "exchanges: end of a span": any_of(r"\b(?:bis|endet|ende|und|vor|schließt)\b[\w ]{0,20}$"),
    "exchanges: clauses": any_of(r"[,;:]\s|\s[-–—]\s|\.\s|\b(?:während|aber|wohingegen|weil|denn|damit|sondern)\b|\bund (?=\w+ (?:ist|bleibt|hat|läuft|geht)\b)"),
    "exchanges: per second": any_of(r"\b(?:pro|je|in der|jede) sekunde\b"),
    "exchanges: settled": any_of(r"\b(?:(?:das|es) bleibt (?:jetzt |auch |nun )?(?:so|dabei)|dauerhaft|endgültig|für immer|von nun an)\b"),
    "exchanges: plain": any_of(
        r"^(?!.*\b(?:diese\w*|mein\w*|ich|du|dein\w*)\b).*\b(?:ist|sind|läuft|laufen|geht|gehen|liegt|liegen|nutzt|braucht|lauscht|beginnt|startet|gehört|steht|gilt)\b"
    ),
}  # fmt: skip
