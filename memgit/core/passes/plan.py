"""Which sessions a pass reads, and how they are batched for miners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memgit.model.session import Batch, Limits, Selection, Session

_BYTES_PER_TOKEN = 4
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def tokens(text: str) -> int:
    """Estimate the tokens of one text. For several texts add their bytes and round once: ``tokens_of_bytes``."""
    return tokens_of_bytes(len(text.encode("utf-8", "replace")))


def tokens_of_bytes(count: int) -> int:
    """Estimate the tokens of ``count`` UTF-8 bytes: a quarter, rounded up.

    Bytes and not characters: measured, characters / 4 is a third of the truth for Chinese and Japanese.
    """
    return -(-count // _BYTES_PER_TOKEN)


def select(sessions: Iterable[Session], limits: Limits) -> Selection:
    """Choose newest first: near-empty sessions never count, then the cap is tested, then the budget.

    Near-empty is a session of few tokens, unless a person typed much of them: eleven corrections of one line each are
    the best session of a month. Copies of another session's records count for its size and not for the budget.

    The budget is tested before a session is added, so only the last one taken may pass it, and
    nothing older is taken once it is spent, however small.
    """
    pool = newest_first(sessions)
    selected: list[Session] = []
    near_empty: list[Session] = []
    beyond_budget: list[Session] = []
    beyond_cap: list[Session] = []
    spent = 0
    for session in pool:
        if _is_near_empty(session, limits):
            near_empty.append(session)
        elif len(selected) >= limits.session_cap:
            beyond_cap.append(session)
        elif spent >= limits.token_budget:
            beyond_budget.append(session)
        else:
            selected.append(session)
            spent += session.tokens
    return Selection(
        limits=limits,
        pool=len(pool),
        selected=tuple(selected),
        near_empty=tuple(near_empty),
        beyond_budget=tuple(beyond_budget),
        beyond_cap=tuple(beyond_cap),
        batches=batches(selected, limits.batch_window),
    )


def _is_near_empty(session: Session, limits: Limits) -> bool:
    if not session.tokens:
        return True
    return max(session.tokens, session.whole) < limits.near_empty and session.typed < limits.typed_enough


def newest_first(sessions: Iterable[Session]) -> list[Session]:
    """Order by the time of the last record; equal times by id, so that two runs agree; without a time last."""
    by_id = sorted(sessions, key=lambda session: session.id)
    return sorted(by_id, key=lambda session: session.ended or _LONG_AGO, reverse=True)


def batches(selected: Sequence[Session], window: int) -> tuple[Batch, ...]:
    """Cut the selection into contiguous runs of at most ``window`` tokens; a larger session stands alone."""
    runs: list[list[Session]] = []
    filled = 0
    for session in selected:
        if not runs or filled + session.tokens > window:
            runs.append([])
            filled = 0
        runs[-1].append(session)
        filled += session.tokens
    return tuple(Batch(number, tuple(run)) for number, run in enumerate(runs, start=1))
