"""The content hash of a store: equal exactly when every path, mode and byte is equal."""

from __future__ import annotations

import hashlib

from memgit.memory.content_hash import NO_STORE, content_hash
from memgit.model.store import StoreContent, StoreFile

__all__ = ["NO_STORE", "fingerprint", "original_digest"]


def fingerprint(content: StoreContent) -> str:
    """``blake3:<hex>`` over path, mode, size and bytes of every file and link, or ``absent``.

    Each field is preceded by its length, so no two stores share a manifest. Modification times,
    empty folders and the folders of other tools do not count.
    """
    if not content.exists:
        return NO_STORE
    if "fingerprint" not in content.hashes:
        entries = ((_name(file), file.mode, file.data) for file in content.files.values())
        content.hashes["fingerprint"] = content_hash(entries)
    return content.hashes["fingerprint"]


def original_digest(content: StoreContent) -> str:
    """``sha256:<hex>`` as the original curation script computes it, or ``absent``.

    It hashes path, NUL and bytes of each regular file, in the order JavaScript sorts strings
    (UTF-16 code units), without modes, links or terminators: two different stores can share one.
    """
    if not content.exists:
        return NO_STORE
    hasher = hashlib.sha256()
    regular = [
        (_javascript_name(file), file.data) for file in content.files.values() if not (file.is_link or file.link)
    ]
    for name, data in sorted(regular, key=lambda pair: pair[0].encode("utf-16-be")):
        hasher.update(name.encode() + b"\0" + data)
    return f"sha256:{hasher.hexdigest()}"


def _name(file: StoreFile) -> bytes:
    return file.path.encode("utf-8", "surrogateescape")


def _javascript_name(file: StoreFile) -> str:
    return _name(file).decode("utf-8", "replace")
