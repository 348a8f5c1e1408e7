"""The findings of an audit in SARIF 2.1.0, the form that code hosts and editors show beside the lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memgit import __version__
from memgit.evidence.findings import mask, whole
from memgit.model.decision import Kind
from memgit.model.passes import Outcome
from memgit.model.store import INDEX
from memgit.model.verification import MemoryClass

_RULES: Mapping[str, str] = {
    "stale": "A claim of the memory holds no longer.",
    "absorbed": "A document of the project says what the memory says.",
    "duplicate": "Another memory says the same.",
    "trivia": "The memory tells of a passing state, or of what the repository tells by itself.",
    "index": "The index and the memories have come apart.",
}
_SHOWN = frozenset({MemoryClass.STALE, MemoryClass.ABSORBED, MemoryClass.DUPLICATE})


def sarif(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """One run with the findings of all stores; places are paths of files on this machine."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "memgit", "version": __version__, "rules": rules}
    results = [result for outcome in outcomes for result in _results(outcome)]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def findings(outcome: Outcome) -> int:
    """How many things an audit has found: for a check that fails on any."""
    return len(_results(outcome))


def _results(outcome: Outcome) -> list[dict[str, Any]]:
    store = outcome.plan.store.path
    found = [
        _result(each.kind.value, each.evidence, f"{store}/{each.memory}.md")
        for each in outcome.inspection.appraisals
        if each.kind in _SHOWN
    ]
    told = {each.memory for each in outcome.inspection.appraisals if each.kind in _SHOWN}
    for decision in outcome.decisions:
        if decision.kind is Kind.REPAIR and not decision.memories:
            found.append(_result("index", decision.justification, f"{store}/{INDEX}"))
        elif decision.kind is Kind.DROP and not told.intersection(decision.memories):
            found += [_result("trivia", decision.justification, f"{store}/{name}.md") for name in decision.memories]
    return found


def _result(rule: str, text: str, path: str) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _safe(path)}, "region": {"startLine": 1}}
    return {
        "ruleId": rule,
        "level": "warning",
        "message": {"text": _safe(text)},
        "locations": [{"physicalLocation": place}],
    }


def _safe(text: str) -> str:
    return mask(whole(text)).text
