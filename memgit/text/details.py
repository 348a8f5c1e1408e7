"""The checkable details of a text: amounts, code spans, links, paths and names. What a change must not lose unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memgit.text.amounts import Amount, amounts

_SPAN = re.compile(r"(?<!`)(?P<tick>`{1,2})(?!`)(?P<it>[^\n]{1,300}?)(?<!`)(?P=tick)(?!`)")
_LINK = re.compile(r"(?P<it>https?://[^\s<>\"')\]]+)")
_MEMORY = re.compile(r"\[\[[^\[\]\n]+\]\]|\]\([^()\n]+\)")
_NAME = re.compile(
    r"(?<![\w/.-])(?P<it>--?[A-Za-z][\w-]+|~/[\w./-]{1,200}|/?[\w.-]{1,200}/[\w./-]{1,200}|[A-Za-z]\w*_\w+"
    r"|[a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z0-9]*|(?![vV]\d+(?!\w))[A-Za-z]+\d\w*|[\w-]{2,}\.[a-z]{1,5})(?![\w-])"
)
_LABEL = re.compile(r"\*\*[^*\n]{1,40}:\*\*")


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that must not get lost: an amount, or (``amount`` is None) what is recognised by its letters."""

    text: str
    amount: Amount | None = None


@lru_cache(maxsize=8_192)
def details(text: str) -> tuple[Detail, ...]:
    """Every checkable detail of a text, each once: first names in code, then amounts. Links to memories are none."""
    rest = _MEMORY.sub(" ¦ ", _LABEL.sub(" ¦ ", text))
    found: dict[str, Detail] = {}
    for pattern in (_SPAN, _LINK, _NAME):
        for match in pattern.finditer(rest):
            named = match["it"].strip().strip(".,;:")
            found.setdefault(named.lower(), Detail(named))
        rest = pattern.sub(" ¦ ", rest)
    return (*found.values(), *(Detail(amount.text, amount) for amount in amounts(rest)))


def missing(wanted: Iterable[Detail], text: str) -> Iterator[Detail]:
    """Those of ``wanted`` that a text does not hold: names by their letters, amounts in whatever unit."""
    folded = " ".join(text.lower().split())
    held = amounts(text)
    for detail in wanted:
        if detail.amount is None:
            if not _stands_in(detail.text, folded):
                yield detail
        elif not any(detail.amount.same(amount) for amount in held) and not _stands_in(detail.text, folded):
            yield detail


def lost(before: Iterable[str], after: str, leaves_out: Iterable[str] = ()) -> tuple[Detail, ...]:
    """Details of the texts ``before`` that ``after`` lacks and that ``leaves_out`` does not name."""
    named = " ¦ ".join(leaves_out)
    gone = {detail.text.lower(): detail for text in before for detail in missing(details(text), after)}
    return tuple(missing(gone.values(), named)) if named else tuple(gone.values())


def _stands_in(told: str, folded: str) -> bool:
    plain = " ".join(told.lower().split())
    return plain in folded and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", folded) is not None
