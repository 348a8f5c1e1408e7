"""What keeps a German statement from being a lasting one, and what takes one back."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from memgit.miners.offline.german.spelling import any_of

_START = r"^(?:(?:und|aber|also|ok|okay|hm+|ach|nein|ne|nee|nö|ja|moment|übrigens|sag mal|btw|so),? )*"
_WHO = r"(?:ich|du|sie|er|es|wir|ihr|man|das|der|die|dein\w*|mein\w*|unser\w*|ein\w*|dies\w*|jemand|hier|da|denn)"
_SCOPE = (
    r"pr|mr|pull[- ]?request|merge[- ]?request|release|branch|commit|ticket|lauf|woche|wochenende|sprint|session|sitzung|demo|deploy(?:ment)?|"
    r"hotfix|patch|runde|build|test|issue|aufgabe|datei|änderung|fall|migration|termin|vortrag|mal|abend|tag|monat|versuch|messung"
)

GUARDS = {
    "it is a question": any_of(
        r"\?[\"')\s]*$",
        _START + r"(?:was|welche[rsnm]?|warum|wieso|weshalb|wie|wo|woher|wohin|wann|wer|wem|wen|wessen|woran|wozu|womit|wofür|inwiefern)\b(?! gesagt| immer| auch immer| besprochen| gehabt| ich (?:schon )?sagte)(?![^,]*, (?:der|die|das|muss|soll|bekommt|darf|fragt|schreibt|nimmt|zählt|macht|legt))",
        _START + rf"(?:ist|sind|war|waren|hat|haben|habt|hast|hab|wird|werden|kann|kannst|können|könnt|könnte|könnten|könntest|soll|sollen|sollte|sollten|sollst|darf|dürfen|muss|müssen|müsste|will|willst|wollen|wäre|würde|würdest|gibt|geht|weißt|machst|mögen) {_WHO}\b(?!.*(?:, (?:immer|nie)\b|\b(?:ab (?:jetzt|sofort)|künftig|nicht mehr)\b))",
        r"\b(?:frage mich|frag mich,? ob|keine ahnung|nicht sicher,?|unsicher ob|weiß nicht,? (?:ob|wie|was|wer|wo)|weißt du|wüsste gern|könntest du (?:prüfen|schauen|erklären|nachsehen)|gibts (?:da|hier|irgend)\w*)\b",
    ),
    "it is hypothetical": any_of(
        r"\b(?:was wäre|was wenn|angenommen|nehmen wir an|stell(?:en sie sich)? (?:dir )?(?:mal )?vor|theoretisch|hypothetisch|rein theoretisch|in der theorie|irgendwann|eines tages|gedankenspiel|mal angenommen)\b",
        r"\b(?:würde[nst]?|würdest|könnten?|könntest|müssten?|wären?|hätten?|dürften?|vielleicht|evtl|eventuell|möglicherweise|vermutlich|wahrscheinlich|womöglich|wohl|denke ich|denk ich|glaub(?:e)? ich|glaub(?:e)?,|ich glaub(?:e)?|ich denke|ich schätze|schätze ich|nehme an|ich vermute|scheinbar|anscheinend|angeblich)\b",
        r"\b(?:mal sehen|mal schauen|schauen wir mal|schaun wir mal|mal gucken|überlegen?(?! immer)|überlege[nt]?|überlegung|diskutieren|diskutiert|besprechen|in diskussion|idee wäre|nur (?:so |mal )?(?:'?ne|eine) idee|nur ein gedanke|laut gedacht|idee:|vorschlag|am liebsten würde|spiele? mit dem gedanken|lass(?:t)? uns (?:mal )?(?:probieren|versuchen|schauen|gucken|sehen|testen|überlegen|ausprobieren)|ausprobieren|probier(?:e|en)?(?: wir)?(?: das| es)? mal|zum test|testweise|probeweise|versuchsweise)\b",
        r"\b(?:sollten wir|sollen wir|wollen wir|wollten|wollte|hatten vor|war(?:en)? geplant|geplant war|wir sollten(?! (?:immer|nie)))\b",
        r"\bfalls\b.{0,40}\b(?:mal|jemals|je)\b|\bwenn wir (?:mal|je|irgendwann|zeit|dazu kommen|groß)\b|\bwenn .{0,30}\b(?:jemals|irgendwann)\b",
        r"\b(?:noch nichts?|nicht|noch nicht|noch nie) (?:\w+ )?(?:entschieden|beschlossen|abgestimmt|geklärt|final|offiziell|fix|fest)\b|\b(?:noch offen|offen,? ob|steht noch nicht fest|unentschieden|wieder verworfen|verworfen|doch nicht|daraus wurde nichts|wurde nichts draus|nichts geworden)\b",
    ),
    "it is meant for one occasion": any_of(
        rf"\b(?:für|in|bei|mit|an|auf|zu|während) (?:nur )?(?:diese[rsnm]?|den nächsten|die nächste|das nächste|den aktuellen|die aktuelle|das eine|die eine|den einen|heutigen|jetzigen) (?:\w+ )?(?:{_SCOPE})\b",
        rf"(?<!seit )(?<!ab )\bdiese[nsmr]? (?:eine[nrms]? )?(?:{_SCOPE})\b",
        r"\b(?:dieses mal|diesmal|dies(?:es)? eine mal|ausnahmsweise|als ausnahme|einmalig|nur einmal|nur kurz|heute nur|nur heute|für heute|für jetzt|für den moment|im moment|momentan|zurzeit|zur zeit|derzeit|vorerst|vorläufig|fürs erste|erst ?mal|erst einmal|vorübergehend|zwischenzeitlich|temporär|einstweilen|solange ich|solange wir|in der zwischenzeit|auf die schnelle|übergangsweise|provisorisch)\b",
        r"\bjetzt (?:mal|gleich|schnell|kurz|eben|noch|nochmal|bitte (?:mal|noch))\b|\b(?:mach|mache|machen sie|nimm|lass) (?:du )?(?:das|es|die|den|hier) (?:jetzt )?(?:mal|kurz|schnell)\b",
        r"\b(?:schau|guck|lies|sieh|prüf|check|vergleich)\w* (?:da |das |dir |es |sie |hier |bitte )*(?:mal|kurz|nachher|gleich)\b|\bnachher\b|\bbrauche? (?:ich )?(?:es|ihn|sie|das|die|den) (?:gleich|später|noch)\b",
        r"(?<!seit )(?<!von )(?<!ab )\b(?:heute|heut|morgen (?:früh|abend|nachmittag|vormittag|noch|um|bitte|ist|geht|kommt)|bis morgen|heute (?:abend|nacht|früh|nachmittag))\b(?! an\b)",
        r"\bbis (?:heute|morgen|übermorgen|später|dahin|gleich|(?:nächste|kommende)[nrms]? \w+|ich|wir|er|sie|zum (?:wochenende|release|termin|ende|abend)|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?! \d)(?! um))\b",
        r"\b(?:nur|bloß) (?:für|in|bei|zum|um zu|dieses|diesen|diese) (?!die (?:\w+er|\w+en)\b|uns\b|dich\b|mich\b|den internen|lokale)\w+",
        r"\b(?:mach|stell|setz|nimm|dreh)(?:e|st|t|en)? (?:es|das|den|die) (?:danach |nachher |dann )?(?:wieder )?zurück\b",
        r", (?:bau|mach|nimm|setz|stell|pack|änder|trag|leg)e? (?:das|die|den|es|sie|ihn|dann) (?:\w+ ){0,3}?(?:ein|um|rein|raus|drauf|aus|an|so)\b[.!]*$",
        r"\bam (?:\w+tag|wochenende) (?:nur|ausnahmsweise)\b|\bübers wochenende\b|\bfürs wochenende\b",
        r"\bfür (?:v|version |release )?\d+\.\d+(?:\.\d+)?\b",
    ),
    "it gives somebody else's words": any_of(
        r"\b(?:er|sie|jemand|alle|leute|chef(?:in)?|boss|kolleg(?:e|in|en)|kunde|kunden|kundin|support|marketing|vertrieb|produkt|team|vorstand|agentur|doku|readme|wiki|artikel|blog|buch|handbuch|mail|forum|betriebsrat|datenschutz|\w+team|\w+abteilung)"
        r"(?: \w+){0,4}? (?:sagt|sagte|sagten|sagen|meint|meinte|meinten|meinen|schreibt|schrieb|schrieben|behauptet|behauptete|findet|fand|fragt|fragte|will|wollte|möchte|empfiehlt|empfahl|schlägt|schlug|hätte gern|wünscht|fordert|forderte)\b",
        r"\b(?:hat|haben) (?:\w+ ){0,4}(?:gesagt|gemeint|behauptet|geschrieben|vorgeschlagen|empfohlen|erzählt|gefragt)\b(?<!ich gesagt)",
        r"\b(?-i:[A-Z]\w+) (?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet|findet|empfiehlt|schlägt vor|fragt|fragte)\b",
        r"\b(?:laut|zufolge|angeblich|gerüchteweise|gerücht|hab(?:e)? gehört|habe? gelesen|hab(?:e)? irgendwo|gelesen,? dass|gehört,? dass|man sagt|es heißt,? dass|heißt es immer|sagt man|heißt es\b(?! bei uns)|zitat|sinngemäß|ich zitiere|o-ton)\b",
    ),
    "it is not meant seriously": any_of(
        r"(?:^|\W)(?:(?:na |ja )?klar,? (?:der|die|das|und|ab|wir|warum|super|jetzt)|ja klar|na klar|aber sicher doch|natürlich,? (?:und|warum nicht|was sonst)|(?:super|tolle|geniale|brillante|klasse|prima|großartige) idee|genial|na super|na toll|na prima|ganz toll|bravo|herrlich|was (?:soll|kann) (?:da )?(?:schon |schiefgehen)|was soll schon|"
        r"als ob|haha+|hihi|lol|rofl|lmao|scherz|spaß beiseite|war (?:nur )?(?:ein )?(?:witz|spaß|scherz)|nur spaß|kleiner scherz|zur erheiterung|/s|ironie|ironisch|machen wir sofort|und nachts ist es)(?:\W|$)",
        r"🙄|😏|😂|🤣|🙃|😜|;-?\)|:-?\)|:-?D\b|xD\b",
    ),
    "it is about another project": any_of(
        r"\b(?:auf (?:der )?arbeit|in der arbeit|bei meinem (?:alten|letzten|vorigen|anderen) (?:job|arbeitgeber)|im (?:alten|letzten|vorigen|anderen) (?:job|betrieb|büro))\b",
        r"\b(?:im|in dem|in der|in einem|in einer|beim|bei dem|bei der|am|vom|von dem|von der|für das|für den|aus dem|drüben im|drüben in|drüben beim) (?:\w+ )?(?:alten|anderen|vorigen|letzten|früheren|zweiten|privaten|fremden|deren) (?:[\w-]+[- ])?(?:repo(?:sitory)?s?|projekts?|team|service|codebase|codebasis|firma|job|app|produkt|kunden|shop|abteilung)\b",
        r"\b(?:drüben (?:im|in|bei|beim|auf)|deren (?:baustelle|repo|code|problem|sache)|nicht unser(?:e|er|es|s)?\b|nicht (?:hier )?bei uns|woanders|anderswo|anderes (?:projekt|repo|team|thema)|andere(?:s|n|r)? (?:firma|baustelle|welt)|mein (?:privat|hobby|neben)projekt|privat(?:es)? projekt|(?:letzter|alter|voriger) (?:job|arbeitgeber)|bei den anderen|die anderen machen|das andere (?:team|repo|projekt)|mein kumpel)\b",
        r"\bauf (?:meinem|deinem|seinem|ihrem) (?:\w+ )?(?:laptop|rechner|pc|mac|notebook)\b|\bbei mir lokal\b|\bbeim kunden\b|\b(?:von|auf|in|bei|für) (?:welt|server|host|knoten|shard|mandant|kunde|instanz|cluster|rack) \d+\b",
        r"\b(?:im|in|vom|beim) [\w-]+ (?:repo|projekt) (?:drüben|nebenan|von denen)\b",
    ),
    "it tells of the past": any_of(
        r"^(?!.*\b(?:jetzt|nicht mehr|inzwischen|mittlerweile|heutzutage|ab sofort|nun)\b).*\b(?:früher|damals|seinerzeit|einst|zuvor|bisher(?! nicht)|ehemals|vormals|(?:letztes|voriges) jahr)\b",
    ),
    "guards: disowned": any_of(
        r"\b(?:gilt|betrifft|trifft) (?:aber )?(?:nicht (?:für )?uns|uns nicht|auf uns nicht)\b|\bgeht uns nichts an\b|\bist nicht unser(?:e|er|es)?\b|\bderen baustelle\b|\bhat mit uns nichts zu tun\b",
    ),
    "guards: takes that back": any_of(
        _START + r"(?:vergiss (?:es|das)(?: wieder)?|vergessen sie das|ignorier(?:e|en sie)? (?:das|meine)|mach(?:e|en sie)? das rückgängig|kommando zurück|zurück(?:,|\.|!|$)|ich lag falsch|mein fehler|sorry,? (?:falsch|war falsch|doch nicht)|stimmt nicht,? was ich|quatsch,? (?:doch|nein)|doch nicht|lass(?:en)? (?:es|das)(?: doch)?(?: lieber)?(?: sein)?[.!]*$)",
        r"\b(?:streich(?:e)? das|vergiss,? was ich|nehme? (?:das|es|alles) zurück|hab(?:e)? (?:es )?mir (?:es )?anders überlegt|anders überlegt|meinung geändert|(?:bei|nach) (?:näherem|genauerem) (?:überlegen|nachdenken)|hat sich erledigt|haben wir verworfen|wieder verworfen|war unsinn von mir)\b",
    ),
    "guards: puts back": any_of(
        r"\b(?:(?:stell|setz|nimm|dreh|bau|mach)\w* (?:\w+ ){1,3}zurück|wieder (?:auf|wie) (?:vorher|früher|zuvor|alt|normal|wie)|wie's war|wie es war|wie(?:der)? vorher|nimm (?:das|es|den|die) (?:\w+ )?wieder raus|mach (?:das|es) (?:wieder )?rückgängig|das war nur für)\b",
    ),
    "guards: tag": any_of(r",? (?:oder|ne|gell|nicht wahr|weißt du|siehst du|verstanden|okay?|ja)\?+$"),
    "guards: offer": any_of(
        r"\b(?:soll ich|möchtest du|möchten sie|willst du|wollen sie|ich könnte|ich kann\b|könnte auch|könnten wir|wir könnten|man könnte|ich würde|würde ich|wäre|vorschlag|schlage vor|empfehle|empfehlung|wie wäre es|alternativ|eine (?:andere )?möglichkeit|option|sinnvoll|gibt es|wenn du willst|wenn du möchtest|wenn sie möchten)\b",
    ),
    "guards: turns down": any_of(
        r"^(?:(?:und|aber|also|lol|ok|okay|bitte|nö|ne|nee|nein)\b[\s,.:;!–—-]*)*kein(?:e|en|er|em|es)? (?P<what>[\w'-]+(?: [\w'-]+){0,2})",
    ),
    "guards: beyond": any_of(
        r"\b(?:immer|nie|niemals|jemals|mehr|ab jetzt|ab sofort|künftig|grundsätzlich|generell|wieder|schon gesagt|gesagt|letztes mal|nächstes mal|wie beim|regel|prinzipiell|bei uns)\b",
    ),
}  # fmt: skip
