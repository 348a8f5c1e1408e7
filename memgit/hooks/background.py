"""What hooks ask another memgit to do: here, the vault is opened."""

from __future__ import annotations

import os

from memgit.hooks import slow, watchdog


def run(verb: str, store: str) -> None:
    """``publish`` or ``snapshot`` for the store at a path. Raises MemgitError."""
    watchdog.kill_after(slow.SNAPSHOT)
    from memgit.flows import lifecycle
    from memgit.wiring import Settings, Site

    site = Site(Settings(dict(os.environ), os.getcwd(), store))
    match verb:
        case "publish":
            site.vault().publish_head()
        case "snapshot":
            lifecycle.snapshot(site.new_desk())
