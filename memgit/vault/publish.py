"""Makes a drafted operation real: its objects are made durable first, then the log's ref moves."""

from __future__ import annotations

from pathlib import Path

from memgit import files
from memgit.errors import Damaged, MemgitError
from memgit.faults import point
from memgit.vault import engine
from memgit.vault.engine import FAILURES
from memgit.vault.log import Log
from memgit.vault.objects import Objects
from memgit.vault.refs import LOG
from memgit.vault.transaction import Draft


class Moved(Exception):
    """The log is not where the draft starts from: somebody without the lock wrote to it."""


def publish(git_dir: Path, objects: Objects, log: Log, draft: Draft) -> str:
    """Commit a draft to the operation log and return the commit.

    Raises `Moved` when the log moved meanwhile and `MemgitError` when it could not be written; the operation has
    then not happened.
    """
    for oid in (draft.tree, *draft.parents):
        if problem := objects.fault(oid):  # libgit2 is about to look at it
            raise Damaged(problem, "Run `memgit check --full`")
    try:
        point("objects written")
        files.sync_file_system(git_dir)
        point("objects durable")
        commit = engine.commit_onto(git_dir, LOG, draft.tree, draft.parents, draft.message, draft.operation.time)
        point("log moved")
    except FAILURES as cause:
        return _what_happened(objects, log, draft, cause)
    return commit


def _what_happened(objects: Objects, log: Log, draft: Draft, cause: Exception) -> str:
    """The commit of the draft if the log holds it in spite of the error; the last sync may be what failed."""
    tip = log.tip()
    expected = draft.parents[0] if draft.parents else None
    if tip and tip != expected:
        commit = objects.commit(tip)
        if (commit.tree, commit.parents) == (draft.tree, draft.parents):
            return tip
        raise Moved from cause
    raise MemgitError(
        f"the vault could not record the operation {draft.operation.subject!r}: {cause}",
        "Nothing was changed. Make room or make the vault writable, then try again",
    ) from cause
