"""What may be wrong with a proposal and cannot be known without understanding a sentence: doubts, one function each.

A doubt marks, with one sentence and the words it is about; it never refuses. Those that hang on how a sentence reads
are weighed together (``signs``): a proposal is marked where the weights, fitted on labelled proposals, say that such
ones are wrong more often than right, and it is told what spoke most for that. The others each look at one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memgit.evidence.findings import personal, steering
from memgit.evidence.voices import typed
from memgit.model.decision import Doubt, Kind, Proposal, Said
from memgit.rulings.case import TRIVIA, Case
from memgit.rulings.facts import moment, wording
from memgit.rulings.signs import suspicious
from memgit.text.details import details, lost, missing
from memgit.text.language import DEFAULT, language, lexicon
from memgit.text.words import sentences, terms

Looking = Callable[[Proposal, Case], Doubt | None]


def doubts_of(proposal: Proposal, case: Case, *, strict: bool = False) -> Iterator[Doubt]:
    """Everything that is doubted of a well-shaped proposal whose evidence was found. ``strict`` asks for more than is
    worth a host's time: for what nobody stands beside."""
    looks = (*DOUBTS, *STRICT) if strict else DOUBTS
    yield from (doubt for look in looks if (doubt := look(proposal, case)))
    yield from suspicious(proposal, case)


def was_taken_back(proposal: Proposal, case: Case) -> Doubt | None:
    """All that is cited stands on a branch of its session that the user left."""
    places = list(case.places(proposal.evidence))
    if not places or not all(place.message.taken_back for place in places):
        return None
    return Doubt(
        "taken-back",
        "The user went back behind this in the session and went on with something else.",
        places[-1].sentence,
        "cite where the user says it again, or confirm that it still holds",
    )


def may_be_called_off(proposal: Proposal, case: Case) -> Doubt | None:
    """Something that the user says later shares the words of what is cited and reads like taking it back."""
    places = list(case.places(proposal.evidence))
    if not places:
        return None
    last = case.prose.latest(places)
    words = case.texts.lexicon(last.message.session)
    quote = " ".join(place.text[place.start : place.end] for place in places)
    for passage in case.prose.later(last):
        before = ""
        for sentence in (one.text for one in sentences(typed(passage.message.text))):
            told = f"{before} {sentence}"
            if words.found("retract", sentence) and case.texts.weights.held(quote, told) >= _CALLED_OFF:
                return Doubt("called-off", "The user may take it back later.", told.strip(), "cite what holds now")
            before = sentence
    return None


_CALLED_OFF = 0.17
"""Share of the quote's telling words that stand where the user takes something back."""


def is_older_than_the_file(proposal: Proposal, case: Case) -> Doubt | None:
    """The memory's file is younger than what is cited; nothing but the file's own time tells when it was written."""
    if proposal.kind not in (Kind.REPLACE, Kind.UPDATE, Kind.DROP):
        return None
    times = [moment(one.time) for one in proposal.evidence if isinstance(one, Said) and one.time]
    for memory in case.of(proposal.memories):
        written = case.written(memory)
        if times and written and max(times) <= written.time:
            told = f"The file of {memory.id} is from {written.time:%Y-%m-%d %H:%M}, later than what is cited."
            return Doubt("older", told, memory.description, "cite a later statement, or confirm that this one is newer")
    return None


def joins_without_a_detail(proposal: Proposal, case: Case) -> Doubt | None:
    """A value, name or path of the members is in no result of a merge or split, and not named as left out."""
    return _loses(proposal, case) if proposal.kind in (Kind.MERGE, Kind.SPLIT) else None


def replaces_without_a_detail(proposal: Proposal, case: Case) -> Doubt | None:
    """The same of a replacement, for which an old value has to go in any case."""
    return _loses(proposal, case) if proposal.kind in (Kind.REPLACE, Kind.UPDATE) else None


def _loses(proposal: Proposal, case: Case) -> Doubt | None:
    after = "\n\n".join(wording(draft) for draft in proposal.drafts)
    before = [memory.text for memory in case.of(proposal.memories)]
    gone = lost(before, after, proposal.leaves_out)
    new = list(missing(details(after), "\n".join(before))) if proposal.kind in (Kind.REPLACE, Kind.UPDATE) else []
    if len(gone) <= len(new):
        return None
    more = f" and {len(gone) - 6} more" if len(gone) > 6 else ""
    listed = ", ".join(f'"{detail.text}"' for detail in gone[:6]) + more
    return Doubt("loses", f"It would lose {listed}.", listed, "keep it, or name it in leaves_out")


def rewrites_nearly_all(proposal: Proposal, case: Case) -> Doubt | None:
    """Hardly anything of the old text is left, nor named as left out."""
    if proposal.kind not in (Kind.REPLACE, Kind.UPDATE):
        return None
    (memory,), (draft,) = case.of(proposal.memories), proposal.drafts
    old = set(terms(memory.text))
    kept = old & set(terms(f"{wording(draft)}\n{' '.join(proposal.leaves_out)}"))
    if len(kept) >= _KEPT * len(old):
        return None
    told = f"It keeps {len(kept)} of the {len(old)} words of {memory.id}."
    return Doubt(
        "rewrites", told, memory.description, "keep what the evidence does not touch, or confirm that all of it goes"
    )


_KEPT = 0.3
"""Share of a memory's words that a replacement keeps at least: of labelled right ones none keeps less."""


def says_what_nobody_said(proposal: Proposal, case: Case) -> Doubt | None:
    """A value or name of the result is in no old text, in nothing that is cited, and in none of its sessions."""
    sessions = {one.session for one in proposal.evidence if isinstance(one, Said)}
    said = [passage.text for name in sessions for passage in case.prose.sessions.get(name, ())]
    cited = [one.quote for one in proposal.evidence]
    known = "\n".join([*said, *cited, *(memory.text for memory in case.of(proposal.memories))])
    for draft in proposal.drafts:
        if fresh := list(missing(details(f"{draft.description}\n{draft.body}"), known)):
            listed = ", ".join(f'"{detail.text}"' for detail in fresh[:4])
            return Doubt("unsaid", f"Nobody said {listed}.", listed, "cite where it was said, or leave it away")
    return None


def may_last(proposal: Proposal, _case: Case) -> Doubt | None:
    """It would drop a memory as passing, and nothing in the lines that are cited for that sounds so."""
    if proposal.claim != TRIVIA:
        return None
    cited = "\n".join(one.quote for one in proposal.evidence)
    words = (lexicon(language(cited) or DEFAULT), lexicon(DEFAULT))
    if any(each.found("passing", cited) for each in words):
        return None
    return Doubt(
        "lasting", "Nothing in the cited lines sounds as if it were soon over.", cited, "cite the line that does"
    )


def steers(proposal: Proposal, case: Case) -> Doubt | None:
    """The result reads as if it gave orders to whoever reads it, and what is cited does not."""
    known = [memory.text for memory in case.of(proposal.memories)] + [one.quote for one in proposal.evidence]
    before = {finding.kind for each in known for finding in steering(each)}
    for draft in proposal.drafts:
        text = wording(draft)
        if found := next((each for each in steering(text) if each.kind not in before), None):
            words = text[found.start : found.end]
            return Doubt("steers", f"Its text could steer an agent ({found.kind}).", words, "word it as a fact")
    return None


def carries_personal_data(proposal: Proposal, case: Case) -> Doubt | None:
    """It brings personal data into a memory that neither the user's words nor the old text hold."""
    own = "\n".join(
        [*(memory.text for memory in case.of(proposal.memories)), *(one.quote for one in proposal.evidence)]
    )
    for draft in proposal.drafts:
        text = wording(draft)
        if found := next((each for each in personal(text) if text[each.start : each.end] not in own), None):
            told = f"It would carry personal data into a memory ({found.kind})."
            return Doubt("personal", told, found.kind, "leave it away, or cite where the user gave it")
    return None


def rests_on_an_answer(proposal: Proposal, case: Case) -> Doubt | None:
    """A person's own rule rests on a short answer to what the agent said: whether it means yes is judgement."""
    said = [one for one in proposal.evidence if isinstance(one, Said)]
    if not said or not case.protected(proposal) or not all(one.answers for one in said):
        return None
    if max(len(one.quote) for one in said) > _SHORT:
        return None
    told = "It becomes the user's own rule by a short answer to the agent."
    return Doubt("answer", told, said[0].quote, "confirm that the answer means it, or cite the user's own words")


_SHORT = 24
"""Characters of an answer below which it says little without what it answers."""

DOUBTS: Sequence[Looking] = (
    was_taken_back,
    may_be_called_off,
    is_older_than_the_file,
    joins_without_a_detail,
    rewrites_nearly_all,
    may_last,
    steers,
    carries_personal_data,
    rests_on_an_answer,
)

STRICT: Sequence[Looking] = (replaces_without_a_detail, says_what_nobody_said)
"""Doubts that mark right proposals as often as wrong ones where a careful host words them, and that stop what careless
models make up and leave out."""
