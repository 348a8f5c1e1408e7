"""What makes a German sentence guidance that lasts, and the forms in which facts are given."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

from memgit.miners.offline.additions import Form
from memgit.miners.offline.german.spelling import any_of, german_speech
from memgit.miners.offline.signs import Sign
from memgit.miners.offline.speech import LEAD

_DU = (
    r"nimm|nutze?|benutze?|verwende?|schreibe?|mache?|lass|lege?|packe?|frage?|zeige?|prüfe?|teste?|führe?|halte?|formatiere?|committe?|commit|"
    r"pushe?|merge?|deploye?|rebase|squashe?|benenne?|nenne?|gib|sage?|erkläre?|antworte?|warte?|stelle?|setze?|lösche?|entferne?|ändere?|rufe?|"
    r"starte?|vermeide?|achte?|sorge?|logge?|versioniere?|dokumentiere?|erwähne?|trenne?|sortiere?|runde?|zähle?|übersetze?|füge?|baue?|arbeite?|"
    r"importiere?|kopiere?|speichere?|behandle?|begründe?|ergänze?|fasse?|rühre?|gehe?|bleibe?|öffne?|erstelle?|melde?|liste?|kürze?"
)
_ORDER = rf"(?:(?:{_DU})\b(?! (?:los|weiter|ich|doch|auch|du|mir das (?:mal)?)\b)|\w{{3,}}en sie\b)"
_REPORTED = (
    r"(?!noch\b|wieder\b|fehl\b|schief\b|im leben|mehr\b|weniger\b|öfter|besser|schlechter|schlimmer|größer|langsamer|länger|schneller|gesehen|gehört|gehabt|passiert|verstanden|so\b|dasselbe|"
    r"das gleiche|das selbe|schön\b|ruhig\b|gut\b|rot\b|grün\b|kaputt|da\b|dann\b|etwas\b|einer\b|jemand|auch\b|hin\b)"
)
_OFTEN = r"(?:immer|stets|nie|niemals|nie wieder|grundsätzlich|ausschließlich|auf keinen fall|unter keinen umständen|keinesfalls)"
_DEICTIC = r"(?:es|das|dies|diese[rsmn]?|den|die da|hier|da|dort|ihn|ihm)"
_KINDS = (
    r"antworten|erklärungen|zusammenfassungen|commits|commit[- ]?messages|commit[- ]?nachrichten|pull[- ]?requests|prs|kommentare|pläne|fragen|branches|branchnamen|diffs|"
    r"docstrings|todos|tests|fehlermeldungen|changelog[- ]?einträge|tickets|migrationen|dateinamen|variablennamen|funktionsnamen|texte|logs"
)


def _sign(name: str, points: int, *alternatives: str) -> Sign:
    return Sign(name, points, german_speech(*alternatives))


SIGNS = (
    _sign(
        "it holds from now on", 4,
        r"\b(?:ab (?:jetzt|sofort|heute an|nun)|von (?:jetzt|nun|heute) an|künftig|zukünftig|in zukunft|fortan|fürderhin)\b(?! (?:bin|ist|sind|habe|hab|hat|haben|wird|war)\b)",
    ),
    _sign(
        "it is to be remembered", 4,
        r"\b(?:merke? (?:es )?dir(?: bitte| das| mal| für die zukunft| dauerhaft| fürs nächste mal)*|merken sie (?:es )?sich(?: bitte)?|merkt euch|bitte merken|notiere? dir|notieren sie sich|schreibe? dir (?:das )?(?:hinter die ohren|auf)|behalte? (?:das )?im (?:kopf|hinterkopf)|"
        r"nimm (?:das )?in deine notizen|pack (?:das )?in (?:deine notizen|dein gedächtnis)|vergiss (?:bitte )?nicht,? dass|für die zukunft)\b",
    ),
    _sign("it is to be thought of", 2, r"\bzur erinnerung\b|\b(?:denke? (?:bitte )?(?:dran|daran)|denken sie (?:bitte )?daran)\b(?!,? (?:den|die|das|dem|es|mir|noch)\b)"),
    _sign(
        "it says what something means", 2,
        r"\b(?:heißt bei uns|bedeutet(?: bei uns)?|steht (?:bei uns )?für|(?:ist|sind) (?:so )?(?:gewollt|beabsichtigt|absicht)|mit absicht|absichtlich|zähl(?:t|en) (?:nicht )?als|(?:ist|sind) kein (?:fehler|bug)|ist was anderes als|zwei verschiedene (?:dinge|sachen|paar))\b",
    ),
    _sign(
        "an order for always or never", 3,
        LEAD + rf"{_OFTEN} {_REPORTED}(?!{_DEICTIC} )[\w-]+",
        LEAD + rf"{_ORDER} (?:[\w/-]+ ){{0,5}}?{_OFTEN}\b {_REPORTED}\w+",
    ),
    _sign(
        "always or never", 2,
        rf"^(?!.*\b(?:hab|habe|hast|hat|haben|hatte|hatten|war|waren|ging|lief)\b)[^,]{{3,60}} {_OFTEN}\b,? {_REPORTED}\w+",
        rf"\b(?:wir|du|man|muss|müssen|darf|dürfen|wird|werden|soll|sollen|sollst|gehört|gehören|geht|gehen|kommt|kommen|ist|sind|gilt|gibt(?:s| es)?) (?:\w+ ){{0,3}}?{_OFTEN}\b {_REPORTED}\w+",
        rf", (?:und zwar )?(?:{_OFTEN}|jedes ?mal|ohne ausnahme)[.!]*$",
    ),
    _sign(
        "it is said of all of a kind", 2,
        r"\b(?:grundsätzlich|generell|prinzipiell|ganz allgemein|ausnahmslos|ohne ausnahme|überall)\b(?! (?:ok|okay|gut|in ordnung|richtig|ja|möglich)\b)",
    ),
    _sign("it says what comes first", 1, r"\b(?:erst|zuerst) (?:der|die|das|den|immer) [\w-]+(?: \w+){0,3}, (?:und )?(?:dann|danach) (?:erst )?(?:der|die|das|den)\b"),
    _sign("it is about the next time", 2, r"\b(?:(?:beim |das )?nächste[ns]? ?mal|fürs nächste mal|beim nächsten (?:mal|pr|commit))\b"),
    _sign(
        "it ends a habit", 2,
        r"\b(?:bitte )?(?:nicht|kein\w*) (?:[\w/-]+ ){0,5}?mehr (?:\w{4,}en|zu \w+en)\b[.!]*(?:$|,)",
        r"\b(?:hör(?:e|en sie)? (?:bitte )?(?:auf|endlich auf)|schluss mit|lass (?:bitte )?das \w+en)\b",
        r"\bwir \w+en (?:\w+ ){0,5}?(?:nicht|kein\w*) (?:\w+ )?mehr\b",
    ),
    _sign(
        "it says whose job it is", 3,
        r"\b(?:das |die |den )?(?:[\w-]+ )?(?:mache?|mach|übernehme?|merge?|pushe?|deploye?|release?|veröffentliche?|verschicke?|freigebe?|unterschreibe?|starte) ich (?:immer )?(?:selbst|selber)\b|\bmacht (?:bei uns )?(?:immer )?(?:nur )?(?:der|die) \w+ selbst\b",
        r"\b(?:ist|sind|bleibt) (?:allein )?(?:meine (?:sache|aufgabe|entscheidung)|mein job|nicht deine (?:sache|aufgabe|entscheidung)|nicht dein job|chefsache)\b|\bentscheide ich\b",
        r"\b(?:frage?|fragen sie) (?:mich |bitte |immer |da |hier )*(?:vorher|zuerst|erst)\b|\b(?:vorher|immer erst|zuerst) (?:bitte )?(?:fragen|nachfragen|rückfragen)\b",
        r"\bnicht ohne (?:mich|rückfrage|meine?\w*|absprache|freigabe|zu fragen|nachfrage)\b|\bohne (?:rückfrage|meine? \w+|meine freigabe|nachfrage)\b",
        r"\b(?:finger weg von|(?:fass|rühr)\w* [\w/., -]{3,40} (?:nicht|nie) an\b|lass\w* die finger (?:von|weg)|(?:ist|sind|bleibt) tabu|überlass\w* [\w -]{3,30} mir|nicht anfassen|nicht anrühren|nicht anzufassen)",
    ),
    _sign(
        "it forbids", 1,
        LEAD + r"(?:bitte )?kein(?:e|en|er|em)? (?!ahnung|problem|grund|fehler|sorge|angst|stress|eile|hektik|lust|zeit|frage\b|wunder|änderung|unterschied|ding\b|thema\b|mehr\b|bock|treffer|einträge?\b|daten\b|plan\b|idee\b)[\w`-]{3,}",
        r"\bbitte (?:\w+ ){0,6}?(?:nicht|nie|kein\w*) (?:\w+ ){0,5}?\w{4,}(?:en|ern|eln)\b[.!]*(?:$|,)",
        r"\b(?:darfst|darf|dürfen|sollst|sollen|soll|solltest) (?:\w+ ){0,6}?(?:nicht|nie|niemals|kein\w*|nichts|niemand)\b|\b(?:ich will|ich möchte|wir wollen) (?:\w+ ){0,3}?(?:nicht|nie|kein\w*) (?!das\b|wissen)",
        r"\b(?:ist|sind|bleibt|bleiben) (?:bei uns |hier )?(?:verboten|untersagt|nicht erlaubt|nicht gestattet|unerwünscht|nicht gewünscht|nicht ok(?:ay)?|ein no-?go)\b",
        r"\bniemand (?:\w+ ){0,3}?(?:ändert|pusht|merged|mergt|deployt|fasst|schreibt)\b|\b(?:wird|werden) (?:\w+ ){0,5}?(?:nicht|nie|niemals|nix|nichts|kein\w*) (?:\w+ ){0,4}?(?:ge\w+|\w+iert|ver\w+|be\w+|ent\w+|hinzugefügt|angefasst|angelegt)\b",
        LEAD + rf"{_ORDER} (?:[\w/-]+ ){{0,6}}?(?:nicht|nie|niemals|kein\w*)\b",
        r"\b(?:nie|niemals) (?:in|auf|an|ohne|direkt|mit|im|als|unter|vor|freitags|zu)\b",
    ),
    _sign("it asks politely not to", 1, r"\bbitte (?:\w+ ){0,5}?(?:nicht|nie|niemals|kein\w*) \w+"),
    _sign(
        "it orders", 1,
        LEAD + rf"(?:bitte |nur |dann |und |immer |lieber )*{_ORDER} (?!{_DEICTIC}\b(?! \w+ (?:immer|nie)))\S+",
        r"^(?!.*\b(?:nochmal|noch mal|noch einmal|kurz|schnell)\b)[^,]{3,60}\bbitte (?:immer |nur |stets |erst |zuerst |nur noch |vorher |auch )*(?:[\w/-]+ ){0,5}?\w{3,}(?:en|ern|eln)\b[.!]*(?:$|,)",
        rf"^(?:{_KINDS}) (?:bitte|immer|nur|stets|gehören|kommen|sollen|müssen)\b",
        r"\b(?:ich will|ich möchte|ich brauche|ich erwarte) (?:\w+ ){0,3}?(?:immer|jede[nsr]?|alle|vorher|zuerst|erst) ",
    ),
    _sign(
        "it states how things are done", 1,
        r"\b(?:gehört|gehören|kommt|kommen|muss|müssen|wird|werden|bleibt|bleiben|heißt|heißen|laufen|gelten|gilt|braucht|brauchen|bekommt|bekommen|kriegt|kriegen) (?!ich\b|da\b|du\b)(?:[\w/.-]+ ){0,8}?(?:in|im|auf|unter|nach|mit|ins|zum|ohne|ge\w+t|ge\w+en|\w+iert|ver\w+t|bei|aus|vor|nur|immer|erst)\b",
        r"\b(?:erst|zuerst) [^,]{2,40},? (?:und )?(?:dann|danach)\b|\b(?:nur|erst) (?:wenn|nachdem|mit|nach|über|per)\b|\bvor (?:jedem|jeder|dem|einem|einer) \w+\b|\bbevor (?:du|wir|man|sie)\b|\bes sei denn\b",
        r"\bbei uns (?:wird|werden|ist|sind|gibt|heißt|gilt|läuft|laufen|kommt|kommen|gehen|geht|nie|immer|nur)\b|\bwir (?:nutzen|benutzen|verwenden|schreiben|machen|deployen|releasen|mergen|squashen|rebasen|nennen|speichern|loggen|nehmen|runden|testen|bauen|versionieren|sagen) (?!das\b|es\b|jetzt mal\b)\w+",
        r"\b(?:statt|anstatt|anstelle)\b|, nicht (?!jetzt|mehr|wahr|so|nur|dass)\w+|\bsondern\b",
        r"\b(?:gibt'?s|gibt es|nehmen wir|nutzen wir|verwenden wir|schreiben wir|machen wir) (?:hier |bei uns )?nur\b|\b(?:gibt'?s|gibt es) (?:hier |bei uns )?(?:kein\w*|nicht)\b",
    ),
    _sign("it says what is done in each case of a kind", 2,
        LEAD + r"(?:(?:immer )?wenn|sobald|bevor|ehe|nachdem|jedes ?mal,? wenn|falls) (?:du|sie|ihr|man|jemand|etwas|was\b|ein\w*|wir) (?!fertig|das\b|es\b|gleich|dann\b|willst|magst|durch\b|zeit)[^,]{3,70}, (?:dann |so )?(?:bitte |immer |nie |erst |zuerst )*(?:\w+)\b",
        r"^wer [^,]{4,70}, (?:der )?(?:muss|zählt|macht|legt|schreibt|trägt|fragt|bekommt|darf|nimmt|soll)\b",
    ),
    _sign("it speaks of a whole kind", 1,
        r"\b(?:jede[rsmn]?|sämtliche|alle (?!paar|zwei|drei|beide|da\b|weg)|alles,? (?:was|mit|in|aus|unter|neue)|kein(?:e|en|er|em)? \w{4,}|niemand|wer auch immer|jedes ?mal)\b(?! (?:einzelne mal|tag|nacht|woche|zweite))",
        rf"\b(?:{_KINDS}|passwörter|secrets|zahlen|beträge|geldbeträge|preise|zeiten|spalten|tabellen|releases|dateien|branches|pakete|abhängigkeiten|namen|module|klassen|\w+-module)\b",
    ),
    _sign("it is about the assistant's kind of work", 1, rf"\b(?:{_KINDS})\b(?! (?:sind|waren|ist|laufen|schlagen|liefen) )"),
    _sign("it is not allowed", 2, r"\b(?:verboten|untersagt|nicht erlaubt|nicht gestattet|darf man nicht|dürfen nicht|darfst du nicht|(?:ist|sind) tabu)\b"),
    _sign("it is called decided", 2, r"(?:,|\.| -) (?:punkt|ende|basta|fertig|aus|ende der diskussion|punkt aus)[.!]*$"),
    _sign("it is called a rule", 2,
        r"\b(?:das ist |ist )(?:bei uns |hier )?(?:die |eine |unsere )?(?:regel|konvention|vorgabe|standard|policy|vereinbarung|abmachung|so üblich)\b|\bhausregel|\bfaustregel|\bso (?:machen|handhaben) wir das (?:hier|bei uns|immer)\b|\bgilt (?:für alle|immer|auch|überall|weiterhin)\b|\bbei uns gilt\b",
    ),
    _sign("it allows of no exception", 1, r"\b(?:auch (?:wenn|bei|für|nicht)|egal (?:wie|was|wer|ob|wo)|ohne ausnahme|ausnahmslos|unter keinen umständen|auf keinen fall|nicht mal|nicht einmal)\b"),
    _sign("it asks for more or less of a kind", 1, r"\bbitte (?:\w+ )?(?:kürzer\w*|weniger|mehr|kleinere?|ausführlicher|knapper|kurz)\b|\b(?:bitte )?(?:kurz|knapp) (?:halten|fassen)\b"),
)  # fmt: skip

AGAINST = (
    _sign("it is said of one thing at hand", -2, r"\b(?:in|an|auf|für|mit|von|bei|zu) (?:diese[rsmn]?|dem hier|der hier|das da) (?!repo|projekt|art|fall\b)\w+"),
    _sign("it leaves things as they are", -3, r"\b(?:bleibt|bleiben|lass(?:en)?(?: wir)?) (?:es |das |alles )?(?:so )?wie (?:es|sie|er) (?:ist|sind|war|waren)\b|\bso lassen\b|\blass (?:es |das )?so\b"),
    _sign("it points at what is before the two of them", -2,
        rf"^(?:bitte |und |dann |ok,? )*(?:{_DU}) (?:bitte |doch |dann |mir )*(?:das|es|den|die|ihn|dies|diese[rsmn]?)\b(?! (?:\S+ ){{1,8}}(?:immer|nie|niemals)\b)",
        r"^(?:das|es|dies|die da|der da)(?: hier| da)? (?:ist|sind|war|waren|sieht|passt|geht|läuft|reicht|klingt)\b",
        r"\b(?:hier drüben|da oben|da unten|siehe oben|oben|weiter unten|(?:das|es) passt in (?:die|den|das)|(?:reicht|genügt) hier)\b",
    ),
    _sign("it tells what happened or is happening", -2,
        r"\b(?:hab|habe|hast|hat|haben|habt|hatte|hatten|bin|ist|sind|war|waren|wurde|wurden) (?:[\w/'-]+ ){0,9}?(?:ge\w{2,}(?:t|en)|\w+iert|ver\w{2,}(?:t|en)|\w+ge\w+(?:t|en))\b(?! werden)",
        r"^(?:[^,;:]*?\s)?(?:war|waren|hatte|hatten|lief|liefen|ging|gingen|kam|kamen|wurde|wurden|fand|sah|brach|schlug)\b",
        r"\b(?:gestern|vorhin|eben gerade|gerade eben|letzte (?:nacht|woche)|heute (?:morgen|früh)|bislang|bisher)\b",
        r"\b(?:ich werde|werde ich|ich schau|ich guck|ich mach(?:e)? (?:das|mal|jetzt|gleich))\b(?! selbst| selber)",
    ),
    _sign("it is the next step", -2,
        r"\b(?:und dann (?:zeig|push|merge|commit|sag)|dann push|mach weiter|weiter gehts|als nächstes|nächster schritt|noch (?:eine sache|was|etwas)[:,]|fürs erste|zuerst mal|kannst du|könntest du|kannst (?:es|das|die|den) \w+|können sie|könnten sie|wir brauchen|ich brauche|"
        r"wenn du (?:fertig|durch|soweit) bist|sobald (?:das|es|du|der \w+) (?:durch|fertig|grün|drin|gemergt)|nochmal|noch mal|noch einmal|lass uns|lasst uns|jetzt (?:noch|bitte|die|den|das|alle))\b",
        LEAD + r"(?:ok,? |gut,? )?(?:commit|push|merge|deploy|starte?|fix|revert)\b",
        r"\b(?:pack|schreib|leg|stell|trag|häng|füge?)\w* (?:das|es|den|die) (?:bitte |noch |mal |auch )*",
    ),
)  # fmt: skip

_THINGS = r"(?!es\b|das\b|dies\b|ich\b|wir\b|du\b|sie\b|er\b|da\b|hier\b|was\b|wer\b)(?:[\w'/ -]|\.(?=\w)){3,60}?"
_PLACE = (
    r"(?:forum|wiki|confluence|jira|notion|grafana|sentry|slack|teams|sharepoint|intranet|vault|gitlab|github|redmine|youtrack|figma|miro|linear|trello|kibana|datadog|board|kanal|channel|"
    r"ordner|laufwerk|tabelle|dashboard|kalender|tracker|ticketsystem|\w*kanal|\w*ordner|\w*board|\w*wiki)"
)

FORMS = (
    Form("who the user is", "user", german_speech(
        r"\bich bin (?:eigentlich |gelernter |von haus aus |selbst |nur )*(?:\w+(?:entwickler|entwicklerin|ingenieur|ingenieurin|designer|designerin|wissenschaftler|wissenschaftlerin)|entwickler|entwicklerin|admin|informatiker|informatikerin|physiker|physikerin|farbenblind|neu (?:in|bei|im))\b",
        r"\bich (?:mache|programmiere|schreibe|arbeite) (?:\w+ ){0,3}seit (?:\w+ ){1,2}jahren\b|\bseit (?:\w+ ){1,2}jahren (?:mache|programmiere|schreibe) ich\b",
        r"\bich komme aus der (?:\w+)-?welt\b|\b(?:mit|in) \w+ kenne ich mich (?:gut |nicht |kaum )aus\b",
    )),
    Form("decision", "project", german_speech(
        r"\bwir (?:haben|hatten) (?:uns )?(?:\w+ ){0,6}?(?:entschieden|geeinigt|festgelegt|verständigt)\b(?!,? (?:das|den|die) (?:ticket|issue|pr|branch|termin|meeting|thema)\b)|\bwir haben (?:\w+ ){0,4}?beschlossen\b|\b(?:es ist|das ist|ist jetzt) (?:beschlossen|entschieden|beschlossene sache)\b|\b(?:entscheidung|beschluss): ",
    )),
    Form("where things go", "reference", german_speech(
        LEAD + rf"{_THINGS} (?:steht|stehen|liegt|liegen|findest du|finden sie|findet man|finden sich|kommen|kommt|gehören|gehört|landen|laufen) (?:alle |immer |bei uns )?(?:im|in der|in den|in das|ins|in|auf dem|auf der|auf|unter|bei) (?:\S+ ){{0,2}}?{_PLACE}\b(?=.{{3,}})",
        LEAD + rf"{_THINGS} (?:steht|stehen|liegt|liegen|kommen|kommt|gehören|gehört|landen|laufen) (?:in|im|auf|unter) (?:\w+ )?`?#[a-z][\w-]+",
        r"\bfür (?:\S+ ){1,4}(?:ist|sind) (?-i:[A-Z])\w+ (?:zuständig|verantwortlich)\b|\b(?-i:[A-Z])\w+ ist (?:\w+ )?(?:zuständig|verantwortlich) für\b",
    )),
)  # fmt: skip

AROUND = {
    "signs: objects": any_of(
        r"\b(?:hab(?:e)? ich (?:dir |doch |das |schon |ja )*gesagt|hatte ich (?:dir |doch |schon )*gesagt|wie (?:schon |bereits )?gesagt|hatten wir (?:doch )?schon|das war doch schon|schon wieder|nicht so\b|das (?:ist|war) (?:falsch|murks|quatsch|mist)|ist (?:auch )?(?:wieder )?(?:murks|mist|quatsch)|warum (?:hast|machst|hat|änderst) |"
        r"du hast (?:schon wieder|einfach|ja|mir|den|die|das|da|jetzt)|sie haben (?:einfach|schon wieder)|du sollst doch|wie oft|was soll das|so nicht|das wollte ich nicht|hab ich nicht (?:gewollt|verlangt)|nimm (?:das|den|die) (?:\w+ )?wieder raus|mach (?:das|es) (?:wieder )?rückgängig|das war nicht (?:gefragt|gemeint))\b",
        r"^\W*(?:oh nein|boah|argh|ey|stopp?|halt(?! mal)|moment mal|nein nein)\b|\bnein!|\?\?|!!",
    ),
    "signs: declines": any_of(
        r"^\W*(?:und |aber )?(?:nein|ne|nee|nö|nicht ganz|lieber nicht|falsch|vorsicht|achtung|zu (?:lang|kurz|viel|groß))\b|\baber (?:bitte|nicht)\b|^aber\b|\bstattdessen\b|\blieber\b|\beigentlich\b|\bnächstes mal\b|\bbitte nicht\b|\bmoment\b",
    ),
    "signs: because": any_of(
        r"\b(?:weil|denn|sonst|ansonsten|damit (?!ist|sind|war|hat)|da (?=\w+ \w+ \w+)|andernfalls|deswegen|deshalb|darum)\b|, (?:ich|es|wir|der|die|das|niemand|keiner|so|man|da|danach|dafür|npm|half|alle)\b",
    ),
    "signs: reason beside": any_of(
        r"^(?:der|die|das|es|wir|sonst|niemand|keiner|man|ich will|ich lese|ich brauche|ich kann)\b(?!.*\?)|\b(?:weil|denn|sonst|hat uns|hatten wir|ist uns|verloren|kaputt|abgeraucht|gecrasht|letzte(?:s|n)? (?:mal|woche|monat|jahr)|beschwer\w*|keiner|niemand)\b",
    ),
    "signs: again": any_of(
        r"\b(?:wieder|schon (?:mal|wieder)|hatten wir|wie gesagt|hab(?:e)? ich (?:doch )?(?:schon )?gesagt|letztes mal|wie oft|noch einmal|zum (?:zweiten|dritten|x-ten|hundertsten) mal|wie beim letzten mal)\b"
    ),
    "signs: clauses": any_of(r"(?:, |: |; | [-–—] )(?:und |aber |nur |oder |also |sondern )*|\s(?:aber|sondern) "),
    "signs: did": any_of(
        r"(?:(?m:^)|(?<=[.!?\n] )|(?<=\n))(?:Fertig\W+|Ok\W+|Erledigt\W+)?(?:Ich|Habe|Das|Es|Die|Der|Und) [^.!?\n]*"
    ),
    "signs: decided": any_of(
        r"^(?:das ist|ist|so ist es) (?:jetzt |so )?(?:beschlossen|entschieden|abgemacht|vereinbart|final)\b"
    ),
    "speech: lead words": any_of(
        r"(?:und|aber|also|nein|ne|nee|nö|ok|okay|bitte|ach|ey|boah|moment|halt|stopp?(?=\s*[,.:;!])|wie gesagt|wie immer|nochmal|übrigens|btw|oh|ja|gut|hm+|hey|achtung|vorsicht|generell|grundsätzlich|zur erinnerung|merke? dir(?: bitte)?|bitte merken(?: sie sich)?|ab jetzt|ab sofort|künftig)\b[\s,.:;!–—-]*"
    ),
}
