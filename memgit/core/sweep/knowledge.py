"""Memories that only point to a document, or that have cooled: each may go into a deferred bead, which no session is
shown unasked.

It is written first, verified, and only then forgotten as a memory; nothing is ever in both for good, nor in neither.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgit.core.sweep.filing import Filed, Life, marked
from memgit.evidence.findings import mask, personal, secrets
from memgit.model.decision import Decision, Kind, Proposal, Seen

LABEL = "kb"
VOCABULARY = "scripts/kb-label-vocab.txt"
"""Where a project lists the labels that such beads may have."""

NOTE = "research"
"""The type of a bead for what is neither research nor a design nor a decision and has cooled."""

LOW = "2"
"""The salience of what nobody can check again."""

FAR = "2099-01-01"
MOVED = "moved into a bead"
"""The claim of a proposal to forget what a bead holds."""

_MOST_LABELS, _LONGEST_TITLE = 3, 100
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:md|rst|txt|adoc)\b")


@dataclass(frozen=True, slots=True)
class Pointer:
    """A memory that belongs into a bead, with what that needs; ``lacks`` says why it cannot be filed yet, ``cooled``
    why a memory that is no pointer to a document has ended up here."""

    one: Filed
    document: str = ""
    labels: tuple[str, ...] = ()
    lacks: str = ""
    cooled: str = ""

    @property
    def title(self) -> str:
        first = next((line.strip() for line in self.one.parts.body.split("\n") if line.strip()), self.one.key)
        return first.lstrip("-#* ")[:_LONGEST_TITLE] or self.one.key

    @property
    def kind(self) -> str:
        """The type of the bead."""
        return self.one.kind.subtype if self.one.kind and self.one.kind.life is Life.REFERENCE else NOTE

    @property
    def text(self) -> str:
        """What the bead holds: the fact, and the mark of what superseded it."""
        return replace(self.one.parts, fields={}).text()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words behind ``bd create``; the text comes on standard input."""
        labels, doc = ",".join((LABEL, *self.labels)), json.dumps({"doc": self.document}, ensure_ascii=False)
        words = ("-t", self.kind, "-l", labels, "--defer", FAR, "--metadata", doc, "--body-file", "-", "--silent")
        return (self.title, *words)

    @property
    def command(self) -> str:
        return f"bd recall {shlex.quote(self.one.key)} | bd create {shlex.join(self.arguments)}"


def pointers(store: Iterable[Filed], files: Collection[str], vocabulary: str) -> tuple[Pointer, ...]:
    """The memories that belong into beads. ``files`` are those of the project, ``vocabulary`` its list of labels."""
    allowed = frozenset(word for line in vocabulary.split("\n") if (word := line.partition("#")[0].strip()))
    known, store = frozenset(files), tuple(store)
    keys = frozenset(one.key for one in store if one.stands)
    return tuple(
        _cooled(replace(_pointer(one, known, allowed), cooled=why), keys)
        for one in store
        if (why := cooled(one)) or one.of(Life.REFERENCE)
    )


def cooled(one: Filed) -> str:
    """Why a memory need not be told to sessions any more, by its text as the store has it; empty where it counts."""
    if one.parts.superseded:
        return f"{one.parts.superseded[1]} superseded it"
    return "its salience is 1" if one.of(Life.DURABLE) and marked(one.memory.body).salience == 1 else ""


def is_low(one: Filed) -> bool:
    """Whether a memory may have cooled, and nobody has said so."""
    return one.stands and one.of(Life.DURABLE) and marked(one.memory.body).salience == int(LOW)


def _cooled(pointer: Pointer, standing: Collection[str]) -> Pointer:
    """The same; one that nothing which stands has superseded lacks its reason to go."""
    mark = pointer.one.parts.superseded
    if mark is None or mark[1] in standing or pointer.lacks:
        return pointer
    return replace(pointer, lacks="what its mark says superseded it is no memory that stands")


def of_known_kinds(found: Iterable[Pointer], kinds: Collection[str]) -> tuple[Pointer, ...]:
    """The same where bd takes ``kinds`` of beads; of its own it has ``decision`` alone. None known: bd did not tell."""
    return tuple(replace(one, lacks=_NO_KIND.format(one.kind)) if _is_strange(one, kinds) else one for one in found)


def _is_strange(pointer: Pointer, kinds: Collection[str]) -> bool:
    return bool(kinds) and not pointer.lacks and pointer.kind not in kinds


_NO_KIND = (
    "bd has no beads of type {} here until `bd config set types.custom LIST` adds it"
    " to those that `bd config get types.custom` shows"
)


def _pointer(one: Filed, files: Collection[str], allowed: Collection[str]) -> Pointer:
    body = one.parts.body
    if secrets(body) or personal(body):
        return Pointer(one, lacks="it holds what looks like a secret or personal data, which is removed, never moved")
    document = next((found for found in _PATH.findall(body) if found.rstrip(".") in files), "").rstrip(".")
    if not document:
        return Pointer(one, lacks="it names no document that exists in the project")
    words = (*one.parts.listed("tags"), *re.findall(r"[a-z][a-z-]+", body.lower()))
    labels = tuple(dict.fromkeys(word for word in words if word != LABEL and word in allowed))[:_MOST_LABELS]
    if not labels:
        return Pointer(
            one, document, lacks=f"no label of {VOCABULARY} fits it" if allowed else f"there is no {VOCABULARY}"
        )
    return Pointer(one, document, labels)


def bead_of(pointer: Pointer, beads: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The bead that holds a memory's text already, and that is deferred: only there it lasts."""
    wanted = _folded(pointer.one.parts.body)
    return next((bead for bead in beads if bead.get("status") == "deferred" and wanted in _folded(said(bead))), None)


def former_of(
    pointer: Pointer, beads: Sequence[Mapping[str, Any]], holding: Collection[str]
) -> Mapping[str, Any] | None:
    """The deferred bead of the same type on the same document that says something else, which a new one supersedes:
    none of those that are ``holding`` a memory's text."""
    if pointer.lacks:
        return None
    return next((bead for bead in beads if bead["id"] not in holding and _is_on(bead, pointer)), None)


def _is_on(bead: Mapping[str, Any], pointer: Pointer) -> bool:
    same_kind = bead.get("issue_type", pointer.kind) == pointer.kind
    return same_kind and bead.get("status") == "deferred" and _document(bead) == pointer.document


def _document(bead: Mapping[str, Any]) -> str:
    metadata = bead.get("metadata")
    return str(metadata.get("doc", "")) if isinstance(metadata, dict) else ""


def said(bead: Mapping[str, Any]) -> str:
    """The text of a bead."""
    return f"{bead.get('title', '')}\n{bead.get('description', '')}"


def moved(found: Iterable[Pointer], beads: Sequence[Mapping[str, Any]]) -> Iterator[Proposal]:
    """What beads hold is forgotten as memories."""
    for pointer in found:
        bead = bead_of(pointer, beads)
        if bead is None or pointer.one.memory.pinned:
            continue
        line = next(text.strip() for text in pointer.one.parts.body.split("\n") if text.strip())
        why = f" It has cooled: {pointer.cooled}." if pointer.cooled else ""
        yield Proposal(
            Kind.DROP,
            f"The deferred bead {bead['id']} holds its text.{why}",
            (Seen(f"bead:{bead['id']}", line[:300]),),
            (pointer.one.memory.id,),
            claim=MOVED,
        )


def reviewed(pointer: Pointer) -> bool:
    """Whether the memory's own header, as the store has it, says what it is or that it has cooled: somebody has adopted
    that."""
    return bool(pointer.cooled) or marked(pointer.one.memory.body).fields.get("type") == str(pointer.one.kind)


def _folded(text: str) -> str:
    return " ".join(text.split())


# --- chore ---
# The bead of the chore that a sweep was: created once its commands have been run, closed with what they came to.


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
