"""Versions that memories give to products, against the manifests of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memgit.core.audit.figures import Agreement, Contradiction, Figure, is_of_now_and_here
from memgit.core.text.paragraphs import present
from memgit.core.text.quantities import Quantity
from memgit.core.verification.definitions import Definition
from memgit.core.verification.manifests import product
from memgit.model.store import Memory

_NAMED = re.compile(
    r"(?<![\w/.-])`?(?P<name>[A-Za-z][\w+#.-]{1,20}?)`?(?: version)? v?(?P<version>\d+(?:\.\d+){0,3})"
    r"(?![\w%]|\.\d|-\w| ?%)"
)
_A_MACHINE = re.compile(r"\b(?:clusters?|drain\w*|replicas?|pods?|hosts?|shards?|labels?)\b", re.IGNORECASE)
_AN_OCCASION = re.compile(r"^(?:On|With|In|Under|For)\s+\S+ \d")
"""A sentence that begins like this tells how things are on one version, not that it is the project's."""

_TOLD_AS_SO = re.compile(
    r"\b(?:is|are|runs?|running|on|uses?|using|requires?|needs?|pinned|built|builds?|targets?|stays?|minimum|with|we)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Versions:
    """What the manifests of a project say, ready to be asked."""

    defined: tuple[Definition, ...]

    def judge(self, memory: Memory) -> tuple[Agreement | Contradiction, ...]:
        """What they say of each version that a memory gives as how things are; nothing where they disagree."""
        return tuple(verdict for figure in _figures(memory) if (verdict := self._judged(figure)))

    def _judged(self, figure: Figure) -> Agreement | Contradiction | None:
        found = [one for one in self.defined if one.name == figure.name]
        claimed = figure.amounts[0]
        if agreeing := next((one for one in found if claimed.agrees_as_version(one.amount)), None):
            return Agreement(figure, agreeing)
        if not found or any(not one.amount.agrees_as_version(found[0].amount) for one in found):
            return None
        return Contradiction(figure, claimed, found[0])


def _figures(memory: Memory) -> Iterator[Figure]:
    for sentence in present(memory):
        named = tuple(_NAMED.finditer(sentence))
        if not named or not _TOLD_AS_SO.search(sentence) or _AN_OCCASION.match(sentence):
            continue
        for match in named if is_of_now_and_here(sentence) else ():
            if product(match["name"]) == "node" and _A_MACHINE.search(sentence):
                continue
            yield Figure(product(match["name"]), (_version(match["version"]),), sentence, is_version=True)


def _version(text: str) -> Quantity:
    return Quantity(text, "", text)
