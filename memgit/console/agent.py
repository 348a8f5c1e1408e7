"""What an agent asked to be remembered, and its hooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from memgit.console.terminal import answer, lines, say
from memgit.errors import BadReply

if TYPE_CHECKING:
    from memgit.agent.installing.lines import Edit
    from memgit.agent.installing.lines import Standing as HooksStanding
    from memgit.flows.extract import Found, Remembered
    from memgit.model.fact import Extracted


def remembered(result: Remembered, unread: str, as_json: bool) -> int:
    """What became of each fact, and what to change in those that were refused. Exit 15 if any was. ``unread`` says that
    no agent reads the store."""
    from memgit.core.seam.protocol import extracted_json

    code = 0 if result.complete else BadReply.code
    done = result.done
    if as_json:
        operation = done.operation.id if done and done.operation else None
        undo_hint = done.undo_hint if done else ""
        answer(
            "remembered",
            {**extracted_json(result.extracted), "operation": operation, "undo": undo_hint, "unread": unread},
        )
        return code
    lines(_fates(result.extracted))
    lines(filter(None, [unread]))
    if done:
        lines(done.notes)
        say(f"To take it back: {done.undo_hint}")
    return code


def found_facts(found: Found, as_json: bool) -> int:
    """What a session holds that could be remembered, as facts to hand in."""
    from memgit.core.seam.protocol import extracted_json, fact_json
    from memgit.evidence.findings import printable

    facts = [fact_json(placed.fact) for placed in found.extracted.placed]
    if as_json:
        refused = zip(extracted_json(found.extracted)["refused"], found.extracted.refused, strict=True)
        rows = [{**row, "fact": fact_json(each.fact)} for row, each in refused]
        answer("facts", {"session": found.session, "facts": facts, "refused": rows})
        return 0
    say(f"Session {printable(found.session)}: {len(facts)} facts could be remembered. Nothing was written.")
    for fact in facts:
        say(f"  {printable(fact['name'])} ({fact['type']}): {printable(fact['description'])}")
    lines(_against(found.extracted))
    if facts:
        say(
            "Weigh them, then hand in the good ones: `memgit extract --json > facts.json`, edit it, "
            "`memgit extract --facts facts.json`"
        )
    return 0


def _fates(extracted: Extracted) -> Iterator[str]:
    from memgit.evidence.findings import printable

    for placed in extracted.placed:
        yield printable(f"{placed.act:<11} {placed.memory}")
        yield from (f"  {printable(note)}" for note in placed.notes)
    yield from _against(extracted)


def _against(extracted: Extracted) -> Iterator[str]:
    from memgit.evidence.findings import printable

    for refused in extracted.refused:
        yield f"{'refused':<11} {printable(refused.fact.name)[:80]}"
        yield from (f"  {each.code} ({each.field}): {printable(each.message)}" for each in refused.refusals)


def hooked(edits: Sequence[Edit], written: bool, as_json: bool) -> int:
    """What putting hooks in or out changes, as a diff, and whether it was written."""
    if as_json:
        changed = [{"path": str(edit.path), "diff": edit.diff} for edit in edits]
        answer("hooks-change", {"written": written and bool(edits), "files": changed})
        return 0
    for edit in edits:
        lines(edit.diff)
    if not edits:
        say("There is nothing to change.")
    elif written:
        say("Written. Sessions that are running go on as they were; new ones have it.")
    else:
        say("Nothing was written yet; the same command with --yes writes it.")
    return 0


def hooks_stand(standing: HooksStanding, as_json: bool) -> int:
    """Which hooks run, and what keeps them from it."""
    if as_json:
        answer("hooks", asdict(standing))
        return 0
    say(f"Settings: {standing.settings}")
    say(f"Hooks there: {', '.join(standing.events) or 'none; `memgit hooks install` shows them'}")
    if standing.events and not standing.program_found:
        say("Not all of them find their memgit: `memgit hooks install --yes` writes them again.")
    if standing.switched_off:
        say("These settings switch all hooks off (disableAllHooks).")
    if standing.plugin:
        say("The plugin is installed too; where both are, only the hooks of the settings run.")
    lines([f"Skill: {path}" for path in standing.skills])
    return 0


def injected(text: str, as_json: bool) -> int:
    """The fenced index; nothing at all where there is none."""
    if as_json:
        answer("inject", {"text": text})
    elif text:
        say(text)
    return 0
