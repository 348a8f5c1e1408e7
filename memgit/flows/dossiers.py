"""What is to be seen of a pass and of each of its decisions, gathered from its records. Reading only.

Everything that shows single decisions (the review, the report page) takes its facts from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgit.core.review.dossier import Dossier, Glimpse, NotFound, dossier, safe
from memgit.evidence.quotes import fold
from memgit.flows.candidate import kept_outcome
from memgit.model.decision import Decision, Seen
from memgit.model.history import PassHeader
from memgit.model.passes import Outcome
from memgit.model.store import ABSENT, StoreContent
from memgit.model.verification import Change, Line

if TYPE_CHECKING:
    from memgit.flows.desk import Desk
    from memgit.ports import WorkingTree


@dataclass(frozen=True)
class Papers:
    """A decided pass as it is kept: ``outcome`` holds its decisions and frozen prose, ``read`` is the store that it
    read, ``not_found`` what the working tree lacked when the candidate was verified, by memory id."""

    header: PassHeader
    outcome: Outcome
    read: StoreContent
    not_found: Mapping[str, tuple[NotFound, ...]]


def papers(desk: Desk, header: PassHeader) -> Papers:
    """The papers of a pass in any state but planned.

    Raises WrongState for a pass without all its records, Damaged for records that cannot be read.
    """
    outcome = kept_outcome(desk.vault, header)
    record = json.loads(desk.vault.record(header.id, "pass.json") or b"{}")
    read = desk.vault.content(header.snapshot) if header.snapshot else ABSENT
    return Papers(header, outcome, read, dict(_not_found(record)))


def dossier_of(kept: Papers, decision: Decision, tree: Callable[[], WorkingTree]) -> Dossier:
    """The dossier of one decision. The tree is opened only for a decision that cites it, and asked for that alone."""
    cited = [one for one in decision.evidence if isinstance(one, Seen) and one.where.startswith(("tree:", "commit:"))]
    glimpses = {one.where: glimpse(tree(), one) for one in cited}
    lacking = [each for memory in decision.results for each in kept.not_found.get(safe(memory), ())]
    return dossier(decision, kept.read, kept.outcome.plan.digests, glimpses, lacking)


def dossiers(kept: Papers, decisions: Sequence[Decision], tree: Callable[[], WorkingTree]) -> tuple[Dossier, ...]:
    """The dossiers of several decisions, in their order."""
    return tuple(dossier_of(kept, decision, tree) for decision in decisions)


def glimpse(tree: WorkingTree, seen: Seen) -> Glimpse:
    """What the tree shows now at a place that is cited (``tree:<path>:<line>``, ``tree:<path>``, ``commit:<hash>``)."""
    text = tree.text_at(seen.where)
    holds = text is not None and fold(seen.quote) in fold(text)
    kind, _, rest = seen.where.partition(":")
    if kind == "commit":
        return Glimpse(Change(rest, "", safe((text or "").partition("\n")[0])), holds)
    path, _, number = rest.rpartition(":")
    change = tree.since(Line(path, int(number), text)) if text is not None and path and number.isdecimal() else None
    return Glimpse(change, holds)


def _not_found(record: Mapping[str, Any]) -> Iterator[tuple[str, tuple[NotFound, ...]]]:
    for memory, check in record.get("verification", {}).items():
        missing = (NotFound(memory, each["span"], each["reason"], each["hint"]) for each in check["missing"])
        if found := tuple(missing):
            yield memory, found
