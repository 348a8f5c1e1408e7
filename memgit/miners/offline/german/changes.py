"""German words that take a rule back, remove a memory, give another name, tell why, and open a sentence."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from memgit.miners.offline.german.spelling import any_of, spellings

_NOTE = (
    r"(?:(?:(?:die|diese|der|dieser|das|dein|deine|deiner|ihre|ihrer|eine) (?:[\w-]+ ){0,3}?(?:notiz(?:en)?|memory|memories|eintrag|erinnerung(?:en)?|merkzettel|gedächtnis)|"
    r"notiz(?:en)?|regel,? die du dir gemerkt hast|das gemerkte|memory-datei))"
)
_GONE = (
    r"(?:(?:kann|können|muss|müssen|soll|sollte|darf) (?:\w+ )?(?:weg|raus|gelöscht werden|entfernt werden|verschwinden)|(?:ist|sind|war|waren) (?:\w+ )?(?:falsch|veraltet|überholt|hinfällig|quatsch|unsinn|blödsinn|"
    r"überflüssig|unnötig|obsolet|nicht mehr (?:wahr|gültig|richtig|aktuell|nötig)|nie (?:wahr|richtig) gewesen)|stimmt (?:so )?nicht(?: mehr)?|stimmen nicht(?: mehr)?|gilt nicht mehr|gelten nicht mehr|war nie (?:wahr|richtig))"
)
_TERM = r"`?[\w@./:+#-]+`?"
_THING = r"(?:`[^`\n]+`|[\w@~./:+#-]*[\w/])"
_ARTICLE = r"(?:der |die |das |den |dem |unser\w* )?"
_MOVED = r"(?:umgestellt|gewechselt|umgestiegen|migriert|umgezogen|gegangen|umbenannt|geändert)"

CHANGES = {
    "removals: removal": any_of(
        rf"\b(?:lösche?|löschen sie|entferne?|entfernen sie|vergiss|vergessen sie|streiche?|streichen sie|wirf|werfen sie|schmeiß(?:e)?)\b[^.?!]{{0,40}}?\b{_NOTE}\b",
        rf"\b{_NOTE}\b[^.?!]{{0,60}}?\b{_GONE}\b",
        r"\b(?:falsche|veraltete|überholte) (?:notiz|memory|erinnerung)\b|\baus (?:deinen|den|ihren) notizen (?:raus|löschen|streichen|nehmen)\b|\braus aus (?:deinen|den) notizen\b",
    ),
    "removals: untrue": any_of(
        r"\bhat(?:te|ten)? (?:damit )?nichts (?:mit|damit) .{0,60}zu tun\b|\b(?:war|ist|waren|stimmte) (?:so )?nie (?:wahr|richtig|so)\b|\bstimmte? (?:so )?(?:gar )?nicht\b|\b(?:das|es|dies) (?:ist|war) (?:einfach |schlicht |kompletter |totaler )?(?:falsch|nicht wahr|unwahr|ein mythos|unsinn|quatsch|blödsinn|ein missverständnis|ein irrtum)\b",
    ),
    "removals: obsolete": any_of(
        r"\b(?:brauch(?:t|en|st)? (?:\S+ ){0,6}?nicht mehr|muss(?:t)? (?:\S+ ){0,8}?nicht mehr|müssen (?:\S+ ){0,8}?nicht mehr|ist (?:\S+ ){0,4}?nicht mehr (?:nötig|notwendig|erforderlich|wahr|so|der fall|gültig|aktuell|relevant)|sind nicht mehr (?:nötig|notwendig|gültig)|"
        r"(?:gilt|gelten|existiert|existieren|stimmt|stimmen) (?:\S+ ){0,3}?nicht mehr|gibt(?:'?s| es) (?:\S+ ){0,6}?nicht mehr|(?:ist|sind|wurde|wurden|haben wir|hat man) (?:\S+ ){0,6}?(?:abgeschafft|abgeschaltet|stillgelegt|eingestellt|ausgemustert|abgebaut|abgerissen|rausgeworfen|eingestampft)|"
        r"(?:ist|sind) (?:inzwischen |mittlerweile |jetzt )?(?:hinfällig|überflüssig|obsolet|geschichte|unnötig geworden|vom tisch)|"
        r"(?:macht|läuft|passiert|geht|lädt) (?:das |es |sich )?(?:jetzt |inzwischen |mittlerweile |seit \S+ )(?:\w+ )?(?:von selbst|von allein|automatisch|selbst))\b",
    ),
    "removals: verdict": any_of(
        r"(?:\b(?:ist|sind|war|waren)|:) (?:einfach |doch |ja |totaler |kompletter |alles |völliger |inzwischen )*(?:quatsch|unsinn|blödsinn|falsch|mist|nonsens|überflüssig|sinnlos|nutzlos|unnötig|veraltet|überholt|hinfällig|ein mythos|ein irrtum|zeitverschwendung)\b",
    ),
    "removals: underpinned": any_of(
        r"\b(?:war (?:der|die|das) (?:\w+ ){0,3}?(?:fehler|bug|problem|ursache)|(?:ist|wurde|haben wir) (?:\S+ ){0,4}?(?:behoben|gefixt|repariert)|war nie|waren nie|nie das problem|erst später gemerkt|nicht mehr|kein\w* (?:\w+ )?mehr|vergiss (?:es|das)|aus deinen notizen|kann weg|können weg|von selbst|hat (?:damit )?nichts (?:mit|damit))\b",
    ),
    "removals: lasting": any_of(
        r"\b(?:nicht mehr|kein\w* (?:\w+ )?mehr|jetzt|seit|inzwischen|mittlerweile|von selbst|automatisch|hinfällig|überflüssig|geschichte|abgeschafft|abgeschaltet|stillgelegt|eingestellt|endgültig|für immer|weg)\b",
    ),
    "removals: noted": any_of(r"\b(?:(?:in|nach|laut|aus) meine[nr] notizen|meine[rn]? notiz(?:en)?|notiert|gemerkt|erinnerung|gedächtnis|vermerkt|memory|laut notiz)\b"),
    "removals: elsewhere notes": any_of(
        r"\b(?:release ?notes?|(?:notiz|eintrag|zettel) (?:in|im|am|auf|an) (?:der|dem|die|das|den|unser\w*|meinem|meiner)? ?(?!notiz|memory|gedächtnis)\w+|log-?eintrag|log-?einträge|cache-?eintrag|datenbank-?eintrag|changelog|readme|speicherleck|out of memory|in memory)\b",
    ),
    "removals: passed": any_of(
        r"\b(?:das|es|die|der) (?:ist|sind|war|waren) (?:doch |ja |schon )?(?:alt|veraltet|überholt|hinfällig|geschichte|vorbei|weg|von früher|nicht mehr \w+|noch (?:auf|mit|unter|bei) (?:dem|der) (?:alten|vorigen))\b|\b(?:das |es )?(?:gilt|stimmt|braucht|gibt'?s|gibt es) (?:\S+ ){0,3}?nicht mehr\b|"
        r"\bseit (?:\S+ ){1,4}nicht mehr\b|\bvergiss das\b|\b(?:macht|läuft|passiert|geht) (?:das |es )?(?:jetzt |inzwischen |mittlerweile )?(?:von selbst|von allein|automatisch)\b|\bbrauch(?:en|t|st)? (?:\S+ ){0,4}?nicht mehr\b",
    ),
    "retractions: taken back": (
        spellings(r"\bkein(?:e|en|er|em)? (?P<x>[\w -]{3,60}?) mehr\b"),
        spellings(r"\b(?P<x>[\w -]{3,60}?) (?:bitte )?nicht mehr\b"),
        spellings(r"\bnicht mehr (?P<x>[\w -]{3,60})"),
        spellings(r"\b(?:schluss mit|hör auf mit) (?P<x>[\w -]{3,60})"),
    ),
    "renames: exchanges": tuple(
        spellings(pattern)
        for pattern in (
            rf"\b(?P<a>{_TERM}) (?:heißt|nennt sich) (?:jetzt|nun|ab jetzt|ab sofort|inzwischen|künftig) (?P<b>{_TERM})",
            rf"\b(?P<a>{_TERM}) (?:in|zu) (?P<b>{_TERM}) umbenannt\b",
            rf"\bvon (?:der |dem |den )?(?P<a>{_TERM}) (?:komplett |ganz |endgültig )?(?:auf|zu|nach) (?:die |das |den |der |dem )?(?P<b>{_TERM}) {_MOVED}\b",
            rf"\b{_MOVED} von (?:der |dem )?(?P<a>{_TERM}) (?:auf|zu|nach) (?:die |das |den )?(?P<b>{_TERM})",
            rf"\b(?P<a>{_TERM}) (?:wurde|wird|ist|haben wir) (?:jetzt |inzwischen |komplett )?durch (?:den |die |das )?(?P<b>{_TERM}) (?:ersetzt|abgelöst)\b",
            rf"\bstatt {_ARTICLE}(?P<a>{_TERM}) (?:nehmen|nutzen|verwenden|benutzen|haben|nimm|nutze?|verwende?|gibt es|gibt's|läuft|kommt)?(?: wir| sie| man)? ?(?:jetzt|nun|ab jetzt|ab sofort|künftig|inzwischen|mittlerweile)(?: immer| nur noch)?(?: mit| auf| in)? {_ARTICLE}(?P<b>{_TERM})",
            rf"\b(?:jetzt|nun|ab jetzt|ab sofort|inzwischen|mittlerweile|künftig) (?:(?:mit|auf|in|über|per|nur noch|immer) )*{_ARTICLE}(?P<b>{_TERM}),? (?:statt|anstatt|anstelle von|und nicht mehr|nicht mehr) (?:(?:mit|auf|in|über|per) )?{_ARTICLE}(?P<a>{_TERM})",
            rf"\b(?P<b>{_TERM}) (?:statt|anstatt|anstelle von) {_ARTICLE}(?P<a>{_TERM})",
            rf"\bnicht mehr (?:(?:mit|auf|in|über|per|im|bei) )?{_ARTICLE}(?P<a>{_TERM}),? (?:sondern|jetzt|nun) (?:(?:mit|auf|in|über|per|im|bei|nur noch|jetzt) )*{_ARTICLE}(?P<b>{_TERM})",
        )
    ),
    "renames: renames": any_of(r"\bumbenannt\b|\bheißt (?:jetzt|nun|inzwischen)\b|\bumgezogen von\b"),
    "fillers: held": any_of(
        rf"\b(?P<link>mit|auf|in|über|per|gegen|nach|unter|bei|aus|als|via|im|am) {_ARTICLE}(?P<thing>{_THING})(?=\s*[,.;:()]|\s*$|\s+(?:gebaut|gespeichert|deployt|geschrieben|verwaltet|gehostet|erzeugt|getestet|ausgerollt|verschickt|und|oder|für|im|in|auf|nicht|nie|während|bis|weil|seit|wenn|ohne|vor|nach)\b)"
    ),
    "fillers: given": any_of(
        rf"\b(?:jetzt|nun|ab jetzt|ab sofort|inzwischen|mittlerweile|künftig|neuerdings|nur noch) (?P<link>mit|auf|in|über|per|gegen|nach|unter|bei|aus|als|via|im|am) {_ARTICLE}(?P<thing>{_THING})(?=\s+(?:gebaut|gespeichert|deployt|geschrieben|verwaltet|gehostet|erzeugt|getestet|ausgerollt|verschickt|statt)\b|\s*[,.;:!]|\s*$)"
    ),
    "fillers: changed": any_of(
        rf"\b(?:sind|haben|ist|wurde|wurden) (?:wir |jetzt |inzwischen |mittlerweile |komplett |alles |{_ARTICLE}[\w-]+ ){{0,4}}?auf {_ARTICLE}(?P<thing>{_THING}) (?:umgestellt|gewechselt|umgestiegen|migriert|umgezogen)\b"
    ),
    "fillers: is done": any_of(r"(?!)"),
    "reasons: reason": any_of(
        r"\b(?:weil|denn|sonst|damit|andernfalls|deshalb|deswegen|hatten wir (?:schon|genau|mal)|hat uns|ist uns|verloren|kaputt\w*|abgeraucht|gecrasht|letzte(?:s|n)? (?:mal|woche|monat|jahr)|beschwer\w*|kann man nicht|keiner|niemand|schiefgegangen|das gab)\b"
    ),
    "reasons: alternative": any_of(
        r"^(?:nur|nimm|nutze?|benutze?|verwende?|mach|schreib|lauf|frag|sag|stattdessen|lieber|ein|eine|dafür|dann|die gehören|das gehört)\b"
    ),
    "reasons: prohibits": any_of(r"\b(?:kein\w*|nicht|nie|niemals|ohne|schluss mit)\b"),
    "wording: opening": any_of(
        r"^(?:(?:und|aber|also|dann|btw|übrigens|ok|okay|k|ja|jep|jo|nein|ne|nee|nö|boah|argh|ey|oh|ach|ah|oh nein|hm+|hey|moment(?: mal)?|stopp?(?=\s*[,.:;!–—])|halt(?=\s*[,.:;!–—])|gut|"
        r"sorry|bitte(?=\s*[,:])|nochmal|noch mal|noch was|noch eine sache|andere sache|fürs protokoll|zur info|zur erinnerung|nur zur info|achtung|vorsicht|"
        r"(?:bitte )?merke? dir(?: bitte| mal| das| dauerhaft)*(?:,? dass)?|(?:bitte )?merken sie sich(?: bitte)?(?:,? dass)?|bitte merken|notiere? dir|denke? (?:bitte )?(?:dran|daran)|"
        r"(?:das )?hab(?:e)? ich (?:dir |doch |schon |ja )*gesagt|wie (?:schon |bereits )?gesagt|wie oft[^?]*\?|wie beim letzten mal|ach und)\b[\s,.:;!\-–—]*)+"
    ),
    "wording: topic": any_of(r"^(?:eine?|noch eine?) (?:mail|brief|nachricht|notiz|wort|neuigkeit) (?:zu|zum|zur|über) (?P<topic>[^:]{3,60}): "),
    "wording: source": any_of(r"^(?:neues )?(?:von|vom) [^:]{2,50}?(?:,? heute| gerade)?: "),
    "wording: fillers": any_of(r"(?:,? ?\b(?:bitte|btw|übrigens|danke|thx|merci|mal eben)\b(?= |[,.;!]|$)|[!]+$|\s?👍)"),
    "wording: tail": any_of(r"[,;]? (?:ok|okay|ja|nein|gell|verstanden|oder|alles klar)\?*$"),
    "wording: aside": any_of(r"^\W*(?:wenn|falls|für|bei|beim|von|im|in|am|an|auf|vor|nach|seit|während|sobald|mit|zu|zum|zur)\b"),
    "wording: forbids": any_of(r"^\W*(?:kein\w*|nie|niemals|nicht|niemand|nichts|finger weg)\b"),
    "splits: mixed": any_of(
        r"\b(?:zwei|drei|vier|fünf|sechs|mehrere|viele|verschiedene|lauter|\d+) (?:\w+ ){0,2}?(?:sachen|dinge|themen|fakten|regeln|notizen|punkte) (?:drin\b|in (?:einer|einem|der(?:selben)?)|.{0,20}nichts? miteinander zu tun|.{0,20}nix miteinander zu tun|auf einmal|durcheinander|gemischt)",
        r"\b(?:nichts|nix) miteinander zu tun\b|\bgehör(?:t|en) (?:auseinander|getrennt|aufgeteilt)\b|\b(?:sammelsurium|kraut und rüben|gemischtwarenladen|kramschublade)\b|\b(?:teil|trenn|splitt)e? (?:das|die|es) (?:\w+ ){0,3}?(?:auf|auseinander)\b|\bje(?:de)? eine eigene (?:datei|notiz)\b",
    ),
    "splits: of memory": any_of(r"\b(?:notiz(?:en)?|memory|memories|gedächtnis|erinnerung(?:en)?|deine datei|merkdatei)\b"),
    "splits: collection": any_of(
        r"\b(?:verschiedenes|allerlei|diverses|sonstiges|sammelsurium|dies und das|(?:diverse|verschiedene|mehrere|gemischte|allgemeine) (?:\w+ )?(?:dinge|notizen|fakten|punkte|tipps|regeln))\b"
    ),
    "additions: hanging": any_of(r"^(?:es|das|die|der|dies|diese|sie|er) (?:ist|sind|gehört|gehören|kommt|kommen|muss|müssen|wird|werden|läuft|laufen|steht|liegt)\b"),
}  # fmt: skip
"""What English has beside these (dates far ahead, what is no mistake, who took over) German is not understood in."""
