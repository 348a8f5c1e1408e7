"""Learning what one transcript holds, and many of them side by side where there is much to read."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memgit.core.sessions.transcript import Entry, Resolved, resolve
from memgit.sessions.cache import Figures, Known, Prose, witness
from memgit.sessions.pool import Stamp, TranscriptFile, format_of
from memgit.sessions.reader import Reading, read_on, read_tail

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


def learn_all(files: Sequence[TranscriptFile]) -> Iterator[tuple[TranscriptFile, Learned | OSError]]:
    """Read files that nothing is known of, each as it is done; the largest are begun first.

    The entries stay where they were read: what was learned comes without them.
    """
    ordered = sorted(files, key=lambda file: -file.stamp.size)
    workers = min(len(ordered), os.cpu_count() or 1)
    much = sum(file.stamp.size for file in ordered) >= MUCH
    done = 0
    if workers > 1 and much:
        from concurrent.futures.process import BrokenProcessPool  # here: there is rarely so much to read

        with suppress(BrokenProcessPool):  # no room for another process, say: the rest is read here
            for learned in _side_by_side(ordered, workers):
                yield ordered[done], learned
                done += 1
    yield from ((file, _learn_anew(file)) for file in ordered[done:])


def _side_by_side(files: Sequence[TranscriptFile], workers: int) -> Iterator[Learned | OSError]:
    """Spawned, not forked: threads of this process (a progress bar's) must not be copied in the middle of anything."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts) as pool:
        yield from pool.map(_learn_anew, files)


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
    return Figures(size, len(resolved.kept), resolved.records)
