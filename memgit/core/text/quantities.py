"""Amounts with their units, in prose and in code, so that ``15 minutes`` and ``900s`` are the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from memgit.core.text.details import Detail, DetailKind, details

_SECONDS = {"ms": 0.001, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 604_800.0}
_BYTES = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
_LITERAL = re.compile(r"[\^~<>=v\s]*(?P<number>\d[\d_]*(?:\.\d+)*)\s*(?P<unit>%|[A-Za-z]{1,12})?")
_LEAST = re.compile(r"\s*>=")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount. ``unit`` is a measure (``minute``, ``MB``, ``percent``), a counted thing, or empty; ``text`` is as
    written. ``is_least`` marks a lower bound (``>=3.9``)."""

    value: str
    unit: str
    text: str
    is_least: bool = False

    @property
    def dimension(self) -> str:
        """What is measured: ``time``, ``size``, ``percent``; empty for counts, versions and bare numbers."""
        if self.unit in _SECONDS:
            return "time"
        return "size" if self.unit in _BYTES else "percent" if self.unit == "percent" else ""

    @property
    def is_version(self) -> bool:
        return self.value.count(".") >= 1 and not self.dimension

    def equals(self, other: Quantity) -> bool:
        """Whether both may be one amount. Versions agree as far as both are given, and a lower bound allows more."""
        if self.is_version or other.is_version:
            return _same_version(self, other)
        if self.dimension and self.dimension == other.dimension:
            return abs(_absolute(self) - _absolute(other)) < 1e-9 * max(1.0, _absolute(self))
        return _number(self.value) == _number(other.value) and self.could_be(other)

    def agrees_as_version(self, other: Quantity) -> bool:
        """Whether both may be one version: they agree as far as both are given, and a lower bound allows more."""
        return _same_version(self, other)

    def could_be(self, other: Quantity) -> bool:
        """Whether both could be amounts of one thing: a measure stands against the same measure, or a bare number."""
        if self.dimension == other.dimension:
            return True
        return not (self.unit if other.dimension else other.unit)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The amounts in prose; dates are none."""
    kinds = (DetailKind.NUMBER, DetailKind.VERSION)
    return tuple(_of(detail) for detail in details(text) if detail.kind in kinds)


def _of(detail: Detail) -> Quantity:
    return Quantity(detail.value, detail.unit, detail.text)


def literal(value: str, name: str = "") -> Quantity | None:
    """The amount that a value in code or configuration is, if it is nothing but one. Its unit is written behind it, or
    is the last word of the setting's ``name`` (``DEPLOY_WINDOW_MINUTES``)."""
    found = _LITERAL.fullmatch(value.strip().strip("\"'"))
    if found is None:
        return None
    written = found["number"] + (found["unit"] or "")
    unit = _unit(f"1 {found['unit']}") if found["unit"] else _unit_of(name)
    if found["unit"] and unit not in (*_SECONDS, *_BYTES, "percent"):
        unit = ""
    return Quantity(found["number"].replace("_", ""), unit, written, bool(_LEAST.match(value.strip().strip("\"'"))))


_TIME_UNIT = r"(?P<unit>millis(?:econds?)?|milliseconds?|ms|seconds?|secs|minutes?|mins|hours?|days?)"
_NUMBER = r"(?P<number>\d[\d_]*(?:\.\d+)?)"
_EXPRESSIONS = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"[\w.:]*?(?:of|from_|in_|_|::|\.|\(|\b){_TIME_UNIT}\s*[=({{]\s*{_NUMBER}\s*[)}}]+",  # timedelta(minutes=30)
        rf"{_NUMBER}\s*\*\s*time\.{_TIME_UNIT}",  # 30 * time.Second
        rf"time\.{_TIME_UNIT}\s*\*\s*{_NUMBER}",
        rf"{_NUMBER}\.{_TIME_UNIT}(?:\(\))?",  # 30.minutes
    )
)
_FACTORS = re.compile(r"\d[\d_]*(?:\s*\*\s*\d[\d_]*)+")


def expression(value: str, name: str = "") -> Quantity | None:
    """The amount that a short calculation in code comes to: a length of time made of a number and a unit
    (``30 * time.Second``, ``Duration::from_millis(250)``), or a product of numbers; else as `literal`."""
    text = value.strip()
    if found := next((match for shape in _EXPRESSIONS if (match := shape.fullmatch(text))), None):
        unit = "ms" if found["unit"].lower().startswith("mil") else found["unit"]
        return Quantity(found["number"].replace("_", ""), _unit(f"1 {unit}"), text)
    if _FACTORS.fullmatch(text):
        return Quantity(str(prod(int(factor.replace("_", "")) for factor in text.split("*"))), _unit_of(name), text)
    return literal(text, name)


def _unit_of(name: str) -> str:
    words = [word.lower() for word in _WORDS.findall(name)]
    unit = _unit(f"1 {words[-1]}") if len(words) > 1 else ""
    return unit if unit in (*_SECONDS, *_BYTES, "percent") else ""


def _unit(text: str) -> str:
    return next((detail.unit for detail in details(text) if detail.kind is DetailKind.NUMBER), "")


def _absolute(quantity: Quantity) -> float:
    return _number(quantity.value) * (_SECONDS | _BYTES).get(quantity.unit, 1.0)


def _number(value: str) -> float:
    try:
        return float(value.replace(",", "."))
    except ValueError:
        return float("nan")


def _same_version(one: Quantity, other: Quantity) -> bool:
    here, there = (tuple(int(part) for part in re.findall(r"\d+", each.value)) for each in (one, other))
    common = min(len(here), len(there))
    if here[:common] == there[:common]:
        return True
    return (one.is_least and there > here) or (other.is_least and here > there)


def in_unit_of(amount: Quantity, other: Quantity) -> str:
    """The number of an amount as it is told in another one's unit, a version as far as the other is given; as written
    where that is no whole number."""
    if amount.is_version and "." not in amount.text.removeprefix(amount.value):
        return ".".join(amount.value.split(".")[: other.value.count(".") + 1])
    if amount.dimension and amount.dimension == other.dimension and amount.unit != other.unit:
        told = _absolute(amount) / (_SECONDS | _BYTES).get(other.unit, 1.0)
        return f"{told:.0f}" if abs(told - round(told)) < 1e-9 else amount.text
    return amount.value
