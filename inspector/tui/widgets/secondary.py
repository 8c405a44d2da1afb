"""The base of the screens and dialogs that open over the main screen."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widget import Widget

from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.footer import KeyLine, KeyOffer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.runtime.sizes import SizingScreen
from inspector.tui.text import content
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText

Asked = TypeVar("Asked")
Ended = TypeVar("Ended")
Made = TypeVar("Made")

Keys: TypeAlias = Sequence[tuple[str, str]]
"""The ids of commands, each with its label on this screen; "" for the command's own label."""

QUIET = "$foreground 70%"

_LEAST_LEFT = 20


class TitleLine(Widget):
    """A line with `Sightline`, the name of the screen and details, and on the right the current settings."""

    parts: reactive[tuple[Content, Content]] = reactive((Content(""), Content("")))

    def render(self) -> Content:
        left, right = self.parts
        room = max(self.size.width - right.cell_length - 3, _LEAST_LEFT)
        return Content.assemble(" ", left.truncate(room, ellipsis=True, pad=True), " ", right)


class DrawnLines(Lines):
    """A list whose rows come from a function. A row that is too long ends with an ellipsis."""

    def __init__(self, name: str, draw: Callable[[int, int, bool], Content]) -> None:
        """`name`: the id of the widget.

        `draw`: makes a row from its index, the width in cells, and whether the cursor is on it.
        """
        super().__init__(id=name)
        self._draw = draw

    def row(self, index: int, width: int) -> Content:
        return self._draw(index, width, index == self.cursor).truncate(width, ellipsis=True)


class Detail(VerticalScroll):
    """Shows the row under the cursor in full, below its list."""

    def __init__(self, name: str, *, can_focus: bool = True) -> None:
        super().__init__(id=name, can_focus=can_focus)
        self._text = PlainText()

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, text: Content) -> None:
        self._text.update(text)


class SecondaryScreen(SizingScreen[Ended], inherit_bindings=False):
    """A screen with a title line, the content or a note in its place, and one line of keys.

    A subclass yields its content in `body`, has its own bindings, and prepares what it shows with `latest`.
    """

    NAME: ClassVar[str] = ""
    """The name of the screen, which follows the word Sightline in the title line."""
    KEYS: ClassVar[Keys] = ()
    """The keys shown until `offer` is called. The last one is shown even if there is little room."""
    FAILED: ClassVar[str] = "This could not be shown"
    """The beginning of the message when making the content fails."""

    def __init__(self) -> None:
        super().__init__()
        self.title_line = TitleLine()
        self._note = PlainText(classes="secondary-note")
        self._keys = KeyLine()
        self.entitle()
        self.offer(self.KEYS)

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self._note
        with Vertical(classes="secondary-body"):
            yield from self.body()
        yield self._keys

    def body(self) -> ComposeResult:
        """Yield the widgets of the content."""
        raise NotImplementedError

    def entitle(self, details: Content = Content(""), right: Content = Content("")) -> None:  # noqa: B008 - immutable
        """Show the name of the screen with `details` on the left, and `right` on the right."""
        left = Content.assemble(("Sightline  ", "bold $text-primary"), (self.NAME, "bold"), "  ", details)
        self.title_line.parts = (left, right)

    def offer(self, keys: Keys) -> None:
        """Show these keys, the most useful first."""
        self._keys.offers = [KeyOffer(command(known), label or command(known).label) for known, label in keys]

    def say(self, note: Content | None) -> None:
        """Show a note in place of the content; None shows the content again."""
        self._note.update(note or "")
        self.set_class(note is not None, "-note")

    def latest(self, make: Callable[[Asked], Made], take: Callable[[Made], None]) -> Latest[Asked, Made]:
        """Return a `Latest` that runs `make` in a thread and passes its result to `take`.

        Errors are shown as a note.
        """

        def show(_asked: Asked, made: Made) -> None:
            self.say(None)
            take(made)

        return Latest(self, make, show, self.could_not)

    def could_not(self, asked: object, error: BaseException) -> None:
        """Show a note that the content could not be made.

        The note names only the type of the error, because its text may quote a server.
        """
        del asked
        words = f"{self.FAILED} ({type(error).__name__}): a defect of Sightline."
        self.say(content(words, "$text-error"))

    def action_back(self) -> None:
        self.dismiss()


def dialog_bindings(place: KeyPlace) -> list[BindingType]:
    """The bindings of a dialog.

    A modal screen hides the bindings of the app, such as Tab, so they are added.
    """
    return [*bindings(place), command("app.next").binding, command("app.previous").binding]


class SecondaryDialog(SecondaryScreen[Ended], ModalScreen[Ended], inherit_bindings=False):
    """A secondary screen in a box over the screen below. Its title may take two lines."""

    def __init__(self, title: Content) -> None:
        super().__init__()
        self._heading = PlainText(title, classes="secondary-heading")
        self._box = Vertical(classes="secondary-box")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._heading
            yield from self.body()
            yield self._keys
