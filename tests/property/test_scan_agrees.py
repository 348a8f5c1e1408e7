"""The scan of a tree gives what a plain search of each file gives."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.text.words import stands_alone
from memgit.tree.known import Known, mark, search
from memgit.tree.scan import scan

_WORDS = st.text(alphabet="ab-_ \né漢1", max_size=12)
_TEXTS = st.text(alphabet="ab-_é漢1", min_size=1, max_size=5)


def plainly(files: dict[str, str], text: str) -> str | None:
    for path, content in files.items():
        at = content.find(text)
        while at >= 0:
            if stands_alone(text, content[max(0, at - 1) : at], content[at + len(text) :][:1]):
                line = content.count("\n", 0, at) + 1
                return f"{path}:{line}"
            at = content.find(text, at + 1)
    return None


@settings(max_examples=150, deadline=None)
@given(
    contents=st.lists(st.lists(_WORDS, max_size=40).map("".join), max_size=5),
    texts=st.lists(_TEXTS, max_size=8, unique=True),
    size=st.integers(40, 400),
)
def test_the_scan_agrees_with_a_plain_search(contents: list[str], texts: list[str], size: int) -> None:
    files = {f"f{number}": content for number, content in enumerate(contents)}
    with tempfile.TemporaryDirectory() as root:
        for name, content in files.items():
            (Path(root) / name).write_bytes(content.encode())
        expected = {text: where for text in texts if (where := plainly(files, text))}
        assert scan(root, files, texts, size).found == expected


_EDITS = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "turn", "age", "ask"]), st.integers(0, 3), st.integers(0, 63)),
    min_size=1,
    max_size=8,
)
_SAID = ("a", "b", "a b", "ab", "1")


@settings(max_examples=100, deadline=None)
@given(edits=_EDITS)
def test_what_is_remembered_never_changes_what_is_found(edits: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as root:
        known, order, later = Known(), [f"f{number}" for number in range(4)], 0
        for edit, number, which in edits:
            match edit:
                case "write":
                    (Path(root) / f"f{number}").write_text(
                        "\n".join(text for bit, text in enumerate(_SAID) if which >> bit & 1)
                    )
                case "remove":
                    (Path(root) / f"f{number}").unlink(missing_ok=True)
                case "turn":
                    order.reverse()
                case "age":
                    later = 10_000_000_000 * (which % 2)
            texts = [text for bit, text in enumerate((*_SAID, "never")) if which >> bit & 1]
            listed = {
                name: mark((Path(root) / name).stat(), time.time_ns() + later)
                for name in order
                if (Path(root) / name).exists()
            }
            result, known = search(root, listed, texts, known)
            assert result.found == scan(root, listed, texts).found
