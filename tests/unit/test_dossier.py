"""What is gathered of one decision before somebody answers it."""

from __future__ import annotations

from datetime import UTC, datetime

from memgit.core.review.dossier import Glimpse, NotFound, TextChange, dossier, quotation
from memgit.model.decision import Decision, Kind, Said, Seen
from memgit.model.session import Digest, Message, Role
from memgit.model.store import StoreContent, StoreFile
from memgit.model.verification import Change
from memgit.text.diff import Piece

NOON = datetime(2026, 6, 3, 12, tzinfo=UTC)


def talk(*turns: tuple[Role, str], session: str = "session-one") -> Digest:
    return Digest(1, tuple(Message(session, f"r{at}", NOON, role, text) for at, (role, text) in enumerate(turns)))


USER, AGENT = Role.USER, Role.ASSISTANT
WINDOW = talk(
    (USER, "a timeline please"),
    (AGENT, "Here is a draft."),
    (USER, "good.\n\nWe moved the window\nto 15 minutes. \x1b[31mred"),
    (AGENT, "The number lives in one place."),
    (USER, "no override, I looked"),
    (AGENT, "Done."),
)


def test_a_quote_stands_among_two_turns_on_either_side_and_its_span_is_that_of_the_shown_text():
    found = quotation(Said("session-one", "We moved the window to 15 minutes."), [WINDOW])
    assert [turn.text for turn in found.turns] == [
        "a timeline please",
        "Here is a draft.",
        r"good. We moved the window to 15 minutes. \x1b[31mred",
        "The number lives in one place.",
        "no override, I looked",
    ]
    start, end = found.turns[2].quote
    assert found.turns[2].text[start:end] == "We moved the window to 15 minutes."
    assert [turn.quote for turn in found.turns if turn.quote] == [(6, 40)]


def test_turns_of_other_sessions_are_no_context():
    elsewhere = talk((USER, "something else entirely"), session="session-two")
    found = quotation(Said("session-one", "no override, I looked"), [elsewhere, WINDOW], around=1)
    assert [turn.text for turn in found.turns] == ["The number lives in one place.", "no override, I looked", "Done."]


def test_a_quote_that_stands_nowhere_says_why():
    found = quotation(Said("session-one", "We kept the window as it was"), [WINDOW])
    assert found.turns == ()
    assert found.why_not == 'No message of session session- says "We kept the window as it was" word for word.'


def test_the_texts_before_and_after_are_those_of_the_store_that_was_read_without_secrets():
    secret = "ghp_" + "a1B2" * 9
    read = StoreContent(
        {"a.md": StoreFile("a.md", f"three tries {secret}\n".encode()), "b.md": StoreFile("b.md", b"b")}
    )
    merge = Decision(
        "M1", Kind.MERGE, f"Same as {secret}.", memories=("a", "b"), results=("a",),
        writes={"a.md": b"five tries\n", "new.md": b"\x1b]0;\xff"}, removes=frozenset({"b.md"}),
    )  # fmt: skip
    made = dossier(merge, read, [], {})
    assert made.justification == "Same as [masked: GitHub token]."
    assert made.changes == (
        TextChange("a.md", "three tries [masked: GitHub token]\n", "five tries\n"),
        TextChange("new.md", None, "\\x1b]0;\ufffd"),
        TextChange("b.md", "b", None),
    )
    assert TextChange("a.md", "three tries\n", "five tries\n").words == (
        Piece("removed", "three"),
        Piece("added", "five"),
        Piece("same", " tries\n"),
    )


def test_what_is_seen_comes_with_what_looking_at_it_now_gives():
    line = Seen("tree:config/limits.py:3", "RETRY_BUDGET = 5")
    own = Seen("memory:retry-budget", "three tries")
    glimpse = Glimpse(Change("763318c0", "2026-05-11", "Raise the budget"), holds=True)
    lacking = NotFound("retry-budget", "docs/old.md", "renamed", "renamed to docs/new.md")
    decision = Decision("M1", Kind.UPDATE, "The code has 5.", evidence=(line, own))
    made = dossier(decision, StoreContent(), [], {line.where: glimpse}, [lacking])
    assert [(sight.seen, sight.glimpse) for sight in made.sights] == [(line, glimpse), (own, Glimpse())]
    assert made.not_found == (lacking,)
