"""Words of a shell, as they are printed for people to copy."""

from __future__ import annotations

import shlex


def shell_word(text: str) -> str:
    """A text as one word of a POSIX shell. What cannot be shown, bytes that are not UTF-8 too, is spelled in octal."""
    if text.isprintable():
        return shlex.quote(text)
    data = text.encode("utf-8", "surrogateescape")
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\%'" else f"\\{byte:03o}" for byte in data)
    return f"\"$(printf '{''.join(plain)}')\""
