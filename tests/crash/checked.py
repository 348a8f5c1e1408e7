"""A full check in a fork of a server that has everything imported; its answer goes through a pipe."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

from memgit.errors import Damaged
from memgit.vault import Vault
from memgit.vault.integrity import check
from tests.vault_world import WHO, clock


def answer(folder: Path, to: Connection) -> None:
    """Send the names of the parts of the vault in which something is wrong."""
    try:
        found = [problem.part.value for problem in check(Vault(folder, clock=clock, who=WHO), full=True)]
    except Damaged:
        found = ["refused"]
    to.send(" ".join(dict.fromkeys(found)))
