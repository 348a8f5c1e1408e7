"""What stands at the end of a review: what comes of it, and the plain commands that do the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from memgit.core.review.dossier import safe
from memgit.core.review.reply import reply
from memgit.core.review.state import Review
from memgit.model.decision import Approval
from memgit.model.history import PassKind
from memgit.rulings.approval import Ruling
from memgit.rulings.standing import NEEDS_APPROVAL


def adoptable(review: Review, kind: PassKind) -> bool:
    """Whether adopting would change anything: something is approved, or open in a pass that needs no approval."""
    approved = review.having(Approval.APPROVED)
    return bool(approved or (review.open and kind not in NEEDS_APPROVAL))


def what_comes(review: Review, kind: PassKind) -> str:
    """What adopting would do, in a sentence."""
    approved = ", ".join(each.id for each in review.having(Approval.APPROVED))
    open_ = ", ".join(each.id for each in review.open)
    if approved:
        return f"Adopting takes {approved}." + (f" Still open, and so left out: {open_}." if open_ else "")
    if open_ and kind not in NEEDS_APPROVAL:
        return f"Nothing is approved, so adopting takes what is open: {open_}."
    return "Nothing stands, so there is nothing to adopt."


def commands(pass_id: str, review: Review, given: Mapping[str, Ruling], kind: PassKind) -> Iterator[str]:
    """The plain commands that say the same as these answers, and what comes then."""
    if said := reply(given):
        yield f"memgit approve {pass_id} {shlex.quote(safe(said))}"
    if adoptable(review, kind):
        yield f"memgit adopt {pass_id}"
    elif review.open:
        yield f'memgit approve {pass_id} "approve {review.open[0].id}"'
    else:
        yield f"memgit discard {pass_id}"
