from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memgit.memory.memory import (
    Dialect,
    NameStyle,
    dialect_of,
    memories,
    new_path,
    read_memory,
    render_changed,
    render_new,
    status,
)
from memgit.model.decision import Draft
from memgit.model.store import ABSENT, FrontmatterState, Memory, StoreContent, StoreFile, StoreStatus

AGENT = (
    b"---\nname: retry-budget\ndescription: Three retries in total\nmetadata: \n  node_type: memory\n"
    b"  type: project\n  originSessionId: 0f2c\n  modified: 2026-11-02T08:00:00.000Z\n---\n\nThe cap is per request.\n"
)


def read(data: bytes | str, path: str = "note.md") -> Memory:
    return read_memory(StoreFile(path, data.encode() if isinstance(data, str) else data))


def draft_of(memory: Memory) -> Draft:
    return Draft(memory.name, memory.description, memory.type, memory.body, memory.id)


def block(*lines: str) -> Memory:
    return read("".join(f"{line}\n" for line in ("---", *lines, "---", "", "Body.")))


def test_the_agents_own_file_is_read_whole() -> None:
    assert read(AGENT, "team/retry.md") == Memory(
        id="team/retry",
        path="team/retry.md",
        data=AGENT,
        body="The cap is per request.",
        name="retry-budget",
        description="Three retries in total",
        type="project",
        frontmatter=FrontmatterState.OK,
        modified=datetime(2026, 11, 2, 8, tzinfo=UTC),
        origin_session="0f2c",
    )


def test_type_session_time_and_pin_are_found_at_either_level() -> None:
    flat = block("type: user", "originSessionId: s1", "modified: 2026-01-01", "pinned: true")
    nested = block("metadata:", "  type: user", "  originSessionId: s1", "  modified: 2026-01-01", "  pinned: True")
    for memory in (flat, nested):
        assert (memory.type, memory.origin_session, memory.pinned) == ("user", "s1", True)
        assert memory.modified == datetime(2026, 1, 1, tzinfo=UTC)


def test_only_the_agents_own_time_key_is_a_time() -> None:
    assert block("updated: 2026-01-01", "created: 2026-01-01", "modified: soon").modified is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-08-14", "2026-08-14"),
        ("no", "no"),
        ("1.10", "1.10"),
        ("use #channel now", "use #channel now"),
        ("spaced   # trailing", "spaced   # trailing"),
        ('"has: colon"', "has: colon"),
        (r'"a \"b\" é \x41"', 'a "b" é A'),
        ("'it''s'", "it's"),
        ("https://example.org:80/x", "https://example.org:80/x"),
        ("~", "~"),
        ("", ""),
        (">-\n  one\n  two", "one two"),
        ("one\n  two", "one two"),
        ('"one\n  two"', "one two"),
    ],
)
def test_values_stay_the_strings_they_show(written: str, shown: str) -> None:
    memory = block(f"description: {written}")
    assert (memory.description, memory.frontmatter) == (shown, FrontmatterState.OK)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Deploy window: 15 minutes", "Deploy window: 15 minutes"),
        ("`make` first", "`make` first"),
        ("@ops decides", "@ops decides"),
        ('"abc "def" ghi"', 'abc "def" ghi'),
        ('"quoted" and more', '"quoted" and more'),
        ("ends in colon:", "ends in colon:"),
        ("[TODO] later", "[TODO] later"),
        ("null byte \0", "null byte \0"),
    ],
)
def test_invalid_yaml_is_read_line_by_line_and_said(written: str, shown: str) -> None:
    memory = block("name: n", f"description: {written}", "metadata:", "  type: user")
    assert (memory.name, memory.description, memory.type) == ("n", shown, "user")
    assert memory.frontmatter is FrontmatterState.LENIENT
    assert "line" in memory.problem


def test_lists_and_deeper_maps_do_not_hide_the_rest() -> None:
    memory = block("name: n", "tags: [a, b]", "relates_to:", "- x", "metadata:", "  type: user", "  deep:", "    er: 1")
    assert (memory.name, memory.type, memory.frontmatter) == ("n", "user", FrontmatterState.OK)


@pytest.mark.parametrize("text", ["@@", "- a\n- b", "just prose", "{"])
def test_a_block_without_any_key_is_unparsed(text: str) -> None:
    assert block(text).frontmatter is FrontmatterState.UNPARSED


@pytest.mark.parametrize(
    "data", [b"", b"Plain text.\n", b"---\nname: never closed\n", b"\n---\nname: late\n---\n", b"--- x\n---\n"]
)
def test_a_file_without_a_closed_block_at_its_top_has_no_frontmatter(data: bytes) -> None:
    memory = read(data)
    assert (memory.frontmatter, memory.name) == (FrontmatterState.NONE, "")
    assert memory.body == data.decode().strip()


def test_bom_crlf_and_a_fence_at_the_end_of_the_file_are_ordinary() -> None:
    memory = read(b"\xef\xbb\xbf---\r\nname: n\r\ntype: user\r\n---\r\n\r\nOne.\r\nTwo.\r\n")
    assert (memory.name, memory.type, memory.body) == ("n", "user", "One.\nTwo.")
    assert read(b"---\nname: n\n---").name == "n"
    assert read(b"---\nname: n\n---").body == ""
    assert read(b"\xef\xbb\xbfText").body == "Text"


def test_stray_bytes_and_huge_bodies_are_read() -> None:
    assert read(b"---\nname: caf\xe9\n---\nna\xefve").body == "na\ufffdve"
    assert len(read(b"---\nname: n\n---\n" + b"- `x` --- \n" * 20_000).body) > 200_000


def test_hostile_white_space_costs_no_time() -> None:
    memory = read("---\ndescription: a" + " " * 100_000 + "b\n---\n" + " \n" * 50_000 + " " * 100_000 + "x")
    assert render_changed(memory, replace(draft_of(memory), description="new")).startswith(b"---\ndescription: new\n")


def test_a_rule_in_the_body_ends_nothing() -> None:
    assert read("---\nname: n\n---\nOne\n\n---\n\nTwo\n").body == "One\n\n---\n\nTwo"


def test_yaml_is_loaded_only_for_what_lines_cannot_say() -> None:
    code = (
        "import sys; from memgit.memory.memory import read_memory; from memgit.model.store import StoreFile;"
        f"read_memory(StoreFile('a.md', {AGENT!r})); assert not {{'yaml', 'frontmatter'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def store(**files: bytes) -> StoreContent:
    return StoreContent(
        {
            name.replace("__", "/") + ".md": StoreFile(name.replace("__", "/") + ".md", data)
            for name, data in files.items()
        }
    )


def test_memories_are_every_markdown_file_but_the_index_links_and_hidden_files() -> None:
    content = store(b=b"", MEMORY=b"", team__MEMORY=b"", team__a=b"")
    others = [StoreFile("x.txt", b""), StoreFile(".#b.md", b""), StoreFile("l.md", b"b.md", mode=0o120777)]
    content = replace(content, files={**content.files, **{file.path: file for file in others}})
    assert [memory.id for memory in memories(content)] == ["b", "team/MEMORY", "team/a"]


def test_a_store_has_one_of_four_shapes() -> None:
    linked = StoreContent({"a.md": StoreFile("a.md", b""), "MEMORY.md": StoreFile("MEMORY.md", b"x", mode=0o120777)})
    assert status(ABSENT) is StoreStatus.ABSENT
    assert status(store(MEMORY=b"prose")) is StoreStatus.EMPTY
    assert status(store(a=b"")) is StoreStatus.INDEX_LESS
    assert status(linked) is StoreStatus.INDEX_LESS
    assert status(store(a=b"", MEMORY=b"")) is StoreStatus.PRESENT


DRAFT = Draft("retry-budget", "Deploy window: 15 minutes", "project", "One.\n\nTwo.\n")


def test_a_new_memory_is_written_as_the_agent_is_told_to() -> None:
    assert render_new(DRAFT, Dialect()).decode() == (
        '---\nname: retry-budget\ndescription: "Deploy window: 15 minutes"\nmetadata:\n  type: project\n---\n'
        "\nOne.\n\nTwo.\n"
    )


def test_a_new_memory_follows_the_stores_dialect() -> None:
    dialect = Dialect(
        nested=False, keys=("type", "name", "description"), names=NameStyle.TITLE,
        newline="\r\n", final_newline=False, blank_line=False,
    )  # fmt: skip
    assert render_new(DRAFT, dialect).decode() == (
        '---\r\ntype: project\r\nname: Retry Budget\r\ndescription: "Deploy window: 15 minutes"\r\n---\r\n'
        "One.\r\n\r\nTwo."
    )


def test_the_majority_of_a_store_decides_its_dialect() -> None:
    old = b"---\r\nname: Use pnpm\r\ndescription: d\r\ntype: feedback\r\n---\r\nBody"
    files = {f"feedback_use_{name}": old for name in "abc"}
    assert dialect_of(memories(store(**files, x=AGENT))) == Dialect(
        nested=False, separator="_", prefixed=True, names=NameStyle.TITLE,
        newline="\r\n", final_newline=False, blank_line=False,
    )  # fmt: skip
    assert dialect_of(memories(store(x=AGENT))) == Dialect()
    assert dialect_of([]) == Dialect()


def test_a_name_can_be_the_file_name() -> None:
    snake = b"---\nname: use_pnpm\ndescription: d\n---\n"
    dialect = dialect_of(memories(store(use_pnpm=snake)))
    assert dialect.names is NameStyle.STEM
    assert b"name: pin_the_node_version\n" in render_new(replace(DRAFT, name="Pin the Node version"), dialect)


def test_a_changed_memory_changes_in_description_and_body_only() -> None:
    old = (
        b"\xef\xbb\xbf---\r\n# mine\r\ntags: [a,  b]\r\ndescription:   'Old'  \r\nname: 'x'\r\n---\r\n"
        b"\r\n\r\nOld body.\r\n\r\n"
    )
    memory = read(old)
    changed = render_changed(memory, replace(draft_of(memory), description="It's new", body="New\nbody.\n", name="y"))
    assert changed == old.replace(b"'Old'", b"'It''s new'").replace(b"Old body.", b"New\r\nbody.")


def test_a_folded_description_becomes_one_line() -> None:
    memory = read("---\nname: n\ndescription: >-\n  one\n\n  two\ntype: user\n---\nBody\n")
    changed = render_changed(memory, replace(draft_of(memory), description="three: four"))
    assert changed == b'---\nname: n\ndescription: "three: four"\ntype: user\n---\nBody\n'


def test_a_missing_description_is_added_below_the_name() -> None:
    memory = read("---\nname: n\ntype: user\n---\nBody\n")
    changed = render_changed(memory, replace(draft_of(memory), description="d"))
    assert changed == b"---\nname: n\ndescription: d\ntype: user\n---\nBody\n"


@pytest.mark.parametrize("top", ["", "---\n@@ broken\n---\n\n", "---\n{name: n, description: d}\n---\n"])
def test_what_cannot_be_changed_safely_is_left_alone(top: str) -> None:
    memory = read(f"{top}Old\n")
    assert render_changed(memory, replace(draft_of(memory), description="new", body="New")) == f"{top}New\n".encode()


def test_a_new_body_never_touches_the_fences() -> None:
    bare = read("---\nname: n\n---")
    assert render_changed(bare, replace(draft_of(bare), body="New")) == b"---\nname: n\n---\nNew"
    plain = read("Text")
    changed = render_changed(plain, replace(draft_of(plain), body="---\nx: y\n---\nNew"))
    assert read(changed).frontmatter is FrontmatterState.NONE


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Retry budget!", "retry-budget.md"),
        ("Größe der Puffer", "größe-der-puffer.md"),
        ("部署 窗口", "部署-窗口.md"),
        ("การตั้งค่า", "การตั้งค่า.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        (".hidden", "hidden.md"),
        ("memory", "memory-2.md"),
        ("CON", "con-2.md"),
        ("🙂", "memory-1.md"),
        ("", "memory-1.md"),
        ("x" * 300, "x" * 77 + ".md"),
        ("部" * 300, "部" * 77 + ".md"),
    ],
)
def test_a_new_file_name_is_valid_everywhere(name: str, path: str) -> None:
    assert new_path(replace(DRAFT, name=name), Dialect(), ()) == path


def test_a_new_file_name_never_meets_another() -> None:
    taken = ["Retry-Budget.md", "retry-budget-2.md"]
    assert new_path(DRAFT, Dialect(), taken) == "retry-budget-3.md"
    assert new_path(replace(DRAFT, name="café"), Dialect(), ["cafe\u0301.md"]) == "café-2.md"
    assert len(new_path(replace(DRAFT, name="x" * 300), Dialect(), ["x" * 77 + ".md"])) == 80


def test_a_prefix_is_given_once() -> None:
    dialect = Dialect(separator="_", prefixed=True)
    assert new_path(DRAFT, dialect, ()) == "project_retry_budget.md"
    assert new_path(replace(DRAFT, name="project-retry"), dialect, ()) == "project_retry.md"
