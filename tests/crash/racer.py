"""One of several processes that work on one store at once: ``python -m tests.crash.racer ROOT SEED ROUNDS``."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from memgit.errors import MemgitError
from memgit.flows.adopt import adopt, discard, merge
from memgit.flows.desk import Desk
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.status import acknowledge
from memgit.flows.undo import redo, restore, undo
from memgit.model.history import PassState
from memgit.stores.install import Way
from tests.crash.verbs import desk_in
from tests.desks import NEW, like, make_pass

Verb = Callable[[Desk, random.Random], object]
WAITING = (PassState.READY, PassState.UNDONE)


def a_pass(desk: Desk, chance: random.Random) -> object:
    return make_pass(desk, like(desk.store.read(), {**NEW, f"round-{chance.randrange(1000)}.md": "A round.\n"}))


def on_a_pass(verb: Callable[[Desk, str], object]) -> Verb:
    def act(desk: Desk, chance: random.Random) -> object:
        waiting = [header.id for header in desk.vault.passes() if header.state in WAITING]
        return verb(desk, chance.choice(waiting)) if waiting else a_pass(desk, chance)

    return act


def to_some_state(desk: Desk, chance: random.Random) -> object:
    head = desk.vault.head()
    return restore(desk, f"op{chance.randrange(2, head.number + 1)}") if head and head.number > 1 else None


VERBS: tuple[Verb, ...] = (
    a_pass,
    on_a_pass(adopt),
    on_a_pass(adopt),
    on_a_pass(merge),
    on_a_pass(discard),
    to_some_state,
    lambda desk, _: undo(desk),
    lambda desk, _: redo(desk),
    lambda desk, _: snapshot(desk),
    lambda desk, _: acknowledge(desk),
    lambda desk, _: recover(desk),
)


def race(root: Path, seed: int, rounds: int) -> Counter[str]:
    """Do so many things, chosen by chance; how they ended, by the kind of refusal."""
    chance, ended = random.Random(seed), Counter[str]()
    for _ in range(rounds):
        try:
            chance.choice(VERBS)(desk_in(root, chance.choice(tuple(Way)[:2])), chance)
            ended["done"] += 1
        except MemgitError as error:
            ended[error.kind] += 1
    return ended


if __name__ == "__main__":
    print(*(f"{kind}={count}" for kind, count in race(Path(sys.argv[1]), *map(int, sys.argv[2:])).items()))
