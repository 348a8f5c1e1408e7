from __future__ import annotations

import re
import string
import unicodedata

import frontmatter
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memgit.memory.frontmatter import read_fields
from memgit.memory.memory import Dialect, dialect_of, new_path, read_memory, render_changed, render_new
from memgit.model.decision import Draft
from memgit.model.store import FrontmatterState, StoreFile

TRICKY = st.sampled_from(
    [": ", " #", "'", '"', "\\", "\n", "- ", "---", "`", "[", "{", "|", ">", "&", "*", "!", "%", "@", "~", "\t",
     "\x85", "\u2028", "\ufeff", "\0", "yes", "null", "1e3", "0x1F", "2026-01-01", "12:30:45", "é", "漢", "🙂",
     "\ud800", "\r"]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=30), st.lists(st.one_of(TRICKY, st.text(max_size=5)), max_size=6).map("".join))
STRICT = TEXT.map(lambda text: text.encode("utf-8", "replace").decode())
DRAFTS = st.builds(Draft, name=TEXT, description=STRICT, type=STRICT, body=TEXT)
DIALECTS = st.builds(
    Dialect,
    nested=st.booleans(),
    keys=st.permutations(("name", "description", "type")).map(tuple),
    newline=st.sampled_from(["\n", "\r\n"]),
    final_newline=st.booleans(),
    blank_line=st.booleans(),
)
FILES = st.one_of(
    st.binary(max_size=80),
    st.tuples(TEXT, TEXT, TEXT).map(
        lambda t: f"---\nname: {t[0]}\ndescription: {t[1]}\n---\n{t[2]}".encode("utf-8", "replace")
    ),
    st.tuples(st.text(string.printable, max_size=80), TEXT).map(
        lambda t: f"---\n{t[0]}\n---\n{t[1]}".encode("utf-8", "replace")
    ),
)


def read(data: bytes):
    return read_memory(StoreFile("note.md", data))


@given(DRAFTS, DIALECTS)
def test_what_is_rendered_is_read_back(draft: Draft, dialect: Dialect) -> None:
    memory = read(render_new(draft, dialect))
    assert memory.frontmatter is FrontmatterState.OK
    assert (memory.description, memory.type) == (draft.description, draft.type)
    assert read(render_new(draft, Dialect())).body == memory.body


@given(DRAFTS)
def test_strict_yaml_reads_back_the_same_strings(draft: Draft) -> None:
    post = frontmatter.loads(render_new(draft, Dialect()).decode())
    assert post["description"] == draft.description
    assert post.get("metadata", {}).get("type", "") == draft.type


@given(FILES)
def test_reading_never_fails_and_an_unchanged_draft_changes_no_byte(data: bytes) -> None:
    memory = read(data)
    assert render_changed(memory, Draft(memory.name, memory.description, memory.type, memory.body)) == data
    assert dialect_of([memory])


@given(FILES, STRICT, STRICT)
def test_a_changed_memory_reads_back_its_new_text(data: bytes, description: str, body: str) -> None:
    memory = read(data)
    draft = Draft(memory.name, description, memory.type, re.sub("[\r\ufeff]", "", body))
    changed = read(render_changed(memory, draft))
    assert changed.body == read(render_new(draft, Dialect())).body
    assert changed.name == memory.name
    assert changed.description in (description, memory.description)


@given(
    st.lists(
        st.sampled_from(
            ["name: ", "type:", "  type: ", "metadata:", "- ", "    ", "x: ", "\n", "\n", "a", "'", '"', "# c", ": "]
        )
    )
)
def test_what_is_surely_read_is_what_yaml_reads(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        loaded = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        loaded = None
    fields = read_fields(text.encode())
    if fields.state is FrontmatterState.OK and isinstance(loaded, dict) and "#" not in text:
        assert fields.values == {key: value for key, value in loaded.items() if isinstance(value, str | dict)}


@given(DRAFTS, st.lists(TEXT, max_size=4))
def test_new_paths_are_short_visible_and_free(draft: Draft, names: list[str]) -> None:
    taken: list[str] = []
    for _ in range(3):
        path = new_path(draft, Dialect(), taken)
        assert len(path) <= 80
        assert not path.startswith(".")
        assert path.casefold() != "memory.md"
        assert unicodedata.normalize("NFC", path).casefold() not in {
            unicodedata.normalize("NFC", t).casefold() for t in taken
        }
        taken.append(path)
