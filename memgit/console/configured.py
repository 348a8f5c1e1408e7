"""Settings: each value, and where it is from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.console.streams import answer, answer_whole, say
from memgit.console.verbs import lines

if TYPE_CHECKING:
    from memgit.core.configuration import Configuration, Value


def configured(configuration: Configuration, as_json: bool) -> int:
    """A line per setting, and the files that were looked for."""
    from memgit.core.configuration import as_toml
    from memgit.evidence.findings import mask

    settings = configuration.settings.values()
    if as_json:
        rows = {each.key.name: {"value": _unsecret(each.value), "from": each.source} for each in settings}
        files = [{"of": file.owner, "path": file.path, "read": file.data is not None} for file in configuration.files]
        answer("config", {"settings": rows, "files": files})
        return 0
    lines([f"{each.key.name} = {mask(as_toml(each.value)).text}  ({each.source})" for each in settings])
    for file in configuration.files:
        say(f"{file.owner.capitalize()} file: {file.path}" + ("" if file.data is not None else " (none there)"))
    return 0


def _unsecret(value: Value) -> Value:
    """A value in which no secret stands: somebody may have put one where a name belongs."""
    from memgit.evidence.findings import mask

    return mask(value).text if isinstance(value, str) else value


def configured_at(path: Path, as_json: bool) -> int:
    """Where the user's own file is, or would be."""
    if as_json:
        answer("config-path", {"path": str(path), "exists": path.exists()})
    else:
        say(str(path))
    return 0


def configured_like(as_json: bool) -> int:
    """A file with every key at its default, commented out."""
    from memgit.core.configuration import example

    if as_json:
        answer("config-example", {"toml": example()})
    else:
        say(example())
    return 0


def completed(shell: str, script: str, as_json: bool) -> int:
    """A script for a shell."""
    if as_json:
        answer("completion", {"shell": shell, "script": script})
    else:
        say(script)
    return 0


def schemas(kinds: Sequence[str], as_json: bool) -> int:
    """The kinds of objects that there are."""
    if as_json:
        answer("schema", {"kinds": list(kinds)})
    else:
        lines(kinds)
    return 0


def schema_printed(schema: Mapping[str, Any]) -> int:
    """One schema, which is JSON either way."""
    answer_whole(schema)
    return 0
