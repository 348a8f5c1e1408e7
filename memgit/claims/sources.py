"""Which files of a tree show how things are: code and configuration do; prose repeats, tests try out, copies prove
nothing.
"""

from __future__ import annotations

import re

_PROSE = re.compile(
    r"(?<!CMakeLists)(?<!requirements)\.(?:md|mdx|mdc|markdown|rst|adoc|asciidoc|org|tex|txt|html?|log|jsonl|ndjson|csv|tsv|svg)$"
    r"|(?:^|/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|README|NOTICE|LICEN[CS]E|AUTHORS|TODO)[^/.]*$",
    re.IGNORECASE,
)
_TRIAL = re.compile(
    r"(?:^|/)(?:[\w-]*tests?|specs?|e2e|[\w-]*fixtures?|examples?|samples?|demos?|testdata|__\w+__|mocks?|stubs?|stories|benchmarks?)/"
    r"|[._-](?:tests?|specs?|stories|mock|example|sample|dist)(?=\.|$)|(?:^|/)(?:test|conftest)[_.]|[a-z](?:Tests?|Spec)\.\w+$"
)
_LOCKED = re.compile(
    r"\.(?:lock|sum|min\.\w+|map|snap)$|[-.]lock(?:file)?\.\w+$|(?:^|/)(?:vendor|third_party|node_modules|dist|build|generated)/"
)
_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?\.md|AGENTS\.md|GEMINI\.md|CONTRIBUTING(?:\.\w+)?|copilot-instructions\.md)$"
    r"|(?:^|/)\.?(?:claude|cursor|github)/(?:rules|instructions)/|(?:^|/)\.cursorrules$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"\.(?:md|mdx|mdc|markdown|rst|adoc|asciidoc|org)$|(?:^|/)docs?/.*\.txt$", re.IGNORECASE)
_HISTORY = re.compile(r"(?:^|/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|RELEASE[_-]?NOTES)[^/]*$", re.IGNORECASE)


def is_prose(path: str) -> bool:
    """Whether a file tells instead of doing: that a name stands in it shows no more than that somebody wrote it."""
    return bool(_PROSE.search(path))


def is_trial(path: str) -> bool:
    """Whether a file tries things out: what it sets says nothing of how things are."""
    return bool(_TRIAL.search(path))


def defines(path: str) -> bool:
    """Whether what a file sets may be how things are: it is no prose, tries nothing out, and nobody else wrote it."""
    return not (is_prose(path) or is_trial(path) or _LOCKED.search(path))


def is_document(path: str) -> bool:
    """Whether people and agents read a file to learn how things are done. What changed when is told for another use."""
    return bool(_DOCUMENT.search(path)) and not _HISTORY.search(path)


def instructs(path: str) -> bool:
    """Whether a file is read by agents or contributors as rules to follow."""
    return bool(_INSTRUCTIONS.search(path))


_MEMORY = re.compile(r"\A\ufeff?---[ \t]*\n(?P<head>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEYS = tuple(re.compile(rf"^(?:{key}):", re.MULTILINE) for key in ("name", "description", "type|metadata"))


def reads_as_memory(text: str) -> bool:
    """Whether a text begins as a memory does: with name, description and type. A copy of a memory is no evidence for
    it."""
    found = _MEMORY.match(text.replace("\r\n", "\n"))
    return found is not None and all(key.search(found["head"]) for key in _KEYS)
