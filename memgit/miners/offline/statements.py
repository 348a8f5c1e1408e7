"""What people said, statement by statement, with what each answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memgit.evidence.quotes import fold, is_a_persons
from memgit.evidence.voices import Voice, looks_pasted, stretches
from memgit.model.session import Message, Role
from memgit.text.language import Lexicon
from memgit.text.words import Sentence, sentences

_ASKED_WITHIN = 500
"""Characters at the end of the agent's message in which a question counts as put to the user."""

_AROUND = 280
"""Characters up to which a sentence is quoted with its neighbours: what fits on a few lines of a screen."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that a person typed. ``around`` is it with what stands beside it, ``place`` its number in the message,
    ``before`` what the agent had said, ``answers`` the question of it that a first sentence replies to."""

    message: Message
    text: str
    around: str
    place: int
    is_last: bool = False
    before: str = ""
    answers: str = ""
    pasted: bool = False


def statements(messages: Iterable[Message]) -> Iterator[Statement]:
    """The statements in the messages of sessions, oldest first: typed by people and not taken back."""
    said: list[str] = []
    session, asked = "", True
    for message in messages:
        if message.session != session:
            session, said = message.session, []
        if message.role is Role.ASSISTANT:
            said = [message.text] if asked else [*said, message.text]
            asked = False
            continue
        asked = True
        if is_a_persons(message):
            yield from _of(message, "\n".join(said))


def _of(message: Message, before: str) -> Iterator[Statement]:
    typed = [
        (stretch.start, message.text[stretch.start : stretch.end])
        for stretch in stretches(message.text)
        if stretch.voice is Voice.TYPED
    ]
    told = [(start, text, tuple(sentences(text))) for start, text in typed]
    count, place = sum(len(each) for _, _, each in told), 0
    for start, text, each in told:
        for number, sentence in enumerate(each):
            yield Statement(
                message,
                sentence.text,
                _around(text, each, number),
                place,
                place == count - 1,
                before,
                _question(before) if place == 0 else "",
                bool(looks_pasted(message.text, start + sentence.start, start + sentence.end)),
            )
            place += 1


def _around(text: str, told: Sequence[Sentence], number: int) -> str:
    """A sentence with its neighbours, as far as they are short together."""
    first = last = number
    for next_ in (number - 1, number + 1):
        if 0 <= next_ < len(told):
            begin, end = told[min(first, next_)].start, told[max(last, next_)].end
            if end - begin <= _AROUND:
                first, last = min(first, next_), max(last, next_)
    return fold(text[told[first].start : told[last].end])


def _question(before: str) -> str:
    """The last question in what the agent said, where it stands near the end."""
    asked = [one.text for one in sentences(before[-_ASKED_WITHIN:]) if one.text.endswith(("?", "？"))]
    return fold(asked[-1]) if asked else ""


def asks_to_remember(statement: Statement, words: Lexicon) -> str:
    """The words by which somebody asks to remember something; empty where nobody does."""
    return next(iter(words.found("remember", statement.text)), "")


def without_asking(text: str, asking: str) -> str:
    """A statement without the words of asking: they are no content of what is to be remembered."""
    at = text.lower().find(asking.lower())
    before, after = text[:at].strip(" ,;:-–—"), text[at + len(asking) :].strip(" ,;:-–—.!")
    told = after if len(after) >= len(before) else before
    return told if told.strip() else text
