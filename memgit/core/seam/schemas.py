"""JSON schemas (draft 2020-12) of what a host hands in, for models that are given one."""

from __future__ import annotations

from typing import Any

CANDIDATES = "memgit.candidates/1"
DECISIONS = "memgit.decisions/1"

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}
_DRAFT = {
    "type": "object",
    "required": ["body"],
    "properties": {
        "id": {"type": "string", "description": "id of the memory that keeps its file; leave away for a new one"},
        "name": {"type": "string", "description": "short slug, required for a new memory"},
        "description": {"type": "string", "description": "one line that decides when the memory is read"},
        "type": {"type": "string", "description": "user, feedback, project, reference or a type the store uses"},
        "body": {**_TEXT, "description": "the whole fact, without frontmatter"},
    },
}
_SEEN = {
    "type": "object",
    "required": ["where", "quote"],
    "properties": {
        "where": {"type": "string", "pattern": "^(memory|tree|commit):."},
        "quote": {**_TEXT, "description": "the text that stands there"},
    },
}
_EVIDENCE = {
    "type": "array",
    "minItems": 1,
    "items": {
        "oneOf": [
            {
                "type": "object",
                "required": ["session", "quote"],
                "properties": {
                    "session": _TEXT,
                    "quote": {**_TEXT, "description": "word for word, what the user typed in one message"},
                    "answers": {
                        **_TEXT,
                        "description": "what of the agent's words just before it answers, word for word",
                    },
                },
            },
            _SEEN,
        ]
    },
}
_OPINIONS = {
    "type": "array",
    "description": "what memories are taken for, each with a line that shows it",
    "items": {
        "type": "object",
        "required": ["memory", "class", "evidence"],
        "properties": {
            "memory": _TEXT,
            "class": {"enum": ["current", "stale", "absorbed", "duplicate", "unverifiable"]},
            "evidence": {"type": "array", "minItems": 1, "items": _SEEN},
            "why": {"type": "string"},
        },
    },
}


def schema_candidates(pass_id: str = "") -> dict[str, Any]:
    """The schema of a miner's reply for one batch, of one pass if that is named."""
    candidate = {
        "type": "object",
        "required": ["intent", "claim", "evidence"],
        "properties": {
            "intent": {"enum": ["new", "merge", "replace", "stale", "split"]},
            "targets": {**_TEXTS, "description": "memory ids; none for new, at least two for merge"},
            "name": {"type": "string"},
            "type": {"type": "string"},
            "claim": {**_TEXT, "description": "the proposal in one line"},
            "description": {"type": "string"},
            "body": {**_TEXT, "description": "the whole text that would result; not for stale and split"},
            "drafts": {"type": "array", "items": _DRAFT, "description": "for split: one per fact"},
            "evidence": _EVIDENCE,
            "rank": {"type": "integer", "minimum": 1, "description": "1 is the most worthwhile"},
            "why": {"type": "string"},
        },
    }
    return _envelope(CANDIDATES, "candidates", candidate, {"batch": {"type": "integer"}}, pass_id, most=15)


def schema_decisions(pass_id: str = "") -> dict[str, Any]:
    """The schema of a decider's reply, of one pass if that is named."""
    fields: dict[str, Any] = {
        "kind": {"enum": ["add", "merge", "replace", "update", "drop", "split", "reject"]},
        "memories": {**_TEXTS, "description": "ids of the memories that it changes"},
        "result": _DRAFT,
        "drafts": {"type": "array", "items": _DRAFT},
        "evidence": _EVIDENCE,
        "justification": _TEXT,
        "claim": {"type": "string"},
        "candidates": {**_TEXTS, "description": "the candidates that it settles, like B1.3"},
        "leaves_out": {**_TEXTS, "description": "details of the old texts that the result drops on purpose"},
        "confirm": {**_TEXT, "description": "one sentence that answers all doubts of this decision"},
    }
    number = {**_TEXT, "description": "the number of a decision that was handed in before, like M4"}
    again = {"type": "object", "required": ["id"], "properties": {"id": number, "withdraw": {"const": True}, **fields}}
    decision = {"type": "object", "required": ["kind", "justification"], "properties": fields}
    return _envelope(DECISIONS, "decisions", {"anyOf": [decision, again]}, {}, pass_id)


def with_verdicts(schema: dict[str, Any]) -> dict[str, Any]:
    """The same of an audit or a prune, where a reply may also say what it takes memories for."""
    return {**schema, "properties": {**schema["properties"], "verdicts": _OPINIONS}}


def _envelope(
    name: str, member: str, entry: dict[str, Any], more: dict[str, Any], pass_id: str, most: int = 0
) -> dict[str, Any]:
    entries = {"type": "array", "items": entry, **({"maxItems": most} if most else {})}
    named = {"const": pass_id} if pass_id else {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        "type": "object",
        "required": ["schema", "pass", member],
        "properties": {"schema": {"const": name}, "pass": named, **more, member: entries},
    }
