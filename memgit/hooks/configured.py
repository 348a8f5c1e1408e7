"""What the user's own ``memgit.toml`` says of hooks. Without that file nothing is imported; a broken one says nothing,
because a hook is never in the way of a session (`memgit doctor` names what is wrong)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.hooks.place import home_of, own_home
from memgit.reading import small_text


def wished(env: Mapping[str, str]) -> Mapping[str, str]:
    """The keys below ``[hooks]``, as text."""
    home = home_of(env)
    path = os.path.join(own_home(env, home, "MEMGIT_CONFIG_HOME", "XDG_CONFIG_HOME", ".config"), "memgit.toml")
    text = small_text(path)
    if not text:
        return {}
    import tomllib

    try:
        table = tomllib.loads(text.replace("\r\n", "\n")).get("hooks")
    except (ValueError, RecursionError):
        return {}
    return {name: str(value) for name, value in table.items()} if isinstance(table, dict) else {}
