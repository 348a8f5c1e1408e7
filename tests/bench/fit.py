"""Fits every weight in memgit on the labelled projects, and prints what the weights are worth on projects they were not
fitted on: each project in turn is left out.

python -m tests.bench fit            print the figures
python -m tests.bench fit --write    and write the weights of all projects where memgit reads them
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import memgit.likeness.models
from memgit.likeness.models import Logistic
from memgit.miners.offline.miner import numbers_about
from memgit.miners.offline.nominate import measured, statements
from memgit.model.history import PassKind
from memgit.rulings.case import open_case
from memgit.rulings.facts import misshapen
from memgit.rulings.settle import looked_up
from memgit.rulings.signs import signs
from memgit.rulings.told_twice import measured_pairs
from tests.bench.labelled import Project, is_wanted, projects
from tests.bench.logistic import fit

PACKAGE = Path(memgit.__file__).parent
MARKED = 0.24
"""Share of right proposals that may lie above the border by how their evidence reads; those of them are marked of which
something can be told."""

SHRINK = {"said": 20.0, "merge": 8.0, "statement": 20.0, "about": 10.0, "pair": 3.0}

ORDINARY = 150
"""Rows of a project that count in full: a long history is not worth ten short ones."""

EVEN = frozenset({"said", "merge"})
"""Models whose classes are weighed evenly, for a border is read off them; the others give chances as they are."""


@dataclass(frozen=True)
class Row:
    """One labelled thing: its project, its numbers, and whether it is what is looked for."""

    project: str
    numbers: Mapping[str, float]
    wanted: bool


def proposals_read(of: Sequence[Project]) -> dict[str, list[Row]]:
    """Hosts' proposals by their signs; wanted are the wrong ones."""
    rows: dict[str, list[Row]] = {"said": [], "merge": []}
    for project in of:
        case = open_case(PassKind.CURATE, project.memories, project.digests)
        for offer in project.offers:
            if misshapen(offer.proposal, case):
                continue
            name, found = signs(looked_up(offer.proposal, case), case)
            if name:
                rows[name].append(Row(project.name, {sign.name: sign.value for sign in found}, not offer.right))
    return rows


def statements_read(of: Sequence[Project]) -> list[Row]:
    """What people typed, by its numbers; wanted is what a right decision rests on."""
    rows: list[Row] = []
    for project in of:
        said = tuple(statements(project.messages))
        for statement, numbers, _, _ in measured(said, project.memories):
            wanted = is_wanted(statement.message.session, statement.text, project.truth)
            rows.append(Row(project.name, numbers, wanted))
    return rows


def targets_read(of: Sequence[Project]) -> list[Row]:
    """Statements that a right decision rests on, by how near they are to the nearest memory; wanted are those that
    change it, and not another one or none."""
    rows: list[Row] = []
    for project in of:
        by_id = {memory.id: memory for memory in project.memories}
        said = tuple(statements(project.messages))
        for statement, _, near, _ in measured(said, project.memories):
            mine = [one for one in project.truth if is_wanted(statement.message.session, statement.text, [one])]
            if near and mine:
                targets = {one.get("memory") for one in mine}
                numbers = numbers_about(statement, near, by_id)
                rows.append(Row(project.name, numbers, near[0].memory in targets))
    return rows


def pairs_read(of: Sequence[Project]) -> list[Row]:
    """Pairs of memories by what tells them apart; wanted are those that teach one lesson."""
    rows: list[Row] = []
    for project in of:
        lessons = [set(one["memories"]) for one in project.truth if one["kind"] == "merge"]
        for pair, numbers in measured_pairs(project.memories):
            rows.append(Row(project.name, numbers, any({pair.one, pair.other} <= lesson for lesson in lessons)))
    return rows


def fitted(name: str, rows: Sequence[Row]) -> Logistic:
    """The model of this name on these rows, with its border."""
    numbers, wanted = [row.numbers for row in rows], [row.wanted for row in rows]
    if name not in EVEN:
        of = Counter(row.project for row in rows)
        counts = [min(1.0, ORDINARY / of[row.project]) for row in rows]
        return fit(numbers, wanted, SHRINK[name], evenly=False, counts=counts)
    model = fit(numbers, wanted, SHRINK[name])
    return replace(model, border=border([model.chance(each) for each in numbers], rows, MARKED))


def without(name: str, rows: Sequence[Row], project: str) -> Logistic:
    """The same, fitted on all projects but one."""
    return fitted(name, [row for row in rows if row.project != project])


def left_out(name: str, rows: Sequence[Row]) -> list[float]:
    """The chance of each row by a model fitted on the other projects."""
    models = {project: without(name, rows, project) for project in dict.fromkeys(row.project for row in rows)}
    return [models[row.project].chance(row.numbers) for row in rows]


def border(chances: Sequence[float], rows: Sequence[Row], share: float) -> float:
    """The chance above which just a share of the rows lies that are not wanted."""
    plain = sorted((chance for chance, row in zip(chances, rows, strict=True) if not row.wanted), reverse=True)
    return plain[min(len(plain) - 1, int(share * len(plain)))] if plain else 1.0


def area(chances: Sequence[float], rows: Sequence[Row]) -> float:
    """How often a wanted row has a higher chance than one that is not."""
    yes = [chance for chance, row in zip(chances, rows, strict=True) if row.wanted]
    no = [chance for chance, row in zip(chances, rows, strict=True) if not row.wanted]
    better = sum((one > other) + (one == other) / 2 for one in yes for other in no)
    return better / (len(yes) * len(no)) if yes and no else float("nan")


def everything(of: Sequence[Project]) -> dict[str, list[Row]]:
    """The rows of every model, by its name."""
    return {
        **proposals_read(of),
        "statement": statements_read(of),
        "about": targets_read(of),
        "pair": pairs_read(of),
    }


@contextmanager
def weighed_by(models: Mapping[str, Logistic]) -> Iterator[None]:
    """Let memgit weigh by other models than the ones that it ships."""
    shipped = memgit.likeness.models.read
    memgit.likeness.models.read = lambda _path: models  # type: ignore[assignment]
    try:
        yield
    finally:
        memgit.likeness.models.read = shipped


def main(arguments: Sequence[str]) -> int:
    read = everything(projects())
    for name, rows in read.items():
        chances = left_out(name, rows)
        limit = border(chances, rows, MARKED)
        wanted = [chance for chance, row in zip(chances, rows, strict=True) if row.wanted]
        hit = sum(chance > limit for chance in wanted) / max(1, len(wanted))
        print(
            f"{name}: {len(rows)} rows, {len(wanted)} wanted; left out, {hit:.0%} of them where {MARKED:.0%} of the "
            f"others; area {area(chances, rows):.2f}"
        )
    if "--write" in arguments:
        models = {name: fitted(name, rows) for name, rows in read.items()}
        _write(PACKAGE / "rulings" / "weights.toml", models, ("said", "merge", "pair"))
        _write(PACKAGE / "miners" / "offline" / "weights.toml", models, ("statement", "about"))
    return 0


def _write(path: Path, models: Mapping[str, Logistic], names: Sequence[str]) -> None:
    lines = ["# Fitted by `python -m tests.bench fit --write` on the labelled projects; never by hand."]
    for name in names:
        lines += ["", f"[{name}]", f"bias = {models[name].bias:.4f}"]
        lines += [f"border = {models[name].border:.4f}"] if name in EVEN else []
        for part, numbers in (("weights", models[name].weights), ("usual", models[name].usual)):
            lines += [f"[{name}.{part}]", *(f"{each} = {number:.4f}" for each, number in numbers.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
