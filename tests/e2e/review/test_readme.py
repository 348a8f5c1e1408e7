"""The README's review is one that took place: its keys are typed on the demo, and the rows it shows are printed."""

from __future__ import annotations

import re

from tests.e2e.test_docs import fences, missing, run_in


def test_the_review_of_the_readme_prints_what_it_shows(world):
    folder = world.root / "demo"
    run_in(folder, world, "memgit demo /tmp/memgit-demo")
    (shown,) = fences("console review")
    command, *rows = shown.strip("\n").split("\n")
    typed = "".join(f"{key}\n" for key in re.findall(r"^(?:M\d+|The end) \[[^\]]+\] (.+)$", shown, re.M))
    printed = run_in(folder, world, command.removeprefix("$ "), typed)
    assert typed == "r no need for that\na\na\na\ny\n"
    assert missing(rows, printed.split("\n")) == [], printed
