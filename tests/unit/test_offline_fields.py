"""Talk of many fields, terse and chatty: what it changes and adds, and all that sounds alike and must change nothing."""

# ruff: noqa: E501, C408 - one memory or case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.unit.offline_world import OTHERS, changes, memory, session

FIELDS = dict(
    imu=(
        "The IMU is sampled at 100 Hz",
        "The IMU is read at 100 Hz over SPI (`imu_rate`).\n\n**Why:** the filter was tuned for it.",
    ),
    battery=(
        "Low battery cut-off at 10.5 V",
        "The robot shuts down below 10.5 V (three cells).\n\n**Why:** the cells swell.",
    ),
    wheel=("Wheel diameter is 80 mm", "Odometry assumes wheels of 80 mm diameter (`WHEEL_MM`)."),
    toolchain=(
        "Firmware is built with GCC 10",
        "The firmware is compiled with arm-none-eabi GCC 10; newer ones break the linker script.",
    ),
    flashing=("Boards are flashed over the ST-Link", "Boards are flashed with the ST-Link and `make flash`."),
    lead=("Mika decides on the motor protocol", "Questions on the motor protocol go to Mika, who decides."),
    theme=(
        "The site uses the Hugo theme paper",
        "The blog is built with Hugo and the theme `paper`, vendored under `themes/paper`.",
    ),
    deploysite=("The site is deployed by rsync to web1", "Deploy is `make publish`, an rsync to `web1.example.org`."),
    images=("Images are WebP at quality 75", "Pictures are converted to WebP with quality 75 before commit."),
    feed=("The feed lists 20 posts", "The RSS feed holds the last 20 posts in full."),
    kernel=("Notebooks run on the py310 kernel", "All notebooks use the kernel `py310`."),
    dataset=("Training data is the 2023 snapshot", "Experiments read `data/snapshot-2023.parquet`."),
    seed=("Random seed is 7", "Every notebook sets the seed to 7."),
    testsplit=("Test split is 20 percent", "Hold out 20 percent of the patients for testing."),
    reserve=(
        "Claims above 10,000 EUR need a second look",
        "A claim over 10,000 EUR goes to a second adjuster before payment.",
    ),
    batchstart=("The nightly batch starts at 01:30", "The claims batch is started by cron at 01:30."),
    filedrop=("Partner files arrive in /in/partners", "Partners drop their files in `/in/partners` by SFTP."),
    codec=("Partner files are ISO-8859-1", "Files from partners are encoded in ISO-8859-1."),
    retry=("Failed records are retried three times", "A record that fails is retried three times, then parked."),
    figs=("Figures are saved as PNG", "Figures go to `figs/` as PNG with 150 dpi."),
)
STORE = tuple(memory(name, *claim) for name, claim in (*FIELDS.items(), *OTHERS.items()))
DID = "A: I changed the file, ran it and committed the result."

REPLACED = [
    ("battery", "A: I kept the cut-off of 10.5 V.", "no, that's the old pack. with the new one it's 9.9 V", "9.9"),
    ("toolchain", "A: The CI image has GCC 12.", "right, linker script got fixed, so we moved to gcc 12", "12"),
    (
        "lead",
        "A: I would ask Mika about the frame format.",
        "Mika's left the team, it's Jonas for anything motor protocol now",
        "Jonas",
    ),
    ("lead", "A: Shall I change the frame?", "ask Jonas first, he took over the motor protocol from Mika", "Jonas"),
    ("deploysite", "A: rsync to web1 timed out.", "web1 was shut down, the site lives on web3.example.org now", "web3"),
    ("deploysite", "A: `make publish` ran rsync.", "we deploy with netlify now, no more rsync", "netlify"),
    ("images", "A: I converted the picture to WebP.", "we do AVIF now instead of WebP", "AVIF"),
    ("kernel", "A: The kernel py310 is missing.", "py310 got removed, notebooks run on py312", "py312"),
    (
        "dataset",
        "A: I read data/snapshot-2023.parquet.",
        "that's outdated, we use data/snapshot-2025.parquet",
        "snapshot-2025",
    ),
    (
        "testsplit",
        "A: 20 percent of the patients are held out.",
        "reviewers wanted more, so it's a quarter now: 25 percent held out",
        "25",
    ),
    (
        "batchstart",
        "A: The batch log begins at 02:00.",
        "yes, ops pushed the batch to 2am because of the backup window",
        "2",
    ),
    (
        "filedrop",
        "A: /in/partners is empty.",
        "partners drop into /srv/sftp/incoming now, the old directory is dead",
        "/srv/sftp/incoming",
    ),
    ("codec", "A: The umlauts are broken.", "they send utf-8 since the portal update, no more iso-8859-1", "utf-8"),
    ("codec", "A: I decode as ISO-8859-1.", "partner files are UTF-8 now", "UTF-8"),
    ("retry", "A: The record was retried three times.", "five. we changed that after the outage", "five"),
    ("figs", "A: Saved as PNG.", "the journal wants vector graphics: figures are saved as PDF from now on", "PDF"),
]
"""The memory, what the assistant said, what the user says, and what the memory holds then."""

UNTOUCHED = [
    (
        "A: I read data/snapshot-2023.parquet.",
        "that's outdated, the cache I mean. we use data/cache.parquet for the plots",
    ),
    ("A: I read data/snapshot-2023.parquet.", "write the result to data/out-2023.parquet now"),
    ("A: I read data/snapshot-2023.parquet.", "we now write the plots to figs/june.parquet"),
    (
        "A: I read data/snapshot-2023.parquet and wrote out.csv.",
        "the csv is outdated, we send data/out.xlsx to the clinic",
    ),
    ("A: The old file out.csv was removed.", "good. we use data/other.parquet for the sanity check"),
    ("A: /in/partners is empty.", "the ack files go into /out/acks now"),
    ("A: /in/partners is empty.", "partners get their answers in /out/partners since May"),
    ("A: I decode as ISO-8859-1.", "our own export is UTF-8 now"),
    ("A: I decode as ISO-8859-1.", "the terminal is utf-8 now, so it shows fine"),
    ("A: I converted the picture to WebP.", "we do the cropping in gimp now instead of by hand"),
    ("A: I converted the picture to WebP.", "use PNG instead of WebP for the logo"),
    ("A: I converted the picture to WebP.", "we do screenshots as PNG now"),
    ("A: The kernel py310 is missing.", "my kernel got removed, I run on py312 at home"),
    ("A: The kernel py310 is missing.", "the cache was removed, restart on the server"),
    ("A: rsync to web1 timed out.", "web1 was shut down for an hour, try web1 again"),
    ("A: rsync to web1 timed out.", "the staging site is deployed to web9.example.org now"),
    ("A: `make publish` ran rsync.", "we deploy the docs with netlify now"),
    ("A: The theme paper has no dark mode.", "the docs moved to the theme congo"),
    ("A: The theme paper has no dark mode.", "we've switched to dark mode in the editor"),
    ("A: I would ask Mika about the frame format.", "Jonas took over the meeting, so ask him about the room"),
    ("A: I would ask Mika about the frame format.", "Mika took over the gearbox from Jonas"),
    ("A: Boards are flashed with `make flash`.", "the flash was removed from the photo, we shoot over daylight now"),
    ("A: No ST-Link found.", "we debug over USB now"),
    ("A: No ST-Link found.", "log output goes over the UART these days"),
    ("A: The batch log begins at 02:00.", "the report batch was moved to 2am, ours stays"),
    ("A: At 10.5 V the cells are at 3.5 V each.", "the charger now cuts off at 12.6 V"),
    ("A: I kept the cut-off of 10.5 V.", "no, the servo rail is 9.9 V"),
    ("A: The seed is 7.", "it's 42 rows now since the filter"),
    ("A: I set the seed to 7.", "it's 3 minutes now since the cache"),
    ("A: Converted with quality 75.", "85 of them look fine"),
    ("A: The feed lists 20 posts.", "it has 35 entries since the import, strange"),
    ("A: The limit is 10,000 EUR.", "the customer raised that to 15,000 in the mail, but we don't accept it"),
    ("A: The limit is 10,000 EUR.", "the invoice is 15,000 now"),
    ("A: The record was retried three times.", "five records were moved by hand"),
    ("A: The IMU runs at 100 Hz.", "the screen is at 120 Hz since the update"),
    ("A: The IMU runs at 100 Hz.", "I moved the logger to 50 Hz after the crash"),
    ("A: Which compiler should I use?", "clang 15 for the simulator. we upgraded last month"),
    ("A: GCC 10 builds it.", "the host tools use GCC 13 now"),
    ("A: The wheels have 80 mm.", "the casters are 40 mm now"),
    ("A: I copied `themes/paper`.", "I moved themes/paper to themes/old for a minute, put it back please"),
    ("A: I found `WHEEL_MM` and `imu_rate`.", "renamed it to imu_hz? no idea, maybe"),
    ("A: I looked at `WHEEL_MM`.", "`make flash` is gone in my shell, use the full path /usr/bin/make"),
    ("A: I ran `make publish`.", "`make publish` was removed from the menu, I use the terminal"),
    ("A: The rsync to web1 works.", "I dropped web1 from my hosts file, now it works with web2 in the browser"),
    ("A: ok", "for the demo run the imu at 400 Hz"),
    ("A: ok", "what about 400 Hz for the imu?"),
    ("A: ok", "on the test bench the cut-off is 9.0 V"),
    ("A: The limit is 10,000 EUR.", "this claim is 15,000 EUR, why was it not stopped?"),
    ("A: Done.", "use seed 1 here so that we can compare"),
    ("A: Done.", "we could go to 85 mm wheels some day"),
    ("A: Done.", "the other blog uses congo"),
    ("A: Done.", "the batch ran until 2am yesterday"),
    ("A: Done.", "Jonas had a look at the motor protocol with Mika yesterday"),
    ("A: Done.", "convert this one with quality 95"),
    ("A: Done.", "the feed shows 12 posts on my phone, why?"),
    ("A: The record failed.", "it failed five times today"),
    ("A: Done.", "py312 notebooks crash for me"),
    ("A: Done.", "we tried netlify once, never again"),
    ("A: Should I set the cut-off to 10.8 V?", "hm, let me measure first"),
    ("A: Should I set the seed to 42?", "yes for this one"),
    ("A: I could move the batch to 02:00.", "maybe, ask ops"),
    ("A: Done.", "the old wheels were 85 mm"),
    ("A: The limit is 10,000 EUR.", "yes, the customer moved to 15,000 in the second mail"),
    ("A: The limit is 10,000 EUR and this claim was 12,000.", "right, it's 15,000 now with the hotel"),
    ("A: I set the seed to 7 and ran 12 epochs.", "it's 42 now since the restart, see the log"),
    ("A: I set the seed to 7.", "42 of the cells fail since the update"),
    ("A: The test took 7 minutes with the seed.", "it's 42 on my machine since the fan broke"),
    ("A: The feed lists 20 posts, 3 are broken.", "it's 5 now"),
    ("A: The feed lists 20 posts.", "yes, we moved 10 of them to the archive"),
    ("A: I kept the cut-off at 10.5 V; the pack reads 11.2 V.", "it's 9.9 V now, plug it in"),
    ("A: The IMU is read at 100 Hz.", "yes, and the camera runs at 200 since the update"),
    ("A: The IMU is read at 100 Hz.", "yes, the log has 200 lines since monday"),
    ("A: Failed records are retried three times.", "five since midnight"),
    ("A: A record is retried three times, then parked.", "yes, we have 15 parked since the outage"),
    ("A: Hold-out is 20 percent, the error is 4 percent.", "it's 6 now with the new cohort"),
    ("A: The batch starts at 01:30.", "it started at 03:10 after the reboot"),
    ("A: The batch starts at 01:30.", "yes, it's 02:10 now and still no log"),
    ("A: Quality is 75, the file has 80 kB.", "it's 120 kB now"),
    ("A: Wheels are 80 mm.", "they're 85 mm apart now"),
    ("A: The limit is 10,000 EUR.", "yes since 2019"),
    ("A: The limit is 10,000 EUR.", "12k of those records are duplicates now"),
    ("A: The claim is over 10,000 EUR.", "it's 9,000 now, they corrected the invoice"),
    ("A: I ran `make flash`.", "`make flash` is gone, boards are flashed at the bench"),
    ("A: I ran `make flash`.", "make flash is gone, boards are flashed by hand"),
    ("A: rsync to web1 failed.", "web1 is gone, the site is down for today, deploy on friday"),
    ("A: rsync to web1 failed.", "web1 is dead, the deploy is under review with the hoster"),
    ("A: py310 is missing.", "py310 got removed, notebooks run in the browser for the course"),
    ("A: py310 is missing.", "py310 got removed by mistake, notebooks fail with an import error"),
    ("A: I read data/snapshot-2023.parquet.", "the snapshot-2023 file is gone, the data is in the backup"),
    (
        "A: I read data/snapshot-2023.parquet.",
        "data/snapshot-2023.parquet was removed from git, experiments are on hold",
    ),
    ("A: /in/partners is empty.", "/in/partners is gone, partner files are with Lena"),
    ("A: I would ask Mika.", "Mika is out until june, questions on the motor protocol wait in the inbox"),
    ("A: I used the ST-Link.", "the st-link is gone, boards are flashed at the factory by the vendor"),
    ("A: I converted to WebP.", "WebP is out, pictures are shown in the slider"),
]
"""Of another thing, for once, an idea, a look back, an order, a number of what was counted beside."""

LAID_DOWN = [
    "please always rebase before you open a pull request",
    "new notebooks go into notebooks/drafts until somebody reviewed them",
    "you never have to ask before running the tests",
    "i'm a nurse by training, so explain the programming bits slowly",
    "we agreed that all dates in the output files are ISO",
    "a partner file without trailer is incomplete and must be rejected whole",
    "stop adding type hints to the notebooks, they only get in the way",
    "headings are in sentence case on our blog, not title case",
    "every plot needs axis labels with units",
    "when a test is flaky, tell me instead of retrying it",
    "no pip install in notebooks, dependencies go into environment.yml",
    "for the record, the lab's budget code is in the wiki under Finance",
    "I prefer small commits, one idea each",
    "next time leave the formatting of files alone that you don't change",
    "comments should say why, not what",
    "anything that goes to customers is proofread by Lena first",
    "amounts are in cents in all interfaces, only the letters show euros",
    "if a migration takes longer than a minute, it has to run in the maintenance window",
]

OF_THE_DAY = [
    "every test fails on my machine",
    "all tests need to pass before I merge",
    "each row gets a new id, that's the bug",
    "every request goes to the old host, why is that",
    "a user must have clicked it twice",
    "a test should fail here but does not",
    "any idea what the header needs",
    "all three files need the license header, please add it",
    "every column in that table needs a comment, go ahead",
    "no file in the folder gets read, look at the glob",
    "anything that starts with x is skipped by the parser, I think",
    "everything is shown with the wrong colour",
    "whatever comes next goes to Lena",
    "users should see the banner once we deploy",
    "workers should restart after the deploy, do they?",
    "logs must be somewhere under /var",
    "the results should be in the table now",
    "plots should look better with the new theme",
    "you should not see errors any more",
    "you should never see duplicates in that list",
    "a new row needs to be inserted in the table, can you do it",
    "a migration must have run last night",
    "an index should help here",
    "the report goes into reports/june.pdf",
    "the new file goes into src/lib/parse.py",
    "the output is in /tmp/out, not here",
    "my notes are in ~/notes.txt",
    "if a test takes longer than a minute, it has to be the network",
    "if something breaks, it must be the cache",
    "when a row is missing, tell me which one",
    "all of it has to go out today",
    "every second counts, so hurry",
    "each of the two branches needs a rebase",
    "every commit since monday needs a look",
    "all links on this page should be checked",
    "a few rows must be wrong",
    "the year starts in the wrong column",
    "all images in the post need alt text, add them",
    "the customer's invoice must be resent",
    "tickets must have been closed by someone",
    "buttons should be blue on that page",
    "the column has to be nullable for the import to work",
    "a comma is missing",
    "all good, thanks",
    "headers need a bit more space, I think",
    "nothing must be lost when you run the script",
    "every reviewer gets confused by the second paragraph",
    "the script has to run twice, first with the old data",
    "an answer by tomorrow would be fine",
    "the tests in ci have to be fixed first",
    "every test that uses the clock has to be fixed, start with the first",
    "all callers need the new argument",
    "any caller has to pass the tenant now, so change them",
    "each handler must return early, as we did in the first one",
    "functions should return the same type, fix parse_line",
    "a release has to go out by friday",
    "a header has to be added",
    "this kind of error must never reach the user, where does it come from",
    "every endpoint must return json, two of them don't, fix them",
]


@pytest.mark.parametrize(("name", "before", "said", "new"), REPLACED)
def test_news_of_a_memorys_thing_replace_what_it_holds(name: str, before: str, said: str, new: str) -> None:
    (change,) = changes(STORE, session("look at it please", before, said))
    assert (change.kind, change.memories) == (Kind.REPLACE, (name,))
    assert new in change.drafts[0].body


@pytest.mark.parametrize(("before", "said"), UNTOUCHED)
def test_talk_that_only_sounds_alike_changes_no_memory(before: str, said: str) -> None:
    found = changes(STORE, session("look at it please", before, said))
    assert [one.memories for one in found if one.kind is not Kind.ADD] == []


@pytest.mark.parametrize("said", LAID_DOWN)
def test_what_holds_for_all_later_work_is_added(said: str) -> None:
    (added,) = changes(STORE, session("look at it please", DID, said))
    assert added.kind is Kind.ADD


@pytest.mark.parametrize("said", OF_THE_DAY)
def test_what_is_asked_or_told_for_the_day_is_not_added(said: str) -> None:
    assert changes(STORE, session("look at it please", DID, said)) == []
