"""Work in parallel: bounded, in order, and given up at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Barrier, Event, Lock

import pytest

from memgit.flows.parallel import in_parallel


def quiet(_: int) -> None:
    """Hears nothing."""


def test_results_come_in_the_order_of_the_work() -> None:
    second = Event()

    def first() -> str:
        assert second.wait(60)
        return "a"

    def other() -> str:
        second.set()
        return "b"

    assert in_parallel([first, other], 2, quiet) == ["a", "b"]


def test_no_more_than_the_bound_run_at_a_time() -> None:
    lock, running, most = Lock(), [0], [0]

    def work() -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        meeting.wait(60)
        with lock:
            running[0] -= 1

    meeting = Barrier(3)
    in_parallel([work] * 12, 3, quiet)
    assert most == [3]


def test_progress_is_told_from_nothing_to_all_but_the_last() -> None:
    heard: list[int] = []
    in_parallel([partial(int, number) for number in range(3)], 1, heard.append)
    assert heard == [0, 1, 2]


def test_a_failure_is_raised_while_others_still_run_and_nothing_more_is_begun() -> None:
    never, begun = Event(), []

    def fail() -> None:
        raise ValueError("this one")

    def last() -> None:
        begun.append("last")

    with pytest.raises(ValueError, match="this one"):
        in_parallel([never.wait, fail, never.wait, last], 2, quiet)
    never.set()
    assert begun == []


def test_an_interruption_awaits_nobody() -> None:
    never = Event()

    def interrupted(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    work: list[Callable[[], object]] = [lambda: 1, never.wait]
    with pytest.raises(KeyboardInterrupt):
        in_parallel(work, 2, interrupted)
    never.set()


@pytest.mark.parametrize("failure", [IndexError("mine"), KeyError("mine"), SystemExit(3)])
def test_a_failure_of_any_kind_is_the_work_s_own(failure: BaseException) -> None:
    def fail() -> None:
        raise failure

    with pytest.raises(type(failure)):
        in_parallel([fail], 1, quiet)


def test_no_work_is_no_result() -> None:
    assert in_parallel([], 4, quiet) == []
