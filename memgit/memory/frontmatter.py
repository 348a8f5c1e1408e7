"""The block between two ``---`` lines at the top of a memory: found, read and quoted.

Two in a hundred real blocks are no valid YAML (an unquoted ``: `` in a description, most often), and
YAML turns names into dates and booleans. So lines are read as the strings they show; a YAML parser is
asked, and loaded, only for what a line alone cannot say: lists, block scalars, values over several lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memgit.model.store import FrontmatterState
from memgit.text.markdown import BOM

Value = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Parts:
    """A memory's bytes cut in four; put together they are the file again.

    ``opening`` is the BOM and the first fence, ``closing`` the second fence, each with its line end;
    both are empty, like ``block``, in a file without frontmatter.
    """

    opening: bytes
    block: bytes
    closing: bytes
    body: bytes

    @property
    def has_frontmatter(self) -> bool:
        return bool(self.closing)


_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)


def split(data: bytes) -> Parts:
    """Cut a file at its fences. An unclosed block is no frontmatter; the closing fence may end the file."""
    opening = _OPENING.match(data)
    closing = _CLOSING.search(data, opening.end()) if opening else None
    if opening is None or closing is None:
        bom = BOM if data.startswith(BOM) else b""
        return Parts(bom, b"", b"", data[len(bom) :])
    return Parts(opening[0], data[opening.end() : closing.start()], closing[0], data[closing.end() :])


@dataclass(frozen=True, slots=True)
class Fields:
    """What a block says. Values are the strings it shows, or one level of them under a key.

    ``problem`` names the first line that strict YAML refuses, counted in the file (the fence is line 1).
    """

    state: FrontmatterState
    values: Mapping[str, Value] = field(default_factory=dict)
    problem: str = ""

    def top(self, key: str) -> str:
        """The string at the top level, or nothing."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""

    def either(self, key: str) -> str:
        """The string under ``metadata``, where the agent writes today, else at the top level."""
        metadata = self.values.get("metadata")
        nested = metadata.get(key, "") if isinstance(metadata, Mapping) else ""
        return nested or self.top(key)


def read_fields(block: bytes) -> Fields:
    """Read a block line by line, with YAML's help where lines do not suffice. Never fails."""
    text = block.decode("utf-8", "replace").replace("\r\n", "\n")
    lines = tuple(_lines(text))
    values = _values(lines)
    doubt = next((line for line in lines if not line.certain), None)
    if doubt is None:
        return Fields(FrontmatterState.OK, values)
    parsed = _yaml_values(text)
    if isinstance(parsed, Mapping):
        return Fields(FrontmatterState.OK, parsed)
    problem = parsed or f"line {doubt.number + 1} is no valid YAML"
    return Fields(FrontmatterState.LENIENT if values else FrontmatterState.UNPARSED, values, problem)


class _Line(NamedTuple):
    """One line of a block. ``certain``: YAML reads it the same way. ``key`` is empty where there is none."""

    number: int
    indent: int = 0
    key: str = ""
    value: str = ""
    certain: bool = True


_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?P<key>[^\s\"'#:\-\[\]{},&*!|>%@`?][^\s:#]*)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_UNPRINTABLE = re.compile(
    r"[^\x09\x0a\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)


def _lines(text: str) -> Iterator[_Line]:
    """Classify the lines; those below the first uncertain nesting stay uncertain, never wrong."""
    parent, depth = "", 0
    printable = not _UNPRINTABLE.search(text)
    for number, line in enumerate(text.split("\n"), start=1):
        if not (shown := line.strip()) or shown[0] == "#":
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            yield _Line(number, certain=False)
            continue
        indent, key = len(entry["indent"]), entry["key"]
        value, certain = _scalar(key, (entry["value"] or "").strip(" \t"))
        if indent:
            certain = certain and bool(parent) and indent == (depth or indent) and "\t" not in entry["indent"]
            certain = certain and bool(entry["value"])
            depth = depth or indent
        else:
            parent, depth = ("" if value else key), 0
        yield _Line(number, indent, key, value, certain and (printable or not _UNPRINTABLE.search(line)))


def _values(lines: tuple[_Line, ...]) -> Mapping[str, Value]:
    """Keys and values of all lines that have them; the last of two equal keys counts, as in YAML."""
    values: dict[str, Value] = {}
    nested: dict[str, str] | None = None
    parent = ""
    for line in lines:
        if not line.key:
            continue
        if not line.indent:
            values[line.key], nested, parent = line.value, {}, "" if line.value else line.key
        elif parent and nested is not None:
            nested[line.key] = line.value
            values[parent] = nested
    return values


_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"(?:[ \t]+#.*)?')
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?:[ \t]+#.*)?")
_INDICATORS = "[]{}#&*!|>'\"%@`,"


def _scalar(key: str, raw: str) -> tuple[str, bool]:
    """The string that a value shows, and whether YAML would surely read the same."""
    if raw[:1] not in ("'", '"'):
        return _plain(key, raw)
    if double := _DOUBLE.fullmatch(raw):
        decoded = _unescaped(double[1])
        return (double[1], False) if decoded is None else (decoded, True)
    if single := _SINGLE.fullmatch(raw):
        return single[1].replace("''", "'"), True
    if len(raw) > 1 and raw.endswith(raw[0]):
        return raw[1:-1], False
    return _plain(key, raw)


def _plain(key: str, raw: str) -> tuple[str, bool]:
    """A value without quotes. The agent takes `` #`` in a name or description as text; elsewhere it is a comment."""
    if not raw:
        return "", True
    value = raw if key in ("name", "description") else _COMMENT.split(raw, maxsplit=1)[0].rstrip(" \t")
    return value, not (raw[0] in _INDICATORS or _BEGINS_BADLY.match(raw) or _BREAKS.search(value))


_COMMENT = re.compile(r"[ \t]#")
_BEGINS_BADLY = re.compile(r"[-?:](?:\s|\Z)")
_BREAKS = re.compile(r":(?:\s|\Z)|\t")


_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def _unescaped(text: str) -> str | None:
    """What a double-quoted scalar means; None for an escape that YAML does not know."""
    try:
        return _ESCAPE.sub(_unescape, text)
    except (KeyError, ValueError, OverflowError):
        return None


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED[code]


def _yaml_values(text: str) -> Mapping[str, Value] | str:
    """The block as YAML reads it, every scalar a string; or why it cannot be read (a sentence, may be empty)."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    try:
        loaded = YAMLHandler().load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 2 if fault.problem_mark else 1
        return f"line {line}: {fault.problem}"
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return ""
    return _strings(loaded) if isinstance(loaded, dict) else ""


def _strings(loaded: Mapping[object, object]) -> Mapping[str, Value]:
    values: dict[str, Value] = {}
    for key, value in loaded.items():
        if isinstance(value, dict):
            values[str(key)] = {str(name): inner for name, inner in value.items() if isinstance(inner, str)}
        elif isinstance(value, str):
            values[str(key)] = value
    return values


_NOT_STRINGS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"})
_QUANTITY = re.compile(r"\d\S*[ ]+[^\W\d_]{2,}")


def quoted(value: str, style: str = "") -> str:
    """Write a string so that any YAML parser reads back exactly it, without quotes where that is safe.

    ``style`` is the quote that the value had before (``"`` or ``'``) and is kept where it can be.
    """
    if style == "'" and not re.search(r"[\t\n\r]", value) and not _UNPRINTABLE.search(value):
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and _is_plain(value):
        return value
    return '"' + _TO_ESCAPE.sub(_escape, value) + '"'


def _is_plain(value: str) -> bool:
    """True where nothing in a value can be taken for syntax, a number, a date or a boolean."""
    first = value[:1]
    if not (first.isalpha() or _QUANTITY.match(value)) or value.casefold() in _NOT_STRINGS:
        return False
    if value != value.strip() or value.endswith(":") or re.search(r":\s|\s#|[\t\n\r]", value):
        return False
    return not _UNPRINTABLE.search(value)


_TO_ESCAPE = re.compile(rf'["\\\t\n\r]|{_UNPRINTABLE.pattern}')


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] in '"\\':
        return "\\" + match[0]
    if match[0] == "\n":
        return "\\n"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


_DESCRIPTION = re.compile(rb"^[\"']?description[\"']?[ \t]*:[ \t]*(?P<value>.*)$", re.MULTILINE)
_CONTINUATION = re.compile(rb"(?:\r?\n(?:[ \t]+[^\r\n]*)?(?=\r?\n|\Z))+")
_NAME = re.compile(rb"^name[ \t]*:.*\n", re.MULTILINE)


def with_description(block: bytes, description: str) -> bytes:
    """The block with another description, every other byte as it was.

    A value over several lines becomes one line. A missing entry is added below the name. A block that
    cannot be changed so (a flow mapping, say) comes back as it was.
    """
    changed = _with_value(block, description)
    expected = {**read_fields(block).values, "description": description}
    return changed if read_fields(changed).values == expected else block


def _with_value(block: bytes, description: str) -> bytes:
    found = list(_DESCRIPTION.finditer(block))
    if not found:
        return _with_new_description(block, description)
    start, stop = _place_of(block, found[-1])
    style = found[-1]["value"][:1].decode("ascii", "replace")
    value = quoted(description, style if style in ("'", '"') else "").encode()
    gap = b"" if block[:start].endswith((b" ", b"\t")) else b" "
    return block[:start] + gap + value + block[stop:]


def _place_of(block: bytes, entry: re.Match[bytes]) -> tuple[int, int]:
    """Where the value of an entry begins, and where it ends, on its own line or a later one."""
    more = _CONTINUATION.match(block, entry.end() - entry["value"].endswith(b"\r"))
    start = entry.start("value")
    if more and more[0].strip():
        return start, more.start() + len(more[0].rstrip())
    return start, start + len(entry["value"].rstrip())


def _with_new_description(block: bytes, description: str) -> bytes:
    newline = b"\r\n" if b"\r\n" in block else b"\n"
    name = _NAME.search(block)
    at = name.end() if name else 0
    return block[:at] + b"description: " + quoted(description).encode() + newline + block[at:]


# --- metadata ---
# Metadata at the top of a text that is not read as frontmatter: another program's, TOML, JSON, an open block.

_FENCES = {"-": re.compile(r"(?:-{3,}|\.{3})[ \t]*"), "+": re.compile(r"\+{3,}[ \t]*"), ";": re.compile(r";{3,}[ \t]*")}
_METADATA_ENTRY = re.compile(
    r"[ \t]*(?:[\"']?[\w.-]+[\"']?[ \t]*[:=](?:[ \t].*|$)|\[\[?[\w.\"' -]+\]\]?[ \t]*$|[#;].*|[\]})][,;]?)"
)
_BELOW_AN_ENTRY = re.compile(r"[ \t]+\S.*|[ \t]*-[ \t]+.*")


def opens_metadata(text: str) -> bool:
    """Whether a text begins with keys and values below a fence, though not as frontmatter."""
    first = text.lstrip("\ufeff \t\r\n").split("\n")
    return not first[0].startswith("{") and _length(first) > 0


def without_metadata(text: str) -> str:
    """The text below all blocks of metadata that it begins with; the text itself where it begins with none."""
    while True:
        lines = text.lstrip("\ufeff \t\r\n").split("\n")
        length = _length(lines)
        if length == 0:
            return text
        text = "\n".join(lines[length:])


def _length(lines: list[str]) -> int:
    """How many lines the block at the top takes; 0 where there is none."""
    if lines[0].startswith("{"):
        return _length_of_json(lines)
    fence = next(
        (mark for sign, mark in _FENCES.items() if lines[0].startswith(sign * 3) and mark.fullmatch(lines[0])), None
    )
    if fence is None:
        return 0
    end = whole = _end_of_entries(lines, 1)
    while whole < len(lines) and not lines[whole].strip():
        whole = _end_of_entries(lines, whole + 1)
    if end > 1 and whole < len(lines) and fence.fullmatch(lines[whole]):
        return whole + 1
    return end if end > 1 else 0


def _end_of_entries(lines: list[str], start: int) -> int:
    """The position behind the lines of keys and values, and what is indented below them."""
    at = start
    while at < len(lines) and (
        _METADATA_ENTRY.fullmatch(lines[at]) or (at > start and _BELOW_AN_ENTRY.fullmatch(lines[at]))
    ):
        at += 1
    return at


def _length_of_json(lines: list[str]) -> int:
    whole = "\n".join(lines)
    try:
        value, end = json.JSONDecoder().raw_decode(whole)
    except (ValueError, RecursionError):
        return 0
    return whole.count("\n", 0, end) + 1 if isinstance(value, dict) and value else 0
