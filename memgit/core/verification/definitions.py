"""What a line of code or configuration defines a name to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.core.decisions.contradictions import environments
from memgit.core.text.quantities import Quantity, literal
from memgit.model.verification import Line

_VALUE = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s,;#)\]}]+)(?P<rest>[^\n]*)"
_TYPE = r"(?:\s*:\s*[\w.<>\[\]| ]+?(?=\s*=))?"
_NOT_A_VALUE = re.compile(r"\s*[-+*/<>&|(]")
_PROSE = re.compile(
    r"\.(?:md|mdx|mdc|rst|adoc|txt|lock|svg|csv|tsv)$|(?:^|/)(?:CHANGELOG|HISTORY|NEWS)[^/]*$|-lock\.\w+$"
)
_TRIAL = re.compile(
    r"(?:^|/)(?:tests?|specs?|fixtures?|examples?|testdata|__tests__|mocks?)/|[._-](?:test|spec)\.|(?:^|/)test_"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """One amount that the tree gives to a name, and the line that does."""

    name: str
    amount: Quantity
    line: Line

    @property
    def counts(self) -> bool:
        """Whether it says how things are: documents repeat, and tests try values out."""
        return not (_PROSE.search(self.line.path) or _TRIAL.search(self.line.path))

    @property
    def environments(self) -> frozenset[str]:
        """The environments that its place or its line names."""
        return environments(re.sub(r"[_/.\-]", " ", f"{self.line.path} {self.line.text}"))


def definitions(name: str, lines: Iterable[Line]) -> Iterator[Definition]:
    """What these lines define ``name`` to be: assigned (``NAME = 3``, ``name: 3``, ``"name": "3"``), by ``#define``,
    or as the default of a lookup (``getenv("NAME", "3")``, ``${NAME:-3}``)."""
    word = re.escape(name)
    shapes = (
        re.compile(rf"(?<![\w.$-])[\"']?{word}[\"']?{_TYPE}\s*(?::=|=>|\?=|=(?!=)|:(?![:/])|\?\?=)\s*{_VALUE}"),
        re.compile(rf"#\s*define\s+{word}\s+{_VALUE}"),
        re.compile(rf"[\"']{word}[\"']\s*,\s*{_VALUE}"),
        re.compile(rf"\$\{{{word}:[-=]?(?P<value>[^}}\n]+)(?P<rest>)\}}"),
    )
    for line in lines:
        found = next((match for shape in shapes if (match := shape.search(line.text))), None)
        if found is None or _NOT_A_VALUE.match(found["rest"]):
            continue
        amount = literal(found["value"].rstrip("."), name)
        if amount:
            yield Definition(name, amount, line)
