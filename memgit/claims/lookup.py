"""Looks one span up in what a tree answered: as a path, a place in a file, a pattern, a command, a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from memgit.claims.commands import entered_folder, options, scripts_of, started_file, steps
from memgit.claims.sources import is_prose
from memgit.claims.spans import NO_TARGETS, classify, last_part, spellings
from memgit.model.store import INDEX
from memgit.model.verification import Missing, SpanCheck, SpanKind
from memgit.text.markdown import file_line

# --- paths ---
# Looking up paths of a tree as people write them: whole, by their end, by pattern, in another case.

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 64
_MOST_DEEP_STARS = 4


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a tree and the folders they lie in, ready to be looked up.

    Paths are relative to the root with ``/`` between parts; folders carry no slash at the end.
    """

    files: Mapping[str, None]
    folders: frozenset[str]
    by_name: Mapping[str, tuple[str, ...]]
    by_folded_name: Mapping[str, tuple[str, ...]]
    folders_by_name: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, files: Iterable[str]) -> Listing:
        listed = dict.fromkeys(files)
        folders = frozenset(folder for path in listed for folder in _folders_of(path))
        folded = _grouped(listed, lambda path: _name(path).casefold())
        return cls(listed, folders, _grouped(listed, _name), folded, _grouped(sorted(folders), _name))

    def exact(self, path: str) -> str | None:
        """The file or folder of this whole path; a folder is given with a slash at its end."""
        if path in self.files:
            return path
        return f"{path}/" if path in self.folders or path == "." else None

    def ending(self, path: str) -> tuple[str, ...]:
        """Files whose last parts are this path (``retry.py`` → ``src/retry.py``), in listing order."""
        return tuple(file for file in self.by_name.get(_name(path), ()) if _ends(file, path))

    def folders_ending(self, path: str) -> tuple[str, ...]:
        return tuple(f"{folder}/" for folder in self.folders_by_name.get(_name(path), ()) if _ends(folder, path))

    def any_of(self, path: str) -> str | None:
        """The first file or folder that a path means, whole or by its last parts."""
        return self.exact(path) or next(iter((*self.ending(path), *self.folders_ending(path))), None)

    def in_another_case(self, path: str) -> tuple[str, ...]:
        """Files whose last parts are this path but for upper and lower case."""
        folded = path.casefold()
        return tuple(file for file in self.by_folded_name.get(_name(folded), ()) if _ends(file.casefold(), folded))

    def namesakes(self, path: str) -> tuple[str, ...]:
        """Files of the same name in other folders."""
        return self.by_name.get(_name(path), ())

    def matching(self, pattern: str) -> str | None:
        """The first file or folder that a pattern of stars matches, whole or by its last parts.

        ``*`` stays within one part, ``**`` spans parts; square brackets are plain characters, as in the
        routes of web frameworks.
        """
        if pattern.count("**") > _MOST_DEEP_STARS:
            return None
        fits = re.compile(rf"(?:.*/)?{_shape(pattern.rstrip('/'))}", re.DOTALL).fullmatch
        places = (self.files, sorted(self.folders))
        return next((path for place in places for path in place if fits(path)), None)


def alternatives(pattern: str) -> tuple[str, ...]:
    """What a pattern with braces stands for (``a/{b,c}.ts`` → ``a/b.ts``, ``a/c.ts``); itself when it has none."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= _MOST_ALTERNATIVES:
        current = waiting.pop(0)
        if found := _BRACES.search(current):
            waiting += [current[: found.start()] + word + current[found.end() :] for word in found[1].split(",")]
        else:
            done.append(current)
    return (*done, *waiting)


def _shape(pattern: str) -> str:
    """A pattern of stars as a regular expression."""
    *folders, last = pattern.split("/")
    deep = (r"(?:[^/]+/)*" if folder == "**" else f"{_part(folder)}/" for folder in folders)
    return "".join(deep) + (".*" if last == "**" else _part(last))


def _part(pattern: str) -> str:
    """One part of a pattern. What stands between two stars is matched where it first fits and never again
    (an atomic group), so that no pattern can take longer than its length times the path's."""
    first, *rest = (re.escape(text).replace(r"\?", "[^/]") for text in re.split(r"\*+", pattern))
    between = "".join(f"(?>[^/]*?{text})" for text in rest[:-1])
    return first + between + (f"[^/]*{rest[-1]}" if rest else "")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _ends(path: str, end: str) -> bool:
    return path == end or path.endswith(f"/{end}")


def _folders_of(path: str) -> Iterator[str]:
    return accumulate(path.split("/")[:-1], lambda folder, part: f"{folder}/{part}")


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[key(path)].append(path)
    return {name: tuple(group) for name, group in groups.items()}


_CLEAR_PATHS = frozenset({SpanKind.FILE, SpanKind.DIRECTORY})
_NO_PATHS = frozenset({SpanKind.FLAG, SpanKind.HASH, SpanKind.NUMBER, SpanKind.ROUTE, SpanKind.URL})
_OF_CODE = frozenset({SpanKind.IDENTIFIER, SpanKind.CALL, SpanKind.FLAG, SpanKind.ENVIRONMENT})
"""Kinds that code shows. Code is searched before prose, so what is found in prose stands in no code."""
_LEAST = 5
"""Letters of a name below which its removal from a whole history says nothing."""
_MOST_NAMED = 3  # paths that a hint lists


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the tree was asked once for all memories.

    ``texts`` says where each text stands, ``scripts`` which file defines each script, ``names`` are those of
    memories, ``root`` is the project's absolute path.
    """

    listing: Listing
    texts: Mapping[str, str]
    scripts: Mapping[str, str]
    names: frozenset[str]
    root: str

    def path(self, span: str) -> str:
        """The span as a path from the root: its own root taken off, slashes turned, no ``./``, none at the end."""
        path = self.relative(span)
        if "\\" in path and not re.search(r"\s", path):
            path = path.replace("\\", "/")
        return path.removeprefix("./").strip("/") or ("." if path.startswith(".") else "")

    def relative(self, span: str) -> str:
        """An absolute path inside the project without the project's root; any other span as it is."""
        root = self.root.rstrip("/\\")
        inside = root and span.startswith(root) and span[len(root) : len(root) + 1] in ("/", "\\")
        return span[len(root) + 1 :] or "." if inside else span


def judge(span: str, evidence: Evidence) -> SpanCheck:
    """Found, missing (`Missing.NEVER` until history is asked), or no target."""
    check = SpanCheck(span, _kind(span, evidence))
    match check.kind:
        case SpanKind.GLOB:
            return _by_pattern(check, evidence)
        case SpanKind.FILE_LINE:
            return _in_file(check, evidence)
        case SpanKind.FILE | SpanKind.DIRECTORY:
            found = _as_path(check, evidence)
            return found if found.is_target else _lost(found, _mention(span, evidence))
        case SpanKind.COMMAND | SpanKind.PLACEHOLDER:
            return _settled(_as_text(_as_command(_as_path(check, evidence), evidence), evidence), evidence)
        case _:
            return _settled(_as_text(_as_path(check, evidence), evidence), evidence)


def texts(span: str) -> Iterator[str]:
    """Every text whose place may matter for this span."""
    kind = classify(span)
    yield from spellings(span, kind)
    match kind:
        case SpanKind.COMMAND | SpanKind.PLACEHOLDER:
            yield from (text for step in steps(span) for text in (step, *options(step)))
        case SpanKind.IDENTIFIER | SpanKind.CALL:
            yield last_part(span) or span
            yield from filter(None, [bare_name(span, kind)])
        case SpanKind.FLAG | SpanKind.ENVIRONMENT:
            yield from filter(None, [bare_name(span, kind)])
        case SpanKind.FILE_LINE:
            place = file_line(span)
            yield from (place.path, place.member or span)
        case _:
            pass


def bare_name(span: str, kind: SpanKind) -> str | None:
    """The one word of a span that code would have to declare; None where it is no such word."""
    if kind not in _OF_CODE:
        return None
    name = re.split(r"[=(\s]", span)[0].strip("${}")
    is_code = re.search(r"_|-|[a-z][A-Z]|[A-Z]{3}", name) or span[len(name) : len(name) + 1] == "("
    return name if len(name) >= _LEAST and is_code else None


def in_code(text: str, evidence: Evidence) -> bool:
    """Whether a text stands in a file that is no prose."""
    where = evidence.texts.get(text)
    return where is not None and not is_prose(where.rpartition(":")[0])


def _settled(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """What was found nowhere is missing, unless its kind is none that a tree can answer for."""
    if check.is_target or check.kind in NO_TARGETS:
        return check
    return _lost(check, check.hint or _clue(check.span, check.kind, evidence))


def _kind(span: str, evidence: Evidence) -> SpanKind:
    """The kind by shape, corrected by what this project has: its memories' names, its folders, its root."""
    if span == INDEX or span.removesuffix(".md") in evidence.names:
        return SpanKind.WIKILINK
    kind = classify(span)
    if kind is SpanKind.OUTSIDE and (inside := evidence.relative(span)) != span:
        return classify(inside)
    if kind in (SpanKind.BRANCH, SpanKind.PAIR) and span.partition("/")[0] in evidence.listing.folders:
        return SpanKind.PATH if "/" in span else kind
    return kind


def _as_path(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """Looked up as a path: whole, by its last parts when only one path has them, in another case."""
    path = evidence.path(check.span)
    listing = evidence.listing
    if check.kind in _NO_PATHS or not path:
        return check
    if check.kind is SpanKind.OUTSIDE:  # `/src/x.py` may mean the project's root; `/etc` is never its folder
        return replace(check, where=path) if path in listing.files else check
    if where := listing.exact(path):
        return replace(check, where=where)
    as_folder = check.kind is SpanKind.DIRECTORY or "/" in path
    ends = listing.ending(path) or (listing.folders_ending(path) if as_folder else ())
    if len(ends) == 1:
        return replace(check, where=ends[0])
    if ends and check.kind in _CLEAR_PATHS | {SpanKind.PATH}:
        return replace(check, missing=Missing.AMBIGUOUS, hint=several(ends))
    if check.kind is SpanKind.FILE and len(similar := listing.in_another_case(path)) == 1:
        return replace(check, where=similar[0], hint=f"spelled {similar[0]} in the tree")
    return check


def _in_file(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """A line or a member of a file: the file must be there, and the member's name must stand in some file."""
    place = file_line(check.span)
    found = _as_path(SpanCheck(place.path, SpanKind.FILE), evidence)
    found = replace(found, span=check.span, kind=check.kind)
    if not found.where:
        return found if found.is_target else _lost(found, _mention(place.path, evidence))
    if place.member and place.member not in evidence.texts:
        return _lost(check, f"{found.where} is there, {place.member} is not")
    return found


def _by_pattern(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """A pattern stands for some file; each of its alternatives in braces must."""
    found = [evidence.listing.matching(evidence.path(pattern)) for pattern in alternatives(check.span)]
    if found and all(found):
        return replace(check, where=found[0])
    return _lost(check, "no file matches")


def _as_command(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """Each step of the command must run a script that is defined, start a file that exists, or stand in a file."""
    if check.where:
        return check
    found = [(step, _step(step, evidence)) for step in steps(check.span)]
    places = [place for _, place in found if place]
    if found and len(places) == len(found):
        return replace(check, where=places[0])
    if places:
        lost = next(step for step, place in found if not place)
        return replace(check, hint=f"not found: {lost}")
    return check


def _step(step: str, evidence: Evidence) -> str | None:
    scripts = scripts_of(step)
    if scripts and all(script in evidence.scripts for script in scripts):
        return evidence.scripts[scripts[0]]
    if folder := entered_folder(step):
        return evidence.listing.exact(evidence.path(folder))
    if (path := started_file(step)) and all(option in evidence.texts for option in options(step)):
        started = _as_path(SpanCheck(path, SpanKind.FILE), evidence)
        if started.where and not started.where.endswith("/"):
            return started.where
    return evidence.texts.get(step)


def _as_text(check: SpanCheck, evidence: Evidence) -> SpanCheck:
    """Looked up as a text, unless it was found before; a path of unclear shape that is ambiguous may be one."""
    if check.where:
        return check
    places = (evidence.texts.get(text) for text in spellings(check.span, check.kind))
    where = next((place for place in places if place), None)
    if where and check.kind in _OF_CODE and is_prose(where.rpartition(":")[0]):
        return SpanCheck(check.span, check.kind, None, Missing.MENTIONED, f"only mentioned in {where}")
    return SpanCheck(check.span, check.kind, where) if where else check


def _lost(check: SpanCheck, hint: str) -> SpanCheck:
    return replace(check, missing=Missing.NEVER, hint=hint)


def _clue(span: str, kind: SpanKind, evidence: Evidence) -> str:
    """What else of a missing name is there, for a reader who looks for it."""
    part = last_part(span) if kind in (SpanKind.IDENTIFIER, SpanKind.CALL) else None
    return f"{part} stands in {evidence.texts[part]}" if part and part in evidence.texts else ""


def _mention(path: str, evidence: Evidence) -> str:
    return f"only mentioned in {evidence.texts[path]}" if path in evidence.texts else ""


def several(paths: Sequence[str]) -> str:
    """The first of these paths and how many more there are, for a hint."""
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
