"""Secrets that no shape tells: values of some variety beside a word of a secret, in any language, within a few words.

How much variety a value must have depends on how closely the word names it: least where it is assigned, most where
words stand between. What a value is instead ("key id", a commit) and which keys open nothing ("cache key") are words of
the lexicons as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from itertools import pairwise

from memgit.evidence.masks import Span
from memgit.text.language import everywhere

# --- variety ---
# How much variety a value has: what a generator or a careful person made, or a word, a name, a path, a stand-in.


class Variety(IntEnum):
    """From nothing of its own to what chance made. What stands beside a value makes it a secret, never this alone."""

    STAND_IN = 0
    """A variable, a placeholder, code, a path, an address, a date, a version."""
    PLAIN = 1
    """Words or a number."""
    NAMED = 2
    """Words with a few digits, as names have them, and short hex."""
    MIXED = 3
    """Letters, digits and signs as passwords have them; hex and identifiers as long as keys are."""
    RANDOM = 4
    """Ten or more characters that follow no word."""


def variety(value: str) -> Variety:
    """The variety of a value without blanks and quotation marks."""
    rest = _CODED.sub("", value)
    if _STAND_IN.match(rest) or _CODE.search(rest) or _ADDRESS.fullmatch(rest):
        return Variety.STAND_IN
    chunks = _CHUNK.findall(rest)
    if not chunks:
        return Variety.STAND_IN
    if _UUID.fullmatch(rest):
        return Variety.MIXED
    found = max(map(_of_chunk, chunks))
    if found < Variety.RANDOM and _ALGORITHM.fullmatch(rest):
        return Variety.STAND_IN
    if found < Variety.RANDOM and _is_base64(rest, chunks):
        return Variety.RANDOM
    if "/" in rest and _PATH.fullmatch(rest) and (found < Variety.RANDOM or _is_rooted(rest, chunks)):
        return Variety.STAND_IN
    if found < Variety.MIXED and (_WORDS_AND_NUMBER.fullmatch(rest) or _is_signed(rest)):
        return Variety.MIXED
    if found < Variety.MIXED and len(chunks) >= 4 and _GROUPS.fullmatch(rest):
        return Variety.RANDOM
    if found is Variety.PLAIN and any(map(str.isdigit, chunks)) and any(map(str.isalpha, chunks)):
        return Variety.NAMED
    return found


def has_all_cases(value: str) -> bool:
    """Whether capitals, small letters and digits stand in a value."""
    return any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))


_CODED = re.compile(r"^base64:")
_CHUNK = re.compile(r"[^\W_]+")
_RUN = re.compile(r"[^\W\d_A-Z]+|[A-Z](?:[^\W\d_A-Z]+)?|\d+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORDS_AND_NUMBER = re.compile(r"(?:[A-Z][a-z]{2,}[-_.]){1,4}\d{2,6}(?:[-_.][A-Z][a-z]{2,})?")
_GROUPS = re.compile(r"(?=(?:[^\d]*\d){2})[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}")
_PATH = re.compile(r"[\w.@~-]*(?:/[\w.@*-]*)+")
_STAND_IN = re.compile(
    r"[$<{(\[%*@]|//|0x|arn:|#[0-9a-f]{3,8}$|[a-z_][\w.-]*=[^=]|[a-z][a-z0-9+.-]*://|(?:x|\*|\.|-)+$|v?\d+(?:\.\d+)+|\d{4}-\d\d(?:-\d\d|$)|\d\d?:\d\d\b"
    r"|(?:none|null|nil|true|false|undefined|redacted|masked|hidden|required|optional|unset|empty)\b"
    r"|(?:your|my|the|some|an?|example|dummy|fake|sample|test|placeholder|change|insert|enter|put)[_-]?(?:me|this|it)?[_-]?"
    r"(?:(?:db|api|app|auth|access|secret|token|key|password|passwd|pass|value|here|goes|name)[_-]?)*$"
    r"|(?:pass(?:word|wd)?|pwd|secret|token|key|user(?:name)?|string|str|bytes|int|bool|any)$"
    r"|(?:process|os|sys|self|config|settings|secrets|vault|import|args|request|ctx|env)\.",
    re.IGNORECASE,
)
"""How a value begins that only stands for one."""
_ALGORITHM = re.compile(
    r"(?:base(?:16|32|58|64)|sha-?\d|md[45]|argon2|bcrypt|scrypt|pbkdf2|utf-?\d|aes|rsa|ed25519|ecdsa|ecdh|hmac|x509|x25519"
    r"|oauth|http|hs\d|rs\d|es\d|latin|iso-?\d|tls|ssl|ipv\d|win\d|x86)[\w.-]{0,14}",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(){}\[\]<>|]|->|=>|::|\$\{")
_ADDRESS = re.compile(r"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[\w.-]+:\d{1,5}")


def _of_chunk(chunk: str) -> Variety:
    digits = sum(map(str.isdigit, chunk))
    if digits == len(chunk):
        return Variety.PLAIN
    if digits and re.fullmatch(r"[0-9a-f]{8,}|[0-9A-F]{8,}", chunk):
        return _of_hex(chunk)
    runs = _RUN.findall(chunk)
    length = len(chunk)
    mean = length / (_capitals_joined(runs) or 1)
    if any(length >= least and digits >= signs and mean <= most for least, signs, most in _CHANCE):
        return Variety.RANDOM
    if not digits:
        return Variety.MIXED if length >= 12 and mean <= 2.2 else Variety.PLAIN
    dense = mean <= 4 and ((len(runs) >= 3 and has_all_cases(chunk)) or (len(runs) >= 4 and digits >= 2))
    if (length >= 6 and dense) or (length >= 24 and digits >= 2):
        return Variety.MIXED
    return Variety.NAMED


_CHANCE = ((10, 1, 2.6), (14, 1, 2.9), (20, 1, 3.3), (16, 2, 3.6), (24, 3, 4.5), (18, 0, 2.2))
"""From which length, with how many digits, and up to which mean length of a run of one kind, chance made a chunk."""


def _of_hex(chunk: str) -> Variety:
    """Hex as long as keys are; 40 digits are a commit's name as well."""
    if len(chunk) < 16:
        return Variety.NAMED
    return Variety.RANDOM if len(chunk) in (32, 48, 56) or len(chunk) >= 64 else Variety.MIXED


def _capitals_joined(runs: list[str]) -> int:
    """How many runs there are when capitals in a row are one."""
    single = [len(run) == 1 and run.isupper() for run in runs]
    return len(runs) - sum(one and other for one, other in pairwise(single))


def _is_base64(value: str, chunks: list[str]) -> bool:
    """Whether a value is of chance though the signs of base64 part it into short chunks, none of which is a word."""
    whole = _BASE64.fullmatch(value) is not None and len(chunks) > 1
    return whole and not any(map(_LOWER_WORD.fullmatch, chunks)) and _of_chunk("".join(chunks)) is Variety.RANDOM


_BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")
_LOWER_WORD = re.compile(r"[A-Z]?[a-z]{3,}")


def _is_rooted(value: str, chunks: list[str]) -> bool:
    """Whether a path with a part that chance made is a path all the same: it starts at a root and names a folder."""
    return value[0] in "/.~" and any(len(chunk) >= 3 and chunk.isalpha() for chunk in chunks)


def _is_signed(value: str) -> bool:
    """Letters, digits and an inner sign that names and words have not."""
    inner = value.strip("!?*.,:;")
    return bool(re.search(r"[!#$%^&*?~@]", value)) and any(map(str.isalpha, inner)) and any(map(str.isdigit, inner))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a class of words asks of a value.

    Of one that is assigned (``=``, ``:``), told (``is``, a dash), right beside the word, or some words away; its
    length; and from which length of the word on it may be part of a longer one.
    """

    kind: str
    assigned: Variety
    told: Variety
    beside: Variety
    near: Variety
    shortest: int
    glued: int = 5


ASKED: Mapping[str, Asked] = {
    "password": Asked("password", Variety.NAMED, Variety.NAMED, Variety.MIXED, Variety.RANDOM, 6),
    "secret": Asked("secret value", Variety.MIXED, Variety.MIXED, Variety.RANDOM, Variety.RANDOM, 10),
    "login": Asked("password", Variety.MIXED, Variety.MIXED, Variety.MIXED, Variety.RANDOM, 6),
    "key": Asked("secret value", Variety.MIXED, Variety.RANDOM, Variety.RANDOM, Variety.RANDOM, 12),
    "auth": Asked("secret value", Variety.RANDOM, Variety.RANDOM, Variety.RANDOM, Variety.RANDOM, 16, glued=9),
}
"""Each class of the lexicons' words; of a name that holds several the first counts."""

_WORDS_BETWEEN = 6
_REACH = 160
_LONGEST = 400


@cache
def words() -> Mapping[str, str]:
    """Every word of a secret in lower case, with its class; of a word in several classes the first."""
    return {word: name for name in reversed([*ASKED]) for word in everywhere(name)}


def named_secrets(text: str, hits: Iterable[tuple[str, int, int]], taken: re.Pattern[str]) -> Iterator[Span]:
    """The secrets beside words of secrets, of which ``hits`` tells where they stand: word, start, end. What ``taken``
    matches is masked already."""
    masked = [match.span() for match in taken.finditer(text)]
    for name in _names(text, hits):
        if not any(start <= name.start < end for start, end in masked):
            yield from _inside(text, name)
            yield from _after(text, name, masked)
            yield from _before(text, name)


@dataclass(frozen=True, slots=True)
class _Name:
    """A word of a secret with all that is written in one with it, like ``DB_PASSWORD_OLD``."""

    start: int
    end: int
    word_end: int
    asked: Asked
    is_variable: bool


def _names(text: str, hits: Iterable[tuple[str, int, int]]) -> Iterator[_Name]:
    found: dict[tuple[int, int], tuple[int, _Name]] = {}
    ranks = {name: rank for rank, name in enumerate(ASKED)}
    for word, start, end in hits:
        name = _name(text, word, start, end)
        rank = ranks[words()[word]]
        if (name and (name.start, name.end) not in found) or (name and rank < found[name.start, name.end][0]):
            found[name.start, name.end] = rank, name
    yield from (name for _, name in found.values())


_NAME_RIGHT = re.compile(r"(?:[^\W_]|_|(?<=[^\W])[-.](?=[^\W]))*")
_PART = re.compile(r"[A-Z]+\d*(?![a-z])|[A-Z]?[a-z]+\d*|\d+|[^\W\d_A-Za-z]+")


def _name(text: str, word: str, start: int, end: int) -> _Name | None:
    if not word.isascii():
        return _in_letters(text, word, start, end)
    left = _left(text, start)
    right = end + len(_head(_NAME_RIGHT, text, end))
    before, after = text[left:start], text[end:right]
    asked = ASKED[words()[word]]
    glued_before = before[-1:].isalpha() and not (before[-1].islower() and text[start].isupper())
    glued_after = re.match(r"[a-z]*" if not text[start:end].isupper() else r"[A-Za-z]*", after)
    ending = len(glued_after[0]) if glued_after else 0
    whole = text[left:right]
    most = 2 if len(word) >= 5 else 1 if after[:1] in "sS" else 0
    if ending > most or _is_of_chance(text, start, end) or _is_in_an_address(text, left, right):
        return None
    is_variable = whole.isupper() and len(whole) > 4
    if glued_before and len(word) < asked.glued and not (is_variable and asked is ASKED["password"]):
        asked = replace(asked, assigned=Variety.RANDOM, told=Variety.RANDOM, beside=Variety.RANDOM)
    rest = [part.lower() for part in _PART.findall(after[ending:])]
    if _other().intersection(rest[:3]):
        return None
    earlier = [part.lower() for part in _PART.findall(before)] or _last_word(text, left)
    if _closed("closed").intersection(earlier[-2:]):
        return None
    if asked is ASKED["key"] and _closed("closed_key").intersection(earlier[-2:]):
        return None
    if asked is ASKED["key"] and _opening().intersection(earlier[-2:]):
        asked = ASKED["secret"]
    return _Name(left, right, end + ending, asked, is_variable)


def _is_of_chance(text: str, start: int, end: int) -> bool:
    """Whether a word of a secret stands by chance in what chance made."""
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return variety(text[start:end]) is Variety.RANDOM


def _is_in_an_address(text: str, left: int, right: int) -> bool:
    """Whether a name is a part between colons, as in ``arn:…:secret:name``."""
    return text[left - 1 : left] == ":" == text[right : right + 1] and text[left - 2 : left - 1].isalnum()


def _in_letters(text: str, word: str, start: int, end: int) -> _Name | None:
    """A word with letters beyond ASCII.

    In some scripts it stands among others without a blank, elsewhere it may have an ending or be the last part of a
    longer one.
    """
    if re.match(r"[\u0e00-\u0eff\u3000-\u9fff\uac00-\ud7af]", word[-1]):
        return _Name(start, end, end, ASKED[words()[word]], False)
    ending = _head(re.compile(r"[^\W\d_]*"), text, end)
    left = start
    while left and text[left - 1].isalpha():
        left -= 1
    before = text[left:start]
    if len(ending) > 3 or (before and len(word) < 5):
        return None
    return _Name(start - len(before), end + len(ending), end + len(ending), ASKED[words()[word]], False)


def _inside(text: str, name: _Name) -> Iterator[Span]:
    """A value that is written in one with the name, as file names have it: ``use-the-password-zk41qm88vbte``."""
    for match in re.compile(r"[^\W_]{8,}").finditer(text, name.word_end, name.end):
        if variety(match[0]) is Variety.RANDOM:
            yield *match.span(), name.asked.kind


_SCRIPT = "\u0e00-\u0eff\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
"""Letters of scripts that are written without blanks."""
_BETWEEN = re.compile(r"""(?:[\s"'`´“”„«»「」『』‘’()\[\]{}<>|,:=*~\\：＝（）、，・…→!]|[-–—/]+(?=\s)|[-=]>)*""")
_WORD = re.compile(rf"[{_SCRIPT}]+|[^\W\d_{_SCRIPT}]+(?:['’-][^\W\d_{_SCRIPT}]+)*(?![\w@$#%&^-])(?:\.(?=\s|$))?")
_VALUE = re.compile(rf"[^\s\"'`<>|;“”„«»{_SCRIPT}]+")
_EMPTY = re.compile(r"[:=]\s*(?:''|\"\")(?!['\"])")
_CUT = re.compile(r"\\|[&,][\w.-]+[=:]|\)[,.]")
_TAIL = ".,:)]}>*~\\"
_QUOTED = re.compile(r"(?P<quote>[\"'`])(?P<text>(?:(?!(?P=quote)).){6,200})(?P=quote)")


def _names_another(word: str, asked: Asked) -> bool:
    """Whether a word that is assigned is all that is."""
    return asked.kind != "password" and word not in _being()


@dataclass(frozen=True, slots=True)
class _Reached:
    """How one comes from a word of a secret to a value: assigned or told, after how many words, on a line below."""

    assigned: bool
    told: bool
    words: int
    below: bool


def _after(text: str, name: _Name, masked: list[tuple[int, int]]) -> Iterator[Span]:
    at, words_between, told = name.end, 0, False
    limit = min(len(text), name.end + _REACH)
    while words_between <= _WORDS_BETWEEN:
        between = _head(_BETWEEN, text, at, limit)
        at += len(between)
        if at >= limit or any(start < at <= end or start == at for start, end in masked):
            return
        assigned = re.search(r"[:=：＝]|</?\w*>", between) is not None
        told = told or re.search(r"[-–—→]", between) is not None
        if _EMPTY.search(between):
            return
        if "\n" in between and not (assigned or told or _stands_alone(text, at) or text.startswith("value", at)):
            return
        word = _WORD.match(text, at, limit)
        reached = _Reached(assigned, told, words_between, "\n" in between)
        if found := _value(text, at, name, reached):
            yield from _with_others(text, found, name.asked.kind)
            return
        if word is None:
            value = _head(_VALUE, text, at)
            if not value or (assigned and not words_between) or value.rstrip("'\"")[-1:] in ".!?":
                return
            at, told = at + len(value), value.startswith("--")
        else:
            plain = word[0].rstrip(".").lower()
            if not words_between and (_names_another(plain, name.asked) if assigned else plain in _other()):
                return
            if word[0].endswith("."):
                return
            at, told = word.end(), plain in _being() or (not plain.isascii() and plain.endswith(_endings()))
        words_between += 1


def _value(text: str, at: int, name: _Name, reached: _Reached) -> tuple[int, int] | None:
    """Where the value that begins at ``at`` is the secret that the name asks for: its start and end."""
    direct = (reached.assigned and not reached.words) or (reached.told and name.asked is ASKED["password"])
    if direct and (quoted := _QUOTED.match(text, at - 1)) and " " in quoted["text"]:
        return quoted.span("text") if _is_phrase(quoted["text"], name) else None
    value = _trimmed(_head(_VALUE, text, at, at + _LONGEST))
    if not value or len(value) < 3:
        return None
    if reached.words and _other().intersection(_last_word(text, at)):
        return None
    for part in _parts(value, name):
        if _suits(part, name, reached):
            start = at + len(value) - len(part)
            return start, _on(text, start + len(part))
    return None


def _parts(value: str, name: _Name) -> Iterator[str]:
    """The value, and what stands in it behind a user's name."""
    yield value
    separator = r"[:/|%]" if name.asked is ASKED["login"] else ":"
    if pair := re.fullmatch(rf"[\w.@+-]{{1,40}}{separator}(?P<secret>[^:/]+)", value):
        yield pair["secret"]


def _suits(value: str, name: _Name, reached: _Reached) -> bool:
    asked = name.asked
    found = variety(value)
    if found is Variety.STAND_IN or len(value) < asked.shortest:
        return False
    direct = not reached.words
    if reached.assigned and direct:
        if asked is ASKED["password"] and not reached.below and (name.is_variable or value.isdigit()):
            return True
        needed = asked.assigned
    elif reached.assigned:
        needed = max(asked.assigned, Variety.MIXED)
    elif reached.told:
        needed = asked.told if reached.words <= 1 else max(asked.told, Variety.MIXED)
    else:
        needed = asked.beside if direct else asked.near
    if asked is ASKED["key"] and not reached.told and not has_all_cases(value):
        return reached.assigned and direct and found is Variety.RANDOM
    return found >= needed


def _is_phrase(quoted: str, name: _Name) -> bool:
    """Whether words in quotation marks are a secret and no sentence of one: most have a digit, or a variable is set."""
    is_password = name.asked is ASKED["password"]
    if name.is_variable and is_password:
        return True
    kinds = [variety(word) for word in quoted.split()]
    return 2 * sum(kind >= (Variety.NAMED if is_password else Variety.MIXED) for kind in kinds) >= len(kinds)


def _with_others(text: str, found: tuple[int, int], kind: str) -> Iterator[Span]:
    """A secret and those listed behind it."""
    yield *found, kind
    at = found[1]
    while further := _FURTHER.match(text, at):
        value = _trimmed(further["value"])
        if variety(value) < Variety.RANDOM:
            return
        at = further.start("value") + len(value)
        yield further.start("value"), at, kind


_FURTHER = re.compile(
    r"[\"'`]?[ \t]*(?:[,/&+]|\b(?:and|or|und|oder|y|et|e|i|и|или|和)\b)[ \t]*[\"'`]?(?P<value>[^\s\"'`<>|;]{8,400})"
)
_BROKEN = re.compile(
    r"(?P<sign>\\?)[ \t]*\r?\n[ \t>|#*]*(?P<rest>[A-Za-z0-9+/=_.-]{6,})(?=[\"'`,;.)]*[ \t]*(?:\\?$|\s))", re.MULTILINE
)


def _on(text: str, end: int) -> int:
    """Where a value ends that is broken over lines."""
    while rest := _BROKEN.match(text, end):
        alone = re.match(r"[\"'`,;.)]*[ \t]*\\?$", text[rest.end() : text.find("\n", rest.end()) % (len(text) + 1)])
        if not (rest["sign"] or (alone and len(rest["rest"]) >= 8)) or variety(rest["rest"]) < Variety.MIXED:
            break
        end = rest.end()
    return end


_BACK = 140


def _before(text: str, name: _Name) -> Iterator[Span]:
    """The value of which a word of a secret says, behind it, what it is: ``use … as the password``."""
    behind = text[max(0, name.start - _BACK) : name.start]
    last = re.findall(r"[^\W\d_]+|\($", behind[-50:].lower())[-4:]
    if not any(word in _being() or word == "(" or word.endswith(_endings()) for word in last):
        return
    if (match := _told_before().search(behind)) is None:
        return
    value = _trimmed(match["value"])
    near = len((match["rest"] or "").split()) <= 2
    needed = Variety.MIXED if near and name.asked is ASKED["password"] else Variety.RANDOM
    if len(value) >= name.asked.shortest and variety(value) >= needed:
        start = max(0, name.start - _BACK) + match.start("value")
        yield start, start + len(value), name.asked.kind


@cache
def _told_before() -> re.Pattern[str]:
    links = "|".join(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in _being())
    value = rf"(?<![^\s\"'`(\[=:{_SCRIPT}“”„«»])(?P<value>[^\s\"'`<>|;{_SCRIPT}“”„«»]{{6,400}})[\"'`”»」)\]]*"
    link = rf"(?:,?\s*(?:{links})(?P<rest>(?:\s+[^\W\d_]+){{0,3}})|\s+\()"
    return re.compile(rf"{value}{link}\s*[\"'`«「(]?$", re.IGNORECASE)


def _trimmed(value: str) -> str:
    cut = _CUT.search(value)
    return (value[: cut.start()] if cut else value).rstrip(_TAIL)


def _stands_alone(text: str, at: int) -> bool:
    return re.compile(r"[\"'`]*[^\s\"'`]{16,}[\"'`.,;]*[ \t]*(?:\n|$)").match(text, at) is not None


def _last_word(text: str, at: int) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Za-z]+\d*(?=[\s\"'`:#(-]*$)", text[max(0, at - 40) : at])]


def _head(pattern: re.Pattern[str], text: str, at: int, end: int | None = None) -> str:
    match = pattern.match(text, at) if end is None else pattern.match(text, at, end)
    return match[0] if match else ""


def _left(text: str, at: int) -> int:
    """Where a name begins that has a word of a secret at ``at``: letters, digits, ``_``, and single ``-`` or ``.``."""
    while at and (
        text[at - 1].isalnum() or text[at - 1] == "_" or (text[at - 1] in "-." and text[at - 2 : at - 1].isalnum())
    ):
        at -= 1
    return at


@cache
def _being() -> frozenset[str]:
    return frozenset(everywhere("being"))


@cache
def _endings() -> tuple[str, ...]:
    return tuple(word for word in _being() if not word.isascii())


@cache
def _other() -> frozenset[str]:
    return frozenset(everywhere("other"))


@cache
def _closed(category: str) -> frozenset[str]:
    return frozenset(everywhere(category))


@cache
def _opening() -> frozenset[str]:
    return frozenset(everywhere("opening"))
