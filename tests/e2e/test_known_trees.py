"""What a search of the project found is remembered, for its owner alone, and goes with a redaction."""

from __future__ import annotations

from typing import Any

from memgit import wiring


def test_a_second_verify_says_the_same_and_redacting_reaches_what_is_remembered(go: Any, world: Any) -> None:
    first = go("verify")
    (file,) = (world.cache_home / "trees").iterdir()
    assert go("verify") == first
    assert file in wiring.reach(wiring.Settings.of_process(None, None, None)).caches
