"""What a capable agent answered as the host of a pass, blind to the truth, handed in again as it stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path

from memgit.core.seam.protocol import parse_candidates, parse_decisions
from memgit.model.decision import Decision, Proposal
from memgit.model.history import PassKind
from memgit.rulings.case import open_case
from memgit.rulings.settle import settle
from tests.bench.labelled import DATA, Project, load

HOSTS = Path(__file__).parent / "data" / "hosts"
PASS = "PASS"  # stands in the replies where the id of the pass stood


def slugs() -> list[str]:
    return sorted(path.name for path in HOSTS.iterdir() if path.is_dir())


@cache
def project(slug: str) -> Project:
    return load(DATA / "scenarios" / slug)


def proposals(slug: str) -> tuple[Proposal, ...]:
    """The host's decisions about one project, read as memgit reads them."""
    candidates, decisions = ((HOSTS / slug / f"{name}.json").read_bytes() for name in ("candidates", "decisions"))
    return parse_decisions(decisions, PASS, parse_candidates(candidates, PASS, 1).kept)


def replay(slug: str, confirm: str = "", but: Collection[str] = ()) -> tuple[Decision, ...]:
    """What becomes of them: at once, or with a confirmation of whatever is doubted ``but`` for these memories."""
    about = project(slug)
    case = open_case(PassKind.CURATE, about.memories, about.digests)
    wanted = [one if set(one.memories) & set(but) else replace(one, confirm=confirm) for one in proposals(slug)]
    return settle(wanted, about.content, case)
