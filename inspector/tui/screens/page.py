"""One tool of a page: declared, kept and told, beside each other."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from inspector.protocol.catalogue import Tool
from inspector.tui.commands import Place, bindings, command
from inspector.tui.latest import Latest
from inspector.tui.present.foreign import content
from inspector.tui.present.keys import Offer
from inspector.tui.present.page import page_title
from inspector.tui.screens.making import PageAsked, PageSides, page_sides
from inspector.tui.widgets.document import SignedLines
from inspector.tui.widgets.keys import KeyLine

_KEYS = ("page.back", "app.next", "app.quit", "app.help")


class PageScreen(Screen[None], inherit_bindings=False):
    """What the page declared beside what the browser keeps; below, what `getTools()` tells an agent in the page."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.PAGE)

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self._tool = tool
        self._title = Static(page_title(tool), markup=False, id="page-title")
        self._declared = SignedLines(id="page-declared")
        self._kept = SignedLines(id="page-kept")
        self._agent = SignedLines(id="page-agent")
        self._keys = KeyLine()
        self._making = Latest(self, page_sides, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Two sides, and below them the third."""
        yield self._title
        with Horizontal(id="page-sides"):
            yield from self._side("Declared by the page", self._declared)
            yield from self._side("Kept by the browser", self._kept)
        yield from self._side("Told to an agent in the page by getTools()", self._agent)
        yield self._keys

    def on_mount(self) -> None:
        """Lay out the sides."""
        self._keys.offers = [Offer(command(known), command(known).label) for known in _KEYS]
        self._making.ask(PageAsked(tool=self._tool, chunk=max(self.size.width // 2 - 26, 30)))

    def _side(self, title: str, lines: SignedLines) -> ComposeResult:
        with Vertical(classes="page-side"):
            yield Static(title, markup=False, classes="page-side-title")
            yield lines

    def _take(self, asked: PageAsked, sides: PageSides) -> None:
        del asked
        self._declared.show(sides.declared, sides.signs)
        self._kept.show(sides.kept)
        self._agent.show(sides.agent)
        self._declared.focus()

    def _could_not(self, asked: PageAsked, error: BaseException) -> None:
        del asked
        words = f"The tool could not be shown ({type(error).__name__}): a defect of Sightline."
        self._title.update(content(words, "$text-error"))
