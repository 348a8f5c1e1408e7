"""What a line of code or configuration defines a name to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memgit.core.decisions.contradictions import environments
from memgit.core.text.quantities import Quantity, expression
from memgit.model.verification import Line

_VALUE = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s,;#)\]}<]+)(?P<rest>[^\n]*)"
_TYPE = r"(?:\s*:\s*[\w.<>\[\]| ]+?(?=\s*=))?"
_NOT_A_VALUE = re.compile(r"\s*[-+*/<>&|(]")
_STATEMENT = re.compile(r"\s*(?:;|//|#|/\*|,?\s*$)")
_CALCULATED = re.compile(r"[\w.:]+\s*(?:\([^()\n]*\)|\{[^{}\n]*\}|(?:\s*\*\s*[\w.]+)+)")
_PROSE = re.compile(
    r"(?<!CMakeLists)(?<!/requirements)\.(?:md|mdx|mdc|rst|adoc|txt|lock|svg|csv|tsv)$|(?:^|/)(?:CHANGELOG|HISTORY|NEWS)[^/]*$|-lock\.\w+$"
)
_TRIAL = re.compile(
    r"(?:^|/)(?:tests?|specs?|fixtures?|examples?|testdata|__tests__|mocks?)/|[._-](?:test|spec)\.|(?:^|/)test_"
)


def is_trial(path: str) -> bool:
    """Whether a file tries things out: what it sets says nothing of how things are."""
    return bool(_TRIAL.search(path))


@dataclass(frozen=True, slots=True)
class Definition:
    """One amount that the tree gives to a name, and the line that does."""

    name: str
    amount: Quantity
    line: Line

    @property
    def counts(self) -> bool:
        """Whether it says how things are: documents repeat, and tests try values out."""
        return not (_PROSE.search(self.line.path) or is_trial(self.line.path))

    @property
    def environments(self) -> frozenset[str]:
        """The environments that its place or its line names."""
        return environments(re.sub(r"[_/.\-]", " ", f"{self.line.path} {self.line.text}"))


def definitions(name: str, lines: Iterable[Line]) -> Iterator[Definition]:
    """What these lines define ``name`` to be: assigned (``NAME = 3``, ``name: 3``, ``"name": "3"``, ``NAME{3}``), by
    ``#define``, ``set()`` or an XML element, or as the default of a lookup (``getenv("NAME", "3")``, ``${NAME:-3}``,
    ``env.NAME || 3``), of an option (``add_argument("--name", default=3)``) or where the option is given
    (``--name 3``)."""
    for line in lines:
        amount = next(filter(None, _amounts(name, line.text)), None)
        if amount:
            yield Definition(name, amount, line)


def _amounts(name: str, text: str) -> Iterator[Quantity | None]:
    """What the first shape that fits says, if it is an amount."""
    found = next((match for shape in _shapes(name) if (match := shape.search(text))), None)
    if found is None:
        return
    whole = f"{found['value']}{found['rest']}"
    if (sum_ := _CALCULATED.match(whole)) and _STATEMENT.match(whole[sum_.end() :]):
        yield expression(sum_[0], name)
    if not _NOT_A_VALUE.match(found["rest"]):
        yield expression(found["value"].rstrip(".").strip("\"'"), name)


@lru_cache(maxsize=4096)
def _shapes(name: str) -> tuple[re.Pattern[str], ...]:
    word = re.escape(name)
    if name.startswith("-"):
        shapes: tuple[str, ...] = (
            rf"[\"']{word}[\"'][^\n]*?\bdefault(?:_value(?:_t)?)?\s*[=:(]\s*{_VALUE}",
            rf"(?<![\w-]){word}(?:\s+|=|[\"'],\s*){_VALUE}",
        )
    else:
        shapes = (
            rf"(?<![\w.$-])[\"']?{word}[\"']?{_TYPE}\s*(?::=|=>|\?=|=(?!=)|:(?![:/])|\?\?=)\s*{_VALUE}",
            rf"#\s*define\s+{word}\s+\(?{_VALUE}",
            rf"[\"']{word}[\"']\s*,\s*{_VALUE}",
            rf"\$\{{{word}:[-=]?(?P<value>[^}}\n]+)(?P<rest>)\}}",
            rf"(?<![\w.])(?:\w+\.)*{word}[\"']?[\])]*\s*(?:\|\||\?\?)\s*{_VALUE}",
            rf"<{word}>\s*(?P<value>[^<\n]+?)(?P<rest>)\s*<",
            rf"(?<![\w-])(?:set|SET)\(\s*{word}\s+(?P<value>[^\s)]+)(?P<rest>)",
            rf"(?<!\w)-D{word}=(?P<value>[^\s\"']+)(?P<rest>)",
            rf"\b{word}\s*\{{\s*(?P<value>\d[\w.]*)(?P<rest>)\s*\}}",
            rf"^\s*{word}[ \t]+(?P<value>\d[\w.]*)(?P<rest>)\s*;?\s*$",
        )
    return tuple(re.compile(shape) for shape in shapes)
