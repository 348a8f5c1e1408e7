from __future__ import annotations

import pytest

from memgit.memory.links import (
    MarkdownLink,
    Names,
    Wikilink,
    decoded_target,
    encoded_target,
    links,
    local_path,
    repoint,
    targets,
)
from memgit.model.store import Memory


def memory(memory_id: str, body: str = "", name: str = "") -> Memory:
    return Memory(memory_id, f"{memory_id}.md", b"", body, name=name)


STORE = [
    memory("retry-budget", name="Retry budget"),
    memory("feedback_use_pnpm", name="Use pnpm"),
    memory("team/oncall"),
    memory("team/deploy"),
    memory("deploy"),
]


def test_wikilinks_have_target_anchor_and_alias() -> None:
    assert links("See [[a]], [[b#part|the b]].") == (
        Wikilink(4, 9, "a"),
        Wikilink(11, 27, "b", "#part", "the b"),
    )


def test_markdown_links_lead_to_files_not_to_addresses() -> None:
    text = '[a](a.md) [b](<b c.md>) [c](d(1).md#x "t") [d](https://e.org) [e](#here) [f](mailto:x) ![g](g.png)'
    assert [(link.text, link.target, link.anchor) for link in links(text) if isinstance(link, MarkdownLink)] == [
        ("a", "a.md", ""),
        ("b", "b c.md", ""),
        ("c", "d(1).md", "#x"),
        ("g", "g.png", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`[[ -f x ]]`",
        "``a ` [[x]]``",
        "```\n[[x]]\n```",
        "~~~sh\n[[x]]\n```\n[[y]]",
        "<!--\n[[x]]\n-->",
        "a <!-- [[x]] -->",
        "[[]]",
        "[[ ]]",
    ],
)
def test_code_and_comments_hold_no_links(text: str) -> None:
    assert links(text) == ()


def test_an_unbalanced_tick_hides_nothing() -> None:
    assert len(links("a ` b [[x]]")) == 1
    assert len(links("`` a ` [[x]]")) == 1


@pytest.mark.parametrize(
    ("target", "memory_id"),
    [
        ("retry-budget", "retry-budget"),
        ("retry-budget.md", "retry-budget"),
        ("./retry-budget.md", "retry-budget"),
        ("Retry budget", "retry-budget"),
        ("retry_budget", "retry-budget"),
        ("RETRY-BUDGET", "retry-budget"),
        ("use-pnpm", "feedback_use_pnpm"),
        ("oncall", "team/oncall"),
        ("team/oncall", "team/oncall"),
        ("deploy", "deploy"),
        ("none", None),
        ("", None),
    ],
)
def test_a_target_names_a_memory_in_many_ways(target: str, memory_id: str | None) -> None:
    assert Names(STORE).resolve(target) == memory_id


def test_a_target_that_fits_two_memories_names_none() -> None:
    assert Names([memory("a/x"), memory("b/x")]).resolve("x") is None


def test_a_markdown_path_is_read_from_its_own_folder() -> None:
    assert local_path("../a.md", "team") == "a.md"
    assert local_path("./b.md", "team") == "team/b.md"
    for outside in ("../a.md", "/etc/passwd.md", "~/x.md", "..", "a\0.md"):
        assert local_path(outside) is None


def test_targets_are_encoded_only_where_markdown_needs_it() -> None:
    assert encoded_target("größe (1) 100%.md") == "größe%20%281%29%20100%25.md"
    assert decoded_target("gr%C3%B6%C3%9Fe%20x.md") == "größe x.md"
    assert decoded_target(encoded_target("caf\udce9\n|.md")) == "caf\udce9\n|.md"


def test_a_memory_knows_where_it_leads() -> None:
    body = "[[Retry budget]] [[later]] [x](../deploy.md) [y](../nope.md) [[none|n]]"
    note = memory("team/note", body)
    assert targets(note, Names(STORE)) == {"retry-budget", "deploy"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[retry-budget]]", "[[oncall]]"),
        ("[[retry-budget.md#a|b]]", "[[oncall.md#a|b]]"),
        ("[[Retry budget]]", "[[oncall]]"),
        ("[[./retry-budget|x]]", "[[team/oncall|x]]"),
        ("[[deploy|d]]", "[[feedback_use_pnpm|d]]"),
        ("[x](retry-budget.md#s)", "[x](team/oncall.md#s)"),
        ("`[[deploy]]` [[team/deploy]]", "`[[deploy]]` [[team/deploy]]"),
    ],
)
def test_links_follow_a_merge_in_their_own_form(before: str, after: str) -> None:
    assert repoint(before, {"retry-budget": "team/oncall", "deploy": "feedback_use_pnpm"}, Names(STORE)) == after


def test_links_follow_without_knowing_names_and_from_other_folders() -> None:
    assert repoint("[[retry_budget]]", {"retry-budget": "team/oncall"}, Names([memory("retry-budget")])) == "[[oncall]]"
    assert (
        repoint("[x](../deploy.md)", {"deploy": "feedback_use_pnpm"}, Names([memory("deploy")]), "team")
        == "[x](../feedback_use_pnpm.md)"
    )


def test_a_rule_at_the_top_of_a_body_hides_no_links() -> None:
    assert len(links("---\n[[a]]\n---\n")) == 1


def test_a_link_by_title_follows_by_title() -> None:
    assert repoint("[[Retry budget]]", {"retry-budget": "feedback_use_pnpm"}, Names(STORE)) == "[[Use pnpm]]"


def test_links_to_a_dropped_memory_become_their_text() -> None:
    gone = {"deploy": ""}
    assert (
        repoint("[[deploy]], [[deploy#x|the deploy]], [go](deploy.md).", gone, Names(STORE))
        == "deploy, the deploy, go."
    )


def test_text_without_such_links_comes_back_as_it_was() -> None:
    body = "a\r\n[[x]]\n\n```\n[[deploy]]\n```\n  \x00"
    assert repoint(body, {"deploy": ""}, Names(STORE)) == body


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "[[" * 50_000,
        "`" * 50_000,
        "` `` " * 20_000,
        "[a](" * 20_000,
        "<!--" * 20_000,
        "[](((" * 20_000,
        "a " + "<!--" * 20_000,
        "`a`[[x]]" * 10_000,
    ],
)
def test_hostile_text_is_read_in_reasonable_time(text: str) -> None:
    links(text)
