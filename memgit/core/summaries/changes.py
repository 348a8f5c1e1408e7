"""What decisions and other writers make of a database of summaries."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memgit.core.summaries.form import (
    EDGE_FILES,
    EMBEDDINGS,
    PROVENANCE,
    SUPERSEDED,
    SUPERSEDES,
    Row,
    Value,
    columns_of,
    edge_file,
    edges,
    ends,
    in_order,
    is_summaries,
    is_summary,
    is_vectors,
    keys_of,
    like_time,
    path_of,
    row_of,
    rows,
    spelled,
    vector_record,
    vector_rows,
    vectors_path,
)
from memgit.model.decision import Decision, Kind
from memgit.model.store import StoreContent, StoreFile

# --- after ---
# What decisions make of a database of summaries beyond the files that they name.
#
# A summary that is merged into another one stays as a row, and an edge says which one supersedes it. One that goes
# takes its vector and its edges along, and the summaries that it alone superseded: they were kept for its sake.


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


# --- merging ---
# Three versions of a file that holds many rows, merged row by row: a daemon writes to the same files as a pass.


def merged_rows(path: str, base: StoreContent, ours: StoreContent, theirs: StoreContent) -> bytes | None:
    """What the file holds with the rows of both sides.

    None for another kind of file, or where both sides changed one row, each in its own way. A row of theirs whose
    number ours has given to another gets the next one.
    """
    if not (is_summaries(ours) and is_summaries(theirs)):
        return None
    table = next((name for name, each in EDGE_FILES.items() if each == path), EMBEDDINGS if is_vectors(path) else None)
    if table is None or columns_of(ours) != columns_of(theirs):
        return None
    keys = keys_of(ours)[table]
    sides = [_rows(each, path, columns_of(ours)[table]) for each in (base, ours, theirs)]
    merged = _merged_rows(sides, keys)
    if merged is None:
        return None
    ordered = in_order(merged, keys)
    return b"".join(map(vector_record, ordered)) if table == EMBEDDINGS else edge_file(table, ordered).data


def _rows(content: StoreContent, path: str, columns: Sequence[str]) -> list[Row]:
    file = content.files.get(path)
    if file is None:
        return []
    return list(vector_rows(file.data, columns) if is_vectors(path) else rows(file.data))


def _merged_rows(sides: Sequence[Sequence[Row]], keys: Sequence[str]) -> list[Row] | None:
    if tuple(keys) == ("rowid",):
        return _numbered(sides)
    base, ours, theirs = ({_key(row, keys): row for row in side} for side in sides)
    found = dict(ours)
    for key in {**base, **theirs}:
        was, mine, other = (side.get(key) for side in (base, ours, theirs))
        if _same(other, was) or _same(mine, other):
            continue
        if not _same(mine, was):
            return None
        if other is None:
            del found[key]
        else:
            found[key] = other
    return list(found.values())


def _numbered(sides: Sequence[Sequence[Row]]) -> list[Row]:
    """Rows that a number alone tells apart are told apart by what they say; the number is only where they stand."""
    base, ours, theirs = ({_said(row): row for row in side} for side in sides)
    gone = base.keys() - theirs.keys()
    kept = [row for said, row in ours.items() if said not in gone]
    taken = {row["rowid"] for row in kept}
    last = max((number for side in sides for row in side if isinstance(number := row["rowid"], int)), default=0)
    for said, row in theirs.items():
        if said in base or said in ours:
            continue
        last += row["rowid"] in taken
        kept.append({**row, "rowid": last} if row["rowid"] in taken else row)
    return kept


def _key(row: Row, keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(spelled(row.get(name)) for name in keys)


def _said(row: Row) -> tuple[str, ...]:
    return _key(row, (name for name in row if name != "rowid"))


def _same(one: Row | None, other: Row | None) -> bool:
    return one is other or (one is not None and other is not None and _key(one, one) == _key(other, other))
