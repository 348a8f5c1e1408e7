"""The hash of a store's content, over what a directory listing gives; imports nothing that is slow to start."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache

from blake3 import blake3

NO_STORE = "absent"
"""What stands in for a hash where there is no store."""


def content_hash(entries: Iterable[tuple[bytes, int, bytes]]) -> str:
    """``blake3:<hex>`` over the path, whole mode and bytes of each file or link, in any order.

    Each field is preceded by its length, so no two stores share a manifest.
    """
    hasher = blake3()
    for name, mode, data in sorted(entries):
        # At once, and the mode's field from a cache: a call costs as much as hashing a memory.
        hasher.update(b"".join((_length(len(name)), name, _mode_field(mode), _length(len(data)), data)))
    return f"blake3:{hasher.hexdigest()}"


_length = struct.Struct(">Q").pack


@cache
def _mode_field(mode: int) -> bytes:
    octal = b"%o" % mode
    return _length(len(octal)) + octal
