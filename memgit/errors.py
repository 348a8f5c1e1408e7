"""One error root. A class carries its exit code; every message says what is wrong, every hint what to do."""

from __future__ import annotations

from typing import ClassVar


class MemgitError(Exception):
    """Something the user must know. ``code`` is the exit code, ``kind`` its stable name in JSON."""

    code: ClassVar[int] = 1
    kind: ClassVar[str] = "failed"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MemgitError):
    """The command line asks for something that cannot be."""

    code = 2
    kind = "usage"


class NoHistory(MemgitError):
    """Neither a session folder nor a store with memories exists for this project."""

    code = 10
    kind = "no-history"


class VaultLocked(MemgitError):
    """Another memgit is writing to this vault."""

    code = 11
    kind = "locked"


class StoreChanged(MemgitError):
    """The live store is not the one that the pass started from."""

    code = 12
    kind = "store-changed"


class WrongState(MemgitError):
    """No such pass or operation, or it is in a state that this verb does not fit."""

    code = 13
    kind = "wrong-state"


class Unfinished(MemgitError):
    """An earlier operation was cut short and must be recovered first."""

    code = 14
    kind = "unfinished"


class BadReply(MemgitError):
    """A reply (candidates, decisions, approval) breaks its contract; the field is named."""

    code = 15
    kind = "bad-reply"


class ToolFailed(MemgitError):
    """A program or endpoint that memgit depends on failed."""

    code = 16
    kind = "tool-failed"


class Damaged(MemgitError):
    """Something in the vault or the store is damaged."""

    code = 17
    kind = "damaged"


class Interrupted(MemgitError):
    """The user stopped it; the message says what became of what was under way."""

    code = 130
    kind = "interrupted"
