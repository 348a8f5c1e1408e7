"""HTML that cannot be broken out of, and the parts of a page that are drawn from values."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.resources import files

import pytest

from memgit.core.report.outline import Stand
from memgit.core.review.dossier import Quotation, TextChange, Turn
from memgit.memory.apply import Size, size_of
from memgit.memory.index_lines import limits
from memgit.model.decision import Said
from memgit.model.history import Operation, OpKind
from memgit.model.session import Role
from memgit.model.store import ABSENT, StoreContent, StoreFile
from memgit.show.checks import prose, verification
from memgit.show.decisions import LONGEST, quotation, text_change
from memgit.show.markup import Markup, each, joined, listed, tag, text
from memgit.show.page import bar
from memgit.show.timeline import chart, description, panels


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("</script><script>x</script>", "&lt;/script&gt;&lt;script&gt;x&lt;/script&gt;"),
        ("a & b", "a &amp; b"),
        ("\u202edrawkcab", "\\u202edrawkcab"),
        ("nul\0 bell\a", "nul\\x00 bell\\x07"),
        ("half \ud83d", "half \ufffd"),
        ("two\nlines\r\nmore", "two\nlines\nmore"),
    ],
)
def test_a_text_is_inert_in_an_element(given, shown):
    assert tag("p", given) == f"<p>{shown}</p>"


def test_markup_is_not_escaped_a_second_time():
    assert tag("p", tag("b", "<"), " & ", Markup("&lt;")) == "<p><b>&lt;</b> &amp; &lt;</p>"
    assert text(text("<")) == "&lt;"


def test_an_attribute_ends_only_where_it_ends():
    hostile = "\" onclick='x' data-a=\"\u202e\0<"
    made = '<a href="&quot; onclick=&#x27;x&#x27; data-a=&quot;\\u202e\\x00&lt;">x</a>'
    assert tag("a", "x", href=hostile) == made


def test_attributes_are_spelled_left_out_and_bare():
    made = tag("p", class_="a", aria_label="b", data_filter=True, hidden=False, id=None, tabindex=0)
    assert made == '<p class="a" aria-label="b" data-filter tabindex="0"></p>'


def test_an_element_without_content_is_not_closed():
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_parts_that_are_not_there_leave_nothing():
    assert joined("a", None, tag("b")) == "a<b></b>"
    assert listed([]) is None
    assert each("li", ["<", tag("i", "x")]) == "<li>&lt;</li><li><i>x</i></li>"


# --- texts and quotes ---


def test_one_changed_number_is_marked_and_nothing_else():
    made = text_change(TextChange("deploy.md", "It waits 30 minutes.\n", "It waits 15 minutes.\n"))
    assert '<div class="text">It waits <del>30</del><ins>15</ins> minutes.\n</div>' in made
    assert "<h4>Change of deploy</h4>" in made


def test_a_new_text_is_shown_whole_and_one_that_goes_is_folded():
    assert "<h4>New memory a</h4>" in text_change(TextChange("a.md", None, "<new>"))
    gone = text_change(TextChange("a.md", "<old>", None))
    assert gone.startswith("<details><summary>The text of <strong>a</strong> that goes")
    assert "<del>&lt;old&gt;</del>" in gone


def test_a_text_that_stays_is_said_to_stay():
    assert "stays as it is" in text_change(TextChange("a.md", "same", "same"))


def test_of_two_megabytes_a_page_shows_the_beginning_and_says_how_much_is_left():
    made = text_change(TextChange("big.md", None, "x" * 2_000_000))
    assert len(made) < LONGEST + 500
    assert "1,980,000 more characters" in made


def test_a_long_passage_that_stays_is_shortened_between_two_changes():
    middle = "".join(f"line {n}\n" for n in range(1_000))
    made = text_change(TextChange("a.md", f"one 1 here\n{middle}two 2 here\n", f"one 7 here\n{middle}two 8 here\n"))
    assert "characters stay as they are" in made
    assert len(made) < 2_000
    assert "<del>1</del><ins>7</ins>" in made
    assert "<del>2</del><ins>8</ins>" in made


SAID = Said("3f1c9a52-8d0e", "wait 15", time="2026-06-03T09:44:27+00:00")


def test_a_quote_is_marked_inside_its_message_and_its_neighbours_are_told_apart():
    when = datetime(2026, 6, 3, 9, 44, tzinfo=UTC)
    turns = (Turn(Role.ASSISTANT, when, "How long?"), Turn(Role.USER, when, "now wait 15 <b>", (4, 11)))
    made = quotation(Quotation(SAID, turns))
    assert '<div class="turn assistant"><span class="who">Agent · <time' in made
    assert "<p>now <mark>wait 15</mark> &lt;b&gt;</p>" in made


def test_a_quote_without_its_conversation_says_why():
    made = quotation(Quotation(SAID, (), "No message of this pass holds it."))
    assert "<mark>wait 15</mark>" in made
    assert "No message of this pass holds it." in made


def test_a_long_neighbour_is_folded_behind_its_beginning_and_loses_nothing():
    words = " ".join(f"w{n}" for n in range(150))
    made = quotation(Quotation(SAID, (Turn(Role.USER, None, words),)))
    assert "<details><summary>w0 w1" in made
    assert "w149</p></details>" in made


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("`a<b` against **c**", "<code>a&lt;b</code> against <strong>c</strong>"),
        ("an open ` stays <i>", "an open ` stays &lt;i&gt;"),
    ],
)
def test_a_line_of_a_report_keeps_its_code_and_bold(line, made):
    assert prose(line) == made


# --- sizes and the chart ---


def stand(number: int, memories: int, lines: int, units: int, kind: OpKind = OpKind.SNAPSHOT) -> Stand:
    moment = datetime(2026, 1, number, tzinfo=UTC)
    return Stand(
        Operation(number, "c" * 40, kind, moment, f"subject {number}", pass_id="2026-01-02.1"), memories, lines, units
    )


def size(memories: int, lines: int) -> Size:
    return Size(memories, 100, limits(b"- line\n" * lines))


def test_a_store_is_measured_by_its_memories_bytes_and_index():
    files = {
        path: StoreFile(path, data)
        for path, data in (("MEMORY.md", b"- a\n- b\n"), ("a.md", b"12345"), ("x.txt", b"1"))
    }
    measured = size_of(StoreContent(files))
    assert (measured.memories, measured.bytes, measured.index.lines, measured.index.units) == (1, 5, 2, 7)
    assert size_of(ABSENT).memories == 0


def test_the_chart_says_in_words_what_it_shows():
    stands = (stand(1, 4, 6, 349), stand(2, 5, 7, 400))
    assert description(stands, panels(stands, size(3, 5))) == (
        "2 recorded states, 2026-01-01 to 2026-01-02. "
        "Memories: 4 at first, 5 now; this candidate would make it 3. "
        "Index lines: 6 at first, 7 now of at most 200; this candidate would make it 5. "
        "Index size in UTF-16 units: 349 at first, 400 now of at most 25,000; this candidate would make it 34."
    )


def test_the_limit_is_drawn_once_the_curve_comes_near_it():
    far, near = (chart((stand(1, 1, lines, 10),), None) for lines in (10, 180))
    assert 'class="limit"' not in far
    assert 'class="limit"' in near


def test_each_step_of_the_curve_stands_where_its_value_is():
    made = chart((stand(1, 10, 1, 1), stand(2, 5, 1, 1), stand(3, 10, 1, 1)), None)
    assert 'd="M12.0 38.0 H320.0 V74.0 H628.0 V38.0"' in made


def test_an_adopted_pass_is_a_line_with_its_name():
    made = chart((stand(1, 1, 1, 1), stand(2, 2, 1, 1, OpKind.ADOPT)), None)
    assert "<title>op2: subject 2</title>" in made
    assert ">2026-01-02.1</text>" in made


def test_the_bar_never_grows_out_of_its_frame():
    assert 'width="100.0"' in bar(500, 200)
    assert 'class="meter over"' in bar(500, 200)
    assert 'width="25.0"' in bar(50, 200)


def test_an_audit_names_what_is_missing_once():
    record = {
        "classes": {"a": {"class": "unverifiable", "evidence": "looked for `x.py`: not in the tree"}},
        "verification": {
            "a": {"status": "unverifiable", "missing": [{"span": "x.py", "reason": "never seen", "hint": ""}]},
            "b": {
                "status": "unverifiable",
                "missing": [{"span": "y.py", "reason": "renamed", "hint": "renamed to z.py"}],
            },
            "c": {"status": "verified", "missing": []},
        },
    }
    made = "".join(verification(record, ()))
    assert made.count("x.py") == 1
    assert "<code>y.py</code> renamed to z.py" in made
    assert '<summary>1 verified</summary><p class="names"><code>c</code> </p>' in made


def test_on_a_narrow_screen_nothing_is_wider_than_the_screen():
    style = files("memgit.show").joinpath("page.css").read_text()
    wide, narrow = style.split("@media (max-width: 40rem) {", 1)
    fixed = [
        selector.strip()
        for selector, rules in re.findall(r"([^{}]+){([^{}]*)}", wide)
        if any(float(rem) > 20 for rem in re.findall(r"(?:min-width|(?<!-)width): ([\d.]+)rem", rules))
    ]
    lifted = [
        selector.strip()
        for selector, _ in re.findall(r"([^{}]+){([^{}]*min-width: 0[^{}]*)}", narrow.split("\n}\n")[0])
    ]
    unbroken = re.findall(r"([^{}\n]+?) *{[^{}]*white-space: (?:nowrap|pre);", style)

    assert fixed == [".chart svg"]
    assert set(fixed) <= set(lifted)
    assert unbroken == [".badge"]
    assert "overflow-wrap: anywhere" in wide
