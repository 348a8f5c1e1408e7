"""What of a session's prose counts: once, in order, and with what was taken back marked."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.evidence.records import classify
from memgit.evidence.turns import Entry, queue_step, resolve
from memgit.model.session import RecordClass
from memgit.sessions.reader import Reading, moment, read_on
from memgit.sessions.records import lenient
from tests.unit.sessions.forge import assistant, enqueue, lines, queue, queued_command, user

C = RecordClass


def text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def entry(line: int, fields: dict[str, Any]) -> Entry:
    decoded = lenient(fields)
    said = classify(decoded)
    message = fields.get("message") or {}
    text = said.text or (decoded.content if isinstance(decoded.content, str) else "")
    return Entry(
        line,
        decoded.uuid,
        moment(decoded.timestamp),
        said.role,
        text,
        said.origin,
        message.get("id"),
        queue_step(decoded),
    )


def kept(*records: dict[str, Any], elsewhere: frozenset[str] = frozenset()) -> list[str]:
    entries = [entry(number, fields) for number, fields in enumerate(records, start=1)]
    return [one.text for one in resolve(entries, elsewhere).kept]


def test_a_queued_message_that_a_later_record_repeats_counts_once() -> None:
    assert kept(enqueue("Stop.", 1), queue("dequeue", 2), user("Stop.", 3)) == ["Stop."]
    assert kept(enqueue("Stop.", 1), queue("remove", 2), queued_command("Stop.", 3)) == ["Stop."]


def test_an_attachment_stamped_before_its_queue_entry_still_counts_once() -> None:
    assert kept(enqueue("Stop.", 1.002), queued_command("Stop.", 1.001)) == ["Stop."]


def test_a_message_whose_only_trace_is_the_queue_is_kept() -> None:
    assert kept(user("Go.", 0), enqueue("Stop.", 1), queue("remove", 2), assistant("Stopped.", 3)) == [
        "Go.",
        "Stop.",
        "Stopped.",
    ]


def test_the_same_words_queued_after_they_were_typed_are_a_second_statement() -> None:
    assert kept(user("continue", 1), enqueue("continue", 5), queue("remove", 6)) == ["continue", "continue"]


def test_a_queued_message_taken_back_before_it_was_sent_is_not_said() -> None:
    assert kept(enqueue("Use yarn.", 1), queue("remove", 2, content="Use yarn.", reason="user_cancelled")) == []
    assert kept(enqueue("Use yarn.", 1), queue("popAll", 2), user("Use pnpm.", 3)) == ["Use pnpm."]


def test_taking_back_the_queue_leaves_what_had_left_it() -> None:
    sent = (enqueue("One.", 1), queue("remove", 2))
    assert kept(*sent, enqueue("Two.", 3), queue("popAll", 4)) == ["One."]


def test_a_remove_that_speaks_of_delivery_takes_nothing_back() -> None:
    delivered = queue("remove", 2, content="Stop.", reason="absorbed_mid_turn")
    assert kept(enqueue("Stop.", 1), delivered) == ["Stop."]


def test_one_reply_in_several_records_does_not_repeat_its_prose() -> None:
    split = [
        assistant([{"type": "thinking", "thinking": "hm"}], 1, message_id="m1", uuid="a"),
        assistant("Done, in a.py.", 2, message_id="m1", uuid="b"),
        assistant([text_block("Done, in a.py."), {"type": "tool_use"}], 3, message_id="m1", uuid="c"),
    ]
    assert kept(*split) == ["Done, in a.py."]


def test_of_streamed_copies_the_last_and_longest_counts() -> None:
    streamed = assistant("Done", 1, message_id="m1"), assistant("Done, in a.py.", 2, message_id="m1")
    assert kept(*streamed) == ["Done, in a.py."]


def test_a_gateway_that_gives_every_reply_one_id_loses_no_prose() -> None:
    replies = assistant("First.", 1, message_id="m"), assistant("Second.", 2, message_id="m")
    assert kept(*replies) == ["First.", "Second."]


def test_records_come_in_the_order_of_their_times_and_else_of_the_file() -> None:
    undated = user("undated", 0) | {"timestamp": "yesterday"}
    assert kept(user("later", 5), user("earlier", 1), undated, user("also 5", 5)) == [
        "earlier",
        "undated",
        "later",
        "also 5",
    ]


def test_a_record_that_is_its_own_parent_is_read_like_any_other() -> None:
    assert kept(user("Hi.", uuid="u1", parentUuid="u1"), user("Ho.", 1, uuid="u2", parentUuid="gone")) == ["Hi.", "Ho."]


def test_a_record_written_twice_or_owned_by_another_session_is_a_copy() -> None:
    twice = [user("Hi.", uuid="u1"), user("Hi.", uuid="u1"), user("Old.", uuid="u0")]
    entries = [entry(number, fields) for number, fields in enumerate(twice, start=1)]
    resolved = resolve(entries, frozenset({"u0"}))
    assert [one.text for one in resolved.kept] == ["Hi."]
    assert resolved.records == {C.USER_PROSE: 1, C.COPY: 2}


def test_two_terminals_in_one_session_interleave() -> None:
    answers = assistant("a1", 3, message_id="x"), assistant("b1", 4, message_id="y")
    assert kept(user("A1", 1), user("B1", 2), *answers) == [
        "A1",
        "B1",
        "a1",
        "b1",
    ]


# --- copies ---


def marked(*records: dict[str, Any], elsewhere: frozenset[str] = frozenset()) -> list[tuple[str, bool]]:
    """What counts, as the reader finds it, and whether it was taken back."""
    part = read_on(io.BytesIO(lines(records)), Reading())
    return [(one.text, one.taken_back) for one in resolve(part.entries, elsewhere).kept]


def test_a_copy_that_another_tool_gave_a_new_id_is_known_by_time_role_and_text() -> None:
    assert kept(user("Hi.", 1, uuid="u1"), user("Hi.", 1, uuid="v1")) == ["Hi."]
    assert kept(user("Hi.", 1, uuid="u1"), user("Hi.", 2, uuid="v1")) == ["Hi.", "Hi."]
    assert kept(user("Hi.", 1, uuid="u1"), user("Ho.", 1, uuid="v1")) == ["Hi.", "Ho."]
    assert kept(user("Hi.", 1, uuid="u1"), assistant("Hi.", 1, uuid="v1")) == ["Hi.", "Hi."]


def test_a_copy_in_another_session_is_known_by_the_same() -> None:
    own = entry(1, user("Hi.", 1, uuid="v1"))
    assert len(own.marks) == 2
    for mark in own.marks:
        assert kept(user("Hi.", 1, uuid="v1"), elsewhere=frozenset({mark})) == []


def test_a_record_without_an_id_is_no_copy_of_anything() -> None:
    assert entry(1, user("Hi.", 1)).marks == ()
    assert kept(user("Hi.", 1), user("Hi.", 1)) == ["Hi.", "Hi."]


# --- branches that were left ---


def said(name: str, parent: str | None, minute: float = 0, text: str = "") -> dict[str, Any]:
    return user(text or name, minute, uuid=name, parentUuid=parent)


def answered(name: str, parent: str, minute: float = 0) -> dict[str, Any]:
    return assistant(name, minute, uuid=name, parentUuid=parent)


def result(name: str, parent: str) -> dict[str, Any]:
    return user([{"type": "tool_result", "content": "x"}], uuid=name, parentUuid=parent)


BEGUN = (said("first", None), answered("a1", "first"))


def test_what_the_user_went_back_behind_is_kept_and_marked() -> None:
    went_back = (said("rule", "a1"), answered("a2", "rule"), said("other", "a1"), answered("a3", "other"))
    assert marked(*BEGUN, *went_back) == [
        ("first", False),
        ("a1", False),
        ("rule", True),
        ("a2", True),
        ("other", False),
        ("a3", False),
    ]


def test_it_is_counted_by_itself() -> None:
    part = read_on(io.BytesIO(lines([*BEGUN, said("rule", "a1"), said("other", "a1")])), Reading())
    assert resolve(part.entries).records == {C.USER_PROSE: 2, C.ASSISTANT_PROSE: 1, C.TAKEN_BACK: 1}


def test_an_edited_prompt_takes_the_place_of_the_one_before() -> None:
    drafts = [said(f"draft {number}", "a1", number) for number in range(1, 4)]
    assert [back for _, back in marked(*BEGUN, *drafts)] == [False, False, True, True, False]


def test_all_that_hangs_below_a_branch_that_was_left_goes_with_it() -> None:
    branch = (said("rule", "a1"), result("t", "rule"), answered("a2", "t"), said("more", "a2"), answered("a4", "more"))
    assert [text for text, back in marked(*BEGUN, *branch, said("other", "a1")) if back] == ["rule", "a2", "more", "a4"]


def test_going_back_behind_several_turns_leaves_them_all() -> None:
    turns = (said("b", "a1"), answered("a2", "b"), said("c", "a2"), answered("a3", "c"), said("d", "a3"))
    assert [text for text, back in marked(*BEGUN, *turns, said("e", "a1")) if back] == ["b", "a2", "c", "a3", "d"]


def test_who_goes_back_twice_has_left_both() -> None:
    assert [text for text, back in marked(*BEGUN, said("b", "a1"), said("c", "a1"), said("d", "a1")) if back] == [
        "b",
        "c",
    ]


def test_two_terminals_at_work_on_one_session_have_left_nothing() -> None:
    both = (
        said("A1", "a1"),
        said("B1", "a1"),
        answered("x", "A1"),
        answered("y", "B1"),
        said("A2", "x"),
        said("B2", "y"),
    )
    assert not any(back for _, back in marked(*BEGUN, *both))


def test_a_terminal_in_which_nobody_typed_again_counts_as_left() -> None:
    both = (said("A1", "a1"), said("B1", "a1"), answered("x", "A1"), answered("y", "B1"), said("B2", "y"))
    assert [text for text, back in marked(*BEGUN, *both) if back] == ["A1", "x"]


def test_a_broken_chain_takes_nothing_back() -> None:
    assert not any(back for _, back in marked(said("b", "gone"), said("c", "gone"), said("d", None), said("e", None)))


def test_tool_results_and_messages_typed_meanwhile_take_nothing_back() -> None:
    at_work = (
        said("rule", "a1"),
        result("t1", "rule"),
        result("t2", "rule"),
        {**queued_command("Stop.", 3), "uuid": "q", "parentUuid": "rule"},
        answered("a2", "t2"),
        said("next", "a2"),
    )
    assert not any(back for _, back in marked(*BEGUN, *at_work))


def test_an_interrupted_turn_goes_on_from_where_it_was_interrupted() -> None:
    interrupt = user("[Request interrupted by user]", uuid="i", parentUuid="rule")
    assert not any(back for _, back in marked(*BEGUN, said("rule", "a1"), interrupt, said("next", "i")))


def test_a_compaction_begins_a_new_root_and_takes_nothing_back() -> None:
    summary = user("A summary.", uuid="s", parentUuid=None, isCompactSummary=True)
    after = (summary, said("next", "s"), answered("a3", "next"))
    assert not any(back for _, back in marked(*BEGUN, said("rule", "a1"), answered("a2", "rule"), *after))


def test_a_record_written_twice_takes_itself_not_back() -> None:
    twice = (*BEGUN, said("rule", "a1"), said("rule", "a1"), answered("a2", "rule"))
    assert marked(*twice) == [("first", False), ("a1", False), ("rule", False), ("a2", False)]


def test_a_branch_is_left_although_its_first_record_was_written_twice() -> None:
    twice = (*BEGUN, said("rule", "a1"), said("rule", "a1"), answered("a2", "rule"), said("other", "a1"))
    assert [text for text, back in marked(*twice) if back] == ["rule", "a2"]


SESSIONS = {
    "went back": (*BEGUN, said("rule", "a1"), answered("a2", "rule"), said("other", "a1"), answered("a3", "other")),
    "far back": (*BEGUN, *(said(f"p{n}", "a1" if not n else f"p{n - 1}") for n in range(6)), said("other", "a1")),
    "two terminals": (*BEGUN, said("A1", "a1"), said("B1", "a1"), said("A2", "A1"), said("B2", "B1")),
    "below a result": (*BEGUN, result("t", "a1"), said("rule", "t"), answered("a2", "rule"), said("other", "t")),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_reading_on_from_where_a_reading_ended_finds_the_same_branches(name: str) -> None:
    records = SESSIONS[name]
    data = lines(records)
    whole = [(one.line, one.taken_back) for one in resolve(read_on(io.BytesIO(data), Reading()).entries).kept]
    for cut in range(len(records) + 1):
        first = read_on(io.BytesIO(lines(records[:cut])), Reading())
        rest = read_on(io.BytesIO(data), first.reading)
        entries = (*first.entries, *rest.entries)
        assert [(one.line, one.taken_back) for one in resolve(entries).kept] == whole


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_what_was_sent_last_stands_however_somebody_jumps_about(jumps: list[int]) -> None:
    turns = [said("p0", None)]
    turns += [said(f"p{number}", f"p{min(jump, number - 1)}") for number, jump in enumerate(jumps, start=1)]
    found = marked(*turns)
    assert len(found) == len(turns)
    assert (found[0][1], found[-1][1]) == (False, False)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_it_is_found_alike_in_however_many_readings(jumps: list[int], data: st.DataObject) -> None:
    """A person goes back to where an earlier prompt was sent from, or goes on at the end of any branch."""
    sent_from, ends = ["p0"], ["p0"]
    turns = [said("p0", None)]
    for number, jump in enumerate(jumps, start=1):
        places = list(dict.fromkeys((*reversed(ends), *reversed(sent_from))))
        place = places[jump % len(places)]
        turns.append(said(f"p{number}", place))
        sent_from.append(place)
        ends = [end for end in ends if end != place] + [f"p{number}"]
    whole = lines(turns)
    cut = data.draw(st.integers(0, len(turns)))
    first = read_on(io.BytesIO(lines(turns[:cut])), Reading())
    rest = read_on(io.BytesIO(whole), first.reading)
    both = read_on(io.BytesIO(whole), Reading())
    assert (*first.entries, *rest.entries) == both.entries
    assert rest.reading == both.reading
