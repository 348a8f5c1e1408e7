"""The bead of the chore that a sweep was: created once its commands have been run, closed with what they came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memgit.evidence.findings import mask
from memgit.model.decision import Decision


def title(pass_id: str) -> str:
    """By this title it is found again, so that it is never created twice."""
    return f"Memory curation: sweep {pass_id}"


def arguments(pass_id: str) -> tuple[str, ...]:
    """The words behind ``bd create``; the text comes on standard input."""
    return (title(pass_id), "-t", "chore", "--body-file", "-", "--silent")


def body(pass_id: str) -> str:
    """What it says while it is open."""
    return f"The memories of this project were brought into order: memgit show {pass_id} --store beads"


def reason(decisions: Iterable[Decision], state: str) -> str:
    """What it is closed with: how many changes of each kind, and where bd's history was before."""
    count = Counter(each.claim or str(each.kind) for each in decisions)
    told = ", ".join(f"{number} {what}" for what, number in count.items()) or "nothing changed"
    return mask(f"Curated: {told}; before: {state or 'state not told'}").text
