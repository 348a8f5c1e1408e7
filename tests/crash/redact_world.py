"""A vault with a leaked secret, redacted in a process of its own: ``python -m tests.crash.redact_world ROOT VERB``."""

from __future__ import annotations

import sys
from pathlib import Path

from memgit.errors import MemgitError
from memgit.flows.adopt import adopt
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.redact import Given, Reach, redact
from memgit.stores.install import WAYS, Way
from tests.desks import NEW, OLD, desk_over, like, make_pass, write

SECRET = "ghp_" + "Zk3vQ9xLm2RtYw8Bn5Jd7Fh1Pc4Sg6Tu0AeX"


def desk_in(root: Path, ways: tuple[Way, ...] = WAYS) -> Desk:
    return desk_over(root / "agent" / "memory", root / "data" / "vault", ways)


def reach(root: Path) -> Reach:
    return Reach((root / "state" / "bug-report.txt",), (root / "cache" / "transcripts.sqlite",))


def prepare(root: Path) -> None:
    """An adopted pass, a waiting one with a report and digests, a superseded copy, a fault report and a cache."""
    leaky = {**OLD, "deploys.md": f"The token is {SECRET}\n"}
    write(root / "agent" / "memory", leaky)
    desk = desk_in(root)
    snapshot(desk)
    adopt(desk, make_pass(desk, like(desk.store.read(), {**NEW, "token.md": f"{SECRET}\n"})).id)
    waiting = make_pass(desk, like(desk.store.read(), {**NEW, "more.md": f"More: {SECRET}\n"}))
    write(Path(waiting.paths.digests), {"batch-01.json": SECRET})
    write(root, {"state/bug-report.txt": SECRET, "cache/transcripts.sqlite": SECRET})


if __name__ == "__main__":
    root, verb = Path(sys.argv[1]), sys.argv[2]
    try:
        if verb == "recover":
            recover(desk_in(root))
        else:
            redact(desk_in(root), Given(SECRET), reach(root), really=True)
    except MemgitError as error:
        sys.exit(f"{error.code}: {error.message}")
