"""Evidence is looked up, never believed: a quote stands word for word where it says it does, or it is void."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from memgit.evidence.findings import whole
from memgit.evidence.masks import MASK
from memgit.evidence.voices import Voice, stretches
from memgit.model.decision import FactName, Said, Seen
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import Memory

TreeText = Callable[[str], str | None]
"""The text that now stands at ``tree:<path>:<line>`` or in ``commit:<hash>``, or None."""

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters that stand beside others without a space, or with endings glued to them: a quote may begin and end there."""

_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Void:
    """Evidence that does not count: the fact that says so, and a sentence with the quote and what would mend it."""

    fact: FactName
    says: str


@dataclass(frozen=True)
class Passage:
    """A message as quotes are looked up in it: white space folded, every stretch of it with its voice."""

    message: Message

    @cached_property
    def text(self) -> str:
        return fold(self.message.text)

    @cached_property
    def voices(self) -> tuple[tuple[int, int, Voice], ...]:
        """Begin, end and voice of the stretches of ``text``; all of it is typed in what the agent says."""
        if self.message.role is not Role.USER:
            return ((0, len(self.text), Voice.TYPED),)
        found: list[tuple[int, int, Voice]] = []
        at = 0
        for each in stretches(whole(self.message.text)):
            folded = fold(whole(self.message.text)[each.start : each.end])
            if folded:
                at = self.text.index(folded, at)
                found.append((at, at + len(folded), each.voice))
                at += len(folded)
        return tuple(found)

    def occurrences(self, quote: str) -> Iterator[Place]:
        """Where a folded quote stands as whole words."""
        at = self.text.find(quote)
        while at >= 0:
            if _whole_words(self.text, at, at + len(quote)):
                yield Place(self, at, at + len(quote))
            at = self.text.find(quote, at + 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: the passage, and the span in its folded text."""

    passage: Passage
    start: int
    end: int

    @property
    def message(self) -> Message:
        return self.passage.message

    @property
    def text(self) -> str:
        return self.passage.text

    @property
    def voice(self) -> Voice:
        """Whose words the quote is. A quote that is only in part typed is not typed."""
        over = [voice for start, end, voice in self.passage.voices if start < self.end and self.start < end]
        return next((voice for voice in over if voice is not Voice.TYPED), Voice.TYPED)

    @property
    def sentence(self) -> str:
        """The whole sentence around the quote, as far as its stretch goes."""
        ends = [match.end() for match in _SENTENCE_END.finditer(self.text)]
        ends += [edge for start, end, _ in self.passage.voices for edge in (start, end)]
        first = max((end for end in ends if end <= self.start), default=0)
        last = min((end for end in ends if end >= self.end), default=len(self.text))
        return self.text[first:last].strip()


class Prose:
    """The frozen messages of a pass, by session, oldest first; each is folded once, when it is first asked for."""

    def __init__(self, digests: Iterable[Digest]) -> None:
        sessions: dict[str, list[Passage]] = {}
        for message in (message for digest in digests for message in digest.messages):
            sessions.setdefault(message.session, []).append(Passage(message))
        self.sessions: Mapping[str, Sequence[Passage]] = sessions

    def session(self, name: str) -> Sequence[Passage] | Void:
        """The passages of one session, by its id or a prefix of eight characters and more."""
        wanted = [name] if name in self.sessions else []
        if not wanted and len(name) >= 8:
            wanted = [each for each in self.sessions if each.startswith(name)]
        if not wanted:
            return Void(
                FactName.NO_SESSION, f"Session {whole(name)[:40] or '(none)'} is not among those that this pass read."
            )
        if len(wanted) > 1:
            return Void(FactName.NO_SESSION, f"Session {name} is ambiguous: {', '.join(sorted(wanted))}.")
        return self.sessions[wanted[0]]

    def locate(self, evidence: Said) -> Place | Void:
        """Where a person typed the quote in its session, in answer to what it is said to answer: the latest such place,
        one that was not taken back first."""
        quote = fold(evidence.quote)
        if not re.search(r"\w", quote):
            return Void(FactName.QUOTE, "The quote is empty.")
        if MASK.search(quote):
            return Void(FactName.MASKED, "The quote holds a masked secret.")
        passages = self.session(evidence.session)
        if isinstance(passages, Void):
            return passages
        places = [place for passage in passages for place in passage.occurrences(quote)]
        if not places:
            return Void(
                FactName.QUOTE, f'No message of session {evidence.session[:8]} says "{_short(quote)}" word for word.'
            )
        reasons = [(place, _void(place)) for place in reversed(places)]
        good = [place for place, reason in reasons if reason is None]
        if not good:
            return next(reason for _, reason in reasons if reason)
        answering = [place for place in good if self._answers(place, fold(evidence.answers))]
        standing = [place for place in answering if not place.message.taken_back]
        return next(iter(standing or answering), None) or Void(
            FactName.ANSWER,
            f'What the agent said just before "{_short(quote)}" does not hold "{_short(fold(evidence.answers))}".',
        )

    def _answers(self, place: Place, asked: str) -> bool:
        return not asked or any(True for each in self.answered(place) for _ in each.occurrences(asked))

    def answered(self, place: Place) -> Sequence[Passage]:
        """What the agent said since the user's message before: what the message at a place directly answers."""
        passages = self.sessions[place.message.session]
        at = next(number for number, passage in enumerate(passages) if passage is place.passage)
        before = at
        while before and passages[before - 1].message.role is Role.ASSISTANT:
            before -= 1
        return passages[before:at]

    def latest(self, places: Sequence[Place]) -> Place:
        """The place that was said last, by the records' times."""
        return max(places, key=lambda place: place.message.time.timestamp() if place.message.time else 0.0)

    def later(self, place: Place) -> Iterator[Passage]:
        """What people said after the message at a place, in its session and in others, by the records' times."""
        since = place.message.time
        passages = self.sessions[place.message.session]
        at = next(number for number, passage in enumerate(passages) if passage is place.passage)
        mine = [*passages[at + 1 :]]
        others = (
            passage
            for name, passages in self.sessions.items()
            if name != place.message.session
            for passage in passages
            if since and passage.message.time and passage.message.time > since
        )
        return (passage for passage in (*mine, *others) if is_a_persons(passage.message))


def is_a_persons(message: Message) -> bool:
    """Whether a person wrote a message and let it stand."""
    return message.role is Role.USER and message.origin is not Origin.PROGRAM and not message.taken_back


def fold(text: str) -> str:
    """White space runs as one space, none at the ends, lone surrogates replaced; nothing else is changed."""
    return " ".join(whole(text).split())


def find_said(evidence: Said, prose: Prose) -> Said | Void:
    """``evidence`` completed with record and time, or why it is void."""
    place = prose.locate(evidence)
    if isinstance(place, Void):
        return place
    return replace(
        evidence,
        session=place.message.session,
        quote=fold(evidence.quote),
        answers=fold(evidence.answers),
        record=place.message.record,
        time=place.message.time.isoformat() if place.message.time else "",
    )


def find_seen(evidence: Seen, memories: Iterable[Memory], tree_text: TreeText | None) -> Seen | Void:
    """``evidence`` with its quote folded, or why it is void."""
    quote = fold(evidence.quote)
    if not quote:
        return Void(FactName.QUOTE, f"The quote from {evidence.where} is empty.")
    text = _text_at(evidence.where, memories, tree_text)
    if text is None:
        return Void(FactName.QUOTE, f"There is nothing at {evidence.where} to look at.")
    if quote not in fold(text):
        return Void(FactName.QUOTE, f'{evidence.where} does not say "{_short(quote)}".')
    return replace(evidence, quote=quote)


_FOREIGN = {
    Voice.PASTED: "is in a paste",
    Voice.FENCED: "stands between code fences",
    Voice.QUOTED: 'stands in lines that quote somebody (">")',
}


def _void(place: Place) -> Void | None:
    """Why what stands at a place is not what a person typed."""
    quote = _short(place.text[place.start : place.end])
    if any(match.start() < place.end and place.start < match.end() for match in MASK.finditer(place.text)):
        return Void(FactName.MASKED, "The quote overlaps a masked secret.")
    if place.message.role is Role.ASSISTANT:
        return Void(FactName.AGENT, f'Only the agent said "{quote}"; cite what the user answered to it.')
    if place.message.origin is Origin.PROGRAM:
        return Void(FactName.PROGRAM, f'"{quote}" was sent by a program, not typed by a person.')
    if place.voice is not Voice.TYPED:
        return Void(FactName.NOT_TYPED, f'"{quote}" {_FOREIGN[place.voice]}; cite what the user typed.')
    return None


def _whole_words(text: str, start: int, end: int) -> bool:
    return not (_joined(text[start - 1 : start], text[start]) or _joined(text[end - 1], text[end : end + 1]))


def _joined(left: str, right: str) -> bool:
    """True when two characters belong to one word."""
    return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def _text_at(where: str, memories: Iterable[Memory], tree_text: TreeText | None) -> str | None:
    kind, _, rest = where.partition(":")
    if kind == "memory":
        return next((memory.text for memory in memories if memory.id == rest), None)
    if kind in ("tree", "commit", "bead") and tree_text is not None:
        return tree_text(where)
    return None


def _short(quote: str) -> str:
    return quote if len(quote) <= 60 else f"{quote[:59]}…"
