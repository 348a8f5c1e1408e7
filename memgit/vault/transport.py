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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memgit import files, process
from memgit.errors import ToolFailed
from memgit.faults import point
from memgit.model.travel import Arrived, Sending
from memgit.vault import durable, engine, layout
from memgit.vault.objects import Objects
from memgit.vault.outbox import Outbox
from memgit.vault.refs import BRANCHES, HEADS, INCOMING, KEEPS, LOG, MACHINES, REMOTES, STORE, STRAYS, all_refs
from memgit.vault.transaction import is_ancestor

_WANTED = (MACHINES, HEADS)
_OWN = (BRANCHES, KEEPS)
_KEPT_PACKED = ("-c", "fetch.unpackLimit=1")
_SLOW = 900.0  # seconds that a transfer may take
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
        specs = [f"+{prefix}*:{INCOMING}{_short(prefix)}*" for prefix in _WANTED]
        options = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--quiet"]
        self._git(["-c", "fetch.fsckObjects=true", "fetch", *options, "--", url, *specs], f"fetching from {url}")
        point("objects fetched")
        self.objects.forget()
        arrived, odd = self._arrived(remote)
        with durable.explained(self.git_dir, engine.FAILURES):
            durable.sync_filesystem(self.git_dir)
            engine.set_refs(self.git_dir, _moves(remote, arrived))
            point("fetched refs set")
        self.clear()
        return arrived, tuple(
            f"{url} has a ref {name!r} that is no history of commits; it was left there." for name in odd
        )

    def clear(self) -> None:
        """Drop the names of a fetch that was cut short."""
        left = [name for name in all_refs(self.git_dir) if name.startswith(INCOMING)]
        with durable.explained(self.git_dir, engine.FAILURES):
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
        hint = "Check the address and your access to it with git; nothing was changed here."
        return process.require_ok(self._run(args), what, hint)

    def _run(self, args: Sequence[str]) -> process.Result:
        return process.git([*_KEPT_PACKED, *args], git_dir=self.git_dir, timeout=_SLOW)


def _short(prefix: str) -> str:
    """``machines/`` or ``heads/``."""
    return prefix.removesuffix("/").rpartition("/")[2] + "/"


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
        "Check the address and your access to it with git; nothing was changed here",
    )
