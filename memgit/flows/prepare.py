"""``prepare``: fix all that must not change while anybody thinks, and leave a planned pass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgit.core.memories.memory import memories, status
from memgit.core.memories.relations import leading_nowhere, told
from memgit.core.screening.findings import mask
from memgit.core.sessions.plan import select
from memgit.core.store.fingerprint import fingerprint
from memgit.core.store.index_link import refuse_nowhere
from memgit.core.store.left_alone import left_alone
from memgit.core.store.shapes import shape_named
from memgit.errors import NoHistory, UsageError
from memgit.flows.giving_up import given_up_on_failure
from memgit.model.history import Mode, PassKind, Paths
from memgit.model.passes import Plan, SecretFinding
from memgit.model.session import Batch, Digest, Limits, Message, Survey
from memgit.model.store import FOLDERS, INDEX, Memory, StoreContent, StoreStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgit.flows.record import PassBook
    from memgit.ports import Beads, Clock, Decider, Likeness, Miner, Progress, StoreReader, Transcripts, WorkingTree

DEFAULT_LIMITS = Limits()

PARALLEL = 4
"""Batches mined at a time unless told otherwise: a bound for endpoints; an offline miner is limited by the interpreter
anyway."""


@dataclass(frozen=True)
class Workshop:
    """All that a pass works with.

    ``project`` is the root of the working tree (or the directory, without git). ``book`` keeps
    passes; it opens the vault only when there is something to keep, so that a noop or a dry run
    makes none. ``parallel`` is how many batches are mined at a time.
    ``pins`` are ids of memories that an audit or a prune leaves alone.
    ``beside`` are texts that are neither, by the place that evidence names (``bead:<id>``); ``beads`` is what keeps
    them, beside a store of beads.
    ``account`` tells, in sentences for the report, what was asked of models so far and what it took.
    """

    store: StoreReader
    transcripts: Transcripts
    project: str
    tree: WorkingTree
    miner: Miner
    decider: Decider
    likeness: Likeness
    book: PassBook
    clock: Clock
    progress: Progress
    limits: Limits = DEFAULT_LIMITS
    index_from_frontmatter: bool = False
    remove_most: bool = False
    parallel: int = PARALLEL
    account: Callable[[], tuple[str, ...]] = tuple
    mask_personal: bool = False
    pins: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    beads: Beads | None = None

    def text_at(self, where: str) -> str | None:
        """The text that evidence names: of the working tree, its history, or what is held ``beside`` them."""
        return self.beside.get(where) or self.tree.text_at(where)


def prepare(shop: Workshop, kind: PassKind, *, dry_run: bool = False) -> Plan:
    """Read the store, survey the sessions, freeze the prose, take the snapshot, write the digests.

    Nothing is written for a noop, and only digest files for a dry run; neither plan has an id.
    Raises NoHistory where the agent knows nothing of the project and no store with memories exists, and
    UsageError or WrongState for a store whose index is a folder, or a link to nothing.
    """
    recovered = () if dry_run else shop.book.recover()
    content = shop.store.read()
    _refuse_folder_for_index(content)
    refuse_nowhere(content)
    survey = shop.transcripts.survey(shop.project, shop.progress)
    plan = _draw_up(shop, kind, content, survey, recovered)
    if plan.mode is Mode.NOOP:
        return plan
    plan = plan if kind is PassKind.PRUNE else _freeze(shop, plan)  # a prune looks at no prose
    plan = replace(plan, paths=shop.book.free_paths()) if dry_run else shop.book.open_pass(plan, content)
    with given_up_on_failure(shop, plan):
        shop.book.write_digests(plan)
    return plan


def _refuse_folder_for_index(content: StoreContent) -> None:
    if any(path.startswith(f"{INDEX}/") for path in (*content.files, *(f"{folder}/" for folder in content.folders))):
        raise UsageError(
            f"{INDEX} of this store is a folder, so the agent can read no index and memgit can write none.",
            "Give the folder another name; what is in it stays.",
        )


def _draw_up(shop: Workshop, kind: PassKind, content: StoreContent, survey: Survey, recovered: tuple[str, ...]) -> Plan:
    others = (f"Another store with memories, not read: {path} ({rule})." for path, rule in shop.store.resolution.others)
    found, kept = status(content), memories(content)
    if not survey.known and not kept:
        raise NoHistory(
            f"No session history for {shop.project}, and no store with memories at {shop.store.resolution.path}.",
            "Run memgit inside a project that the agent has worked in, or name a store with --store.",
        )
    return Plan(
        id="",
        kind=kind,
        mode=_mode(kind, found, survey),
        time=shop.clock(),
        store=shop.store.resolution,
        status=found,
        fingerprint=fingerprint(content),
        memories=len(kept),
        project=shop.project,
        survey=survey,
        selection=select(survey.sessions, shop.limits),
        paths=Paths("", "", ""),
        notes=(*recovered, *others, *_of_the_content(shop.store.resolution.shape, content, kept)),
        mask_personal=shop.mask_personal,
    )


def _of_the_content(shape: str, content: StoreContent, kept: Sequence[Memory]) -> Iterator[str]:
    """What a report says of a store before anything is decided."""
    yield from shape_named(shape).limits
    if shape in FOLDERS:
        yield from left_alone(content)
    yield from told(leading_nowhere(kept))


_OF_THE_STORE = frozenset({PassKind.AUDIT, PassKind.PRUNE})
"""Passes that look at the memories there are: they need no session, and no index."""


def _mode(kind: PassKind, found: StoreStatus, survey: Survey) -> Mode:
    if kind in _OF_THE_STORE:
        return Mode.CURATE if found in (StoreStatus.PRESENT, StoreStatus.INDEX_LESS) else Mode.NOOP
    if found is StoreStatus.PRESENT:
        return Mode.CURATE
    return Mode.COLD_START if survey.sessions else Mode.NOOP


def _freeze(shop: Workshop, plan: Plan) -> Plan:
    """Read each selected session once and mask what looks like a secret; later steps read nothing else."""
    batches = plan.selection.batches
    digests: list[Digest] = []
    findings: list[SecretFinding] = []
    for batch in batches:
        shop.progress.step("reading sessions", batch.number - 1, len(batches))
        digest, found = freeze_batch(batch, shop.transcripts.messages, personal_too=plan.mask_personal)
        digests.append(digest)
        findings.extend(found)
    return replace(plan, digests=tuple(digests), findings=tuple(findings))


def freeze_batch(
    batch: Batch, read: Callable[..., tuple[Message, ...]], *, personal_too: bool = False
) -> tuple[Digest, tuple[SecretFinding, ...]]:
    """The masked prose of one batch, and the place and kind of everything that was masked."""
    kept: list[Message] = []
    findings: list[SecretFinding] = []
    for session in batch.sessions:
        for message in read(session):
            masked = mask(message.text, personal_too=personal_too)
            place = f"session {session.id}, record {message.record}"
            kept.append(replace(message, text=masked.text))
            findings.extend(SecretFinding(place, kind) for kind in masked.kinds)
    return Digest(batch.number, tuple(kept)), tuple(findings)
