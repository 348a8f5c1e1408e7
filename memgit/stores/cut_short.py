"""An installation that meets an error: completed, or taken back, and then said why. The same for every shape."""

from __future__ import annotations

from collections.abc import Callable

from memgit.errors import MemgitError, Unfinished
from memgit.model.travel import Installed, Recovered


def completed_or_raised(
    error: Exception,
    recover: Callable[[], Recovered | None],
    explain: Callable[[Exception], MemgitError],
    remedy: str,
) -> Installed:
    """What came of the installation all the same.

    Raises the error itself, or as ``explain`` words it, where everything is as it was; Unfinished with the
    ``remedy`` where neither completing nor taking back was possible.
    """
    try:
        recovered = recover()
    except (MemgitError, OSError) as second:
        raise Unfinished(
            f"The store could not be changed ({error}), and what was begun could not be taken back ({second}).", remedy
        ) from error
    if recovered and recovered.installed:
        return recovered.installed
    if isinstance(error, MemgitError):
        raise error
    raise explain(error) from error
