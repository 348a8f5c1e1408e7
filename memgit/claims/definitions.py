"""What a line of code or configuration defines a name to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memgit.claims.sources import defines
from memgit.model.verification import Line
from memgit.text.amounts import Amount, value_in_code

_COMMENT = re.compile(r"\s(?://|#|/\*|--\s).*$|;\s*$")
_IS_COMMENT = re.compile(r"\s*(?://|#(?!\s*define)|/?\*|--\s|;|<!--|\"\"\"|''')")
_DIGIT = re.compile(r"\d")
_DECLARES = (
    r"(?:def|class|func|function|fn|fun|const|let|var|val|struct|enum|interface|type|trait|mod|module|macro|record|object"
    r"|sub|proc|defmodule|defp?|protocol|extension|namespace|define|static|final|public|private|export|abstract|async"
    r"|table|view|resource|variable|service|message|rpc|void|int|bool|string|float|double)"
)
_QUOTED = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\n]*?)"


@dataclass(frozen=True, slots=True)
class Definition:
    """One amount that the tree gives to a name, and the line that does. ``is_fallback`` where it only counts when
    nobody sets another."""

    name: str
    amount: Amount
    line: Line
    is_fallback: bool = False

    @property
    def counts(self) -> bool:
        """Whether it says how things are, so that another value is another."""
        return defines(self.line.path) and not self.is_fallback


def definitions(name: str, lines: Iterable[Line]) -> Iterator[Definition]:
    """What these lines set ``name`` to: where a statement, a key of configuration or a macro begins with it, where an
    option is given (``--name 3``), or as what holds where nobody sets it (``getenv("NAME", "3")``)."""
    for line in lines:
        if _IS_COMMENT.match(line.text) or not _DIGIT.search(line.text):
            continue
        for shape, is_fallback in _shapes(name):
            found = shape.search(line.text)
            value = _COMMENT.sub("", f" {found['value']}").strip(" ,;") if found else ""
            if value and (amount := value_in_code(value, name)):
                yield Definition(name, amount, line, is_fallback)
                break


def declares(name: str, text: str) -> bool:
    """Whether a line of code declares or sets a name; of an option, whether it stands there as a string of its own."""
    if name.startswith("-"):
        return re.search(rf"[\"'|({re.escape(',')}\s]{re.escape(name)}[\"'|),]", text) is not None
    return not _IS_COMMENT.match(text) and _declared(name).search(text) is not None


def defined_in(name: str, lines: Iterable[Line]) -> Line | None:
    """The first line that declares or sets a name, in a file that may say how things are."""
    shape = _declared(name)
    return next(
        (one for one in lines if defines(one.path) and not _IS_COMMENT.match(one.text) and shape.search(one.text)), None
    )


@lru_cache(maxsize=4096)
def _declared(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"\b{_DECLARES}\s+(?:[\w<>\[\],*&:.()]+\s+){{0,3}}[*&(]?(?:\w+[.:)]+\s*)?{word}(?![\w-])"
        rf"|^\s*[\w@.\"'\[*& <>,:-]*?(?<![\w-])[\"']?{word}[\"']?\s*(?:=(?!=)|:=|:(?!:)|\([^()]*\)\s*[{{:])"
    )


@lru_cache(maxsize=4096)
def _shapes(name: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    word = re.escape(name)
    if name.startswith("-"):
        return (
            (
                re.compile(rf"[\"']{word}[\"'][^\n]*?\bdefault(?:_value(?:_t)?)?\s*[=:(]\s*(?P<value>[\"']?[\w.%-]+)"),
                True,
            ),
            (re.compile(rf"(?<![\w-]){word}(?:\s+|=|[\"'],\s*)(?P<value>[\"']?\d[\w.%]*)"), False),
        )
    return (
        (re.compile(rf"#\s*define\s+{word}\s+\(?{_QUOTED}\)?\s*(?://.*|/\*.*)?$"), False),
        (
            re.compile(
                rf"^\s*(?:-\s+|(?:[\w.<>*&\[\]]+\s+){{0,6}})[\"'\[]?(?:\w+\.)*{word}[\"'\]]?"
                rf"(?:\s*:\s*[\w.<>\[\]| ]+?(?=\s*=))?"
                rf"\s*(?::=|=>|\?=|=(?!=)|:(?![:/]))\s*{_QUOTED}\s*[,;]?\s*(?:(?://|#|/\*|--\s).*)?$"
            ),
            False,
        ),
        (re.compile(rf"[{{,(]\s*[\"']?{word}[\"']?\s*[:=]\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.%]+)"), False),
        (re.compile(rf"(?<![\w-])(?:set|SET)\(\s*{word}\s+(?P<value>[^\s)]+)"), False),
        (re.compile(rf"(?<!\w)-D{word}=(?P<value>[^\s\"']+)"), False),
        (re.compile(rf"<{word}>\s*(?P<value>[^<\n]+?)\s*<"), False),
        (re.compile(rf"\b{word}\s*\{{\s*(?P<value>\d[\w.]*)\s*\}}"), False),
        (re.compile(rf"^\s*{word}[ \t]+(?P<value>\d[\w.]*)\s*;?\s*$"), False),
        (re.compile(rf"[\"']{word}[\"']\s*,\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.]+)"), True),
        (re.compile(rf"\$\{{{word}:[-=]?(?P<value>[^}}\n]+)\}}"), True),
        (
            re.compile(
                rf"(?<![\w.])(?:\w+\.)*{word}[\"']?[\])]*\s*(?:\|\||\?\?)\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.]+)"
            ),
            True,
        ),
    )
