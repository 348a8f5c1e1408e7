"""The record of a pass gives back exactly what was put in, whatever texts it holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.core.passes.records import dump, dump_digests, dump_plan, load, load_decisions, load_digests, load_plan
from memgit.errors import Damaged
from memgit.model.decision import Decision, Kind, MinerReply
from memgit.model.passes import Plan
from memgit.model.session import Digest, Message

st.register_type_strategy(float, st.floats(0, 1))
anything = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@anything
@given(st.from_type(Plan), st.lists(st.from_type(Message), max_size=4))
def test_a_plan_comes_back_with_its_digests(plan: Plan, messages: list[Message]) -> None:
    digests = (Digest(1, tuple(messages[:2])), Digest(3, tuple(messages[2:])))
    plan = replace(plan, digests=tuple(digest for digest in digests if digest.messages))
    assert load_plan(dump_plan(plan), load_digests(dump_digests(plan.digests))) == plan


@anything
@given(st.lists(st.from_type(Decision), max_size=3))
def test_decisions_come_back(decisions: list[Decision]) -> None:
    assert load_decisions(dump(decisions)) == tuple(decisions)


@anything
@given(st.lists(st.from_type(MinerReply), max_size=3))
def test_replies_come_back(replies: list[MinerReply]) -> None:
    assert load(tuple[MinerReply, ...], dump(replies)) == tuple(replies)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1]", b'[{"is": "Decision"}]', b'[{"id": 3}]', b'{"a": 1}', b"null", b"\xff"]
)
def test_a_damaged_record_is_said_to_be_damaged(data: bytes) -> None:
    with pytest.raises(Damaged, match="cannot be read"):
        load_decisions(data)


def test_lone_surrogates_and_bytes_come_back() -> None:
    decision = Decision("M1", Kind.DROP, "a \ud800 \udc80 b", writes={"x\udcff.md": b"\x00\xff"})
    assert load_decisions(dump([decision])) == (decision,)


def test_a_field_of_a_later_version_is_ignored() -> None:
    data = dump([]).replace(b"[]", b'[{"id": "M1", "kind": "drop", "justification": "x", "later": 1}]')
    assert load_decisions(data)[0].id == "M1"
