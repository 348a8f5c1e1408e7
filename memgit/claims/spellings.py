"""Other ways to write what a span names, each as good as the span itself when it stands in a file."""

from __future__ import annotations

import re

from memgit.model.verification import SpanKind

_PLAIN_CALL = re.compile(r"([\w.:#$]+!?)\([A-Za-z_,\s*.…&]*\)")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_SETTING = re.compile(r"""(['"]?)([\w.\-]+)\1\s*[=:]\s*(['"]?)([^\s'"]+)\3""")
_OPTION = re.compile(r"(--?[\w.\-]+)[= ](\S+)")
_FAMILY = re.compile(r"([\w.\-]{2,}[_\-.])\*")
_SEPARATORS = ("=", " = ", ": ", ":", '": ', '":', '" = ', "': ", "' => ")
_QUOTES = ("", '"', "'")


def spellings(span: str, kind: SpanKind) -> tuple[str, ...]:
    """The texts any of which shows that what the span names is there; the span itself comes first."""
    return tuple(dict.fromkeys((span, *_others(span, kind))))


def last_part(span: str) -> str | None:
    """The member at the end of a dotted name or call (``Order.total()`` → ``total``): a clue, never a proof."""
    parts = re.split(r"[.:#]+", span.partition("(")[0])
    return parts[-1] if len(parts) > 1 and len(parts[-1]) > 2 else None


def _others(span: str, kind: SpanKind) -> tuple[str, ...]:
    match kind:
        case SpanKind.CALL if found := _PLAIN_CALL.fullmatch(span):
            return (found[1],)
        case SpanKind.ENVIRONMENT if found := _VARIABLE.fullmatch(span):
            return (found[1],)
        case SpanKind.FLAG if found := _OPTION.fullmatch(span):
            return (f"{found[1]}={found[2]}", f"{found[1]} {found[2]}")
        case SpanKind.ENVIRONMENT | SpanKind.TEXT | SpanKind.IDENTIFIER if found := _SETTING.fullmatch(span):
            return _settings(found[2], found[4])
        case SpanKind.IDENTIFIER | SpanKind.TEXT if found := _FAMILY.fullmatch(span):
            return (found[1],)
        case _:
            return ()


def _settings(key: str, value: str) -> tuple[str, ...]:
    """The same key with the same value in the notations of shells, YAML, TOML, JSON and code."""
    return tuple(f"{key}{separator}{quote}{value}{quote}" for separator in _SEPARATORS for quote in _QUOTES)
