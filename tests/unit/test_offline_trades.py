"""Values, tools, places and people of many trades: what users' later words put in the place of what memories hold."""

# ruff: noqa: E501 - one memory or case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, decided, memory, mined, session

OFFICE = (
    memory(
        "lab-freezer-owner",
        "Questions about the freezers go to Henrike",
        "Ask Henrike before a freezer is moved; she keeps the list of samples.\n\n**Why:** one was unplugged once.",
    ),
    memory(
        "scan-tool",
        "PDF scans are cleaned with scantailor",
        "Scanned pages are cleaned with scantailor before the text recognition.\n\n**Why:** the recognition fails on skewed pages.",
    ),
    memory(
        "archive-path",
        "Where finished surveys are archived",
        "Finished surveys are copied to `/srv/archive/surveys`, one folder per year.\n\n**How to apply:** never delete there.",
    ),
    memory(
        "import-command",
        "How the price list is imported",
        "The price list is imported with `make import-prices`.\n\n**How to apply:** run it after the feed arrived.",
    ),
    memory(
        "poll-interval",
        "The sensors are polled every 30 seconds",
        "The collector polls each sensor every 30 seconds (`poll_s`).\n\n**Why:** batteries.",
    ),
    memory(
        "max-upload", "Upload limit of the portal", "Files for the portal may have up to 25 MB.\n\n**Why:** the proxy."
    ),
    memory(
        "review-count",
        "Two reviewers per change",
        "Each change to the solver needs two reviewers.\n\n**How to apply:** ask early.",
    ),
    memory(
        "release-train",
        "Releases are cut every second Monday",
        "A release is cut every second Monday from `main`.\n\n**Why:** support plans with it.",
    ),
    memory(
        "report-time",
        "The sales report is sent at 07:30",
        "The sales report goes out at 07:30 by mail.\n\n**Why:** the shops open at eight.",
    ),
    memory(
        "java-version",
        "The rules engine is built with Java 17",
        "The rules engine is compiled with Java 17 (`pom.xml`).\n\n**Why:** the client pays for LTS only.",
    ),
    memory("log-level", "Log level in production", "In production the log level is WARN.\n\n**Why:** disks."),
    memory(
        "currency-rounding",
        "Amounts are rounded half up",
        "Amounts in quotes are rounded half up to cents.\n\n**Why:** the tax office.",
    ),
    memory(
        "docs-home",
        "The handbook is in Confluence",
        "The handbook lives in Confluence, space HAND.\n\n**How to apply:** link pages, do not copy them.",
    ),
    memory(
        "test-db", "Tests run against SQLite", "The test suite runs against SQLite in memory.\n\n**Why:** it is fast."
    ),
    memory(
        "retry-policy",
        "Failed jobs are retried five times",
        "A failed job is retried five times with growing pauses.\n\n**Why:** the scanner is flaky.",
    ),
    memory(
        "battery-cutoff",
        "The rover stops at 20% battery",
        "Below 20% battery the rover drives home.\n\n**Why:** the cells.",
    ),
    memory(
        "speed-limit",
        "The arm moves at most 0.5 m/s",
        "Near people the arm moves at most 0.5 m/s (`max_speed`).\n\n**Why:** the safety report.",
    ),
    memory(
        "image-format",
        "Pictures on the site are JPEG",
        "Pictures on the site are JPEG with quality 80.\n\n**Why:** old browsers.",
    ),
    memory(
        "deploy-host",
        "The site is deployed to Netlify",
        "The site is deployed to Netlify by the CI on each merge.\n\n**How to apply:** preview links are in the PR.",
    ),
    memory(
        "cutoff-date",
        "Claims of last year close on March 31",
        "Claims of last year may be entered until March 31.\n\n**Why:** the reinsurer.",
    ),
    memory(
        "batch-hour",
        "The nightly batch starts at 22:00",
        "The nightly batch starts at 22:00 on the mainframe.\n\n**Why:** the branches close at 21:00.",
    ),
    memory(
        "field-length",
        "The policy number has 10 digits",
        "A policy number has 10 digits, zero padded.\n\n**How to apply:** never cast it to int.",
    ),
    memory(
        "baud",
        "The motor controller talks at 115200 baud",
        "The serial line of the motor controller runs at 115200 baud.\n\n**Why:** the old cable.",
    ),
    memory(
        "contact-claims",
        "Questions on claim codes go to Mrs Adebayo",
        "Claim codes are defined by Mrs Adebayo of the back office.\n\n**How to apply:** ask her before adding one.",
    ),
    memory(
        "comments-lang", "Comments are in German", "Comments in the code are written in German.\n\n**Why:** the team."
    ),
    memory(
        "nav-order",
        "Menu entries are sorted by hand",
        "The order of the menu is set by hand in `nav.yml`.\n\n**Why:** the editors want it.",
    ),
)
LAB = (
    memory(
        "grip-force",
        "Grip force is limited to 40 N",
        "The gripper closes with at most 40 N (`grip_max` in `config/arm.yaml`).\n\n**Why:** the paper cups.\n\n**How to apply:** keep tests at 40 N, too.",
    ),
    memory(
        "estop-owner",
        "Dmitri signs off changes to the emergency stop",
        "A change to the emergency stop needs the signature of Dmitri.\n\n**How to apply:** wait for it.",
    ),
    memory(
        "bus-rate",
        "The CAN bus runs at 250 kbit/s",
        "The CAN bus runs at 250 kbit/s (`can0`).\n\n**Why:** the old motor boards.",
    ),
    memory(
        "firmware-branch",
        "Firmware is released from branch stable",
        "A firmware release is built from the branch `stable`.\n\n**How to apply:** never from main.",
    ),
    memory(
        "flash-tool",
        "Boards are flashed with openocd",
        "Boards are flashed with openocd through `tools/flash.sh`.\n\n**Why:** the probe.",
    ),
    memory(
        "camera-rate",
        "The camera delivers 15 frames per second",
        "The camera is set to 15 frames per second.\n\n**Why:** the USB hub.",
    ),
    memory(
        "night-test-time",
        "The night test starts at 01:00",
        "The long test of the arm starts at 01:00 each night.\n\n**Why:** nobody is in the lab.",
    ),
    memory(
        "image-width",
        "Images are at most 1600 px wide",
        "Pictures in articles are scaled to at most 1600 px width.\n\n**Why:** page weight.",
    ),
    memory(
        "publish-day",
        "New articles go online on Tuesdays",
        "Articles go online on Tuesdays at ten.\n\n**Why:** the newsletter follows.",
    ),
    memory(
        "search-engine",
        "The site search uses lunr",
        "Search on the site is done with lunr in the browser.\n\n**Why:** no server.",
    ),
    memory(
        "build-node", "The site builds with Node 18", "The site is built with Node 18 (`.nvmrc`).\n\n**Why:** the host."
    ),
    memory(
        "page-size", "Lists show 20 entries per page", "Lists of articles show 20 entries per page.\n\n**Why:** phones."
    ),
    memory(
        "claim-limit",
        "Claims above 5000 euros go to a person",
        "A claim above 5,000 EUR is never paid automatically (`AUTO_LIMIT`).\n\n**Why:** the auditor.\n\n**How to apply:** tests use 5,001.",
    ),
    memory(
        "retention",
        "Rejected claims are kept for 6 months",
        "Rejected claims are kept for 6 months, then removed by the job.\n\n**Why:** the privacy office.",
    ),
    memory(
        "batch-size",
        "The import reads 500 rows at a time",
        "The import reads 500 rows at a time (`CHUNK`).\n\n**Why:** locks.",
    ),
    memory(
        "run-start",
        "The claims run starts at 21:30",
        "The claims run starts at 21:30 on the batch host.\n\n**Why:** the branches close at nine.",
    ),
    memory(
        "error-threshold",
        "The run stops at 50 broken rows",
        "When more than 50 rows are broken the run stops.\n\n**Why:** a wrong file.",
    ),
    memory(
        "file-encoding",
        "The bank delivers files in latin-1",
        "Files of the bank are in latin-1.\n\n**How to apply:** convert at the edge.",
    ),
    memory("contact", "Questions on tariffs go to Ilse", "Questions on tariffs go to Ilse in the back office."),
    memory("seed", "Experiments use seed 42", "Every experiment sets the seed to 42.\n\n**Why:** comparisons."),
    memory("split-ratio", "The hold-out is 20% of the data", "20% of the data is held out.\n\n**Why:** small classes."),
    memory("style-plots", "Plots are saved as PNG", "Plots are saved as PNG with 150 dpi.\n\n**Why:** the journal."),
    memory("cache-dir", "Raw data is cached under `data/raw`", "Downloads are cached under `data/raw`."),
    memory("timeout-probe", "The probe gives up after 5 seconds", "The probe gives up after 5 seconds."),
)
REPLACED_IN_OFFICE = [
    # (memory, what the assistant said, what the user says, what stands in the memory then)
    (
        "lab-freezer-owner",
        "A: I would ask Henrike about the freezer.",
        "henrike left in june, ask Tobias about the freezers now",
        "Tobias",
    ),
    (
        "scan-tool",
        "A: I ran scantailor over the pages.",
        "we switched to unpaper for the scans last month, scantailor is not maintained",
        "unpaper",
    ),
    (
        "archive-path",
        "A: Copied to /srv/archive/surveys.",
        "the archive moved, finished surveys go to /mnt/vault/surveys now",
        "/mnt/vault/surveys",
    ),
    (
        "import-command",
        "A: I would run `make import-prices`.",
        "make import-prices is gone, the price list is imported with `just prices` since the rewrite",
        "just prices",
    ),
    (
        "poll-interval",
        "A: ok",
        "30 seconds was too slow for the valve. sensors are polled every 10 seconds now",
        "10 seconds",
    ),
    ("review-count", "A: ok", "the solver needs three reviewers from now on, after the incident", "three reviewers"),
    (
        "release-train",
        "A: The next release is on Monday.",
        "releases are cut on wednesdays now, still every second week",
        "Wednesday",
    ),
    ("report-time", "A: ok", "sales asked for it: the report goes out at 6:45 now", "6:45"),
    ("java-version", "A: ok", "we build the rules engine with java 21 now, client agreed", "21"),
    ("log-level", "A: ok", "log level in production is INFO now, disks are bigger", "INFO"),
    ("docs-home", "A: I linked the Confluence page.", "the handbook moved from confluence to notion", "notion"),
    ("test-db", "A: ok", "no sqlite any more. the test suite runs against postgres since this sprint", "postgres"),
    ("battery-cutoff", "A: ok", "new cells are in. the rover drives home at 15% now", "15%"),
    (
        "speed-limit",
        "A: It moves at 0.5 m/s.",
        "safety signed off 0.8, so near people the arm may go 0.8 m/s from now on",
        "0.8",
    ),
    (
        "deploy-host",
        "A: Netlify built it.",
        "the site is deployed to cloudflare pages now, netlify got too expensive",
        "cloudflare",
    ),
    ("cutoff-date", "A: ok", "they extended it, claims of last year may be entered until april 30", "April 30"),
    ("batch-hour", "A: ok", "the nightly batch starts at 23:30 since monday, branches stay open longer", "23:30"),
    ("field-length", "A: I padded it to 10 digits.", "policy numbers have 12 digits since the merger", "12 digits"),
    ("baud", "A: ok", "the new cable is in, motor controller runs at 921600 baud now", "921600"),
    ("contact-claims", "A: ok", "mrs Adebayo retired. claim codes are with Mr Lindqvist now", "Lindqvist"),
    ("comments-lang", "A: ok", "comments in english from now on, the new people do not read german", "english"),
]
REPLACED_IN_LAB = [
    (
        "grip-force",
        "A: I kept the force at 40 N in the new test.",
        "the cups are thicker since may. grip force goes up to 55 N, I changed the drawing already",
        "55 N",
    ),
    (
        "estop-owner",
        "A: I asked Dmitri for his signature.",
        "dmitri is on the other team now, Yara signs off the emergency stop",
        "Yara",
    ),
    (
        "bus-rate",
        "A: ok",
        "with the new motor boards the can bus runs at 500 kbit/s, please use that everywhere",
        "500 kbit/s",
    ),
    (
        "flash-tool",
        "A: I ran openocd.",
        "we use probe-rs for flashing now, openocd is gone from the lab machines",
        "probe-rs",
    ),
    ("camera-rate", "A: The camera gives 15 frames.", "it is 30 frames per second since the new hub", "30 frames"),
    ("camera-rate", "A: ok", "camera used to be at 15 frames, it is at 30 frames per second now", "30 frames"),
    ("night-test-time", "A: ok", "night test starts at 2:30 now, the cleaning people are in the lab until two", "2:30"),
    (
        "image-width",
        "A: I scaled them to 1600.",
        "1600 looks bad on the new layout, pictures are 2000 px wide from now on",
        "2000 px",
    ),
    ("publish-day", "A: ok", "we publish on thursdays now, the newsletter moved too", "Thursday"),
    ("search-engine", "A: ok", "lunr got too slow. search on the site is done with pagefind now", "pagefind"),
    ("build-node", "A: ok", "the host dropped 18, we are on node 22 now for the site build", "22"),
    ("page-size", "A: ok", "lists show 12 entries per page now. three columns, so 12", "12 entries"),
    (
        "claim-limit",
        "A: I used the limit of 5,000.",
        "auditor agreed to more: claims up to 8000 eur are paid automatically from july on",
        "8000",
    ),
    (
        "retention",
        "A: ok",
        "privacy office wants it shorter. rejected claims are kept 3 months from now on",
        "3 months",
    ),
    (
        "batch-size",
        "A: It reads 500 rows at a time.",
        "make that 2000. locks are no problem since the new db, the import reads 2000 rows at a time now",
        "2000",
    ),
    ("error-threshold", "A: It stopped at 50 rows.", "50 was too strict, the run stops at 200 broken rows now", "200"),
    ("file-encoding", "A: ok", "the bank switched, files come in utf-8 since june", "utf-8"),
    ("contact", "A: I would ask Ilse.", "ilse retired. tariff questions go to Bogdan now", "Bogdan"),
    ("seed", "A: ok", "seed is 7 from now on, 42 is in too many papers", "7"),
    ("style-plots", "A: ok", "the journal wants vectors, plots are saved as PDF now", "PDF"),
    ("cache-dir", "A: ok", "downloads are cached under /scratch/raw now, the disk was full", "/scratch/raw"),
]
LEFT = [
    # the same small words, and nothing that could stand in a memory's place
    "pictures on the site are broken now",
    "the report goes out at noon today",
    "the site is deployed to the preview for now",
    "the price list is imported with errors since yesterday",
    "the handbook moved to the top of the menu now",
    "comments in this file from now on please",
    "tobias is on holiday now, ask Petra meanwhile",
    "surveys go to the printer now",
    "the test suite runs against the wall again",
    "jobs fail with timeouts now",
    "the scans go to Marta now for checking",
    "in production the log level is too low now",
    "finished surveys are in the mail now",
    "the rover drives to the dock now",
    "switched to the other branch, the scans are there",
    "I moved to the second floor, find me there now",
    "claim codes are with the printer now",
    "the release is on hold since monday",
    "the test suite is green now",
    "the batch is done now",
    "the menu is in english now on the demo page",
    "Lena asked about the freezers, tell her they are fine now",
    "Henrike is back now, all good",
    "the arm moves to the left now",
    "we went to postgres meetup yesterday, tests are with me now",
    "ok the import works with the new file now",
    "a release is cut from this branch now",
    "the site is in the cache now",
]


@pytest.mark.parametrize(
    ("store", "name", "before", "said", "value"),
    [*((OFFICE, *case) for case in REPLACED_IN_OFFICE), *((LAB, *case) for case in REPLACED_IN_LAB)],
    ids=lambda one: one[:40] if isinstance(one, str) else "",
)
def test_what_is_said_later_takes_its_place(store, name: str, before: str, said: str, value: str) -> None:
    (change,) = changes(store, session("hi, look at this please", before, said))
    assert (change.kind, change.memories) == (Kind.REPLACE, (name,))
    assert value.lower() in f"{change.drafts[0].description} {change.drafts[0].body}".replace(",", "").lower()


@pytest.mark.parametrize("said", LEFT)
def test_words_in_the_same_place_that_are_no_such_thing_change_nothing(said: str) -> None:
    assert changes(OFFICE, session("hi, look at this please", "A: Done, I changed the files.", said)) == []


def test_an_old_value_is_no_news_when_another_was_given_later() -> None:
    first = session("hi", "A: ok", "the site is built with node 20 now", name="s1")
    later = session("hi", "A: ok", "the site went up again, it is on node 22 now", name="s2", day=3)
    changed = [one for one in changes(LAB, first, later) if one.kind is Kind.REPLACE]
    assert all("20" not in one.drafts[0].body for one in changed)


def test_of_two_values_in_one_message_the_last_counts() -> None:
    talk = session("hi", "A: ok", "articles go online on fridays now. no, articles go online on thursdays now")
    replaced, *_ = decided(LAB, talk)
    assert "Thursday" in replaced.drafts[0].body


def test_a_weekday_that_something_happened_on_sets_nothing() -> None:
    assert changes(LAB, session("hi", "A: ok", "articles: thursday collides with the newsletter now")) == []


def test_a_number_for_one_of_two_memories_named_alike_goes_to_the_one_meant() -> None:
    pair = (
        memory(
            "pool-size-writer", "The writer keeps at most 8 connections", "The writer keeps at most 8 connections open."
        ),
        memory(
            "pool-size-reader",
            "The reader keeps at most 20 connections",
            "The reader keeps at most 20 connections open.",
        ),
    )
    (change,) = changes((*OFFICE, *pair), session("hi", "A: ok", "the writer keeps at most 12 connections now"))
    assert change.memories == ("pool-size-writer",)


def test_a_bare_figure_that_is_not_the_memorys_thing_changes_nothing() -> None:
    talk = session("hi", "A: ok", "we had 7 of those seeds in the paper now and 3 are wrong")
    assert changes(LAB, talk) == []


def test_notices_name_the_memory_whose_value_was_given_again() -> None:
    first = session("hi", "A: ok", "the site is built with node 20 now")
    later = session("hi", "A: ok", "the site is built with node 22 now", name="s2", day=3)
    assert mined(LAB, first)[0].candidates
    assert len([one for one in changes(LAB, first, later) if one.kind is Kind.REPLACE]) == 1
