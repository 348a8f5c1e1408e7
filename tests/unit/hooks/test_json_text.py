from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.agent.installing.settings_edit import inserted, removed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
STYLES = st.sampled_from(
    [
        {"indent": 2},
        {"indent": "\t"},
        {"indent": None},
        {"separators": (",", ":")},
        {"indent": 4, "ensure_ascii": False},
    ]
)


def test_a_member_goes_in_after_the_last_in_the_way_of_the_object() -> None:
    text = '{\n\t"a": [1, 2],\n\t"b": {}\n}'

    assert inserted(text, (), {"x": [1]}, "c") == (
        '{\n\t"a": [1, 2],\n\t"b": {},\n\t"c": {\n\t\t"x": [\n\t\t\t1\n\t\t]\n\t}\n}'
    )


def test_an_element_goes_into_a_list_of_one_line_without_a_line_end() -> None:
    assert inserted('{\n  "a": [1, 2]\n}\n', ("a",), {"x": 3}) == '{\n  "a": [1, 2, {"x": 3}]\n}\n'
    assert inserted('{"a":[1,2]}', ("a",), {"x": 3}) == '{"a":[1,2,{"x":3}]}'


def test_windows_line_ends_stay_windows_line_ends() -> None:
    assert inserted('{\r\n  "a": 1\r\n}\r\n', (), [2], "b") == '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n'


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (("a",), '{ "b":[ 1 ,2 , 3 ],\n "c" : {} }'),
        (("b",), '{ "a" : "x]}," ,\n "c" : {} }'),
        (("c",), '{ "a" : "x]}," , "b":[ 1 ,2 , 3 ] }'),
        (("b", 0), '{ "a" : "x]}," , "b":[ 2 , 3 ],\n "c" : {} }'),
        (("b", 2), '{ "a" : "x]}," , "b":[ 1 ,2 ],\n "c" : {} }'),
    ],
)
def test_what_is_taken_out_takes_one_comma_along(path: tuple[str | int, ...], left: str) -> None:
    text = '{ "a" : "x]}," , "b":[ 1 ,2 , 3 ],\n "c" : {} }'

    assert "".join(removed(text, path).split()) == "".join(left.split())
    assert json.loads(removed(text, path)) == json.loads(left)


@given(value=st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4), new=VALUES, style=STYLES)
def test_what_goes_in_comes_out_again_to_the_last_character(value: dict, new: object, style: dict) -> None:
    text = json.dumps(value, **style)
    name = "".join(value) + "new"

    more = inserted(text, (), new, name)

    assert json.loads(more) == {**value, name: new}
    assert removed(more, (name,)) == text
