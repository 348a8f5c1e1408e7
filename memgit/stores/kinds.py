"""What a kind of store is that is no folder of memories, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from memgit.errors import Damaged, MemgitError, Unfinished
from memgit.memory.shapes import Shape
from memgit.model.travel import Installed, Recovered

if TYPE_CHECKING:
    from memgit.files import Journal
    from memgit.model.store import Resolution, StoreContent
    from memgit.ports import StoreInstaller, StoreReader


class Ran(Protocol):
    """How a program ended."""

    @property
    def code(self) -> int: ...
    @property
    def out(self) -> bytes: ...
    @property
    def err(self) -> bytes: ...
    @property
    def complaint(self) -> str: ...


class Run(Protocol):
    """Runs a program to its end; raises ToolFailed when it is missing or too slow."""

    def __call__(
        self, argv: Sequence[str], *, cwd: str, stdin: bytes | None, timeout: float, env: Mapping[str, str]
    ) -> Ran: ...


@contextmanager
def described() -> Iterator[None]:
    """Raise Damaged for an entry of the journal that is read meanwhile and is none of ours."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(
            f"The journal does not describe an installation ({error}).",
            "Compare the live store with `memgit status`, then move the journal away.",
        ) from error


class Kind:
    """How stores of one kind are named, found, read and changed: all that is theirs is in one package.

    ``shape.name`` begins their address, ``form`` is that as a person writes it. ``of_project`` says why one is listed,
    ``own`` what its place is called, ``readers`` who reads and writes it (a sentence), ``program`` what agents call
    that keeps it (empty where they call none).
    """

    shape: ClassVar[Shape]
    form: ClassVar[str]
    what: ClassVar[str]
    of_project: ClassVar[str]
    own: ClassVar[str]
    readers: ClassVar[str] = ""
    program: ClassVar[str] = ""

    def at(self, root: str, where: str, cwd: str, home: str) -> Resolution:
        """The store that an address names: ``where`` is what follows its colon, and empty for the one of the project
        at ``root``. Raises UsageError where there is none."""
        raise NotImplementedError

    def beside(self, root: str, home: str) -> Sequence[str]:
        """The stores of this kind that a project has."""
        raise NotImplementedError

    def holds(self, path: Path) -> bool:
        """Whether a path looks like one of theirs."""
        raise NotImplementedError

    def reader(self, resolution: Resolution, run: Run) -> StoreReader:
        """Reads the store. ``run`` starts programs."""
        raise NotImplementedError

    def installer(
        self, store: StoreReader, folder: Callable[[Path], StoreContent], journal: Journal, run: Run
    ) -> StoreInstaller:
        """Changes the store. ``folder`` reads any folder that is laid out like a store."""
        raise NotImplementedError


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
