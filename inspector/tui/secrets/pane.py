"""The secrets of a session: a row for each, what there is to say of one, and its value, masked unless it is peeked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.tui.secrets.rows import NOTHING, masked, secrets_head, value_title
from inspector.tui.widgets.lines import DocumentLines, Lines, TextLines

if TYPE_CHECKING:
    from inspector.json.document import Document

_MASKED_ROWS = 3
"""A border, a title, and a mask."""


class SecretLines(Lines):
    """The rows; each is made when it is drawn."""

    def __init__(self, draw: Callable[[int, int, bool], Content]) -> None:
        """`draw`: makes a row of its index, the width, and whether the cursor is on it."""
        super().__init__(id="secret-lines")
        self._draw = draw

    def row(self, index: int, width: int) -> Content:
        """One item."""
        return self._draw(index, width, index == self.cursor)


class ValuePane(Vertical):
    """One value, masked unless the user peeks at it. It holds no value that it does not show."""

    ALLOW_SELECT = False

    @dataclass
    class Held(Message):
        """A mouse button went down on the value, or was let go."""

        is_down: bool

    def __init__(self) -> None:
        super().__init__(id="secret-value")
        self._title = Static("", markup=False, id="secret-value-title")
        self._text = TextLines(id="secret-text")
        self._document = DocumentLines(id="secret-document")
        self._is_down = False

    def compose(self) -> ComposeResult:
        """The title, and the value as text or as JSON."""
        yield self._title
        yield self._text
        yield self._document

    @property
    def room(self) -> int:
        """How many characters fit on a line."""
        return max(self.size.width - 6, 20)

    def mask(self, *, can_peek: bool) -> None:
        """Show no value."""
        self.styles.height = _MASKED_ROWS
        self._title.update(value_title(shown=False, left=0, can_peek=can_peek))
        self._show((masked(can_peek=can_peek),), None)

    def show(self, value: "Sequence[str] | Document", left: int) -> None:
        """Show a value: lines of text, foreign, or a document. `left`: seconds until it is masked."""
        rows = len(value) if isinstance(value, Sequence) else value.line_count
        self.styles.height = _MASKED_ROWS - 1 + max(rows, 1)
        if isinstance(value, Sequence):
            self._show(value, None)
        else:
            self._show((), value)
        self.count_down(left)

    def _show(self, lines: Sequence[str], document: "Document | None") -> None:
        self._text.show(lines)
        self._document.show(document)
        self._text.display = document is None
        self._document.display = document is not None

    def count_down(self, left: int) -> None:
        """Say how long the value will be shown."""
        self._title.update(value_title(shown=True, left=left, can_peek=True))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Peek as long as the button is held."""
        event.stop()
        self._is_down = True
        self.capture_mouse()
        self.post_message(self.Held(is_down=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Mask."""
        event.stop()
        if self._is_down:
            self._is_down = False
            self.release_mouse()
            self.post_message(self.Held(is_down=False))


class SecretsPane(Vertical):
    """Rows, question, detail and value, from top to bottom."""

    DEFAULT_CSS = """
    SecretsPane {
        height: 1fr;
        background: $surface;
        & > #secrets-note { display: none; padding: 1 2; height: 1fr; }
        &.-empty > * { display: none; }
        &.-empty > #secrets-note { display: block; }
        & > #secrets-head { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        & > SecretLines { height: 1fr; min-height: 3; }
        & > #secrets-question { display: none; height: auto; max-height: 8; padding: 0 1; background: $panel; }
        &.-asking > #secrets-question { display: block; }
        & > #secrets-detail { height: auto; max-height: 9; padding: 0 1; border-top: solid $panel; scrollbar-size: 1 1; }
        & > #secrets-detail:focus { border-top: solid $primary; }
        & > ValuePane { height: 3; max-height: 50%; border-top: solid $panel; }
        & #secret-value-title { height: 1; padding: 0 1; }
    }
    """

    def __init__(self, draw: Callable[[int, int, bool], Content]) -> None:
        super().__init__(id="secrets", classes="-empty")
        self.lines = SecretLines(draw)
        self.value = ValuePane()
        self._head = Static("", markup=False, id="secrets-head")
        self._question = Static("", markup=False, id="secrets-question")
        self._detail = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """A note in place of all, where there is nothing."""
        yield Static(NOTHING, markup=False, id="secrets-note")
        yield self._head
        yield self.lines
        yield self._question
        with VerticalScroll(id="secrets-detail"):
            yield self._detail
        yield self.value

    def on_resize(self) -> None:
        """The columns follow the width."""
        self._head.update(secrets_head(self.size.width - 1))

    def show_rows(self, number: int, cursor: int) -> None:
        """There are so many items now."""
        was_empty = self.has_class("-empty")
        self.set_class(not number, "-empty")
        self.lines.show_rows(number, cursor)
        if was_empty and number:
            self.lines.focus()

    def explain(self, detail: Content) -> None:
        """What there is to say of the item under the cursor."""
        self._detail.update(detail)

    def ask(self, question: Content | None) -> None:
        """Ask before a request is sent; None to stop asking."""
        self.set_class(question is not None, "-asking")
        self._question.update(question or "")
