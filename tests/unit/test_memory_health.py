from __future__ import annotations

from memgit.memory.health import health
from tests.desks import OLD, content

TIDY = {**OLD, "MEMORY.md": OLD["MEMORY.md"] + "- [On call](team/oncall.md) — who\n"}


def found(**more: str) -> list[str]:
    files = {name.replace("_", "-") + ".md": text for name, text in more.items()}
    lines = "".join(f"- [X]({path}) — x\n" for path in files)
    return [each.what for each in health(content({**TIDY, "MEMORY.md": TIDY["MEMORY.md"] + lines, **files}))]


def test_a_tidy_store_has_no_findings() -> None:
    assert found() == []


def test_frontmatter_that_the_client_would_cut_is_named() -> None:
    broken = "---\nname: release\ndescription: the rule: always\ntype: project\n---\n\nText.\n"

    assert found(release=broken) == [
        "Frontmatter that is no valid YAML, of which the agent's client would drop parts: release.md."
    ]


def test_frontmatter_without_a_name_is_named() -> None:
    assert found(release="---\ndescription: d\n---\n\nText.\n") == ["Frontmatter without a name: release.md."]


def test_comments_that_the_client_would_drop_are_named() -> None:
    text = "---\nname: release\n# Mira said so\ndescription: d\n---\n\n# Heading\n"

    assert found(release=text) == [
        "Comments in frontmatter, which the agent's client drops at its next edit: release.md."
    ]


def test_a_memory_without_frontmatter_is_left_alone_by_the_client() -> None:
    assert found(release="Text.\n") == []


def test_links_to_nothing_are_named_and_links_to_memories_are_not() -> None:
    text = "---\nname: release\ndescription: d\n---\n\nSee [[deploys]], [[Retry budget]], [[oncall]] and [[nowhere]].\n"

    assert found(release=text) == ["Links to no memory: release -> [[nowhere]]."]


def test_metadata_that_is_no_frontmatter_is_named_however_it_is_not() -> None:
    block = "name: release\ndescription: d\n"
    for text in (f"---\n{block}\nText.\n", f"----\n{block}----\n\nText.\n", f"\n---\n{block}---\n\nText.\n",
                 f"---\n{block}...\n\nText.\n", "+++\nname = \"release\"\n+++\n\nText.\n"):  # fmt: skip
        assert found(release=text) == [
            "Metadata at the top that is no frontmatter, so that nothing of it is read: release.md:1."
        ], text
    assert found(release="---\n\nA rule above, and Note: no metadata.\n") == []


def test_values_that_yaml_cuts_are_named_and_quoted_ones_are_not() -> None:
    for line in ("name: x #1", "description: see #12 first", "description: #12"):
        text = f"---\nname: release\n{line}\ntype: project\n---\n\nText.\n"
        assert any(one == "Values in frontmatter that YAML cuts at a `#`: release.md:3." for one in found(release=text))
    quoted = "---\nname: release\ndescription: 'see #12 first'\nurl: http://x/#a\n---\n\nText.\n"
    assert found(release=quoted) == []


def test_what_is_no_link_to_a_memory_is_no_dangling_one() -> None:
    links = "[[MEMORY]], [[Memory.md]], [[:alpha:]], [[ -f x ]], [[lint]]."
    text = f"---\nname: release\ndescription: d\n---\n\n{links}\n"
    store = content({**TIDY, "MEMORY.md": TIDY["MEMORY.md"] + "- [X](release.md) — x\n", "release.md": text})
    (only,) = health(store)
    assert only.names == ("release -> [[lint]]",)
    assert health(store, {"lint"}) == ()


def test_a_finding_names_all_in_its_names() -> None:
    many = {f"m{number}": "---\ndescription: d\n---\n\nText.\n" for number in range(9)}
    store = content({**TIDY, **{f"{name}.md": text for name, text in many.items()}})
    (only,) = (each for each in health(store) if "without a name" in each.what)
    assert len(only.names) == 9
    assert "and 4 more" in only.what


def test_both_sides_of_a_merge_are_named_with_their_lines_in_every_form() -> None:
    jj = "<<<<<<< Conflict 1\n%%%%%%% Changes from base\n-two\n+three\n+++++++ Contents\nfive\n>>>>>>> end\n"
    diff3 = "<<<<<<< a\nx\n||||||| b\ny\n=======\nz\n>>>>>>> c\n"
    head = "---\nname: release\ndescription: d\n---\n\n"
    assert found(release=head + jj) == ["release.md:6 holds both sides of a merge, to line 12."]
    assert found(release=head + diff3) == ["release.md:6 holds both sides of a merge, to line 12."]
    assert found(release=head + "A heading\n=======\n\n> quoted\n") == []
