"""What holds for any text: masks are final, printed text is inert, quotes of a message are found in it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.evidence.findings import mask, printable, secrets, steering
from memgit.evidence.masks import MASK
from memgit.evidence.quotes import Prose, find_said, fold
from memgit.model.decision import Said
from memgit.model.session import Digest, Message, Role
from memgit.text.details import details, missing
from memgit.text.layout import code, fenced
from memgit.text.layout import line as one_line

PIECES = st.sampled_from(
    [
        "pass=Xy12abcd",
        "token: ",
        "npm_",
        "a1B2c3D4" * 5,
        "://u:",
        "p4ss@h",
        "[masked: password]",
        "`",
        "```",
        "\n",
        " ",
        "not ",
    ]
)
hostile = st.lists(st.one_of(st.text(max_size=8), PIECES), max_size=8).map("".join)
anything = settings(max_examples=80, deadline=None)


@anything
@given(hostile)
def test_masking_is_final_and_findings_lie_within_the_text(text: str) -> None:
    once = mask(text).text
    assert mask(once).text == once
    assert len(MASK.findall(once)) >= len(mask(text).kinds)
    for finding in (*secrets(text), *steering(text)):
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.line == text.count("\n", 0, finding.start) + 1


@anything
@given(hostile)
def test_printed_text_acts_on_no_terminal(text: str) -> None:
    assert all(char in "\n\t" or char.isprintable() or char.isspace() or ord(char) > 0xA0 for char in printable(text))
    assert "\n" not in one_line(text)
    assert "\n" not in code(text)


@anything
@given(hostile)
def test_a_fence_is_never_ended_from_inside(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")
    assert first == last
    assert not any(row.lstrip().startswith(first) for row in inside)


@anything
@given(st.lists(st.sampled_from(["we", "release", "on", "Wednesdays", "`x`", "30", "now."]), min_size=4, max_size=30))
def test_any_run_of_words_of_a_message_is_found_in_it(words: list[str]) -> None:
    text = "\n".join(words)
    digest = Digest(1, (Message("session-1", "r1", None, Role.USER, text),))
    quote = " ".join(words[: max(4, len(words) // 2)])
    found = find_said(Said("session-1", quote), Prose([digest]))
    assert isinstance(found, Said)
    assert found.quote == fold(quote)


@anything
@given(hostile)
def test_a_text_misses_none_of_its_own_details(text: str) -> None:
    assert list(missing(details(text), text)) == []
