"""Sharing a vault with other machines and with reviewers through any git repository.

What leaves is looked at first: nothing goes while anything in it looks like a secret, and the first push to a remote
needs the user's word, given on the figures of what would leave. ``Scope.WITHOUT_PROSE`` is one simple rule: the
operation log stays here, because its trees hold the records with the frozen prose; the store's history and the
candidates go, and with them their reports, which quote single sentences as evidence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import UsageError, WrongState
from memgit.evidence.findings import printable, secrets, steering
from memgit.flows.adopt import take_hand_edits
from memgit.flows.desk import Change, Desk, Done, carry_out, own_paths, said_of
from memgit.flows.recovery import at_work
from memgit.memory.apply import changes
from memgit.memory.from_elsewhere import refuse_foreign
from memgit.model.history import OpKind, PassHeader, PassState
from memgit.model.passes import SecretFinding
from memgit.model.store import StoreContent, StoreFile
from memgit.model.travel import Arrived, Sending
from memgit.reading import beginning

if TYPE_CHECKING:
    from memgit.model.travel import Text
    from memgit.ports.vault import Vault

_OPEN = (PassState.READY, PassState.UNDONE, PassState.UNSAFE)
_SHOWN = 5


class Scope(StrEnum):
    """What goes to a remote."""

    ALL = "all"
    WITHOUT_PROSE = "without prose"


@dataclass(frozen=True)
class Leaving:
    """What a push would bring to a remote that it does not have: figures for the user, and suspected secrets."""

    scope: Scope
    memories: int = 0
    messages: int = 0
    reports: int = 0
    findings: tuple[SecretFinding, ...] = ()


@dataclass(frozen=True)
class Reviewed:
    """A candidate that was changed or merged elsewhere. ``branch`` is the remote's, ``same`` whether the result is the
    candidate as it stands here."""

    pass_id: str
    branch: str
    commit: str
    same: bool


@dataclass(frozen=True)
class Synced:
    """What went and what came. ``machines`` are the others whose history is here now."""

    remote: str
    url: str
    machine: str
    sent: tuple[Sending, ...] = ()
    leaving: Leaving | None = None
    arrived: tuple[Arrived, ...] = ()
    machines: tuple[str, ...] = ()
    reviewed: tuple[Reviewed, ...] = ()
    notes: tuple[str, ...] = ()


Agree = Callable[[str, Leaving], bool]
"""Asks the user whether this may go to that address."""


def sync(
    desk: Desk, remote: str | None, agree: Agree, *, push: bool = True, fetch: bool = True, scope: Scope = Scope.ALL
) -> Synced:
    """Fetch what others have, beside one's own, and push one's own history under this machine's name.

    Raises ToolFailed when git or the remote fails, WrongState when something to be pushed looks like a secret, when
    the user does not agree, or when there is no such remote.
    """
    with at_work(desk, "sync") as notes:
        remotes, transport = desk.vault.remotes, desk.vault.transport
        to = remotes.find(_absolute(remote))
        listing = transport.listing(to.url)
        machine = remotes.machine()
        result = Synced(to.name, to.url, machine, notes=notes)
        if fetch:
            arrived, odd = transport.fetch(to.url, to.name, listing)
            result = replace(result, arrived=_of_others(desk, machine, arrived), notes=(*notes, *odd))
        if push:
            sending, kept_back = transport.to_send(machine, listing, with_log=scope is Scope.ALL)
            leaving = look_through(desk, sending, listing, scope)
            if sending and to.agreed not in (Scope.ALL, scope) and not agree(to.url, leaving):
                raise WrongState(f"Nothing was pushed to {to.url}: you have not agreed to it.", "Agree with --yes.")
            transport.push(to.url, sending)
            agreed = to.agreed if to.agreed == Scope.ALL or not sending else scope
            to = replace(to, agreed=agreed, pushed=to.pushed or bool(sending))
            result = replace(result, sent=sending, leaving=leaving, notes=(*result.notes, *kept_back))
        remotes.keep(to)
        return replace(result, machines=_others(desk, to.name, machine), reviewed=tuple(reviewed(desk, to.name)))


def _absolute(remote: str | None) -> str | None:
    """An address that is a path here is kept as an absolute one."""
    return str(Path(remote).absolute()) if remote and os.sep in remote and Path(remote).is_dir() else remote


# --- what goes ---


def look_through(desk: Desk, sending: Sequence[Sending], listing: Mapping[str, str], scope: Scope) -> Leaving:
    """What would leave, counted. Raises WrongState when any of it looks like a secret, by place and kind."""
    known = [target for target in listing.values() if desk.vault.holds(target)]
    leaving = Leaving(scope, reports=sum("/keep/" in each.name for each in sending))
    for text in desk.vault.texts_beyond(known, [each.target for each in sending]):
        leaving = _counted(leaving, text)
    if leaving.findings:
        raise _holds_secrets(leaving.findings)
    return leaving


def _counted(leaving: Leaving, text: Text) -> Leaving:
    found = tuple(
        SecretFinding(printable(text.where), finding.kind, finding.line)
        for finding in secrets(text.data.decode("utf-8", "replace"))
    )
    return replace(
        leaving,
        memories=leaving.memories + (text.held == "file" and text.where.endswith(".md")),
        messages=leaving.messages + (text.data.count(b"\n") if _is_prose(text) else 0),
        findings=leaving.findings + found,
    )


def _is_prose(text: Text) -> bool:
    return text.held == "record" and text.where.endswith("/prose.jsonl")


def _holds_secrets(findings: Sequence[SecretFinding]) -> WrongState:
    named = [f"{each.place}:{each.line} ({each.kind})" for each in findings[:_SHOWN]]
    more = f" and {len(findings) - _SHOWN} more" if len(findings) > _SHOWN else ""
    return WrongState(
        f"Nothing was pushed: what looks like a secret would leave, in {', '.join(named)}{more}.",
        f"Remove it from the history first: memgit redact --kind {findings[0].kind!r}",
    )


# --- what came ---


def _of_others(desk: Desk, machine: str, arrived: Sequence[Arrived]) -> tuple[Arrived, ...]:
    """What came without what this machine had pushed itself."""
    own = set(desk.vault.transport.own_refs().values())
    return tuple(each for each in arrived if each.now not in own and not each.name.startswith(f"machines/{machine}/"))


def _others(desk: Desk, remote: str, machine: str) -> tuple[str, ...]:
    names = {name.split("/")[1] for name in desk.vault.transport.fetched(remote) if name.startswith("machines/")}
    return tuple(sorted(names - {machine}))


def reviewed(desk: Desk, remote: str = "") -> Iterator[Reviewed]:
    """The waiting candidates that some fetched branch goes on from."""
    fetched = desk.vault.transport.fetched(remote)
    heads = {name: target for name, target in fetched.items() if "heads/" in name}
    for header in (each for each in desk.vault.passes() if each.state in _OPEN and each.candidate):
        for name, target in sorted(heads.items()):
            if _goes_on(desk, header, target):
                yield Reviewed(header.id, _branch(name), target, _same_files(desk, header, target))


def _branch(name: str) -> str:
    return name.partition("heads/")[2]


def _goes_on(desk: Desk, header: PassHeader, target: str) -> bool:
    assert header.candidate is not None
    return target != header.candidate and desk.vault.transport.descends(target, header.candidate)


def _same_files(desk: Desk, header: PassHeader, target: str) -> bool:
    assert header.candidate is not None
    return desk.vault.tree(header.candidate) == desk.vault.tree(target)


def passes_of(vault: Vault, machine: str) -> tuple[PassHeader, ...]:
    """The passes of another machine, as its fetched operation log has them. Raises WrongState for an unknown one."""
    fetched = vault.transport.fetched()
    parts = ((name.split("/"), target) for name, target in fetched.items())
    logs = {name[2]: target for name, target in parts if len(name) == 4 and (name[1], name[3]) == ("machines", "ops")}
    if machine not in logs:
        known = (
            f"Known: {', '.join(map(printable, sorted(logs)))}"
            if logs
            else "`memgit sync --fetch` brings their history."
        )
        raise WrongState(f"There is no operation log of a machine {machine!r} here.", known)
    headers = vault.passes(vault.operation_at(logs[machine]))
    return tuple(replace(header, id=printable(header.id), summary=printable(header.summary)) for header in headers)


# --- without a network ---


def export(desk: Desk, file: Path, scope: Scope = Scope.ALL) -> Leaving:
    """Write everything into one file, a git bundle, which another machine can import. Refuses what sync refuses."""
    target = file.absolute()
    if os.path.lexists(target) or not target.parent.is_dir():
        raise UsageError(f"{file} cannot be written: it exists, or its folder does not.", "Name a new file.")
    with at_work(desk, "export"):
        machine = desk.vault.remotes.machine()
        sending, _ = desk.vault.transport.to_send(machine, {}, with_log=scope is Scope.ALL)
        leaving = look_through(desk, sending, {}, scope)
        desk.vault.transport.bundle(target, sending)
        return leaving


def import_(desk: Desk, file: Path) -> Synced:
    """Bring what a bundle holds, beside one's own, as if fetched from a remote of its name."""
    source = file.absolute()
    if not source.is_file():
        raise UsageError(f"There is no file {file}.", _NAME_A_BUNDLE)
    if not beginning(source, 16).startswith(_BUNDLES):  # git follows a file that only names another repository
        raise UsageError(f"{file} is no git bundle.", _NAME_A_BUNDLE)
    with at_work(desk, "import") as notes:
        transport, name = desk.vault.transport, f"bundle-{_word(source.stem)}"
        listing = transport.listing(str(source))
        if not listing:
            raise UsageError(f"The bundle {file} holds no history of memgit.", _NAME_A_BUNDLE)
        arrived, odd = transport.fetch(str(source), name, listing)
        machine = desk.vault.remotes.machine()
        others = _others(desk, name, machine)
        return Synced(name, str(source), machine, arrived=arrived, machines=others, notes=(*notes, *odd))


_BUNDLES = (b"# v2 git bundle\n", b"# v3 git bundle\n")
_NAME_A_BUNDLE = "Name a bundle that `memgit export` wrote."


def _word(text: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in text).strip("-") or "file"


# --- takeover ---
# Taking over what others made of a candidate elsewhere: their branch becomes the next revision here.


def take(desk: Desk, pass_id: str) -> Done:
    """Make a fetched branch that goes on from a pass's candidate the candidate's next revision. Adopts nothing.

    Raises WrongState when there is none, or several that differ, when the candidate was edited here meanwhile, or when
    it brings what may not come in from elsewhere.
    """
    with at_work(desk, f"take {pass_id}") as notes:
        header = take_hand_edits(desk, desk.vault.pass_header(pass_id))
        found = _the_one(desk, header)
        assert header.candidate is not None
        before = desk.vault.content(header.candidate)
        after = _like(before, desk.vault.made_elsewhere(found.commit, like=before))
        refuse_foreign(
            after,
            (before,),
            f"What {printable(found.branch)} made of pass {header.id} holds",
            "Have it taken out there, then sync again.",
        )
        _refuse_secrets(before, after)
        what = changes(before, after).sentence() or "no file differs"
        _revise(desk, header, found, after, what)
        return Done(
            f"Pass {header.id} holds what {printable(found.branch)} made of it: {what}.",
            said_of(desk, f"memgit discard {header.id}"),
            desk.vault.head(),
            notes=(*notes, *_steering(before, after)),
        )


def _the_one(desk: Desk, header: PassHeader) -> Reviewed:
    found = [each for each in reviewed(desk) if each.pass_id == header.id]
    if not found:
        raise WrongState(
            f"No branch that was fetched goes on from the candidate of pass {header.id}.",
            "Fetch it with `memgit sync --fetch`; what was edited on both sides has to be merged there first.",
        )
    newest = [each for each in found if all(desk.vault.transport.descends(each.commit, one.commit) for one in found)]
    if not newest:
        raise WrongState(
            f"Several branches go on from it in different ways: {', '.join(printable(each.branch) for each in found)}.",
            "Merge them there, then sync again.",
        )
    return newest[0]


def _new_texts(before: StoreContent, after: StoreContent) -> Iterator[tuple[str, str]]:
    """Path and text of each file that is another one now."""
    for path, file in after.files.items():
        if path not in before.files or before.files[path].data != file.data:
            yield path, file.data.decode("utf-8", "replace")


def _refuse_secrets(before: StoreContent, after: StoreContent) -> None:
    for path, text in _new_texts(before, after):
        for finding in secrets(text):
            raise WrongState(
                f"What was made of it holds what looks like a secret, in {printable(path)}:{finding.line} "
                f"({finding.kind}); nothing was taken over.",
                "Remove it there, then sync again.",
            )


def _steering(before: StoreContent, after: StoreContent) -> Iterator[str]:
    """A warning for each text that speaks to the reading agent instead of stating a fact."""
    for path, text in _new_texts(before, after):
        for finding in steering(text):
            yield f"{printable(path)}:{finding.line} could steer an agent ({finding.kind}): look at it before adopting."


def _like(before: StoreContent, after: StoreContent) -> StoreContent:
    """What another tool committed, with the modes, times and empty folders that git does not carry."""
    files = {path: _file(before.files.get(path), file) for path, file in after.files.items()}
    return replace(before, files=files, exists=True)


def _file(known: StoreFile | None, file: StoreFile) -> StoreFile:
    if known is None or known.is_link != file.is_link:
        return file
    if not file.is_link and bool(known.mode & 0o111) != bool(file.mode & 0o111):
        return file
    return known if known.data == file.data else replace(file, mode=known.mode)


def _revise(desk: Desk, header: PassHeader, found: Reviewed, content: StoreContent, what: str) -> None:
    """Record the revision, then lay it out beside the store in the place of the former one."""
    head = desk.vault.head()
    subject = f"revised on {printable(found.branch)}: {what}"[:72]
    beside = tuple(own_paths(desk, header))
    change = Change(
        kind=OpKind.REVISION,
        subject=subject,
        after=head.number if head else 0,
        pass_id=header.id,
        removes=beside,
        lays_out=(header.id,) if beside else (),
    )
    desk.installer.begin(asdict(change))  # from here on a recovery lays out whatever the revision has become
    assert header.candidate is not None
    message = f"{subject}\n\n{desk.vault.message(header.candidate).partition(chr(10) * 2)[2]}"
    with desk.vault.transaction(OpKind.REVISION, subject, pass_id=header.id) as transaction:
        commit = transaction.put_candidate(header.id, content, message, header.candidate, merged=found.commit)
        transaction.put_header(replace(header, candidate=commit))
    live = desk.store.read()
    carry_out(desk, change, live, live)
