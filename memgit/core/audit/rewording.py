"""The exact text that a memory would have: a path as it is now, a number as the tree has it, nothing else touched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memgit.core.audit.figures import Contradiction
from memgit.core.text.paragraphs import parts
from memgit.core.text.quantities import Quantity, in_unit_of
from memgit.model.decision import Draft

_NEXT_WORD = re.compile(r"[\s-]*([A-Za-zµ%]{1,20})")
_ALIKE = 4  # letters in which two forms of one unit agree (minute, minutes)


def moved(draft: Draft, old: str, new: str) -> Draft:
    """The draft with a path replaced wherever it stands whole, in history too: it is the same file."""
    shape = re.compile(rf"(?<![\w./-]){re.escape(old)}(?![\w-]|/\w|\.\w)")
    return replace(
        draft, body=shape.sub(lambda _: new, draft.body), description=shape.sub(lambda _: new, draft.description)
    )


def reworded(draft: Draft, old: str, new: str) -> Draft:
    """The draft with a value in other words wherever it is told as present."""
    shape = re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.\w)")
    change = _with(shape, new)
    return replace(draft, body=_in_present(draft.body, change), description=change(draft.description))


def _with(shape: re.Pattern[str], new: str) -> Callable[[str], str]:
    return lambda text: shape.sub(lambda _: new, text)


def corrected(draft: Draft, figure: Contradiction) -> Draft:
    """The draft with an amount as the tree defines it: in the sentence that gives it, and wherever else the same amount
    of the same thing is told as present."""
    change = _replacer(figure)
    return replace(draft, body=_in_present(draft.body, change), description=change(draft.description))


def _replacer(figure: Contradiction) -> Callable[[str], str]:
    wrong, right = _written(figure.wrong), in_unit_of(figure.definition.amount, figure.wrong)
    number = re.compile(rf"(?<![\w.,]){re.escape(wrong)}(?![.,]?\d)(?P<unit>[\s-]*[A-Za-zµ%]{{0,20}})", re.IGNORECASE)
    unit = _unit_behind(figure.figure.sentence, wrong)

    def change(match: re.Match[str]) -> str:
        same = figure.wrong.is_version or _same_unit(match["unit"], unit)
        return right + match["unit"] if same else match[0]

    return lambda text: number.sub(change, text)


def _written(amount: Quantity) -> str:
    """The number of an amount as the memory writes it, without its unit."""
    found = re.match(r"[\d.,_:]*\d|\w+", amount.text)
    return found[0] if found else amount.text


def _unit_behind(sentence: str, number: str) -> str:
    at = re.search(rf"(?<![\w.,]){re.escape(number)}(?![.,]?\d)", sentence, re.IGNORECASE)
    following = _NEXT_WORD.match(sentence, at.end()) if at else None
    return following[1] if following else ""


def _same_unit(one: str, other: str) -> bool:
    here, there = one.strip(" -\t\n").lower(), other.lower()
    return here[:_ALIKE] == there[:_ALIKE]


def _in_present(body: str, change: Callable[[str], str]) -> str:
    """The body with all parts changed that do not tell why things are so."""
    pieces, end = [], 0
    for part in parts(body):
        at = part.start
        pieces += [body[end:at], part.text if part.is_history else change(part.text)]
        end = at + len(part.text)
    return "".join((*pieces, body[end:]))
