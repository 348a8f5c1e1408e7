"""Redaction, and what travels to other machines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgit.console.terminal import answer, lines, say, warn

if TYPE_CHECKING:
    from memgit.flows.redact import Redacted
    from memgit.flows.sync import Leaving, Synced


def redacted(result: Redacted, as_json: bool) -> int:
    """Where a secret stands or stood, never the secret; what is done and what is out of reach."""
    if as_json:
        answer(
            "redact",
            {
                "done": result.done,
                "kinds": list(result.kinds),
                "places": [asdict(place) for place in result.places],
                "remotes": [{"name": name, "url": url} for name, url in result.remotes],
                "notes": list(result.notes),
            },
        )
        return 0
    lines(_places(result))
    lines(result.notes)
    lines(_after_redaction() if result.done else _before_redaction())
    say("Out of memgit's reach: the agent's own transcripts, and backups of this machine.")
    lines(f"Out of memgit's reach: what was pushed to {name} ({url})." for name, url in result.remotes)
    return 0


def _places(result: Redacted) -> Iterator[str]:
    stood = "Stood" if result.done else "Stands"
    yield f"{stood} in {len(result.places)} places ({', '.join(result.kinds)}):"
    for place in result.places:
        form = "" if place.form == "plain" else f", {place.form}"
        yield f"  {place.what}: {place.where} ({place.times}x{form})"


def _before_redaction() -> Iterator[str]:
    yield "Nothing was changed. With --yes it is replaced by a mask in all of them, in the live store too."
    yield "Other stores have histories of their own: search them with --store."
    yield "That cannot be undone. Whatever you do here, change the secret where it is used."


def _after_redaction() -> Iterator[str]:
    yield "It is gone from all of them: every object and file of the new history was searched, without a hit."
    yield "This cannot be undone. Other machines and backups may hold it: change the secret where it is used."


def agreed(_url: str, _leaving: Leaving) -> bool:
    """The user has agreed on the command line."""
    return True


def asked_to_push(url: str, leaving: Leaving) -> bool:
    """Show what would leave and ask once; where nobody can answer, the answer is no."""
    for row in _leaving(url, leaving):
        warn(row)
    if not sys.stdin.isatty():
        return False
    warn("Push it? A yes is remembered for this address. [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _leaving(where: str, leaving: Leaving) -> Iterator[str]:
    yield f"New to {where}: {leaving.memories} versions of memory files, {leaving.reports} reports (with quotes),"
    if leaving.scope == "all":
        yield f"  {leaving.messages} messages of session prose (--without-prose keeps them and the operation log here)"
    else:
        yield "  and no session prose: the operation log stays here"


def synced(result: Synced, as_json: bool) -> int:
    """What went and came, and which candidates others have worked on."""
    from memgit.evidence.findings import printable

    if as_json:
        answer("sync", _synced(result))
        return 0
    if result.leaving:
        lines(_leaving(result.url, result.leaving) if result.sent else ())
        say(f"Pushed to {result.remote} as {result.machine}: {len(result.sent)} refs.")
    say(f"Fetched from {result.remote}: {len(result.arrived)} refs.")
    rewritten = (printable(each.name) for each in result.arrived if each.rewritten)
    lines(f"Rewritten there: {name}; what it was is kept." for name in rewritten)
    lines(f"Here of machine {name}: `memgit log --machine {name}`" for name in map(printable, result.machines))
    for each in result.reviewed:
        did = "was merged as it is" if each.same else "was changed"
        say(f"Pass {each.pass_id} {did} on {printable(each.branch)}. To use that: memgit sync --take {each.pass_id}")
    lines(result.notes)
    return 0


def _synced(result: Synced) -> dict[str, Any]:
    return {
        "remote": result.remote,
        "url": result.url,
        "machine": result.machine,
        "sent": [asdict(each) for each in result.sent],
        "leaving": _figures(result.leaving) if result.leaving else None,
        "arrived": [asdict(each) for each in result.arrived],
        "machines": list(result.machines),
        "reviewed": [asdict(each) for each in result.reviewed],
        "notes": list(result.notes),
    }


def _figures(leaving: Leaving) -> dict[str, Any]:
    return {name: getattr(leaving, name) for name in ("scope", "memories", "messages", "reports")}


def exported(file: str, leaving: Leaving, as_json: bool) -> int:
    """What a bundle holds."""
    if as_json:
        answer("sync", {"file": file, "leaving": _figures(leaving)})
        return 0
    lines(_leaving(file, leaving))
    say(f"On the other machine: memgit sync {file}")
    return 0
