"""Reviewing the decisions of a pass one by one, with a person at the keyboard.

What is shown comes from the papers of the pass, where it goes is the state machine's business (``core.review.state``),
and what is answered is on disk at once (``flows.answers``). When the sitting ends, all answers become one revision of
the candidate, in the way of ``memgit approve``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from memgit.core.review.dossier import Dossier, Picture
from memgit.core.review.state import Action, Review, Rule, Stepped, opened, step
from memgit.errors import BadReply, WrongState
from memgit.flows import answers
from memgit.flows.adopt import in_state
from memgit.flows.approve import Verify, outlook, record
from memgit.flows.desk import Desk, Done, said_of
from memgit.flows.dossiers import Papers, dossier_of, dossiers, papers
from memgit.flows.look import find
from memgit.flows.recovery import at_work
from memgit.flows.status import unfinished
from memgit.memory.apply import Size, changes, size_of
from memgit.memory.fingerprint import fingerprint
from memgit.model.decision import Decision
from memgit.model.history import PassHeader, PassState
from memgit.model.store import StoreContent
from memgit.ports import WorkingTree
from memgit.rulings.approval import Ruling, edited, text_to_edit

REVIEWABLE = frozenset({PassState.READY, PassState.UNDONE})


@dataclass(frozen=True)
class Sitting:
    """A pass under review by this process alone. ``tree`` opens the working tree, ``verify`` looks a store up in it."""

    desk: Desk
    papers: Papers
    kept: answers.Answers
    tree: Callable[[], WorkingTree]
    verify: Verify

    @property
    def pass_id(self) -> str:
        return self.papers.header.id

    def said(self, command: str) -> str:
        """A command as it is typed for the store under review."""
        return said_of(self.desk, command)

    def begin(self) -> Review:
        """The review as it was left."""
        return opened(self.papers.outcome.decisions, self.kept.all())

    def do(self, review: Review, action: Action) -> Stepped:
        """Carry an action out; an answer is on disk when this returns. A text that no memory may hold is refused with
        its reason, and then nothing has changed. Raises OSError where the answer cannot be kept."""
        if isinstance(action, Rule) and action.ruling.edit and review.here:
            try:
                self._worded(review.here, action.ruling.edit)
            except BadReply as refused:
                return Stepped(review, f"{refused.message} {refused.hint}")
        stepped = step(review, action)
        self.kept.keep(review.answers, stepped.review.answers)
        return stepped

    def dossier(self, review: Review, decision: Decision) -> Dossier:
        """What is to be seen of a decision, in the wording that was given to it."""
        edit = review.ruling(decision).edit
        return dossier_of(self.papers, self._worded(decision, edit) if edit else decision, self.tree)

    def text(self, review: Review, decision: Decision) -> str:
        """The text to edit: the description on a line of its own, then the body. Raises BadReply for a decision that
        does not leave just one."""
        return review.ruling(decision).edit or text_to_edit(decision)

    def picture(self, review: Review) -> Picture | None:
        """The store that would result; None where the candidate was edited by hand at the same places."""
        try:
            result = self._result(tuple(self.changed(review).items()))
        except WrongState:
            return None
        return Picture(self._size_before, size_of(result))

    def changed(self, review: Review) -> Mapping[str, Ruling]:
        """The answers that say something else than what is recorded."""
        recorded = Review(review.decisions)
        by_id = {each.id: each for each in review.decisions}
        return {name: one for name, one in review.given.items() if one != recorded.ruling(by_id[name])}

    def moved(self) -> str:
        """What has changed in the live store since the pass read it, in a phrase; empty where nothing has."""
        live = self.desk.store.read()
        if fingerprint(live) == fingerprint(self.papers.read):
            return ""
        return changes(self.papers.read, live).sentence() or "its file modes or empty folders"

    def save(self, review: Review) -> Done | None:
        """Put the answers into the candidate as one revision; None where there is nothing new. Raises what ``approve``
        raises, and then they are still kept."""
        given = self.changed(review)
        done = record(self.desk, self.pass_id, lambda _: given, self.verify) if given else None
        if review.answers:
            self.kept.clear()
        return done

    @cached_property
    def _result(self) -> Callable[[tuple[tuple[str, Ruling], ...]], StoreContent]:
        """The store that rulings make. Going back and forth between two answers builds nothing anew."""
        build = outlook(self.desk, self.papers.header, self.papers.outcome)
        return lru_cache(maxsize=2)(lambda given: build(dict(given)))

    @cached_property
    def _size_before(self) -> Size:
        return size_of(self.papers.read)

    def _worded(self, decision: Decision, text: str) -> Decision:
        return edited(decision, text, self.papers.read, self.papers.header.kind)


def chosen(desk: Desk, pass_id: str | None) -> PassHeader:
    """The pass to review: the one that is named, else the newest that waits. Raises WrongState where there is none, or
    it is in no state to be reviewed."""
    if pass_id is None:
        pass_id = (
            next((each.id for each in desk.vault.passes() if each.state in REVIEWABLE), None) or find(desk, None).id
        )
    header = in_state(desk, pass_id, REVIEWABLE | {PassState.UNSAFE}, "reviewed")
    if header.state is PassState.UNSAFE:
        raise WrongState(
            f"Pass {header.id} is unsafe: the store changed while it ran, so there is no use in deciding on it.",
            f"`memgit merge {header.id}` makes a candidate that holds both; or run the pass again.",
        )
    return header


@contextmanager
def sitting(desk: Desk, pass_id: str | None, tree: Callable[[], WorkingTree], verify: Verify) -> Iterator[Sitting]:
    """Review a pass (the newest that waits, if none is named); what was cut short before is finished first.

    Raises what ``chosen`` raises, VaultLocked while another process reviews the pass, WrongState for decisions that are
    another's.
    """
    if unfinished(desk):
        with at_work(desk, "review"):
            pass
    header = chosen(desk, pass_id)
    with answers.kept(desk, header.id) as kept:
        yield Sitting(desk, papers(desk, header), kept, cache(tree), verify)


def overlook(
    desk: Desk, pass_id: str | None, tree: Callable[[], WorkingTree]
) -> tuple[PassHeader, tuple[Dossier, ...]]:
    """The pass that would be reviewed, and the dossiers of all that can be reviewed. Nothing is written."""
    header = chosen(desk, pass_id)
    kept = papers(desk, header)
    return header, dossiers(kept, opened(kept.outcome.decisions).decisions, cache(tree))
