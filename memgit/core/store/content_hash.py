"""The hash of a store's content, over what a directory listing gives; imports nothing that is slow to start."""

from __future__ import annotations

from collections.abc import Iterable

from blake3 import blake3

NO_STORE = "absent"
"""What stands in for a hash where there is no store."""


def content_hash(entries: Iterable[tuple[bytes, int, bytes]]) -> str:
    """``blake3:<hex>`` over the path, whole mode and bytes of each file or link, in any order.

    Each field is preceded by its length, so no two stores share a manifest.
    """
    hasher = blake3()
    for name, mode, data in sorted(entries):
        octal = b"%o" % mode
        fields = (_length(name), name, _length(octal), octal, _length(data), data)
        hasher.update(b"".join(fields))  # at once: a call costs as much as hashing a memory
    return f"blake3:{hasher.hexdigest()}"


def _length(field: bytes) -> bytes:
    return len(field).to_bytes(8, "big")
