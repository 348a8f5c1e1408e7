"""The checkable details of a text, when one is missing, and what was left out on purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.text.details import details, lost, missing


def told(text: str) -> list[str]:
    return [detail.text for detail in details(text)]


def gone(wanted: str, text: str) -> list[str]:
    return [detail.text for detail in missing(details(wanted), text)]


def test_names_come_first_and_amounts_after_them() -> None:
    text = "Run `make deploy` of src/app.py at https://ci.example/x, --fast, with DEPLOY_WINDOW for 15 minutes."
    names = ["make deploy", "https://ci.example/x", "src/app.py", "--fast", "DEPLOY_WINDOW"]
    assert told(text) == [*names, "15 minutes"]
    assert told(f"{text} {text}")[: len(names)] == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call buildIndex and get_user", ["buildIndex", "get_user"]),
        ("the HTTP API of app.py on web2", ["HTTP", "API", "app.py", "web2"]),
        ("in ~/bin and /etc/hosts", ["~/bin", "/etc/hosts"]),
        ("``a ` b`` is one span", ["a ` b"]),
        ("v1.2.3 and v2 of lib2", ["lib2", "v1.2.3", "v2"]),
        ("plain words only", []),
    ],
)
def test_a_name_is_told_by_its_letters(text: str, found: list[str]) -> None:
    assert told(text) == found


def test_labels_and_links_to_memories_are_no_details() -> None:
    assert told("**Why:** because. **How to apply:** see [[deploy-window]] and [it](deploy-window.md).") == []


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("15 minutes", "the window is 900 s"),
        ("15 minutes", "fifteen minutes"),
        ("`RETRY_BUDGET`", "the RETRY_BUDGET variable"),
        ("`make  deploy`", "run make deploy"),
        ("v1.2.3", "since 1.2.3"),
        ("1,000 requests", "1000 requests"),
        ("src/app", "in `src/app`."),
    ],
)
def test_another_spelling_holds_the_detail(wanted: str, text: str) -> None:
    assert gone(wanted, text) == []


@pytest.mark.parametrize(
    ("wanted", "text", "left"),
    [
        ("15 minutes", "15 seconds", ["15 minutes"]),
        ("15 minutes", "", ["15 minutes"]),
        ("`make deploy`", "make deployment", ["make deploy"]),
        ("v1.2.3", "v1.2.4", ["v1.2.3"]),
        ("RETRY_BUDGET", "RETRY_BUDGETS", ["RETRY_BUDGET"]),
    ],
)
def test_a_detail_that_is_gone_is_named(wanted: str, text: str, left: list[str]) -> None:
    assert gone(wanted, text) == left


def test_what_is_left_out_on_purpose_is_not_lost() -> None:
    before = ["It has 15 minutes and `RETRY_BUDGET`.", "15 minutes are enough."]
    assert [each.text for each in lost(before, "Nothing of it.")] == ["RETRY_BUDGET", "15 minutes"]
    assert lost(before, "Nothing of it.", ("the 15 minutes", "RETRY_BUDGET")) == ()
    assert [each.text for each in lost(before, "Nothing of it.", ("900 s",))] == ["RETRY_BUDGET"]
    assert lost(before, " ".join(before)) == ()


PIECES = st.sampled_from(
    [
        "`make x`",
        "src/app.py",
        "15 minutes",
        "RETRY_BUDGET",
        "twenty",
        " ",
        "\n",
        ", ",
        "word",
        "v1.2",
        "[[x]]",
        "**Why:**",
        "%",
    ]
)


@given(st.lists(PIECES, max_size=10).map("".join))
def test_a_text_misses_none_of_its_own_details(text: str) -> None:
    assert gone(text, text) == []
