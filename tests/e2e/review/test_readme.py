"""The README's review is one that took place: its keys are typed on the demo, and the rows it shows are printed."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.e2e.test_docs import ROOT, fences, missing


def test_the_review_of_the_readme_prints_what_it_shows(world):
    here = {**world.env, "PYTHONPATH": str(ROOT)}
    folder = world.root / "demo"
    demo = subprocess.run(
        [sys.executable, "-m", "memgit", "demo", folder], env=here, capture_output=True, text=True, check=True
    )
    assert f"  {folder}/memgit-demo review\n" in demo.stdout
    (shown,) = fences("console review")
    command, *rows = shown.strip("\n").split("\n")
    assert command == "$ memgit review"
    typed = "".join(f"{key}\n" for key in re.findall(r"^(?:M\d+|The end) \[[^\]]+\] (.+)$", shown, re.M))
    done = subprocess.run(
        [folder / "memgit-demo", "review"], env=here, input=typed, capture_output=True, text=True, check=True
    )
    assert typed == "a\nr they are about two things\ny\n"
    assert missing(rows, done.stdout.split("\n")) == [], done.stdout
