"""A review as a full screen: the decisions on the left, the one looked at on the right. Same keys, same state machine.

The library is an extra; it is imported here and nowhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from memgit.console import review as face
from memgit.core.review import screen
from memgit.core.review.state import KEYS, Action, Jump, Review, Wish, understood
from memgit.errors import ToolFailed, UsageError
from memgit.evidence.findings import printable_name
from memgit.text.layout import Row, Style, cut

try:
    from rich.text import Text
    from textual import events
    from textual.app import App, ComposeResult
    from textual.containers import Horizontal, VerticalScroll
    from textual.widgets import Input, OptionList, Static
    from textual.widgets.option_list import Option
except ImportError:
    raise ToolFailed(
        "The full screen needs a library that is not installed.",
        "Install memgit with its extra `review` (in a checkout: `pipx install --force '.[review]'`), or leave --full "
        "out: the same works line by line.",
    ) from None

if TYPE_CHECKING:
    from memgit.console.review import Hands
    from memgit.flows.review import Sitting

_LOOKS = {
    Style.PLAIN: "",
    Style.TITLE: "bold",
    Style.FAINT: "dim",
    Style.REMOVED: "red strike",
    Style.ADDED: "green",
    Style.QUOTED: "cyan",
    Style.WARNING: "yellow",
    Style.GOOD: "green",
    Style.BAD: "red",
}
_LIST_SHARE = 34
"""Percent of the width that the list takes."""
_NARROW = 70
"""Columns below which the list is left out, so that the decision has room."""


def needs_terminal() -> None:
    """Raise UsageError where there is no terminal to fill."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("--full needs a terminal.", "Leave it out: answers are then read line by line.")


def reviewed(sitting: Sitting, hands: Hands) -> int:
    """Go through the decisions of a pass on a full screen, until the user leaves or adopts."""
    review = sitting.begin()
    if not review.decisions:
        return face.nothing_to_decide(sitting)
    app = FullScreen(sitting, hands, review)
    wish = app.run()
    if wish is None:
        raise face.broken_off(sitting, app.review)
    if wish is Wish.ADOPT:
        return face.adopted(sitting, app.review, hands)
    return face.left(sitting, app.review)


class FullScreen(App[Wish]):
    """The review on a whole screen. It ends with the wish to adopt or to leave, or with None when it is broken off."""

    CSS = """
    #list { border: none; border-right: solid $primary; }
    #list.-hidden { display: none; }
    #right { padding: 0 1; }
    #footer { height: auto; padding: 0 1; }
    #told { height: auto; padding: 0 1; }
    #asked { display: none; }
    #asked.-asking { display: block; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [("ctrl+c", "break_off", "Break off")]

    def __init__(self, sitting: Sitting, hands: Hands, review: Review) -> None:
        super().__init__()
        self.sitting, self.hands, self.review = sitting, hands, review
        self.whole = self.helping = False
        self.meaning: Callable[[str], Action] | None = None

    def compose(self) -> ComposeResult:
        """The list, the decision, what is always in sight, what was told, and where something further is typed."""
        with Horizontal():
            yield OptionList(id="list")
            with VerticalScroll(id="right"):
                yield Static(id="page")
        yield Static(id="footer")
        yield Static(id="told")
        yield Input(id="asked")

    def on_mount(self) -> None:
        """Begin with what is to be known before the first decision."""
        listed = self.query_one("#list")
        listed.can_focus, listed.styles.width = False, f"{_LIST_SHARE}%"
        self.query_one("#right").focus()
        self.tell(" ".join(face.greeting(self.sitting, self.review)))
        self.draw()

    def on_resize(self) -> None:
        """Wrap anew for the screen as it is now."""
        self.call_after_refresh(self.draw)

    # --- what is shown ---

    def draw(self) -> None:
        """Show the review as it stands."""
        listed = self.query_one("#list", OptionList)
        listed.set_class(self.size.width < _NARROW, "-hidden")
        listed.clear_options()
        for decision, text in zip(self.review.shown, screen.list_rows(self.review), strict=True):
            listed.add_option(Option(Text(cut(printable_name(text), self._list_columns() - 4)), id=decision.id))
        ids = [decision.id for decision in self.review.shown]
        listed.highlighted = ids.index(self.review.at) if self.review.at in ids else None
        columns = self._columns()
        if self.helping:
            rows = screen.help_rows(self.sitting.pass_id, columns)
        else:
            rows = face.page(self.sitting, self.review, columns, whole=self.whole, marks=self.no_colours)
        self.query_one("#page", Static).update(_text(rows))
        below = face.footer(self.sitting, self.review, max(20, self.size.width - 2))
        self.query_one("#footer", Static).update(_text(below))

    def _columns(self) -> int:
        return max(20, self.size.width - self._list_columns() - 5)

    def _list_columns(self) -> int:
        return 0 if self.size.width < _NARROW else self.size.width * _LIST_SHARE // 100

    @property
    def no_colours(self) -> bool:
        """Whether changed words need marks."""
        return self.no_color or self.monochrome

    @property
    def monochrome(self) -> bool:
        """True for a terminal that has no colours."""
        return self.console.color_system is None

    def tell(self, sentence: str) -> None:
        """Say something below the decision; without anything to say, the keys."""
        usual = "aredn" if self.review.at else "ypq"
        letters = "  ".join(f"{key.letter} {key.brief}" for key in KEYS if key.letter in usual)
        self.query_one("#told", Static).update(Text(printable_name(sentence) or f"{letters}  ? all keys"))

    # --- what is typed ---

    def on_key(self, event: events.Key) -> None:
        """A key of the review; the arrows scroll, as the library has it."""
        if self.meaning is not None:
            if event.key == "escape":
                self._asked("", given=False)
            return
        if event.character is None or not event.character.isprintable():
            return
        meant = understood(event.character)
        if event.character.strip() and meant is not None:
            event.stop()
            self.follow(meant)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click on the list goes there."""
        self.do(Jump(event.option.id or ""))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """What was asked for has been typed."""
        self._asked(event.value, given=True)

    def follow(self, meant: Action | Wish) -> None:
        """Do what a key means."""
        match meant:
            case Wish.LEAVE:
                self.exit(meant)
            case Wish.ADOPT if face.adopts_here(self.sitting, self.review):
                self.exit(meant)
            case Wish.ADOPT:
                self.tell(face.why_not_adopted(self.review))
            case Wish.HELP:
                self.helping = not self.helping
                self.draw()
            case Wish.MORE:
                self.whole = not self.whole
                self.draw()
            case Wish.EDIT:
                self.edit()
            case Wish.REJECT | Wish.JUMP | Wish.NARROW:
                self.ask_further(meant)
            case _:
                self.do(meant)

    def do(self, action: Action) -> None:
        """Carry an action out and show where that leads."""
        before, self.helping = self.review.at, False
        self.review, told = face.carried_out(self.sitting, self.review, action)
        if self.review.at != before:
            self.whole = False
            self.query_one("#right", VerticalScroll).scroll_home(animate=False)
        self.tell(told)
        self.draw()

    def edit(self) -> None:
        """Give the terminal to the user's editor for a while."""
        with self.suspend():
            action = face.edit(self.sitting, self.review, self.hands.editor)
        if isinstance(action, str):
            self.tell(action)
        else:
            self.do(action)

    def ask_further(self, wish: Wish) -> None:
        """Ask for what a key needs; escape gives up."""
        question, self.meaning = face.FURTHER[wish]
        asked = self.query_one("#asked", Input)
        asked.placeholder, asked.value = question, ""
        asked.add_class("-asking")
        asked.focus()

    def _asked(self, said: str, *, given: bool) -> None:
        meaning, self.meaning = self.meaning, None
        self.query_one("#asked").remove_class("-asking")
        self.query_one("#right").focus()
        if meaning is not None and given:
            self.do(meaning(said))

    def action_break_off(self) -> None:
        """Ctrl-C: end at once; what was answered is kept."""
        self.exit(None)


def _text(rows: Iterable[Row]) -> Text:
    text = Text()
    for row in rows:
        for run in row:
            text.append(printable_name(run.text), _LOOKS[run.style])
        text.append("\n")
    return text
