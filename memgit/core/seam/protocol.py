"""JSON at the host seam: what a host's miners and decider hand in, and what they are given to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from memgit.core.passes.pass_json import batch_file, digest_json, pass_json
from memgit.core.passes.records import (
    dump_decisions,
    dump_digests,
    dump_plan,
    dump_replies,
    load_decisions,
    load_digests,
    load_plan,
    load_replies,
)
from memgit.core.seam.brief import brief
from memgit.core.seam.reply import Field, read_reply
from memgit.core.seam.schemas import CANDIDATES, DECISIONS, schema_candidates, schema_decisions
from memgit.model.decision import Candidate, Draft, Evidence, Intent, Kind, Opinion, Proposal, Said, Seen
from memgit.model.verification import MemoryClass
from memgit.rulings.reduce import Bounded, bound
from memgit.text.layout import line

__all__ = [
    "CANDIDATES",
    "DECISIONS",
    "batch_file",
    "brief",
    "digest_json",
    "dump_decisions",
    "dump_digests",
    "dump_plan",
    "dump_replies",
    "goes_on",
    "load_decisions",
    "load_digests",
    "load_plan",
    "load_replies",
    "parse_again",
    "parse_candidates",
    "parse_decisions",
    "parse_opinions",
    "pass_json",
    "schema_candidates",
    "schema_decisions",
]


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
