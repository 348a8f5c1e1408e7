"""Whether words of an index hold what the change of a memory took away."""

from __future__ import annotations

import re
from functools import lru_cache

from memgit.model.store import Memory
from memgit.text.amounts import Amount, amounts


def outdated(words: str, before: Memory, after: Memory) -> bool:
    """Whether ``words`` hold a word, a number or an amount that a memory told and does not tell any more."""
    here = frozenset(_words(words))
    gone, values = _gone(before, after)
    return bool(here & gone) or any(each.same(value) for each in amounts(words) for value in values)


def old_values(text: str, before: Memory, after: Memory) -> tuple[str, ...]:
    """The amounts of a text that a memory gave before and does not give now, as the text has them; no bare numbers,
    which may count anything."""
    _, values = _gone(before, after)
    return tuple(
        dict.fromkeys(
            each.text for each in amounts(text) if not each.is_bare and any(_alike(each, value) for value in values)
        )
    )


def _alike(one: Amount, other: Amount) -> bool:
    return not other.is_bare and one.same(other)


@lru_cache(maxsize=1_024)
def _gone(before: Memory, after: Memory) -> tuple[frozenset[str], tuple[Amount, ...]]:
    left = frozenset(_words(f"{after.name} {after.text}"))
    held = amounts(after.body)
    values = tuple(value for value in amounts(before.body) if not any(value.same(each) for each in held))
    return frozenset(_words(f"{before.name} {before.text}")) - left, values


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
