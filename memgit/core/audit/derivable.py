"""What is not worth remembering because the repository, its history or a tool tells it at any time.

Only facts of the project are asked: what a person is or wants stands in no repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.model.fact import Fact, Refusal

_SOURCE = r"(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|scala|sql|vue|svelte)"
_SIGNS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "code-fact",
        "where code stands or how it is built, which `grep` finds at any time",
        re.compile(
            rf"\b(?:is|are|lives?|stands?|sits?|found|defined|implemented|declared|located)\s+(?:\w+\s+)?in\s+`?[\w./-]+\.{_SOURCE}\b"
            r"|\bthe\s+(?:function|class|method|module|struct|interface|component)\s+`?[\w.]+`?(?:\(\))?\s+"
            r"(?:is\s+(?:defined|implemented|declared)|takes|returns|inherits|extends|calls|wraps)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "history",
        "who changed what and when, which `git log` tells",
        re.compile(
            r"\b(?:commit|merged\s+in|introduced\s+in|reverted\s+in)\s+`?[0-9a-f]{7,40}\b"
            r"|\b(?:PR|pull\s+request|MR|merge\s+request)\s+[#!]?\d+\s+(?:added|removed|fixed|changed|introduced|renamed|merged|moved)"
            r"|\b(?:was|were|has\s+been|have\s+been)\s+(?:renamed|refactored|merged|rewritten|moved|deleted|reverted)\s+(?:to|into|in|by|from|on)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "debugging",
        "how something was debugged, which the fix and its commit message say",
        re.compile(
            r"\bthe\s+(?:fix|workaround|solution)\s+(?:was|is)\s+to\b|\bfixed\s+(?:the|this|a|that|it)\b|\bfixed\s+by\b"
            r"|\b(?:stack\s?trace|traceback)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "task-state",
        "how far the present work is, which belongs in a task list",
        re.compile(
            r"\bTODO\b|\bWIP\b|\bI(?:'ll|\s+will|\s+am\s+going\s+to)\b"
            r"|(?i:\bnext\s+steps?\b|\bin\s+progress\b|\bstill\s+(?:to\s+do|open|need(?:s|ed)?\s+to\s+be)\b"
            r"|\bremaining\s+(?:work|tasks?|steps?)\b|\b(?:half|partly)[- ]done\b|\bcontinue\s+(?:with|by|here)\b"
            r"|\bnot\s+(?:yet\s+)?(?:finished|implemented\s+yet|done\s+yet)\b)"
        ),
    ),
)
_ASKED = frozenset({"project", "reference"})


def derivable(fact: Fact) -> Iterator[Refusal]:
    """The entries of the do-not-save list that a fact looks like."""
    if fact.type not in _ASKED:
        return
    for code, what, sign in _SIGNS:
        if match := sign.search(f"{fact.description}\n{fact.body}"):
            yield Refusal(
                code,
                "body",
                f'"{" ".join(match[0].split())}" tells {what}. What was surprising about it? Write that instead, or '
                f"override {code}.",
            )
