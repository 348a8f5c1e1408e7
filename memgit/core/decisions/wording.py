"""What may never stand in a memory that a pass writes, and the form that a draft must have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from memgit.core.decisions.case import Case
from memgit.core.screening.findings import MASK, Finding, personal, secrets, steering, whole
from memgit.model.decision import Draft

MAX_BYTES = 20_000
"""A memory is one fact; longer drafts are refused."""

MAX_NAME = 80


def tidied(draft: Draft) -> Draft:
    """The draft as valid Unicode with LF line ends, one-line name and description, no blank edges."""
    return replace(
        draft,
        name=" ".join(whole(draft.name).split()),
        description=" ".join(whole(draft.description).split()),
        body=whole(draft.body).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip(),
    )


def unfit(draft: Draft, case: Case, known: Iterable[str] = ()) -> str | None:
    """Why a draft must not be written, or None. ``known`` are texts it may repeat: the old memory, the quotes."""
    known = tuple(known)
    return (
        _malformed(draft, case)
        or _unsafe(draft)
        or _personal(draft, case)
        or _steering(draft, known)
        or _provenance(draft, known)
    )


def _malformed(draft: Draft, case: Case) -> str | None:
    size = len(_text(draft).encode())
    if not draft.body.strip():
        return "Its text is empty."
    if size > MAX_BYTES:
        return f"Its text is {size:,} bytes long; a memory holds one fact in at most {MAX_BYTES:,}."
    return None if draft.id else _malformed_new(draft, case)


def _malformed_new(draft: Draft, case: Case) -> str | None:
    if not re.search(r"[^\W_]", draft.name) or len(draft.name) > MAX_NAME or re.search(r"[/\\\x00-\x1f]", draft.name):
        return f'"{draft.name[:40]}" cannot name a memory.'
    if not draft.description:
        return "A new memory needs a description of one line."
    if draft.type not in case.types:
        return f'"{draft.type[:40]}" is no type of this store; known are {", ".join(sorted(case.types))}.'
    return None


def _unsafe(draft: Draft) -> str | None:
    text = _text(draft)
    if MASK.search(text):
        return "Its text holds a masked secret."
    if found := secrets(text):
        return f"Its text holds what looks like a secret ({_kinds(found)})."
    return None


def _personal(draft: Draft, case: Case) -> str | None:
    """Personal data stays where it is: a draft may keep what its own file holds and bring in nothing else."""
    text, own = _text(draft), case.memories[draft.id].text if draft.id in case.memories else ""
    moved = tuple(finding for finding in personal(text) if text[finding.start : finding.end] not in own)
    return f"It would carry personal data into another memory ({_kinds(moved)})." if moved else None


def _steering(draft: Draft, known: tuple[str, ...]) -> str | None:
    """Text that speaks to the reading agent; what the old memory holds already is not this draft's doing."""
    before = {finding.kind for text in known for finding in steering(text)}
    found = tuple(finding for finding in steering(_text(draft)) if finding.kind not in before)
    return f"Its text tries to steer whoever reads it ({_kinds(found)})." if found else None


_PROVENANCE = re.compile(
    r"\bsessions? [`\"(]?[0-9a-f]{8}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\bmemgit\b|^Memgit-\w+:"
    r"|\b(?:curation|memory) pass\b|\bpass \d{4}-\d\d-\d\d\.\d+|\boriginSessionId\b|\b(?:decision|candidate) [MB]\d+\b"
    r"|\[?(?:verified|unverifiable|not found) in the working tree\b|\bmerged from \[?\[?[\w-]+|\bsource: session\b",
    re.IGNORECASE | re.MULTILINE,
)


def _provenance(draft: Draft, known: tuple[str, ...]) -> str | None:
    allowed = {match[0].lower() for text in known for match in _PROVENANCE.finditer(text)}
    for match in _PROVENANCE.finditer(_text(draft)):
        if match[0].lower() not in allowed:
            return f'Its text speaks of the pass itself ("{match[0]}"); that belongs in the report.'
    return None


def _text(draft: Draft) -> str:
    return f"{draft.name}\n{draft.description}\n{draft.body}"


def _kinds(findings: Iterable[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.kind for finding in findings))
