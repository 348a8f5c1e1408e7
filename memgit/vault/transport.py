"""Carrying a vault's history to and from other git repositories, with git itself; nothing of one's own is overwritten.

On a remote, each machine has a name of its own, so that machines never get in each other's way::

    refs/memgit/machines/<machine>/ops            the operation log with all records
    refs/memgit/machines/<machine>/store          the live store's history
    refs/memgit/machines/<machine>/keep/<pass>    every candidate there ever was
    refs/heads/store/<machine>                    the store again, as a branch to compare and merge with
    refs/heads/candidate/<pass>                   a candidate, as a branch to review

What is fetched lies below ``refs/memgit/remotes/<remote>/``: ``machines/…`` and ``heads/…``. Pushes only ever
fast-forward. A ref that was rewritten on a remote is followed, and what it was before is kept as a stray.
"""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn, TypeGuard
from urllib.parse import urlsplit

from memgit import files, process
from memgit.errors import ToolFailed, UsageError, WrongState
from memgit.faults import point
from memgit.model.travel import Arrived, Remote, Sending
from memgit.vault import engine, layout
from memgit.vault.layout import explained
from memgit.vault.objects import Objects
from memgit.vault.refs import BRANCHES, HEADS, INCOMING, KEEPS, LOG, MACHINES, REMOTES, STORE, STORES, STRAYS, all_refs
from memgit.vault.transaction import is_ancestor

# --- outbox ---
# Which refs go to a remote, and under which names, given what is there already: only ever forward.


@dataclass(frozen=True)
class Outbox:
    """Chooses what goes. ``listing`` are the remote's refs; ``notes`` collects what was kept back and why."""

    objects: Objects
    machine: str
    listing: Mapping[str, str]
    notes: list[str] = field(default_factory=list)

    def send(self, ref: str, target: str, with_log: bool) -> Iterator[Sending]:
        """What to push of one ref of this vault. Raises ToolFailed where this machine's name is another's there."""
        for name in self._names(ref, with_log):
            there = self.listing.get(name)
            if there == target:
                continue
            if self._is_behind(there, target):
                yield Sending(name, target)
            elif name.startswith(HEADS) and self._holds(there) and is_ancestor(self.objects, target, there):
                self.notes.append(f"The remote's branch {name.removeprefix(HEADS)} goes on from what is here.")
            else:
                yield from self._elsewhere(name, target)

    def _names(self, ref: str, with_log: bool) -> Iterator[str]:
        own = f"{MACHINES}{self.machine}/"
        if ref == LOG and with_log:
            yield f"{own}ops"
        elif ref == STORE:
            yield f"{own}store"
            yield f"{STORES}{self.machine}"
        elif ref.startswith(KEEPS):
            yield f"{own}keep/{ref.removeprefix(KEEPS)}"
        elif ref.startswith(BRANCHES):
            yield ref

    def _is_behind(self, there: str | None, target: str) -> bool:
        """Whether what a remote has leads to what is here: then it may be moved on, or made."""
        return there is None or (self._holds(there) and is_ancestor(self.objects, there, target))

    def _holds(self, there: str | None) -> TypeGuard[str]:
        """Whether it is here; what was never fetched cannot be one's own earlier state."""
        return there is not None and self.objects.has_history(there)

    def _elsewhere(self, name: str, target: str) -> Iterator[Sending]:
        """Where a ref goes whose name is taken: a candidate below this machine's name, any other nowhere."""
        if not name.startswith(BRANCHES):
            raise ToolFailed(
                f"The remote has other history under {name} than this vault; nothing was pushed or overwritten.",
                f"If it was redacted here, delete the former there: git push REMOTE --delete {name}",
            )
        other = f"{BRANCHES}{self.machine}/{name.removeprefix(BRANCHES)}"
        if self.listing.get(other) != target and self._is_behind(self.listing.get(other), target):
            yield Sending(other, target)


_WANTED = (MACHINES, HEADS)
_OWN = (BRANCHES, KEEPS)
_KEPT_PACKED = ("-c", "fetch.unpackLimit=1")
_SLOW = 900.0  # seconds that a transfer may take
_MOST = 500  # refs that one command line names
_HINT = "Check the address and your access to it with git; nothing was changed here."
_LINE = re.compile(r"([0-9a-f]{40})\t(\S+)")


@dataclass(frozen=True)
class Transport:
    """Moves objects and refs between one vault and one address. Errors of git are `ToolFailed`."""

    git_dir: Path
    objects: Objects

    def listing(self, url: str) -> Mapping[str, str]:
        """The refs that memgit knows on a remote, with their targets."""
        result = self._git(["ls-remote", "--", url], f"reading {url}")
        rows = (_LINE.fullmatch(line) for line in result.out.decode("utf-8", "replace").splitlines())
        return {row[2]: row[1] for row in rows if row and row[2].startswith(_WANTED)}

    def fetch(self, url: str, remote: str, listing: Mapping[str, str]) -> tuple[tuple[Arrived, ...], tuple[str, ...]]:
        """Bring what a remote has below this remote's own names. Under the vault's lock. With what arrived come
        sentences on refs of the remote that are no history: they are left there.

        Objects come first, under names that only last as long as this; every object is checked by git on the way.
        """
        if not listing:
            return (), ()
        self.clear()
        unread = self._bring(url, listing)
        point("objects fetched")
        self.objects.forget()
        arrived, odd = self._arrived(remote)
        with explained(self.git_dir, engine.FAILURES):
            files.sync_file_system(self.git_dir)
            engine.set_refs(self.git_dir, _moves(remote, arrived))
            point("fetched refs set")
        self.clear()
        return arrived, (
            *(f"{url} has a ref {name!r} that is no history of commits; it was left there." for name in odd),
            *(f"{url} has a ref {name!r} that git cannot fetch; it was left there: {why}" for name, why in unread),
        )

    def _bring(self, url: str, listing: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Fetch every ref of a listing. One that cannot be fetched makes git bring none at all: then they are looked
        for by halves, and what comes back are their names with what git says of each. Raises ToolFailed where nothing
        can be fetched, or the remote no longer answers."""
        result = self._fetch(url, [f"{prefix}*" for prefix in _WANTED])
        if result.ok:
            return ()
        self.listing(url)
        unread, until, refs = [], monotonic() + _SLOW, sorted(listing)
        waiting = [refs[at : at + _MOST] for at in range(0, len(refs), _MOST)]
        while waiting and monotonic() < until:
            names = waiting.pop()
            some = self._fetch(url, names)
            if not some.ok and len(names) > 1:
                waiting += [names[len(names) // 2 :], names[: len(names) // 2]]
            elif not some.ok:
                unread.append((_short(names[0]), some.complaint))
        if waiting or len(unread) == len(listing):
            process.require_ok(result, f"fetching from {url}", _HINT)
        return tuple(unread)

    def _fetch(self, url: str, names: Sequence[str]) -> process.Result:
        specs = [f"+{name}:{INCOMING}{_short(name)}" for name in names]
        options = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--quiet"]
        return self._run(["-c", "fetch.fsckObjects=true", "fetch", *options, "--", url, *specs])

    def clear(self) -> None:
        """Drop the names of a fetch that was cut short."""
        left = [name for name in all_refs(self.git_dir) if name.startswith(INCOMING)]
        with explained(self.git_dir, engine.FAILURES):
            engine.set_refs(self.git_dir, dict.fromkeys(left))

    def push(self, url: str, sending: Sequence[Sending]) -> None:
        """Push refs, all or none where the remote can do that, and never other than forward."""
        specs = [f"{each.target}:{each.name}" for each in sending]
        if not specs:
            return
        result = self._run(["push", "--porcelain", "--atomic", "--", url, *specs])
        if not result.ok and b"does not support --atomic" in result.err:
            result = self._run(["push", "--porcelain", "--", url, *specs])
        point("pushed")
        if not result.ok:
            raise _push_failed(url, result)

    def bundle(self, file: Path, sending: Sequence[Sending]) -> None:
        """Write a bundle with these refs under the names that they would have on a remote. Under the vault's lock."""
        between = self.git_dir / "memgit" / layout.EXPORT
        files.remove_tree(between)
        layout.prepare(between)
        layout.lay_out(between)
        self.push(str(between), sending)
        written = file.with_name(f".{file.name}.part")
        Transport(between, Objects(between))._git(
            ["bundle", "create", "--quiet", str(written), "--all"], f"writing {file}"
        )
        written.chmod(0o600)
        files.rename_noreplace(written, file)
        files.fsync_dir(file.parent)
        files.remove_tree(between)

    def fetched(self, remote: str = "") -> Mapping[str, str]:
        """What was fetched (from one remote): name below it, or below all remotes, and target."""
        prefix = f"{REMOTES}{remote}/" if remote else REMOTES
        refs = all_refs(self.git_dir).items()
        return {name.removeprefix(prefix): target for name, target in refs if target and name.startswith(prefix)}

    def descends(self, commit: str, ancestor: str) -> bool:
        """Whether a commit is, or comes after, another one."""
        return is_ancestor(self.objects, ancestor, commit)

    def to_send(
        self, machine: str, listing: Mapping[str, str], *, with_log: bool
    ) -> tuple[tuple[Sending, ...], tuple[str, ...]]:
        """The refs that a remote with this listing lacks, and sentences on branches that went on there.

        Raises ToolFailed when this machine's name holds other history there.
        """
        outbox = Outbox(self.objects, machine, listing)
        sending = [each for ref, target in self.own_refs().items() for each in outbox.send(ref, target, with_log)]
        return tuple(sorted(sending, key=lambda each: each.name)), tuple(outbox.notes)

    def own_refs(self) -> Mapping[str, str]:
        """The refs of this vault that are its own history."""
        refs = all_refs(self.git_dir).items()
        return {name: target for name, target in refs if target and (name in (LOG, STORE) or name.startswith(_OWN))}

    def _arrived(self, remote: str) -> tuple[tuple[Arrived, ...], tuple[str, ...]]:
        before, refs = self.fetched(remote), all_refs(self.git_dir)
        arrived, odd = [], []
        for name, target in sorted(refs.items()):
            short = name.removeprefix(INCOMING)
            if name.startswith(INCOMING) and target and before.get(short) != target:
                if not self.objects.has_history(target):
                    odd.append(short)
                    continue
                known = before.get(short)
                rewritten = known is not None and not self.descends(target, known)
                arrived.append(Arrived(short, known, target, rewritten))
        return tuple(arrived), tuple(odd)

    def _git(self, args: Sequence[str], what: str) -> process.Result:
        return process.require_ok(self._run(args), what, _HINT)

    def _run(self, args: Sequence[str]) -> process.Result:
        return process.git([*_KEPT_PACKED, *args], git_dir=self.git_dir, timeout=_SLOW)


def _short(name: str) -> str:
    """The name of a remote's ref as it is below the remote's own: ``machines/…`` or ``heads/…``."""
    return name.removeprefix("refs/memgit/").removeprefix("refs/")


def _moves(remote: str, arrived: Sequence[Arrived]) -> Mapping[str, str | None]:
    strays = {STRAYS + each.before[:16]: each.before for each in arrived if each.before and each.rewritten}
    return {**strays, **{f"{REMOTES}{remote}/{each.name}": each.now for each in arrived}}


def _push_failed(url: str, result: process.Result) -> ToolFailed:
    said = result.out.decode("utf-8", "replace") + result.err.decode("utf-8", "replace")
    if "non-fast-forward" in said or "fetch first" in said:
        return ToolFailed(
            f"{url} has other history under a name that was to be pushed; nothing was overwritten",
            "Run `memgit sync --fetch` to see it; after a redaction the former refs must be deleted there first",
        )
    return ToolFailed(
        f"pushing to {url} failed with exit code {result.code}: {result.complaint or 'it said nothing'}",
        _HINT,
    )


# --- remotes ---
# Where a vault is synced to: a name and an address each, what the user has agreed to push, and this machine's name.

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
        return files.read_json(self.private / name)

    def _write(self, name: str, facts: Mapping[str, Any]) -> None:
        with explained(self.private):
            files.replace_json(self.private / name, facts)


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
