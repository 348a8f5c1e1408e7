"""A store, what was said about it, and sound proposals: what each test of a ruling makes unsound in one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memgit.evidence.quotes import TreeText
from memgit.memory.memory import memories
from memgit.model.decision import Decision, Draft, FactName, Kind, Proposal, Said, Seen, Standing
from memgit.model.history import PassKind
from memgit.model.session import Digest, Message, Role
from memgit.model.store import StoreContent, StoreFile
from memgit.rulings.case import Case, open_case
from memgit.rulings.settle import settle

SESSION = "aec3f868-4d14-49ed-a6f4-cfa1bfb5967e"
WRITTEN = datetime(2026, 5, 2, tzinfo=UTC)
SAID = datetime(2026, 6, 3, tzinfo=UTC)

BUDGET = """\
The retry cap on the gateway is per request: every call draws on the same three retries (`RETRY_BUDGET`).

**Why:** in March a single checkout hit the gateway twelve times.
"""
CAPPED = """\
A request gets three retries altogether, however many gateway calls it makes.

**Why:** separate counters multiplied the load on the gateway in March.
"""
WINDOW = """\
The deploy window for production is 30 minutes (`DEPLOY_WINDOW_MINUTES`).

**Why:** nobody wants a half-rolled build.
"""
STYLE = "Keep answers terse, says Jana; see [[retries-are-capped]] for an example.\n"


def file(name: str, body: str, type_: str = "project", description: str = "about it", extra: str = "") -> StoreFile:
    text = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {type_}\n{extra}---\n\n{body}"
    return StoreFile(f"{name}.md", text.encode(), mtime_ns=int(WRITTEN.timestamp()) * 10**9)


def store(*files: StoreFile) -> StoreContent:
    return StoreContent({file.path: file for file in sorted(files, key=lambda file: file.path)})


STORE = store(
    file("retry-budget", BUDGET),
    file("retries-are-capped", CAPPED),
    file("deploy-window", WINDOW, description="A production deploy has a window before it rolls back"),
    file("style", STYLE, "feedback"),
)


def with_file(changed: StoreFile, content: StoreContent = STORE) -> StoreContent:
    """The store with one file in place of its own."""
    return replace(content, files={**content.files, changed.path: changed})


def digest(*turns: str | tuple[Role, str] | Message) -> Digest:
    """What was said in the session, a minute apart; by the user where nothing else is said."""
    return Digest(1, tuple(_message(number, turn) for number, turn in enumerate(turns)))


def _message(number: int, turn: str | tuple[Role, str] | Message) -> Message:
    if isinstance(turn, Message):
        return turn
    role, text = (Role.USER, turn) if isinstance(turn, str) else turn
    return Message(SESSION, f"r{number}", SAID + timedelta(minutes=number), role, text)


MOVED = "We moved the deploy window to 15 minutes after the incident."
DIGEST = digest(
    MOVED, "From now on open one bundled PR per ticket.", "Forget the retry cap, the gateway has none any more."
)


def said(quote: str, answers: str = "") -> Said:
    return Said(SESSION[:8], quote, answers=answers)


NEW_WINDOW = Draft("deploy-window", "", "project", WINDOW.replace("30", "15"), "deploy-window")
REPLACE = Proposal(
    Kind.REPLACE,
    "a later session shortens it",
    (said("moved the deploy window to 15 minutes"),),
    ("deploy-window",),
    (NEW_WINDOW,),
)
ADDED = Draft("one-pr-per-ticket", "PRs are bundled per ticket", "feedback", "Open one bundled PR per ticket.")
ADD = Proposal(Kind.ADD, "never recorded", (said("open one bundled PR per ticket"),), drafts=(ADDED,))
DROP = Proposal(Kind.DROP, "the cap is gone", (said("the gateway has none any more"),), ("retry-budget",))
MERGED = Draft(
    "retry-budget",
    "Retries are per request",
    "project",
    BUDGET + "Separate counters multiplied the load; three retries altogether.\n",
    "retry-budget",
)
LINES = (
    Seen("memory:retry-budget", "every call draws on the same three retries"),
    Seen("memory:retries-are-capped", "A request gets three retries altogether"),
)
MERGE = Proposal(Kind.MERGE, "one lesson", LINES, ("retries-are-capped", "retry-budget"), (MERGED,))
SPLIT = Proposal(
    Kind.SPLIT,
    "two facts",
    (Seen("memory:deploy-window", "nobody wants a half-rolled build"),),
    ("deploy-window",),
    (
        Draft("deploy-time", "how long", "project", "The deploy window for production is 30 minutes."),
        Draft("deploy-why", "why", "project", "Nobody wants a half-rolled build (`DEPLOY_WINDOW_MINUTES`)."),
    ),
)
SOUND = {"replace": REPLACE, "add": ADD, "drop": DROP, "merge": MERGE, "split": SPLIT}

TREE = Seen("tree:deploy/window.yaml:3", "window: 15 minutes")
TREE_TEXT: TreeText = {"tree:deploy/window.yaml:3": "window: 15 minutes"}.get


def case(
    content: StoreContent = STORE, digests: Digest = DIGEST, kind: PassKind = PassKind.CURATE, **more: Any
) -> Case:
    return open_case(kind, memories(content), [digests], more.pop("tree_text", TREE_TEXT), **more)


def settled(
    proposals: Sequence[Proposal],
    content: StoreContent = STORE,
    digests: Digest = DIGEST,
    kind: PassKind = PassKind.CURATE,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> tuple[Decision, ...]:
    return settle(proposals, content, case(content, digests, kind, **more), **(options or {}))


def one(proposal: Proposal, content: StoreContent = STORE, digests: Digest = DIGEST, **more: Any) -> Decision:
    """What becomes of one proposal; more than half of a store of three may go here."""
    return settled([proposal], content, digests, options={"remove_most": True}, **more)[0]


def refused(
    fact: FactName, proposal: Proposal, content: StoreContent = STORE, digests: Digest = DIGEST, **more: Any
) -> str:
    """Why a proposal was refused, by that fact and with nothing of it left to take."""
    decision = one(proposal, content, digests, **more)
    assert (decision.standing, decision.refused_by) == (Standing.REFUSED, fact), decision.refusal or decision.doubts
    assert decision.kind is proposal.kind
    assert decision.justification == proposal.justification
    assert (decision.changes, decision.stands, decision.doubts) == (False, False, ())
    assert (decision.writes, decision.removes, decision.results, decision.dropped_text) == ({}, frozenset(), (), {})
    return decision.refusal


def with_body(proposal: Proposal, body: str, **changes: Any) -> Proposal:
    return replace(proposal, drafts=(replace(proposal.drafts[0], body=body, **changes),))
