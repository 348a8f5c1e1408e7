from __future__ import annotations

import pytest

from memgit.claims.lookup import Listing, alternatives

LISTING = Listing.of(
    ["Makefile", "src/app/[slug]/page.tsx", "src/retry.py", "src/retry_test.py", "lib/deep/er/x.min.js"]
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", "Makefile"),
        ("src/*.py", "src/retry.py"),
        ("src/*_test.py", "src/retry_test.py"),
        ("src/retry.*", "src/retry.py"),
        ("src/retr?.py", "src/retry.py"),
        ("src/**/page.tsx", "src/app/[slug]/page.tsx"),
        ("src/**/retry.py", "src/retry.py"),
        ("app/[slug]/*", "src/app/[slug]/page.tsx"),
        ("**/*.min.js", "lib/deep/er/x.min.js"),
        ("lib/**", "lib/deep/er/x.min.js"),
        ("lib/*", "lib/deep"),
        ("lib/*/", "lib/deep"),
        ("lib/*.js", None),
        ("*.go", None),
        ("src/*.p", None),
        ("rc/*.py", None),
        ("**/**/**/**/**/x.min.js", None),
    ],
)
def test_a_star_stays_in_its_part_and_two_stars_do_not(pattern: str, found: str | None) -> None:
    assert LISTING.matching(pattern) == found


def test_a_pattern_of_many_stars_is_answered_at_once() -> None:
    listing = Listing.of(["a" * 250 + "/" + "a" * 250])
    assert listing.matching("*a" * 120 + "b") is None
    assert listing.matching("**/" * 4 + "*a" * 100 + "/b") is None


def test_braces_stand_for_each_of_their_words() -> None:
    assert alternatives("a/{b,c}/{d,e}.ts") == ("a/b/d.ts", "a/b/e.ts", "a/c/d.ts", "a/c/e.ts")
    assert alternatives("a/{b}.ts") == ("a/{b}.ts",)
    assert len(alternatives("{a,b}" * 40)) < 200


def test_a_path_is_looked_up_whole_by_its_end_and_in_another_case() -> None:
    listing = Listing.of(["src/a/util.py", "src/b/util.py", "docs/Guide.md", "try.py"])
    assert (listing.exact("try.py"), listing.exact("src/a"), listing.exact("."), listing.exact("src/c")) == (
        "try.py",
        "src/a/",
        "./",
        None,
    )
    assert listing.ending("util.py") == ("src/a/util.py", "src/b/util.py")
    assert listing.ending("a/util.py") == ("src/a/util.py",)
    assert listing.ending("til.py") == ()
    assert listing.folders_ending("a") == ("src/a/",)
    assert listing.in_another_case("docs/guide.MD") == ("docs/Guide.md",)
    assert listing.namesakes("lib/util.py") == ("src/a/util.py", "src/b/util.py")
