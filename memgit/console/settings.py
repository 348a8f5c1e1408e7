"""Settings with where each is from, and the stores of a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.console.terminal import answer, answer_whole, lines, say, tell

if TYPE_CHECKING:
    from memgit.core.configuration import Configuration, Value
    from memgit.memory.stores import Listed

# --- configured ---
# Settings: each value, and where it is from.


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


# --- catalogue ---
# The stores of a machine.


def catalogued(found: Sequence[Listed], as_json: bool, *, verbose: bool = False) -> int:
    """All stores in a sentence, then each in a line or two, with what somebody should know of it."""
    from memgit.memory.stores import concerns, row, rows, summary
    from memgit.text.layout import Run, Style

    if as_json:
        answer("stores", {"stores": [_listed(one) for one in found]})
        return 0
    say(summary(found))
    for one in found:
        if verbose:
            lines(rows(one))
            continue
        path, told = row(one)
        tell(Run(path, Style.TITLE))
        tell(told, left="  ")
        for concern in concerns(one):
            tell(Run(concern, Style.WARNING), left="  ")
    return 0


def _listed(one: Listed) -> dict[str, Any]:
    from memgit.memory.stores import concerns

    record, found = one.record, one.drift
    return {
        "path": one.path,
        "shape": one.shape,
        "why": one.why,
        "project": one.project or None,
        "memories": one.memories,
        "loaded": {
            "lines": one.loaded.lines,
            "units": one.loaded.units,
            "bytes": one.loaded.bytes,
            "over": one.loaded.is_over,
        },
        "drift": {"orphans": len(found.orphans), "dead": len(found.dead), "doubles": len(found.doubles)},
        "kin": one.kin,
        "overlaps": [{"path": other.path, "shared": other.shared} for other in one.overlaps],
        "recorded": record is not None,
        "operations": record.operations if record else 0,
        "last_pass": {"pass": record.last_pass, "did": record.did} if record and record.last_pass else None,
        "concerns": list(concerns(one)),
    }
