"""What a memory is, what its header says, and what a sweep may propose of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from memgit.core.sweep import proposals as rules
from memgit.core.sweep.filing import (
    Life,
    checkable,
    filed,
    is_procedural,
    kind_named,
    marked,
    newest_continuation,
    word_of,
)
from memgit.core.sweep.knowledge import pointers
from memgit.core.sweep.proposals import Sweeping
from memgit.likeness.pairs import joined, near
from memgit.memory.memory import memories
from memgit.memory.shapes import BEADS_MEMORIES
from memgit.model.decision import Approval, Draft, Kind, Proposal, Said, Seen, Standing
from memgit.model.history import PassKind
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from memgit.stores.beads.bd import content_of
from tests.weights import unweighed

TODAY = date(2026, 11, 29)

NAMES = {
    "semantic:lesson": "semantic:lesson",
    "Semantic/Lesson": "semantic:lesson",
    "lesson": "semantic:lesson",
    "root_cause": "semantic:root-cause",
    "[root cause]": "semantic:root-cause",
    "bug": "semantic:root-cause",
    "plan-stress-test": "semantic:design",
    "sdd": "semantic:lesson",
    "upstream": "semantic:research",
    "docs": "semantic:pattern",
    "episodic:done": "episodic:done",
    "poem": "None",
    "": "None",
}


@pytest.mark.parametrize(("written", "kind"), NAMES.items())
def test_a_word_means_the_nearest_kind_or_none(written, kind):
    assert str(kind_named(written)) == kind


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("lesson-worktree-path", "lesson"),
        ("plan-stress-test-cache", "plan-stress-test"),
        ("ROOT_CAUSE: pool", "root-cause"),
        ("[bug] pool", "bug"),
        ("lessons-learned", ""),
        ("bugle-calls", ""),
        ("redesign", ""),
    ],
)
def test_a_key_or_text_begins_with_a_word_of_the_taxonomy_only_whole(text, word):
    assert word_of(text) == word


def test_three_numbered_steps_or_a_word_for_it_are_a_procedure():
    assert is_procedural("", "1. tag\n2. build\n3. push")
    assert is_procedural("how-to", "Tag it.")
    assert not is_procedural("lesson", "1. tag\n2. build")


HEADERS = {
    "@salience=4 @type=semantic:lesson\nFact.": "@type=semantic:lesson @salience=4\nFact.",
    "@type: lesson @created: 2026-06-28\nFact.": "@type=lesson @created=2026-06-28\nFact.",
    "@type=a @owner=mira @tags=x,y @refs=bd-1\nFact.": "@type=a @refs=bd-1 @tags=x,y @owner=mira\nFact.",
    "@type=a Fact on the same line.": "@type=a\nFact on the same line.",
    "@type=a @type=b\nFact.": "@type=a\nFact.",
    "@type=a\n[superseded 2026-07-01 by other]\nFact.": "@type=a\n[superseded 2026-07-01 by other]\nFact.",
    "Mail me @home about it.": "Mail me @home about it.",
    "": "",
}


@pytest.mark.parametrize(("text", "normal"), HEADERS.items())
def test_a_header_is_read_leniently_and_written_in_one_form(text, normal):
    assert marked(text).text() == normal
    assert marked(normal).text() == normal


def test_a_tombstone_is_a_mark_and_no_part_of_the_fact():
    parts = marked("[superseded 2026-07-01 by other]\nFact.")
    assert (parts.superseded, parts.body) == (("2026-07-01", "other"), "Fact.")


@pytest.mark.parametrize("text", ["see src/pool.py:12", "closed with bd-a1b2", "since 4f2a9bc", "`make test` passes"])
def test_what_names_a_line_a_bead_a_commit_or_an_output_can_be_checked(text):
    assert checkable(text)


@pytest.mark.parametrize("text", ["I think so", "defaced facades", "at 10:30", "version 3.11"])
def test_what_names_none_of_these_cannot(text):
    assert not checkable(text)


def store(**texts: str):
    """A store; underscores in names stand for dashes."""
    return content_of({name.replace("_", "-"): text for name, text in texts.items()})


def file_of(content):
    return {one.key: one for one in filed(memories(content))}


def test_a_memory_is_filed_by_its_header_before_its_key_before_its_first_word():
    found = file_of(store(lesson_a="@type=bug\nX.", lesson_b="Review: x.", other="Review: x.", moon="Full."))
    assert {key: str(one.kind) for key, one in found.items()} == {
        "lesson-a": "semantic:root-cause",
        "lesson-b": "semantic:lesson",
        "other": "episodic:review",
        "moon": "None",
    }


def test_the_header_takes_date_references_and_tags_from_what_is_there_and_makes_none_up():
    found = file_of(
        store(done_auth_2026_09_01="Closed bd-3 (src/a.py:1), see lesson-x.", lesson_x="Fact without a date.")
    )
    assert found["done-auth-2026-09-01"].parts.fields == {
        "type": "episodic:done",
        "created": "2026-09-01",
        "salience": "2",
        "refs": "bd-3,lesson-x",
        "tags": "auth",
    }
    assert "created" not in found["lesson-x"].parts.fields


def test_evidence_decides_the_salience_and_a_stated_one_stands():
    found = file_of(store(lesson_a="See src/a.py:1.", lesson_b="So they say.", lesson_c="@salience=5\nSo they say."))
    assert [found[key].parts.salience for key in ("lesson-a", "lesson-b", "lesson-c")] == [4, 2, 5]


def test_the_header_stays_readable_for_who_greps_printed_json():
    (one,) = file_of(store(lesson_x='Bd-1 <b> & "quoted", see a-b.')).values()
    header = one.parts.text().split("\n")[0]
    assert not set(header) & set('"\\<>&')


def test_the_newest_continuation_is_the_one_of_the_latest_day_then_key():
    found = filed(
        memories(
            store(
                continuation_a="@created=2026-11-02\nA.", continuation_b="@created=2026-11-01\nB.", continuation_c="C."
            )
        )
    )
    assert newest_continuation(found).key == "continuation-a"


# --- proposals, answered ---


def swept(content, today=TODAY):
    sweep = Sweeping(filed(memories(content)), today)
    found = [*rules.duplicates(sweep)]
    episodes = [rules.bare(one.memory) for one in sweep.free(Life.RETIRED)]
    found += rules.consolidations(sweep, [pair[:3] for pair in near(episodes)], joined)
    found += rules.forgotten(sweep)
    found += rules.headers(sweep)
    with unweighed():
        return settle(found, content, case_of(content))


def case_of(content):
    return open_case(PassKind.SWEEP, memories(content), (), tree_text=lambda _: "noise is noise", shape=BEADS_MEMORIES)


def changes(decisions):
    return {one.claim: one for one in decisions if one.changes}


RECORDS = {
    "done-gateway-1": "@created=2026-09-01\nThe gateway refreshes auth tokens before they expire.",
    "done-gateway-2": "@created=2026-09-10\nThe gateway refreshes auth tokens in the background, between requests.",
    "moon": "Full.",
}


def test_records_of_one_theme_are_told_once_and_marked_not_removed():
    decision = changes(swept(content_of(RECORDS)))["consolidated"]
    texts = {path: data.decode() for path, data in decision.writes.items()}
    assert decision.removes == frozenset()
    assert sorted(texts) == ["done-gateway-1.md", "done-gateway-2.md", "lesson-gateway.md"]
    fact = marked(texts["lesson-gateway.md"])
    assert fact.fields["type"] == "semantic:lesson"
    assert fact.fields["refs"] == "done-gateway-1,done-gateway-2"
    assert "before they expire" in fact.body
    assert "between requests" in fact.body
    for name in ("done-gateway-1", "done-gateway-2"):
        assert marked(texts[f"{name}.md"]).superseded == ("2026-11-29", "lesson-gateway")
        assert marked(texts[f"{name}.md"]).body == marked(RECORDS[name]).body


def test_records_that_contradict_each_other_are_left_apart():
    records = {
        "done-gateway-1": "The gateway refreshes auth tokens after 15 minutes.",
        "done-gateway-2": "The gateway refreshes auth tokens after 30 minutes.",
    }
    assert set(changes(swept(content_of(records)))) == {"header"}


def test_exact_duplicates_go_whatever_their_headers_say():
    text = "The default path is ./name."
    decision = changes(swept(store(lesson_path=f"@type=lesson @salience=5\n{text}", again=f"{text}\n")))[
        "exact duplicate"
    ]
    assert decision.removes == {"again.md"}
    assert decision.writes["lesson-path.md"].decode() == f"@type=semantic:lesson @salience=5 @tags=path\n{text}"


def test_every_continuation_but_the_newest_is_marked():
    found = swept(
        store(continuation_2026_10_01="First.", continuation_2026_11_01="Second.", continuation_2026_11_20="Third.")
    )
    marks = {one.memories[0]: one for one in found if one.claim == "superseded"}
    assert sorted(marks) == ["continuation-2026-10-01", "continuation-2026-11-01"]
    assert (
        "[superseded 2026-11-29 by continuation-2026-11-20]"
        in marks["continuation-2026-10-01"].writes["continuation-2026-10-01.md"].decode()
    )


FACT = "The gateway refreshes auth tokens in the background."


@pytest.mark.parametrize(("age", "marks"), [(31, 1), (30, 0)])
def test_an_old_record_is_marked_only_if_a_lasting_memory_holds_all_of_it(age, marks):
    day = TODAY - timedelta(days=age)
    held = store(lesson_auth=f"See src/a.py:1. {FACT} It never does in a request.", done_x=f"@created={day}\n{FACT}")
    alone = store(lesson_auth="Something else.", done_x=f"@created={day}\n{FACT}")
    assert sum(one.claim == "superseded" for one in swept(held)) == marks
    assert not [one for one in swept(alone) if one.claim == "superseded"]


def test_a_second_sweep_of_the_result_proposes_nothing_more():
    from memgit.memory.apply import apply

    content = content_of(
        {**RECORDS, "continuation-1": "A.", "continuation-2": "B.", "bug-x": "Pool size (src/p.py:3)."}
    )
    agreed = [replace(one, approval=Approval.APPROVED) for one in swept(content)]
    after = apply(content, agreed, time_ns=0)
    assert [one for one in swept(after) if one.changes] == []


# --- facts, whoever proposes ---


def judged(content, proposal):
    with unweighed():
        (decision, *_) = settle([proposal], content, case_of(content))
    return decision


def line(name: str, text: str) -> Seen:
    return Seen(f"memory:{name}", text)


THREE = store(lesson_a="Rule one of the pool.", continuation_1="Go on with the pool.", done_b="Moved the pool.")


def tombstone(name: str, text: str, by: str) -> Draft:
    return Draft("", "", "", f"[superseded 2026-11-29 by {by}]\n{text}", name)


KEY = "AKIAIOSFODNN7EXAMPLE"

REFUSED = {
    "the newest continuation is marked": (
        Proposal(Kind.UPDATE, "old", (line("lesson-a", "Rule one"),), ("continuation-1",),
                 (tombstone("continuation-1", "Go on with the pool.", "lesson-a"),)),
        "continuation-1 is the newest continuation; it is never retired.",
    ),
    "the newest continuation is dropped": (
        Proposal(Kind.DROP, "noise", (Seen("tree:a.txt", "noise is noise"),), ("continuation-1",)),
        "continuation-1 is the newest continuation; it is never retired.",
    ),
    "a mark names nothing": (
        Proposal(Kind.UPDATE, "old", (line("lesson-a", "Rule one"),), ("done-b",),
                 (tombstone("done-b", "Moved the pool.", "nowhere"),)),
        "done-b would be marked as superseded by 'nowhere', which is no memory that stands.",
    ),
    "a mark with another text": (
        Proposal(Kind.UPDATE, "old", (line("lesson-a", "Rule one"),), ("done-b",),
                 (tombstone("done-b", "Moved.", "lesson-a"),)),
        "done-b would be marked as superseded with another text than its own.",
    ),
    "forgetting without a duplicate": (
        Proposal(Kind.MERGE, "same", (line("lesson-a", "Rule one"), line("done-b", "Moved the pool")),
                 ("lesson-a", "done-b"), (Draft("", "", "", "Rule one of the pool. Moved the pool.", "lesson-a"),)),
        "done-b would be gone for good, and no memory that stays is its exact duplicate.",
    ),
    "a lesson dropped as noise": (
        Proposal(Kind.DROP, "noise", (Seen("tree:a.txt", "noise is noise"),), ("lesson-a",)),
        "lesson-a is no noise: it lasts.",
    ),
    "an update that says less": (
        Proposal(Kind.UPDATE, "short", (line("done-b", "Moved the pool"),), ("lesson-a",),
                 (Draft("", "", "", "@type=semantic:lesson\nRule one.", "lesson-a"),)),
        "lesson-a would say less than it does, and no user said so.",
    ),
    "a secret in a header": (
        Proposal(Kind.UPDATE, "header", (line("lesson-a", "Rule one"),), ("lesson-a",),
                 (Draft("", "", "", f"@tags={KEY}\nRule one of the pool.", "lesson-a"),)),
        "Its text holds what looks like a secret",
    ),
    "a fact without the user's word": (
        Proposal(Kind.ADD, "new", (line("lesson-a", "Rule one"),), (), (Draft("pool", "d", "project", "New."),)),
        "An add needs what the user said in a session.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("proposal", "why"), REFUSED.values(), ids=REFUSED)
def test_a_fact_refuses(proposal, why):
    decision = judged(THREE, proposal)
    assert (decision.standing, decision.writes, decision.removes) == (Standing.REFUSED, {}, frozenset())
    assert why in decision.refusal


def test_cited_noise_may_go():
    decision = judged(THREE, Proposal(Kind.DROP, "n", (Seen("tree:a.txt", "noise is noise"),), ("done-b",)))
    assert decision.removes == {"done-b.md"}


def test_a_host_may_hand_in_a_consolidation_of_its_own():
    content = content_of(RECORDS)
    names = ("done-gateway-1", "done-gateway-2")
    wording = (
        "@type=semantic:lesson @salience=4\nThe gateway refreshes auth tokens before they expire, in the background,"
        " between requests."
    )
    drafts = (
        Draft("gateway-tokens", "How tokens are refreshed", "project", wording),
        *(tombstone(name, marked(RECORDS[name]).body, "gateway-tokens") for name in names),
    )
    evidence = tuple(line(name, marked(RECORDS[name]).body) for name in names)
    decision = judged(content, Proposal(Kind.MERGE, "one theme", evidence, names, drafts))
    assert sorted(decision.writes) == ["done-gateway-1.md", "done-gateway-2.md", "gateway-tokens.md"]


def test_what_the_sessions_gave_gets_a_header_of_low_salience_where_nobody_can_check_it():
    sweep = Sweeping(filed(memories(THREE)), TODAY)
    said = Said("s1", "we always run the linter first", time=datetime(2026, 11, 3, tzinfo=UTC).isoformat())
    added = Proposal(Kind.ADD, "said", (said,), (), (Draft("linter-first", "d", "project", "Run the linter first."),))
    (proposal,) = rules.said(sweep, [added])
    assert proposal.drafts[0].body == (
        "@type=semantic:lesson @created=2026-11-03 @salience=2 @tags=linter,first\nRun the linter first."
    )


def test_a_drop_on_the_word_of_a_session_is_refused_and_kept_in_words():
    (proposal,) = rules.said(Sweeping(filed(memories(THREE)), TODAY), [Proposal(Kind.DROP, "gone", (), ("done-b",))])
    assert proposal.kind is Kind.REJECT
    assert "(Proposed was: drop. gone)" in proposal.justification


# --- knowledge beads ---

FILES = ("docs/caching.md", "README.md")
VOCABULARY = "# labels\nkb\ncaching\nmemory\n"


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Caching, in docs/caching.md.", ""),
        ("Caching, in docs/gone.md.", "it names no document that exists in the project"),
        ("The plan is in README.md.", "no label of scripts/kb-label-vocab.txt fits it"),
        ("Mail mira.kovacs@corp-mail.com on caching, docs/caching.md.", "secret or personal data"),
    ],
)
def test_a_pointer_is_filed_only_with_a_document_a_label_and_nothing_private(text, lacks):
    (found,) = pointers(filed(memories(store(research_x=text))), FILES, VOCABULARY)
    assert lacks in found.lacks
    assert bool(found.lacks) == bool(lacks)


def test_the_printed_command_is_one_that_a_shell_takes():
    import shlex

    (found,) = pointers(filed(memories(store(research_x="It's caching; $(rm), docs/caching.md."))), FILES, VOCABULARY)
    words = shlex.split(found.command)
    assert words[:6] == ["bd", "recall", "research-x", "|", "bd", "create"]
    assert words[6:] == [
        "It's caching; $(rm), docs/caching.md.", "-t", "research", "-l", "kb,caching", "--defer", "2099-01-01",
        "--metadata", '{"doc": "docs/caching.md"}', "--body-file", "-", "--silent",
    ]  # fmt: skip
