"""Whether finding what a memory names also confirms what it says of it.

A file that is there confirms where something is. It does not confirm that the suite in it takes 45 minutes: where the
sentence gives an amount, the file must have it as well. And that the name of some thing (a service, a channel) occurs
somewhere says only that there is such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memgit.core.text.paragraphs import present
from memgit.core.text.quantities import quantities
from memgit.model.store import Memory
from memgit.model.verification import SpanCheck, SpanKind

_PLAIN_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACES = frozenset({SpanKind.FILE, SpanKind.DIRECTORY, SpanKind.PATH})
_POINTS_BACK = re.compile(
    r"(?:it|this|that|they|the value|the number|the setting)(?:'s|\s+(?:is|are|lives?|stands?|comes?))\b", re.I
)
_SPAN = re.compile(r"`[^`\n]+`")


def confirms(memory: Memory, span: SpanCheck, texts: Mapping[str, str]) -> bool:
    """Whether a found span confirms a sentence about the present. ``texts`` are those of the files it was found in."""
    path = place(span)
    if path is None:
        return False
    plain = span.kind is SpanKind.IDENTIFIER and bool(_PLAIN_NAME.fullmatch(span.span))
    if not plain and span.kind not in _PLACES:
        return True
    for sentence in told(present(memory)):
        if span.span not in sentence:
            continue
        amounts = [amount.value for amount in quantities(_SPAN.sub(" ", sentence))]
        if any(_has(texts.get(path, ""), amount) for amount in amounts) or not (amounts or plain):
            return True
    return False


def place(span: SpanCheck) -> str | None:
    """The file that a span was found in."""
    return re.sub(r":\d+$", "", span.where) if span.where else None


def told(sentences: tuple[str, ...]) -> Iterator[str]:
    """Sentences; one that only points back (``It is `NAME` in …``) together with the one before it."""
    for before, sentence in zip(("", *sentences), sentences, strict=False):
        yield f"{before} {sentence}" if before and _POINTS_BACK.match(sentence) else sentence


def _has(text: str, amount: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(amount)}(?![\d]|\.\d)", text.replace("_", "")) is not None
