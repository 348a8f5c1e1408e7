"""What is wrong with a store, looked at by itself: its index, and text that should not be in a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from memgit.core.index.drift import Drift
from memgit.core.index.limits import LINE_LIMIT, UNIT_LIMIT, IndexLimits, limits
from memgit.core.memories.memory import memories
from memgit.core.memories.memory_health import memory_health
from memgit.core.store.finding_names import finding_of, named
from memgit.core.store.half_done import half_done
from memgit.core.store.index_link import leads_nowhere, leads_to
from memgit.core.store.listing import drift_of, stands_alone
from memgit.core.store.shapes import SUMMARY, misshapen_summary
from memgit.core.summaries.form import text_files
from memgit.evidence.findings import Finding as Place
from memgit.evidence.findings import is_read_as_text, personal, printable_name, secrets, steering
from memgit.model.finding import Area, Finding
from memgit.model.passes import SecretFinding
from memgit.model.store import INDEX, StoreContent, StoreFile


def health(content: StoreContent, known: Collection[str] = ()) -> tuple[Finding, ...]:
    """Drift, limits, frontmatter and links; merges in the middle; and each secret, personal datum and steering text by
    place and kind. ``known`` are names of other things than memories that links may lead to."""
    return (*_index(content), *memory_health(memories(content), known), *half_done_findings(content), *_texts(content))


def half_done_findings(content: StoreContent) -> Iterator[Finding]:
    """The places that hold both sides of a merge."""
    yield from (Finding(Area.TEXT, what, "Finish the merge; no pass changes it before.") for what in half_done(content))


def suspicious(content: StoreContent) -> tuple[SecretFinding, ...]:
    """The same places, each once, as a pass reports them."""
    found = (
        SecretFinding(printable_name(file.path), place.kind, place.line)
        for file in text_files(content)
        for text in (file.data.decode("utf-8", "replace"),)
        for place in (
            *secrets(text),
            *personal(text),
            *(steering(text) if is_read_as_text(file.path, file.data) else ()),
        )
    )
    return tuple(dict.fromkeys(found))


def _index(content: StoreContent) -> Iterator[Finding]:
    kept = memories(content)
    if not content.indexed:
        yield from _opening(content)
        return
    if not kept:
        return
    if content.index is None:
        yield Finding(Area.INDEX, f"There is no {INDEX}: agents see none of the {len(kept)} memories.", CURATE)
        return
    if leads_nowhere(content):
        told = f"{INDEX} is a link to {leads_to(content)}, where no file can be read: agents see none of the memories."
        yield Finding(Area.INDEX, told, "Mend what it leads to, or remove the link; then `memgit curate`.")
        return
    yield from _drift(drift_of(content))
    yield from _limits(limits(content.index.data))


def _opening(content: StoreContent) -> Iterator[Finding]:
    """What is wrong with the file that agents are given where that is no index."""
    summary = content.files.get(SUMMARY)
    if summary and (why := misshapen_summary(summary.data)):
        yield Finding(Area.INDEX, f"{why}.", "Codex writes it anew when it next consolidates.")
    if stands_alone(content) and content.index:
        yield from _limits(limits(content.index.data))


CURATE = "`memgit curate` proposes a rebuilt index."


def _drift(found: Drift) -> Iterator[Finding]:
    for what, names in (
        ("Not in the index", found.orphans),
        ("The index points to what is gone", [place.target for place in found.dead]),
        ("In the index twice", [place.target for place in found.doubles]),
    ):
        if names:
            yield finding_of(Area.INDEX, what, names, CURATE)


def _limits(found: IndexLimits) -> Iterator[Finding]:
    if not found.over:
        return
    size = f"{found.lines} lines and {found.units:,} UTF-16 units"
    bound = f"{LINE_LIMIT} lines and {UNIT_LIMIT:,} units"
    lost = f" These never reach the agent: {named(found.lost_targets or found.lost)}." if found.lost else ""
    yield Finding(Area.INDEX, f"The index has {size}; {bound} are loaded.{lost}", found.remedy)


def _texts(content: StoreContent) -> Iterator[Finding]:
    for file in text_files(content):
        text = file.data.decode("utf-8", "replace")
        yield from _placed(file, secrets(text), "looks like a secret", "Take it out, and change it where it is used.")
        yield from _placed(file, personal(text), "looks like personal data", "Keep it only if agents need it.")
        if is_read_as_text(file.path, file.data):
            yield from _placed(file, steering(text), "could steer an agent", "Read it in an editor, not in an agent.")


def _placed(file: StoreFile, places: Iterable[Place], what: str, remedy: str) -> Iterator[Finding]:
    for (kind, line), count in Counter((place.kind, place.line) for place in places).items():
        times = f", {count} times" if count > 1 else ""
        yield Finding(Area.TEXT, f"{printable_name(file.path)}:{line} {what} ({kind}{times}).", remedy)
