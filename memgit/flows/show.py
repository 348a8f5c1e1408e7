"""What a person asks to see of a pass, of one decision, or of one memory. Reading only."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from memgit.core.report.compose import entry
from memgit.core.report.outline import in_order
from memgit.errors import WrongState
from memgit.evidence.findings import mask, printable
from memgit.flows.desk import said_of
from memgit.flows.papers import Papers, dossier_of, dossiers, papers
from memgit.flows.views import Report, find, report
from memgit.model.decision import Decision
from memgit.model.history import PassState

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier
    from memgit.flows.desk import Desk
    from memgit.model.history import PassHeader
    from memgit.ports import StoreReader, WorkingTree

DECISION = re.compile(r"[Mm]\d+")
"""How a decision is named."""


@dataclass(frozen=True)
class SeenMemory:
    """One memory: its ``text`` as it is now, masked (None where the store has it no more), and the ``decisions`` of the
    pass that waits which are about it. ``history`` is the command that tells its story."""

    memory: str
    text: str | None
    pass_id: str
    decisions: tuple[Decision, ...]
    history: str


@dataclass(frozen=True)
class SeenDecision:
    """One decision: its dossier, all decisions of its pass, and the part of the report that is about it. ``said`` gives
    a command as it is typed for this store."""

    header: PassHeader
    dossier: Dossier
    decisions: tuple[Decision, ...]
    text: str
    said: Callable[[str], str]


def drawn(
    desk: Desk, pass_id: str | None, tree: Callable[[], WorkingTree]
) -> tuple[Report, Papers, tuple[Dossier, ...]]:
    """A pass with the dossiers of its decisions, questions first. Raises WrongState for one without its records."""
    found = report(desk, pass_id)
    kept = papers(desk, found.header)
    return found, kept, dossiers(kept, in_order(kept.outcome.decisions), cache(tree))


def decision_seen(desk: Desk, name: str, pass_id: str | None, tree: Callable[[], WorkingTree]) -> SeenDecision:
    """One decision of a pass, of the newest if none is named. Raises WrongState where there is none of that name."""
    kept = papers(desk, _with_decisions(desk, pass_id))
    decisions = kept.outcome.decisions
    decision = next((each for each in decisions if each.id == name.upper()), None)
    if decision is None:
        ids = [each.id for each in decisions]
        there = f"It has {ids[0]} to {ids[-1]}." if ids else "It has no decisions."
        raise WrongState(f"Pass {kept.header.id} has no decision {name}.", there)
    text = "\n\n".join(entry(decision, kept.outcome))
    return SeenDecision(kept.header, dossier_of(kept, decision, tree), decisions, text, partial(said_of, desk))


def _with_decisions(desk: Desk, pass_id: str | None) -> PassHeader:
    """The pass that is named; else the newest that has been decided, one that waits before all others."""
    if pass_id is not None:
        return desk.vault.pass_header(pass_id)
    decided = [each for each in desk.vault.passes() if each.state is not PassState.PLANNED]
    waiting = [each for each in decided if each.state.waits]
    return next(iter(waiting or decided), None) or find(desk, None)


def memory_seen(store: StoreReader, desk: Desk | None, name: str) -> SeenMemory | None:
    """One memory by its id or file; None where nothing has that name."""
    content = store.read()
    memory = name.removesuffix(".md")
    file = content.files.get(f"{memory}.md")
    header = next((each for each in desk.vault.passes() if each.state is PassState.READY), None) if desk else None
    about: tuple[Decision, ...] = ()
    if desk and header:
        decisions = papers(desk, header).outcome.decisions
        about = tuple(each for each in in_order(decisions) if memory in (*each.memories, *each.results))
    if file is None and not about:
        return None
    text = printable(mask(file.data.decode("utf-8", "replace")).text) if file else None
    history = store.resolution.said(f"memgit history {memory}")
    return SeenMemory(memory, text, header.id if header else "", about, history)
