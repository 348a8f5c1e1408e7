"""What a command came to in every store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memgit.console.terminal import answer, lines, say

if TYPE_CHECKING:
    from memgit.flows.check import Checked
    from memgit.flows.desk import Done
    from memgit.flows.every import Did, LeftOut
    from memgit.flows.prune import Pruned
    from memgit.model.passes import Outcome, Plan

T = TypeVar("T")

PARTLY = 3
"""The exit code where something could not be done and the rest was."""


@dataclass(frozen=True)
class Told(Generic[T]):
    """How one result is told: ``show`` prints it, ``value`` is it as JSON, ``code`` its exit code, ``line`` the
    short form for the list at the end."""

    show: Callable[[T], int]
    value: Callable[[T], Mapping[str, Any]]
    code: Callable[[T], int]
    line: Callable[[T], str]


def in_all(command: str, outcomes: Iterable[Did[T] | LeftOut], told: Told[T], as_json: bool) -> int:
    """Each store as it is done, and a list of all. The exit code is the highest one, 3 where a store failed."""
    from memgit.flows.every import Did, LeftOut
    from memgit.text.layout import counted

    done: list[tuple[str, str, Mapping[str, Any]]] = []
    left: list[LeftOut] = []
    codes = [0]
    for each in outcomes:
        match each:
            case LeftOut():
                left.append(each)
                codes.append(PARTLY if each.code else 0)
            case Did(store, result) if as_json:
                codes.append(told.code(result))
                done.append((store, "", told.value(result)))
            case Did(store, result):
                say(f"== {store}")
                codes.append(told.show(result))
                say("")
                done.append((store, told.line(result), {}))
    if as_json:
        results = [{"store": store, "result": dict(value)} for store, _, value in done]
        rest = [{"store": each.store, "why": each.why, "code": each.code} for each in left]
        answer("all", {"command": command, "results": results, "left_out": rest})
        return max(codes)
    say(f"{counted(len(done), 'store')} done, {len(left)} not.")
    lines(f"  {store}: {line}" for store, line, _ in done)
    lines(f"  {each.store}: not done. {each.why}" for each in left)
    return max(codes)


def of_pass() -> Told[Plan | Outcome]:
    """How a pass is told among others."""
    from memgit.console import passes
    from memgit.core.passes.records import pass_json

    return Told(
        lambda result: passes.passed(result, as_json=False), pass_json, passes.passed_code, passes.passed_in_a_line
    )


def of_prune() -> Told[Pruned]:
    """How a prune is told among others."""
    from memgit.console import passes

    return Told(
        lambda result: passes.pruned(result, as_json=False), passes.prune_json, lambda _: 0, passes.pruned_in_a_line
    )


def of_check(strict: bool) -> Told[Checked]:
    """How a check is told among others."""
    from memgit.console import checks
    from memgit.text.layout import counted

    return Told(
        lambda result: checks.checked(result, strict, as_json=False),
        checks.checked_json,
        lambda result: checks.checked_code(result, strict),
        lambda result: counted(len(result.findings), "finding"),
    )


def of_verb() -> Told[Done]:
    """How a lifecycle verb is told among others."""
    from memgit.console.terminal import done, done_json

    return Told(lambda result: done(result, as_json=False), done_json, lambda _: 0, lambda each: each.did)
