"""What a candidate changes: as lines, as words, in figures, or in the user's own tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from memgit.console.terminal import Canvas, answer, lines, say, write_whole

if TYPE_CHECKING:
    from memgit.flows.look import Difference
    from memgit.flows.rehearse import Rehearsal
    from memgit.flows.side_by_side import Compared
    from memgit.text.diff import FileDiff
    from memgit.text.layout import Row

Way = Literal["lines", "words", "figures"]


def differed(difference: Difference, way: Way, as_json: bool) -> int:
    """What a candidate changes, file by file."""
    if as_json:
        answer("diff", {"pass": difference.header.id, "files": _as_json(difference.files)})
        return 0
    canvas = Canvas.now()
    for each in difference.files:
        match way:
            case "figures":
                say(_stat(each))
            case "lines" if canvas.rows is None:
                if each.lines or len(each.head) > 1:  # git takes no head that says nothing
                    write_whole("\n".join((*each.head, *each.lines)))
            case "lines":
                canvas.paint(_lines(each))
            case "words":
                canvas.paint(_words(each, canvas))
    if not difference.files:
        say("The candidate is the store as it was.")
    return 0


def rehearsed(rehearsal: Rehearsal, as_json: bool) -> int:
    """What a verb would do to the live store, file by file."""
    if as_json:
        answer("rehearsal", {"would": rehearsal.would, "files": _as_json(rehearsal.files)})
        return 0
    say(f"{rehearsal.would} Nothing was changed.")
    for each in rehearsal.files:
        say(f"  {_stat(each)}")
    if not rehearsal.files:
        say("  The store would stay as it is.")
    return 0


def _as_json(changed: Sequence[FileDiff]) -> list[dict[str, object]]:
    return [
        {"path": each.path, "change": each.change, "added": each.added, "removed": each.removed, "diff": each.lines}
        for each in changed
    ]


def _stat(file: FileDiff) -> str:
    from memgit.evidence.findings import printable_name

    return f"{file.change:<8} {printable_name(file.path)}  +{file.added} -{file.removed}"


def _lines(file: FileDiff) -> Iterator[Row]:
    from memgit.text.layout import Run, Style

    styles = {"+": Style.ADDED, "-": Style.REMOVED, "@": Style.FAINT}
    yield from ((Run(text, Style.TITLE),) for text in file.head)
    for number, text in enumerate(file.lines):
        shown = text.replace("\r", "\u240d")  # so that a change of line ends is no empty change
        yield (Run(shown, Style.TITLE if number < 2 else styles.get(text[:1], Style.PLAIN)),)


def _words(file: FileDiff, canvas: Canvas) -> Iterator[Row]:
    from memgit.core.review.dossier import TextChange
    from memgit.core.review.screen import change_rows
    from memgit.evidence.findings import printable_name

    whole = file.change != "changed"
    change = TextChange(printable_name(file.path), file.before, file.after)
    yield from change_rows(change, canvas.reading_columns, whole=whole, marks=not canvas.colours)


def compared(result: Compared, as_json: bool) -> int:
    """What the user's own tool was shown, and how it ended."""
    if as_json:
        answer("compared", {"pass": result.header.id, "shown": result.shown, "code": result.code})
    elif not result.shown:
        say("The candidate is the store as it was.")
    else:
        lines([f"Shown: {result.shown} file{'s' if result.shown > 1 else ''} of pass {result.header.id}."])
    return 0
