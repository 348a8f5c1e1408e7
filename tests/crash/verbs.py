"""One verb in a process of its own, to be cut short there: ``python -m tests.crash.verbs ROOT WAY VERB``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memgit.errors import MemgitError
from memgit.flows.lifecycle import Desk, adopt, discard, recover, redo, restore, snapshot, undo
from memgit.stores.install import Way
from tests.desks import desk_over

VERBS: Mapping[str, Callable[[Desk], object]] = {
    "adopt": lambda desk: adopt(desk, desk.vault.passes()[0].id),
    "merge": lambda desk: adopt(desk, desk.vault.passes()[0].id),
    "discard": lambda desk: discard(desk, desk.vault.passes()[0].id),
    "snapshot": snapshot,
    "undo": undo,
    "redo": redo,
    "restore": lambda desk: restore(desk, "op2"),
    "recover": recover,
}


def desk_in(root: Path, way: Way) -> Desk:
    """The desk of one case: only one way to install is open to it."""
    return desk_over(root / "agent" / "memory", root / "vault" / "v", [way])


if __name__ == "__main__":
    try:
        VERBS[sys.argv[3]](desk_in(Path(sys.argv[1]), Way(sys.argv[2])))
    except MemgitError as error:
        sys.exit(f"{error.code}: {error.message}")
