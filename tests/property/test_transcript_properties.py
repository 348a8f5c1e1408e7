"""What holds of every transcript, however it is cut, broken or grown."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from memgit.evidence.turns import resolve
from memgit.sessions.reader import Part, Reading, read_on, read_tail
from memgit.sessions.records import lenient
from tests.unit.sessions.forge import assistant, enqueue, lines, queue, queued_command, user

texts = st.text(alphabet=st.sampled_from("aé🙂\u2028<>/ \n"), max_size=8) | st.sampled_from(["Stop.", "Go on."])
minutes = st.integers(0, 20)
uuids = st.sampled_from([None, "u1", "u2", "u3"])
records = st.one_of(
    st.builds(lambda text, minute, uuid: user(text, minute, uuid=uuid), texts, minutes, uuids),
    st.builds(lambda text, minute, name: assistant(text, minute, message_id=name), texts, minutes, uuids),
    st.builds(enqueue, texts, minutes),
    st.builds(queued_command, texts, minutes),
    st.builds(queue, st.sampled_from(["dequeue", "remove", "popAll"]), minutes),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(
    ["type", "message", "content", "attachment", "origin", "timestamp", "isMeta", "worktreeSession"]
)


def read(data: bytes) -> Part:
    return read_tail(read_on(io.BytesIO(data), Reading()))


@given(st.lists(records, max_size=8), st.data())
def test_a_transcript_read_in_two_parts_comes_to_what_it_is_whole(written: list[dict], data: st.DataObject) -> None:
    whole = lines(written)
    cut = data.draw(st.integers(0, len(whole)))
    first = read_on(io.BytesIO(whole[:cut]), Reading())
    second = read_on(io.BytesIO(whole), first.reading)
    joined = read_tail(Part(second.reading, first.entries + second.entries, second.tail))
    assert joined == read(whole)


@given(st.lists(records, max_size=8))
def test_what_counts_is_said_once_and_every_entry_has_one_class(written: list[dict]) -> None:
    entries = read(lines(written)).entries
    resolved = resolve(entries)
    spoken = [entry for entry in entries if entry.role is not None]
    assert sum(resolved.records.values()) == len(spoken)
    assert set(resolved.kept) <= set(spoken)
    uuids = [entry.uuid for entry in resolved.kept if entry.uuid]
    assert len(uuids) == len(set(uuids))


@given(st.lists(records, max_size=8))
def test_no_words_of_a_sent_message_are_lost(written: list[dict]) -> None:
    entries = read(lines(written)).entries
    said = {entry.text for entry in resolve(entries).kept}
    first_of = {entry.uuid: entry.text for entry in reversed(entries) if entry.uuid}
    sent = [entry for entry in entries if entry.role is not None and not entry.step]
    for entry in sent:
        if entry.uuid is None or first_of[entry.uuid] == entry.text:
            assert any(text.startswith(entry.text) for text in said)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    read(data)
    read(b'{"type":"user","uuid":"u","message":' + data + b"}\n")


@given(st.dictionaries(fields, json_values, max_size=5))
def test_no_shape_of_fields_makes_a_record_fail(shape: dict) -> None:
    part = read(lines([{"sessionId": "s", "type": "user"} | shape]))
    assert part.reading.broken == 0
    for entry in part.entries:
        assert entry.text.encode()
    lenient(shape)
