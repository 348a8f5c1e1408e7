from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.memory.index import Place, drift
from memgit.memory.index_lines import limits, parse_index
from memgit.memory.memory import read_memory
from memgit.memory.rebuild import hook, rebuild, title
from memgit.model.store import Memory, StoreFile


def memory(memory_id: str, description: str = "", name: str = "", mtime_ns: int = 0) -> Memory:
    block = f"---\nname: {name or memory_id}\ndescription: {description or f'about {memory_id}'}\n---\nBody.\n"
    return read_memory(StoreFile(f"{memory_id}.md", block.encode(), mtime_ns=mtime_ns))


A, B, C = memory("a"), memory("b"), memory("c")


def index(text: str | bytes) -> StoreFile:
    return StoreFile("MEMORY.md", text.encode() if isinstance(text, str) else text)


def rebuilt(text: str, before: list[Memory], after: list[Memory], **how: object) -> str:
    return rebuild(index(text), before, after, **how).decode()


def pointed(text: str) -> list[str]:
    return [pointer.target for line in parse_index(text.encode()) for pointer in line.pointers]


@pytest.mark.parametrize(
    ("line", "target", "title", "hook"),
    [
        ("- [Title](a.md) — the hook", "a.md", "Title", "the hook"),
        ("- [Title](a.md) - the hook", "a.md", "Title", "the hook"),
        ("- [Title](a.md) -- the hook", "a.md", "Title", "the hook"),
        ("- [Title](a.md): the hook", "a.md", "Title", "the hook"),
        ("- [Title](a.md)", "a.md", "Title", ""),
        ("* [T](./a.md) – h", "./a.md", "T", "h"),
        ("12. [T](sub/a.md) — h", "sub/a.md", "T", "h"),
        ("  - [T](a.md#part) — h", "a.md", "T", "h"),
        ("- **[T](a.md)** — h", "a.md", "T", "h"),
        ("- **Label** see [T](a.md) — h", "a.md", "T", "h"),
        ("- 2026-08-01 [T](a.md) — h", "a.md", "T", "h"),
        ("- [x] [T](a.md) — h", "a.md", "T", "h"),
        ("- Deploys: [T](a.md)", "a.md", "T", ""),
        ("- [T](my%20file.md) — h", "my%20file.md", "T", "h"),
        ("- [T](my file.md) — h", "my file.md", "T", "h"),
        ("- [T](<my file.md>) — h", "my file.md", "T", "h"),
        ("- [T [x]](a.md)", "a.md", "T [x]", ""),
        ("[T](a.md) — h", "a.md", "T", "h"),
        ("| [T](a.md) | h |", "a.md", "T", "h"),
        ("- `a.md` — h", "a.md", "a", "h"),
        ("- a.md: h", "a.md", "a", "h"),
        ("- [[a]] — h", "a", "a", "h"),
        ("- [[a|Title]] — h", "a", "Title", "h"),
    ],
)
def test_an_entry_is_read_in_every_style(line: str, target: str, title: str, hook: str) -> None:
    (pointer,) = parse_index(line.encode())[0].pointers
    assert (pointer.target, pointer.title, pointer.hook) == (target, title, hook)


@pytest.mark.parametrize(
    "text",
    [
        "# [T](a.md)",
        "> - [T](a.md)",
        "Read [T](a.md) before anything else.",
        "- Always read [T](a.md) before you deploy.",
        "[T](a.md) is where deploys are described.",
        "- [site](https://example.org/a.md)",
        "- [up](../a.md)",
        "- [code](src/a.py)",
        "- ![picture](a.md)",
        "- `[T](a.md)`",
        "```\n- [T](a.md)\n```",
        "~~~\n- [T](a.md)",
        "<!--\n- [T](a.md)\n-->",
        "- <!-- [T](a.md) -->",
        "---\n- [T](a.md)\n---",
        "",
    ],
)
def test_prose_code_and_comments_hold_no_entries(text: str) -> None:
    assert pointed(text) == []


def test_a_line_may_hold_several_entries_but_a_hook_may_mention_others() -> None:
    assert pointed("- [a](a.md) — x · [b](b.md) · [c](c.md)") == ["a.md", "b.md", "c.md"]
    assert pointed("- [a](a.md), [b](b.md)") == ["a.md", "b.md"]
    assert pointed("- [a](a.md) — replaced by [b](b.md)") == ["a.md"]


STYLED = """\
# Memory

Prose about [a](a.md) stays.

## Deploys

- [My A](a.md) — my own words
- [My B](b.md): other words

```
- [c](c.md)
```

## Rest
> quoted

| name | hook |
|---|---|
| [C](c.md) | third |
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_an_index_without_drift_comes_back_byte_for_byte(ending: str, final: bool) -> None:
    text = STYLED.replace("\n", ending) if final else STYLED.replace("\n", ending).removesuffix(ending)
    assert drift(index(text), [A, B, C]).is_clean
    assert rebuilt(text, [A, B, C], [A, B, C]) == text


def test_dead_and_double_entries_go_and_missing_ones_come() -> None:
    text = "# M\n\n- [A](a.md) — one\n- [Gone](gone.md) — x\n- [A again](a.md) — y\n\nThe end.\n"
    assert rebuilt(text, [A, B], [A, B]) == "# M\n\n- [A](a.md) — one\n- [B](b.md) — about b\n\nThe end.\n"


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("- [My A](a.md): my own words", "- [My A](a.md): my own words"),
        ("- [My A](a.md): 30 minutes", "- [My A](a.md): fifteen now"),
        ("- [My A](a.md): half an hour, that is 1800 s", "- [My A](a.md): fifteen now"),
        ("- [The 30 minute window](a.md): my own words", "- [Window](a.md): my own words"),
        ("- **[My A](a.md)** — my own\n  words on 30 minutes\n  and more", "- **[My A](a.md)** — fifteen now"),
        ("- 30 minutes → [My A](a.md)", "- [My A](a.md)"),
        ("- [b](b.md) · [a](a.md) 30 minutes", "- [b](b.md)\n- [a](a.md) — fifteen now"),
    ],
)
def test_an_entry_loses_only_what_its_memory_does_not_say_any_more(line: str, result: str) -> None:
    old = read_memory(StoreFile("a.md", b"---\nname: window\ndescription: how long\n---\nIt is 30 minutes.\n"))
    new = read_memory(StoreFile("a.md", b"---\nname: window\ndescription: fifteen now\n---\nIt is 15 minutes.\n"))
    rest = "" if "b.md" in line else "- [My B](b.md): mine\n"
    assert rebuilt(f"{line}\n{rest}", [old, B], [new, B]) == f"{result}\n{rest}"


def test_every_entry_can_be_derived_on_request() -> None:
    assert rebuilt("- [x](a.md) - y\nProse.\n", [A], [A], from_frontmatter=True) == "- [A](a.md) - about a\nProse.\n"


def test_new_entries_follow_the_last_one_newest_last() -> None:
    new = [memory("n2", mtime_ns=2), memory("n1", mtime_ns=1)]
    text = "- [A](a.md) — h\n  wrapped on\n\n## Empty\n\nText.\n"
    assert rebuilt(text, [A], [A, *new]) == (
        "- [A](a.md) — h\n  wrapped on\n- [N1](n1.md) — about n1\n- [N2](n2.md) — about n2\n\n## Empty\n\nText.\n"
    )


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("* [A](./a.md) - h\n", "* [B](./b.md) - about b\n"),
        ("3. [A](a.md): h\n", "4. [B](b.md): about b\n"),
        ("- **[A](a.md)** — h\n", "- **[B](b.md)** — about b\n"),
        ("- `a.md` — h\n", "- `b.md` — about b\n"),
        ("- a.md: h\n", "- b.md: about b\n"),
        ("- [[a]] — h\n", "- [[b]] — about b\n"),
        ("| m | s | h |\n|---|---|---|\n| [A](a.md) | h | x |\n", "| [B](b.md) | about b |  |\n"),
        ("- [A](a.md) — h\r\n", "- [B](b.md) — about b\r\n"),
        ("Only prose.\n", "\n- [B](b.md) — about b\n"),
    ],
)
def test_a_new_entry_is_written_in_the_style_of_the_index(text: str, added: str) -> None:
    before = [A] if "a.md" in text or "[[a]]" in text else []
    assert rebuilt(text, before, [*before, B]) == text + added


def test_a_row_of_a_table_keeps_its_other_cells() -> None:
    text = "| s | m | h |\n|---|---|---|\n| open | [A](a.md) | about a |\n"
    assert rebuilt(text, [A], [memory("a", "p | q")]) == text.replace("about a", "p \\| q")


def test_an_escaped_bar_is_no_end_of_a_cell() -> None:
    text = "| about \\| b | [A](a.md) |\n"
    assert rebuilt(text, [A], [memory("a", "new")]) == "| new | [A](a.md) |\n"


def test_a_line_with_several_entries_is_split_only_when_one_goes() -> None:
    text = "- Deploys: [a](a.md) — one · [b](b.md) · **[c](c.md)** two\n"
    assert rebuilt(text, [A, B, C], [A, B, C]) == text
    assert rebuilt(text, [A, B, C], [A, C]) == "- Deploys: [a](a.md) — one\n- **[c](c.md)** two\n"
    assert rebuilt(text, [A, B, C], [B]) == "- Deploys: [b](b.md)\n"


def test_headings_outlive_their_entries() -> None:
    assert (
        rebuilt("# M\n## Old\n- [A](a.md)\n## New\n- [B](b.md)\n", [A, B], [B]) == "# M\n## Old\n## New\n- [B](b.md)\n"
    )


def test_a_memory_named_in_prose_needs_no_entry() -> None:
    text = "Start with [A](a.md), always.\n"
    assert drift(index(text), [A]).is_clean
    assert rebuilt(text, [A], [A]) == text


def test_file_names_of_no_memory_and_other_files_are_content() -> None:
    text = "- `CLAUDE.md` holds the rules\n- notes.md: mine\n- [L](link.md) — a link\n- [A](a.md)\n"
    assert rebuild(index(text), [A], [A], others={"link.md"}).decode() == text
    assert rebuilt(text, [A], [A]) == text.replace("- [L](link.md) — a link\n", "")


def test_without_an_index_one_is_made() -> None:
    fresh = "# Memory index\n\n- [A](a.md) — about a\n- [B](b.md) — about b\n"
    assert rebuild(None, [], [B, A]).decode() == fresh
    assert rebuild(replace(index("target"), mode=0o120777), [], [B, A]).decode() == fresh
    assert rebuilt("\n", [], [A, B]) == fresh
    assert rebuilt("", [], []) == ""
    assert rebuild(None, [], []).decode() == "# Memory index\n"


def test_entries_are_not_added_inside_an_unclosed_block() -> None:
    assert rebuilt("Prose.\n```\ncode\n", [], [A]) == "Prose.\n\n- [A](a.md) — about a\n```\ncode\n"
    assert rebuilt("<!--\nnote\n", [], [A]) == "- [A](a.md) — about a\n<!--\nnote\n"


def test_a_rule_never_becomes_frontmatter() -> None:
    assert rebuilt("- [G](gone.md)\n---\nText.\n---\n", [], []) == "\n---\nText.\n---\n"


def test_stray_bytes_and_a_bom_are_carried() -> None:
    data = b"\xef\xbb\xbf- [A](a.md) \xe9\n- [G](g.md)\nna\xefve\n"
    assert rebuild(index(data), [A], [A]) == b"\xef\xbb\xbf- [A](a.md) \xe9\nna\xefve\n"


def test_a_bom_stays_first() -> None:
    assert rebuild(index(b"\xef\xbb\xbf- [G](g.md)\nx\n"), [], []) == b"\xef\xbb\xbfx\n"
    assert rebuild(index(b"\xef\xbb\xbf```\n"), [], [A]) == "\ufeff- [A](a.md) — about a\n```\n".encode()


def test_derived_text_is_short_printable_and_links_nothing() -> None:
    hostile = memory("a", "see [x](b.md) and [[c|the c]]\u202e\x07 now", name="[evil](http://e) `x` <!--")
    assert hook(hostile) == "see x and the c now"
    assert pointed(f"- [{title(hostile)}](a.md)") == ["a.md"]
    long = hook(memory("a", "word " * 60))
    assert (len(long) <= 150, long.endswith("word…")) == (True, True)
    assert len(hook(memory("a", "字" * 200))) == 150


def test_a_memory_without_frontmatter_is_introduced_by_its_first_line() -> None:
    plain = read_memory(StoreFile("debugging-notes.md", b"# Heading\n\n```\ncode\n```\nThe tests need Redis.\n"))
    assert (title(plain), hook(plain)) == ("Debugging Notes", "The tests need Redis.")


def test_drift_names_what_is_wrong_and_where() -> None:
    text = "- [a](a.md)\n- [g](g.md)\n- [a](a.md) · [b](b.md)\nSee [z](z.md), [r](../README.md).\n- `A.md`\n"
    found = drift(index(text), [A, B, C])
    assert found.orphans == ("c",)
    assert found.dead == (Place(2, "g.md"),)
    assert found.doubles == (Place(3, "a.md"),)
    assert found.dead_mentions == (Place(4, "z.md"),)
    assert found.outside == (Place(4, "../README.md"),)
    assert found.crowded == (3,)
    assert not found.is_clean
    assert drift(None, [A]).orphans == ("a",)


def test_file_names_are_found_encoded_raw_and_in_either_unicode_form() -> None:
    odd = [memory("my file"), memory("100%25"), memory("cafe\u0301")]
    text = "- [x](my%20file.md)\n- [y](100%25.md)\n- [z](café.md)\n"
    assert drift(index(text), odd).is_clean


def entries(number: int, width: int = 20) -> bytes:
    return b"".join(f"- [t](m{n}.md): ".encode().ljust(width - 1, b"x") + b"\n" for n in range(number))


def test_two_hundred_lines_fit_and_the_rest_is_named() -> None:
    assert not limits(entries(200)).over
    over = limits(entries(202))
    assert (over.over, over.lines, over.loaded) == (True, 202, 200)
    assert over.lost_targets == ("m200.md", "m201.md")
    assert over.lost[0].startswith("- [t](m200.md)")


def test_units_are_counted_as_the_client_counts_them() -> None:
    assert limits("🙂é漢\n".encode()).units == 4
    fits = b"x" * 24_989 + "\n🙂🙂🙂🙂🙂".encode()
    assert (limits(fits).units, limits(fits).over) == (25_000, False)
    assert (limits(fits + b"x").over, limits(fits + b"x").loaded) == (True, 1)


def test_comments_frontmatter_and_margins_do_not_count() -> None:
    top = b"\xef\xbb\xbf---\r\nx: y\r\n---\r\n\r\n<!--\r\n- [c](c.md)\r\n-->\r\n<!-- one -->\r\n"
    data = top + b"- [a](a.md) <!-- stays -->\r\n\r\n"
    assert (limits(data).lines, limits(data).units) == (1, len("- [a](a.md) <!-- stays -->"))
    assert limits(b"").lines == 0
    assert limits(b"```\n<!--\n```\nx").lines == 4


def test_headroom_is_known() -> None:
    found = limits(entries(150, width=100))
    assert round(found.used, 2) == 0.75
