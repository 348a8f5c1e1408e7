"""Secrets as people tell them and what only looks like one, made anew with a seed, so that none stands in a file.

A template holds ``{kind length}``: ``a`` letters and digits, ``y`` the same with signs, ``h`` hex, ``b`` base64, ``c``
the tail of a crypt hash, ``s`` base32, ``S`` capitals and digits, ``g`` groups of five capitals, ``w`` Word-Word-12,
``p`` so many words with digits, ``u`` a UUID, ``B`` so many lines of a key's body, ``T`` a host's token, ``E``, ``X``
a token in base64 and hex, ``J`` a web token, ``P`` a key block in base64. ``n`` is hex that is no secret;
``{K:text}`` and ``{_}`` stand for ``text`` and nothing.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "secrets"
_HEX = "0123456789abcdef"
_ALNUM = string.ascii_letters + string.digits
_ALPHABETS = {
    "a": _ALNUM,
    "c": _ALNUM + "./",
    "h": _HEX,
    "n": _HEX,
    "b": _ALNUM + "+/",
    "s": string.ascii_uppercase + "234567",
    "S": string.ascii_uppercase + string.digits,
}
_HOLE = re.compile(r"\{(?:K:(?P<plain>[^{}]*)|(?P<kind>[acnhbsSygwpuTEXJP])(?P<size>\d*)|_)\}")


@dataclass(frozen=True, slots=True)
class Said:
    """A text, the template that it was made from, and the secret parts that stand in it."""

    template: str
    text: str
    parts: tuple[str, ...]

    def is_shown_in(self, text: str) -> bool:
        """Whether a part stands in ``text``, or eight characters of it in a row."""
        return any(piece in text for part in self.parts for piece in _pieces(part))


def said(table: str, seed: int) -> list[Said]:
    """Every line of a table, filled."""
    source = random.Random(seed)
    return [_filled(template, source) for template in templates(table)]


def templates(table: str) -> list[str]:
    """The lines of ``said``, ``alike``, or of one half of ``closed``: ``closed said`` and ``closed alike``."""
    file, _, half = table.partition(" ")
    text = (_DATA / f"{file}.txt").read_text(encoding="utf-8")
    if half:
        text = text.split("==== look-alikes\n")[half == "alike"]
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


def _filled(template: str, source: random.Random) -> Said:
    parts: list[str] = []

    def put(match: re.Match[str]) -> str:
        if not match["kind"]:
            return match["plain"] or ""
        value = _made(match["kind"], int(match["size"] or 0), source)
        if match["kind"] != "n":
            parts.extend(value.split())
        return value

    def body(match: re.Match[str]) -> str:
        lines = [_some(64, _ALPHABETS["b"], source) for _ in range(int(match[2]))]
        parts.extend(lines)
        return "\n".join(match[1] + line for line in lines)

    text = re.sub(r"\\(n|\\)", lambda match: "\n" if match[1] == "n" else match[1], template)
    text = re.sub(r"(?m)^(.*)\{B(\d+)\}", body, text)
    return Said(template, _HOLE.sub(put, text), tuple(parts))


def _made(kind: str, size: int, source: random.Random) -> str:
    match kind:
        case "y":
            return _some(size - 2, _ALNUM, source) + source.choice("!#%&*+?~@^") + source.choice(_ALNUM)
        case "g":
            return "-".join(_some(5, _ALPHABETS["S"], source) for _ in range(size // 5))
        case "w":
            return f"{_word(source).title()}-{_word(source).title()}-{source.randrange(1000, 9999)}"
        case "p":
            return " ".join(_word(source) + str(source.randrange(10, 99)) for _ in range(size))
        case "u":
            return "-".join(_some(length, _HEX, source) for length in (8, 4, 4, 4, 12))
        case "J":
            return f"eyJ{_some(20, _ALNUM, source)}.eyJ{_some(40, _ALNUM, source)}.{_some(43, _ALNUM, source)}"
        case "T" | "E" | "X":
            token = "gh" + "p_" + _some(36, _ALNUM, source)
            coded = {"T": token, "E": base64.b64encode(token.encode()).decode(), "X": token.encode().hex()}
            return coded[kind]
        case "P":
            name = "PRIVATE" + " KEY"
            block = f"-----BEGIN {name}-----\n{_some(64, _ALPHABETS['b'], source)}\n-----END {name}-----\n"
            return base64.b64encode(block.encode()).decode()
        case _:
            return _some(size, _ALPHABETS[kind], source)


def _some(size: int, alphabet: str, source: random.Random) -> str:
    """So many characters, with a digit and, where there are any, a capital among them: what generators promise."""
    while True:
        text = "".join(source.choice(alphabet) for _ in range(size))
        if size < 8 or (any(char.isdigit() for char in text) and (alphabet == _HEX or text.lower() != text)):
            return text


def _word(source: random.Random) -> str:
    return "".join(source.choice("bdfgklmnprstvz" if at % 2 == 0 else "aeiou") for at in range(7))


def _pieces(part: str) -> Iterator[str]:
    if len(part) < 12:
        yield part
    else:
        yield from (part[at : at + 8] for at in range(0, len(part) - 7, 4))
        yield part[-8:]
