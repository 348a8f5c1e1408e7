"""A pass that breaks off in the process that planned it: nobody would ever decide it, so that it is put away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memgit.errors import Interrupted, MemgitError

if TYPE_CHECKING:
    from memgit.flows.prepare import Workshop
    from memgit.model.passes import Plan


@contextmanager
def given_up_on_failure(shop: Workshop, plan: Plan) -> Iterator[None]:
    """Give a pass up when what is done here fails or is interrupted, and let the error say so."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted. {_given_up(shop, plan)}", "Run it again whenever you like.") from None
    except MemgitError as failure:
        failure.hint = f"{failure.hint} {_given_up(shop, plan)}".strip()
        raise
    except BaseException:
        _given_up(shop, plan)
        raise


def _given_up(shop: Workshop, plan: Plan) -> str:
    """What became of a pass that broke off, in a sentence."""
    if not plan.id:
        return "The store was not touched."
    try:
        if shop.book.give_up(plan):
            return f"Pass {plan.id} was given up; the store was not touched, and nothing is left to clear away."
    except (MemgitError, OSError):
        discard = plan.store.said(f"memgit discard {plan.id}")
        return f"Pass {plan.id} is left as planned: `{discard}` puts it away. The store was not touched."
    show = plan.store.said(f"memgit show {plan.id}")
    return f"Pass {plan.id} is decided and recorded: see `{show}`. The store was not touched."
