"""A dossier as JSON: what ``memgit review --json`` prints of a decision."""

from __future__ import annotations

from typing import Any

from memgit.core.passes.records import plain
from memgit.core.review.dossier import Dossier, safe


def dossier_json(dossier: Dossier) -> dict[str, Any]:
    """One decision with texts, quotes in their context, and what the tree shows. Fields are only ever added."""
    decision = dossier.decision
    return {
        "id": decision.id,
        "kind": decision.kind.value,
        "state": decision.approval.value,
        "reason": safe(decision.reason),
        "memories": [safe(name) for name in decision.memories],
        "results": [safe(name) for name in decision.results],
        "justification": dossier.justification,
        "leaves_out": [safe(text) for text in decision.leaves_out],
        **{name: plain(getattr(dossier, name)) for name in ("changes", "quotations", "sights", "not_found")},
    }
