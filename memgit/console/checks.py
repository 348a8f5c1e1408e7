"""Verdicts of the working tree, findings of checks, the doctor's diagnosis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgit.console.failures import naming_store
from memgit.console.terminal import answer, lines, say, tell
from memgit.text.layout import Run, Style

if TYPE_CHECKING:
    from memgit.flows.check import Checked, Diagnosis, Mended
    from memgit.model.verification import Finding, MemoryCheck


def verified(checks: Mapping[str, MemoryCheck], as_json: bool, *, verbose: bool = False) -> int:
    """The working tree's verdict for each memory."""
    from memgit.core.report.outline import unverifiable
    from memgit.evidence.findings import masked_name
    from memgit.model.verification import Verdict
    from memgit.text.layout import counted

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
    if not checks:
        say("There are no memories to look up.")
        return 0
    missing = {name: check for name, check in checks.items() if check.missing}
    verified = sum(check.verdict is Verdict.VERIFIED for check in checks.values())
    style = Style.WARNING if missing else Style.GOOD
    tell(
        Run(f"{len(missing)} of {counted(len(checks), 'memory')}", style),
        f" name{'s' if len(missing) == 1 else ''} what the working tree lacks ({verified} with all of it there, "
        f"{len(checks) - len(missing) - verified} with nothing to look up).",
    )
    if verbose:
        for name, check in missing.items():
            tell(Run(masked_name(name), Style.TITLE), f" {unverifiable(check)}", left="  ")
        lines(f"  {masked_name(name)}: {_WORDS[check.verdict]}" for name, check in checks.items() if not check.missing)
        return 0
    for reasons in _TOLD:
        for name, check in missing.items():
            if spans := tuple(span for span in check.missing if span.missing in reasons):
                tell(Run(masked_name(name), Style.TITLE), f" {unverifiable(replace(check, spans=spans))}", left="  ")
    rest = Counter(str(span.missing) for check in missing.values() for span in check.missing)
    told = [f"{rest[reason]} {words}" for reason, words in _COUNTED.items() if rest[reason]]
    if told:
        say(f"Other names: {', '.join(told)}: -v")
    return 0


_TOLD = (frozenset({"renamed", "deleted"}), frozenset({"on another branch"}))
"""Why a name may be missing that is told first, and what comes after it; of all else there is a count."""
_COUNTED = {
    "never seen": "never here (other machines, tools, values)",
    "only mentioned": "only mentioned in prose",
    "ambiguous": "ambiguous",
    "ignored by git": "ignored by git",
    "outside the sparse checkout": "outside the sparse checkout",
    "outside the repository": "outside the repository",
}
_WORDS = {"verified": "all there", "unverifiable": "not all there", "no-targets": "nothing to look up"}


def matched(path: str, fingerprint: str, as_json: bool) -> int:
    """The store has the fingerprint that was asked for."""
    if as_json:
        answer("check", {"store": path, "fingerprint": fingerprint, "unchanged": True, "findings": []})
    else:
        say(f"Unchanged: {path} is {fingerprint}")
    return 0


def checked(result: Checked, strict: bool, as_json: bool, *, verbose: bool = False) -> int:
    """A line per finding. Exit 17 for damage, 3 for any finding under ``--strict``."""
    if as_json:
        answer("check", checked_json(result))
    else:
        _count(result.findings, "Nothing found: the store is as it is recorded.")
        found(result.findings)
        if verbose:
            say(f"{result.path} is {result.fingerprint}.")
    return checked_code(result, strict)


def _count(findings: Sequence[Finding], nothing: str) -> None:
    """What was found, in one sentence."""
    from memgit.text.layout import counted

    damage = sum(each.damage for each in findings)
    if not findings:
        tell(Run(nothing, Style.GOOD))
    elif damage:
        tell(Run(f"Damaged: {counted(len(findings), 'finding')}, {damage} of them damage.", Style.BAD))
    else:
        tell(Run(f"{counted(len(findings), 'finding')}; nothing is damaged.", Style.WARNING))


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
    for each in found:
        style = Style.BAD if each.damage else Style.WARNING
        tell(Run(f"{each.area}: ", style), f"{each.what} {each.remedy}".rstrip())


_WORTH_KNOWING = frozenset({"store", "vault", "hooks"})


def diagnosed(diagnosis: Diagnosis, as_json: bool, *, verbose: bool = False) -> int:
    """What is wrong, and where everything is. Exit 17 for damage."""
    if as_json:
        facts = [{"name": each.name, "value": each.value, "how": each.how} for each in diagnosis.facts]
        answer("doctor", {"facts": facts, "findings": findings_json(diagnosis.findings)})
    else:
        _count(diagnosis.findings, "Nothing is wrong.")
        found(diagnosis.findings)
        facts_ = [each for each in diagnosis.facts if verbose or each.name in _WORTH_KNOWING]
        lines([f"{each.name}: {each.value}" + (f" ({each.how})" if each.how and verbose else "") for each in facts_])
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
