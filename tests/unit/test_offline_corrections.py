"""A later statement of the user against a memory: when it takes the old value's place, and when it must not."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind, Said
from tests.unit.offline_world import changes, decided, memory, mined, session, store

STORE = store(
    timeout=(
        "The upload timeout of the gateway",
        "The gateway gives an upload 30 seconds before it cuts the connection.",
    ),
    retention=(
        "How long audit logs are kept",
        "Audit logs are kept for 90 days and then deleted.\n\n**Why:** the auditors ask for a quarter.",
    ),
    quota_prod=(
        "The memory quota of the production namespace",
        "The production namespace has a memory quota of 64 GB.",
    ),
    quota_stg=("The memory quota of the staging namespace", "The staging namespace has a memory quota of 16 GB."),
    alerts=("Where pager alerts go", "Pager alerts of the ledger go to the `#ledger-oncall` channel."),
    node=("Node version of the build image", "The build image runs Node 18.16, pinned in `.nvmrc`."),
    cutoff=("The daily cut-off for payouts", "Payout files are cut at 16:30; later ones go out the next day."),
    demo=("Demo day is Thursday", "The demo for the stakeholders is on Thursday."),
    approvals=("How many approvals a schema change needs", "A schema change needs two approvals before it is merged."),
    coverage=("The coverage gate", "The build fails when coverage falls below 85%."),
    tracker=("Where parser bugs are filed", "Parser bugs are filed in Jira, in the PARSE project."),
    emails=("Weekly digest mails", "The digest mail goes out every Monday with the open reviews."),
    port=("Port of the mock server", "The mock server listens on port 8089."),
    region=("Region of the backups", "Backups are written to the bucket `eu-backups`."),
    squash=("Merge strategy", "Squash every branch when merging it."),
    freeze=("The holiday freeze", "The holiday freeze starts on December 18."),
)
CORRECTED = [
    (
        "timeout",
        "A: The gateway cut the upload after 30 seconds.",
        "yeah we raised the upload timeout, the gateway gives it 60 seconds now",
        "60 seconds",
    ),
    ("timeout", "A: The gateway's limit is 30 seconds.", "not any more, it's 2 minutes since last week", "2 minutes"),
    ("retention", "A: Done.", "btw audit logs are kept for 180 days now, legal insisted", "180 days"),
    (
        "retention",
        "A: I set it to 90 days, as noted.",
        "that's outdated, audit log retention went from 90 to 365 days",
        "365 days",
    ),
    ("retention", "A: ok", "we moved audit log retention to six months", "six months"),
    (
        "quota_prod",
        "A: The pod does not fit.",
        "ops doubled it, the production namespace has a quota of 128 GB now",
        "128 GB",
    ),
    ("quota_stg", "A: The pod does not fit into staging.", "staging's memory quota is 32 GB these days", "32 GB"),
    ("alerts", "A: I posted it.", "pager alerts for the ledger go to #payments-oncall now", "#payments-oncall"),
    ("node", "A: I used Node 18.", "the build image is on node 20.11 since the upgrade", "20.11"),
    ("cutoff", "A: It will go out tomorrow.", "payout files are cut at 17:00 as of this month", "17:00"),
    ("demo", "A: I'll have it ready for Thursday.", "the stakeholder demo moved to tuesday", "Tuesday"),
    (
        "approvals",
        "A: It has two approvals.",
        "a schema change needs three approvals now, new policy",
        "three approvals",
    ),
    ("coverage", "A: Coverage is 86%.", "careful, the coverage gate is at 90% now", "90%"),
    ("tracker", "A: I'd file it in PARSE.", "parser bugs moved from jira to linear", "linear"),
    (
        "port",
        "A: I started the mock server on port 8089.",
        "the mock server listens on port 9100 now, 8089 clashed",
        "9100",
    ),
    ("region", "A: ok", "backups go to the bucket us-backups now", "us-backups"),
    ("squash", "A: Squashed.", "no, we don't squash branches when merging any more", "squash"),
    ("freeze", "A: ok", "the holiday freeze starts on december 11 this year", "December 11"),
    ("emails", "A: ok", "the digest mail goes out on wednesdays now", "wednesday"),
    ("timeout", "A: The gateway cuts uploads after 30 seconds.", "we went up to 45 seconds there", "45 seconds"),
]
LEFT_ALONE = [
    ("A: The gateway cuts at 30 seconds.", "what if the upload timeout was 60 seconds?"),
    ("A: x", "the upload took 45 seconds through the gateway"),
    ("A: x", "just for this release the gateway gives uploads 5 minutes"),
    ("A: x", "maybe the upload timeout of the gateway should be 60 seconds"),
    ("A: x", "he said the gateway upload timeout is 60 seconds"),
    ("A: x", "at my old job the gateway upload timeout was 60 seconds"),
    ("A: x", "staging keeps audit logs for 7 days"),
    ("A: x", "the dev namespace has a memory quota of 8 GB now"),
    ("A: x", "yeah sure, let's keep audit logs for 1 day, what could go wrong"),
    ("A: x", "see:\n\n    audit logs are kept for 10 days now"),
    ("A: x", "> audit logs are kept for 10 days now"),
    ("A: Audit logs should be kept for 10 days now.", "ok"),
    ("A: x", "set the upload timeout of the client to 10 seconds for this test"),
    ("A: x", "audit logs are kept for 90 days"),
    ("A: x", "audit logs are kept for three months, no? 90 days"),
    ("A: x", "the coverage was 91% yesterday"),
    ("A: x", "the schema change has one approval"),
    ("A: x", "until friday the mock server listens on port 9100"),
    ("A: x", "the demo on tuesday went well"),
    ("A: x", "the upload timeout is 60 seconds now. no wait, scratch that, still as before"),
    ("A: x", "the stakeholder demo is on tuesday this week"),
    ("A: x", "the holiday freeze was on december 11 last year"),
    ("A: x", "is the cutoff for payout files at 17:00 now"),
    ("A: x", "in the other repo the mock server listens on port 9100"),
]


@pytest.mark.parametrize(("name", "before", "said", "value"), CORRECTED, ids=lambda text: str(text)[:40])
def test_a_newer_value_takes_the_place_of_the_old_one(name: str, before: str, said: str, value: str) -> None:
    (change,) = changes(STORE, session("hi, look at the thing", before, said))
    assert (change.kind, change.memories) == (Kind.REPLACE, (name.replace("_", "-"),))
    assert value.lower() in change.drafts[0].body.lower()
    assert isinstance(change.evidence[0], Said)
    assert change.evidence[0].quote in said


@pytest.mark.parametrize(("before", "said"), LEFT_ALONE, ids=lambda text: str(text)[:40])
def test_what_is_no_lasting_newer_statement_changes_nothing(before: str, said: str) -> None:
    assert changes(STORE, session("hi, look at the thing", before, said)) == []


def test_only_the_contradicted_value_changes() -> None:
    (change,) = changes(STORE, session("hi", "A: ok", "audit logs are kept for 180 days now"))
    assert change.drafts[0].body == (
        "Audit logs are kept for 180 days and then deleted.\n\n**Why:** the auditors ask for a quarter."
    )
    assert change.drafts[0].description == "How long audit logs are kept"


def test_the_value_is_changed_in_the_description_too_and_keeps_its_form() -> None:
    memories = (memory("w", "The review has a 30 minute window", "The review window is 30 minutes."),)
    (change,) = changes(memories, session("hi", "A: ok", "we moved the review window to 15 minutes"))
    assert change.drafts[0].description == "The review has a 15 minute window"
    assert change.drafts[0].body == "The review window is 15 minutes."


def test_the_newest_of_several_values_wins_and_the_others_are_refused_with_the_reason() -> None:
    first = session("hi", "A: ok", "audit logs are kept for 120 days now", name="s1")
    second = session("hi", "A: ok", "audit logs are kept for 200 days now", name="s2", day=3)
    replaced, refused = decided(STORE, first, second)
    assert "200 days" in replaced.drafts[0].body
    assert refused.kind is Kind.REJECT
    assert "another one was given later" in refused.justification


def test_a_statement_older_than_the_memory_is_ignored() -> None:
    later = tuple(memory(m.id, m.description, m.body, written=WRITTEN_LATER) for m in STORE)
    assert changes(later, session("hi", "A: ok", "audit logs are kept for 180 days now")) == []


def test_a_value_that_two_memories_could_mean_is_noticed_only() -> None:
    memories = store(
        a=("The quota of the blue tenant", "The blue tenant has a storage quota of 10 GB."),
        b=("The quota of the green tenant", "The green tenant has a storage quota of 20 GB."),
    )
    talk = session("hi", "A: ok", "the tenant has a storage quota of 50 GB now")
    assert changes(memories, talk) == []
    assert "more than one memory" in mined(memories, talk)[0].notices[0].why


def test_a_start_that_moves_leaves_the_end_alone() -> None:
    memories = store(freeze=("The release freeze", "The release freeze runs from Friday 16:00 to Monday 08:00."))
    (change,) = changes(memories, session("hi", "A: ok", "the release freeze starts on thursday at 14:00 now"))
    assert change.drafts[0].body == "The release freeze runs from Thursday 14:00 to Monday 08:00."


def test_a_rule_taken_back_is_replaced_by_the_users_clause() -> None:
    memories = store(jokes=("Each stand-up mail ends with a joke", "End every stand-up mail with a joke."))
    (change,) = changes(memories, session("hi", "A: sent", "no jokes in the stand-up mail any more, people complained"))
    assert change.drafts[0].body == "No jokes in the stand-up mail any more, people complained."
    assert change.drafts[0].id == "jokes"


def test_what_a_program_says_or_the_assistant_alone_changes_nothing() -> None:
    assert changes(STORE, session("hi", "A: audit logs are kept for 180 days now", "thanks")) == []


def test_a_session_in_a_language_without_rules_is_left_alone_and_named() -> None:
    talk = session(
        "kun je alsjeblieft even naar de logboeken van gisteravond kijken",
        "A: Ja.",
        "de logboeken blijven vanaf nu 180 dagen bewaard, dat heeft de directie gisteren zo besloten",
    )
    assert changes(STORE, talk) == []
    assert mined(STORE, talk)[0].notices[0].why.startswith("no rules for this language")


FURTHER = store(
    nightly=(
        "When the nightly backup runs",
        "The nightly backup of the archive starts at 02:00 and takes about 40 minutes.",
    ),
    slots=(
        "Parallel encode jobs",
        "The encoder runs at most 4 jobs in parallel; more of them starve the disk.\n\n**How to apply:** queue the rest.",
    ),
    review=("Who reviews translations", "Translations are reviewed by the Lisbon office before a release."),
    sdk=("Minimum SDK of the reader app", "The reader app supports Android SDK 26 and above."),
    mirror=("The package mirror", "Packages are fetched from the mirror `pkg.old.example`, not from the public index."),
    cap=("Upload limit for covers", "Cover images may be 2 MB at most; the form refuses bigger ones."),
    trial=("Length of the trial", "The trial lasts 14 days, without a credit card."),
    release_day=("Release day", "Releases go out on Wednesdays, after the stand-up."),
    py=("Python version of the workers", "The workers run on Python 3.10."),
    threshold=(
        "Alert threshold for queue depth",
        "The on-call person is paged when the queue is deeper than 500 jobs.",
    ),
    sla=("Support answers within a day", "Support tickets get a first answer within 24 hours."),
    branch=("Name of the default branch", "The default branch is called `master`."),
    tool=("Formatter", "Code is formatted with black before each commit."),
    owner=("Owner of the search index", "The search index belongs to the discovery team."),
)
FURTHER_CORRECTED = [
    (
        "nightly",
        "A: The backup runs at 02:00.",
        "thanks. the backup starts at 03:30 since monday btw, the tape robot was too busy",
        "03:30",
    ),
    (
        "slots",
        "A: I started 4 encode jobs.",
        "you can go higher, since the new disk we run 8 encode jobs in parallel",
        "8 jobs",
    ),
    (
        "cap",
        "A: The form refuses covers above 2 MB.",
        "hm that should be 5 now. we raised the cover limit to 5 MB in april",
        "5 MB",
    ),
    (
        "trial",
        "A: The trial text says 14 days.",
        "then the text is old. trial is 30 days, marketing changed that last month",
        "30 days",
    ),
    ("release_day", "A: I'd release on Wednesday.", "no, releases go out on thursdays now", "Thursday"),
    ("py", "A: I kept it compatible with 3.10.", "no need to, the workers are on 3.12 since the move", "3.12"),
    ("threshold", "A: It pages at 500 jobs.", "that was too noisy, it pages at 800 jobs now", "800 jobs"),
    (
        "sla",
        "A: I wrote within 24 hours.",
        "first answer is within 8 hours now, new contract with the big customer",
        "8 hours",
    ),
    ("branch", "A: I branched off master.", "we renamed master to main last week", "main"),
    ("tool", "A: I ran black.", "black is gone, we format with ruff now instead of black", "ruff"),
    (
        "mirror",
        "A: It fetches from pkg.old.example.",
        "the mirror moved from pkg.old.example to pkg.new.example",
        "pkg.new.example",
    ),
    ("trial", "A: ok", "we shortened the trial from 14 to 7 days", "7 days"),
    (
        "nightly",
        "A: It takes 40 minutes.",
        "it takes an hour and a half these days, the archive has grown",
        "hour and a half",
    ),
    ("slots", "A: 4 jobs are running.", "max is 6 jobs now for the encoder", "6 jobs"),
]
FURTHER_LEFT = [
    ("A: ok", "format this file with ruff instead of black"),
    ("A: ok", "for the sample use ruff instead of black"),
    ("A: ok", "the release on thursday went fine"),
    ("A: ok", "eight encode jobs were queued when it died"),
    ("A: ok", "the covers of that one shop are 5 MB each"),
    ("A: ok", "what happens when a trial lasts 30 days"),
    ("A: ok", "they renamed main to master in the other repo"),
    ("A: ok", "rename master to main in the example"),
    ("A: ok", "the queue had 800 jobs this morning"),
    ("A: ok", "the archive backup took an hour and a half yesterday"),
]


@pytest.mark.parametrize(("name", "before", "said", "value"), FURTHER_CORRECTED, ids=lambda text: str(text)[:40])
def test_values_names_and_counts_in_longer_talk(name: str, before: str, said: str, value: str) -> None:
    (change,) = changes(FURTHER, session("hi, look at the thing", before, said))
    assert (change.kind, change.memories) == (Kind.REPLACE, (name.replace("_", "-"),))
    assert value.lower() in change.drafts[0].body.lower()


@pytest.mark.parametrize(("before", "said"), FURTHER_LEFT, ids=lambda text: str(text)[:40])
def test_episodes_and_single_orders_change_nothing(before: str, said: str) -> None:
    assert changes(FURTHER, session("hi, look at the thing", before, said)) == []


WRITTEN_LATER = session("x", day=30).messages[0].time or pytest.fail("no time")
