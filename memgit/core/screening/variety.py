"""How much variety a value has: what a generator or a careful person made, or a word, a name, a path, a stand-in."""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import pairwise


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
