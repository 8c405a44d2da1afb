"""The Secrets screen, the only place where references are revealed and withheld values are shown."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from inspector.errors import InspectorError
from inspector.json.document import Document
from inspector.secrets.outcomes import AlreadyUsed, Expired
from inspector.secrets.session import Custody
from inspector.secrets.vault import ForgottenError, Kept, KeptReference, VaultKey, left_s
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.runtime.workers import work_of
from inspector.tui.secrets.rows import (
    NOTHING,
    PeekAsked,
    Shown,
    masked,
    peeked,
    question,
    secret_detail,
    secret_line,
    secrets_count,
    secrets_head,
    value_title,
)
from inspector.tui.text import shortened
from inspector.tui.widgets.lines import DocumentLines, Lines, TextLines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import Detail, DrawnLines, SecondaryScreen
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed

PEEK_S = 10.0
"""The time in seconds for which a value is shown."""

_MASKED_ROWS = 3
"""The number of rows for the border, the title and the mask."""

_NO_REQUEST = RefusedUrl(reason="this value is not a reference")
_NO_VALUE = "There is no value here yet. v fetches it from the server."
NO_COPY = "Copying is off. allow_copy = true in your own config.toml turns it on."
COPIED = "Copied. The terminal and any multiplexer on the way have seen it, and the clipboard keeps it."
_FORGET = "Forget this secret? Many servers return a secret only once: then you need a new reference."
_EXPIRED = "The reference has expired: nothing was sent. Call the tool again for a new one."
_WITHHELD = "This value came with the result, so it needs no fetching. u shows it."


class ValuePane(Vertical):
    """Shows one value, masked unless the user wants to see it.

    It drops the value as soon as it is no longer shown.
    """

    ALLOW_SELECT = False

    @dataclass
    class Held(Message):
        """Posted when a mouse button is pressed on the value, or released."""

        is_down: bool

    def __init__(self) -> None:
        super().__init__(id="secret-value")
        self._title = PlainText(id="secret-value-title")
        self._text = TextLines(id="secret-text")
        self._document = DocumentLines(id="secret-document")
        self._is_down = False

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._text
        yield self._document

    @property
    def room(self) -> int:
        """The number of characters that fit on a line."""
        return max(self.size.width - 6, 20)

    def mask(self, *, can_peek: bool) -> None:
        """Mask the value. `can_peek`: whether there is a value to show."""
        self.styles.height = _MASKED_ROWS
        self._title.update(value_title(shown=False, left=0, can_peek=can_peek))
        self._show((masked(can_peek=can_peek),), None)

    def show(self, value: Shown, left: int) -> None:
        """Show a value. `left`: the seconds until it is masked."""
        rows = value.line_count if isinstance(value, Document) else len(value)
        self.styles.height = _MASKED_ROWS - 1 + max(rows, 1)
        if isinstance(value, Document):
            self._show((), value)
        else:
            self._show(value, None)
        self.count_down(left)

    def _show(self, lines: Sequence[str], document: Document | None) -> None:
        self._text.show(lines)
        self._document.show(document)
        self._text.display = document is None
        self._document.display = document is not None

    def count_down(self, left: int) -> None:
        """Show the seconds until the value is masked."""
        self._title.update(value_title(shown=True, left=left, can_peek=True))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self._is_down = True
        self.capture_mouse()
        self.post_message(self.Held(is_down=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        if self._is_down:
            self._is_down = False
            self.release_mouse()
            self.post_message(self.Held(is_down=False))


class SecretsScreen(SecondaryScreen[None], inherit_bindings=False):
    """Lists references and withheld values. A value is shown for at most ten seconds, and only here."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.SECRETS)
    ALLOW_SELECT = False
    NAME = "Secrets"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - as Textual declares it
    FAILED = "The value could not be shown"

    def __init__(
        self,
        custody: Callable[[], Custody],
        copy: Callable[[str], None] | None,
        fetch: Callable[[Custody, VaultKey], Awaitable[None]],
    ) -> None:
        """`custody`: returns the secrets of the session in use.

        `copy`: copies a value to the clipboard; None if that is not allowed.

        `fetch`: fetches the secret of a reference, and logs that. Raises ForgottenError and InspectorError.
        """
        super().__init__()
        self._custody = custody
        self._fetch = fetch
        self._copy = copy
        self._head = PlainText(id="secrets-head")
        self._lines = DrawnLines("secret-lines", self._draw)
        self._question = PlainText(classes="secondary-question")
        self._detail = Detail("secrets-detail")
        self._value = ValuePane()
        self._here: VaultKey | None = None
        """The key of the item under the cursor."""
        self._asking: tuple[Custody, VaultKey] | None = None
        """The reference that the question is about, with the secrets of its session."""
        self._would_forget = False
        """True if the question is whether to forget the value, not whether to fetch it."""
        self._until_s = 0.0
        self._values = self.latest(lambda asked: (asked, peeked(asked)), self._take)

    def body(self) -> ComposeResult:
        yield self._head
        yield self._lines
        yield self._question
        yield self._detail
        yield self._value

    def on_mount(self) -> None:
        self._lines.focus()
        self.show_current()
        self.set_interval(1.0, self._tick)
        self.app.app_suspend_signal.subscribe(self, self._suspended)  # pyright: ignore[reportUnknownMemberType]

    def on_resize(self) -> None:
        self._head.update(secrets_head(self.size.width - 1))

    def _suspended(self, _: object) -> None:
        self.mask()

    # Changes.

    def show_current(self) -> None:
        """Show the current items of the vault. The cursor stays on its item."""
        vault = self._custody().vault
        vault.expire(self._custody().now_s())
        self.entitle(secrets_count(vault.references, len(vault) - vault.references))
        self.say(None if len(vault) else NOTHING)
        try:
            cursor = vault.place_of(self._here) if self._here is not None else 0
        except ForgottenError:
            cursor = 0
        self._lines.show_rows(len(vault), cursor)
        if self.focused is None:
            self._lines.focus()
        self._here = self._key()
        if self._custody().peeked is None:
            self.mask()
        self._show()

    def _tick(self) -> None:
        custody = self._custody()
        custody.vault.expire(custody.now_s())
        left = round(self._until_s - time.monotonic())
        if custody.peeked is not None and left > 0 and custody.vault.has_value(custody.peeked):
            self._value.count_down(left)
        else:
            self.mask()
        self._show()

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        if event.lines is self._lines:
            event.stop()
            # The same item may have moved to another row, together with the cursor.
            if self._key() != self._here:
                self._here = self._key()
                self._stop_asking()
                self.mask()

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        """Do the next step for the item: reveal the reference, or show or mask the value.

        While a question is open, only name the keys that answer it.
        """
        event.stop()
        kept = self._kept()
        if self._asking is not None:
            self.notify(f"y {'forgets' if self._would_forget else 'fetches'} it, Esc does not.", markup=False)
        elif event.lines is self._lines and isinstance(kept, KeptReference) and not kept.has_value:
            self.action_reveal()
        else:
            self.action_peek()

    @on(ValuePane.Held)
    def hold(self, event: ValuePane.Held) -> None:
        if event.is_down:
            self._peek()
        else:
            self.mask()

    def on_screen_suspend(self) -> None:
        # Also called when the palette opens.
        self._stop_asking()
        self.mask()

    def on_screen_resume(self) -> None:
        self.show_current()

    def on_unmount(self) -> None:
        self._custody().peeked = None

    # Actions.

    def action_back(self) -> None:
        if self._asking is not None:
            self._take_back()
        elif self._custody().peeked is not None:
            self.mask()
        else:
            self.dismiss()

    def action_reveal(self) -> None:
        """Show the request that would redeem the secret reference, and ask whether to send it."""
        kept = self._kept()
        if kept is None:
            return
        if not isinstance(kept, KeptReference):
            self.notify(_WITHHELD, markup=False)
            return
        if self._custody().vault.is_busy:
            self.notify("Another secret is being fetched. Wait for it to end.", markup=False)
            return
        request = self._custody().preview(kept)
        if isinstance(request, RefusedUrl):
            words = f"Refused: {request.reason}. {request.hint or 'Nothing was sent.'}"
            self.notify(shortened(words, 600), severity="warning", markup=False)
            return
        if left_s(kept, self._custody().now_s()) == 0:
            self.notify(_EXPIRED, severity="warning", markup=False)
            return
        self.mask()
        self._ask(kept.key, question(request), would_forget=False)

    def action_agree(self) -> None:
        asked = self._asking
        if asked is None:
            self.notify(
                "y answers a question, and none is open. v asks whether to fetch a secret; c copies a value.",
                markup=False,
            )
            return
        self._stop_asking()
        if self._would_forget:
            self._forget(asked[1])
            return
        # Run by the app, not by this screen: a secret that can be fetched only once must not be lost when the
        # user leaves the screen.
        self.app.run_worker(work_of(self._reveal, *asked), group="redemption")  # pyright: ignore[reportUnknownMemberType]

    def action_peek(self) -> None:
        if self._custody().peeked is not None:
            self.mask()
        else:
            self._peek()

    def action_mask(self) -> None:
        self.mask()

    def action_forget(self) -> None:
        self._take_back()
        key, vault = self._key(), self._custody().vault
        if key is None or not vault.has_value(key):
            self.notify("There is no value here to forget.", markup=False)
            return
        self.mask()
        if isinstance(self._kept(), KeptReference):
            self._ask(key, Content.styled(_FORGET, "bold $text-warning"), would_forget=True)
        else:
            self._forget(key)

    def _forget(self, key: VaultKey) -> None:
        self._custody().vault.forget(key)
        self.show_current()

    def _ask(self, key: VaultKey, words: Content, *, would_forget: bool) -> None:
        """Ask a question about an item. `would_forget`: whether `y` forgets its value, not fetches it."""
        self._asking, self._would_forget = (self._custody(), key), would_forget
        self._question.update(words)
        self.add_class("-asking")
        self._show()

    def action_copy(self) -> None:
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
            self.notify("There is no text here to copy.", markup=False)

    def _take_back(self) -> None:
        self._stop_asking()
        self._show()

    # Peeking.

    def mask(self) -> None:
        """Mask the value. The app also calls this when the user may have left the terminal."""
        self._custody().peeked = None
        key = self._key()
        self._value.mask(can_peek=key is not None and self._custody().vault.has_value(key))
        self._show()

    def _peek(self) -> None:
        key, custody = self._key(), self._custody()
        try:
            value = custody.vault.value(key) if key is not None else None
        except ForgottenError:
            self.notify(_NO_VALUE, markup=False)
            return
        if key is None:
            return
        self._stop_asking()
        custody.peeked = key
        self._until_s = time.monotonic() + PEEK_S
        self._values.ask(PeekAsked(key=key, value=value, chunk=self._value.room))

    def _take(self, made: tuple[PeekAsked, Shown]) -> None:
        asked, value = made
        left = self._until_s - time.monotonic()
        if self._custody().peeked == asked.key and left > 0:
            self._value.show(value, round(left))
            self.set_timer(left, self._time_is_over)
            self._show()

    def could_not(self, asked: object, error: BaseException) -> None:
        del asked
        self.mask()
        words = f"{self.FAILED} ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    def _time_is_over(self) -> None:
        if self._custody().peeked is not None and time.monotonic() >= self._until_s:
            self.mask()

    # Drawing.

    def _key(self) -> VaultKey | None:
        kept = self._kept()
        return kept.key if kept is not None else None

    def _kept(self) -> Kept | None:
        vault = self._custody().vault
        cursor = self._lines.cursor
        return vault.at(cursor) if cursor < len(vault) else None

    def _request(self, kept: Kept) -> Allowed | RefusedUrl:
        return self._custody().preview(kept) if isinstance(kept, KeptReference) else _NO_REQUEST

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
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
        self._lines.refresh()
        if kept is not None:
            self._detail.show(secret_detail(kept, self._request(kept), now_s=custody.now_s()))
        self.offer(self._offers(kept))

    def _offers(self, kept: Kept | None) -> list[tuple[str, str]]:
        if self._asking is not None:
            yes = "yes, forget" if self._would_forget else ""
            return [("secrets.agree", yes), ("secrets.back", "no"), ("app.help", "")]
        found = [("secrets.back", "mask" if self._custody().peeked is not None else "")]
        if kept is not None and self._custody().vault.has_value(kept.key):
            found = [
                ("lines.choose", "mask" if self._custody().peeked is not None else "show 10 s"),
                ("secrets.forget", ""),
                *found,
            ]
        if isinstance(kept, KeptReference) and not isinstance(kept.outcome, AlreadyUsed | Expired):
            found = [("secrets.reveal", "fetch again" if kept.has_value else ""), *found]
        return [*found, ("app.quit", ""), ("app.help", "")]

    def _stop_asking(self) -> None:
        self._asking = None
        self.remove_class("-asking")

    async def _reveal(self, custody: Custody, key: VaultKey) -> None:
        try:
            await self._fetch(custody, key)
        except ForgottenError:
            return
        except InspectorError as error:
            self.notify(f"{error.message}. {error.hint}", severity="error", timeout=15, markup=False)
        finally:
            if self.is_mounted:
                self.show_current()
