"""All that a person, or a reader of ``--json``, sees. stdout is the answer; stderr is progress and warnings.

Functions that end a command return its exit code.
"""

from memgit.console.agent import found_facts, hooked, hooks_stand, injected, remembered
from memgit.console.catalogue import catalogued
from memgit.console.checks import checked, checked_of, diagnosed, found, matched, mended, verified
from memgit.console.configured import (
    completed,
    configured,
    configured_at,
    configured_like,
    schema_printed,
    schemas,
)
from memgit.console.differences import Way, compared, differed
from memgit.console.every import Told, in_all, of_check, of_pass, of_prune, of_verb
from memgit.console.failures import bug, failure, interrupted, misused, naming_store, of_the_system
from memgit.console.graph import graphed
from memgit.console.history import told
from memgit.console.looking import (
    decision_shown,
    logged,
    memory_shown,
    operated,
    page_made,
    page_printed,
    shown,
    shown_drawn,
    stood,
)
from memgit.console.meter import SILENT, progress
from memgit.console.pager import at_terminal, paged
from memgit.console.passes import audited, demonstrated, passed, proposed, pruned, ruled, swept
from memgit.console.streams import MAX_INPUT, ReaderGone, Unheard, answer, answer_whole, read_input, say, warn
from memgit.console.travel import agreed, asked_to_push, exported, redacted, synced
from memgit.console.verbs import done, lines

__all__ = [
    "MAX_INPUT",
    "SILENT",
    "ReaderGone",
    "Told",
    "Unheard",
    "Way",
    "agreed",
    "answer",
    "answer_whole",
    "asked_to_push",
    "at_terminal",
    "audited",
    "bug",
    "catalogued",
    "checked",
    "checked_of",
    "compared",
    "completed",
    "configured",
    "configured_at",
    "configured_like",
    "decision_shown",
    "demonstrated",
    "diagnosed",
    "differed",
    "done",
    "exported",
    "failure",
    "found",
    "found_facts",
    "graphed",
    "hooked",
    "hooks_stand",
    "in_all",
    "injected",
    "interrupted",
    "lines",
    "logged",
    "matched",
    "memory_shown",
    "mended",
    "misused",
    "naming_store",
    "of_check",
    "of_pass",
    "of_prune",
    "of_the_system",
    "of_verb",
    "operated",
    "page_made",
    "page_printed",
    "paged",
    "passed",
    "progress",
    "proposed",
    "pruned",
    "read_input",
    "redacted",
    "remembered",
    "ruled",
    "say",
    "schema_printed",
    "schemas",
    "shown",
    "shown_drawn",
    "stood",
    "swept",
    "synced",
    "told",
    "verified",
    "warn",
]
