"""Operations and pass headers as the JSON that the operation log keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memgit.model.history import Mode, Operation, OpKind, PassHeader, PassKind, PassState, Paths


def encode_operation(operation: Operation, passes: int, who: Mapping[str, str]) -> bytes:
    """``passes`` is how many pass ids the vault has given out, ``who`` the process that did it."""
    return _json(
        {
            "schema": "memgit.operation/1",
            "number": operation.number,
            "kind": operation.kind,
            "time": operation.time.astimezone(UTC).isoformat(),
            "subject": operation.subject,
            "store": operation.store,
            "fingerprint": operation.fingerprint,
            "pass": operation.pass_id,
            "target": operation.target,
            "details": dict(operation.details),
            "passes": passes,
            "who": dict(who),
        }
    )


def decode_operation(data: bytes, commit: str) -> tuple[Operation, int]:
    """An operation and the number of pass ids given out. Raises `ValueError` when that is not what it is."""
    facts = _object(data)
    try:
        operation = Operation(
            number=facts["number"],
            commit=commit,
            kind=OpKind(facts["kind"]),
            time=datetime.fromisoformat(facts["time"]),
            subject=facts["subject"],
            store=facts["store"],
            fingerprint=facts["fingerprint"],
            pass_id=facts["pass"],
            target=facts["target"],
            details=facts["details"],
        )
        return operation, facts["passes"]
    except (KeyError, TypeError) as cause:
        raise ValueError(f"no operation: {cause!r}") from cause


def encode_header(header: PassHeader) -> bytes:
    return _json(
        {
            "schema": "memgit.pass-header/1",
            "id": header.id,
            "kind": header.kind,
            "mode": header.mode,
            "state": header.state,
            "time": header.time.astimezone(UTC).isoformat(),
            "snapshot": header.snapshot,
            "candidate": header.candidate,
            "paths": {
                "candidate": header.paths.candidate,
                "report": header.paths.report,
                "digests": header.paths.digests,
            },
            "summary": header.summary,
        }
    )


def decode_header(data: bytes) -> PassHeader:
    """A pass header. Raises `ValueError` when it is none."""
    facts = _object(data)
    try:
        return PassHeader(
            id=facts["id"],
            kind=PassKind(facts["kind"]),
            mode=Mode(facts["mode"]),
            state=PassState(facts["state"]),
            time=datetime.fromisoformat(facts["time"]),
            snapshot=facts["snapshot"],
            candidate=facts["candidate"],
            paths=Paths(**facts["paths"]),
            summary=facts["summary"],
        )
    except (KeyError, TypeError) as cause:
        raise ValueError(f"no pass header: {cause!r}") from cause


def _object(data: bytes) -> dict[str, Any]:
    facts = json.loads(data)
    if not isinstance(facts, dict):
        raise ValueError("no JSON object")
    return facts


def _json(facts: Mapping[str, object]) -> bytes:
    return (json.dumps(facts, indent=1) + "\n").encode()
