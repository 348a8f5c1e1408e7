"""What a database of summaries knows of their use: edges that lead there, searches that found them, contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memgit.core.prune.recalls import Recalls
from memgit.core.summaries.form import PROVENANCE, SUMMARIES, SUPERSEDES, columns_of, edges, ends, row_of, time_of
from memgit.core.summaries.rows import Row
from memgit.memory.memory import is_memory
from memgit.model.store import StoreContent

CONTRADICTS = "contradicts"

_LAST_HIT = ("last_hit_at", "last_hit_ts", "last_retrieved_at", "last_accessed_at", "last_used_at")
_HITS = ("hits", "hit_count", "retrieval_hits", "retrieval_count", "access_count")

NO_HITS = "the database does not count searches, so nobody can tell which summaries are never found"
NO_EDGES = "the database has no provenance edges, so nobody can tell which summaries others rest on"


@dataclass(frozen=True, slots=True)
class Signals:
    """By memory id: ``cited``, how many edges name a summary; ``found``, when a search last found it (where it did;
    the last moment there is where only the count is known). ``contradicts`` are pairs that an edge calls so. ``lacks``
    says which signal the database does not have; then nothing is known of anybody's lack of use."""

    cited: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[str, datetime] = field(default_factory=dict)
    contradicts: tuple[tuple[str, str], ...] = ()
    lacks: str = ""


SOME_DAY = datetime.max.replace(tzinfo=UTC)
"""The last search, where only their number is known."""


def signals(content: StoreContent) -> Signals:
    """The signals of the live summaries. Raises ValueError where the normal form is broken."""
    columns = columns_of(content)
    counted = any(name in columns.get(SUMMARIES, ()) for name in (*_LAST_HIT, *_HITS))
    ids = {str(row["id"]): name for name, row in _live(content)}
    told = [(each, [ids[end] for end in ends(each) if end in ids]) for each in edges(content, PROVENANCE)]
    cited = Counter(name for _, names in told for name in set(names))
    cited.update(ids[key] for each in edges(content, SUPERSEDES) if (key := str(each["newer_id"])) in ids)
    return Signals(
        cited=cited,
        found=dict(_found(content)) if counted else {},
        contradicts=tuple(
            (names[0], names[1]) for edge, names in told if edge.get("edge_type") == CONTRADICTS and len(names) == 2
        ),
        lacks=NO_HITS if not counted else NO_EDGES if PROVENANCE not in columns else "",
    )


def _live(content: StoreContent) -> Iterator[tuple[str, Row]]:
    for path, file in content.files.items():
        if is_memory(file):
            yield path.removesuffix(".md"), row_of(file)


def _found(content: StoreContent) -> Iterator[tuple[str, datetime]]:
    for name, row in _live(content):
        if last := _last_hit(row):
            yield name, last


def _last_hit(row: Row) -> datetime | None:
    """When a search last found a summary; None where none ever did."""
    times = (time_of(row[name]) for name in _LAST_HIT if row.get(name) is not None)
    return next(filter(None, times), SOME_DAY if any(row.get(name) for name in _HITS) else None)


def of_database(known: Signals) -> Recalls:
    """What a prune takes for recalls where the database says it; transcripts do not show what its searches find."""
    return Recalls(known.found, counting=not known.lacks, cited=known.cited, lacks=known.lacks)
