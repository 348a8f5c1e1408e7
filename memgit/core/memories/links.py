"""Links between memories: ``[[wikilinks]]`` and Markdown links, where they lead, and how they follow a merge."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from memgit.core.text.literal import Region, literal_spans, regions, within
from memgit.model.store import Memory


@dataclass(frozen=True, slots=True)
class Wikilink:
    """``[[target#anchor|alias]]``; ``anchor`` keeps its ``#``."""

    start: int
    end: int
    target: str
    anchor: str = ""
    alias: str = ""

    @property
    def shown(self) -> str:
        """What a reader sees of it."""
        return self.alias or self.target

    def to(self, target: str) -> str:
        """The same link with another target."""
        return f"[[{target}{self.anchor}{'|' + self.alias if self.alias else ''}]]"


@dataclass(frozen=True, slots=True)
class MarkdownLink:
    """``[text](target#anchor)`` to a file, not to an address; ``target`` is as written, perhaps encoded."""

    start: int
    end: int
    text: str
    target: str
    anchor: str = ""
    is_image: bool = False

    def to(self, target: str) -> str:
        """The same link with another target."""
        return f"[{self.text}]({encoded_target(target)}{self.anchor})"


Link = Wikilink | MarkdownLink

_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
_MARKDOWN = re.compile(
    r"(!?)\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]"
    r"\([ \t]*(?:<([^<>\n]*)>|((?:[^()\"\n]|\([^()\n]*\))*?))(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)"
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|#|\Z")


def links_in_line(line: str) -> tuple[Link, ...]:
    """The links of one line of text, in order, without those in code spans and comments."""
    literal = literal_spans(line)
    found: list[Link] = [
        Wikilink(*match.span(), match[1].strip(), match[2] or "", (match[3] or "").strip())
        for match in _WIKILINK.finditer(line)
        if match[1].strip()
    ]
    found += [_markdown(match) for match in _MARKDOWN.finditer(line) if not _ADDRESS.match(_target(match))]
    return tuple(sorted((link for link in found if not within(link.start, literal)), key=lambda link: link.start))


def _target(match: re.Match[str]) -> str:
    return (match[4] if match[3] is None else match[3]).strip()


def _markdown(match: re.Match[str]) -> MarkdownLink:
    target, mark, anchor = _target(match).partition("#")
    return MarkdownLink(*match.span(), match[2], target, mark + anchor, is_image=bool(match[1]))


def links(body: str) -> tuple[Link, ...]:
    """All links of a body with their places in it; fenced code and comments hold none."""
    return tuple(_links(body)) if "[" in body else ()


def _links(body: str) -> Iterator[Link]:
    offset = 0
    lines = body.split("\n")
    for line, region in zip(lines, regions(lines), strict=True):
        if region is Region.TEXT:
            yield from (_moved(link, offset) for link in links_in_line(line))
        offset += len(line) + 1


def _moved(link: Link, offset: int) -> Link:
    match link:
        case Wikilink():
            return Wikilink(link.start + offset, link.end + offset, link.target, link.anchor, link.alias)
        case MarkdownLink():
            start, end = link.start + offset, link.end + offset
            return MarkdownLink(start, end, link.text, link.target, link.anchor, link.is_image)


_PREFIXES = ("user", "feedback", "project", "reference")


class Names:
    """Every way in which a link can name a memory, from the strictest to the loosest.

    A way that leads to several memories leads nowhere: nothing is guessed.
    """

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._tiers: tuple[dict[str, set[str]], ...] = ({}, {}, {}, {}, {})
        self.titles: dict[str, str] = {}
        for memory in memories:
            self.titles[memory.id] = memory.name
            self._add(memory.id, memory.name)

    def _add(self, memory_id: str, name: str) -> None:
        stem = memory_id.rpartition("/")[2]
        spellings = [memory_id], [stem], [name], [_folded(memory_id), _folded(stem), _folded(name)], [_bare(stem)]
        for tier, keys in zip(self._tiers, spellings, strict=True):
            for key in filter(None, keys):
                tier.setdefault(key, set()).add(memory_id)

    def resolve(self, target: str) -> str | None:
        """The id of the memory that a wikilink's target names: by path, stem or name, with or without ``.md``,
        whatever the case, ``_`` or ``-``, with or without the type in front."""
        plain = target.removesuffix(".md").removeprefix("./")
        keys = plain, plain, target, _folded(plain), _bare(plain)
        for tier, key in zip(self._tiers, keys, strict=True):
            if key in tier:
                return next(iter(tier[key])) if len(tier[key]) == 1 else None
        return None

    def is_id(self, memory_id: str) -> bool:
        """True for the exact id of a memory."""
        return memory_id in self._tiers[0]


def _folded(text: str) -> str:
    return _BETWEEN.sub("-", text.casefold())


_BETWEEN = re.compile(r"[-_\s]+")


def _bare(text: str) -> str:
    """Folded, without a type in front."""
    folded = _folded(text)
    kind, dash, rest = folded.partition("-")
    return rest if dash and kind in _PREFIXES else folded


def local_path(target: str, folder: str = "") -> str | None:
    """The path inside the store that a Markdown link written in ``folder`` leads to; None outside of it."""
    if target.startswith(("/", "~")) or "\\" in target or "\0" in target:
        return None
    path = posixpath.normpath(posixpath.join(folder, target))
    return None if path in (".", "..") or path.startswith("../") else path


_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def decoded_target(target: str) -> str:
    """A link target with its percent codes taken away; bytes that are no UTF-8 become lone surrogates."""
    return _ENCODED.sub(lambda match: _bytes(match[0]).decode("utf-8", "surrogateescape"), target)


def _bytes(codes: str) -> bytes:
    return bytes.fromhex(codes.replace("%", ""))


_TO_ENCODE = re.compile(r"[\x00-\x20\x7f()<>%#?\"\\\[\]`|*\ud800-\udfff]")


def encoded_target(path: str) -> str:
    """A path as a link target: what Markdown would stumble over is percent-encoded, letters of any script stay."""
    return _TO_ENCODE.sub(lambda match: _codes(match[0]), path)


def _codes(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def targets(memory: Memory, names: Names) -> frozenset[str]:
    """The ids of the memories that a memory's body links to."""
    folder = posixpath.dirname(memory.path)
    found = (_resolved(link, names, folder) for link in links(memory.body))
    return frozenset(target for target in found if target is not None)


def _resolved(link: Link, names: Names, folder: str) -> str | None:
    if isinstance(link, Wikilink):
        return names.resolve(link.target)
    path = local_path(decoded_target(link.target), folder)
    if link.is_image or path is None or not path.endswith(".md"):
        return None
    memory_id = path.removesuffix(".md")
    return memory_id if names.is_id(memory_id) else None


def repoint(body: str, gone: Mapping[str, str], names: Names, folder: str = "") -> str:
    """The body with every link to a memory that goes led to its survivor; all other text as it was.

    ``gone`` maps the id of each memory that goes to the id that takes its place, or to ``""`` if none
    does: such a link becomes the text it showed. Alias and anchor are kept, and the form of the target
    (name, path, with ``.md``). ``names`` are those of all memories before the change, gathered once for many bodies;
    ``folder`` is the memory's own, for relative Markdown links.
    """
    return replaced(body, lambda link: _repointed(link, _resolved(link, names, folder), gone, names.titles, folder))


def replaced(body: str, change: Callable[[Link], str | None]) -> str:
    """The body with each link replaced by what ``change`` gives for it; None leaves it."""
    pieces, at = [], 0
    for link in links(body):
        new = change(link) if link.start >= at else None
        if new is not None:
            pieces += [body[at : link.start], new]
            at = link.end
    return "".join([*pieces, body[at:]])


def _repointed(
    link: Link, target: str | None, gone: Mapping[str, str], titles: Mapping[str, str], folder: str
) -> str | None:
    if target is None or target not in gone:
        return None
    survivor = gone[target]
    match link:
        case Wikilink() if survivor:
            return link.to(_in_form_of(link.target, target, survivor, titles))
        case MarkdownLink() if survivor:
            return link.to(posixpath.relpath(f"{survivor}.md", folder or "."))
        case Wikilink():
            return link.shown
        case MarkdownLink():
            return link.text


def _in_form_of(written: str, target: str, survivor: str, titles: Mapping[str, str]) -> str:
    """Name the survivor the way the link named what it stands for: by path, by title or by file name."""
    ending = ".md" if written.endswith(".md") else ""
    if "/" in written:
        return survivor + ending
    by_title = written == titles.get(target) and written != target.rpartition("/")[2]
    return (by_title and titles.get(survivor)) or survivor.rpartition("/")[2] + ending
