"""What a pass read before it decided anything: sessions, batches, limits, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memgit.show.markup import Markup, joined, listed, table, tag


def survey(record: Mapping[str, Any]) -> Iterator[Markup]:
    """The figures of the preflight, its batches and the notes of the pass."""
    given: Mapping[str, Any] = record.get("preflight", {})
    if given:
        yield tag("dl", *(part for fact in _facts(record, given) for part in _row(*fact)), class_="facts")
        yield from _batches(record, given)
        yield from _places(given)
    if notes := record.get("notes"):
        yield tag("h3", "Notes")
        yield listed(notes) or joined()


def _row(name: str, value: str) -> tuple[Markup, Markup]:
    return tag("dt", name), tag("dd", value)


def _facts(record: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    store = record.get("store", {})
    if store:
        yield "Store", f"{store['path']} ({store['status']}, {store['shape']}; found by {store['resolved_by']})"
    left_out = (
        f"{given['near_empty']} near-empty, {given['beyond_budget']} beyond the token budget, "
        f"{given['beyond_cap']} beyond the session cap"
    )
    yield "Sessions", f"{given['selected']} read of {given['sessions_in_pool']} in the pool; left out: {left_out}"
    yield "Prose", f"about {given['prose_tokens']:,} tokens in {given['messages']:,} messages"
    yield "Bounds", f"{given['token_budget']:,} tokens, {given['session_cap']:,} sessions"
    if given["broken_lines"]:
        yield "Broken lines", f"{given['broken_lines']:,}"
    if classes := given["records_by_class"]:
        yield "Records", ", ".join(f"{count:,} {name}" for name, count in classes.items())


def _batches(record: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[Markup]:
    unmined = {each["batch"]: each["why"] for each in record.get("unmined", ())}
    rows = [
        (
            str(each["number"]),
            f"{len(each['sessions'])}",
            f"{each['tokens']:,}",
            f"not mined: {unmined[each['number']]}" if each["number"] in unmined else "mined",
        )
        for each in given["batches"]
    ]
    if rows:
        yield table(("Batch", "Sessions", "Tokens", "Outcome"), rows, "Batches")


def _places(given: Mapping[str, Any]) -> Iterator[Markup]:
    """Worktrees that were read, stores that belong to none, sessions of other projects."""
    told = [f"Worktree {each['path']} ({each['source']})" for each in given["worktrees"]]
    told += [f"Store {each['path']}, {each['memories']} memories: {each['why']}" for each in given["orphan_stores"]]
    told += [f"Left alone: {each['path']} belongs to {each['project']}" for each in given["foreign_sessions"]]
    if told:
        yield tag("h3", "Worktrees and other places")
        yield listed(told) or joined()
