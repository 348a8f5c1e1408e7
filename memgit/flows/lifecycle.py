"""The lifecycle of passes and of the live store, as the command line calls it."""

from __future__ import annotations

from memgit.flows.adopt import adopt, discard, merge
from memgit.flows.candidate import commands
from memgit.flows.desk import Change, Desk, Done, carry_out
from memgit.flows.look import Status, acknowledge, status, unfinished
from memgit.flows.observe import observe, recognise, snapshot
from memgit.flows.recovery import at_work, recover
from memgit.flows.undo import redo, restore, undo

__all__ = [
    "Change",
    "Desk",
    "Done",
    "Status",
    "acknowledge",
    "adopt",
    "at_work",
    "carry_out",
    "commands",
    "discard",
    "merge",
    "observe",
    "recognise",
    "recover",
    "redo",
    "restore",
    "snapshot",
    "status",
    "undo",
    "unfinished",
]
