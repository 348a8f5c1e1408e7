"""What a sweep proposes, from the least destructive to the most: headers, exact duplicates, facts that were said,
episodes told once as a fact, and marks on what is superseded. Each memory is changed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from memgit.core.sweep.filing import (
    KINDS,
    Filed,
    Life,
    Marked,
    checkable,
    filed,
    headed,
    kind_named,
    listing,
    marked,
    newest_continuation,
    united,
)
from memgit.core.sweep.filing import (
    ORDER as ORDER_OF_FIELDS,
)
from memgit.core.sweep.knowledge import LOW, cooled
from memgit.likeness.pairs import opposed
from memgit.memory.memory import Dialect, new_path
from memgit.memory.shapes import key_of
from memgit.model.decision import Draft, Evidence, Kind, Proposal, Said, Seen
from memgit.model.store import Memory
from memgit.rulings.case import Case
from memgit.text.words import letters

DUPLICATE, HEADER, FACT, CONSOLIDATED, SUPERSEDED = "exact duplicate", "header", "fact", "consolidated", "superseded"
"""The claims of a sweep's proposals."""

ORDER = (HEADER, DUPLICATE, FACT, CONSOLIDATED, SUPERSEDED)
"""Claims from the least destructive on."""

AGE_OUT = timedelta(days=30)

MOST_MEMBERS = 12
Join = Callable[[Sequence[Memory], Memory], Draft]
Pairs = Iterable[tuple[str, str, float]]


@dataclass
class Sweeping:
    """A sweep under way: the store as filed, the day, and the memories that a proposal has taken already."""

    store: Sequence[Filed]
    today: date
    taken: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)

    def free(self, *lives: Life) -> list[Filed]:
        """Those of some lives that still stand and that nothing has been proposed for."""
        return [one for one in self.store if one.of(*lives) and one.stands and one.memory.id not in self.taken]

    def take(self, proposal: Proposal) -> Proposal:
        self.taken.update(proposal.memories)
        return proposal


def ordered(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The least destructive first; what has no claim of a sweep comes last."""
    return sorted(proposals, key=lambda each: ORDER.index(each.claim) if each.claim in ORDER else len(ORDER))


def bare(memory: Memory) -> Memory:
    """The memory as the fact beneath its marks."""
    return replace(memory, body=marked(memory.body).body)


def duplicates(sweep: Sweeping) -> Iterator[Proposal]:
    """Memories whose facts are the same word for word: the one that says most of itself stays, the others go."""
    same: defaultdict[str, list[Filed]] = defaultdict(list)
    for one in sweep.store:
        if one.stands and one.parts.body.strip() and not one.memory.pinned and one.memory.id not in sweep.taken:
            same[" ".join(one.parts.body.split())].append(one)
    for group in same.values():
        if len(group) > 1 and not any(one.of(Life.LATEST) for one in group):
            keeper = max(group, key=lambda one: (one.kind is not None, len(one.parts.fields), -len(one.key), one.key))
            yield sweep.take(_same(keeper, group))


def _same(keeper: Filed, group: Sequence[Filed]) -> Proposal:
    ordered = [keeper, *(one for one in group if one is not keeper)]
    told = [marked(one.memory.body) for one in ordered if one is not keeper]
    parts = united(keeper.parts, told, frozenset(one.key for one in group))
    return Proposal(
        Kind.MERGE,
        f"The same text word for word; {keeper.key} stays.",
        tuple(_line(one.memory) for one in ordered),
        tuple(one.memory.id for one in ordered),
        (_draft(keeper.memory, parts),),
        claim=DUPLICATE,
    )


def headers(sweep: Sweeping) -> Iterator[Proposal]:
    """A header for each memory that has none, or one that is not in the normal form; its text stays as it is."""
    for one in sweep.store:
        if one.kind is None or not one.stands or one.memory.id in sweep.taken or one.parts.text() == one.memory.body:
            continue
        yield sweep.take(
            Proposal(
                Kind.UPDATE,
                f"It is {one.kind}, by {one.why}; its text stays as it is.",
                (_line(one.memory),),
                (one.memory.id,),
                (_draft(one.memory, one.parts),),
                claim=HEADER,
            )
        )


def said(sweep: Sweeping, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """What was decided from the sessions, in this store's form; what a sweep does not do on that ground is refused."""
    known = {one.memory.id: one for one in sweep.store}
    for proposal in proposals:
        match proposal.kind:
            case Kind.REJECT:
                yield proposal
            case _ if set(proposal.memories) & sweep.taken or any(not known[name].stands for name in proposal.memories):
                yield _refused(proposal, "another proposal of this sweep, or an earlier one, is about the same memory")
            case Kind.ADD:
                yield replace(
                    proposal, drafts=tuple(_new(draft, proposal.evidence) for draft in proposal.drafts), claim=FACT
                )
            case Kind.REPLACE | Kind.UPDATE:
                drafts = tuple(_reworded(draft, known[proposal.memories[0]]) for draft in proposal.drafts)
                yield sweep.take(replace(proposal, drafts=drafts, claim=FACT))
            case Kind.MERGE if all(known[name].of(Life.DURABLE) for name in proposal.memories):
                yield sweep.take(_told_once(sweep, proposal, known[proposal.drafts[0].id or proposal.memories[0]]))
            case _:
                yield _refused(proposal, "a sweep forgets and splits nothing on the word of a session alone")


def _refused(proposal: Proposal, why: str) -> Proposal:
    reason = f"Not taken: {why}. (Proposed was: {proposal.kind}. {proposal.justification})"
    return replace(proposal, kind=Kind.REJECT, justification=reason, drafts=())


def _new(draft: Draft, evidence: Sequence[Evidence]) -> Draft:
    """A new fact with a header; one that nobody can check again is of low salience."""
    given = marked(draft.body)
    parts = headed(given, kind_named(given.fields.get("type", "")) or KINDS["lesson"], draft.name)
    if not checkable(draft.body):
        parts = parts.with_fields(salience=LOW)
    day = next((one.time[:10] for one in evidence if isinstance(one, Said) and one.time), "")
    return replace(draft, body=parts.with_fields(created=parts.fields.get("created") or day).text())


def _reworded(draft: Draft, old: Filed) -> Draft:
    given = marked(draft.body)
    return replace(draft, body=replace(_with(old.parts, given, old.memory.body), body=given.body).text())


def _with(own: Marked, given: Marked, text: str) -> Marked:
    """A memory's header with the fields that a wording brings: a kind that there is, and no more salience than its
    text bears, which is ``LOW`` where nobody can check it again."""
    fields = dict(given.fields)
    kind = kind_named(fields.pop("type", ""))
    if given.salience > int(LOW) and kind is not KINDS["correction"] and not checkable(text):
        fields["salience"] = LOW
    named = {name: fields[name] for name in ORDER_OF_FIELDS if name in fields}
    return own.with_fields(**({"type": str(kind)} if kind else {}), **named)


def _told_once(sweep: Sweeping, merge: Proposal, keeper: Filed) -> Proposal:
    """A merge that marks the other members instead of removing them."""
    others = [one for one in sweep.store if one.memory.id in merge.memories and one is not keeper]
    survivor = replace(_reworded(merge.drafts[0], keeper), id=keeper.memory.id)
    marks = (_draft(one.memory, superseded(one, keeper.key, sweep.today)) for one in others)
    return replace(merge, drafts=(survivor, *marks), claim=CONSOLIDATED)


def with_marks(sweep: Sweeping, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """What a host decides, in this store's form: a new fact gets a header, and a merge marks what it takes in."""
    known = {one.memory.id: one for one in sweep.store}
    for proposal in proposals:
        match proposal.kind:
            case Kind.ADD:
                yield replace(
                    proposal, drafts=tuple(_new(each, proposal.evidence) for each in proposal.drafts), claim=FACT
                )
            case Kind.REPLACE | Kind.UPDATE if proposal.memories[:1] and proposal.memories[0] in known:
                old = known[proposal.memories[0]]
                drafts = tuple(_reworded(each, old) for each in proposal.drafts)
                same = all(marked(each.body).body.strip() == old.parts.body.strip() for each in drafts)
                yield replace(proposal, drafts=drafts, claim=HEADER if same else FACT)
            case Kind.MERGE if proposal.drafts and known.keys() >= set(proposal.memories):
                yield _by_host(sweep, proposal, known)
            case _:
                yield proposal


def _by_host(sweep: Sweeping, merge: Proposal, known: Mapping[str, Filed]) -> Proposal:
    draft = merge.drafts[0]
    if draft.id in merge.memories:
        return _told_once(sweep, merge, known[draft.id])
    key = _fresh_key(sweep, draft.name)
    fact = replace(_new(draft, merge.evidence), id="", name=key)
    members = (known[name] for name in merge.memories)
    marks = (_draft(one.memory, superseded(one, key, sweep.today)) for one in members)
    return replace(merge, drafts=(fact, *marks), claim=CONSOLIDATED)


def consolidations(sweep: Sweeping, pairs: Pairs, join: Join) -> Iterator[Proposal]:
    """Episodes about one thing, told once as a fact that lasts; their records are marked, not removed."""
    for group in _clusters(sweep.free(Life.RETIRED), pairs):
        yield sweep.take(_consolidated(sweep, group, join))


def _clusters(free: Sequence[Filed], pairs: Pairs) -> Iterator[list[Filed]]:
    """Groups of episodes that are near each other and share a tag or a reference, each with two or more."""
    by_id = {one.memory.id: one for one in free}
    group_of = {name: [name] for name in by_id}
    for one, other, _ in pairs:
        if one in by_id and other in by_id and _belong(by_id[one], by_id[other]):
            first, second = group_of[one], group_of[other]
            if first is not second and len(first) + len(second) <= MOST_MEMBERS:
                first += second
                group_of |= dict.fromkeys(second, first)
    seen: set[int] = set()
    for group in group_of.values():
        if len(group) > 1 and id(group) not in seen:
            seen.add(id(group))
            yield sorted((by_id[name] for name in group), key=lambda one: (one.day, one.key))


def _belong(one: Filed, other: Filed) -> bool:
    """Whether two records are of one theme, and neither contradicts the other."""
    return bool(_theme(one) & _theme(other)) and not opposed(bare(one.memory), bare(other.memory))


def _theme(one: Filed) -> frozenset[str]:
    return frozenset((*one.parts.listed("tags"), *one.parts.listed("refs")))


def _consolidated(sweep: Sweeping, group: Sequence[Filed], join: Join) -> Proposal:
    members = [bare(one.memory) for one in group]
    wording = join(members, max(members, key=lambda member: (len(member.body), member.id)))
    shared = frozenset.intersection(*(_theme(one) for one in group)) or _theme(group[0])
    tags = tuple(tag for tag in group[0].parts.listed("tags") if tag in shared) or tuple(sorted(shared))
    name = "-".join(("lesson", *tags))[:60]
    key = _fresh_key(sweep, name)
    parts = Marked(
        {
            "type": str(KINDS["lesson"]),
            "created": sweep.today.isoformat(),
            "salience": "4" if checkable(wording.body) else LOW,
            "refs": listing(tuple(one.key for one in group)),
            "tags": listing(tags),
        },
        body=wording.body,
    )
    fact = Draft(key, f"What the records on {', '.join(tags)} say", "project", parts.text())
    marks = (_draft(one.memory, superseded(one, key, sweep.today)) for one in group)
    return Proposal(
        Kind.MERGE,
        f"{len(group)} records of one theme ({', '.join(tags)}), told once as {key}; they are marked, not removed.",
        tuple(_line(one.memory) for one in group),
        tuple(one.memory.id for one in group),
        (fact, *marks),
        claim=CONSOLIDATED,
        asks=f"Are these {len(group)} records one lesson?",
    )


def _fresh_key(sweep: Sweeping, name: str) -> str:
    """The key that a new memory of this name gets."""
    taken = {*(one.memory.path for one in sweep.store), *sweep.paths}
    path = new_path(Draft(name, "", "", ""), Dialect(), taken)
    sweep.paths.add(path)
    return key_of(path) or name


def forgotten(sweep: Sweeping) -> Iterator[Proposal]:
    """Marks on what is superseded: every continuation but the newest, and old records that another memory holds."""
    newest = newest_continuation(sweep.store)
    for one in sweep.free(Life.LATEST):
        if newest and one is not newest:
            yield sweep.take(_marked(one, newest, sweep.today, f"{newest.key} goes on from it."))
    for one in sweep.free(Life.RETIRED):
        if _is_old(one, sweep.today) and (holder := _holder(one, sweep.store)):
            yield sweep.take(_marked(one, holder, sweep.today, f"{holder.key} holds all that it says."))


def _is_old(one: Filed, today: date) -> bool:
    try:
        return today - date.fromisoformat(one.day) > AGE_OUT
    except ValueError:
        return False


def _holder(one: Filed, store: Sequence[Filed]) -> Filed | None:
    """A lasting memory that says all that a record says."""
    told = letters(one.parts.body)
    lasting = (other for other in store if other.of(Life.DURABLE) and other.stands)
    return next((other for other in lasting if told and told in letters(bare(other.memory).body)), None)


def _marked(one: Filed, by: Filed, today: date, why: str) -> Proposal:
    return Proposal(
        Kind.UPDATE,
        f"{why} Its text stays, marked as superseded.",
        (_line(by.memory),),
        (one.memory.id,),
        (_draft(one.memory, superseded(one, by.key, today)),),
        claim=SUPERSEDED,
    )


def superseded(one: Filed, by: str, today: date) -> Marked:
    """The text with the mark in front, and a salience that keeps it out of sight."""
    return replace(one.parts, superseded=(today.isoformat(), by)).with_fields(salience="1")


def _draft(memory: Memory, parts: Marked) -> Draft:
    return Draft(memory.name, memory.description, memory.type, parts.text(), memory.id)


def _line(memory: Memory) -> Seen:
    """The first line that says something of a memory's fact, as evidence that it is there."""
    lines = (text.strip() for text in marked(memory.body).body.split("\n"))
    return Seen(f"memory:{memory.id}", next((text for text in lines if text), memory.body.strip())[:300])


# --- guards ---
# What every sweep's proposals must keep to, whoever proposes them; and how the common guards read marked memories.


def forbidden(proposal: Proposal, case: Case) -> str | None:
    """Why a sweep must not do this, or None: nothing is lost for good but exact duplicates and cited noise, a mark
    names a memory that is there, and the newest continuation stays."""
    kept = {draft.id for draft in proposal.drafts}
    gone = [memory for memory in case.of(proposal.memories) if memory.id not in kept]
    marks = [draft for draft in proposal.drafts if draft.id and marked(draft.body).superseded]
    retired = {*(memory.id for memory in gone), *(draft.id for draft in marks if _is_new(draft, case))}
    return (
        _retires_newest(retired, case)
        or _forgets(proposal, gone, case)
        or _names_nothing(proposal, marks, case)
        or _shrinks(proposal, marks, case)
    )


def only_marks(proposal: Proposal, case: Case) -> bool:
    """Whether a change leaves every fact as it is, and only what is said of it in front is another."""
    return proposal.kind is Kind.UPDATE and all(
        marked(draft.body).body.strip() == marked(case.memories[draft.id].body).body.strip()
        and draft.body != case.memories[draft.id].body
        for draft in proposal.drafts
    )


def beneath(proposal: Proposal, case: Case) -> tuple[Proposal, Case]:
    """Proposal and case as the facts beneath the marks; a merge without the members that it only marks."""
    facts = {name: replace(memory, body=marked(memory.body).body) for name, memory in case.memories.items()}
    drafts = [replace(draft, body=marked(draft.body).body) for draft in proposal.drafts]
    if proposal.kind is Kind.MERGE:
        drafts = drafts[:1]
    return replace(proposal, drafts=tuple(drafts)), replace(case, memories=facts)


def _retires_newest(retired: set[str], case: Case) -> str | None:
    if not retired:
        return None
    newest = newest_continuation(filed(case.memories.values()))
    if newest is None or newest.memory.id not in retired:
        return None
    return f"{newest.key} is the newest continuation; it is never retired."


def _forgets(proposal: Proposal, gone: list[Memory], case: Case) -> str | None:
    """What goes for good must stand word for word in what stays, or be noise by something outside the store."""
    cited = any(not (isinstance(one, Seen) and one.where.startswith("memory:")) for one in proposal.evidence)
    if proposal.kind is Kind.DROP and (beads := _beads(proposal, case)):
        return next((reason for one in gone if (reason := _is_not_moved(one, beads))), None)
    if proposal.kind is Kind.DROP and cited:
        return next((f"{one.id} is no noise: it lasts." for one in gone if _lasts(one)), None)
    stays = [case.memories[name] for name in case.memories.keys() - {memory.id for memory in gone}]
    for memory in gone:
        if not any(_fact(memory) == _fact(other) for other in stays):
            return f"{memory.id} would be gone for good, and no memory that stays is its exact duplicate."
    return None


def _beads(proposal: Proposal, case: Case) -> list[str]:
    """The texts of the beads that a proposal cites."""
    places = [one.where for one in proposal.evidence if isinstance(one, Seen) and one.where.startswith("bead:")]
    return [" ".join(((case.tree_text and case.tree_text(place)) or "").split()) for place in places]


def _is_not_moved(memory: Memory, beads: list[str]) -> str | None:
    """Why a memory may not go into a bead: none that is cited holds all of it, or it is one that sessions are told."""
    (one,) = filed([memory])
    if not any(_fact(memory) in text for text in beads):
        return f"{memory.id} would be gone for good, and no bead that is cited holds all that it says."
    return f"{memory.id} lasts, and has not cooled." if one.of(Life.DURABLE) and not cooled(one) else None


def _lasts(memory: Memory) -> bool:
    (one,) = filed([memory])
    return one.of(Life.DURABLE)


def _names_nothing(proposal: Proposal, marks: list[Draft], case: Case) -> str | None:
    """A mark names a memory of the store that stands, or the one that the same decision writes."""
    written = {draft.name for draft in proposal.drafts if not draft.id}
    known = written | set(_standing_keys(case))
    for draft in marks:
        _, key = marked(draft.body).superseded or ("", "")
        if key not in known and _is_new(draft, case):
            return f"{draft.id} would be marked as superseded by {key[:80]!r}, which is no memory that stands."
    return None


def _shrinks(proposal: Proposal, marks: list[Draft], case: Case) -> str | None:
    """A mark leaves the text as it is, and only the user's word takes a part of one away."""
    if torn := next((draft for draft in marks if _folded(draft.body) != _fact(case.memories[draft.id])), None):
        return f"{torn.id} would be marked as superseded with another text than its own."
    if proposal.kind not in (Kind.UPDATE, Kind.REPLACE) or any(isinstance(one, Said) for one in proposal.evidence):
        return None
    lost = (draft.id for draft in proposal.drafts if _fact(case.memories[draft.id]) not in _folded(draft.body))
    return next((f"{name} would say less than it does, and no user said so." for name in lost), None)


def _standing_keys(case: Case) -> Iterator[str]:
    return (one.key for one in filed(case.memories.values()) if one.stands)


def _is_new(draft: Draft, case: Case) -> bool:
    """Whether the draft brings a mark that its memory does not have."""
    return marked(draft.body).superseded != marked(case.memories[draft.id].body).superseded


def _fact(memory: Memory) -> str:
    return _folded(memory.body)


def _folded(text: str) -> str:
    return " ".join(marked(text).body.split())
