"""New names and places given in passing, and what goes with them: the old one is named by the assistant, or beside."""

# ruff: noqa: E501 - one memory or case a line
from __future__ import annotations

import pytest

from memgit.miners.offline.wording import merged
from memgit.model.decision import Kind, Said
from tests.unit.offline_world import OTHERS, changes, memory, session

SHOP = (
    *(memory(name, *claim) for name, claim in OTHERS.items()),
    memory("readings-queue", "Raw readings go over the queue meter.raw", "Raw readings travel over the queue `meter.raw`; the loader is its only consumer."),
    memory("stage-host", "The staging database is on db-stage-2", "Staging's Postgres runs on `db-stage-2`. The replica lags."),
    memory("release-branch", "Releases are cut from release/next", "Releases are cut from the branch `release/next` and tagged there."),
    memory("lyrics-folder", "Lyrics live in assets/lyrics", "The lyrics are LRC files under `assets/lyrics`, one per song."),
    memory("mail-provider", "Mails go out through Postmark", "Transactional mail is sent through Postmark; its log shows each mail."),
    memory("test-command", "Run composer test before a commit", "Run `composer test` before every commit, it has the style check and the unit tests."),
)  # fmt: skip

GIVEN = [
    ("readings-queue", "A: The panel filters on `meter.raw`. The broker knows only `gauge.meter`.", "right, renamed it to gauge.meter in the cutover. fix the panel", "gauge.meter", "meter.raw"),
    ("lyrics-folder", "A: The new song is not listed.", "oh, I moved assets/lyrics to content/lyrics so the web player can share it", "content/lyrics", "assets/lyrics"),
    ("lyrics-folder", "A: Nothing is there.", "we moved `assets/lyrics` over to `media/lrc`, sorry", "media/lrc", "assets/lyrics"),
    ("test-command", "A: There is no such script.", "That'll be Tom's doing: it's `make check` now instead of `composer test`.", "make check", "composer test"),
    ("release-branch", "A: `release/next` does not exist on the remote. Where should the release be cut from?", "Oh right, I deleted that one! We cut from stable now.", "stable", "release/next"),
    ("mail-provider", "A: I noted that mail goes through Postmark, but there is no token.", "Ah, we are no longer with Postmark, it had become expensive. It all goes through Brevo since Easter.", "Brevo", "Postmark"),
    ("stage-host", "A: I cannot reach `db-stage-2`.", "db-stage-2 is gone. staging is on db-stage-4 now", "db-stage-4", "db-stage-2"),
]  # fmt: skip

NOT_GIVEN = [
    # another thing is renamed, or one that no part of the new name speaks of
    ("A: The handler in `meter.raw` calls `on_data`.", "renamed it to handle_rows, go on"),
    ("A: The panel filters on `meter.raw`.", "should we have it renamed to gauge.meter?"),
    ("A: The queue `meter.raw` and the test queue `meter.tmp` are listed.", "renamed it to `queue-two`"),
    # one file of a folder moves, or a copy does
    ("A: Two songs are missing.", "I moved assets/lyrics-old to content/lyrics-old last year"),
    ("A: Two songs are missing.", "what if we moved assets/lyrics to content/lyrics?"),
    ("A: Two songs are missing.", "moved assets/lyrics to the attic, figuratively, haha"),
    # somebody else's command, or for once
    ("A: All green.", "for this run it's `make check` instead of `composer test`"),
    ("A: All green.", "in the docs build it's `make docs` now instead of `composer docs`"),
    # nothing takes the old one's place, or it is not said to be gone
    ("A: `release/next` is two commits ahead.", "we cut from stable for this release"),
    ("A: `release/next` is two commits ahead.", "I deleted that line in the notes. We look at stable now."),
    ("A: I sent a test mail through Postmark.", "it all goes through the firewall since Easter"),
    ("A: Postmark shows a bounce.", "if we were no longer with Postmark, it would all go through Brevo"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "said", "new", "old"), GIVEN)
def test_what_is_named_in_passing_takes_the_old_names_place(
    name: str, before: str, said: str, new: str, old: str
) -> None:
    (change,) = [one for one in changes(SHOP, session("look at it", before, said)) if one.kind is not Kind.ADD]
    assert (change.kind, change.memories) == (Kind.REPLACE, (name,))
    assert new in change.drafts[0].body
    assert old not in change.drafts[0].body


@pytest.mark.parametrize(("before", "said"), NOT_GIVEN)
def test_what_may_be_meant_otherwise_changes_no_memory(before: str, said: str) -> None:
    assert [one for one in changes(SHOP, session("look at it", before, said)) if one.kind is not Kind.ADD] == []


def test_a_memory_whose_thing_left_is_not_dropped_where_another_one_came() -> None:
    before = (
        "A: I noted that mails go out through Postmark, transactional mail is sent there and its log shows each mail."
    )
    said = "Ah, we are no longer with Postmark. Those mails go through some relay of the hoster since May."
    assert Kind.DROP not in {one.kind for one in changes(SHOP, session("why?", before, said))}


LAID_DOWN = [
    "I don't want emoji in the changelog, it looks like a toy shop.",
    "That's a thing I feel strongly about: nothing that runs in the audio callback may allocate or take a lock, ever.",
    "I would rather be asked before a new package is added.",
    "please don't bring in new dependencies without checking with me first",
    "I'd prefer all queries to be in the repository classes, it makes reviews easier.",
]
NOT_LAID_DOWN = [
    "I don't want it in the changelog",
    "I don't want that line in the file",
    "that's a thing I saw: nothing happened",
    "I would rather wait for the review",
    "I would have asked before the package was added",
    "I'd prefer the second one",
    "I'd prefer a shorter name",
    "nothing may come of it, as ever",
]


@pytest.mark.parametrize("said", LAID_DOWN)
def test_wishes_that_hold_for_a_whole_kind_are_added(said: str) -> None:
    (added,) = changes(SHOP, session("do the export", "A: I wrote it by hand and added a package.", said))
    assert added.kind is Kind.ADD


@pytest.mark.parametrize("said", NOT_LAID_DOWN)
def test_wishes_about_what_is_at_hand_are_not_added(said: str) -> None:
    assert changes(SHOP, session("do the export", "A: I wrote it by hand and added a package.", said)) == []


def test_a_bare_name_in_reply_is_quoted_with_the_sentence_beside_it() -> None:
    before = "A: I cannot reach `db-stage-2`, the name does not resolve. Is there another host?"
    (change,) = changes(
        SHOP, session("the march report takes 9 min, look at it on staging", before, "2 is gone. db-stage-4")
    )
    assert change.memories == ("stage-host",)
    assert [one.quote for one in change.evidence if isinstance(one, Said)] == ["2 is gone. db-stage-4"]
    assert "`db-stage-4`" in change.drafts[0].body


def test_a_title_that_alone_names_something_goes_into_the_merged_text() -> None:
    longer = memory(
        "explain", "Say why a block is sound", "A comment above each block explains why it is sound, in one line."
    )
    titled = memory("blocks", "unsafe Rust needs a comment", "A comment above each block explains why it is sound.")
    assert merged([longer, titled]).body == f"{longer.body} Unsafe Rust needs a comment."


def test_a_title_that_the_bodies_hold_is_not_repeated() -> None:
    longer = memory(
        "explain", "Say why a block is sound", "A comment in Rust explains above each block why it is sound."
    )
    titled = memory("blocks", "Rust needs a comment", "A comment in Rust explains why it is sound.")
    assert "needs" not in merged([longer, titled]).body
