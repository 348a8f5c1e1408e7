"""``prepare``: fix all that must not change while anybody thinks, and leave a planned pass."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from memgit.core.passes.plan import select
from memgit.errors import Interrupted, MemgitError, NoHistory, UsageError
from memgit.evidence.findings import mask, masked_kinds
from memgit.evidence.quotes import is_a_persons
from memgit.memory.fingerprint import fingerprint
from memgit.memory.health import Earlier, half_done, no_record
from memgit.memory.index_edit import refuse_nowhere
from memgit.memory.links import leading_nowhere, told
from memgit.memory.memory import memories, status
from memgit.memory.shapes import left_alone, shape_named
from memgit.model.history import Mode, PassKind, Paths
from memgit.model.passes import Plan, SecretFinding
from memgit.model.session import Batch, Digest, Limits, Message, Selection, Survey
from memgit.model.store import FOLDERS, INDEX, Memory, StoreContent, StoreStatus
from memgit.text.language import spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgit.flows.record import PassBook
    from memgit.ports import Beads, Clock, Decider, Miner, Progress, StoreReader, Transcripts, WorkingTree

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
    ``beads`` is there beside a store of beads.
    ``account`` tells, in sentences for the report, what was asked of models so far and what it took. ``attended`` says
    whether whoever decides stands beside the pass, so that a confirmation of his counts. ``earlier`` gives the
    former texts of a file of the store.
    """

    store: StoreReader
    transcripts: Transcripts
    project: str
    tree: WorkingTree
    miner: Miner
    decider: Decider
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
    beads: Beads | None = None
    attended: bool = True
    earlier: Earlier = no_record


def draw_up(shop: Workshop, kind: PassKind, *, dry_run: bool = False) -> tuple[Plan, StoreContent]:
    """Read the store and survey the sessions: a plan of which nothing has been kept, and the store as it was read. What
    an earlier command left cut short is finished first.

    Raises NoHistory where the agent knows nothing of the project and no store with memories exists, and
    UsageError or WrongState for a store whose index is a folder, or a link to nothing.
    """
    recovered = () if dry_run else shop.book.recover()
    content = shop.store.read()
    _refuse_folder_for_index(content)
    refuse_nowhere(content)
    survey = shop.transcripts.survey(shop.project, shop.progress)
    others = (f"Another store with memories, not read: {path} ({rule})." for path, rule in shop.store.resolution.others)
    found, kept = status(content), memories(content)
    if not survey.known and not kept:
        raise NoHistory(
            f"No session history for {shop.project}, and no store with memories at {shop.store.resolution.path}.",
            "Run memgit inside a project that the agent has worked in, or name a store with --store."
            + "".join(f" There is {path} ({rule})." for path, rule in shop.store.resolution.others),
        )
    selection = select(survey.sessions, shop.limits)
    plan = Plan(
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
        selection=selection,
        paths=Paths("", "", ""),
        notes=(*recovered, *others, *_of_the_content(shop, content, kept)),
        mask_personal=shop.mask_personal,
        input=_mark(shop, kind, fingerprint(content), selection),
    )
    return plan, content


def prepare(
    shop: Workshop, kind: PassKind, *, dry_run: bool = False, drawn: tuple[Plan, StoreContent] | None = None
) -> Plan:
    """Freeze the prose, take the snapshot, write the digests of what was drawn up.

    Nothing is written for a noop, and only digest files for a dry run; neither plan has an id. Raises what ``draw_up``
    raises.
    """
    plan, content = drawn or draw_up(shop, kind, dry_run=dry_run)
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


def _mark(shop: Workshop, kind: PassKind, store: str, selection: Selection) -> str:
    """One mark of what a pass looks at: who decides, the store, and the sessions as far as they have grown."""
    sessions = [[one.id, one.tokens, one.messages, str(one.ended)] for one in selection.selected]
    chosen = [kind, shop.miner.name, shop.decider.name, shop.index_from_frontmatter, shop.mask_personal]
    return blake2b(json.dumps([*chosen, store, sessions]).encode(), digest_size=16).hexdigest()


def _of_the_content(shop: Workshop, content: StoreContent, kept: Sequence[Memory]) -> Iterator[str]:
    """What a report says of a store before anything is decided."""
    shape = shop.store.resolution.shape
    yield from shape_named(shape).limits
    if shape in FOLDERS:
        yield from left_alone(content)
    yield from told(leading_nowhere(kept))
    yield from (what for what, _ in half_done(content, shop.earlier))


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
    return replace(plan, digests=tuple(digests), findings=tuple(findings), languages=_languages(digests))


def _languages(digests: Iterable[Digest]) -> Mapping[str, int]:
    """How many sessions are in each language, by what their users typed."""
    typed: dict[str, list[str]] = {}
    for message in (message for digest in digests for message in digest.messages if is_a_persons(message)):
        typed.setdefault(message.session, []).append(message.text)
    return spoken(" ".join(texts) for texts in typed.values())


def freeze_batch(
    batch: Batch, read: Callable[..., tuple[Message, ...]], *, personal_too: bool = False
) -> tuple[Digest, tuple[SecretFinding, ...]]:
    """The masked prose of one batch, and the place and kind of everything that was masked."""
    kept: list[Message] = []
    findings: list[SecretFinding] = []
    for session in reversed(batch.sessions):  # they were chosen newest first, and are read as they happened
        for message in read(session):
            masked = mask(message.text, personal_too=personal_too)
            place = f"session {session.id}, record {message.record}"
            kept.append(replace(message, text=masked.text))
            findings.extend(SecretFinding(place, kind) for kind in masked_kinds(masked.text))
    return Digest(batch.number, tuple(kept)), tuple(findings)


# --- a pass that breaks off in the process that planned it: nobody would ever decide it ---


@contextmanager
def given_up_on_failure(shop: Workshop, plan: Plan) -> Iterator[None]:
    """Give a pass up when what is done here fails or is interrupted, and let the error say so."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted. {_given_up(shop, plan)}", "Run it again whenever you like.") from None
    except MemgitError as failure:
        failure.hint = f"{failure.hint} {_given_up(shop, plan)}".strip()
        raise
    except BaseException:
        _given_up(shop, plan)
        raise


def _given_up(shop: Workshop, plan: Plan) -> str:
    """What became of a pass that broke off, in a sentence."""
    if not plan.id:
        return "The store was not touched."
    try:
        if shop.book.give_up(plan):
            return f"Pass {plan.id} was given up; the store was not touched, and nothing is left to clear away."
    except (MemgitError, OSError):
        discard = plan.store.said(f"memgit discard {plan.id}")
        return f"Pass {plan.id} is left as planned: `{discard}` puts it away. The store was not touched."
    show = plan.store.said(f"memgit show {plan.id}")
    return f"Pass {plan.id} is decided and recorded: see `{show}`. The store was not touched."
