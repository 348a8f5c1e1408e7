"""What memgit tells a person to type works on the store that he works on."""

from __future__ import annotations

import pytest

from memgit.console.failures import naming_store
from memgit.model.store import Resolution


@pytest.mark.parametrize(
    ("store", "typed"),
    [
        (Resolution("/h/.claude/projects/p/memory", "git common directory"), "memgit undo op5"),
        (Resolution("/notes", "--store", "notes"), "memgit undo op5 --store /notes"),
        (Resolution("/my notes", "--store"), "memgit undo op5 --store '/my notes'"),
        (Resolution("/p/.beads", "--store", "beads"), "memgit undo op5 --store beads:/p/.beads"),
        (Resolution("/w/db.sqlite", "user settings", "sqlite"), "memgit undo op5 --store sqlite:/w/db.sqlite"),
    ],
)
def test_a_command_names_the_store_that_memgit_would_not_find_by_itself(store, typed):
    assert store.said("memgit undo op5") == typed


@pytest.mark.parametrize(
    ("remedy", "said"),
    [
        ("`memgit ops` lists them.", "`memgit ops --store beads` lists them."),
        (
            "See `memgit show p.1`, then `memgit ack`.",
            "See `memgit show p.1 --store beads`, then `memgit ack --store beads`.",
        ),
        ("`memgit recover --store /other` ends it.", "`memgit recover --store /other` ends it."),
        ("See `memgit plan --help`.", "See `memgit plan --help`."),
        ("Make room, then try again.", "Make room, then try again."),
    ],
)
def test_a_remedy_is_for_the_store_that_the_failed_command_named(remedy, said):
    assert naming_store(remedy, "beads") == said
    assert naming_store(remedy, None) == remedy
