"""The user's secrets: the one place where a reference is redeemed and a withheld value is shown."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.secrets.session import Custody
from inspector.secrets.vault import ForgottenError, Kept, KeptReference, Key, left_s
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.secrets.pane import SecretsPane, ValuePane
from inspector.tui.secrets.rows import (
    PeekAsked,
    Shown,
    peeked,
    question,
    secret_detail,
    secret_line,
    secrets_title,
)
from inspector.tui.text import shortened
from inspector.tui.widgets.lines import Lines
from inspector.urls.host import Refused
from inspector.urls.origin import Allowed

PEEK_S = 10.0
"""How long a value is shown."""

_NO_REQUEST = Refused(reason="it is no reference")

_FORGOTTEN = "There is no value here. A reference has to be revealed first (v)."

NO_COPY = "Copying is off. allow_copy = true in your own config.toml turns it on."
COPIED = "Copied. Terminals and multiplexers on the way saw it, and the clipboard keeps it."
_OVER = "Its time has run out: nothing was sent. Call the tool again for a new reference."
_WITHHELD = "This value came with the result: p shows it, nothing has to be fetched."


class SecretsScreen(Screen[None], inherit_bindings=False):
    """Rows of references and withheld values. A value is shown for ten seconds at most, and to nobody but the user."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.SECRETS)
    ALLOW_SELECT = False

    def __init__(self, custody: Callable[[], Custody], copy: Callable[[str], None] | None) -> None:
        """`custody`: of the session in use. `copy`: puts a value on the clipboard; None where that is not allowed."""
        super().__init__()
        self._custody = custody
        self._copy = copy
        self._title = Static("", markup=False, id="secrets-title")
        self._pane = SecretsPane(self._draw)
        self._keys = KeyLine()
        self._here: Key | None = None
        """The item on which the user has put the cursor."""
        self._asking: tuple[Custody, Key] | None = None
        """The reference that the user is asked about, and whose it is."""
        self._until_s = 0.0
        self._making = Latest(self, peeked, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Title, the pane, keys."""
        yield self._title
        yield self._pane
        yield self._keys

    def on_mount(self) -> None:
        """Show what there is; from then on count down."""
        self.news()
        self.set_interval(1.0, self._tick)
        self.app.app_suspend_signal.subscribe(self, self._suspended)  # pyright: ignore[reportUnknownMemberType]

    def _suspended(self, _: object) -> None:
        self.mask()

    # What changes.

    def news(self) -> None:
        """The vault has other items, or an item stands otherwise. The cursor stays on its item."""
        vault = self._custody().vault
        vault.expire(self._custody().now_s())
        self._title.update(secrets_title(vault.references, len(vault) - vault.references))
        try:
            cursor = vault.place_of(self._here) if self._here is not None else 0
        except ForgottenError:
            cursor = 0
        self._pane.show_rows(len(vault), cursor)
        self._here = self._key()
        if self._custody().peeked is None:
            self.mask()
        self._show()

    def _tick(self) -> None:
        custody = self._custody()
        custody.vault.expire(custody.now_s())
        left = round(self._until_s - time.monotonic())
        if custody.peeked is not None and left > 0 and custody.vault.has_value(custody.peeked):
            self._pane.value.count_down(left)
        else:
            self.mask()
        self._show()

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        """The cursor stands on another item: what was shown is masked, what was asked is not asked any more."""
        if event.lines is self._pane.lines:
            event.stop()
            # The item may have got another row, with the cursor on it.
            if self._key() != self._here:
                self._here = self._key()
                self._stop_asking()
                self.mask()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Enter: what comes next for the item."""
        event.stop()
        kept = self._kept()
        if event.lines is self._pane.lines and isinstance(kept, KeptReference) and not kept.has_value:
            self.action_reveal()
        else:
            self.action_peek()

    @on(ValuePane.Held)
    def hold(self, event: ValuePane.Held) -> None:
        """The mouse shows a value for as long as a button is held."""
        if event.is_down:
            self._peek()
        else:
            self.mask()

    def on_screen_suspend(self) -> None:
        """Another screen, the palette included, is in front."""
        self._stop_asking()
        self.mask()

    def on_screen_resume(self) -> None:
        """Calls may have ended meanwhile."""
        self.news()

    def on_unmount(self) -> None:
        """Nobody sees it any more."""
        self._custody().peeked = None

    # What the user does.

    def action_back(self) -> None:
        """Take back a question, or mask, or leave."""
        if self._asking is not None:
            self._take_back()
        elif self._custody().peeked is not None:
            self.mask()
        else:
            self.app.pop_screen()  # pyright: ignore[reportUnknownMemberType]

    def action_reveal(self) -> None:
        """Ask, with the request that would be sent."""
        kept = self._kept()
        if kept is None:
            return
        if not isinstance(kept, KeptReference):
            self.notify(_WITHHELD, markup=False)
            return
        if self._custody().vault.is_busy:
            self.notify("Another secret is being revealed. Wait for it to end.", markup=False)
            return
        request = self._custody().preview(kept)
        if isinstance(request, Refused):
            words = f"Refused: {request.reason}. {request.hint or 'Nothing was sent.'}"
            self.notify(shortened(words, 600), severity="warning", markup=False)
            return
        if left_s(kept, self._custody().now_s()) == 0:
            self.notify(_OVER, severity="warning", markup=False)
            return
        self.mask()
        self._asking = (self._custody(), kept.key)
        self._pane.ask(question(request))
        self._show()

    def action_agree(self) -> None:
        """Send the request that was shown."""
        asked = self._asking
        if asked is None:
            self.notify("Nothing is asked. v reveals the secret under the cursor.", markup=False)
            return
        self._stop_asking()
        # Not a worker of this screen: a secret that can be fetched once must not be lost because the user left it.
        self.app.run_worker(self._reveal(*asked), group="redemption")  # pyright: ignore[reportUnknownMemberType]

    def action_peek(self) -> None:
        """Show the value, or mask it."""
        if self._custody().peeked is not None:
            self.mask()
        else:
            self._peek()

    def action_mask(self) -> None:
        """Mask the value."""
        self.mask()

    def action_forget(self) -> None:
        """Let go of the value under the cursor."""
        self._take_back()
        key, vault = self._key(), self._custody().vault
        if key is None or not vault.has_value(key):
            self.notify("There is no value here to let go of.", markup=False)
            return
        self.mask()
        vault.forget(key)
        self.news()

    def action_copy(self) -> None:
        """Copy the value, if the user's own configuration says so."""
        self._take_back()
        if self._copy is None:
            self.notify(NO_COPY, markup=False)
            return
        key = self._key()
        try:
            value = self._custody().vault.value(key) if key is not None else None
        except ForgottenError:
            value = None
        if isinstance(value, str):
            self._copy(value)
            self.notify(COPIED, severity="warning", markup=False)
        else:
            self.notify("There is no text here that could be copied.", markup=False)

    def _take_back(self) -> None:
        """Whatever else is done, what was asked is not asked any more."""
        self._stop_asking()
        self._show()

    # Peeking.

    def mask(self) -> None:
        """Show no value."""
        self._custody().peeked = None
        key = self._key()
        self._pane.value.mask(can_peek=key is not None and self._custody().vault.has_value(key))
        self._show()

    def _peek(self) -> None:
        key, custody = self._key(), self._custody()
        try:
            value = custody.vault.value(key) if key is not None else None
        except ForgottenError:
            self.notify(_FORGOTTEN, markup=False)
            return
        if key is None:
            return
        self._stop_asking()
        custody.peeked = key
        self._until_s = time.monotonic() + PEEK_S
        self._making.ask(PeekAsked(key=key, value=value, chunk=self._pane.value.room))

    def _take(self, asked: PeekAsked, value: Shown) -> None:
        left = self._until_s - time.monotonic()
        if self._custody().peeked == asked.key and left > 0:
            self._pane.value.show(value, round(left))
            self.set_timer(left, self._time_is_over)
            self._show()

    def _could_not(self, asked: PeekAsked, error: BaseException) -> None:
        del asked
        self.mask()
        words = f"The value could not be shown ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    def _time_is_over(self) -> None:
        if self._custody().peeked is not None and time.monotonic() >= self._until_s:
            self.mask()

    # Drawing.

    def _key(self) -> Key | None:
        kept = self._kept()
        return kept.key if kept is not None else None

    def _kept(self) -> Kept | None:
        vault = self._custody().vault
        cursor = self._pane.lines.cursor
        return vault.at(cursor) if cursor < len(vault) else None

    def _request(self, kept: Kept) -> Allowed | Refused:
        return self._custody().preview(kept) if isinstance(kept, KeptReference) else _NO_REQUEST

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the widget calls it
        custody = self._custody()
        if index >= len(custody.vault):
            return Content("")
        kept = custody.vault.at(index)
        return secret_line(
            kept,
            self._request(kept),
            now_s=custody.now_s(),
            width=width,
            here=here,
            is_peeked=custody.peeked == kept.key,
        )

    def _show(self) -> None:
        custody, kept = self._custody(), self._kept()
        self._pane.lines.refresh()
        if kept is not None:
            self._pane.explain(secret_detail(kept, self._request(kept), now_s=custody.now_s()))
        self._keys.offers = [
            Offer(command(known), label or command(known).label) for known, label in self._offers(kept)
        ]

    def _offers(self, kept: Kept | None) -> list[tuple[str, str]]:
        if self._asking is not None:
            return [("secrets.agree", ""), ("secrets.back", "no"), ("app.help", "")]
        found = [("secrets.back", "mask" if self._custody().peeked is not None else "")]
        if kept is not None and self._custody().vault.has_value(kept.key):
            found = [
                ("secrets.peek", "mask" if self._custody().peeked is not None else ""),
                ("secrets.forget", ""),
                *found,
            ]
        if isinstance(kept, KeptReference):
            found = [("secrets.reveal", "reveal again" if kept.has_value else ""), *found]
        return [*found, ("app.quit", ""), ("app.help", "")]

    def _stop_asking(self) -> None:
        self._asking = None
        self._pane.ask(None)

    async def _reveal(self, custody: Custody, key: Key) -> None:
        try:
            await custody.reveal(key)
        except ForgottenError:
            return
        finally:
            if self.is_mounted:
                self.news()
