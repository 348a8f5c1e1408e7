"""Evidence is looked up, never believed: a quote stands word for word where it says it does, or it is void."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from memgit.core.screening.findings import MASK, whole
from memgit.model.decision import Said, Seen
from memgit.model.session import Digest, Message, Origin, Role
from memgit.model.store import Memory

TreeText = Callable[[str], str | None]
"""The text that now stands at ``tree:<path>:<line>`` or in ``commit:<hash>``, or None."""

ACCEPTED = "assistant, accepted"
"""``Said.by`` of assistant prose that the user's next message accepts."""

ACCEPTANCES = (
    "yes", "yep", "yeah", "yup", "ok", "okay", "k", "sure", "agreed", "i agree", "right", "correct", "exactly",
    "do it", "do that", "go ahead", "go for it", "sounds good", "looks good", "lgtm", "perfect", "great", "good",
    "fine", "that works", "works for me", "make it so", "ship it", "approved", "let's do that", "let's do it",
    "that's right", "ja", "genau", "passt", "oui", "d'accord", "sí", "si", "vale", "sim", "da",
)  # fmt: skip
"""What a user's message must consist of, alone or one after another, to accept what the assistant just said.
Words of mere politeness may stand between."""

_POLITE = re.compile(r"\b(?:please|thanks|thank you|thx|danke|bitte|merci|gracias)\b")

MIN_CHARACTERS = 8
MIN_WORDS = 2
MIN_UNSPACED = 4
"""A quote in a script without spaces between words needs this many characters instead."""

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_NEGATION = re.compile(
    r"(?:\b(?:not|never|no|cannot|without|stop|nie|nicht|kein\w*|nunca|jamais)|n['’]t)\s*$", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: the message, its folded text, and the span in that text."""

    message: Message
    text: str
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """The whole sentence around the quote."""
        ends = [match.end() for match in _SENTENCE_END.finditer(self.text)]
        return self._between(ends)

    @property
    def statement(self) -> str:
        """The sentence around the quote as far as it stands on the lines that the quote is on."""
        ends = [match.end() for match in _SENTENCE_END.finditer(self.text)]
        return self._between([*ends, *self._line_ends()])

    @property
    def line(self) -> str:
        """The whole of the first line that the quote is on, white space folded."""
        ends = self._line_ends()
        first = max((end for end in ends if end <= self.start), default=0)
        return self.text[first : min(end for end in ends if end > self.start)].strip()

    def _between(self, ends: Sequence[int]) -> str:
        first = max((end for end in ends if end <= self.start), default=0)
        last = min((end for end in ends if end >= self.end), default=len(self.text))
        return self.text[first:last].strip()

    def _line_ends(self) -> list[int]:
        """Where the message's lines end in the folded text."""
        lengths = (len(folded) + 1 for line in whole(self.message.text).splitlines() if (folded := fold(line)))
        return list(accumulate(lengths))


def fold(text: str) -> str:
    """White space runs as one space, none at the ends, lone surrogates replaced; nothing else is changed."""
    return " ".join(whole(text).split())


def find_said(evidence: Said, digests: Iterable[Digest]) -> Said | str:
    """``evidence`` completed with record, time and speaker, or the sentence that says why it is void."""
    place = locate(evidence, digests)
    if isinstance(place, str):
        return place
    message = place.message
    return replace(
        evidence,
        session=message.session,
        quote=fold(evidence.quote),
        record=message.record,
        time=message.time.isoformat() if message.time else "",
        by="user" if message.role is Role.USER else ACCEPTED,
    )


def locate(evidence: Said, digests: Iterable[Digest]) -> Place | str:
    """Where the quote stands in one kept message of its session, the user's latest such message first."""
    quote = fold(evidence.quote)
    if reason := _unfit(quote):
        return reason
    messages = _session_messages(evidence.session, digests)
    if isinstance(messages, str):
        return messages
    places = [place for message in messages if (place := _place(message, quote))]
    if not places:
        return f'No message of session {evidence.session[:8]} says "{_short(quote)}" word for word.'
    return _best(places, messages)


def find_seen(evidence: Seen, memories: Iterable[Memory], tree_text: TreeText | None) -> Seen | str:
    """``evidence`` with its quote folded, or the sentence that says why it is void."""
    quote = fold(evidence.quote)
    if not quote:
        return f"The quote from {evidence.where} is empty."
    text = _text_at(evidence.where, memories, tree_text)
    if text is None:
        return f"There is nothing at {evidence.where} to look at."
    if quote not in fold(text):
        return f'{evidence.where} does not say "{_short(quote)}".'
    return replace(evidence, quote=quote)


def accepts(message: Message) -> bool:
    """True for a typed user message that is nothing but words of acceptance."""
    return message.role is Role.USER and message.origin is not Origin.PROGRAM and agrees(message.text)


def agrees(text: str) -> bool:
    """True for nothing but words of acceptance."""
    words = _POLITE.sub(" ", re.sub(r"[^\w']+", " ", text.lower().replace("’", "'")))
    return _only_acceptances(" ".join(words.split()))


def _only_acceptances(words: str) -> bool:
    phrases = sorted(ACCEPTANCES, key=len, reverse=True)
    while words:
        phrase = next((phrase for phrase in phrases if f"{words} ".startswith(f"{phrase} ")), None)
        if phrase is None:
            return False
        words = words[len(phrase) :].lstrip()
        if not words:
            return True
    return False


def _unfit(quote: str) -> str | None:
    if not quote:
        return "The quote is empty."
    if MASK.search(quote):
        return "The quote holds a masked secret."
    unspaced = bool(_UNSPACED.search(quote))
    short = len(quote) < MIN_UNSPACED if unspaced else len(quote) < MIN_CHARACTERS or len(quote.split()) < MIN_WORDS
    if short:
        return f'The quote "{_short(quote)}" is too short to show anything.'
    return None


def _session_messages(session: str, digests: Iterable[Digest]) -> Sequence[Message] | str:
    everything = [message for digest in digests for message in digest.messages]
    ids = {message.session for message in everything}
    wanted = {session} & ids or ({name for name in ids if name.startswith(session)} if len(session) >= 8 else set())
    if not wanted:
        return f"Session {whole(session)[:40] or '(none)'} is not among those that this pass read."
    if len(wanted) > 1:
        return f"Session {session} is ambiguous: {', '.join(sorted(wanted))}."
    (one,) = wanted
    return [message for message in everything if message.session == one]


def _place(message: Message, quote: str) -> Place | None:
    text = fold(message.text)
    at = text.find(quote)
    while at >= 0:
        if _whole_words(text, at, at + len(quote)):
            return Place(message, text, at, at + len(quote))
        at = text.find(quote, at + 1)
    return None


def _whole_words(text: str, start: int, end: int) -> bool:
    return not (_joined(text[start - 1 : start], text[start]) or _joined(text[end - 1], text[end : end + 1]))


def _joined(left: str, right: str) -> bool:
    """True when two characters belong to one word."""
    return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def _best(places: Sequence[Place], messages: Sequence[Message]) -> Place | str:
    """The latest place where the user says it, else where the assistant does; or why the first choice is void."""
    by_user = [place for place in places if place.message.role is Role.USER]
    by_assistant = [place for place in places if place.message.role is Role.ASSISTANT]
    reasons: list[str] = []
    for place in (*reversed(by_user), *reversed(by_assistant)):
        reason = _void(place, messages)
        if reason is None:
            return place
        reasons.append(reason)
    return reasons[0]


def _void(place: Place, messages: Sequence[Message]) -> str | None:
    if any(match.start() < place.end and place.start < match.end() for match in MASK.finditer(place.text)):
        return "The quote overlaps a masked secret."
    if negation := _NEGATION.search(place.text[max(0, place.start - 40) : place.start]):
        return f'The quote leaves out the "{negation[0].strip()}" that stands before it.'
    if place.message.role is Role.ASSISTANT and not _accepted(place.message, messages):
        return "Only the assistant said it, and the user's next message does not plainly accept it."
    return None


def _accepted(message: Message, messages: Sequence[Message]) -> bool:
    at = messages.index(message)
    return at + 1 < len(messages) and accepts(messages[at + 1])


def _text_at(where: str, memories: Iterable[Memory], tree_text: TreeText | None) -> str | None:
    kind, _, rest = where.partition(":")
    if kind == "memory":
        return next((memory.text for memory in memories if memory.id == rest), None)
    if kind in ("tree", "commit", "bead") and tree_text is not None:
        return tree_text(where)
    return None


def _short(quote: str) -> str:
    return quote if len(quote) <= 60 else f"{quote[:59]}…"
