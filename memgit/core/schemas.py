"""JSON schemas (draft 2020-12) of every object that ``--json`` prints, by the kind in its ``schema`` field.

Fields are only ever added, so no schema forbids further ones. What a field means stands with the value that it is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
WHOLE: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
TIME: Schema = {"type": "string", "format": "date-time"}
ANY: Schema = {}


def optional(inner: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [inner, {"type": "null"}]}


def many(inner: Schema) -> Schema:
    """A list of them."""
    return {"type": "array", "items": inner}


def by_name(inner: Schema) -> Schema:
    """An object whose keys are names."""
    return {"type": "object", "additionalProperties": inner}


def obj(**fields: Schema) -> Schema:
    """An object with these fields; an underscore at a name's end keeps it apart from words of Python."""
    named = {name.rstrip("_"): inner for name, inner in fields.items()}
    return {"type": "object", "required": list(named), "properties": named}


def maybe(base: Schema, **fields: Schema) -> Schema:
    """An object that may have further fields, of these shapes."""
    return {**base, "properties": {**base["properties"], **fields}}


TEXTS = many(TEXT)

# --- parts ---

_HEADER = obj(
    pass_=TEXT,
    kind=TEXT,
    mode=TEXT,
    state=TEXT,
    time=TIME,
    snapshot=optional(TEXT),
    candidate=optional(TEXT),
    summary=TEXT,
)
_OPERATION = obj(
    id=TEXT,
    kind=TEXT,
    time=TIME,
    subject=TEXT,
    pass_=optional(TEXT),
    target=optional(TEXT),
    store=optional(TEXT),
    fingerprint=optional(TEXT),
    details=by_name(TEXT),
)
_EVIDENCE = maybe(
    obj(kind={"enum": ["said", "seen"]}, quote=TEXT), session=TEXT, record=TEXT, time=TEXT, by=TEXT, where=TEXT
)
_DECISION = obj(
    id=TEXT,
    kind={"enum": ["merge", "replace", "update", "add", "drop", "split", "reject", "repair"]},
    memories=TEXTS,
    results=TEXTS,
    session=optional(TEXT),
    quote=optional(TEXT),
    evidence=many(_EVIDENCE),
    justification=TEXT,
    claim=TEXT,
    candidates=TEXTS,
    leaves_out=TEXTS,
    state={"enum": ["proposed", "approved", "rejected", "deferred"]},
)
_FINDING = obj(area=TEXT, what=TEXT, remedy=TEXT, damage=FLAG, names=TEXTS)
_MISSING = obj(span=TEXT, reason=TEXT, hint=TEXT)
_LEAVING = obj(scope=TEXT, memories=COUNT, messages=COUNT, reports=COUNT)
_REFUSED = obj(name=TEXT, refusals=many(obj(code=TEXT, field=TEXT, message=TEXT)))
_FACT = maybe(obj(name=TEXT, description=TEXT, type=TEXT, body=TEXT), memory=TEXT, hook=TEXT)

_PREFLIGHT = obj(
    token_budget=COUNT,
    session_cap=COUNT,
    sessions_in_pool=COUNT,
    sessions_by_agent=by_name(COUNT),
    selected=COUNT,
    near_empty=COUNT,
    beyond_budget=COUNT,
    beyond_cap=COUNT,
    prose_tokens=COUNT,
    messages=COUNT,
    reduce_threshold=COUNT,
    records_by_class=by_name(COUNT),
    broken_lines=COUNT,
    worktrees=many(obj(path=TEXT, source=TEXT)),
    orphan_stores=many(obj(path=TEXT, memories=COUNT, why=TEXT)),
    foreign_sessions=many(obj(path=TEXT, project=TEXT)),
    batches=many(obj(number=COUNT, sessions=TEXTS, tokens=COUNT, digest=TEXT)),
    reduce_engaged=FLAG,
)
_PASS = maybe(
    obj(
        pass_=TEXT,
        kind={"enum": ["curate", "audit", "prune", "extract", "sweep"]},
        mode={"enum": ["curate", "cold-start", "noop"]},
        state={"enum": ["planned", "ready", "adopted", "merged", "discarded", "undone", "unsafe"]},
        store=obj(
            path=TEXT,
            shape=TEXT,
            status=TEXT,
            memories=COUNT,
            resolved_by=TEXT,
            fingerprint_before=TEXT,
            fingerprint_after=optional(TEXT),
            unchanged=optional(FLAG),
        ),
        preflight=_PREFLIGHT,
        decisions=many(_DECISION),
        verification=by_name(obj(status=TEXT, missing=many(_MISSING))),
        paths=obj(candidate=TEXT, report=TEXT, digests=TEXT),
        commands=by_name(TEXTS),
        unmined=many(obj(batch=COUNT, why=TEXT)),
        findings=many(obj(place=TEXT, kind=TEXT, line=COUNT)),
        notes=TEXTS,
    ),
    classes=by_name(maybe(obj(class_=TEXT, evidence=TEXT), by=TEXT)),
    remarks=by_name(TEXTS),
    example=obj(folder=TEXT, command=TEXT),
)
_STATUS = maybe(
    obj(
        store=obj(
            path=TEXT,
            shape=TEXT,
            status=TEXT,
            memories=COUNT,
            resolved_by=TEXT,
            others=many(obj(path=TEXT, rule=TEXT)),
        ),
        fingerprint=TEXT,
        index=obj(lines=COUNT, units=COUNT),
        newest_write=optional(TIME),
        recorded=FLAG,
        hints=TEXTS,
        moved=TEXTS,
    ),
    unfinished=optional(TEXT),
    changed=obj(added=TEXTS, changed=TEXTS, removed=TEXTS, stamped=TEXTS),
    external=many(_OPERATION),
    waiting=many(_HEADER),
)
_TURN = obj(
    turn=TEXT,
    time=TIME,
    operation=TEXT,
    kind=TEXT,
    subject=TEXT,
    pass_=optional(TEXT),
    session=optional(TEXT),
    others=TEXTS,
    decision=optional(_DECISION),
)
_REVIEWED = obj(
    id=TEXT,
    kind=TEXT,
    state=TEXT,
    reason=TEXT,
    memories=TEXTS,
    results=TEXTS,
    justification=TEXT,
    leaves_out=TEXTS,
    changes=many(ANY),
    quotations=many(ANY),
    sights=many(ANY),
    not_found=many(ANY),
)

# --- objects ---

_FILE_DIFF = obj(path=TEXT, change={"enum": ["added", "removed", "changed"]}, added=COUNT, removed=COUNT, diff=TEXTS)

KINDS: Final[Mapping[str, Schema]] = {
    "all": obj(
        command=TEXT, results=many(obj(store=TEXT, result=ANY)), left_out=many(obj(store=TEXT, why=TEXT, code=COUNT))
    ),
    "audits": obj(passes=many(_PASS), unreachable=many(obj(store=TEXT, why=TEXT))),
    "check": maybe(obj(store=TEXT, fingerprint=TEXT, findings=many(_FINDING)), full=FLAG, unchanged=FLAG),
    "compared": obj(pass_=TEXT, shown=COUNT, code=WHOLE),
    "completion": obj(shell=TEXT, script=TEXT),
    "config": obj(settings=by_name(obj(value=ANY, from_=TEXT)), files=many(obj(of=TEXT, path=TEXT, read=FLAG))),
    "config-example": obj(toml=TEXT),
    "config-path": obj(path=TEXT, exists=FLAG),
    "diff": obj(pass_=TEXT, files=many(_FILE_DIFF)),
    "rehearsal": obj(would=TEXT, files=many(_FILE_DIFF)),
    "doctor": obj(facts=many(obj(name=TEXT, value=TEXT, how=TEXT)), findings=many(_FINDING)),
    "done": obj(did=TEXT, undo=TEXT, operation=optional(TEXT), superseded=optional(TEXT), notes=TEXTS),
    "error": obj(error=obj(code=COUNT, kind=TEXT, message=TEXT, hint=TEXT)),
    "facts": obj(session=TEXT, facts=many(_FACT), refused=many(maybe(_REFUSED, fact=_FACT))),
    "graph": obj(line=many(maybe(_OPERATION, takes_in=optional(TEXT), passes=many(_HEADER))), rootless=many(_HEADER)),
    "history": obj(memory=TEXT, live=FLAG, events=many(_TURN)),
    "hooks": obj(settings=TEXT, events=TEXTS, program_found=FLAG, plugin=FLAG, switched_off=FLAG, skills=TEXTS),
    "hooks-change": obj(written=FLAG, files=many(obj(path=TEXT, diff=TEXTS))),
    "inject": obj(text=TEXT),
    "memory": obj(**{"memory": TEXT, "text": optional(TEXT), "pass": TEXT, "decisions": TEXTS}),
    "log": obj(passes=many(_HEADER)),
    "ops": obj(operations=many(_OPERATION)),
    "pass": _PASS,
    "proposed": obj(
        pass_=TEXT, kept=TEXTS, void=many(obj(candidate=TEXT, why=TEXT)), cut=TEXTS, awaited_batches=many(COUNT)
    ),
    "prune": obj(
        pass_=optional(TEXT),
        operation=optional(TEXT),
        refused=TEXT,
        inventory=obj(memories=COUNT, sessions=COUNT, pinned=TEXTS),
        decisions=many(_DECISION),
        stale=many(obj(memory=TEXT, evidence=TEXT)),
        contradictions=TEXTS,
        no_orphans=TEXT,
        passed_over=COUNT,
    ),
    "redact": obj(
        done=FLAG,
        kinds=TEXTS,
        places=many(obj(what=TEXT, where=TEXT, form=TEXT, times=COUNT)),
        remotes=many(obj(name=TEXT, url=TEXT)),
        notes=TEXTS,
    ),
    "remembered": obj(
        written=many(obj(name=TEXT, act=TEXT, memory=TEXT, notes=TEXTS)),
        refused=many(_REFUSED),
        operation=optional(TEXT),
        undo=TEXT,
    ),
    "repair": obj(kept=optional(TEXT), done=TEXTS, damaged_before=COUNT, damaged_after=COUNT, findings=many(_FINDING)),
    "report": obj(pass_=TEXT, file=TEXT, opened=FLAG),
    "review": obj(pass_=TEXT, decisions=many(_REVIEWED)),
    "schema": obj(kinds=TEXTS),
    "status": _STATUS,
    "stores": obj(
        stores=many(
            obj(
                path=TEXT,
                shape=TEXT,
                why=TEXT,
                project=optional(TEXT),
                memories=optional(COUNT),
                loaded=obj(lines=COUNT, units=COUNT, bytes=COUNT, over=FLAG),
                drift=obj(orphans=COUNT, dead=COUNT, doubles=COUNT),
                kin=TEXT,
                overlaps=many(obj(path=TEXT, shared=COUNT)),
                recorded=FLAG,
                operations=COUNT,
                last_pass=optional(obj(pass_=TEXT, did=TEXT)),
                concerns=TEXTS,
            )
        )
    ),
    "sync": maybe(
        obj(leaving=optional(_LEAVING)),
        file=TEXT,
        remote=TEXT,
        url=TEXT,
        machine=TEXT,
        sent=many(ANY),
        arrived=many(ANY),
        machines=TEXTS,
        reviewed=many(ANY),
        notes=TEXTS,
    ),
    "verify": obj(
        verification=by_name(
            obj(status=TEXT, missing=many(_MISSING), found=many(obj(span=TEXT, kind=TEXT, where=TEXT)))
        )
    ),
}


def schema(kind: str) -> dict[str, Any]:
    """The schema of one kind, whole. Raises KeyError for a kind that is none."""
    inner = KINDS[kind]
    named = {"schema": {"const": f"memgit.{kind}/1"}, **inner["properties"]}
    return {
        "$schema": DIALECT,
        "$id": f"memgit.{kind}/1",
        **inner,
        "required": ["schema", *inner["required"]],
        "properties": named,
    }


# --- schemas ---
# JSON schemas (draft 2020-12) of what a host hands in, for models that are given one.

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
_CITED = {
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
            "evidence": _CITED,
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
        "evidence": _CITED,
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
