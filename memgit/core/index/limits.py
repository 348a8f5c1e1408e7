"""How much of an index the agent reads, as measured on its client: 200 lines and 25,000 UTF-16 units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memgit.core.index.lines import parse_index, placed_lines
from memgit.text.markdown import Region

LINE_LIMIT = 200
UNIT_LIMIT = 25_000
"""UTF-16 code units, not bytes: the client counts the length of a JavaScript string."""


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """What the agent loads of an index.

    ``lines`` and ``units`` are counted as the client does, after frontmatter and whole-line comments
    are taken out and the rest is trimmed; ``loaded`` lines of them reach the model. ``lost`` are the
    texts of the others (blank ones left out), ``lost_targets`` the files that they point to.
    """

    lines: int
    units: int
    loaded: int
    lost: tuple[str, ...] = ()
    lost_targets: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        return self.lines > LINE_LIMIT or self.units > UNIT_LIMIT

    @property
    def remedy(self) -> str:
        """What helps against the limit that binds: shorter lines are as many as before."""
        fewer = "Fewer lines help: merge or drop memories (`memgit prune`), or list several on a page of their own."
        shorter = "Shorten the hooks of its longest lines."
        helps = [fewer] if self.lines > LINE_LIMIT else []
        return " ".join([*helps, *([shorter] if self.units > UNIT_LIMIT else [])])

    @property
    def used(self) -> float:
        """The fuller of the two limits, 1.0 being full."""
        return max(self.lines / LINE_LIMIT, self.units / UNIT_LIMIT)


def limits(data: bytes) -> IndexLimits:
    """Measure an index. A cut falls after the last whole line that fits both limits."""
    seen = _as_read(data)
    loaded = _loaded(seen)
    lost = "\n".join(seen[loaded:])
    pointers = (pointer for line in parse_index(_bytes(lost)) for pointer in line.pointers)
    return IndexLimits(
        lines=len(seen),
        units=_units("\n".join(seen)),
        loaded=loaded,
        lost=tuple(line.strip() for line in seen[loaded:] if line.strip()),
        lost_targets=tuple(dict.fromkeys(pointer.target for pointer in pointers)),
    )


def extent(data: bytes) -> tuple[int, int]:
    """Lines and UTF-16 units of an index, as ``limits`` counts them."""
    seen = _as_read(data)
    return len(seen), _units("\n".join(seen))


def _as_read(data: bytes) -> Sequence[str]:
    """The lines that the client counts."""
    kept = (text for _, text, region in placed_lines(data) if region in (Region.TEXT, Region.CODE))
    text = "\n".join(_bytes(line).decode("utf-8", "replace") for line in kept).strip()
    return text.split("\n") if text else ()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _loaded(lines: Sequence[str]) -> int:
    return sum(1 for units in _running_units(lines[:LINE_LIMIT]) if units <= UNIT_LIMIT)


def _running_units(lines: Sequence[str]) -> Iterator[int]:
    """The length of the text up to and with each line."""
    total = -1
    for line in lines:
        total += 1 + _units(line)
        yield total


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
