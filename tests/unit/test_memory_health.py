from __future__ import annotations

from memgit.core.store.health import health
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
