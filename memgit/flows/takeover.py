"""Taking over what others made of a candidate elsewhere: their branch becomes the next revision here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from memgit.errors import WrongState
from memgit.evidence.findings import printable, secrets, steering
from memgit.flows.adopt import take_hand_edits
from memgit.flows.desk import Change, Desk, Done, carry_out, own_paths, said_of
from memgit.flows.recovery import at_work
from memgit.flows.sync import Reviewed, reviewed
from memgit.memory.apply import changes
from memgit.memory.from_elsewhere import refuse_foreign
from memgit.model.history import OpKind
from memgit.model.store import StoreContent, StoreFile

if TYPE_CHECKING:
    from memgit.model.history import PassHeader


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
