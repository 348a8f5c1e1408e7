"""The figures with which a report opens: what was read, what was left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memgit.model.history import Mode
from memgit.model.passes import Plan
from memgit.model.session import Agent, RecordClass, Survey
from memgit.text.layout import code, line


def preflight(plan: Plan) -> Iterator[str]:
    """The opening of the report, as paragraphs of prose."""
    yield f"# {plan.kind.capitalize()} pass {plan.id or '(dry run)'}"
    yield "\n".join(_figures(plan))
    yield from (_orphan(path, number, why) for path, number, why in _orphans(plan.survey))
    notes = [*plan.notes, *plan.survey.notes]
    if notes:
        yield "\n".join(f"- {line(note)}" for note in notes)
    if plan.mode is Mode.COLD_START:
        yield (
            f"**Cold start:** no usable input store was found (it is {plan.status.value}), so every change below is an "
            "addition. Files that were there are carried over."
        )


def _figures(plan: Plan) -> Iterator[str]:
    selection = plan.selection
    yield (
        f"Store: {code(plan.store.path)} ({_count(plan.memories, 'memory', 'memories')}, {plan.status.value}; "
        f"found by {line(plan.store.rule)})."
    )
    yield f"Worktrees: {_worktrees(plan.survey)}."
    yield (
        f"Pool: {_count(selection.pool, 'session')}{_agents(plan.survey)}; {len(selection.selected)} selected, "
        f"{len(selection.near_empty)} skipped as near-empty, "
        f"{len(selection.beyond_budget)} beyond the {selection.limits.token_budget:,}-token budget, "
        f"{len(selection.beyond_cap)} beyond the {selection.limits.session_cap}-session cap."
    )
    if plan.survey.foreign:
        yield _foreign(plan.survey)
    yield _prose(plan)
    yield f"Filtered out: {_filtered(plan.survey)}."


def _agents(survey: Survey) -> str:
    """Whose sessions they are; nothing where all are Claude Code's."""
    of = Counter(session.agent for session in survey.sessions)
    return "" if set(of) <= {Agent.CLAUDE} else f" ({', '.join(f'{of[agent]} of {agent}' for agent in Agent)})"


def _foreign(survey: Survey) -> str:
    projects = ", ".join(code(cwd) for cwd in sorted({cwd for _, cwd in survey.foreign}))
    return f"Not read: {_count(len(survey.foreign), 'session')} in the same folder of another project ({projects})."


def _prose(plan: Plan) -> str:
    selection = plan.selection
    messages = sum(session.messages for session in selection.selected)
    over = f", {selection.overshoot:,} over the budget" if selection.overshoot else ""
    batches = _count(len(selection.batches), "batch", "batches")
    state = "engaged" if selection.reduce_engaged else "not needed"
    return (
        f"Prose: about {selection.tokens:,} tokens{over} in {_count(messages, 'message')} and {batches} "
        f"(reduce tier {state}: {len(selection.batches)} against a threshold of {selection.limits.reduce_threshold})."
    )


def _worktrees(survey: Survey) -> str:
    if not survey.worktrees:
        return "none found"
    by_source = Counter(tree.provenance.value for tree in survey.worktrees)
    sources = ", ".join(f"{number} by {source}" for source, number in sorted(by_source.items()))
    return f"{len(survey.worktrees)} ({sources})"


_KEPT = (RecordClass.USER_PROSE, RecordClass.ASSISTANT_PROSE)


def _filtered(survey: Survey) -> str:
    classes: Counter[RecordClass] = Counter()
    for session in survey.sessions:
        classes.update(session.records)
    dropped = [f"{number:,} {kind.value}" for kind, number in sorted(classes.items()) if number and kind not in _KEPT]
    if broken := sum(session.broken_lines for session in survey.sessions):
        dropped.append(_count(broken, "broken line"))
    return ", ".join(dropped) or "nothing"


def _orphans(survey: Survey) -> Iterator[tuple[str, int, str]]:
    yield from ((orphan.path, orphan.memories, orphan.why) for orphan in survey.orphans)


def _orphan(path: str, number: int, why: str) -> str:
    return (
        f"**Another store:** {code(path)} holds {_count(number, 'memory', 'memories')} ({line(why)}). "
        "It is not part of this pass and is not merged."
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
