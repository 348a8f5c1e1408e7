"""What a secret looks like wherever it may have gone, and bytes without it."""

from __future__ import annotations

import base64
import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from urllib.parse import quote, quote_plus

from memgit.errors import UsageError
from memgit.evidence.findings import secrets

REDACTED = "[masked: redacted]"
"""What stands where a redacted secret stood; the screening knows it for a mask."""

SHORTEST = 6
"""Characters that a secret must have: anything shorter is bound to stand in innocent text too."""
_SHORTEST_LINE = 16  # of a secret of several lines: such a line is looked for on its own
_SHORTEST_CORE = 10  # base64 digits that do not depend on what stands before and after


class Form(StrEnum):
    """How a secret is written somewhere."""

    PLAIN = "plain"
    JSON = "JSON-escaped"
    URL = "URL-encoded"
    HTML = "HTML-escaped"
    BASE64 = "base64"


@dataclass(frozen=True)
class Redaction:
    """Some secrets, and the means to find them and take them out. Their text is in no message and no ``repr``."""

    secrets: frozenset[str]

    def __repr__(self) -> str:
        return f"Redaction({len(self.secrets)} secrets)"

    def clean(self, data: bytes) -> bytes:
        """``data`` with every form of every secret replaced by `REDACTED`."""
        return self._pattern.sub(REDACTED.encode(), data)

    def clean_text(self, text: str) -> str:
        """The same for a name or a path; what is not UTF-8 in it stays."""
        return self.clean(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def forms(self, data: bytes) -> Mapping[Form, int]:
        """How often each form of a secret stands in ``data``."""
        return Counter(Form[match.lastgroup or ""] for match in self._pattern.finditer(data))

    def touches(self, data: bytes) -> bool:
        """Whether any form of any secret stands in ``data``."""
        return self._pattern.search(data) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        by_form: dict[Form, set[bytes]] = {}
        for secret in self.secrets:
            for form, pattern in _patterns(secret):
                by_form.setdefault(form, set()).add(pattern)
        groups = (b"(?P<%s>%s)" % (form.name.encode(), _any_of(found)) for form, found in by_form.items())
        return re.compile(b"|".join(groups))


def redaction(found: Iterable[str]) -> Redaction:
    """What takes these secrets out. Raises UsageError for none, for one that is too short, or one in the mask."""
    wanted = frozenset(text.strip() for text in found)
    if not wanted or "" in wanted:
        raise UsageError("There is no secret to redact.", "Hand in its text with --match FILE, or - for stdin.")
    if any(len(text) < SHORTEST for text in wanted):
        raise UsageError(
            f"A secret of fewer than {SHORTEST} characters would be found in innocent text too.",
            "Name the memory and line instead, or change the secret where it is used.",
        )
    whole = Redaction(wanted)
    if whole.touches(REDACTED.encode()):
        raise UsageError("That text is a part of the mask itself.", "Hand in the secret alone.")
    return whole


def of_kind(text: str, kind: str | None, line: int | None = None) -> Iterator[tuple[str, str]]:
    """The secrets that the screening finds in a text, of one kind or line where one is asked for: kind and text."""
    for finding in secrets(text):
        if kind in (None, finding.kind) and line in (None, finding.line):
            yield finding.kind, text[finding.start : finding.end]


def _patterns(secret: str) -> Iterator[tuple[Form, bytes]]:
    for text in (secret, *_lines(secret)):
        plain = _encoded(text)
        yield Form.PLAIN, rb"\s+".join(map(re.escape, re.split(rb"\s+", plain)))  # reports fold white space
        for form, variant in _variants(text):
            if variant != plain:
                yield form, re.escape(variant)
        for core in _base64_cores(plain):
            yield Form.BASE64, re.escape(core)


def _lines(secret: str) -> list[str]:
    """The lines of a secret that has several: a report or a diff puts something before each."""
    lines = [line.strip() for line in secret.splitlines()]
    long = [line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----")]
    return long if len(lines) > 1 else []


def _variants(text: str) -> Iterator[tuple[Form, bytes]]:
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield Form.JSON, _encoded(once)
        yield Form.JSON, _encoded(json.dumps(once, ensure_ascii=ascii_only)[1:-1])  # JSON kept within JSON
    data = _encoded(text)
    for quoted in (quote(data), quote(data, safe=""), quote_plus(data)):
        yield Form.URL, quoted.encode()
        yield Form.URL, re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), quoted).encode()
    yield Form.HTML, _encoded(html.escape(text))
    yield Form.HTML, _encoded(html.escape(text, quote=False))


def _base64_cores(data: bytes) -> Iterator[bytes]:
    """The digits that stand for ``data`` wherever it begins: at one of three places within a group."""
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + data)
        core = digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(core) >= _SHORTEST_CORE:
            yield core
            yield core.translate(bytes.maketrans(b"+/", b"-_"))


def _any_of(patterns: Iterable[bytes]) -> bytes:
    ordered: list[bytes] = sorted(patterns, key=len, reverse=True)
    return b"|".join(ordered)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape" if _escapes(text) else "surrogatepass")


def _escapes(text: str) -> bool:
    """Whether every lone surrogate stands for a byte that was not UTF-8."""
    return not re.search("[\ud800-\udc7f\udd00-\udfff]", text)
