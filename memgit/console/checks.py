"""Verdicts of the working tree, findings of checks, the doctor's diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgit.console.failures import naming_store
from memgit.console.streams import answer, say
from memgit.console.verbs import lines

if TYPE_CHECKING:
    from memgit.flows.check import Checked
    from memgit.flows.doctor import Diagnosis, Mended
    from memgit.model.finding import Finding
    from memgit.model.verification import MemoryCheck


def verified(checks: Mapping[str, MemoryCheck], as_json: bool) -> int:
    """The working tree's verdict for each memory."""
    from memgit.core.report.verdicts import unverifiable
    from memgit.core.screening.findings import masked_name

    if as_json:
        rows = {
            name: {
                "status": check.verdict,
                "missing": [{"span": s.span, "reason": s.missing, "hint": s.hint} for s in check.missing],
                "found": [{"span": s.span, "kind": s.kind, "where": s.where} for s in check.spans if s.where],
            }
            for name, check in checks.items()
        }
        answer("verify", {"verification": rows})
        return 0
    for name, check in checks.items():
        say(f"{check.verdict:<12} {masked_name(name)}" + (f" {unverifiable(check)}" if check.missing else ""))
    return 0


def matched(path: str, fingerprint: str, as_json: bool) -> int:
    """The store has the fingerprint that was asked for."""
    if as_json:
        answer("check", {"store": path, "fingerprint": fingerprint, "unchanged": True, "findings": []})
    else:
        say(f"Unchanged: {path} is {fingerprint}")
    return 0


def checked(result: Checked, strict: bool, as_json: bool) -> int:
    """A line per finding. Exit 17 for damage, 3 for any finding under ``--strict``."""
    if as_json:
        answer("check", checked_json(result))
    else:
        found(result.findings)
        if not result.findings:
            say(f"Nothing found: {result.path} is as recorded ({result.fingerprint}).")
    return checked_code(result, strict)


def checked_of(result: Checked, store: str | None) -> Checked:
    """A check whose remedies work on the store that was named for it."""
    named = (replace(each, remedy=naming_store(each.remedy, store)) for each in result.findings)
    return replace(result, findings=tuple(named))


def checked_code(result: Checked, strict: bool) -> int:
    """The exit code of a check."""
    if result.damaged:
        return 17
    return 3 if strict and result.findings else 0


def checked_json(result: Checked) -> dict[str, Any]:
    """A check as ``--json`` prints it."""
    facts = {"store": result.path, "fingerprint": result.fingerprint, "full": result.full}
    return {**facts, "findings": findings_json(result.findings)}


def findings_json(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as ``--json`` prints them."""
    keys = ("area", "what", "remedy", "damage")
    return [{**{key: getattr(each, key) for key in keys}, "names": [*each.names]} for each in found]


def found(found: Iterable[Finding]) -> None:
    lines([f"{each.area}: {each.what}" + (f" {each.remedy}" if each.remedy else "") for each in found])


def diagnosed(diagnosis: Diagnosis, as_json: bool) -> int:
    """Where everything is, and what is wrong. Exit 17 for damage."""
    if as_json:
        facts = [{"name": each.name, "value": each.value, "how": each.how} for each in diagnosis.facts]
        answer("doctor", {"facts": facts, "findings": findings_json(diagnosis.findings)})
    else:
        lines([f"{each.name}: {each.value}" + (f" ({each.how})" if each.how else "") for each in diagnosis.facts])
        found(diagnosis.findings)
        if not diagnosis.findings:
            say("Nothing is wrong.")
    return 17 if diagnosis.damaged else 0


def mended(result: Mended, as_json: bool) -> int:
    """What a repair did, and what is left. Exit 17 where damage is left."""
    before, after = (sum(finding.damage for finding in found) for found in (result.before, result.after))
    if as_json:
        kept = str(result.kept) if result.kept else None
        facts = {"kept": kept, "done": list(result.done), "damaged_before": before, "damaged_after": after}
        answer("repair", {**facts, "findings": findings_json(result.after)})
    elif result.kept:
        lines(result.done)
        say(f"Damaged before: {before}, now: {after}. The vault as it was is kept in {result.kept}.")
        found(result.after)
    else:
        say("Nothing in the vault is damaged.")
    return 17 if after else 0
