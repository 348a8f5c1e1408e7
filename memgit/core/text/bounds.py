"""Where a word ends: whether a hit in a text is the thing itself or part of a longer word."""

from __future__ import annotations

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul: particles join the word before them
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x3FFFF),  # Han
)


def stands_alone(needle: str, before: str, after: str) -> bool:
    """Whether ``needle``, found between the characters ``before`` and ``after`` (empty at an end of the text),
    is bounded by letters and digits: ``unsafe`` is not in ``unsafely``, but it is in ``unsafe_code``.

    Scripts that are written without spaces do not join a word. An option is longer than a word:
    ``--no-verify`` is not in ``--no-verify-ssl``.
    """
    if _is_option(needle):
        return not (_in_option(before) or (_in_word(needle[-1]) and _in_option(after)))
    return not (_joined(before, needle[0]) or _joined(needle[-1], after))


def _joined(left: str, right: str) -> bool:
    return _in_word(left) and _in_word(right)


def _in_word(char: str) -> bool:
    return char.isalnum() and (char.isascii() or not any(low <= ord(char) <= high for low, high in _UNSPACED))


def _is_option(needle: str) -> bool:
    name = needle.removeprefix("-").removeprefix("-")
    return name != needle and name[:1].isalpha()


def _in_option(char: str) -> bool:
    return char in ("-", "_") or _in_word(char)
