from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.memory.index import drift
from memgit.memory.index_lines import Targets, limits, parse_index, wrapped
from memgit.memory.memory import Dialect, read_memory, render_new
from memgit.memory.rebuild import rebuild
from memgit.model.decision import Draft
from memgit.model.store import Memory, StoreFile

IDS = ["a", "b", "team/c", "my file", "caf\udce9", "x_y", "(z)", "100%25"]
TEXTS = st.one_of(
    st.text(max_size=12),
    st.lists(
        st.sampled_from(
            ["[b](b.md)", "· ", "[[a]]", "`", "`b.md`", "|", "<!--", "-->", "**", ": ", " — ", "[", "](", "word"]
        )
    ).map("".join),
)
VERSIONS = st.builds(lambda name, text: render_new(Draft(name, text, "user", "Body."), Dialect()), TEXTS, TEXTS)
STORES = st.dictionaries(st.sampled_from(IDS), VERSIONS, max_size=6)
PROSE = [
    "# Heading", "", "prose", "> quote", "```", "~~~", "<!--", "-->", "<!-- c -->", "---", "| a | b |", "|---|---|",
    "  indented", "- bullet", "see [a](a.md) there", "- `CLAUDE.md` rules", "- [o](../o.md)", "---\nx\n---",
    "- [x](x.md",
]  # fmt: skip
ENTRIES = [
    "1. [b](b.md)",  "- [[a]]",
    "* [[x-y|X]] — h", "- `a.md` — h", "- b.md", "| [a](a.md) | h |", "| x | [b](b.md) | y |",
    "- [a](a.md) — x · [b](b.md) · [c](team/c.md)", "- **[a](a.md)** — h, [b](b.md)", "- [g](gone.md)",
    "- [m](my%20file.md)", "- [z](<(z).md>)", "- [t](./team/c.md): h", "  - [a](a.md) replaced by [b](b.md)",
    "[a](a.md)", "- L: [a](a.md)/[g](gone.md)",
]  # fmt: skip
LINES = st.one_of(st.sampled_from(PROSE), st.sampled_from(ENTRIES), st.text(max_size=10))
INDEXES = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(LINES, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
).map(lambda t: t[0] + (t[2].join(t[1]) + (t[2] if t[3] else "")).encode("utf-8", "replace"))


def memories(store: dict[str, bytes]) -> list[Memory]:
    return [read_memory(StoreFile(f"{memory_id}.md", data)) for memory_id, data in sorted(store.items())]


@given(INDEXES, STORES, STORES, st.booleans())
def test_an_index_is_rebuilt_completely_and_once(data: bytes, old: dict, new: dict, derived: bool) -> None:
    before, after = memories(old), memories({**new, **{key: old[key] for key in list(old)[:2]}})
    index = StoreFile("MEMORY.md", data)
    result = rebuild(index, before, after, from_frontmatter=derived)

    again = StoreFile("MEMORY.md", result)
    assert rebuild(again, after, after) == result
    found = drift(again, after)
    assert (found.orphans, found.dead, found.doubles) == ((), (), ())
    assert_each_is_pointed_to_once(result, after)
    assert_prose_survives(data, result, before, after)


def assert_each_is_pointed_to_once(result: bytes, after: list[Memory]) -> None:
    targets = Targets(after)
    lines = parse_index(result)
    entries = [{targets.memory(pointer) for pointer in line.pointers} for line in lines]
    mentioned = {targets.memory(pointer) for line in lines for pointer in line.mentions}
    for memory in after:
        number = sum(memory.id in entry for entry in entries)
        assert number == 1 or (number == 0 and memory.id in mentioned)


def assert_prose_survives(data: bytes, result: bytes, before: list[Memory], after: list[Memory]) -> None:
    data, result = data.removeprefix(b"\xef\xbb\xbf"), result.removeprefix(b"\xef\xbb\xbf")
    kept = [line.rstrip(b"\r\n") for line in result.split(b"\n")]
    lines = parse_index(data) if data.strip() else ()
    entries = {each.number for at, line in enumerate(lines) if line.pointers for each in (line, *wrapped(lines, at))}
    for line in lines:
        if line.number not in entries:
            kept.remove(line.data.rstrip(b"\r\n"))


@given(INDEXES, STORES)
def test_an_index_without_drift_is_not_touched(data: bytes, store: dict) -> None:
    index, now = StoreFile("MEMORY.md", data), memories(store)
    if drift(index, now).is_clean:
        assert rebuild(index, now, now) == data


@given(st.one_of(st.binary(max_size=200), INDEXES))
def test_any_bytes_can_be_measured(data: bytes) -> None:
    found = limits(data)
    assert found.loaded <= found.lines
    assert b"".join(line.data for line in parse_index(data)) == data
