"""What a capable agent answered as the host of a pass, blind to the truth, handed in again as it stands."""

from __future__ import annotations

import tempfile
from pathlib import Path

from memgit.core.seam.protocol import parse_candidates, parse_decisions
from memgit.model.decision import Proposal
from tests.bench.quality import Result, cited, leave
from tests.bench.scenarios import SCENARIOS, digests
from tests.data.scenarios.score import Score, citations

HOSTS = Path(__file__).parent / "data" / "hosts"
PASS = "PASS"  # stands in the replies where the id of the pass stood


def slugs() -> list[str]:
    return sorted(path.name for path in HOSTS.iterdir() if path.is_dir())


def proposals(slug: str) -> tuple[Proposal, ...]:
    """The host's decisions about one scenario, read as memgit reads them."""
    candidates, decisions = ((HOSTS / slug / f"{name}.json").read_bytes() for name in ("candidates", "decisions"))
    return parse_decisions(decisions, PASS, parse_candidates(candidates, PASS, 1).kept)


def replay(slug: str) -> Result:
    """What the guards make of them, scored against the truth."""
    scenario, made = SCENARIOS / slug, proposals(slug)
    with tempfile.TemporaryDirectory() as folder:
        decisions = leave(Path(folder), scenario, digests(scenario), made)
        score = Score(scenario, Path(folder)).run()
    return Result(slug, score, citations(scenario, cited(decisions)), made, decisions)
