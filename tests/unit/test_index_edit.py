from __future__ import annotations

import pytest

from memgit.memory.index_edit import with_line
from memgit.memory.memory import read_memory
from memgit.model.store import INDEX, Memory, StoreFile


def memory(memory_id: str, description: str = "text") -> Memory:
    data = f"---\nname: {memory_id}\ndescription: {description}\ntype: project\n---\n\nBody.\n"
    return read_memory(StoreFile(f"{memory_id}.md", data.encode()))


def edited(index: str | None, memory_id: str, text: str, *others: str) -> str:
    file = None if index is None else StoreFile(INDEX, index.encode())
    store = [memory(name) for name in (*others, memory_id)]
    return with_line(file, store, store[-1], text).decode()


def test_a_line_is_added_below_the_last_and_nothing_else_changes() -> None:
    index = "<!-- keep -->\n# Memory\n\n* [A](a.md): the a\n* [gone](gone.md): dead\n\nProse at the end.\n"

    assert edited(index, "new-one", "the new", "a") == index.replace(
        "dead\n", "dead\n* [New One](new-one.md): the new\n"
    )


def test_a_line_is_replaced_with_its_title_kept_and_nothing_else_changes() -> None:
    index = "# Memory\n\n- [My own title](a.md) — old hook\n- [B](b.md) — b\n- [B](b.md) — twice\n"

    assert edited(index, "a", "new hook", "b") == index.replace("old hook", "new hook")


def test_the_same_hook_changes_no_byte() -> None:
    index = "- [A](a.md)   —   the hook  \n"

    assert edited(index, "a", "the hook") == index


def test_windows_line_ends_stay() -> None:
    assert edited("# M\r\n\r\n- [A](a.md) — a\r\n", "b", "the b", "a").endswith("— a\r\n- [B](b.md) — the b\r\n")


def test_a_file_without_a_final_line_end_stays_so() -> None:
    assert edited("- [A](a.md) — a", "b", "the b", "a") == "- [A](a.md) — a\n- [B](b.md) — the b"


@pytest.mark.parametrize("index", [None, "", "\n\n"])
def test_an_index_is_begun_where_there_is_none(index: str | None) -> None:
    assert edited(index, "a", "the a", "other") == "# Memory index\n\n- [A](a.md) — the a\n"


def test_an_index_of_prose_gets_a_line_at_its_end() -> None:
    assert edited("# Memory\n\nJust prose.", "a", "the a") == "# Memory\n\nJust prose.\n\n- [A](a.md) — the a"


def test_an_entry_in_bold_stays_bold() -> None:
    assert edited("- **[A](a.md)** — old\n", "a", "new") == "- **[A](a.md)** — new\n"


def test_a_row_of_a_table_is_replaced_as_a_row() -> None:
    index = "| Memory | Hook |\n|---|---|\n| [A](a.md) | old |\n"

    assert edited(index, "a", "new") == "| Memory | Hook |\n|---|---|\n| [A](a.md) | new |\n"


def test_a_line_of_several_memories_is_left_alone() -> None:
    index = "- [A](a.md) · [B](b.md) — both\n"

    assert edited(index, "a", "new", "b") == index


def test_an_unclosed_fence_does_not_swallow_the_line() -> None:
    assert edited("# Memory\n```\ncode\n", "a", "the a").startswith("# Memory\n\n- [A](a.md) — the a\n```")


def test_links_in_a_hook_become_plain_text() -> None:
    assert edited("- [A](a.md) — a\n", "b", "see [A](a.md) and [[a]]", "a").endswith("- [B](b.md) — see A and a\n")
