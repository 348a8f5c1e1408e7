"""Facts as JSON: what an agent hands in, and what is proposed to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from memgit.core.seam.reply import Field, read_reply
from memgit.evidence.findings import whole
from memgit.model.fact import Extracted, Fact, Placed, Refused

MOST = 20
"""Facts of one session that are taken at a time: more than this is no longer what is durable."""


def parse_facts(data: bytes | str) -> tuple[Fact, ...]:
    """The facts of a reply: ``{"facts": […]}`` or the list alone.

    Raises BadReply with the path of the field that breaks the contract, and how to mend it.
    """
    reply = read_reply(data)
    entries = reply.items() if isinstance(reply.value, list) else reply["facts"].items()
    if len(entries) > MOST:
        raise reply.breach(f"holds {len(entries)} facts", f"Hand in the {MOST} that matter most.")
    return tuple(_fact(entry) for entry in entries)


def _fact(entry: Field) -> Fact:
    required = (entry[name].text() for name in ("name", "description", "type", "body"))
    return fact_of(
        *required, memory=entry.text_of("memory"), hook=entry.text_of("hook"), override=entry.texts("override")
    )


def fact_of(
    name: str,
    description: str,
    type_: str,
    body: str,
    *,
    memory: str = "",
    hook: str = "",
    override: Iterable[str] = (),
) -> Fact:
    """A fact as valid Unicode, with LF line ends and no blank edges."""
    body = whole(body).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    name, description, hook, memory = (_line(whole(text)) for text in (name, description, hook, memory))
    return Fact(name, description, type_.strip(), body, memory.removesuffix(".md"), hook, frozenset(override))


def with_reasons(body: str, why: str, how: str) -> str:
    """A body with the lines that a feedback memory needs, where they are given."""
    lines = [f"**{part}:** {text}" for part, text in (("Why", why), ("How to apply", how)) if text]
    return "\n".join([body.rstrip(), *([""] if lines else []), *lines])


def _line(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text).strip()


def fact_json(fact: Fact) -> dict[str, Any]:
    """A fact as it would be handed in."""
    facts = {"name": fact.name, "description": fact.description, "type": fact.type, "body": fact.body}
    return facts | {name: value for name in ("memory", "hook") if (value := getattr(fact, name))}


def extracted_json(extracted: Extracted) -> dict[str, Any]:
    """What became of facts: ``written`` and ``refused``."""
    return {
        "written": [_placed(each) for each in extracted.placed],
        "refused": [_refused(each) for each in extracted.refused],
    }


def _placed(placed: Placed) -> dict[str, Any]:
    return {"name": placed.fact.name, "act": placed.act, "memory": placed.memory, "notes": list(placed.notes)}


def _refused(refused: Refused) -> dict[str, Any]:
    rows = [{"code": each.code, "field": each.field, "message": each.message} for each in refused.refusals]
    return {"name": refused.fact.name, "refusals": rows}
