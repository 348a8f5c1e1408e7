"""A fault at any system call of any verb: old or new, all of it restorable, and the next command works."""

from __future__ import annotations

import pytest

from tests.crash.driver import Driver, can_trace
from tests.crash.matrix import ALL, CALLS, FAULTS, Call, Row, changing, rows_of, table
from tests.desks import quick_place

SHARES = 4
"""The sampled table is made in so many parts, which can run beside each other."""


@pytest.mark.parametrize("share", range(SHARES))
def test_a_fault_at_any_system_call_leaves_the_store_old_or_new(share, tmp_path, pytestconfig, capsys):
    if reason := can_trace():
        pytest.skip(f"no system call was struck: {reason}; the matrix over named points has run")
    whole = bool(pytestconfig.getoption("--whole", default=False))
    with Driver() as driver, quick_place(tmp_path) as place:
        rows = list(rows_of(place, driver, ALL[share::SHARES], whole))
    with capsys.disabled():
        print(f"\n{table(rows)}")
    assert [failure for row in rows for failure in row.failures] == []
    assert {row.fault for row in rows} == set(FAULTS)


def test_calls_are_counted_as_strace_counts_them_and_reading_ones_left_out():
    trace = [
        'openat(AT_FDCWD, "/a", O_RDONLY|O_CLOEXEC) = 3',
        'openat(AT_FDCWD, "/b", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 4',
        'write(4, "x", 1) = 1',
        "--- SIGCHLD {si_signo=SIGCHLD} ---",
        'openat(AT_FDCWD, "/b", O_RDONLY|O_CREAT, 0600) = 4',
        "fsync(4) = 0",
    ]
    assert list(changing(trace)) == [Call("openat", 2), Call("write", 1), Call("openat", 3), Call("fsync", 1)]
    assert "openat" in CALLS


def test_the_table_says_what_was_left_out():
    row = Row("adopt-exchange", "EIO", 150)
    row.ended["refused, old"] += 3
    assert table([row]).splitlines()[1:] == [
        "adopt-exchange                     EIO        150      3  3 refused, old",
        "3 of 150 points tried, 0 failed",
    ]
