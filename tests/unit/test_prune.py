"""What a prune takes by itself: copies that are equal but for form. All else that may be one lesson it asks."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memgit.core.prune.recalls import Recalls
from memgit.core.prune.rules import (
    LESSON,
    ORPHAN,
    Terms,
    contradictions,
    copies,
    left_of,
    lessons,
    orphans,
    pool,
    why_no_orphans,
)
from memgit.memory.index_edit import listed
from memgit.memory.memory import memories
from memgit.model.decision import Decision, FactName, Kind, Standing
from memgit.model.history import PassKind
from memgit.model.store import StoreContent, StoreFile
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.rulings.told_twice import likely
from tests.weights import unweighed

NOW = datetime(2026, 6, 30, tzinfo=UTC)
PAIRS = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "prune" / "pairs.jsonl").read_text().splitlines()
]


def memory(name: str, body: str, days: int = 100, type_: str = "project", extra: str = "") -> StoreFile:
    """A memory written ``days`` before now; its description is its first sentence."""
    text = f"---\nname: {name}\ndescription: {json.dumps(body.split('. ')[0])}\ntype: {type_}\n{extra}---\n\n{body}\n"
    return StoreFile(f"{name}.md", text.encode(), mtime_ns=int((NOW - timedelta(days=days)).timestamp() * 1e9))


def store(*files: StoreFile) -> StoreContent:
    return StoreContent({file.path: file for file in sorted(files, key=lambda file: file.path)})


def decided(content: StoreContent, terms: Terms | None = None) -> list[Decision]:
    """The merges that a prune would make or ask about."""
    terms = terms or Terms()
    free = pool(memories(content), terms)
    found = [*copies(free, listed=listed(content))]
    left = left_of(free, found)
    found += lessons(left, ((*pair[:2], chance) for pair, chance in likely(left)), terms)
    with unweighed():
        case = open_case(PassKind.PRUNE, memories(content), ())
        return [each for each in settle(found, content, case) if each.changes]


BODY = "The webhook signature is checked against the raw body. A parsed body has other white space and never matches."


# --- two levels ---


def test_of_copies_the_newest_stays():
    (merge,) = decided(store(memory("old", BODY, 90), memory("new", BODY.replace("webhook", "**webhook**"), 10)))
    assert merge.results == ("new",)
    assert merge.removes == {"old.md"}


@pytest.mark.parametrize(
    "copy",
    ["cap (1)", "cap 3", "cap - Copy", "Copy of cap", "cap.sync-conflict-20260301-080000-ABCDEFG", "backup/cap",
     "cap (Mira's conflicted copy 2026-03-01)", "cap~", "cap.orig"],
)  # fmt: skip
def test_the_original_stays_whatever_is_newer_or_more_cited(copy):
    links = memory("reader", f"Before an import see [[{copy}]].", 5)
    merge, *_ = decided(store(memory("cap", BODY, 90), memory(copy, BODY, 1), links))
    assert merge.results == ("cap",)


def test_of_copies_that_no_name_gives_away_the_listed_one_stays():
    listed, unlisted = memory("retries", BODY, 90), memory("an-import", BODY, 1)
    index = StoreFile("MEMORY.md", b"- [Retries](retries.md)\n")
    (merge,) = decided(store(index, listed, unlisted))
    assert merge.results == ("retries",)


OTHERS = tuple(memory(f"other-{at}", pair["a"], 50) for at, pair in enumerate(PAIRS[60:80]))
"""Memories on other things: how near two are is measured by the words that few of a store share."""


def between(content: StoreContent, terms: Terms) -> list[Decision]:
    """What is asked about two tellings of one lesson."""
    return [each for each in decided(content, terms) if set(each.memories) == {"told-first", "told-again"}]


def test_of_a_lesson_told_twice_the_most_referred_to_stays_then_the_most_recent():
    one, terms = PAIRS[9], Terms(alike=0.05)
    files = (memory("told-first", one["a"], 60), memory("told-again", one["b"], 50), *OTHERS)
    (merge,) = between(store(*files), terms)
    assert merge.results == ("told-again",)
    (merge,) = between(store(*files, memory("release", "Before a release see [[told-first]].")), terms)
    assert merge.results == ("told-first",)


def test_two_tellings_further_apart_than_the_window_are_not_asked_about():
    one = PAIRS[9]
    files = (memory("told-first", one["a"], 300), memory("told-again", one["b"], 5), *OTHERS)
    assert between(store(*files), Terms(alike=0.05)) == []
    assert len(between(store(*files), Terms(alike=0.05, window=365))) == 1


def test_pinned_memories_are_exempt_from_everything():
    pinned = memory("old", BODY, 90, extra="pinned: true\n")
    nested = memory("old", BODY, 90, extra="metadata:\n  pinned: true\n")
    for each in (pinned, nested):
        assert decided(store(each, memory("new", BODY, 10))) == []
    assert decided(store(memory("old", BODY, 90), memory("new", BODY, 10)), Terms(pins=("old",))) == []


# --- what is only asked ---

SIBLINGS = (
    ("The gateway waits 30 minutes for an answer.", "The gateway waits 30 seconds for an answer."),
    ("Uploads are limited to 10 per minute.", "Uploads are limited to 10 per hour."),
    ("A deploy to production takes an hour.", "A deploy to staging takes an hour."),
    ("Always rebase a shared branch before the review.", "Never rebase a shared branch before the review."),
    ("The worker image is built on Python 3.11.", "The worker image is built on Python 3.12."),
    ("The certificate was renewed on 2026-01-10.", "The certificate was renewed on 2026-02-10."),
    ("Ask Mira before the schema is changed.", "Ask Jonas before the schema is changed."),
    ("Run the linter with `--strict`.", "Run the linter with `--lenient`."),
    ("The cache is flushed before the job starts.", "The cache is flushed after the job starts."),
    ("Der Puffer wird nachts geleert.", "Der Puffer wird nachts nicht geleert."),
)


@pytest.mark.parametrize("pair", [*SIBLINGS, *((each["a"], each["b"]) for each in PAIRS)])
def test_what_differs_in_a_word_is_never_taken_for_one_without_a_persons_word(pair):
    one, other = pair
    merges = decided(store(memory("a", one, 20), memory("b", other, 10)), Terms(alike=0))
    assert all(each.asks and each.standing is Standing.HELD for each in merges)


def test_a_question_says_what_is_asked_and_what_would_come_of_a_yes():
    one = PAIRS[9]
    files = (memory("first", one["a"], 60), memory("again", one["b"], 50), *OTHERS)
    asked = next(each for each in decided(store(*files), Terms(alike=0.05)) if set(each.memories) == {"first", "again"})
    assert asked.claim == LESSON
    assert "first" in asked.asks
    assert "again" in asked.asks
    assert one["a"].split(". ")[0] in asked.writes["again.md"].decode()


# --- orphans, contradictions ---


def told(recalls: Recalls, *files: StoreFile, terms: Terms | None = None) -> list[str]:
    content, terms = store(*files), terms or Terms()
    known = memories(content)
    found = orphans(known, pool(known, terms), recalls, terms, NOW, ())
    assert all(one.kind is Kind.DROP and one.claim == ORPHAN for one in found)
    return [name for one in orphans(known, pool(known, terms), recalls, terms, NOW, ()) for name in one.memories]


def seen(**days: int) -> Recalls:
    return Recalls({name: NOW - timedelta(days=n) for name, n in days.items()}, 12, NOW - timedelta(days=60))


def test_a_memory_that_nobody_recalled_and_nothing_links_to_is_an_orphan():
    files = (memory("used", "One."), memory("linked", "Two."), memory("alone", "Three, see [[linked]]."))
    assert told(seen(used=3, alone=40), *files) == ["alone"]


def test_age_alone_makes_no_orphan_and_the_young_have_had_no_chance():
    assert told(seen(old=2), memory("old", "One.", 900), memory("young", "Two.", 5)) == []


def test_a_persons_own_words_and_pinned_memories_are_no_orphans():
    wish, kept = memory("wish", "Short.", type_="feedback"), memory("kept", "K.", extra="pinned: true\n")
    assert told(seen(other=1), wish, kept, memory("other", "O.")) == []


def test_missing_transcripts_are_no_sign_of_no_recall():
    nothing = Recalls({}, 12, NOW - timedelta(days=60))
    assert told(nothing, memory("alone", "Three.")) == []
    assert "no transcript shows a memory being read" in why_no_orphans(nothing, Terms(), NOW)
    recent = Recalls({"other": NOW}, 3, NOW - timedelta(days=4))
    assert told(recent, memory("alone", "Three.")) == []
    assert "do not reach back 30 days" in why_no_orphans(recent, Terms(), NOW)
    assert why_no_orphans(seen(other=1), Terms(), NOW) == ""


def test_an_orphan_goes_only_where_no_memory_leads_to_it():
    files = (memory("alone", "Three."), memory("a", "One."), memory("b", "Two."))
    known = memories(store(*files))
    found = list(orphans(known, known, seen(a=1, b=1), Terms(), NOW, ()))

    def refusals(content: StoreContent, kind: PassKind) -> list[FactName | None]:
        return [each.refused_by for each in settle(found, content, open_case(kind, memories(content), ()))]

    assert refusals(store(*files), PassKind.PRUNE) == [None]
    linked = store(*files, memory("c", "See [[alone]]."))
    assert refusals(linked, PassKind.PRUNE) == [FactName.NO_EVIDENCE]
    assert refusals(store(*files), PassKind.CURATE) == [FactName.NO_EVIDENCE]


def test_contradictions_are_told_with_both_sides_and_days_and_siblings_are_none():
    content = store(
        memory("a", "Use the selector class for a query of the trigger.", 100),
        memory("b", "Never use the selector class for a query of the trigger.", 20),
        memory("c", "The window is 30 minutes in production."),
        memory("d", "The window is 15 minutes in staging."),
    )
    known = {each.id: each for each in memories(content)}
    ((both, told_),) = contradictions(known, [("a", "b", 0.9), ("c", "d", 0.9)])
    assert both == {"a", "b"}
    assert "(a, 2026-03-22) against " in told_
    assert "(b, 2026-06-10): " in told_
