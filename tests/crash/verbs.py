"""The verbs that are cut short, each on a desk over one small world: ``python -m tests.crash.verbs ROOT WAY VERB``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from memgit.agent.installing.lines import HookLines, Wishes
from memgit.core.prune.rules import Terms
from memgit.core.schemas import DECISIONS
from memgit.errors import MemgitError
from memgit.flows import host
from memgit.flows.adopt import adopt, discard
from memgit.flows.approve import approve
from memgit.flows.curate import curate as run_pass
from memgit.flows.desk import Desk
from memgit.flows.extract import forget, remember
from memgit.flows.observe import snapshot
from memgit.flows.prepare import Workshop
from memgit.flows.prune import prune
from memgit.flows.record import PassBook
from memgit.flows.recovery import recover
from memgit.flows.redact import Given, redact
from memgit.flows.sync import export, import_, sync
from memgit.flows.undo import redo, restore, undo
from memgit.model.fact import Fact
from memgit.stores.install import Way
from memgit.wiring import Settings, workshop
from memgit.wiring.site import Site
from tests.crash import redact_world
from tests.desks import desk_over

FACT = Fact("on-call-rota", "Mira is on call", "project", "Mira is on call in weeks with an even number.")


class Silent:
    """Hears what a pass does, and says nothing."""

    def step(self, what: str, done: int = 0, total: int | None = None) -> None:
        return


def curate(desk: Desk) -> None:
    """One pass over a project without sessions: what there is to do is to put the index in order."""
    run_pass(_shop(desk))


def decide(desk: Desk, *entries: Mapping[str, object]) -> None:
    """A host's turn at the newest pass."""
    reply = {"schema": DECISIONS, "pass": newest(desk), "decisions": entries}
    host.decide(_shop(desk), newest(desk), json.dumps(reply).encode())


def plan(desk: Desk) -> None:
    """A pass that waits for a host."""
    host.plan(_shop(desk))


def show_prune(desk: Desk, *, confirm: bool = False) -> None:
    """What a prune would do is shown, or done."""
    prune(_shop(desk), lambda: desk, Terms(), confirm=confirm)


def hooks(root: Path) -> HookLines:
    """A client's settings in the world below ``root``, and the skills that are shipped."""
    return HookLines(root / "home" / ".client", root / "state" / "installed.json", ["/opt/memgit"], root / "skills")


def site_of(root: Path, folder: str) -> Site:
    """A store in the world below ``root``, and all that memgit has of it."""
    homes = {"HOME": "home", "MEMGIT_DATA_HOME": "vaults", "MEMGIT_STATE_HOME": "state"}
    env = {"PATH": "/usr/bin:/bin", **{name: str(root / folder) for name, folder in homes.items()}}
    return Site(Settings(env, str(root / "project"), store=str(root / folder / "memory")))


def machine(root: Path, name: str) -> Desk:
    """The desk of one of two machines."""
    return desk_over(root / name / "agent" / "memory", root / name / "data" / "vault")


def _shop(desk: Desk) -> Workshop:
    root = desk.live.parents[1]
    env = {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin"}
    shop = workshop(Settings(env, str(root / "project"), store=str(desk.live)), Silent())
    book = PassBook(lambda: desk.vault, desk.live, lambda: _recovered(desk), lambda: desk)
    return replace(shop, book=book, clock=desk.clock)


def _recovered(desk: Desk) -> tuple[str, ...]:
    done = recover(desk)
    return (done.did, *done.notes) if done else ()


def newest(desk: Desk) -> str:
    return desk.vault.passes()[0].id


VERBS: Mapping[str, Callable[[Desk], object]] = {
    "init": snapshot,
    "adopt": lambda desk: adopt(desk, newest(desk)),
    "adopt-built": lambda desk: adopt(desk, newest(desk)),
    "adopt-merged": lambda desk: adopt(desk, newest(desk)),
    "merge": lambda desk: adopt(desk, newest(desk)),
    "curate": curate,
    "approve": lambda desk: approve(desk, newest(desk), "approve all", lambda _: {}),
    "decide": lambda desk: decide(desk, {"id": "M1", "withdraw": True}),
    "discard": lambda desk: discard(desk, newest(desk)),
    "snapshot": snapshot,
    "undo": undo,
    "redo": redo,
    "restore": lambda desk: restore(desk, "op2"),
    "remember": lambda desk: remember(desk, [FACT], "s-1"),
    "forget": lambda desk: forget(desk, "deploys", "s-1"),
    "prune": lambda desk: show_prune(desk, confirm=True),
    "recover": recover,
}


def act(root: Path, way: Way, verb: str) -> None:
    """Do one verb in the world below ``root``."""
    match verb:
        case "redact":
            redact(redact_world.desk_in(root), Given(redact_world.SECRET), redact_world.reach(root), really=True)
        case "sync":
            sync(machine(root, "one"), str(root / "remote.git"), lambda *_: True)
        case "import":
            import_(machine(root, "one"), root / "two.bundle")
        case "export":
            export(machine(root, "one"), root / "one.bundle")
        case "relink":
            site_of(root, "moved").relink(None)
        case "hooks":
            hooks(root).install(Wishes())
        case "hooks-out":
            hooks(root).uninstall()
        case _:
            VERBS[verb](desk_in(root, way))


def desk_in(root: Path, way: Way) -> Desk:
    """The desk of one case: only one way to install is open to it."""
    return desk_over(root / "agent" / "memory", root / "vault" / "v", [way])


if __name__ == "__main__":
    try:
        act(Path(sys.argv[1]), Way(sys.argv[2]), sys.argv[3])
    except MemgitError as error:
        sys.exit(f"{error.code}: {error.message}")
