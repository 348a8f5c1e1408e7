"""What a user lays down beside the work, and the talk of the day that looks like it."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memgit.model.decision import Kind
from memgit.model.session import Origin
from tests.unit.offline_world import changes, decided, memory, mined, session, store

DONE = "A: Done. I changed the files and committed them."
LAID_DOWN = [
    ("feedback", "no, columns get added at the end. the loader goes by position", "Columns get added at the end"),
    (
        "feedback",
        "please stop putting TODOs in the code, open an issue instead",
        "Stop putting TODOs in the code, open an issue instead",
    ),
    (
        "feedback",
        "you keep adding try/except around everything. let it crash, I want to see the trace",
        "You keep adding try/except around everything",
    ),
    ("feedback", "ugh. tests first, then the fix. I want to see it red once", "Tests first, then the fix"),
    (
        "feedback",
        "hang on, ask me before you touch anything in prod",
        "Hang on, ask me before you touch anything in prod",
    ),
    (
        "feedback",
        "oh no, you merged it? don't merge on fridays, nobody is around to fix it",
        "Don't merge on fridays, nobody is around to fix it",
    ),
    (
        "feedback",
        "no, commit messages in english please, half the team doesn't read german",
        "Commit messages in english, half the team doesn't read german",
    ),
    ("feedback", "keep answers short please, I read on my phone", "Keep answers short, I read on my phone"),
    ("feedback", "I told you, no default exports", "No default exports"),
    ("feedback", "no no, we say tenant, not customer", "We say tenant, not customer"),
    ("feedback", "never pipe curl into sh on the build box", "Never pipe curl into sh on the build box"),
    (
        "feedback",
        "careful. anything in billing gets a second reviewer, that's the rule here",
        "Anything in billing gets a second reviewer, that's the rule here",
    ),
    (
        "feedback",
        "no!! secrets never go into values files, they go into sealed secrets",
        "Secrets never go into values files, they go into sealed secrets",
    ),
    (
        "feedback",
        "you applied it?? show me the plan before you apply, always",
        "Show me the plan before you apply, always",
    ),
    (
        "feedback",
        "before you rename a column, grep the dashboards. you broke two of them",
        "Before you rename a column, grep the dashboards",
    ),
    (
        "feedback",
        "no, amounts in the report are always net, never with vat",
        "Amounts in the report are always net, never with vat",
    ),
    ("feedback", "hands off vendor/, it's synced by a bot", "Hands off vendor/, it's synced by a bot"),
    (
        "feedback",
        "you changed the lockfile by hand again. the lockfile is never edited by hand, run the install",
        "The lockfile is never edited by hand, run the install",
    ),
    ("feedback", "you restarted it again without asking. restarting the db is my call", "Restarting the db is my call"),
    (
        "feedback",
        "from now on put the ticket number into the branch name",
        "From now on put the ticket number into the branch name",
    ),
    ("feedback", "remember that the staging keys are rotated on mondays", "The staging keys are rotated on mondays"),
    (
        "feedback",
        "stop. a release needs a changelog entry before it's tagged, I've told you that last time",
        "A release needs a changelog entry before it's tagged, I've told you that last time",
    ),
    (
        "feedback",
        "no mocks in the loader tests, they hid the encoding bug last year",
        "No mocks in the loader tests, they hid the encoding bug last year",
    ),
    (
        "user",
        "I'm the only maintainer of this and I do it in the evenings",
        "I'm the only maintainer of this and I do it in the evenings",
    ),
    ("user", "I've never written rust before, I come from C", "I've never written rust before, I come from C"),
    ("user", "I'm a physicist, so explain the web stuff slowly", "I'm a physicist, so explain the web stuff slowly"),
    (
        "user",
        "english isn't my first language so keep the words simple",
        "English isn't my first language so keep the words simple",
    ),
    (
        "user",
        "I'm new to kubernetes, explain the terms when you use them",
        "I'm new to kubernetes, explain the terms when you use them",
    ),
    ("project", "we decided to drop python 3.9 in october", "We decided to drop python 3.9 in october"),
    ("project", "from july 15 the warehouse moves to bigquery", "From July 15, 2026 the warehouse moves to bigquery"),
    (
        "project",
        "the audit is on november 15, nothing gets deleted until then",
        "The audit is on November 15, 2026, nothing gets deleted until then",
    ),
    ("project", "the holiday freeze starts on december 10", "The holiday freeze starts on December 10, 2026"),
    ("reference", "the schema docs are in confluence, space DATA", "The schema docs are in confluence, space DATA"),
    ("reference", "no, bugs of the loader go into jira, project WH", "Bugs of the loader go into jira, project WH"),
    ("reference", "dashboards live in grafana, folder platform", "Dashboards live in grafana, folder platform"),
    (
        "reference",
        "not there. alerts land in #data-alerts, the old channel is dead",
        "Alerts land in #data-alerts, the old channel is dead",
    ),
    (
        "reference",
        "Marta owns the loader, ask her when the feed changes",
        "Marta owns the loader, ask her when the feed changes",
    ),
    (
        "project",
        "no, a zero quantity isn't missing data. zero means the line was voided at the till",
        "A zero quantity isn't missing data",
    ),
    (
        "project",
        "wait, the finance day runs from 4 to 4, not from midnight",
        "The finance day runs from 4 to 4, not from midnight",
    ),
    (
        "feedback",
        "you filtered store 99 out again. store 99 is the web shop, it counts as a store",
        "Store 99 is the web shop, it counts as a store",
    ),
    (
        "feedback",
        "why is there a new helper module? I don't want utils modules, a function lives next to what uses it",
        "I don't want utils modules, a function lives next to what uses it",
    ),
    (
        "feedback",
        "you silently cast that to int. please don't cast silently, raise if it's no number",
        "Don't cast silently, raise if it's no number",
    ),
    (
        "feedback",
        "so you ran it against the live warehouse? the live one is read only for you, take the copy",
        "The live one is read only for you, take the copy",
    ),
    (
        "feedback",
        "ok but next time tell me the row counts before and after, I always compare those",
        "Next time tell me the row counts before and after, I always compare those",
    ),
    (
        "feedback",
        "nice. one thing: sql keywords in upper case, that's how the rest of the repo does it",
        "Sql keywords in upper case, that's how the rest of the repo does it",
    ),
    (
        "feedback",
        "looks good, but variable names in english please, the analysts in poland read this too",
        "Looks good, but variable names in english, the analysts in poland read this too",
    ),
    (
        "feedback",
        "the diff is fine, only: yaml lists are indented two spaces here, the linter doesn't catch it",
        "The diff is fine, only: yaml lists are indented two spaces here, the linter doesn't catch it",
    ),
    (
        "project",
        "nothing is broken there. the feed from the franchise stores comes a day late, that's in the contract",
        "The feed from the franchise stores comes a day late, that's in the contract",
    ),
    (
        "reference",
        "that's not in git. the mapping is in the shared drive, folder master data, marketing maintains it",
        "The mapping is in the shared drive, folder master data, marketing maintains it",
    ),
    (
        "reference",
        "don't guess, the definitions are in the data catalog under finance",
        "Don't guess, the definitions are in the data catalog under finance",
    ),
    (
        "reference",
        "if a load fails the on-call list is in the wiki, page night shift",
        "If a load fails the on-call list is in the wiki, page night shift",
    ),
    (
        "user",
        "I'm an accountant by training so the sql bits you can explain, the ledger bits you don't have to",
        "I'm an accountant by training so the sql bits you can explain, the ledger bits you don't have to",
    ),
    (
        "user",
        "sorry I'm slow with this, normally I write R, python only since march",
        "I'm slow with this, normally I write R, python only since march",
    ),
    (
        "feedback",
        "my eyes are bad, so no light grey on white in charts please",
        "My eyes are bad, so no light grey on white in charts",
    ),
    (
        "feedback",
        "one more thing for the future: I review on the train, so no diffs over 300 lines",
        "For the future: I review on the train, so no diffs over 300 lines",
    ),
    (
        "feedback",
        "we're not allowed to store names of customers, so drop such columns when you load something",
        "We're not allowed to store names of customers, so drop such columns when you load something",
    ),
]
TALK = [
    "add a column for the discount",
    "put it in staging first",
    "use the second one",
    "don't do it yet",
    "run it again",
    "the job fails every night",
    "every run takes ages",
    "all tests are green",
    "nobody is on it right now",
    "this never worked",
    "I never got that mail",
    "we don't have a test for that",
    "we don't need it",
    "I don't want to spend more time on this",
    "when it's done, send me the log",
    "if the diff is empty, stop",
    "all three are wrong",
    "each of them has 4 rows",
    "I'm a bit confused",
    "I'm the one who wrote it",
    "it goes in the second file",
    "an empty line is missing there",
    "a test is missing",
    "no errors in the log",
    "no rows for the 14th",
    "no override, I looked",
    "every row has a null there",
    "no, the other one. line 40",
    "no, leave it as it is",
    "ugh, it fails again. same error",
    "you removed the wrong line, put it back",
    "no, use the v2 endpoint here",
    "wait, you dropped the index? add it again",
    "text comes from marketing",
    "the header goes to the top",
    "no, three columns, not four",
    "again red. check the runner",
    "make the button green please",
    "don't touch the tests for now",
    "can you always be this quick",
    "I always forget how that works",
    "it always breaks on mondays",
    "no need to rebase",
    "fix the typo in the title and commit",
    "no, only the staging one for now",
    "you pushed? ok, fine",
    "oh no, the disk is full again",
    "never seen that error before",
    "the cache is never warm when I test",
    "rename the flag to --dry-run",
    "please run the whole suite once more",
    "no, not that branch. the feature one",
    "no screenshots needed",
    "actually make it two lines",
    "each page has its own css already",
    "both are fine",
    "a colleague had that, too",
    "errors go to stderr in this script?",
    "that's the third time today",
    "it was switched off on march 3",
    "the release was on april 12",
    "I did the first two already",
    "we agreed to look at it later",
    "I'm new here at this desk lol",
    "in the log every line starts with a tab",
    "no, revert the last commit",
    "no the tests need the fixture, run them with it",
    "the sidebar needs a border",
    "new rows get a default of zero in this migration",
    "the form needs two more fields and a submit button",
    "ok, when you rename the column also fix the view",
    "please don't forget the index",
    "before you push, run the tests once more please",
    "when you have the numbers put them in a table",
    "no, in the second query please",
    "but please with the store names in it",
    "put the totals in with the new column, sorted by date",
    "numbers are in the sheet from yesterday",
    "rows are without a key in that export",
    "you changed two files, I only see one in the diff",
    "a row needs a key there or the insert fails",
    "oh no, you deleted the wrong folder? restore it please",
    "you ran it twice, so we have every row twice now",
    "the tests need a database to run, start one",
    "please no more than ten rows in the sample",
    "no rows under 100 in there, strange",
    "so no duplicates in the table, good",
    "tables with no key come out empty, can you see why",
    "such rows should not exist at all, find out where they come from",
    "I don't need the details",
    "I don't like the name, call it loader2",
    "you dropped the table again? that's the third time, restore it from the dump",
    "the second one is not allowed to be null, fix the insert",
    "ugh, the runner is out of disk again. clean it up please",
    "a script in there writes to /tmp and fails, have a look",
    "an order without a store comes up in the report, why",
    "you put the flag in the wrong place, it goes before the name",
    "no!! the other table",
    "stop, that's prod. cancel it",
    "wait, don't commit that yet, I want to look at it first",
    "I want to see the query plan for this one",
    "every second run dies with that error, see the log above",
    "all of the files in there are from the old importer",
    "we need a lock there, otherwise two runs collide",
    "that was the old one, the new one is called feed2",
    "make the dates in the header iso please",
    "don't print the password there!!",
    "hm, no tests for that? add two",
    "you said it takes a minute, it takes ten",
    "the numbers are off by one day, since you changed the join",
    "any chance to have it by noon",
    "each store gets a row in that table, 42 in total, you have 41",
    "it must be the cache, clear it",
    "keep the old file for comparison",
    "leave the rest as it is",
    "please use the same colours as in the chart above",
    "show me the first ten rows",
    "send the list to the printer",
    "no, take the average and not the sum",
    "that needs to go into the readme, write two sentences about it",
]


@pytest.mark.parametrize(("kind", "said", "description"), LAID_DOWN, ids=lambda text: str(text)[:40])
def test_what_is_laid_down_is_added_in_the_users_words(kind: str, said: str, description: str) -> None:
    (change,) = changes(store(), session("hi, have a look at the thing", DONE, said))
    assert change.kind is Kind.ADD
    assert (change.drafts[0].type, change.drafts[0].description) == (kind, description)


@pytest.mark.parametrize("said", TALK, ids=lambda text: str(text)[:40])
def test_talk_of_the_day_is_not_added(said: str) -> None:
    assert changes(store(), session("hi, have a look at the thing", DONE, said)) == []


def test_a_rule_that_a_memory_holds_is_not_added_again() -> None:
    talk = session("hi", DONE, "no!! commit subjects in the imperative mood, always, I told you")
    assert [change.kind for change in changes(store(), talk)] == []


def test_reasons_beside_a_rule_become_why_and_the_alternative_becomes_how() -> None:
    talk = session(
        "hi",
        DONE,
        "works. but pls no decorators. I read the view and nothing told me where the mail came from, took me ten minutes. "
        "a plain call in the view, that I can follow",
    )
    (change,) = changes(store(), talk)
    assert change.drafts[0].body == (
        "No decorators.\n\n"
        "**Why:** I read the view and nothing told me where the mail came from, took me ten minutes.\n\n"
        "**How to apply:** A plain call in the view, that I can follow."
    )


def test_a_date_that_moves_twice_is_added_once_with_the_newest_value() -> None:
    days = [
        session("hi", "A: ok", "the old shop gets switched off on july 31", name="s1"),
        session("hi", "A: ok", "the old shop is switched off on august 31 now", name="s2", day=9),
        session("hi", "A: ok", "news about the old shop: it runs until september 30 now", name="s3", day=19),
    ]
    added, *refused = decided(store(), *days)
    assert "September 30, 2026" in added.drafts[0].body
    assert "31" not in added.drafts[0].body
    assert [one.kind for one in refused] == [Kind.REJECT, Kind.REJECT]


def test_what_is_said_twice_is_added_once() -> None:
    first = session("hi", DONE, "no mocks in the loader tests, they hid the encoding bug last year", name="s1")
    second = session(
        "hi", DONE, "you put mocks into the loader tests again. no mocks in the loader tests", name="s2", day=2
    )
    assert len(changes(store(), first, second)) == 1


def test_one_session_tells_of_its_user_in_one_memory() -> None:
    talk = session("hi", DONE, "I've never written rust before, I come from C", DONE, "english isn't my first language")
    (change,) = changes(store(), talk)
    assert "rust" in change.drafts[0].body
    assert "english" in change.drafts[0].body.lower()
    assert len(change.evidence) == 2


@pytest.mark.parametrize(
    "said",
    [
        "just for this release skip the changelog, always annoying",
        "what if we always deployed on mondays?",
        "at work we never merge without two reviews",
        "the vendor says to always restart it twice",
        "oh great, never test anything, what could go wrong",
        "> always send the letter in duplicate",
        "```\nalways run as root\n```",
        "maybe we should never cache these",
        "if we ever had ten users we would always need a queue",
        "always use the cache. no wait, scratch that",
    ],
)
def test_guarded_speech_is_never_added(said: str) -> None:
    assert changes(store(), session("hi", DONE, said)) == []


def test_a_reversal_in_the_next_message_takes_a_rule_back() -> None:
    talk = session("hi", DONE, "from now on put the ticket number into the branch name", "A: ok", "scratch that")
    assert changes(store(), talk) == []


def test_what_only_the_assistant_says_is_never_added() -> None:
    assert changes(store(), session("hi", "A: From now on I always put the ticket number first.", "hm")) == []


def test_a_program_repeats_nothing() -> None:
    talk = session("from now on put the ticket number into the branch name", origin=Origin.PROGRAM)
    assert changes(store(), talk) == []


def test_what_may_be_a_rule_is_noticed_and_not_added() -> None:
    talk = session("hi", DONE, "text in the header comes from marketing, no colours")
    assert changes(store(), talk) == []
    assert all(reply.candidates == () for reply in mined(store(), talk))


def test_what_a_later_memory_says_otherwise_is_not_added_again() -> None:
    newer = memory(
        "shop",
        "The old shop runs until September 30, 2026",
        "The old shop runs until September 30, 2026.",
        written=LATER,
    )
    talk = session("hi", "A: ok", "the old shop is switched off on august 31 now")
    assert changes((*store(), newer), talk) == []


LATER = datetime(2026, 6, 1, tzinfo=UTC)


def test_a_date_that_moves_under_another_name_leaves_none_of_the_older_ones() -> None:
    days = [
        session("hi", "A: ok", "the spring volume closes on july 10", name="s1"),
        session("hi", "A: ok", "the deadline was extended to july 17, they had too few papers", name="s2", day=5),
        session("hi", "A: ok", "the deadline is july 24 now", name="s3", day=9),
    ]
    bodies = " ".join(change.drafts[0].body for change in changes(store(), *days))
    assert "July 10" not in bodies
    assert "July 17" not in bodies


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        ("A: Done. Should I also write an alert for the disk?", "no alert please, nobody reads them"),
        ("A: I would suggest limiting uploads to 20 files.", "no limit, people share whole folders"),
        ("A: It works. I could add a banner as well.", "no banner. it is fine"),
        ("A: Shall I make a script of these five steps?", "no script, five steps I can do by hand"),
    ],
)
def test_an_offer_turned_down_is_no_rule(offer: str, said: str) -> None:
    assert changes(store(), session("hi, have a look", offer, said)) == []


def test_a_rule_that_answers_an_offer_is_still_one() -> None:
    talk = session(
        "hi",
        "A: I could type it into the console.",
        "nope. nobody types fixes into the console here, not even for three rows",
    )
    (change,) = changes(store(), talk)
    assert change.drafts[0].name.startswith("no-types-fixes")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("no, latency is always p95, the mean can stay at home", "latency-p95"),
        ("please stop putting TODOs in the code, open an issue instead", "no-putting-todos-code"),
    ],
)
def test_names_are_made_of_the_main_clause(said: str, name: str) -> None:
    (change,) = changes(store(), session("hi", DONE, said))
    assert change.drafts[0].name == name


def test_terse_talk_full_of_names_is_read_in_an_english_session() -> None:
    talk = session(
        "hi, can you have a look at the board and tell me what is wrong with it",
        DONE,
        "fw 2.3 flashed, imu ok, arm ok, gripper ok, lidar ok. from now on put the ticket number into the branch name",
    )
    assert [change.kind for change in changes(store(), talk)] == [Kind.ADD]
