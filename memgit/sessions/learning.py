"""Learning what one transcript holds, and many of them side by side where there is much to read."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from memgit.evidence.turns import Entry, Resolved, resolve
from memgit.evidence.voices import typed
from memgit.model.session import Origin, Role
from memgit.sessions.cache import Figures, Known, Prose, witness
from memgit.sessions.pool import Stamp, TranscriptFile, format_of
from memgit.sessions.reader import Reading, read_on, read_tail

if TYPE_CHECKING:
    from concurrent.futures import Future

MUCH = 128 << 20
"""Bytes to read from which on more than one process reads them: starting them takes as long as reading a part of it."""


@dataclass(frozen=True)
class Learned:
    """What reading a file came to.

    ``known`` and ``prose`` are to be kept: the figures, and the entries that are new; with ``after``, the entries
    follow those that were known. ``reading`` counts an unfinished last line in. ``entries`` are all of the file.
    """

    known: Known
    prose: Prose
    reading: Reading
    after: Known | None = None
    entries: tuple[Entry, ...] = ()


def learn(path: str, known: Known | None, earlier: Callable[[], tuple[Entry, ...]]) -> Learned:
    """Read a file: only what is new where it only grew; then its ``earlier`` entries are asked for. Raises OSError."""
    stamp = Stamp.of(Path(path).stat())
    with Path(path).open("rb", buffering=0) as file:
        after = known if known and known.only_grew(file, stamp) else None
        part = read_on(file, after.reading if after else Reading(), format_of(path))
        mark = witness(file, part.reading.offset)
    whole = read_tail(replace(part, entries=(earlier() if after else ()) + part.entries))
    fresh = Known(stamp, mark, part.reading, figures_of(resolve(whole.entries)))
    return Learned(fresh, Prose.of(part.entries), whole.reading, after, whole.entries)


def learn_all(files: Sequence[TranscriptFile]) -> Generator[tuple[TranscriptFile, Learned | OSError], None, None]:
    """Read files that nothing is known of, each as it is done.

    The entries stay where they were read: what was learned comes without them.
    """
    ordered = sorted(files, key=lambda file: -file.stamp.size)
    others = min(len(ordered), os.cpu_count() or 1) - 1
    read: set[str] = set()
    if others > 0 and sum(file.stamp.size for file in ordered) >= MUCH:
        from concurrent.futures.process import BrokenProcessPool  # here: there is rarely so much to read

        with suppress(BrokenProcessPool, OSError):  # no room for another process, say: the rest is read here
            for file, learned in _side_by_side(ordered, others):
                read.add(file.path)
                yield file, learned
    yield from ((file, _learn_anew(file)) for file in ordered if file.path not in read)


def _side_by_side(files: Sequence[TranscriptFile], others: int) -> Iterator[tuple[TranscriptFile, Learned | OSError]]:
    """Other processes read the files from the first on, this one from the last, until none is left.

    Spawned, not forked: threads of this process (a progress bar's) must not be copied in the middle of anything.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    pool = ProcessPoolExecutor(others, get_context("spawn"), _leave_interrupts)
    try:
        done: SimpleQueue[TranscriptFile] = SimpleQueue()
        with _uninterrupted():  # the others inherit it: none is interrupted before it has begun
            waiting = {file: pool.submit(_learn_anew, file) for file in files}
        for file, future in waiting.items():
            future.add_done_callback(partial(_tell, done, file))
        mine = (file for file in reversed(files) if file in waiting and waiting[file].cancel())
        while waiting:
            if own := next(mine, None):
                del waiting[own]
                yield own, _learn_anew(own)
            while waiting and not (own and done.empty()):  # with nothing of its own to do, it waits
                file = done.get()
                yield file, waiting.pop(file).result()
    except BaseException:
        with _uninterrupted():  # a second Ctrl-C would leave them behind
            for process in active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back, where that can be done, until the block is over."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tell(done: SimpleQueue[TranscriptFile], file: TranscriptFile, future: Future[Learned | OSError]) -> None:
    if not future.cancelled():
        done.put(file)


def _leave_interrupts() -> None:
    """Ctrl-C is the first process's to handle; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _learn_anew(file: TranscriptFile) -> Learned | OSError:
    try:
        return replace(learn(file.path, None, tuple), entries=())
    except OSError as error:
        return error


def figures_of(resolved: Resolved) -> Figures:
    """What the prose that counts comes to."""
    size = sum(len(entry.text.encode()) for entry in resolved.kept)
    by_hand = (entry.text for entry in resolved.kept if entry.role is Role.USER and entry.origin is not Origin.PROGRAM)
    return Figures(size, sum(len(typed(text).encode()) for text in by_hand), len(resolved.kept), resolved.records)
