"""Links between memories in every form that they take, where they lead, and how they follow a merge."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memgit.evidence.findings import printable_name
from memgit.memory.frontmatter import split
from memgit.model.store import Memory
from memgit.text.layout import counted
from memgit.text.markdown import Region, literal_spans, regions, within


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


class Way(StrEnum):
    """How a mention names a file."""

    DEFINITION = "definition"  # [label]: file.md
    AUTOLINK = "autolink"  # <file.md>
    ANCHOR = "anchor"  # <a href="file.md">
    IMPORT = "import"  # @file.md
    SCHEME = "scheme"  # mem:file
    CODE = "code"  # `file.md`, `folder/`


@dataclass(frozen=True, slots=True)
class Mention:
    """A file named in another way than by a link proper. ``start`` and ``end`` bound all of it, ``at`` and ``stop`` its
    target; ``shown`` is what a reader sees of it."""

    way: Way
    start: int
    end: int
    target: str
    at: int
    stop: int
    shown: str = ""

    @property
    def follows(self) -> bool:
        """Whether it is led to the survivor of what it names: what stands in code may be quoted for what it was."""
        return self.way is not Way.CODE


_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
_MARKDOWN = re.compile(
    r"(!?)\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]"
    r"\([ \t]*(?:<([^<>\n]*)>|((?:[^()\"\n]|\([^()\n]*\))*?))(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)"
)
_ADDRESS = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:|//|#|\Z", re.IGNORECASE)


_PATTERN = re.compile(r":[a-z]+:|[ \t].*[ \t]")
"""What stands between double brackets in regular expressions and shell tests, and names no memory."""


def links_in_line(line: str) -> tuple[Link, ...]:
    """The links of one line of text, in order, without those in code spans and comments."""
    literal = literal_spans(line)
    found: list[Link] = [
        Wikilink(*match.span(), match[1].strip().rstrip("\\"), match[2] or "", (match[3] or "").strip())
        for match in _WIKILINK.finditer(line)
        if match[1].strip("\\ \t") and not _PATTERN.fullmatch(match[1])
    ]
    found += [_markdown(match) for match in _MARKDOWN.finditer(line) if not _ADDRESS.match(_target(match))]
    return tuple(sorted((link for link in found if not within(link.start, literal)), key=lambda link: link.start))


def _target(match: re.Match[str]) -> str:
    return (match[4] if match[3] is None else match[3]).strip()


def _markdown(match: re.Match[str]) -> MarkdownLink:
    target, mark, anchor = _target(match).partition("#")
    return MarkdownLink(*match.span(), match[2], target, mark + anchor, is_image=bool(match[1]))


_FILE = r"[^\s<>\[\]()`\"'|*?]+"
_DEFINITION = re.compile(r" {0,3}\[([^\[\]\n]+)\]:[ \t]*(?:<([^<>\n]+)>|(\S+))")
_ANCHOR = r"<a\b[^<>\n]*?\bhref[ \t]*=[ \t]*[\"']?(?P<it>[^\"'<>\n]+?)[\"']?[ \t]*>(?P<shown>[^<\n]*)</a>"
_MENTIONS = (
    (Way.ANCHOR, re.compile(_ANCHOR, re.IGNORECASE)),
    (Way.AUTOLINK, re.compile(r"<(?P<it>[^\s<>\"'=]+\.md)>")),
    (Way.SCHEME, re.compile(r"(?<![\w:/.-])mem(?:ory)?:(?!//)(?P<it>[\w/.-]*\w)")),
    (Way.IMPORT, re.compile(rf"(?<![\w@/.`])@(?P<it>{_FILE}\.md)(?!\w)")),
    (Way.CODE, re.compile(rf"`(?P<it>{_FILE}(?:\.md|/))`")),
)  # fmt: skip
_IN_CODE = frozenset({Way.CODE, Way.SCHEME})


def mentions_in_line(line: str) -> tuple[Mention, ...]:
    """The files that one line of text names in other ways, in order, no two in one place."""
    if definition := _DEFINITION.match(line):
        group = 2 if definition[2] is not None else 3
        target, span = definition[group].strip(), definition.span(group)
        return (
            ()
            if _ADDRESS.match(target)
            else (Mention(Way.DEFINITION, *definition.span(), target, *span, definition[1]),)
        )
    literal = literal_spans(line) if "`" in line or "<!--" in line else ()
    found: list[Mention] = []
    for way, pattern in _MENTIONS:
        for match in pattern.finditer(line):
            free = way in _IN_CODE or not within(match.start(), literal)
            if free and not any(match.start() < other.end and other.start < match.end() for other in found):
                target = match["it"].strip()
                shown = match["shown"] if way is Way.ANCHOR else target
                if not _ADDRESS.match(target):
                    found.append(Mention(way, *match.span(), target, *match.span("it"), shown.strip()))
    return tuple(sorted(found, key=lambda mention: mention.start))


def definitions(lines: Iterable[str]) -> dict[str, str]:
    """The targets of reference definitions by their labels, as labels are compared: the first of each counts."""
    found: dict[str, str] = {}
    for line in lines:
        for mention in mentions_in_line(line) if line.lstrip().startswith("[") else ():
            if mention.way is Way.DEFINITION:
                found.setdefault(_label(mention.shown), mention.target)
    return found


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


_REFERENCE = re.compile(r"(?<![\]\[!])\[((?:[^\[\]\\\n]|\\.)+)\](?:\[([^\[\]\n]*)\])?(?![\[(:])")


def references_in_line(line: str, defined: Mapping[str, str]) -> Iterator[MarkdownLink]:
    """The links of one line whose targets are ``defined`` elsewhere: ``[text][label]``, ``[label][]``, ``[label]``."""
    literal = literal_spans(line)
    for match in _REFERENCE.finditer(line) if defined else ():
        target = defined.get(_label(match[2] or match[1]))
        if target is not None and not within(match.start(), literal):
            yield MarkdownLink(*match.span(), match[1], target.partition("#")[0])


def links(body: str) -> tuple[Link, ...]:
    """All links of a body with their places in it; fenced code and comments hold none."""
    if "[" not in body:
        return ()
    return tuple(
        replace(link, start=link.start + offset, end=link.end + offset)
        for offset, line in _lines_of_text(body)
        for link in links_in_line(line)
    )


_HINTS = (".md", "mem:", "memory:", "]:", "href", "/`")


def mentions(body: str) -> tuple[Mention, ...]:
    """The files that a body names in other ways, with their places in it."""
    if not any(hint in body for hint in _HINTS):
        return ()
    return tuple(
        replace(one, start=one.start + at, end=one.end + at, at=one.at + at, stop=one.stop + at)
        for at, line in _lines_of_text(body)
        for one in mentions_in_line(line)
    )


def _lines_of_text(body: str) -> Iterator[tuple[int, str]]:
    """The lines of a body that are neither code nor comment, each with where it begins."""
    offset = 0
    lines = body.split("\n")
    for line, region in zip(lines, regions(lines), strict=True):
        if region is Region.TEXT:
            yield offset, line
        offset += len(line) + 1


_PREFIXES = ("user", "feedback", "project", "reference")


class Names:
    """Every way in which a link can name a memory, from the strictest to the loosest.

    A way that leads to several memories leads nowhere: nothing is guessed. ``roots`` are the paths of the store's
    folder, by which a link may lead into it.
    """

    def __init__(self, memories: Iterable[Memory], roots: Sequence[str] = ()) -> None:
        self._tiers: tuple[dict[str, set[str]], ...] = ({}, {}, {}, {}, {}, {})
        self._paths: dict[str, str] = {}
        self._normal: dict[str, str] = {}
        self.roots = tuple(roots)
        self.titles: dict[str, str] = {}
        for memory in memories:
            self.titles[memory.id] = memory.name
            self._paths[memory.path] = memory.id
            self._normal.setdefault(_composed(memory.path), memory.id)
            self._add(memory.id, memory.name)

    def _add(self, memory_id: str, name: str) -> None:
        plain = _composed(memory_id)
        stem, title = plain.rpartition("/")[2], _composed(name)
        spellings = [memory_id], [plain], [stem], [title], [*map(_folded, (plain, stem, title))], [_bare(stem)]
        for tier, keys in zip(self._tiers, spellings, strict=True):
            for key in filter(None, keys):
                tier.setdefault(key, set()).add(memory_id)

    def resolve(self, target: str, folder: str = "") -> str | None:
        """The id of the memory that a wikilink's target names: by path, stem or name, with or without ``.md``,
        whatever the case, ``_`` or ``-``, the Unicode form, with or without the type in front."""
        written = target.removesuffix(".md").removeprefix("./")
        plain = _composed(written)
        keys = written, plain, plain, _composed(target), _folded(plain), _bare(plain)
        for tier, key in zip(self._tiers, keys, strict=True):
            if key in tier:
                return next(iter(tier[key])) if len(tier[key]) == 1 else None
        return self.at(target, folder) if "/" in target or "\\" in target else None

    def at(self, target: str, folder: str = "") -> str | None:
        """The id of the memory at the path that a link written in ``folder`` names; None if there is none."""
        for path in self.paths(target, folder):
            if found := self._paths.get(path) or self._normal.get(_composed(path)):
                return found
        return None

    def paths(self, target: str, folder: str = "") -> Iterator[str]:
        """The paths in the store that a target may name, the likeliest first; none for one that leads out of it."""
        for written in dict.fromkeys((target, decoded_target(target))):
            for path in paths_in_store(written, folder, self.roots):
                yield path
                if not path.endswith(".md"):
                    yield f"{path}.md"

    def of(self, link: Link | Mention, folder: str = "") -> str | None:
        """The id of the memory that a link or a mention leads to."""
        match link:
            case Wikilink():
                return self.resolve(link.target, folder)
            case MarkdownLink():
                return None if link.is_image else self.at(link.target, folder)
            case Mention(way=Way.SCHEME):
                return link.target if self.is_id(link.target) else None
            case Mention():
                return self.at(link.target.partition("#")[0], folder)

    def is_id(self, memory_id: str) -> bool:
        """True for the exact id of a memory."""
        return memory_id in self._tiers[0]


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _folded(text: str) -> str:
    return _BETWEEN.sub("-", text.casefold())


_BETWEEN = re.compile(r"[-_\s]+")


def _bare(text: str) -> str:
    """Folded, without a type in front."""
    folded = _folded(text)
    kind, dash, rest = folded.partition("-")
    return rest if dash and kind in _PREFIXES else folded


def local_path(target: str, folder: str = "") -> str | None:
    """The path inside the store that a relative target written in ``folder`` leads to; None outside of it."""
    if target.startswith(("/", "~", "$")) or _DRIVE.match(target) or "\0" in target:
        return None
    path = posixpath.normpath(posixpath.join(folder, target.replace("\\", "/")))
    return None if path in (".", "..") or path.startswith("../") else path


_DRIVE = re.compile(r"(?:file:/{0,3})?[A-Za-z]:[\\/]|file:", re.IGNORECASE)
_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)/", re.IGNORECASE)


def paths_in_store(target: str, folder: str = "", roots: Sequence[str] = ()) -> Iterator[str]:
    """The paths inside the store that a target may lead to, however it is written: relative, from a folder above the
    store, absolute, from the home folder, as an address of a file, with the separators of Windows."""
    if (near := local_path(target, folder)) is not None:
        yield near
    if "\0" in target:
        return
    plain = re.sub(r"^file:(?://(?:localhost)?(?=/))?", "", target, flags=re.IGNORECASE).replace("\\", "/")
    plain = plain[1:] if re.match(r"/[A-Za-z]:/", plain) else plain
    at_home = _HOME.match(plain)
    for root in (root.replace("\\", "/").rstrip("/") for root in roots):
        if plain.startswith("/") or re.match(r"[A-Za-z]:/", plain):
            yield from _below(posixpath.normpath(plain), root)
        elif plain.startswith("../"):
            yield from _below(posixpath.normpath(posixpath.join(root, folder, plain)), root)
        else:
            yield from _below_the_end(posixpath.normpath(plain[at_home.end() :] if at_home else plain), root)


def _below(path: str, root: str) -> Iterator[str]:
    if path.startswith(f"{root}/"):
        yield path[len(root) + 1 :]


def _below_the_end(path: str, root: str) -> Iterator[str]:
    """What follows in a path whose beginning is how the path of the store's folder ends."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        if root.endswith("/" + "/".join(parts[:length])):
            yield "/".join(parts[length:])


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
    """The ids of the memories that a memory's body links to, in whatever form."""
    folder = posixpath.dirname(memory.path)
    found = (names.of(link, folder) for link in (*links(memory.body), *mentions(memory.body)))
    return frozenset(target for target in found if target is not None)


def repoint(body: str, gone: Mapping[str, str], names: Names, folder: str = "") -> str:
    """The body with every link to a memory that goes led to its survivor; all other text as it was.

    ``gone`` maps the id of each memory that goes to the id that takes its place, or to ``""`` if none
    does: a wikilink or Markdown link then becomes the text it showed. Alias and anchor are kept, and the form of the
    target (name, path, with ``.md``). ``names`` are those of all memories before the change, gathered once for many
    bodies; ``folder`` is the memory's own, for relative links. Mentions in code, or of what has no survivor, stay.
    """
    led = replaced(body, lambda link: _repointed(link, names.of(link, folder), gone, names.titles, folder))
    for mention in reversed(mentions(led)):
        target = names.of(mention, folder) or ""
        if gone.get(target) and mention.follows:
            led = led[: mention.at] + _spelled_as(mention, target, gone[target], folder) + led[mention.stop :]
    return led


def _spelled_as(mention: Mention, target: str, survivor: str, folder: str) -> str:
    """The survivor's target in the form in which a mention names what it stands for."""
    if mention.way is Way.SCHEME:
        return survivor
    path, mark, anchor = mention.target.partition("#")
    return encoded_target(_path_as(path, target, survivor, folder)) + mark + anchor


def _path_as(written: str, old: str, new: str, folder: str) -> str:
    """The path of one memory as a link in ``folder`` names it that named another one in this form."""
    plain = decoded_target(written).replace("\\", "/")
    ending = ".md" if plain.endswith(".md") else ""
    if plain.endswith(old + ending) and local_path(plain, folder) != old + ending:
        return plain.removesuffix(old + ending) + new + ending
    near = posixpath.relpath(new + ending, folder or ".")
    return f"./{near}" if plain.startswith("./") and not near.startswith("../") else near


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
            return link.to(_path_as(link.target, target, survivor, folder))
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


# --- relations ---
# Relations that some tools keep between memories in their frontmatter, and those that lead nowhere.
#
# Nothing is changed in them: a copy of a store that lacks a part of it says so, and keeps what it says.

KEYS = ("relates_to", "superseded_by", "supersedes")

_KEY = re.compile(rf"^[ \t]*({'|'.join(KEYS)})[ \t]*:[ \t]*(.*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")
_MARKS = "[]\"' \t"
_NONE = frozenset({"", "~", "null", "none", "n/a", "-"})
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Relation:
    """What one memory says of another: the field, and the other's name as it is written."""

    memory: str
    key: str
    target: str


def relations(memory: Memory) -> Iterator[Relation]:
    """The relations in a memory's frontmatter: on the key's line, in brackets or not, or as a list below it."""
    if not any(key.encode() in memory.data for key in KEYS):
        return
    key = ""
    for line in split(memory.data).block.decode("utf-8", "replace").splitlines():
        if found := _KEY.match(line):
            key = found[1]
            named = found[2].split(",")
        elif key and (item := _ITEM.match(line)):
            named = [item[1]]
        else:
            key, named = "", []
        plain = (text.strip(_MARKS) for text in named)
        yield from (Relation(memory.id, key, text) for text in plain if text.casefold() not in _NONE)


def leading_nowhere(memories: Sequence[Memory]) -> tuple[Relation, ...]:
    """The relations to memories that are not there."""
    found = [one for memory in memories for one in relations(memory)]
    names = Names(memories) if found else Names(())
    return tuple(one for one in found if names.resolve(one.target) is None)


def told(found: Iterable[Relation]) -> Iterator[str]:
    """Relations that lead nowhere, in a sentence for each field."""
    by_key: dict[str, list[Relation]] = {}
    for one in found:
        by_key.setdefault(one.key, []).append(one)
    for key, each in by_key.items():
        shown = ", ".join(f"`{printable_name(one.memory)}` to `{printable_name(one.target)}`" for one in each[:_SHOWN])
        more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
        number = counted(len(each), "relation")
        yield f"{number} in {key} to memories that are not here, kept as they are: {shown}{more}."
