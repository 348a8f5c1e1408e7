"""Makes a drafted operation real: its objects are made durable first, then the log's ref moves."""

from __future__ import annotations

from pathlib import Path

from memgit.errors import Damaged, MemgitError
from memgit.faults import point
from memgit.vault import durable
from memgit.vault.durable import FAILURES
from memgit.vault.gitobjects import Commit
from memgit.vault.log import Log
from memgit.vault.objects import Objects
from memgit.vault.refs import LOG, Moved, move_ref
from memgit.vault.transaction import Draft


def publish(git_dir: Path, objects: Objects, log: Log, draft: Draft) -> str:
    """Commit a draft to the operation log and return the commit.

    Raises `Moved` when the log moved meanwhile and `MemgitError` when it could not be written; the operation has
    then not happened.
    """
    for oid in (draft.tree, *draft.parents):
        if problem := objects.fault(oid):
            raise Damaged(problem, "Run `memgit check --full`")
    try:
        point("objects written")
        commit = objects.write_commit(Commit(draft.tree, tuple(draft.parents), draft.operation.time, draft.message))
        durable.sync_filesystem(git_dir)
        point("objects durable")
        move_ref(git_dir, LOG, commit, draft.parents[0] if draft.parents else None)
        point("log moved")
    except (Moved, MemgitError, *FAILURES) as cause:
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
