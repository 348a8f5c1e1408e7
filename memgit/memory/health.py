"""What is wrong with a store, looked at by itself: its index, and text that should not be in a memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from posixpath import dirname

from memgit.core.summaries.form import text_files
from memgit.evidence.findings import (
    Finding as Place,
)
from memgit.evidence.findings import (
    is_read_as_text,
    masked_name,
    personal,
    printable_name,
    secrets,
    steering,
)
from memgit.memory.frontmatter import opens_metadata, split
from memgit.memory.index import Drift, finding_of, merge_markers, named, old_values
from memgit.memory.index_edit import drift_of, leads_nowhere, leads_to, stands_alone
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT, IndexLimits, Targets, limits, parse_index
from memgit.memory.links import Names, Wikilink, leading_nowhere, links, mentions
from memgit.memory.memory import is_copy_of_index, memories
from memgit.memory.shapes import SUMMARY, misshapen_summary
from memgit.model.passes import SecretFinding
from memgit.model.store import INDEX, FrontmatterState, Memory, StoreContent, StoreFile
from memgit.model.times import shell_word
from memgit.model.verification import Area, Finding
from memgit.text.layout import counted

# --- memory health ---
# What is wrong with single memories: frontmatter that the agent's client would damage, links that lead nowhere.

_COMMENT = re.compile(rb"^[ \t]*#", re.MULTILINE)
_UNREADABLE = frozenset({FrontmatterState.LENIENT, FrontmatterState.UNPARSED})


def memory_health(memories: Sequence[Memory], known: Collection[str] = ()) -> Iterator[Finding]:
    """Measured: the client writes frontmatter anew at each edit, drops values that are no valid YAML, and gives a
    memory without a name an empty one. ``known`` are names of other things that links may lead to."""
    yield from _of(
        memories,
        "Frontmatter that is no valid YAML, of which the agent's client would drop parts",
        lambda memory: memory.frontmatter in _UNREADABLE,
        "Put the value in quotes.",
    )
    yield from _of(
        memories,
        "Frontmatter without a name",
        lambda memory: memory.frontmatter is FrontmatterState.OK and not memory.name,
        "Add the line `name: …`.",
    )
    yield from _of(
        memories,
        "Comments in frontmatter, which the agent's client drops at its next edit",
        lambda memory: bool(_COMMENT.search(split(memory.data).block)),
        "Move them into the text.",
    )
    if loose := [*_loose(memories, known)]:
        yield finding_of(Area.TEXT, "Links to no memory", loose, "Link to one that is there, or unlink it.")


def _of(memories: Sequence[Memory], what: str, is_so: Callable[[Memory], bool], remedy: str) -> Iterator[Finding]:
    if found := [memory.path for memory in memories if is_so(memory)]:
        yield finding_of(Area.TEXT, what, found, remedy)


def _loose(memories: Sequence[Memory], known: Collection[str]) -> Iterator[str]:
    names = Names(memories)
    for memory in memories:
        targets = dict.fromkeys(link.target for link in links(memory.body) if isinstance(link, Wikilink))
        for target in targets:
            if names.resolve(target) is None and target not in known and not _is_index(target):
                yield f"{memory.id} -> [[{target}]]"


def _is_index(target: str) -> bool:
    path = target.removesuffix(".md").removeprefix("./") + ".md"
    return path.casefold() == INDEX.casefold() or is_copy_of_index(path)


# --- half done ---
# Work of others that is only half done: merges in the middle, frontmatter cut short, placeholders for text.

Earlier = Callable[[str], Iterable[bytes]]
"""The former texts of a file of the store, newest first; none where nothing is recorded of it."""


def no_record(_path: str) -> tuple[bytes, ...]:
    """That nothing is recorded of any file."""
    return ()


def half_done(content: StoreContent, earlier: Earlier = no_record) -> Iterator[tuple[str, str]]:
    """A sentence, and what to do, for each place of a store that holds both sides of a merge, whose frontmatter is cut
    short, or that holds a placeholder instead of the text that was there."""
    texts = [file for file in text_files(content) if not file.is_link]
    for file in texts:
        for each in merge_markers(file.data):
            place = f"{masked_name(file.path)}:{each.first}"
            yield f"{place} holds both sides of a merge, to line {each.last}.", FINISH_MERGE
    yield from _cut_short(file for file in texts if file.path != INDEX)
    for file in texts:
        lines = file.data.decode("utf-8", "replace").splitlines()
        if places := [number for number, line in enumerate(lines) if _PLACEHOLDER.fullmatch(line.strip())]:
            yield from _placeholders(file.path, lines, places, earlier(file.path))


FINISH_MERGE = "Finish the merge; no pass changes it before."

_CUT = re.compile(rb"^[ \t]*[\w-]+:[ \t]+(?:#|[^\s\"'#\[{|>][^\n]*?[ \t]#)", re.MULTILINE)


def _cut_short(files: Iterable[StoreFile]) -> Iterator[tuple[str, str]]:
    """Values that YAML cuts at a comment sign, and blocks that nothing closes, each with its line."""
    cut: list[str] = []
    unclosed: list[str] = []
    for file in files:
        parts = split(file.data)
        lines = (parts.block[: each.start()].count(b"\n") + 2 for each in _CUT.finditer(parts.block))
        cut += [f"{file.path}:{line}" for line in lines]
        if not parts.has_frontmatter and opens_metadata(parts.body.decode("utf-8", "replace")):
            unclosed.append(f"{file.path}:1")
    if cut:
        yield f"Values in frontmatter that YAML cuts at a `#`: {named(cut)}.", "Put the value in quotes."
    if unclosed:
        yield (
            f"Metadata at the top that is no frontmatter, so that nothing of it is read: {named(unclosed)}.",
            "Begin the file with a line `---`, and close the block with another.",
        )


_DOTS = r"(?:\.{3,}|…+)"
_BRACKETED = r"\[[^\[\]]{2,}\]|\([^()]{2,}\)|<!--.*-->|/\*.*\*/"
_PLACEHOLDER = re.compile(rf"(?:[-*>] +)?[*_]{{0,2}}(?:(?:#+ *|// *|-- *)?{_DOTS}.*|{_BRACKETED})[*_]{{0,2}}")
_LEFT_OUT = re.compile(rf"[*_]{{0,2}}(?:#+ *|// *|<!-- *|/\* *|\[ *|\( *)?{_DOTS}.{{0,80}}")


def _placeholders(
    path: str, lines: Sequence[str], places: Sequence[int], texts: Iterable[bytes]
) -> Iterator[tuple[str, str]]:
    """What stands in lines, positions from 0, that have the form of a remark on text left out: in place of text that
    was there, by the newest of the former texts without that line; or perhaps."""
    waiting = dict.fromkeys(places)
    for text in texts:
        former = text.decode("utf-8", "replace").splitlines()
        for number in [each for each in waiting if lines[each] not in former]:
            del waiting[number]
            if gone := _replaced(former, lines, number):
                what = f"{masked_name(path)}:{number + 1} stands in place of {counted(gone, 'line')} that were there."
                yield what, f"`memgit history {shell_word(path)}` shows the text that was there."
        if not waiting:
            return
    for number in waiting:
        if _LEFT_OUT.fullmatch(lines[number].strip()) and _stands_alone(lines, number):
            yield f"{masked_name(path)}:{number + 1} may stand for text that was left out.", "Write the text there."


def _replaced(former: Sequence[str], lines: Sequence[str], number: int) -> int:
    """How many lines with text went where this one came; 0 where it says as much as what went."""
    kept = set(lines)
    for tag, start, end, first, last in SequenceMatcher(None, former, lines, autojunk=False).get_opcodes():
        if tag == "replace" and first <= number < last:
            gone = [line for line in former[start:end] if line.strip() and line not in kept]
            came = sum(len(line) for line in lines[first:last])
            return len(gone) if sum(map(len, gone)) > came else 0
    return 0


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Whether a line is a paragraph of its own, outside code."""
    around = (*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2])
    fences = sum(line.lstrip().startswith(("```", "~~~")) for line in lines[:number])
    return not any(map(str.strip, around)) and fences % 2 == 0


# --- a store ---


def health(content: StoreContent, known: Collection[str] = (), earlier: Earlier = no_record) -> tuple[Finding, ...]:
    """Drift, limits, frontmatter and links; merges in the middle; and each secret, personal datum and steering text by
    place and kind. ``known`` are names of other things than memories that links may lead to."""
    return (
        *_index(content),
        *memory_health(memories(content), known),
        *half_done_findings(content, earlier),
        *_texts(content),
    )


def half_done_findings(content: StoreContent, earlier: Earlier = no_record) -> Iterator[Finding]:
    """What others have left half done in it."""
    yield from (Finding(Area.TEXT, what, remedy) for what, remedy in half_done(content, earlier))


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


# --- left over ---
# What a change of a store leaves behind: names of what goes, old values in the index, entries past its limits.


def left_over(before: StoreContent, after: StoreContent) -> Iterator[str]:
    """A sentence for each thing that somebody may want to mend after the change from one store to the other."""
    old, new = ({memory.id: memory for memory in memories(content)} for content in (before, after))
    yield from _relations(old, new)
    yield from _mentions(old, new)
    if after.indexed and after.index is not None:
        yield from _old_values(after, old, new)
        measured = limits(after.index.data)
        if measured.over and measured.lost:
            bound = f"{LINE_LIMIT} lines and {UNIT_LIMIT:,} units"
            yield f"{counted(len(measured.lost), 'line')} of the index fall off: {bound} are loaded. {measured.remedy}"


def _relations(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """The relations in frontmatter that would lead nowhere and lead somewhere now."""
    known = frozenset(leading_nowhere(tuple(old.values())))
    fresh = (one for one in leading_nowhere(tuple(new.values())) if one not in known)
    return (f"{one.memory} names {one.target} in {one.key}, which would go." for one in fresh)


def _mentions(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """Where a text still names, in a form that is not led to the survivor, a memory that goes."""
    gone = old.keys() - new.keys()
    names = Names(old.values()) if gone else Names(())
    for memory in new.values() if gone else ():
        for mention in mentions(memory.body):
            if names.of(mention, dirname(memory.path)) in gone:
                line = memory.body.count("\n", 0, mention.start) + 1
                told = masked_name(memory.body[mention.start : mention.end])
                yield f"{masked_name(memory.id)} still names {told} in line {line} of its text, which would go."


def _old_values(after: StoreContent, old: Mapping[str, Memory], new: Mapping[str, Memory]) -> Iterator[str]:
    """Where the index still gives a value that a changed memory gave: in its own entry, or in prose."""
    changed = [one for one in new.values() if one.id in old and old[one.id].data != one.data]
    targets = Targets(tuple(new.values()))
    for line in parse_index(after.index_text, targets) if changed else ():
        named = {targets.memory(pointer) for pointer in (*line.pointers, *line.mentions)}
        for one in changed:
            if one.id in named or not named:
                for value in old_values(line.text, old[one.id], one):
                    told = f"which {masked_name(one.id)} gave before"
                    yield f"{INDEX}:{line.number} still says {value}, {told}."
