"""Several pieces of work at a time, that nobody waits for once the whole is given up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    pass


T = TypeVar("T")


def in_parallel(work: Sequence[Callable[[], T]], at_once: int, heard: Callable[[int], None]) -> list[T]:
    """The results in the order of ``work``; ``heard`` is told how many there are, from 0 on.

    The first failure is raised as soon as it happens. After that, or after Ctrl-C, nothing more is begun, and what is
    under way is not awaited: a question to a model may take minutes, and its thread ends with the process.
    """
    waiting = deque(enumerate(work))
    came: SimpleQueue[tuple[int, T] | BaseException] = SimpleQueue()
    for _ in range(min(at_once, len(work))):
        Thread(target=_work_off, args=(waiting, came), daemon=True).start()
    results: dict[int, T] = {}
    try:
        while len(results) < len(work):
            heard(len(results))
            number, result = _result(came.get())
            results[number] = result
    finally:
        waiting.clear()
    return [results[number] for number in range(len(work))]


def _work_off(waiting: deque[tuple[int, Callable[[], T]]], came: SimpleQueue[tuple[int, T] | BaseException]) -> None:
    while waiting:
        with suppress(IndexError):  # another thread may take the last
            came.put(_done(*waiting.popleft()))


def _done(number: int, work: Callable[[], T]) -> tuple[int, T] | BaseException:
    try:
        return number, work()
    except BaseException as failure:
        return failure


def _result(what: tuple[int, T] | BaseException) -> tuple[int, T]:
    if isinstance(what, BaseException):
        raise what
    return what
