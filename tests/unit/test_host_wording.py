"""How a careful host words what it decides: each liberty that it may take, and the near miss that it may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.core.text.clock import is_told
from memgit.core.text.tongue import tongue
from memgit.model.decision import Draft, Kind, Proposal, Seen
from memgit.model.session import Digest, Role
from tests.unit.test_settle import ADD, ADDED, MERGE, REPLACE, WINDOW, digest, file, one, refusal, said, store

PR = "From now on open one bundled PR per ticket, I review them in one go."


def both(user: str, assistant: str) -> Digest:
    """A conversation of two: what the assistant said, and the user's answer."""
    first, second = digest(assistant, role=Role.ASSISTANT).messages[0], digest("hi", user).messages[1]
    return Digest(1, (first, second))


def adding(body: str) -> Proposal:
    return replace(ADD, drafts=(replace(ADDED, body=body),))


def replacing(
    name: str, body: str, quote: str, description: str = "anew", leaves_out: tuple[str, ...] = ()
) -> Proposal:
    draft = Draft(name, description, "project", body, name)
    return Proposal(Kind.REPLACE, "newer", (said(quote),), (name,), (draft,), leaves_out=leaves_out)


# --- an addition in the host's own words


def test_what_a_rule_means_for_later_work_is_told_in_own_words() -> None:
    told = adding("Open one bundled PR per ticket.\n\n**How to apply:** collect small fixes before pushing anything.")
    assert one(told, digests=digest(PR)).kind is Kind.ADD


def test_what_only_the_assistant_said_is_not_taken_along() -> None:
    theirs = "Reviewers squash the commits and delete stale worktrees afterwards."
    for label in ("", "**How to apply:** "):
        told = adding(f"Open one bundled PR per ticket.\n\n{label}{theirs}")
        reason = refusal(told, digests=both(PR, f"Understood. {theirs}"))
        assert "Nobody said" in reason or "Only the assistant said" in reason


def test_a_fact_of_which_most_was_never_said_is_no_paraphrase() -> None:
    told = adding(
        "Bundled PR per ticket; reviewers squash commits, delete worktrees, rotate passwords, mail customers."
    )
    assert "Nobody said" in refusal(told, digests=digest(PR))


# --- a replaced reason

BUILD = """\
The build runs on 4 workers (`BUILD_WORKERS`).

**Why:** the old machine swapped as soon as there were more.

**How to apply:** look at memory before raising it.
"""
BUILDS = store(file("build-workers", BUILD), file("style", "Keep answers terse.", "feedback"))
RAISED = "the build runs on 16 workers, linking was the slow part all along"
REASON = "the old machine swapped as soon as there were more"


def with_reason(why: str, *leaves_out: str) -> Proposal:
    body = BUILD.replace("4 workers", "16 workers").replace(f"**Why:** {REASON}.", why)
    return replacing("build-workers", body, RAISED, leaves_out=leaves_out)


def test_a_reason_gives_way_to_another_that_is_named() -> None:
    new = "**Why:** linking was the slow part all along."
    assert one(with_reason(new, REASON), BUILDS, digest(RAISED)).kind is Kind.REPLACE
    assert "does not touch" in refusal(with_reason(new, "Why"), BUILDS, digest(RAISED))


def test_a_reason_is_not_left_out_for_nothing() -> None:
    assert "does not touch" in refusal(with_reason("", "Why", REASON), BUILDS, digest(RAISED))


# --- what is cited is taken up


@pytest.mark.parametrize("body", ["The build runs on 4 workers (`BUILD_WORKERS`).", BUILD.replace("runs", "runs not")])
def test_a_replacement_that_takes_up_nothing_of_what_is_cited_is_none(body: str) -> None:
    words = "don't touch the build workers, memory is fine and `BUILD_WORKERS` stays"
    everything = ("Why", "How to apply", REASON, "look at memory before raising it")
    reason = refusal(replacing("build-workers", body, words, leaves_out=everything), BUILDS, digest(words))
    assert "takes up nothing" in reason or "does not touch" in reason


# --- values told in another way


@pytest.mark.parametrize(
    ("old", "new", "words", "replaced"),
    [
        ("The suite takes 45 min on the farm.", "The suite takes 1 h on the farm.", "the suite takes 1 h now", True),
        ("The suite takes 45 min on the farm.", "The suite takes 3 runs on the farm.", "the suite takes 3 runs", False),
        ("The suite starts on the 1st.", "The suite starts on the 3rd.", "the suite starts on the 3rd now", True),
        ("The suite starts at 05:00.", "The suite starts at 06:30.", "the suite starts at half past 6 now", True),
        ("The suite starts at 05:00.", "The suite starts at 07:00.", "the suite starts at half past 6 now", False),
        ("The suite has 30 ticks, 33 ms each.", "The suite has 20 ticks, 50 ms each.", "the suite has 20 ticks", True),
        ("The suite has 30 ticks, 33 ms each.", "The suite has 20 ticks, 60 ms each.", "the suite has 20 ticks", False),
    ],
)
def test_a_value_may_be_told_in_another_way_and_is_no_other(old: str, new: str, words: str, replaced: bool) -> None:
    content = store(file("suite", old), file("style", "Keep answers terse.", "feedback"))
    talk = digest(words, "whether it is 50 ms or 60 ms")
    assert (one(replacing("suite", new, words), content, talk).kind is Kind.REPLACE) == replaced


@pytest.mark.parametrize(
    ("time", "text", "told"),
    [
        ("04:00", "they want to open at 4 already", True),
        ("04:00", "there were 14 of them", False),
        ("06:30", "mittwochs um 6, bis halb 7", True),
        ("06:30", "um 6, bis halb 8", False),
        ("21:30", "half past nine it is", True),
        ("18:00", "the call is at 6 pm", True),
        ("16:00", "it starts thursday 16:00 now", True),
        ("16:15", "it starts thursday 16:00 now", False),
        ("12", "at 12", False),
    ],
)
def test_times_of_the_day_are_known_as_people_say_them(time: str, text: str, told: bool) -> None:
    assert is_told(time, text) == told


def test_a_number_of_things_is_no_value_of_a_memory_about_something_else() -> None:
    twice = "The provider repeats an event, safe to run again.\n\n**Why:** in December 31 customers were hit.\n"
    content = store(file("events-twice", twice), file("style", "Keep answers terse.", "feedback"))
    words = "so, 60 customers without usage in the august run"
    changed = replacing("events-twice", twice.replace("31", "60"), words)
    assert "nothing of" in refusal(changed, content, digest(words))


@pytest.mark.parametrize(
    ("words", "replaced"),
    [
        ("the job was restarted 3 times last night", False),
        ("the job that was restarted hit 3 customers, not more", True),
    ],
)
def test_a_number_counts_in_the_memory_what_it_counted_in_the_quote(words: str, replaced: bool) -> None:
    old = "A job that is restarted pays once.\n\n**Why:** a job was restarted and hit 212 customers.\n"
    content = store(file("pays-once", old), file("style", "Keep answers terse.", "feedback"))
    changed = replacing("pays-once", old.replace("212", "3"), words)
    assert (one(changed, content, digest(words)).kind is Kind.REPLACE) == replaced


# --- merges


def merging(body: str) -> Proposal:
    return replace(MERGE, drafts=(replace(MERGE.drafts[0], body=body),))


JOINED = """\
The retry cap on the gateway is per request: every call draws on the same three retries (`RETRY_BUDGET`), however many
gateway calls a request makes.

**Why:** in March a single checkout hit the gateway twelve times, and separate counters multiplied the load on it.
"""
WOVEN = """\
The retry cap on the gateway is per request: every call draws on the same three retries (`RETRY_BUDGET`). A request gets
three retries altogether, however many gateway calls it makes.

**Why:** in March a single checkout hit the gateway twelve times. separate counters multiplied the load on the gateway
in March.
"""


def test_a_merge_may_be_as_long_as_its_members_where_it_joins_them() -> None:
    assert one(merging(JOINED), told_twice=lambda: ()).kind is Kind.MERGE


def test_a_merge_in_which_no_word_joins_its_members_is_none() -> None:
    assert "strings its members together" in refusal(merging(WOVEN), told_twice=lambda: ())
    twice = JOINED + "\n**Why:** separate counters again.\n"
    assert "strings its members together" in refusal(merging(twice), told_twice=lambda: ())


def test_rules_vouch_for_a_whole_group_and_not_for_a_part_of_it() -> None:
    pair = frozenset(("retry-budget", "retries-are-capped"))
    assert one(merging(WOVEN), told_twice=lambda: (pair,)).kind is Kind.MERGE
    assert refusal(merging(WOVEN), told_twice=lambda: (pair | {"deploy-window"},))


GERMAN = "Wer eine Nachricht ändert, zählt `ProtocolVersion` hoch.\n\n**Why:** sonst sieht der alte Client Unsinn.\n"
ENGLISH = (
    "Every change to a message bumps `ProtocolVersion`.\n\n**Why:** two evenings went into ghosts of old clients.\n"
)
TONGUES = store(file("hochzaehlen", GERMAN), file("bump", ENGLISH), file("style", "Keep answers terse.", "feedback"))


@pytest.mark.parametrize(
    ("more", "merged"),
    [(" Zwei Abende gingen für die Geister alter Clients drauf, als es einmal niemand tat.", True), (" Zwei.", False)],
)
def test_members_in_two_languages_are_told_in_one(more: str, merged: bool) -> None:
    lines = (Seen("memory:hochzaehlen", "Wer eine Nachricht ändert"), Seen("memory:bump", "Every change to a message"))
    draft = Draft("hochzaehlen", "Version hochzählen", "project", GERMAN.strip() + more, "hochzaehlen")
    merge = Proposal(Kind.MERGE, "one", lines, ("hochzaehlen", "bump"), (draft,))
    assert (one(merge, TONGUES).kind is Kind.MERGE) == merged


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Wer eine Nachricht ändert, zählt sie hoch und sagt es auch.", "de"),
        ("Every change to a message is in the log.", "en"),
        ("Les tests ne sont pas dans le dépôt.", "fr"),
        ("`make test`", ""),
    ],
)
def test_a_language_is_known_by_its_commonest_words(text: str, name: str) -> None:
    assert tongue(text) == name


def test_memories_named_for_two_environments_are_not_one() -> None:
    freeze = file("production-freeze", "There are no deploys to production on Fridays, says the depot.\n")
    never = file("staging-freeze", "On staging there are deploys on Fridays too, also while production has none.\n")
    lines = (
        Seen("memory:production-freeze", "no deploys to production"),
        Seen("memory:staging-freeze", "On staging there"),
    )
    body = "No deploys to production on Fridays, says the depot; staging has them too, also while production has none."
    draft = Draft("production-freeze", "freeze", "project", body, "production-freeze")
    merge = Proposal(Kind.MERGE, "one", lines, ("production-freeze", "staging-freeze"), (draft,))
    assert "do not say the same" in refusal(merge, store(freeze, never))


# --- splits and drops


def test_a_heading_is_no_fact_of_a_memory_that_is_split() -> None:
    notes = "- Modules are pinned to an exact version.\n- Buckets have a random suffix.\n"
    content = store(file("notes", notes, description="Notes about Terraform"), file("style", "Keep answers terse."))
    drafts = (
        Draft("pins", "pins", "project", "Modules are pinned to an exact version."),
        Draft("buckets", "buckets", "project", "Buckets have a random suffix."),
    )
    split = Proposal(Kind.SPLIT, "two", (Seen("memory:notes", "Buckets have a random suffix"),), ("notes",), drafts)
    assert one(split, content).kind is Kind.SPLIT
    lost = replace(split, drafts=(drafts[0], replace(drafts[1], body="Names are made up.")))
    assert "It would lose" in refusal(lost, content)


SAMPLES = store(
    file("sample-conversion", "Samples need a conversion before a test, as a rule for HEIC samples.\n"),
    file("sample-library", "Try the grid with a new sample library.\n"),
    *(file(f"other-{n}", f"Nothing of number {n} is like it.\n") for n in "abcdefg"),
)


@pytest.mark.parametrize(("name", "dropped"), [("sample-conversion", True), ("sample-library", False)])
def test_that_rule_is_one_rule(name: str, dropped: bool) -> None:
    words = "new sample is in, delete the conversions and forget that rule"
    drop = Proposal(Kind.DROP, "over", (said(words),), (name,))
    assert (one(drop, SAMPLES, digest(words)).kind is Kind.DROP) == dropped


@pytest.mark.parametrize(
    ("words", "dropped"),
    [("passed it on. QUIC is not for us any more", False), ("the retry budget is per request. no longer ours", True)],
)
def test_what_stands_beside_an_end_is_about_the_memory_in_more_than_a_word(words: str, dropped: bool) -> None:
    budget = "The retry cap of a request is passed down by whoever owns the gateway.\n"
    content = store(file("retry-budget", budget), *(file(f"o-{n}", f"Nothing of {n} is like it.\n") for n in "abcdefg"))
    quote = words.partition(".")[0]
    drop = Proposal(Kind.DROP, "over", (said(quote),), ("retry-budget",))
    assert (one(drop, content, digest(words)).kind is Kind.DROP) == dropped


def test_a_replacement_still_changes_nothing_else() -> None:
    assert WINDOW.replace("30", "15") == REPLACE.drafts[0].body
    assert one(REPLACE).kind is Kind.REPLACE
