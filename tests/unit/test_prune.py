"""What a prune may take for one: copies and lessons told twice, never two that differ in a value, side or name."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace

import pytest

from memgit.core.prune import nearly
from memgit.core.prune.nearly import near_groups
from memgit.core.prune.recalls import Recalls
from memgit.core.prune.rules import ORPHAN, Terms, contradictions, left_of, orphans, pool, why_no_orphans
from memgit.flows.prune import compared, copies, lessons
from memgit.memory.index_edit import listed
from memgit.memory.memory import memories
from memgit.model.decision import Decision, FactName, Kind
from memgit.model.history import PassKind
from memgit.model.store import StoreContent, StoreFile
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
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
    shop = SimpleNamespace(progress=SimpleNamespace(step=lambda *_: None))
    free = pool(memories(content), terms)
    found = copies(shop, free, terms, in_index=listed(content))
    taken = [name for one in found for name in one.memories]
    found += lessons(compared(shop, left_of(free, found)), terms, taken)
    with unweighed():
        case = open_case(PassKind.PRUNE, memories(content), ())
        return [each for each in settle(found, content, case) if each.changes]


BODY = "The webhook signature is checked against the raw body. A parsed body has other white space and never matches."


# --- two levels ---


def test_of_copies_the_newest_stays():
    (merge,) = decided(store(memory("old", BODY, 90), memory("new", BODY.replace("The webhook", "A webhook"), 10)))
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


def test_the_survivor_carries_what_only_a_copy_says():
    (merge,) = decided(store(memory("old", f"{BODY} Mira found it.", 90), memory("new", BODY, 10)))
    assert merge.results == ("new",)
    assert "Mira found it." in merge.writes["new.md"].decode()


OTHERS = tuple(memory(f"other-{at}", pair["a"], 50) for at, pair in enumerate(PAIRS[60:80]))
"""Memories on other things: how near two are is measured by the words that few of a store share."""


def test_of_a_lesson_told_twice_the_most_referred_to_stays_then_the_most_recent():
    one, terms = PAIRS[9], Terms(alike=0.6)
    files = (memory("told-first", one["a"], 60), memory("told-again", one["b"], 50), *OTHERS)
    (merge,) = decided(store(*files), terms)
    assert merge.results == ("told-again",)
    (merge,) = decided(store(*files, memory("release", "Before a release see [[told-first]].")), terms)
    assert merge.results == ("told-first",)


def test_two_tellings_further_apart_than_the_window_stay_two():
    one = PAIRS[9]
    files = (memory("told-first", one["a"], 300), memory("told-again", one["b"], 5), *OTHERS)
    assert decided(store(*files), Terms(alike=0.6)) == []
    assert len(decided(store(*files), Terms(alike=0.6, window=365))) == 1


def test_pinned_memories_are_exempt_from_everything():
    pinned = memory("old", BODY, 90, extra="pinned: true\n")
    nested = memory("old", BODY, 90, extra="metadata:\n  pinned: true\n")
    for each in (pinned, nested):
        assert decided(store(each, memory("new", BODY, 10))) == []
    assert decided(store(memory("old", BODY, 90), memory("new", BODY, 10)), Terms(pins=("old",))) == []


# --- what vetoes a merge ---

FRAMES = (
    "Exports for the {name} are kept {value} on the {env} cluster, then the job on {host} removes them.",
    "The {name} waits {value} for an answer from {host} before it gives up in {env}.",
    "A deploy of the {name} to {env} takes {value} and is watched from {host}.",
    "Backups of the {name} run on {host} every {value} while {env} is quiet.",
    "The cache in front of the {name} holds entries for {value} in {env}, filled by {host}.",
)
PLAIN = {"name": "billing queue", "value": "30 minutes", "env": "production", "host": "ops-01"}
SWAPS = (
    ("value", "45 minutes"),
    ("value", "30 seconds"),
    ("value", "30 hours"),
    ("value", "12 minutes"),
    ("env", "staging"),
    ("env", "development"),
    ("host", "ops-02"),
    ("host", "ci-07"),
    ("name", "orders queue"),
    ("name", "search index"),
)
POLAR = ("Always {rule}.", "Never {rule}."), ("You must {rule}.", "You must not {rule}.")
RULES = (
    "rebase a shared branch before the review starts",
    "retry a payment call after a timeout of the gateway",
    "commit the generated client together with the spec",
    "run the migrations by hand while the workers are up",
    "squash the commits of a release branch when merging",
    "deploy on a Friday while the freeze is being announced",
)
VERSIONS = tuple(
    (f"The worker image is built on {thing} {old} and tested with it nightly.", thing, old, new)
    for thing, old, new in (
        ("Python", "3.11", "3.12"), ("Debian", "v12", "v13"), ("Node", "20.1.0", "22.1.0"), ("Go", "1.22", "1.23"),
        ("Postgres", "15.4", "16.2"), ("Redis", "7.0.1", "7.2.4"), ("Ubuntu", "22.04", "24.04"),
        ("Ruby", "3.2.0", "3.3.0"),
    )
)  # fmt: skip
DATES = tuple(f"The certificate of the edge was renewed on {day} and is checked by the watcher." for day in (
    "2026-01-10", "2026-02-10", "2026-03-10", "2026-04-10",
))  # fmt: skip


def siblings() -> list[tuple[str, str]]:
    """Two hundred pairs that differ in one thing only."""
    pairs = [
        (frame.format(**PLAIN), frame.format(**{**PLAIN, what: other}))
        for frame, (what, other) in product(FRAMES, SWAPS)
    ]
    pairs += [(yes.format(rule=rule), no.format(rule=rule)) for (yes, no), rule in product(POLAR, RULES)]
    pairs += [(text, text.replace(old, new)) for text, _, old, new in VERSIONS]
    pairs += pairwise(DATES)
    numbers = [
        tuple(f"{noun} are limited to {count} per {what} by the gateway." for count, what in ((n, unit), (m, other)))
        for noun in ("Uploads", "Logins", "Invitations", "Searches", "Refunds", "Exports", "Webhooks", "Retries")
        for n, unit, m, other in (
            (10, "minute", 20, "minute"), (10, "minute", 10, "hour"), (100, "day", 1000, "day"), (5, "user", 5, "team"),
        )
    ]  # fmt: skip
    people = [
        (f"Ask {one} before the {what} is changed.", f"Ask {other} before the {what} is changed.")
        for what in (
            "schema",
            "price list",
            "login page",
            "retention rule",
            "rate table",
            "mail template",
            "sitemap",
            "search",
        )
        for one, other in (("Mira", "Jonas"), ("Priya", "Tomas"))
    ]
    flags = [
        (f"Run the {tool} with `{one}` in CI.", f"Run the {tool} with `{other}` in CI.")
        for tool in (
            "linter",
            "formatter",
            "packer",
            "type checker",
            "test runner",
            "bundler",
            "indexer",
            "fuzzer",
            "scanner",
            "builder",
        )
        for one, other in (("--strict", "--lenient"), ("--jobs=4", "--jobs=8"), ("src/api", "src/web"))
    ]
    orders = [
        (f"The {what} is flushed before the {then} starts.", f"The {what} is flushed after the {then} starts.")
        for what, then in product(
            ("cache", "queue", "buffer", "log", "index", "pool", "store"),
            ("backup", "report", "audit", "sync", "import", "sweep", "purge"),
        )
    ]
    return list(dict.fromkeys(pairs + numbers + people + flags + orders))[:200]


def test_there_are_two_hundred_pairs_that_differ_in_one_thing():
    assert len(set(siblings())) == 200


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_pairs_that_differ_only_in_a_value_a_side_a_denial_or_a_name_are_never_merged(start):
    for number, (one, other) in enumerate(siblings()[start : start + 20]):
        merges = decided(store(memory(f"a{number}", one, 20), memory(f"b{number}", other, 10)))
        assert merges == [], (one, other)


def test_nor_are_two_sides_of_a_pair_merged_all_in_one_store():
    files = [
        memory(f"p{n}{side}", text, 20)
        for n, pair in enumerate(siblings())
        for side, text in zip("ab", pair, strict=True)
    ]
    texts = {file.path[:-3]: file.data.partition(b"\n\n")[2].decode().strip() for file in files}
    against = {frozenset(pair) for pair in siblings()}
    for merge in decided(store(*files)):
        bodies = {texts[name] for name in merge.memories}
        assert not any(pair <= bodies for pair in against), merge.memories


def test_related_and_contradicting_notes_are_never_merged():
    for pair in (each for each in PAIRS if each["label"] != "same"):
        assert decided(store(memory("a", pair["a"], 20), memory("b", pair["b"], 10))) == [], pair


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


# --- size ---


def test_the_work_grows_with_the_number_of_texts(monkeypatch):
    counted = []
    monkeypatch.setattr(nearly, "nearly_same", lambda *given: counted.append(1) or False)
    figures = []
    for size in (1000, 4000):
        counted.clear()
        near_groups([f"note {n} about service {n % 97} and shard {n % 89} of region {n % 13}" for n in range(size)])
        figures.append(len(counted) / size)
    assert figures[1] < 2 * figures[0] + 2


def test_a_text_copied_a_thousand_times_is_one_group():
    groups = near_groups([BODY] * 1000 + ["Something else altogether is said here."])
    assert [len(group) for group in groups] == [1000]
