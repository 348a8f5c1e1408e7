"""German sessions: what is laid down, corrected and taken back in them, and what of their talk is none of it."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgit.core.decisions.settle import settle
from memgit.miners.offline.german import TONGUE
from memgit.miners.offline.tongues import KNOWN
from memgit.model.decision import Kind, Proposal
from memgit.model.session import Digest
from memgit.model.store import Memory, StoreContent, StoreFile
from tests.unit.offline_world import changes, mined, session, store

GERMAN: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data/offline/german.yaml").read_text("utf-8"))
OPENING = "schau dir das bitte mal an, der export ist kaputt und ich weiß nicht warum"


def _typed_plainly(text: str) -> str:
    for letter, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("Ü", "Ue"), ("Ä", "Ae")):
        text = text.replace(letter, two)
    return text


def _either(text: str) -> str:
    return text if _typed_plainly(text) == text else f"{text}|{_typed_plainly(text)}"


def _let_pass(memories: tuple[Memory, ...], talk: Digest) -> list[Proposal]:
    """The changes that are proposed, each of which the guards of every pass let through."""
    proposed = changes(memories, talk)
    files = {one.path: StoreFile(one.path, one.data, mtime_ns=one.mtime_ns) for one in memories}
    decided = settle(proposed, StoreContent(files), [talk])
    assert [one.kind for one in proposed] == [one.kind for one in decided if one.changes]
    return proposed


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", GERMAN["said"], ids=lambda case: case[1][:50])
def test_what_is_laid_down_in_german_is_added_once(case: tuple[str, str, str, list[str]], typed: Any) -> None:
    before, said, kind, patterns = case
    (change,) = _let_pass(store(), session(OPENING, f"A: {before}", typed(said)))
    text = f"{change.drafts[0].description}\n{change.drafts[0].body}"
    assert (change.kind, change.drafts[0].type) == (Kind.ADD, kind)
    assert [each for each in patterns if not re.search(_either(each), text, re.IGNORECASE)] == []


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", GERMAN["left"], ids=lambda case: case[1][:50])
def test_german_talk_of_the_day_adds_nothing(case: tuple[str, str], typed: Any) -> None:
    before, said = case
    assert changes(store(), session(OPENING, f"A: {before}", typed(said))) == []


HELD = store(
    backup=(
        "Backups laufen dienstags um 3 Uhr",
        "Das Backup der Datenbank läuft dienstags um 03:00 und dauert höchstens 40 Minuten.\n\n**Why:** da ist wenig los.",
    ),
    log_retention=("Audit-Logs werden 90 Tage aufbewahrt", "Audit-Logs bleiben 90 Tage liegen, dann sind sie weg."),
    pakete=("Pakete werden mit yarn installiert", "Abhängigkeiten werden in diesem Repo mit yarn installiert."),
    cache_warm=(
        "Vor jedem Deploy den Cache aufwärmen",
        "Vor jedem Deploy muss der Cache mit `make warm` aufgewärmt werden, sonst laufen Anfragen in einen Timeout.",
    ),
    deploy_kanal=(
        "Deploys werden im Kanal deploy-info angekündigt",
        "Jeder Deploy wird im Kanal deploy-info angekündigt.",
    ),
    timeout=("Der HTTP-Timeout ist 30 Sekunden", "Der Timeout für HTTP-Anfragen steht auf 30 Sekunden."),
    changelog=("Changelog von Hand pflegen", "Jede Änderung wird von Hand in die CHANGELOG.md geschrieben."),
)
DONE = "A: Fertig, ist erledigt."
CITED = "A: Nach meinen Notizen muss vor jedem Deploy der Cache mit `make warm` aufgewärmt werden, sonst laufen Anfragen in einen Timeout."
REPLACED = [
    (
        "log-retention",
        "die audit-logs werden ab jetzt 180 tage aufbewahrt, das hat die revision so festgelegt",
        "180 Tage",
    ),
    ("backup", "Das Backup läuft jetzt mittwochs um 4 Uhr.", "mittwochs um 4 Uhr"),
    ("backup", "das backup der datenbank läuft inzwischen um halb 5", "dienstags um 4:30 Uhr"),
    ("timeout", "der http-timeout steht jetzt auf 45 sekunden", "45 Sekunden"),
    ("pakete", "wir installieren pakete jetzt mit pnpm statt yarn", "mit pnpm"),
    ("pakete", "statt yarn nehmen wir jetzt pnpm für die pakete in diesem repo", "mit pnpm"),
    ("pakete", "pakete: wir sind von yarn auf pnpm umgestiegen", "mit pnpm"),
    ("deploy-kanal", "der kanal deploy-info heißt jetzt release-info, deploys kommen da rein", "Kanal release-info"),
    (
        "changelog",
        "das changelog wird nicht mehr von hand gepflegt, das macht jetzt release-please",
        "nicht mehr von hand",
    ),
]
DROPPED = [
    (DONE, "den cache müssen wir vor dem deploy nicht mehr aufwärmen, das macht der server jetzt von selbst"),
    (CITED, "das gilt nicht mehr, den cache gibts seit märz nicht mehr. die notiz kann weg"),
    (DONE, "die notiz mit dem cache aufwärmen vor dem deploy ist veraltet, bitte löschen"),
]
UNCHANGED = [
    "die audit-logs sollten vielleicht 180 tage aufbewahrt werden",
    "werden die audit-logs jetzt 180 tage aufbewahrt?",
    "für diesen lauf bitte den http-timeout auf 60 sekunden setzen",
    "stell den http-timeout mal kurz auf 60 sekunden",
    "auf staging steht der http-timeout jetzt auf 60 sekunden",
    "das backup hat heute nacht 55 minuten gedauert",
    "das backup dauert gerade 55 minuten, warum auch immer",
    "im anderen repo installieren wir pakete jetzt mit pnpm statt yarn",
    "der kollege meint, wir sollen pakete jetzt mit pnpm statt yarn installieren",
    "vielleicht stellen wir von yarn auf pnpm um",
    "wir wollten pakete mit pnpm statt yarn installieren, haben es aber gelassen",
    "ist die notiz mit dem cache noch aktuell?",
    "der cache muss heute nicht aufgewärmt werden",
    "der cache muss vor dem deploy noch aufgewärmt werden",
    "der test läuft jetzt 45 sekunden",
    "backup ist jetzt fertig, hat 45 minuten gedauert",
    "auf meinem laptop läuft das backup jetzt freitags um 5 uhr",
    "der http-timeout beim kunden steht jetzt auf 60 sekunden",
    "die audit-logs von welt 4 werden jetzt 10 tage aufbewahrt",
    "der datenbank-timeout ist jetzt 10 sekunden",
    "das backup von gestern lief um 5 uhr statt um 3 uhr, komisch",
    "nimm statt yarn mal npm und schau ob der fehler weg ist",
    "pnpm statt yarn wäre schneller, aber das lassen wir",
    "der eintrag im changelog ist falsch, bitte löschen",
    "den cache brauche ich gerade nicht mehr",
    "http-timeout auf 45 sekunden ab jetzt. ach nein, vergiss das, bleibt bei 30",
]  # fmt: skip


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", REPLACED, ids=lambda case: case[1][:50])
def test_what_is_otherwise_now_is_replaced_in_german(case: tuple[str, str, str], typed: Any) -> None:
    name, said, now = case
    (change,) = _let_pass(HELD, session(OPENING, DONE, typed(said)))
    assert (change.kind, change.memories) == (Kind.REPLACE, (name,))
    assert re.search(now, change.drafts[0].description, re.IGNORECASE)


def test_a_new_day_and_time_are_written_as_the_old_ones_were() -> None:
    (change,) = changes(HELD, session(OPENING, DONE, "das backup läuft jetzt mittwochs um halb 5"))
    assert change.drafts[0].description == "Backups laufen mittwochs um 4:30 Uhr"
    assert change.drafts[0].body.startswith("Das Backup der Datenbank läuft mittwochs um 04:30 und dauert")


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("case", DROPPED, ids=lambda case: case[1][:50])
def test_what_is_called_over_is_dropped_in_german(case: tuple[str, str], typed: Any) -> None:
    (change,) = _let_pass(HELD, session(OPENING, case[0], typed(case[1])))
    assert (change.kind, change.memories) == (Kind.DROP, ("cache-warm",))


@pytest.mark.parametrize("typed", [str, _typed_plainly], ids=["umlauts", "plain"])
@pytest.mark.parametrize("said", UNCHANGED, ids=lambda said: said[:50])
def test_german_talk_of_a_memorys_thing_changes_nothing(said: str, typed: Any) -> None:
    assert changes(HELD, session(OPENING, DONE, typed(said))) == []


FOREIGN = [
    "wil je alsjeblieft vanaf nu altijd de tests draaien voordat je commit, en nooit direct naar main pushen",
    "fra nu af skal du altid køre testene før du pusher, og aldrig direkte til main, det er en regel her",
    "från och med nu ska du alltid köra testerna innan du pushar, aldrig direkt till main, det är regeln",
    "vu elo un ëmmer d'tester lafen loossen ier s du pushs, an ni direkt op main, dat ass d'reegel hei",
    "vanaf nu is die timeout altijd 45 seconden, dit geldt voor alle services en niet alleen voor deze",
]


@pytest.mark.parametrize("said", FOREIGN, ids=lambda said: said[:30])
def test_languages_that_look_like_german_are_left_alone_and_named(said: str) -> None:
    talk = session(said, "A: ok", said)
    assert changes(HELD, talk) == []
    assert [notice.why for notice in mined(HELD, talk)[0].notices] == [
        "no rules for this language: only a model can mine this session"
    ]


def test_a_german_sentence_in_an_english_session_is_read_by_its_own_rules() -> None:
    talk = session(
        "please look at the export, it is broken",
        DONE,
        "ab jetzt steht der http-timeout auf 45 sekunden, das gilt überall",
    )
    (change,) = changes(HELD, talk)
    assert (change.kind, change.memories) == (Kind.REPLACE, ("timeout",))


def test_english_is_read_by_english_rules_beside_german_sentences() -> None:
    said = "das sieht gut aus, danke.\n\nnever wrap payment calls in a retry, we charged people twice once"
    (change,) = changes(HELD, session(OPENING, DONE, said))
    assert change.drafts[0].body == "Never wrap payment calls in a retry, we charged people twice once."


GUARDING = ("it ", "guards: ", "facts: ")
"""What begins the names of patterns that keep something from being done: without them too much would be."""


def test_german_has_every_guard_and_no_pattern_that_nobody_asks_for() -> None:
    assert {name for name in KNOWN if name.startswith(GUARDING) and name not in TONGUE.patterns} == set()
    assert set(TONGUE.patterns) - set(KNOWN) == set()


@pytest.mark.parametrize(
    "text", ["ja " * 160, "nie " * 120, "die notiz " * 48, "wenn du " * 60, "ab jetzt immer " * 33, "a-" * 240]
)
def test_a_long_line_of_one_german_word_is_read_without_going_back_and_forth(text: str) -> None:
    assert changes(HELD, session(OPENING, DONE, text.strip())) == []


TICKS = store(
    tickrate=(
        "Die Simulation läuft mit 30 Ticks pro Sekunde",
        "Der Server rechnet 30 Ticks pro Sekunde. Ein Tick hat also 33 ms.\n\n**How to apply:** alles an den 33 ms messen.",
    )
)


def test_what_follows_from_a_number_a_second_goes_with_it() -> None:
    said = "es ruckelt keinem mehr. wir gehen auf 20 ticks, und das bleibt jetzt so"
    (change,) = changes(TICKS, session(OPENING, "A: `TickRate` ist 20, ein Tick hat damit 50 ms.", said))
    assert change.drafts[0].body == (
        "Der Server rechnet 20 Ticks pro Sekunde. Ein Tick hat also 50 ms.\n\n**How to apply:** alles an den 50 ms messen."
    )


@pytest.mark.parametrize(
    "said",
    [
        "wir gehen erstmal auf 20 ticks runter, bis wir wissen wie es läuft",
        "lass uns mal 20 ticks probieren",
        "der test hat nach 20 ticks abgebrochen, und das bleibt jetzt so stehen",
        "welt 4 läuft jetzt mit 20 ticks",
    ],
)
def test_a_number_tried_for_a_while_replaces_nothing(said: str) -> None:
    assert changes(TICKS, session(OPENING, DONE, said)) == []


def test_both_ends_of_a_span_are_replaced() -> None:
    window = store(
        wartung=("Wartung ist dienstags um 4 Uhr", "Das Wartungsfenster ist Dienstag, 04:00 bis 04:30, in jeder Welt.")
    )
    said = "übrigens, wartung ist jetzt mittwochs um 6, bis halb 7. das gab jede woche ärger"
    (change,) = _let_pass(window, session(OPENING, DONE, said))
    assert change.drafts[0].description == "Wartung ist mittwochs um 6 Uhr"
    assert change.drafts[0].body == "Das Wartungsfenster ist Mittwoch, 06:00 bis 06:30, in jeder Welt."


def test_one_end_of_a_span_that_would_turn_it_round_is_left_and_named() -> None:
    window = store(
        wartung=("Wartung ist dienstags um 4 Uhr", "Das Wartungsfenster ist Dienstag, 04:00 bis 04:30, in jeder Welt.")
    )
    talk = session(OPENING, DONE, "wartung ist jetzt mittwochs um 6")
    assert changes(window, talk) == []
    assert [notice.why for notice in mined(window, talk)[0].notices] == [
        "it gives one end of a span that wartung gives both of"
    ]
