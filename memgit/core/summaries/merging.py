"""Three versions of a file that holds many rows, merged row by row: a daemon writes to the same files as a pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.core.summaries.form import (
    EDGE_FILES,
    EMBEDDINGS,
    columns_of,
    edge_file,
    in_order,
    is_summaries,
    is_vectors,
    keys_of,
    vector_record,
    vector_rows,
)
from memgit.core.summaries.rows import Row, rows, spelled
from memgit.model.store import StoreContent


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
    merged = _merged(sides, keys)
    if merged is None:
        return None
    ordered = in_order(merged, keys)
    return b"".join(map(vector_record, ordered)) if table == EMBEDDINGS else edge_file(table, ordered).data


def _rows(content: StoreContent, path: str, columns: Sequence[str]) -> list[Row]:
    file = content.files.get(path)
    if file is None:
        return []
    return list(vector_rows(file.data, columns) if is_vectors(path) else rows(file.data))


def _merged(sides: Sequence[Sequence[Row]], keys: Sequence[str]) -> list[Row] | None:
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
