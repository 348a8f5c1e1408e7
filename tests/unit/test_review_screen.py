"""A decision as rows: folded where nothing changed, marked where there are no colours, harmless whatever it holds."""

from __future__ import annotations

import pytest

from memgit.core.review.dossier import Dossier, Glimpse, NotFound, Quotation, Sight, TextChange, Turn, dossier
from memgit.core.review.screen import decision_rows, help_rows, list_rows, picture_rows, title
from memgit.core.review.state import KEYS, opened, rejected, step
from memgit.model.decision import Decision, Kind, Said, Seen
from memgit.model.session import Role
from memgit.model.store import StoreContent, StoreFile
from memgit.model.verification import Change
from memgit.text.layout import Run, Style, plain, width

DECISION = Decision("M1", Kind.UPDATE, "The code has 5.", memories=("retry-budget",), results=("retry-budget",))
TEXT = "one\ntwo\nthree\nfour\nthe budget is 3 tries\nsix\nseven\n"


def rows(made: Dossier, columns: int = 60, *, whole: bool = False, marks: bool = True) -> list[str]:
    review = opened([made.decision])
    return [plain(row) for row in decision_rows(made, review, columns, whole=whole, marks=marks)]


def made(*changes: TextChange, quotations=(), sights=(), not_found=()) -> Dossier:
    return Dossier(DECISION, "The code has 5.", changes, quotations, sights, not_found)


def test_unchanged_lines_are_folded_but_for_the_neighbours():
    shown = rows(made(TextChange("retry-budget.md", TEXT, TEXT.replace("3", "5"))))
    assert shown == [
        "M1 update retry-budget",
        "1 of 1, open",
        "The code has 5.",
        "",
        "retry-budget.md changes:",
        "  … 3 more lines",
        "  four",
        "  the budget is [-3-]{+5+} tries",
        "  six",
        "  seven",
    ]


def test_the_whole_text_is_folded_nowhere():
    shown = rows(made(TextChange("retry-budget.md", TEXT, TEXT.replace("3", "5"))), whole=True)
    assert shown[5:] == ["  one", "  two", "  three", "  four", "  the budget is [-3-]{+5+} tries", "  six", "  seven"]


def test_colours_need_no_marks():
    change = made(TextChange("a.md", "3 tries\n", "5 tries\n"))
    row = list(decision_rows(change, opened([DECISION]), 60, whole=False, marks=False))[5]
    assert row == (Run("  "), Run("3", Style.REMOVED), Run("5", Style.ADDED), Run(" tries"))


def test_a_text_that_goes_is_shown_without_its_frontmatter_but_for_the_description():
    text = "---\nname: a\ndescription: what it is\n---\n\nThe fact.\n"
    assert rows(made(TextChange("a.md", text, None)))[4:] == [
        "a.md goes:",
        "- description: what it is",
        "-",
        "- The fact.",
        "  … 3 more lines",
    ]


def test_a_long_turn_is_cut_around_the_quote_and_the_quote_never():
    quote = "We moved it to 15 minutes."
    text = "before " * 40 + quote + " after" * 40
    start = text.index(quote)
    turns = (Turn(Role.ASSISTANT, None, "x " * 200), Turn(Role.USER, None, text, (start, start + len(quote))))
    said = Said("aec3f868-4d14", quote, time="2026-06-03T09:44:27+00:00")
    shown = rows(made(quotations=(Quotation(said, turns),)), 80)
    assert shown[4] == "Said in session aec3f868, 2026-06-03:"
    joined = " ".join(" ".join(shown[5:]).split())
    assert quote in joined
    assert joined.startswith("agent: x x")
    assert "> you: …" in joined
    assert len(joined) < 450
    assert len(" ".join(rows(made(quotations=(Quotation(said, turns),)), 80, whole=True))) > 800


@pytest.mark.parametrize(
    ("where", "glimpse", "told"),
    [
        (
            "tree:limits.py:3",
            Glimpse(Change("763318c0ffee", "2026-05-11", "Raise it"), holds=True),
            ["Seen in limits.py:3: RETRY = 5", "  commit 763318c (2026-05-11, Raise it)"],
        ),
        (
            "commit:763318c0ffee",
            Glimpse(Change("763318c0ffee", "", "Raise it"), holds=False),
            [
                "Seen in commit 763318c0ffee: RETRY = 5",
                "  commit 763318c (Raise it)",
                "  It does not stand there any more.",
            ],
        ),
        ("memory:other", Glimpse(), ["Seen in memory other: RETRY = 5"]),
        ("index:31", Glimpse(), ["Seen in line 31 of the index: RETRY = 5"]),
    ],
)
def test_what_is_seen_is_told_with_its_commit_and_whether_it_still_stands(where, glimpse, told):
    assert rows(made(sights=(Sight(Seen(where, "RETRY = 5"), glimpse),)))[4:] == told


def test_a_name_that_the_tree_lacks_is_told_with_the_reason():
    lacking = NotFound("retry-budget", "docs/old.md", "renamed", "renamed to docs/new.md")
    assert rows(made(not_found=(lacking,)), 90)[4:] == [
        "retry-budget names `docs/old.md`, which the working tree lacks (renamed to docs/new.md)."
    ]


def test_the_list_and_the_picture_tell_how_the_answers_stand():
    other = Decision("M2", Kind.ADD, "New.", results=("tests",))
    review = step(opened([DECISION, other]), rejected("no")).review
    assert list(list_rows(review)) == ["- M1 update retry-budget", "  M2 add tests"]
    assert [plain(row) for row in picture_rows(review, None, 100, adopts=False)] == [
        "1 open, 1 rejected.",
        "The candidate was edited by hand where an answer would change it again.",
    ]


def test_what_hostile_memories_hold_reaches_no_terminal():
    evil = "\x1b]0;owned\x07 \u202egpj.exe \ud800 ghp_" + "a1B2" * 9
    decision = Decision(
        "M1", Kind.UPDATE, evil, memories=(evil,), results=(evil,),
        writes={f"{evil}.md": evil.encode("utf-8", "replace")},
        evidence=(Said("aec3f868", evil), Seen(f"memory:{evil}", evil)), leaves_out=(evil,),
    )  # fmt: skip
    read = StoreContent({f"{evil}.md": StoreFile(f"{evil}.md", b"\x00\xff\x1b[2J")})
    made_ = dossier(decision, read, [], {}, [NotFound(evil, evil, evil, evil)])
    review = opened([decision])
    shown = [*rows(made_, 40), *rows(made_, 40, whole=True), *list_rows(review), title(decision)]
    text = "\n".join(shown)
    assert text.encode()  # no lone surrogate
    assert not [char for char in text if not (char.isprintable() or char == "\n")]
    assert "a1B2a1B2" not in text
    assert max(map(width, rows(made_, 40))) <= 40


def test_the_help_fits_a_screen_of_80_by_24():
    shown = [plain(row) for row in help_rows("2026-11-29.3", 80)]
    assert len(shown) <= 23
    assert max(map(width, shown)) <= 80


def test_a_key_is_told_briefly_where_there_is_little_room():
    assert [key.brief for key in KEYS if key.letter in "rmy"] == ["reject it", "more", "adopt what stands"]
