"""A review on a plain terminal: one decision after the other, a line typed for each, in the manner of `git add -p`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import files, process
from memgit.console.terminal import Canvas, answer, as_called, ask, done, say, steps, warn
from memgit.core.review import screen
from memgit.core.review.dossier import adoptable, commands, what_comes
from memgit.core.review.state import KEYS, Jump, Review, Rule, Wish, narrowed, rejected, understood
from memgit.errors import Interrupted, MemgitError, StoreChanged, ToolFailed
from memgit.text.layout import Row, Run, Style, wrapped

if TYPE_CHECKING:
    from memgit.core.review.dossier import Dossier
    from memgit.core.review.state import Action
    from memgit.flows.desk import Done
    from memgit.flows.review import Sitting
    from memgit.model.history import PassHeader

_AT_A_DECISION, _AT_THE_END = frozenset("arednpgfumq?"), frozenset("ypgfumq?")


@dataclass(frozen=True)
class Hands:
    """What a face can have done: ``adopt`` makes the candidate the live store, ``editor`` is the user's own."""

    adopt: Callable[[], Done]
    editor: Editor


def reviewed(sitting: Sitting, hands: Hands) -> int:
    """Go through the decisions of a pass, until the user leaves or adopts."""
    review = sitting.begin()
    if not review.decisions:
        return nothing_to_decide(sitting)
    talk = _Talk(sitting, hands, review)
    try:
        return talk.run()
    except KeyboardInterrupt:
        warn("")  # ends the line of the prompt
        raise broken_off(sitting, talk.review) from None


class _Talk:
    """One review at a plain terminal. ``page`` counts the screens of a long decision; 0 is the folded one."""

    def __init__(self, sitting: Sitting, hands: Hands, review: Review) -> None:
        self.sitting, self.hands, self.review = sitting, hands, review
        self.page = 0

    def run(self) -> int:
        for sentence in greeting(self.sitting, self.review):
            say(sentence)
        self.show()
        while (typed := ask(self.prompt())) is not None:
            before = (self.review, self.page)
            meant = understood(typed)
            if meant is Wish.LEAVE:
                break
            if meant is Wish.ADOPT and adopts_here(self.sitting, self.review):
                return adopted(self.sitting, self.review, self.hands)
            self.follow(meant)
            if before != (self.review, self.page):
                self.show()
        return left(self.sitting, self.review)

    def prompt(self) -> str:
        at_end = not self.review.at
        letters = ",".join(key.letter for key in KEYS if key.letter in (_AT_THE_END if at_end else _AT_A_DECISION))
        return f"{self.review.at or 'The end'} [{letters}] "

    def show(self) -> None:
        canvas = Canvas.now()
        rows = list(page(self.sitting, self.review, canvas.columns, whole=self.page > 0, marks=not canvas.colours))
        below = list(footer(self.sitting, self.review, canvas.columns))
        canvas.paint([(), *self.cut(rows, canvas, len(below)), (), *below])

    def cut(self, rows: list[Row], canvas: Canvas, below: int) -> list[Row]:
        """The rows that fit the screen above so many others, and how many more there are."""
        if canvas.rows is None:
            return rows
        room = max(3, canvas.rows - below - 4)  # blank rows around, what is said of the rest, and the prompt
        start = max(0, self.page - 1) * room
        if start >= len(rows):
            start, self.page = 0, 1
        beyond = len(rows) - start - room
        if beyond <= 1:
            return rows[start:]
        return [*rows[start : start + room], (Run(f"… {beyond} more rows: m", Style.FAINT),)]

    def follow(self, meant: Action | Wish | None) -> None:
        match meant:
            case None | Wish.LEAVE:
                say("That is no key; ? lists them.")
            case Wish.HELP:
                canvas = Canvas.now()
                canvas.paint(screen.help_rows(self.sitting.pass_id, canvas.columns))
            case Wish.MORE:
                self.page += 1
            case Wish.ADOPT:
                say(why_not_adopted(self.review))
            case Wish.EDIT:
                self.edit()
            case Wish.REJECT | Wish.JUMP | Wish.NARROW:
                self.ask_further(meant)
            case _:
                self.do(meant)

    def ask_further(self, wish: Wish) -> None:
        question, meaning = FURTHER[wish]
        if (said := ask(question)) is not None:
            self.do(meaning(said))

    def edit(self) -> None:
        action = edit(self.sitting, self.review, self.hands.editor)
        say(action) if isinstance(action, str) else self.do(action)

    def do(self, action: Action) -> None:
        stepped, told = carried_out(self.sitting, self.review, action)
        if told:
            say(told)
        if stepped.at != self.review.at:
            self.page = 0
        self.review = stepped


# --- what every face needs ---

FURTHER: dict[Wish, tuple[str, Callable[[str], Action]]] = {
    Wish.REJECT: ("Why? (one line; empty for no reason) ", rejected),
    Wish.JUMP: ("Which decision? ", lambda said: Jump(said.strip())),
    Wish.NARROW: ("Which? (state, kind, memory; empty for all) ", narrowed),
}
"""What is asked behind a key, and what the answer makes of it."""


def carried_out(sitting: Sitting, review: Review, action: Action) -> tuple[Review, str]:
    """The review after an action, and what to say of it."""
    try:
        stepped = sitting.do(review, action)
    except OSError as error:
        return review, f"The answer could not be kept, so it was not taken: {error.strerror}."
    return stepped.review, stepped.told


def edit(sitting: Sitting, review: Review, editor: Editor) -> Rule | str:
    """Let the user edit the text that a decision leaves: the ruling that follows, or why there is none."""
    from memgit.model.decision import Approval
    from memgit.rulings.approval import Ruling

    if review.here is None:
        return "There is no decision here to edit; p goes back."
    try:
        text = editor.edit(sitting.text(review, review.here), review.at)
    except MemgitError as refused:
        return f"{refused.message} {refused.hint}"
    if text is None:
        return "The text is as it was; nothing was answered."
    return Rule(Ruling(Approval.APPROVED, edit=text.strip()))


def greeting(sitting: Sitting, review: Review) -> Iterator[str]:
    """What to know before the first decision."""
    header = sitting.papers.header
    count = len(review.decisions)
    yield f"Pass {header.id} ({header.kind}): {count} decision{'s' if count > 1 else ''} to make. ? lists the keys."
    if review.answers:
        yield f"Going on with a review that was cut short: {len(review.given)} answered."
    if moved := sitting.moved():
        yield f"The store has changed since this pass read it ({moved})."
        yield "Adopting will not overwrite that: it offers a merge of both as a new candidate."


def page(sitting: Sitting, review: Review, columns: int, *, whole: bool, marks: bool) -> Iterator[Row]:
    """The screen of a review: the decision looked at, or the end."""
    if (here := review.here) is None:
        return _end(sitting, review, columns)
    return screen.decision_rows(sitting.dossier(review, here), review, columns, whole=whole, marks=marks)


def footer(sitting: Sitting, review: Review, columns: int) -> Iterator[Row]:
    """What is always in sight: how the answers stand, and the store that would result."""
    adopts = adoptable(review, sitting.papers.header.kind)
    return screen.picture_rows(review, sitting.picture(review), columns, adopts=adopts)


def _end(sitting: Sitting, review: Review, columns: int) -> Iterator[Row]:
    yield from wrapped([Run("The end of the review", Style.TITLE)], columns)
    for text in screen.list_rows(review):
        yield from wrapped([Run(text)], columns, left="    ")
    yield from wrapped([Run(what_comes(review, sitting.papers.header.kind))], columns)
    if adopts_here(sitting, review):
        yield from wrapped([Run("Adopt it now? y adopts, q leaves it for later.")], columns)
    yield from wrapped([Run("The same as plain commands:", Style.FAINT)], columns)
    for command in commands(sitting.pass_id, review, sitting.changed(review), sitting.papers.header.kind):
        yield from wrapped([Run(as_called(sitting.said(command)), Style.FAINT)], columns, "  ", "    ", whole=True)


def adopts_here(sitting: Sitting, review: Review) -> bool:
    """Whether this is the place to adopt, and there is something to adopt."""
    return not review.at and adoptable(review, sitting.papers.header.kind)


def why_not_adopted(review: Review) -> str:
    """Why adopting is not on offer here."""
    return (
        "Nothing stands, so there is nothing to adopt."
        if not review.at
        else "Adopting comes at the end; n leads there."
    )


# --- how a review ends ---


def nothing_to_decide(sitting: Sitting) -> int:
    """A pass without a single decision that a person could answer."""
    name = sitting.pass_id
    say(f"Pass {name} has no decision to make.")
    show, adopt, discard = (sitting.said(f"memgit {verb} {name}") for verb in ("show", "adopt", "discard"))
    say(f"`{show}` prints its report; `{adopt}` or `{discard}` ends it.")
    return 0


def left(sitting: Sitting, review: Review) -> int:
    """Leave: the answers go into the candidate."""
    saved = _saved(sitting, review)
    if saved is None:
        say("Nothing new was answered; the pass is as it was.")
    else:
        done(saved, as_json=False)
    if review.open:
        steps([("go on", sitting.said(f"memgit review {sitting.pass_id}"))])
    return 0


def adopted(sitting: Sitting, review: Review, hands: Hands) -> int:
    """Put the answers into the candidate, and the candidate in the place of the store."""
    saved = _saved(sitting, review)
    if saved is not None:
        say(saved.did)
    try:
        return done(hands.adopt(), as_json=False)
    except StoreChanged:
        raise
    except MemgitError:
        warn(f"The answers are in the candidate. To adopt it: {sitting.said(f'memgit adopt {sitting.pass_id}')}")
        raise


def broken_off(sitting: Sitting, review: Review) -> Interrupted:
    """Ctrl-C: what was answered stays, and is said to stay."""
    count = len(review.given)
    if not count:
        return Interrupted("Interrupted. Nothing was answered; the pass is as it was.")
    kept = "1 answer is kept" if count == 1 else f"{count} answers are kept"
    return Interrupted(f"Interrupted. {kept}: {sitting.said(f'memgit review {sitting.pass_id}')} goes on.")


def _saved(sitting: Sitting, review: Review) -> Done | None:
    try:
        return sitting.save(review)
    except MemgitError:
        again = sitting.said(f"memgit review {sitting.pass_id}")
        warn(f"The answers are kept, but not in the candidate yet: {again} goes on.")
        raise


# --- for a program ---


def overlooked(header: PassHeader, dossiers: tuple[Dossier, ...]) -> int:
    """What a review would show, as one JSON object."""
    from memgit.core.review.dossier import dossier_json

    answer("review", {"pass": header.id, "decisions": [dossier_json(each) for each in dossiers]})
    return 0


# --- editor ---
# A text handed to the user's own editor, in a file that only he can read.


@dataclass(frozen=True)
class Editor:
    """The program (words of a command line) and the folder, private to the user, in which the text lies meanwhile."""

    program: Sequence[str]
    folder: Path

    def edit(self, text: str, name: str) -> str | None:
        """The text as the user leaves it; None where the editor failed or nothing was changed.

        Raises ToolFailed for an editor that cannot be started, and UsageError where no person called.
        """
        path = self.folder / f"{name}.md"
        files.write_atomic(path, text.encode("utf-8", "replace"))
        try:
            code = self._run(path)
            edited = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None  # the editor removed it
        finally:
            files.remove_file(path)
        return None if code or edited.strip() in ("", text.strip()) else edited

    def _run(self, path: Path) -> int:
        try:
            return process.at_terminal([*self.program, str(path)])
        except ToolFailed as failed:
            raise ToolFailed(failed.message, "Set VISUAL or EDITOR to an editor that is installed.") from None
