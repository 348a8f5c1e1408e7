"""Secrets, personal data and steering text: found by place and kind, masked, never repeated by value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.evidence.masks import MASK, Span
from memgit.evidence.steering import BIDI, CONTROL, HIDDEN, MARK_UP, STEERING_WORDS


@dataclass(frozen=True, slots=True)
class Finding:
    """Where something suspicious stands: its kind, its line (from 1) and its character offsets. Never its text."""

    kind: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its secrets replaced, and the kinds that were found, in order of appearance."""

    text: str
    kinds: tuple[str, ...] = ()


def secrets(text: str) -> tuple[Finding, ...]:
    """What looks like a secret in ``text``, by place and kind, in order, without overlaps."""
    return _placed(text, _disjoint(_secret(text)))


def personal(text: str) -> tuple[Finding, ...]:
    """What looks like personal data in ``text``, by place and kind, in order, without overlaps."""
    return _placed(text, _disjoint(_personal(text)))


def mask(text: str, *, personal_too: bool = False) -> Masked:
    """``text`` with each secret replaced by ``[masked: <kind>]``, and on request personal data as well.

    Masking twice changes nothing more.
    """
    parts: list[str] = []
    at = 0
    spans = (*_secret(text), *_personal(text)) if personal_too else _secret(text)
    findings = _placed(text, _disjoint(spans))
    for finding in findings:
        parts += [text[at : finding.start], f"[masked: {finding.kind}]"]
        at = finding.end
    return Masked("".join([*parts, text[at:]]), tuple(finding.kind for finding in findings))


def masked_kinds(text: str) -> tuple[str, ...]:
    """What stood where a text has marks: the kinds of all secrets that it was ever masked of, in order."""
    return tuple(match["kind"] for match in MASK.finditer(text))


def steering(text: str) -> tuple[Finding, ...]:
    """What in ``text`` addresses the reading agent instead of stating a fact, or hides from a person's eye:
    mark-up, and words, which only mark."""
    from memgit.evidence.orders import orders

    shaped = list(_shaped(text, [*MARK_UP, *STEERING_WORDS]))
    told = (span for span in orders(text) if not any(_is_told(span, other) for other in shaped))
    return _placed(text, sorted((*shaped, *told)))


def mark_up(text: str) -> tuple[Finding, ...]:
    """What of that is told by characters and tags alone, whatever the words say: a fact, which may withhold a text."""
    return _placed(text, sorted(_shaped(text, MARK_UP)))


def _shaped(text: str, shapes: Iterable[tuple[str, str, re.RegexFlag]]) -> Iterator[Span]:
    body = " " + text[1:] if text.startswith("\ufeff") else text
    for kind, pattern, flags in shapes:
        for match in re.compile(pattern, flags).finditer(body):
            yield *match.span(), kind


def is_read_as_text(path: str, data: bytes) -> bool:
    """Whether an agent may take a store's file for text: by its name it is a memory or the index, or it is no picture,
    archive, database or other litter of programs."""
    name = path.rpartition("/")[2]
    if name.endswith(".md") and not name.startswith("."):
        return True
    head = data[:_HEAD]
    return b"\0" not in head and head.decode("utf-8", "replace").count("\ufffd") * 20 <= len(head)


_HEAD = 8_000


def printable(text: str) -> str:
    r"""``text`` safe for a terminal or a commit message.

    Control, direction and hidden characters become visible escapes (``\x1b``, ``\u202e``), lone
    surrogates U+FFFD. Newline and tab stay, CRLF becomes LF.
    """
    return _UNPRINTABLE.sub(_escape, _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n")))


def printable_name(name: str) -> str:
    r"""A file's name, safe like ``printable`` and on one line: a line feed or tab in it is shown as an escape."""
    return printable(name).replace("\n", "\\n").replace("\t", "\\t")


def masked_name(name: str) -> str:
    """A file's name for people: as ``printable_name`` gives it, and a secret in it by its kind alone."""
    return printable_name(mask(name).text)


def printable_json(document: str) -> str:
    r"""JSON text of the same value, in which what ``printable`` escapes is a JSON escape (``\u001b``, ``\udcff``)."""
    return _UNWRITABLE.sub(lambda match: json.dumps(match[0])[1:-1], document)


def whole(text: str) -> str:
    """``text`` as valid Unicode: lone surrogates become U+FFFD, everything else stays."""
    return _SURROGATE.sub("\ufffd", text)


_SURROGATE = re.compile("[\ud800-\udfff]")
_UNPRINTABLE = re.compile(f"[\r{CONTROL}{BIDI}{HIDDEN}\u2028\u2029]")
_UNWRITABLE = re.compile(f"[\ud800-\udfff{CONTROL}{BIDI}{HIDDEN}\u2028\u2029]")


def _secret(text: str) -> Iterable[Span]:
    from memgit.evidence.secret_search import secret_spans  # here: most who look in here only print

    return secret_spans(text)


def _personal(text: str) -> Iterator[Span]:
    from memgit.evidence.secret_shapes import PERSONAL

    lowered = text.lower()
    for shape in PERSONAL:
        if any(gate in lowered for gate in shape.gates):
            yield from shape.spans(text, range(0, len(text), shape.after))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _disjoint(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; of two that overlap, one spanning both with the first's kind, so that nothing leaks."""
    kept: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if kept and start < kept[-1][1]:
            first, last, name = kept[-1]
            kept[-1] = (first, max(last, end), name)
        else:
            kept.append((start, end, kind))
    return kept


def _is_told(span: Span, other: Span) -> bool:
    """Whether another span of the same kind stands at the same place."""
    return span[2] == other[2] and span[0] < other[1] and other[0] < span[1]


def _placed(text: str, spans: Iterable[Span]) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    line, at = 1, 0
    for start, end, kind in spans:
        line += text.count("\n", at, start)
        at = start
        findings.append(Finding(kind, line, start, end))
    return tuple(findings)
