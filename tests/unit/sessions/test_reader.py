"""Transcript files with every fault that was met in real ones: a broken line costs that line only."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.evidence.turns import Entry, resolve
from memgit.model.session import RecordClass
from memgit.sessions import reader
from memgit.sessions.reader import Part, Reading, read_on, read_tail
from tests.unit.sessions.forge import assistant, enqueue, lines, record, user

FIRST = lines([user("First.", 1, uuid="u1")])
LAST = lines([user("Last.", 9, uuid="u9")])


def read(data: bytes) -> Part:
    return read_tail(read_on(io.BytesIO(data), Reading()))


def said(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.text for entry in resolve(entries).kept]


def outcome(data: bytes) -> tuple[list[str], int]:
    part = read(data)
    return said(part.entries), part.reading.broken


FAULTS = {
    "a malformed line in the middle": (FIRST + b'{"type": nonsense\n' + LAST, ["First.", "Last."], 1),
    "a run of NUL on a line of its own": (FIRST + b"\0" * 9000 + b"\n" + LAST, ["First.", "Last."], 0),
    "NUL after a record on its line": (FIRST[:-1] + b"\0" * 9000 + b"\n" + LAST, ["First.", "Last."], 0),
    "NUL at the end of the file": (FIRST + LAST + b"\0" * 143_000, ["First.", "Last."], 0),
    "no final newline": (FIRST + LAST[:-1], ["First.", "Last."], 0),
    "cut in the middle of a string": (FIRST + LAST[:-30], ["First."], 1),
    "cut in the middle of a character": (FIRST + lines([user("naïve")]).split(b"\xaf")[0], ["First."], 1),
    "an invalid byte in a string": (FIRST + LAST.replace(b"Last.", b"L\xffst."), ["First.", "L�st."], 0),
    "lone surrogates": (FIRST + LAST.replace(b"Last.", b"\\udcb2 \\ud83d"), ["First.", "� �"], 0),
    "a surrogate at the end of a block": (FIRST + LAST.replace(b"Last.", b"Last \\ud83d"), ["First.", "Last �"], 0),
    "a byte order mark": (b"\xef\xbb\xbf" + FIRST + LAST, ["First.", "Last."], 0),
    "empty lines": (b"\n\n" + FIRST + b"\r\n \n" + LAST, ["First.", "Last."], 0),
    "JSON that is no record": (FIRST + b'null\n[1]\n42\n"text"\n' + LAST, ["First.", "Last."], 4),
    "two records on one line": (FIRST[:-1] + LAST, ["First.", "Last."], 0),
    "a cut record with a whole one after it": (FIRST[:-20] + LAST, ["Last."], 1),
    "CRLF line ends": ((FIRST + LAST).replace(b"\n", b"\r\n"), ["First.", "Last."], 0),
    "line separators inside a string": (lines([user("a\u2028b\u0085c")]) + LAST, ["a\u2028b\u0085c", "Last."], 0),
    "spaces and another key order": (
        json.dumps(user("First."), indent=None).encode() + b"\n" + LAST,
        ["First.", "Last."],
        0,
    ),
    "null where a flag belongs": (
        lines([user("First.", isMeta=None, isSidechain=None)]) + LAST,
        ["First.", "Last."],
        0,
    ),
    "fields of the wrong shape": (
        lines([user("First.", origin=["human"], isMeta="no", uuid=7, attachment="x")]) + LAST,
        ["First.", "Last."],
        0,
    ),
    "fields of other models": (
        lines([assistant("First.", 1, usage={"iterations": [1], "speed": "fast", "inference_geo": "eu"})]) + LAST,
        ["First.", "Last."],
        0,
    ),
    "a message that is a string": (lines([record("user", 1, message="First.")]) + LAST, ["First.", "Last."], 0),
    "nesting without end": (FIRST + b'{"type":' + b"[" * 100_000 + b"\n" + LAST, ["First.", "Last."], 1),
    "a number without end": (FIRST + b'{"type":"user","n":' + b"9" * 10_000 + b"x}\n" + LAST, ["First.", "Last."], 1),
    "nothing at all": (b"", [], 0),
    "blank space alone": (b" \n\n", [], 0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_its_own_line_at_most(fault: str) -> None:
    data, texts, broken = FAULTS[fault]
    assert outcome(data) == (texts, broken)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_file_read_in_two_parts_comes_to_the_same(fault: str) -> None:
    data, texts, broken = FAULTS[fault]
    half = data[: len(data) // 2]
    first = read_on(io.BytesIO(half), Reading())
    second = read_on(io.BytesIO(data), first.reading)
    whole = read_tail(Part(second.reading, first.entries + second.entries, second.tail))
    assert (said(whole.entries), whole.reading.broken) == (texts, broken)
    assert whole.reading.records == read(data).reading.records


def test_a_last_line_still_being_written_is_counted_but_not_passed() -> None:
    part = read_on(io.BytesIO(FIRST + LAST[:-1]), Reading())
    assert (part.reading.offset, said(part.entries)) == (len(FIRST), ["First."])
    assert said(read_tail(part).entries) == ["First.", "Last."]
    assert read_tail(part).reading.offset == len(FIRST)


def test_records_without_an_id_are_named_by_their_line() -> None:
    part = read(FIRST + b"\n" + b"broken\n" + lines([enqueue("Stop.", 2)]))
    assert [entry.record for entry in part.entries] == ["u1", "line-4"]


def test_a_file_is_read_alike_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(lines([user(f"Text {number} " + "x" * number, number)]) for number in range(60))
    whole = read(data)
    for size in (1, 7, 100, 4096):
        monkeypatch.setattr(reader, "BLOCK", size)
        assert read(data) == whole


def test_a_line_over_a_megabyte_is_read_like_any_other() -> None:
    long = "word " * 300_000
    assert outcome(lines([user(long, 1)]) + LAST) == ([long.strip(), "Last."], 0)


def test_a_correction_in_the_last_kilobyte_of_a_large_file_is_read() -> None:
    result = lines([user([{"type": "tool_result", "content": "x" * 100_000}])])
    part = read(result * 50 + LAST)
    assert said(part.entries) == ["Last."]
    assert part.reading.records == {RecordClass.TOOL_RESULT: 50}


@pytest.mark.parametrize("end", [b"\n" + LAST, b""])
def test_a_line_too_long_to_hold_is_passed_over_and_counted(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    monkeypatch.setattr(reader, "LONGEST_LINE", 10_000)
    monkeypatch.setattr(reader, "BLOCK", 1000)
    data = FIRST + lines([user("x" * 50_000)])[:-1] + end
    part = read(data)
    assert said(part.entries) == ["First.", "Last."][: 2 if end else 1]
    assert (part.reading.too_long, part.reading.broken) == (1, 1)
    assert part.reading.offset == len(data)


def test_a_hundred_thousand_broken_lines_are_counted_in_one_walk() -> None:
    assert outcome(FIRST + b"x\n" * 100_000 + LAST) == (["First.", "Last."], 100_000)


def test_figures_name_the_span_of_times_the_first_directory_and_worktrees() -> None:
    data = lines([user("b", 5, cwd="/p/app"), user("a", 1, cwd="/p/app/sub")])
    reading = read(data).reading
    assert (reading.started, reading.ended) == (
        read(lines([user("a", 1)])).reading.started,
        read(lines([user("b", 5)])).reading.ended,
    )
    assert reading.cwd == "/p/app"


@pytest.mark.parametrize(
    "log",
    [
        b'{"role":"user","content":"hi"}\n',
        b'{"messages":[{"role":"user","content":"hi"}]}\n',
        b'{"timestamp":"2026-11-01T09:00:00Z","type":"response_item","payload":{"type":"message"}}\n',
        b'{"display":"hi","pastedContents":{},"project":"/p","sessionId":"s","timestamp":1}\n',
    ],
)
def test_another_programs_log_is_no_transcript(log: bytes) -> None:
    reading = read(log).reading
    assert (reading.transcript, reading.foreign_lines) == (False, 1)


# --- memory ---

_CHILD = """
import resource, sys
from memgit.evidence.turns import resolve
from memgit.sessions.reader import Reading, read_on, read_tail
with open(sys.argv[1], "rb") as file:
    read_on(file, Reading())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[2], "rb") as file:
    part = read_tail(read_on(file, Reading()))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(after - before, len(resolve(part.entries).kept), part.reading.broken)
"""


def _grown_by(tmp_path: Path, write: Callable[[Path], None]) -> tuple[int, int, int]:
    """KiB of memory that reading a file took on top of reading a small one, messages kept, broken lines."""
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes((FIRST + b"broken\n") * 3000)
    write(large)
    child = subprocess.run([sys.executable, "-c", _CHILD, small, large], capture_output=True, text=True, check=True)
    grown, kept, broken = (int(word) for word in child.stdout.split())
    return grown, kept, broken


def _sixty_megabytes(path: Path) -> None:
    ordinary = lines([user([{"type": "tool_result", "content": "x" * 99_800}])])
    huge = lines([user([{"type": "tool_result", "content": "y" * 20_000_000}])])
    with path.open("wb") as file:
        for _ in range(200):
            file.write(ordinary)
        file.write(huge)
        for _ in range(200):
            file.write(ordinary)
        file.write(LAST)


@pytest.mark.skipif(sys.platform == "win32", reason="measures with resource")
def test_memory_is_bounded_by_the_longest_line_and_not_by_the_file(tmp_path: Path) -> None:
    grown, kept, broken = _grown_by(tmp_path, _sixty_megabytes)
    assert (kept, broken) == (1, 0)
    assert grown * 1024 < 2.5 * 20_000_000, "more than the one long line, read while its buffer grows"


def test_the_outermost_times_count_whatever_their_form_and_order() -> None:
    times = [
        "2026-02-30T12:00:00.000Z",
        "2026-06-02T10:00:00.000Z",
        "2026-06-01T09:00:00+02:00",
        "2026-06-30T23:59:59.999Z",
    ]
    records = [
        {**user("Said."), "uuid": f"u{number}", "timestamp": time} for number, time in enumerate([*times, "zzzz"])
    ]
    reading = read(lines(records)).reading
    assert (str(reading.started), str(reading.ended)) == (
        "2026-06-01 09:00:00+02:00",
        "2026-06-30 23:59:59.999000+00:00",
    )


@pytest.mark.parametrize("between", [b"", b"\n", b"\n\n", b" \n"])
def test_a_missing_newline_or_a_blank_line_does_not_shift_what_is_read(between: bytes) -> None:
    part = read(FIRST.rstrip(b"\n") + b"\n" + between + LAST)
    assert said(part.entries) == ["First.", "Last."]
    assert [entry.line for entry in part.entries] == [1, 2 + between.count(b"\n")]
