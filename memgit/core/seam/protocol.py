"""JSON at the host seam: what a host's miners and decider hand in, and what they are given to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgit.core.schemas import CANDIDATES, DECISIONS
from memgit.errors import BadReply
from memgit.evidence.findings import whole
from memgit.model.decision import Candidate, Draft, Evidence, Intent, Kind, Opinion, Proposal, Said, Seen
from memgit.model.fact import Extracted, Fact, Placed, Refused
from memgit.model.verification import MemoryClass
from memgit.rulings.reduce import Bounded, bound
from memgit.text.layout import line

# --- reply ---
# A JSON reply of a model, read so that every breach of its contract names the field and the remedy.

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(?P<inside>.*?)\n\s*\1\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of the reply and the path that leads to it, like ``candidates[3].evidence[0].quote``."""

    value: Any
    path: str = ""

    def breach(self, problem: str, remedy: str) -> BadReply:
        """The error for this field: what is wrong, and what to send instead."""
        return BadReply(f"{self.path or 'the reply'} {problem}.", remedy)

    def __getitem__(self, name: str) -> Field:
        """A required member of an object."""
        found = self.get(name)
        if found is None:
            raise self._member(name).breach("is missing", f'Give "{name}" in every such object.')
        return found

    def get(self, name: str) -> Field | None:
        """A member of an object, None where it is absent or null. Members that nobody asks for are ignored."""
        if not isinstance(self.value, dict):
            raise self.breach(f"is {_named(self.value)}, not an object", "Send an object {…} here.")
        value = self.value.get(name)
        return None if value is None else Field(value, self._member(name).path)

    def items(self) -> list[Field]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            raise self.breach(f"is {_named(self.value)}, not a list", "Send a list […] here, even for one entry.")
        return [Field(value, f"{self.path}[{number}]") for number, value in enumerate(self.value)]

    def text(self) -> str:
        """A text that says something; lone surrogates are replaced."""
        if not isinstance(self.value, str):
            raise self.breach(f"is {_named(self.value)}, not a text", "Send a text in quotes here.")
        if not self.value.strip():
            raise self.breach("is empty", "Write it out, or leave the whole entry away.")
        return whole(self.value)

    def number(self) -> int:
        """A whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.breach(f"is {_named(self.value)}, not a whole number", "Send a number like 1 here.")
        return self.value

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list member, nothing where it is absent."""
        found = self.get(name)
        return tuple(entry.text() for entry in found.items()) if found else ()

    def text_of(self, name: str, default: str = "") -> str:
        """The text of a member, ``default`` where it is absent or empty."""
        found = self.get(name)
        return default if found is None or found.value == "" else found.text()

    def _member(self, name: str) -> Field:
        return Field(None, f"{self.path}.{name}" if self.path else name)


def read_reply(data: bytes | str) -> Field:
    """The reply's JSON value. A byte order mark and a Markdown fence around it are tolerated, nothing else."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff").strip()
    if fenced := _FENCE.match(text):
        text = fenced["inside"]
    try:
        return Field(json.loads(text))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadReply(
            f"The reply is no JSON: {error.msg} at {where}.", "Send one JSON object and nothing else."
        ) from None
    except (RecursionError, ValueError):
        raise BadReply("The reply is nested too deeply or holds a number too long.", "Send the plain object.") from None


def _named(value: object) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "null")


def parse_candidates(data: bytes | str, pass_id: str, batch: int, limit: int = 15) -> Bounded:
    """A miner's reply for one batch: the best candidates, numbered ``B<batch>.<n>`` as sent, and what the bound cut.

    Raises BadReply with the path of the field that breaks the contract, and how to mend it.
    """
    reply = _addressed(data, CANDIDATES, pass_id)
    _check_batch(reply, batch)
    entries = reply["candidates"].items()
    return bound((_candidate(entry, f"B{batch}.{n}") for n, entry in enumerate(entries, start=1)), limit)


def parse_decisions(
    data: bytes | str, pass_id: str, candidates: Iterable[Candidate] = (), before: Sequence[Proposal] = ()
) -> tuple[Proposal, ...]:
    """A decider's reply. A decision that names one of ``candidates`` may leave to it whatever it does not say itself.

    A reply in which decisions name numbers of those handed in ``before`` (``"id": "M4"``) goes on from there: what it
    names is mended, confirmed or withdrawn, what it does not name stays, and what has no number is added. A reply
    without numbers takes the place of all that was handed in. Raises BadReply with the path of the field that breaks
    the contract, and how to mend it.
    """
    known = {candidate.id: candidate for candidate in candidates}
    entries = _addressed(data, DECISIONS, pass_id)["decisions"].items()
    added = [entry for entry in entries if entry.get("id") is None]
    if len(added) == len(entries):
        return tuple(_proposal(entry, known) for entry in entries)
    mended = _gone_on([entry for entry in entries if entry not in added], before, known)
    return (*mended, *(_proposal(entry, known) for entry in added))


def goes_on(data: bytes | str) -> bool:
    """Whether a reply names numbers of what was handed in before. Raises BadReply."""
    found = read_reply(data).get("decisions")
    return found is not None and any(entry.get("id") is not None for entry in found.items())


def parse_again(data: bytes | str, pass_id: str, before: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """A decider's second word on ``before``: each entry names the number of one, and the others stay.

    Raises BadReply with the path of the field that breaks the contract, and how to mend it.
    """
    return _gone_on(_addressed(data, DECISIONS, pass_id)["decisions"].items(), before, {})


def _gone_on(entries: Iterable[Field], before: Sequence[Proposal], known: dict[str, Candidate]) -> tuple[Proposal, ...]:
    places = list(before)
    for entry in entries:
        number = _place(entry, before)
        places[number] = _again(entry, places[number], known)
    return tuple(places)


def _place(entry: Field, before: Sequence[Proposal]) -> int:
    """Which of the decisions handed in before an entry names."""
    named = entry["id"].text().strip().upper()
    if not re.fullmatch(r"M\d{1,6}", named) or not 0 < int(named[1:]) <= len(before):
        known = f"M1 to M{len(before)}" if before else "none yet"
        raise entry["id"].breach(f'is "{line(named)[:20]}"', f"Name a decision that was handed in before: {known}.")
    return int(named[1:]) - 1


def _again(entry: Field, before: Proposal, known: dict[str, Candidate]) -> Proposal:
    """A decision handed in again: withdrawn, confirmed as it was, or mended."""
    if (withdrawn := entry.get("withdraw")) is not None and withdrawn.value is not False:
        return replace(
            before, kind=Kind.REJECT, justification=entry.text_of("justification", "Withdrawn."), drafts=(), asks=""
        )
    confirmed = replace(before, confirm=_confirmation(entry))
    if entry.get("kind") is None:
        evidence = _own_evidence(entry, before.kind) or before.evidence
        left_out = entry.texts("leaves_out") or before.leaves_out
        drafts = before.drafts
        if entry.get("result") is not None or entry.get("drafts") is not None:
            drafts = _own_drafts(entry, before.kind, before.memories, None)
        return replace(confirmed, evidence=evidence, leaves_out=left_out, drafts=drafts)
    mended = _proposal(entry, known)
    return replace(
        mended, evidence=mended.evidence or before.evidence, candidates=mended.candidates or before.candidates
    )


def parse_opinions(data: bytes | str) -> tuple[Opinion, ...]:
    """What a reply takes memories for (its ``verdicts``), in an audit or a prune; none where it says nothing of it.

    Raises BadReply with the path of the field that breaks the contract, and how to mend it.
    """
    found = read_reply(data).get("verdicts")
    return tuple(map(_opinion, found.items())) if found else ()


def _opinion(entry: Field) -> Opinion:
    memory = entry["memory"].text().strip().removesuffix(".md")
    kind = _choice(entry["class"], MemoryClass)
    evidence = _evidence(entry["evidence"])
    if said := next((one for one in evidence if isinstance(one, Said)), None):
        raise entry["evidence"].breach(f"cites session {line(said.session)[:40]}", 'Cite {"where": …, "quote": …}.')
    return Opinion(memory, kind, tuple(one for one in evidence if isinstance(one, Seen)), entry.text_of("why"))


def _addressed(data: bytes | str, schema: str, pass_id: str) -> Field:
    reply = read_reply(data)
    named = reply["schema"]
    if named.text() != schema:
        raise named.breach(f'is "{line(named.text())[:60]}"', f'Send "schema": "{schema}".')
    for_pass = reply["pass"]
    if for_pass.text() != pass_id:
        raise for_pass.breach(f'is "{line(for_pass.text())[:60]}", another pass', f'Send "pass": "{pass_id}".')
    return reply


def _check_batch(reply: Field, batch: int) -> None:
    named = reply.get("batch")
    if named is not None and named.number() != batch:
        raise named.breach(f"is {named.number()}, but this is batch {batch}", f'Send "batch": {batch}.')


def _candidate(entry: Field, name: str) -> Candidate:
    intent = _choice(entry["intent"], Intent)
    rank = entry.get("rank")
    claim = entry["claim"].text()
    targets = _targets(entry, intent)
    return Candidate(
        id=name,
        intent=intent,
        claim=" ".join(claim.split()),
        evidence=_evidence(entry["evidence"]),
        targets=targets,
        drafts=_candidate_drafts(entry, intent, targets, claim),
        rank=rank.number() if rank else int(name.rpartition(".")[2]),
        why=entry.text_of("why"),
    )


def _choice(field: Field, kind: Any) -> Any:
    text = field.text().strip().lower()
    if text not in [member.value for member in kind]:
        raise field.breach(f'is "{line(text)[:40]}"', f"Use one of: {', '.join(member.value for member in kind)}.")
    return kind(text)


_TARGETS = {Intent.NEW: range(1), Intent.MERGE: range(2, 100), Intent.STALE: range(1, 100)}


def _targets(entry: Field, intent: Intent) -> tuple[str, ...]:
    targets = _ids(entry, "targets")
    allowed = _TARGETS.get(intent, range(1, 2))
    if len(targets) not in allowed:
        wanted = "none" if allowed.stop == 1 else f"at least {allowed.start}" if allowed.stop > 2 else "exactly 1"
        field = entry.get("targets") or Field(None, f"{entry.path}.targets")
        raise field.breach(f"names {len(targets)} memories", f"A {intent} names {wanted}, by id.")
    return targets


def _ids(entry: Field, name: str) -> tuple[str, ...]:
    """Memory ids without repetition; a file name means the memory in it."""
    return tuple(dict.fromkeys(text.strip().removesuffix(".md") for text in entry.texts(name)))


def _evidence(field: Field) -> tuple[Evidence, ...]:
    items = field.items()
    if not items:
        raise field.breach("is empty", "Cite at least one message, word for word, or leave the candidate away.")
    return tuple(_citation(item) for item in items)


def _citation(item: Field) -> Evidence:
    where = item.text_of("where")
    if not where:
        return Said(item["session"].text().strip(), item["quote"].text(), answers=item.text_of("answers"))
    if not re.match(r"(?:memory|tree|commit):.", where):
        raise item["where"].breach(f'is "{line(where)[:40]}"', "Use memory:<id>, tree:<path>:<line> or commit:<hash>.")
    return Seen(where, item["quote"].text())


def _candidate_drafts(entry: Field, intent: Intent, targets: tuple[str, ...], claim: str) -> tuple[Draft, ...]:
    match intent:
        case Intent.STALE:
            return ()
        case Intent.SPLIT:
            return _drafts(entry["drafts"], at_least=2)
        case Intent.REPLACE:
            return (_draft(entry, targets[0]),)
        case Intent.MERGE:
            name = entry.text_of("name").removesuffix(".md")
            return (_draft(entry, name if name in targets else "", in_place=True),)
        case _:
            return (_draft(entry, "", claim=claim),)


def _drafts(field: Field, at_least: int = 1) -> tuple[Draft, ...]:
    items = field.items()
    if len(items) < at_least:
        raise field.breach(f"holds {len(items)} texts", f"Write out at least {at_least}.")
    return tuple(_draft(item, item.text_of("id").removesuffix(".md")) for item in items)


def _draft(entry: Field, memory_id: str, *, in_place: bool = False, claim: str = "") -> Draft:
    """The wording in ``entry``. One for a memory that exists needs a body only, its frontmatter stays."""
    existing = bool(memory_id) or in_place
    return Draft(
        name=entry.text_of("name") if existing else entry["name"].text(),
        description=" ".join(entry.text_of("description", claim).split()),
        type=entry.text_of("type") if existing else entry["type"].text().strip(),
        body=entry["body"].text(),
        id=memory_id,
    )


_DECIDED = (Kind.ADD, Kind.MERGE, Kind.REPLACE, Kind.UPDATE, Kind.DROP, Kind.SPLIT, Kind.REJECT)


def _proposal(entry: Field, known: dict[str, Candidate]) -> Proposal:
    kind = _choice(entry["kind"], Kind)
    if kind not in _DECIDED:
        raise entry["kind"].breach(f"is {kind}", "Repairs of links are made by memgit itself.")
    names = entry.texts("candidates")
    base = known.get(names[0]) if len(names) == 1 else None
    memories = _ids(entry, "memories") or (base.targets if base else ())
    return Proposal(
        kind=kind,
        justification=entry["justification"].text(),
        evidence=_own_evidence(entry, kind) or (base.evidence if base else ()),
        memories=memories,
        drafts=_own_drafts(entry, kind, memories, base),
        candidates=names,
        claim=entry.text_of("claim", base.claim if base else ""),
        leaves_out=entry.texts("leaves_out"),
        confirm=_confirmation(entry),
    )


def _confirmation(entry: Field) -> str:
    return " ".join(entry.text_of("confirm").split())


def _own_evidence(entry: Field, kind: Kind) -> tuple[Evidence, ...]:
    field = entry.get("evidence")
    if field is None or (kind is Kind.REJECT and field.value == []):
        return ()
    return _evidence(field)


def _own_drafts(entry: Field, kind: Kind, memories: tuple[str, ...], base: Candidate | None) -> tuple[Draft, ...]:
    if kind in (Kind.DROP, Kind.REJECT):
        return ()
    if (result := entry.get("result")) is not None:
        return (_result(result, kind, memories),)
    if (drafts := entry.get("drafts")) is not None:
        items = drafts.items()
        return (_result(items[0], kind, memories),) if len(items) == 1 and kind is not Kind.SPLIT else _drafts(drafts)
    if base is None or not base.drafts:
        raise Field(None, f"{entry.path}.drafts").breach("is missing", f"Write out the text that the {kind} leaves.")
    return base.drafts


def _result(field: Field, kind: Kind, memories: tuple[str, ...]) -> Draft:
    name = field.text_of("id").removesuffix(".md")
    if kind in (Kind.REPLACE, Kind.UPDATE) and not name and len(memories) == 1:
        name = memories[0]
    return _draft(field, name, in_place=kind is Kind.MERGE)


# --- facts json ---
# Facts as JSON: what an agent hands in, and what is proposed to it.

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
