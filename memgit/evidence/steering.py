"""What text looks like that tries to steer the agent that reads it, instead of telling it a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from ahocorasick_rs import AhoCorasick

from memgit.evidence.masks import Span, lowered
from memgit.text.language import everywhere

CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
BIDI = "\u202a-\u202e\u2066-\u2069"
HIDDEN = "\u200b\u2060-\u2064\ufeff\u180e\U000e0000-\U000e007f\U000e0100-\U000e01ef"

_TAGS = (
    r"system-reminder|command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
    r"|task-notification|function_calls|function_results|tool_use_error|tool_result|tool_use|user-prompt-submit-hook"
)
_ROLE_TAG = (
    r"</?(?:system|assistant|human|developer)>|</user>|<\|(?:im_start|im_end|system|user|assistant|end|eot_id"
    r"|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>"
)
_FRAMING = (
    r"^[ \t>*]{0,8}(?:(?:Human|Assistant)\*{0,2}:(?=\s|$)"
    r"|#{2,3} ?(?:System|Instruction|Assistant|Human):[ \t]*$"
    r"|(?:System|SYSTEM|Developer)(?: (?:message|prompt|note|override|instruction))?\*{0,2}:\*{0,2}[ \t]*"
    r"(?=[^\n]{0,120}\b(?:[Yy]ours?|[Yy]ou|[Ii]gnore|[Dd]isregard|[Ff]orget|[Aa]lways|[Nn]ever|[Mm]ust|[Dd]o not)\b))"
)
_OVERRIDE = (
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|these|those|of)\s+){0,3}"
    r"(?:previous|prior|above|earlier|preceding|former|existing|system|safety|other)\s+"
    r"(?:(?:user|system|developer|safety)\s+)?(?:instructions?|prompts?|rules|guidelines|directions|directives|messages)\b"
    r"|\byou\s+are\s+now\s+(?:in\s+)?(?:an?\s+|the\s+)?(?:unrestricted|jailbroken|developer\s+mode|DAN\b|root\s+mode)"
    r"|\b(?:new|updated|real)\s+system\s+(?:prompt|instructions?)\s*:"
)
_PLANTING = (
    r"\b(?:please\s+)?(?:remember|memori[sz]e)\s+(?:this|the\s+following|these)\s+(?:\w+\s+)?(?:rules?|instructions?|commands?)\b"
    r"|\b(?:add|save|store|write|put|commit)\s+(?:this|the\s+following|these)\s+(?:\w+\s+){0,2}?(?:in|to|into)\s+"
    r"(?:your|the\s+agent'?s|claude'?s|long[- ]term)\s+memor(?:y|ies)\b"
)
_SEND = r"(?:send|post|upload|forward|transmit|exfiltrate|e-?mail|copy|leak)"
_PLACE = r"(?:https?://|ftp://|\b[\w.+-]{1,64}@[\w-]{1,64}\.\w)"
_PRIVATE = (
    r"(?:secrets?|tokens?|credentials?|passwords?|api\s+keys?|private\s+keys?|\.env\b|env(?:ironment)?\s+(?:variables|vars|files?)"
    r"|conversations?|transcripts?|chat\s+history|source\s+code)"
)
_EXFILTRATION = (
    rf"\b(?:always|whenever|every\s+time|each\s+time|after\s+(?:each|every))\b[^.!?\n]{{0,80}}?\b{_SEND}\b[^!?\n]{{0,120}}?{_PLACE}"
    rf"|\b{_SEND}\b[^.!?\n]{{0,60}}?\b{_PRIVATE}[^!?\n]{{0,80}}?{_PLACE}"
)
_CONCEALMENT = (
    r"\bwithout\s+(?:telling|informing|notifying|asking|alerting)\s+the\s+user\b"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:tell|inform|alert|notify)\s+the\s+user\s+(?:about\s+)?(?:this|that\s+you|it\b|of\s+this)"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:tell|inform|alert|notify)\s+the\s+user[^\S\n]*(?:[.!,;)]|-->|$)"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:mention|reveal|disclose)\s+(?:this|these|it)\b[^.\n]{0,40}\bto\s+the\s+user\b"
)
_DOWNLOADED = (
    r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,200}\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?"
    r"(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k|fi)?sh|python3?|perl|ruby|node|iex)\b"
    r"|\b(?:(?:ba|z|da)?sh|eval|source|\.)\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b"
)

MARK_UP: tuple[tuple[str, str, re.RegexFlag], ...] = (
    ("control character", f"[{CONTROL}]", re.NOFLAG),
    ("hidden character", f"[{HIDDEN}]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])", re.NOFLAG),
    ("text direction override", f"[{BIDI}]", re.NOFLAG),
    ("harness tag", rf"</?(?:antml:\w+|{_TAGS})\b[^<>\n]{{0,200}}>", re.IGNORECASE),
    ("role tag", _ROLE_TAG, re.IGNORECASE),
)
"""What is told by characters and tags, whatever the words say: each kind with its pattern."""

STEERING_WORDS: tuple[tuple[str, str, re.RegexFlag], ...] = (
    ("role framing", _FRAMING, re.MULTILINE),
    ("instruction override", _OVERRIDE, re.IGNORECASE),
    ("memory planting", _PLANTING, re.IGNORECASE),
    ("exfiltration", _EXFILTRATION, re.IGNORECASE),
    ("concealment", _CONCEALMENT, re.IGNORECASE | re.MULTILINE),
    ("download run in a shell", _DOWNLOADED, re.IGNORECASE),
)
"""What only reads like it: marked, and neither refused nor withheld for it."""

# --- orders ---
# Orders to the agent that reads a text, told by words of any language: to drop what it was told before, to keep
# something from the user, and what stands in a comment, which nobody sees who reads the page.

_NEAR = 90
_APART = 40
_LONGEST = 4_000
_UNSPACED = re.compile(r"[\u3000-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"[.!?。！？\n]")


def orders(text: str) -> Iterator[Span]:
    """Where such orders stand, and their kinds."""
    met = _met(text)
    for forget in met["forget"]:
        if not _is_denied(text, forget):
            yield *forget.span(), "instruction override"
    for verb in met["overrule"]:
        if not _is_denied(text, verb) and _overrules(text, verb):
            yield *verb.span(), "instruction override"
    yield from ((*match.span(), "concealment") for match in met["hide"])
    for comment in _COMMENT.finditer(text) if "<!--" in text else ():
        if _commands(comment["text"][:_LONGEST]):
            yield *comment.span(), "order in a comment"


_COMMENT = re.compile(r"<!--(?P<text>[\s\S]*?)(?:-->|\Z)")


@cache
def _search() -> tuple[AhoCorasick, list[str]]:
    """One search for the beginnings of all that may be an order, and the category of each."""
    begins = [(word.removesuffix("*"), name) for name in ("forget", "overrule", "hide") for word in everywhere(name)]
    return AhoCorasick([word for word, _ in begins]), [name for _, name in begins]


_AS_ONE = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "’": "'"})


def _met(text: str) -> Mapping[str, list[re.Match[str]]]:
    search, names = _search()
    met: dict[str, list[re.Match[str]]] = {"forget": [], "overrule": [], "hide": []}
    found = search.find_matches_as_indexes(lowered(text).translate(_AS_ONE), overlapping=True)
    for name, start in sorted({(names[index], start) for index, start, _ in found}):
        if match := _any_of(name).match(text, start):
            met[name].append(match)
    return met


def _overrules(text: str, verb: re.Match[str]) -> bool:
    """Whether what was said before and orders stand near each other in a verb's sentence."""
    start, end = _sentence(text, verb)
    earlier = [match.span() for match in _any_of("earlier").finditer(text, start, end)]
    said = [match.span() for match in _any_of("orders").finditer(text, start, end)]
    return any(first[0] - _APART < second[1] and second[0] < first[1] + _APART for first in earlier for second in said)


def _sentence(text: str, verb: re.Match[str]) -> tuple[int, int]:
    before = [match.end() for match in _SENTENCE.finditer(text, max(0, verb.start() - _NEAR), verb.start())]
    after = _SENTENCE.search(text, verb.end(), min(len(text), verb.end() + _NEAR))
    start = before[-1] if before else max(0, verb.start() - _NEAR)
    return start, after.start() if after else min(len(text), verb.end() + _NEAR)


def _is_denied(text: str, verb: re.Match[str]) -> bool:
    """Whether one is told not to: "never forget …", "vergiss nicht …"."""
    before = re.findall(r"[^\W\d_]+(?:['’]\w+)?", text[max(0, verb.start() - 12) : verb.start()].lower())[-1:]
    after = re.findall(r"[^\W\d_]+", text[verb.end() : verb.end() + 12].lower())[:1]
    return not _words("negation").isdisjoint([*before, *after])


def _commands(comment: str) -> bool:
    """Whether a comment addresses the reader or tells him what to do: in the first word of one of its clauses."""
    clauses = [
        clause.strip().lower() for clause in re.split(r"[.,;:!?\n]|\s[-–—]\s|\b(?:and|then|und|dann|y|et)\b", comment)
    ]
    if len(comment.split()) < 3 and comment.isascii():
        return False
    first = clauses[0].removeprefix("to the ").removeprefix("note to ").strip()
    return first in _words("reader") or any(_begins(clause) for clause in clauses)


def _begins(clause: str) -> bool:
    if _any_of("order").match(clause.removeprefix("please ").strip()):
        return True
    return any(word in clause for word in _words("order") if _UNSPACED.search(word))


@cache
def _words(category: str) -> frozenset[str]:
    return frozenset(everywhere(category))


@cache
def _any_of(category: str) -> re.Pattern[str]:
    longest_first = sorted(everywhere(category), key=len, reverse=True)
    return re.compile("|".join(map(_word, longest_first)), re.IGNORECASE)


def _word(word: str) -> str:
    stem = r"\s+".join(map(re.escape, word.removesuffix("*").split())).replace("'", "['’]")
    if _UNSPACED.search(word):
        return stem
    end = "" if word.endswith("*") else r"(?!\w)"
    return rf"(?<!\w){stem}{end}"
