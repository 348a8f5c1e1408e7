"""Where a vault is synced to: a name and an address each, what the user has agreed to push, and this machine's name."""

from __future__ import annotations

import json
import re
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from memgit.errors import UsageError, WrongState
from memgit.model.travel import Remote
from memgit.vault import durable

_SCP = re.compile(r"[^/:]+@?[^/:]*:.+")  # host:path, as ssh takes it
FIRST = "origin"


@dataclass(frozen=True)
class Remotes:
    """The remotes of one vault, kept in memgit's own folder of it: addresses in ``remotes.json``, consent beside."""

    private: Path

    def all(self) -> Mapping[str, Remote]:
        """Every remote, by name."""
        urls, consents = self._read("remotes.json"), self._read("consents.json")
        return {name: Remote(name, url, **self._agreed(consents, name, url)) for name, url in sorted(urls.items())}

    def find(self, wanted: str | None) -> Remote:
        """The remote of a name or an address; an unknown address is a new remote, not kept before it was reached.

        Without a name it is the only one, or ``origin``. Raises WrongState where there is none, and UsageError for an
        address that memgit does not take.
        """
        known = self.all()
        if wanted is None:
            return self._default(known)
        if wanted in known:
            return known[wanted]
        same = next((remote for remote in known.values() if remote.url == wanted), None)
        if same:
            return same
        if not is_address(wanted):
            _unknown(wanted, known)
        refuse_unsafe(wanted)
        return Remote(_free_name(wanted, known), wanted)

    def keep(self, remote: Remote) -> None:
        """Remember a remote."""
        urls, consents = self._read("remotes.json"), self._read("consents.json")
        consents[remote.name] = {"url": remote.url, "agreed": remote.agreed, "pushed": remote.pushed}
        self._write("consents.json", consents)
        self._write("remotes.json", {**urls, remote.name: remote.url})

    def machine(self) -> str:
        """The name under which this vault's refs stand on a remote: the host's, and what tells two apart."""
        name = self._read("machine.json").get("machine")
        if not name:
            host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().split(".")[0].lower()).strip("-") or "machine"
            name = f"{host[:30]}-{secrets.token_hex(3)}"
            self._write("machine.json", {"machine": name})
        return str(name)

    @staticmethod
    def _agreed(consents: Mapping[str, Any], name: str, url: str) -> dict[str, Any]:
        """What was agreed for a name holds for the address that it was agreed for."""
        consent = consents.get(name, {})
        if consent.get("url") != url:
            return {}
        return {"agreed": str(consent.get("agreed", "")), "pushed": bool(consent.get("pushed"))}

    @staticmethod
    def _default(known: Mapping[str, Remote]) -> Remote:
        if len(known) == 1:
            return next(iter(known.values()))
        if FIRST in known:
            return known[FIRST]
        named = f"Known: {', '.join(known)}" if known else "Name one: memgit sync git@host:team/memories.git"
        raise WrongState("There is no remote to sync with.", named)

    def _read(self, name: str) -> dict[str, Any]:
        try:
            facts = json.loads((self.private / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return facts if isinstance(facts, dict) else {}

    def _write(self, name: str, facts: Mapping[str, Any]) -> None:
        with durable.explained(self.private):
            durable.replace(self.private / name, (json.dumps(facts, indent=1) + "\n").encode())


def is_address(text: str) -> bool:
    """Whether a text is meant as the address of a repository and not as a remote's name."""
    return "/" in text or "\\" in text or _SCP.fullmatch(text) is not None


def refuse_unsafe(url: str) -> None:
    """Raise UsageError for an address that git would take for an option or a program, or that holds a password."""
    if url.startswith("-") or "::" in url:
        raise UsageError(f"{url} is no address that memgit gives to git.", "Use a path, ssh:// or https://.")
    if "://" in url and urlsplit(url).password:
        raise UsageError(
            "The address holds a password, which would be kept in the vault.",
            "Leave it out; git asks its credential helper (`git help credentials`).",
        )


def _unknown(wanted: str, known: Mapping[str, Remote]) -> NoReturn:
    named = f"Known: {', '.join(known)}" if known else "Give its address instead: a path, ssh:// or https://"
    raise WrongState(f"There is no remote {wanted!r}.", named)


def _free_name(url: str, known: Mapping[str, Remote]) -> str:
    if FIRST not in known:
        return FIRST
    words = re.sub(r"[^A-Za-z0-9]+", "-", url.removesuffix(".git").rstrip("/")).strip("-")[-30:].strip("-") or "remote"
    return next(name for name in (words, *(f"{words}-{n}" for n in range(2, 1000))) if name not in known)
