"""The texts of memories as a page shows them: what changed word by word, and no more of the rest than tells where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.core.review.dossier import TextChange
from memgit.model.store import INDEX
from memgit.show.markup import Markup, joined, tag
from memgit.text.diff import Piece

LONGEST = 20_000
"""Characters of one text that a page shows; a memory can be megabytes."""
_CONTEXT, _FOLDED = 400, 1_200
"""An unchanged passage longer than the second shows this many characters at either end."""


def text_change(change: TextChange) -> Markup:
    """One file that a decision writes or takes away."""
    name = "the index" if change.path == INDEX else change.path.removesuffix(".md")
    match change.before, change.after:
        case None, after:
            return tag("section", tag("h4", f"New memory {name}"), tag("div", cut(after or ""), class_="text"))
        case before, None:
            told = tag("summary", "The text of ", tag("strong", name), " that goes, whole; the history keeps it")
            return tag("details", told, tag("div", tag("del", cut(before or "")), class_="text gone"))
        case before, after if before == after:
            return tag("p", "The text of ", tag("strong", name), " stays as it is.", class_="small")
        case _:
            return tag("section", tag("h4", f"Change of {name}"), tag("div", *_pieces(change.words), class_="text"))


def cut(text: str) -> Markup:
    """A text, or its beginning with a word on how much is left out."""
    if len(text) <= LONGEST:
        return joined(text)
    return joined(text[:LONGEST], tag("span", f"\n… {len(text) - LONGEST:,} more characters", class_="soft"))


def _pieces(words: Sequence[Piece]) -> Iterator[Markup]:
    left, last = LONGEST, len(words) - 1
    for at, piece in enumerate(words):
        if left <= 0:
            yield tag("span", "\n… more follows; `memgit diff` shows all of it", class_="soft")
            return
        shown = _piece(piece, is_first=at == 0, is_last=at == last)
        left -= len(piece.text) if piece.fate != "same" else min(len(piece.text), _FOLDED)
        yield shown


def _piece(piece: Piece, *, is_first: bool, is_last: bool) -> Markup:
    match piece.fate:
        case "added":
            return tag("ins", cut(piece.text))
        case "removed":
            return tag("del", cut(piece.text))
        case "same":
            return _unchanged(piece.text, is_first=is_first, is_last=is_last)


def _unchanged(text: str, *, is_first: bool, is_last: bool) -> Markup:
    """A passage that stays; of a long one the ends that lie beside a change."""
    if len(text) <= _FOLDED:
        return joined(text)
    head, tail = "" if is_first else text[:_CONTEXT], "" if is_last else text[-_CONTEXT:]
    left_out = len(text) - len(head) - len(tail)
    return joined(head, tag("span", f"\n… {left_out:,} characters stay as they are …\n", class_="soft"), tail)
