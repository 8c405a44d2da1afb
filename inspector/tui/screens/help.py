"""All keys, and what the signs stand for."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.tui.commands import Place, bindings
from inspector.tui.present.help import help_lines
from inspector.tui.widgets.content_lines import ContentLines


class HelpScreen(ModalScreen[None], inherit_bindings=False):
    """Every key by the place where it works."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HELP)

    def __init__(self) -> None:
        super().__init__()
        self._lines = ContentLines(id="help-lines")

    def compose(self) -> ComposeResult:
        """A title and the lines."""
        yield Static(
            Content.assemble(("All keys", "bold"), "   Esc goes back"), markup=False, id="help-title"
        )
        yield self._lines

    def on_mount(self) -> None:
        """Show them."""
        self._lines.show(help_lines())
        self._lines.focus()
