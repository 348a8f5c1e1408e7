"""The answers of a review as the reply that says the same to ``memgit approve``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memgit.errors import BadReply
from memgit.model.decision import Approval
from memgit.rulings.approval import Choice, Clause, Ruling, Span, parse, render


def reply(given: Mapping[str, Ruling]) -> str:
    """A reply that gives these rulings; empty where there is nothing to say. A reason that would itself be read as a
    clause is left out."""
    clauses = tuple(_clauses(given))
    told = "; ".join(render([clause]) if _is_read_back(clause) else render([_bare(clause)]) for clause in clauses)
    edits = [render([_one(name, ruling)]) for name, ruling in given.items() if _is_edit(ruling)]
    return "\n".join(filter(None, (told, *edits)))


def _clauses(given: Mapping[str, Ruling]) -> Iterator[Clause]:
    for verdict in (Approval.APPROVED, Approval.DEFERRED):
        plain = [name for name, ruling in given.items() if ruling.verdict is verdict and not _is_edit(ruling)]
        if plain:
            yield Clause(verdict, Choice(tuple(map(_span, sorted(plain, key=_number)))))
    yield from (_one(name, ruling) for name, ruling in given.items() if ruling.verdict is Approval.REJECTED)


def _is_edit(ruling: Ruling) -> bool:
    return ruling.verdict is Approval.APPROVED and bool(ruling.edit)


def _one(name: str, ruling: Ruling) -> Clause:
    edit = ruling.edit if _is_edit(ruling) else ""
    return Clause(ruling.verdict, Choice((_span(name),)), edit=edit, reason=ruling.reason)


def _span(name: str) -> Span:
    return Span(_number(name), _number(name))


def _number(name: str) -> int:
    return int(name[1:])


def _bare(clause: Clause) -> Clause:
    return Clause(clause.verdict, clause.choice)


def _is_read_back(clause: Clause) -> bool:
    try:
        return parse(render([clause])) == (clause,)
    except BadReply:
        return False
