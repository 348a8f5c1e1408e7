"""Memories that say the same become one, on the user's restatement or their own plain likeness; siblings never do."""

# ruff: noqa: E501 - one case a line
from __future__ import annotations

import pytest

from memgit.model.decision import Kind, Said, Seen
from memgit.model.store import Memory
from tests.unit.offline_world import OTHERS, changes, memory, session

BACKGROUND = tuple(memory(name, *claim) for name, claim in OTHERS.items())
RESTATED = [
    # two memories, and the user's sentence that states both again
    ("Integration tests must hit a real Postgres; mocked tests passed and the migration failed in production.",
     "Don't mock the database in integration tests. A mock hid a broken migration last quarter.",
     "no mocks for the database in the integration tests, we had mocked tests pass and the migration still failed"),
    ("Run `make lint-all` before every commit; CI rejects unformatted code.",
     "Always lint (`make lint-all`) prior to committing, otherwise the pipeline fails on formatting.",
     "you have to run make lint-all before you commit, CI fails on formatting otherwise"),
    ("Use pnpm, never npm, in this monorepo: npm breaks the workspace symlinks.",
     "Package manager is pnpm. Running npm install here wrecks workspace links.",
     "I said pnpm, npm breaks the workspace links"),
    ("Pipeline bugs are tracked in the Linear project INGEST.",
     "For data pipeline issues look at Linear, project INGEST; that is where all of those bugs live.",
     "bugs in the pipeline go to linear, project INGEST"),
    ("Never force-push to shared branches; a force push to `release` lost two commits in May.",
     "Force pushing to branches other people use is banned after `release` lost commits that way in May.",
     "no force push on shared branches!! we lost commits on release that way"),
    ("Feature flags live in `flags.yaml`; the service must be restarted for a change to take effect.",
     "Editing `flags.yaml` does nothing until the service restarts, since feature flags are read at start-up.",
     "you need to restart the service, flags.yaml is only read at start-up"),
    ("The nightly export job needs at least 8 GB of memory or it is OOM-killed halfway.",
     "Give the nightly export 8 GB or more; with less the kernel kills it part-way through.",
     "the nightly export needs 8 GB, with less it gets killed"),
    ("The `legacy_orders` table is read-only; write to `orders_v2`.",
     "New order writes go to `orders_v2`. Treat `legacy_orders` as frozen.",
     "legacy_orders is frozen, write to orders_v2"),
    ("The `users` service owns email addresses; other services only keep the user id.",
     "Email addresses belong to the `users` service. Everywhere else stores just the id.",
     "the users service owns email addresses, the others keep only the id"),
]  # fmt: skip
APART = [
    # siblings, other lessons about one thing, contradictions; and a sentence that touches both
    ("Production keeps the request logs for a month.", "Staging keeps the request logs for a month.",
     "we keep the request logs for a month"),
    ("The iOS build is signed in CI with the match profile.", "The Android build is signed in CI with the upload key.",
     "the build is signed in CI, always"),
    ("Never squash when merging; keep the full history.", "Always squash when merging.", "always squash when merging"),
    ("Use pnpm in this monorepo, never npm.", "Use npm in this monorepo, never pnpm.", "I said pnpm in this monorepo, not npm"),
    ("The retry cap is three attempts per request.", "The retry cap is five attempts per request.",
     "the retry cap is per request"),
    ("Secrets come from `.env` files.", "Secrets come from Vault, not from `.env` files.", "secrets come from vault"),
    ("Use tabs for indentation in Go.", "Use four spaces for indentation in Python.", "mind the indentation in go and python"),
    ("List endpoints use offset pagination.", "List endpoints use cursor pagination.", "list endpoints use pagination"),
    ("Images are built for arm64.", "Images are tagged with the short commit hash.", "images are built in CI and tagged"),
    ("The staging database is wiped every Sunday.", "The staging database has a read replica.",
     "the staging database is wiped on sunday"),
    ("The report counts sessions.", "The report no longer counts sessions but users.", "the report counts sessions, no?"),
]  # fmt: skip


def two(a: str, b: str) -> tuple[Memory, ...]:
    titles = [text.split(";")[0].split(".")[0] for text in (a, b)]
    return (memory("first", titles[0], a), memory("second", titles[1], b), *BACKGROUND)


@pytest.mark.parametrize(("a", "b", "said"), RESTATED, ids=lambda text: text[:30])
def test_two_memories_that_the_user_states_in_one_breath_become_one(a: str, b: str, said: str) -> None:
    (change,) = changes(two(a, b), session("hi", "A: I did it another way.", said))
    assert (change.kind, change.memories) == (Kind.MERGE, ("first", "second"))
    assert isinstance(change.evidence[0], Said)


@pytest.mark.parametrize(("a", "b", "said"), APART, ids=lambda text: text[:30])
def test_siblings_and_contradictions_are_never_merged(a: str, b: str, said: str) -> None:
    kinds = {change.kind for change in changes(two(a, b), session("hi", "A: I did it another way.", said))}
    assert Kind.MERGE not in kinds


@pytest.mark.parametrize(("a", "b", "said"), RESTATED, ids=lambda text: text[:30])
def test_a_question_restates_nothing(a: str, b: str, said: str) -> None:
    assert changes(two(a, b), session("hi", "A: ok", f"why is it that {said}?")) == []


def test_nothing_of_either_memory_is_lost() -> None:
    a, b = (
        memory("a", "Eight gigabytes for the export", "The nightly export needs 8 GB (`EXPORT_MEM`).\n\n**Why:** it was killed in May."),
        memory("b", "The export is killed with less", "The nightly export is killed below 8 GB.\n\n**How to apply:** check `limits.yaml`."),
    )  # fmt: skip
    (change,) = changes(
        (a, b, *BACKGROUND), session("hi", "A: ok", "the nightly export needs 8 GB, below that it is killed")
    )
    for detail in ("8 GB", "`EXPORT_MEM`", "it was killed in May.", "killed below 8 GB", "`limits.yaml`"):
        assert detail in change.drafts[0].body


def test_a_sentence_is_left_out_only_where_another_holds_all_of_it() -> None:
    a = memory("a", "Lint first", "Run `make lint` before every commit, also for docs.\n\n**Why:** CI rejects it.")
    b = memory("b", "Lint first", "Run `make lint` before every commit.")
    (change,) = changes((a, b, *BACKGROUND), session("hi", "A: ok", "run make lint before every commit, docs too"))
    assert change.drafts[0].body == "Run `make lint` before every commit, also for docs.\n\n**Why:** CI rejects it."


def test_identical_memories_leave_one_with_both_as_evidence() -> None:
    twins = (memory("a", "Ports", "The proxy listens on 8443."), memory("b", "Ports", "The proxy listens on 8443."))
    (change,) = changes((*twins, *BACKGROUND), session("hi"))
    assert change.kind is Kind.MERGE
    assert {one.where for one in change.evidence if isinstance(one, Seen)} == {"memory:a", "memory:b"}
    assert change.drafts[0].body == "The proxy listens on 8443."
