"""A secret is found in every form it may have taken, and taken out; what looks like it stays."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from memgit.errors import UsageError
from memgit.evidence.masks import MASK
from memgit.evidence.redaction import REDACTED, Form, of_kind, redaction

SECRET = 'k9"pass/wörd+42'


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (Form.PLAIN, SECRET.encode()),
        (Form.JSON, json.dumps(SECRET).encode()),
        (Form.JSON, json.dumps(SECRET, ensure_ascii=False).encode()),
        (Form.JSON, json.dumps(json.dumps(SECRET)[1:-1]).encode()),
        (Form.URL, quote(SECRET, safe="").encode()),
        (Form.URL, quote(SECRET, safe="").lower().encode()),
        (Form.HTML, SECRET.replace('"', "&quot;").encode()),
        (Form.BASE64, base64.b64encode(SECRET.encode())),
        (Form.BASE64, base64.b64encode(b"x" + SECRET.encode() + b"yz")),
        (Form.BASE64, base64.urlsafe_b64encode(b"xy" + SECRET.encode())),
    ],
)
def test_every_form_is_found_and_taken_out(form, written):
    secret = redaction([SECRET])
    text = b"before " + written + b" after"
    assert secret.forms(text) == {form: 1}
    assert not secret.touches(secret.clean(text))
    assert secret.clean(text).startswith(b"before ")
    assert secret.clean(text).endswith(b" after")


def test_a_secret_of_several_lines_is_found_line_by_line_too():
    key = "-----BEGIN KEY-----\nAAAABBBBCCCCDDDDEEEE\nFFFFGGGGHHHHIIIIJJJJ\n-----END KEY-----\n"
    secret = redaction([key])
    assert secret.clean(key.encode()).strip() == REDACTED.encode()
    assert secret.clean(b"> AAAABBBBCCCCDDDDEEEE\n") == b"> " + REDACTED.encode() + b"\n"
    assert secret.clean(b"-----BEGIN KEY-----\nother") == b"-----BEGIN KEY-----\nother"


def test_white_space_that_a_report_folded_hides_nothing():
    secret = redaction(["correct horse\nbattery"])
    assert secret.clean(b"It is correct horse battery.") == f"It is {REDACTED}.".encode()


def test_the_longer_of_two_secrets_goes_first():
    assert redaction(["abcdef", "abcdefgh"]).clean(b"abcdefgh") == REDACTED.encode()


def test_the_mark_left_behind_is_one_that_the_screening_knows():
    assert MASK.fullmatch(REDACTED)


@pytest.mark.parametrize("wrong", [[], [""], ["  \n"], ["short"], ["redacted"]])
def test_a_text_that_cannot_be_redacted_is_refused(wrong):
    with pytest.raises(UsageError):
        redaction(wrong)


def test_a_redaction_never_shows_its_secrets():
    assert SECRET not in repr(redaction([SECRET]))


def test_the_screening_names_secrets_by_kind_and_line():
    text = "first\nkey AKIA" + "ABCDEFGHIJKLMNOP\n"
    [(kind, value)] = of_kind(text, None)
    assert value == "AKIAABCDEFGHIJKLMNOP"
    assert list(of_kind(text, kind, 2)) == [(kind, value)]
    assert list(of_kind(text, kind, 1)) == []
    assert list(of_kind(text, "another kind")) == []
