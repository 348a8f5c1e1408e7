"""What decisions make of a database of summaries beyond the files that they name.

A summary that is merged into another one stays as a row, and an edge says which one supersedes it. One that goes takes
its vector and its edges along, and the summaries that it alone superseded: they were kept for its sake.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memgit.core.summaries.form import (
    EMBEDDINGS,
    PROVENANCE,
    SUPERSEDED,
    SUPERSEDES,
    columns_of,
    edge_file,
    edges,
    ends,
    in_order,
    is_summary,
    keys_of,
    like_time,
    path_of,
    row_of,
    vector_record,
    vector_rows,
    vectors_path,
)
from memgit.core.summaries.rows import Row, Value
from memgit.model.decision import Decision, Kind
from memgit.model.store import StoreContent, StoreFile


def after(before: StoreContent, changed: StoreContent, decisions: Iterable[Decision], time_ns: int) -> StoreContent:
    """``changed`` as such a database holds it. ``time_ns`` is when its new edges begin."""
    merged = tuple(_merged(before, decisions)) if SUPERSEDES in columns_of(before) else ()
    kept = _retired(before, changed, merged, time_ns)
    return _without(kept, before)


# --- what is merged ---


def _merged(before: StoreContent, decisions: Iterable[Decision]) -> Iterator[tuple[StoreFile, StoreFile]]:
    """Each summary that another one takes the place of, with that other one."""
    for decision in decisions:
        survivor = before.files.get(f"{decision.results[0]}.md") if decision.results else None
        if decision.kind is Kind.MERGE and survivor:
            yield from ((before.files[path], survivor) for path in sorted(decision.removes) if path in before.files)


def _retired(
    before: StoreContent, changed: StoreContent, merged: Sequence[tuple[StoreFile, StoreFile]], time_ns: int
) -> StoreContent:
    if not merged:
        return changed
    found = [*edges(before, SUPERSEDES)]
    files, columns = dict(changed.files), columns_of(before)[SUPERSEDES]
    number = max((row for each in found if isinstance(row := each.get("rowid"), int)), default=0)
    numbered = keys_of(before)[SUPERSEDES] == ("rowid",)
    for older, newer in merged:
        number += 1
        old, new = row_of(older), row_of(newer)
        path = path_of(old["id"], superseded=True)
        files[path] = replace(older, path=path)
        told = {"newer_id": new["id"], "older_id": old["id"], "ts": like_time(new.get("ts"), time_ns)}
        told |= {"cosine": cosine(before, new["id"], old["id"])}
        edge = {name: told.get(name) for name in columns}
        found.append({"rowid": number, **edge} if numbered else edge)
    file = edge_file(SUPERSEDES, in_order(found, keys_of(before)[SUPERSEDES]))
    return replace(changed, files=dict(sorted({**files, file.path: file}.items())))


def cosine(content: StoreContent, one: Value, other: Value) -> float:
    """How near two vectors are; 0 where one is missing or they are of different lengths."""
    first, second = (_vector(content, key) for key in (one, other))
    if not first or len(first) != len(second):
        return 0.0
    lengths = math.sqrt(sum(a * a for a in first)) * math.sqrt(sum(b * b for b in second))
    near = sum(a * b for a, b in zip(first, second, strict=True)) / lengths if lengths else 0.0
    return near if math.isfinite(near) else 0.0


def _vector(content: StoreContent, key: Value) -> tuple[float, ...]:
    file = content.files.get(vectors_path(key))
    if file is None:
        return ()
    found = next((each for each in vector_rows(file.data, _columns(content)) if each.get("summary_id") == key), {})
    data = found.get("vec")
    return struct.unpack(f"<{len(data) // 4}f", data) if isinstance(data, bytes) and len(data) % 4 == 0 else ()


def _columns(content: StoreContent) -> tuple[str, ...]:
    return columns_of(content).get(EMBEDDINGS, ())


# --- what goes ---


def _without(content: StoreContent, before: StoreContent) -> StoreContent:
    """The content without vectors, edges and superseded copies of the summaries that are not there any more."""
    gone = {str(row["id"]): row["id"] for row in _gone(content, before)}
    if not gone:
        return content
    files = dict(content.files)
    for key in _alone(content, gone):
        gone[str(key)] = key
        files.pop(path_of(key, superseded=True), None)
    for table, of_gone in _EDGES.items():
        if kept_in := edges(content, table):
            file = edge_file(table, (each for each in kept_in if not of_gone(each, gone)))
            files[file.path] = file
    return replace(content, files=_without_vectors(files, gone, _columns(content)))


def _gone(content: StoreContent, before: StoreContent) -> Iterator[Row]:
    for path, file in before.files.items():
        if path not in content.files and is_summary(path) and not path.startswith(SUPERSEDED):
            row = row_of(file)
            if path_of(row["id"], superseded=True) not in content.files:
                yield row


def _alone(content: StoreContent, gone: Mapping[str, Value]) -> Iterator[Value]:
    """The superseded summaries that are left without any that supersedes them, and theirs in turn."""
    known, left = dict(gone), [*edges(content, SUPERSEDES)]
    while True:
        held = {str(each["older_id"]) for each in left if str(each["newer_id"]) not in known}
        loose = {
            str(each["older_id"]): each["older_id"]
            for each in left
            if str(each["newer_id"]) in known and str(each["older_id"]) not in held | known.keys()
        }
        if not loose:
            return
        yield from loose.values()
        known |= loose


def _supersedes(edge: Row, gone: Mapping[str, Value]) -> bool:
    return str(edge.get("newer_id")) in gone or str(edge.get("older_id")) in gone


def _leads_to(edge: Row, gone: Mapping[str, Value]) -> bool:
    return any(end in gone for end in ends(edge))


_EDGES = {SUPERSEDES: _supersedes, PROVENANCE: _leads_to}


def _without_vectors(
    files: dict[str, StoreFile], gone: Mapping[str, Value], columns: Sequence[str]
) -> dict[str, StoreFile]:
    for path in {vectors_path(key) for key in gone.values()} & files.keys():
        found = vector_rows(files[path].data, columns)
        data = b"".join(vector_record(each) for each in found if str(each.get("summary_id")) not in gone)
        if data:
            files[path] = files[path].holding(data, files[path].mtime_ns)
        else:
            del files[path]
    return files
