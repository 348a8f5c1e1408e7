"""What the working tree says of each memory, and what else was noticed: classes, remarks, findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memgit.core.review.dossier import Dossier, safe
from memgit.model.decision import Kind
from memgit.show.markup import Markup, code, each, joined, listed, table, tag

_WORDS = {"verified": "verified", "unverifiable": "unverifiable", "no-targets": "nothing to check"}


def verification(record: Mapping[str, Any], dossiers: Sequence[Dossier]) -> Iterator[Markup]:
    """A row for each memory of which there is something to tell, and the names of the others."""
    checks: Mapping[str, Any] = record.get("verification", {})
    classes: Mapping[str, Any] = record.get("classes", {})
    replaced = _replaced(dossiers)
    told = [name for name in {**checks, **classes} if name in classes or name in replaced or _missing(checks, name)]
    if told:
        rows = (_row(name, checks, classes, replaced) for name in sorted(told))
        yield tag(
            "div",
            tag(
                "table",
                tag("caption", "A name that is not found only annotates; it removes and softens nothing."),
                tag("thead", tag("tr", each("th", ("Memory", "Verdict", "Why"), scope="col"))),
                tag("tbody", *rows),
            ),
            class_="scroll",
            role="region",
            aria_label="Verdicts",
            tabindex=0,
        )
    for verdict, label in _WORDS.items():
        names = [name for name, check in checks.items() if check["status"] == verdict and name not in told]
        if names:
            yield tag(
                "details",
                tag("summary", f"{len(names):,} {label}"),
                tag("p", joined(*_spaced(map(code, sorted(names)))), class_="names"),
                open=len(names) <= 12,
            )


def _spaced(parts: Iterator[Markup]) -> Iterator[Markup]:
    for part in parts:
        yield joined(part, " ")


def _replaced(dossiers: Sequence[Dossier]) -> dict[str, str]:
    decisions = (shown.decision for shown in dossiers if shown.decision.kind is Kind.REPLACE)
    return {safe(name): decision.id for decision in decisions for name in decision.results}


def _missing(checks: Mapping[str, Any], name: str) -> Sequence[Mapping[str, str]]:
    missing: Sequence[Mapping[str, str]] = checks.get(name, {}).get("missing", ())
    return missing


def _row(name: str, checks: Mapping[str, Any], classes: Mapping[str, Any], replaced: Mapping[str, str]) -> Markup:
    missing = _missing(checks, name)
    seen = classes.get(name)
    told = seen["evidence"] if seen else ""
    names = [joined(code(each["span"]), f" {_reason(each)}") for each in missing if each["span"] not in told]
    why = listed(names) if len(names) > 1 else joined(*names)
    reasons = joined(
        tag("p", "Contradicted by a later session and replaced: ", _link(replaced[name])) if name in replaced else None,
        tag("p", prose(told)) if told else None,
        why,
    )
    badges = joined(*_spaced(_badges(name, checks, seen, name in replaced)))
    return tag("tr", tag("th", name, scope="row"), tag("td", badges), tag("td", reasons), data_filter=True)


def _badges(name: str, checks: Mapping[str, Any], seen: Mapping[str, str] | None, replaced: bool) -> Iterator[Markup]:
    if replaced:
        yield tag("span", "contradicted", class_="badge contradicted")
    if seen:
        yield tag("span", seen["class"], class_=f"badge {seen['class']}")
    status = checks.get(name, {}).get("status")
    if status and not (seen and seen["class"] == status):
        yield tag("span", _WORDS.get(status, status), class_=f"badge {status}")


def _reason(missing: Mapping[str, str]) -> str:
    reason, hint = missing["reason"], missing["hint"]
    return hint if hint.startswith(reason) else ", ".join(part for part in (reason, hint) if part)


def _link(decision: str) -> Markup:
    return tag("a", decision, href=f"#{decision}")


def noticed(record: Mapping[str, Any]) -> Iterator[Markup]:
    """Remarks under their headings, and what looked like a secret or like steering text, by place and kind."""
    for title, lines in record.get("remarks", {}).items():
        yield tag("h3", title)
        yield listed([prose(line) for line in lines]) or joined()
    findings = record.get("findings", ())
    if findings:
        yield tag("h3", "Screening")
        yield tag("p", "Text that looks like a secret or tries to steer an agent. It is never repeated here.")
        yield listed([joined(code(found["place"]), _place(found)) for found in findings]) or joined()


def _place(found: Mapping[str, Any]) -> str:
    line = f", line {found['line']}" if found.get("line") else ""
    return f"{line}: {found['kind']}"


def prose(line: str) -> Markup:
    """A line of the Markdown that reports are written in: code spans, and bold."""
    return joined(*(_span(part) for part in _SPANS.split(line)))


_SPANS = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")


def _span(part: str) -> Markup:
    if _SPANS.fullmatch(part):
        return tag("strong", part[2:-2]) if part.startswith("**") else code(part[1:-1])
    return joined(part)


# --- survey ---
# What a pass read before it decided anything: sessions, batches, limits, and what was left out.


def survey(record: Mapping[str, Any]) -> Iterator[Markup]:
    """The figures of the preflight, its batches and the notes of the pass."""
    given: Mapping[str, Any] = record.get("preflight", {})
    if given:
        yield tag("dl", *(part for fact in _facts(record, given) for part in _fact_row(*fact)), class_="facts")
        yield from _batches(record, given)
        yield from _places(given)
    if notes := record.get("notes"):
        yield tag("h3", "Notes")
        yield listed(notes) or joined()


def _fact_row(name: str, value: str) -> tuple[Markup, Markup]:
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
