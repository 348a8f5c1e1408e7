"""What a pass does not look into is named."""

from __future__ import annotations

from memgit.memory.shapes import left_alone
from memgit.model.store import StoreContent, StoreFile

LINK = 0o120777


def link(path: str) -> StoreFile:
    return StoreFile(path, b"../elsewhere.md", LINK)


def test_a_store_of_plain_files_leaves_nothing_alone() -> None:
    assert left_alone(StoreContent({"a.md": StoreFile("a.md", b"a")})) == ()


def test_folders_of_other_tools_links_and_pipes_are_named() -> None:
    content = StoreContent({"l.md": link("l.md")}, foreign=(".git", ".obsidian"), special=("p\n.md",))
    assert left_alone(content) == (
        "Folders of other tools, not read and not copied; adopting carries them over: `.git`, `.obsidian`.",
        "Links, carried as links and not followed: `l.md`.",
        "Neither files nor folders, not read: `p\\n.md`.",
    )


def test_a_linked_index_is_said_to_be_read_and_not_written_to() -> None:
    index = StoreFile("MEMORY.md", b"# Memory\n", link=b"../elsewhere.md")
    (said,) = left_alone(StoreContent({"MEMORY.md": index}))
    assert said.startswith("MEMORY.md is a link to `../elsewhere.md`: its text is read and carried, and nothing is")


def test_many_names_are_counted() -> None:
    content = StoreContent(special=tuple("abcdefg"))
    assert left_alone(content) == ("Neither files nor folders, not read: `a`, `b`, `c`, `d`, `e` and 2 more.",)


def test_exports_in_a_store_are_named_and_said_to_be_no_memories() -> None:
    names = ("b.ndjson", "issues.jsonl", "notes.json")
    content = StoreContent({name: StoreFile(name, b"{}") for name in names})
    assert left_alone(content) == (
        "Exports of another tool are no memories; kept byte for byte: `b.ndjson`, `issues.jsonl`.",
    )
