"""A last check of everything that is drawn, and the app class that stops secrets from leaving the screen."""

import asyncio
import re
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import App
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter
from textual.notifications import Notification, SeverityLevel
from textual.strip import Strip

from inspector.safe_text import safe, safe_line

if TYPE_CHECKING:
    from inspector.secrets.session import Custody

_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)

_C0_PICTURES = 0x2400
_REFUSED = "\N{REPLACEMENT CHARACTER}"


class ControlGuard(LineFilter):
    """Replaces C0, C1, bidirectional and invisible characters by one symbol each, and removes links.

    Such a symbol is `␛` or `�`. A line keeps the width that was computed for it: if symbols make it longer,
    its end is cut off.
    """

    def __init__(self) -> None:
        super().__init__()
        self.caught = 0
        """The number of replaced characters and links.

        A number other than 0 is a defect: text of a server must be made safe before it is drawn.
        """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without characters that act on the terminal. `background` is not used."""
        del background
        if not any(map(_acts, segments)):
            return segments
        width = sum(segment.cell_length for segment in segments)
        return list(Strip(map(self._refused, segments)).adjust_cell_length(width))

    def _refused(self, segment: Segment) -> Segment:
        if not _acts(segment):
            return segment
        text, count = _ACTING.subn(_symbol, segment.text)
        style = segment.style
        if style is not None and style.link is not None:
            style, count = style.update_link(None), count + 1
        self.caught += count
        return Segment(text, style)


def _acts(segment: Segment) -> bool:
    return _ACTING.search(segment.text) is not None or (
        segment.style is not None and segment.style.link is not None
    )


def _symbol(found: "re.Match[str]") -> str:
    # Does not use safe_text: a defect there must not disable both checks.
    code = ord(found[0])
    return chr(_C0_PICTURES + code) if code < 0x20 else _REFUSED


_MOST_SAID = 3
"""The maximum number of notifications on the screen."""
MOST_ROWS = 9
"""The maximum number of rows of all notifications together, unless one alone has more."""
_AROUND_WORDS = 3
"""The cells of a notification beside its words: the padding and the bar."""
GUARDING = "A fetched secret is kept, or a secret is shown. Forget or mask it to allow selecting, copying and screenshots again."


class GuardedError(RuntimeError):
    """Raised if an operation would let a secret leave the screen."""


@runtime_checkable
class Masking(Protocol):
    """A screen that may show secrets."""

    def mask(self) -> None:
        """Hide every secret."""
        ...


@runtime_checkable
class Unmasking(Protocol):
    """A screen that shows masked values on request."""

    @property
    def is_unmasked(self) -> bool:
        """True if masked values are shown now."""
        ...


class GuardedApp(App[None], inherit_bindings=False):
    """An app in which a server cannot act on the terminal, and a revealed secret cannot leave the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = ControlGuard()
        self._failed = False
        self.key_began_s = 0.0
        """The time, by `time.time`, at which the last key began to act."""
        self._place: tuple[object, ...] = ()

    @property
    def custodies(self) -> "Sequence[Custody]":
        """The vaults and redeemers of all sessions in use."""
        raise NotImplementedError

    @property
    def is_guarding(self) -> bool:
        """True if a secret is revealed, or a screen shows masked values."""
        if any(custody.is_guarding for custody in self.custodies):
            return True
        return any(isinstance(screen, Unmasking) and screen.is_unmasked for screen in self.screen_stack)

    @property
    def ALLOW_SELECT(self) -> bool:  # type: ignore[override]  # noqa: N802 # pyright: ignore[reportIncompatibleVariableOverride] - Textual asks the instance
        """True if text can be selected with the mouse. False while a secret is revealed."""
        return not self.is_guarding

    def on_mount(self) -> None:
        """Handle SIGTERM and SIGTSTP, so that secrets are masked before the program ends or is suspended."""
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGTSTP)
        # Signal handlers can only be added in the main thread, and only on Unix.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            # SIGHUP is not handled: the terminal is gone then, so nothing is shown, and an orderly end could
            # wait forever.
            loop.add_signal_handler(signal.SIGTERM, self._end, signal.SIGTERM)
            # Textual's handler suspends the program and leaves the screen as it is.
            if callable(before):
                loop.add_signal_handler(
                    signal.SIGTSTP, self._suspend, cast("Callable[[int, None], None]", before)
                )

    def _end(self, number: int) -> None:
        self.mask()
        self.leave(return_code=128 + number)

    def leave(self, return_code: int = 0) -> None:
        """End the session, then the program. `return_code`: the exit code of the program."""
        raise NotImplementedError

    def _suspend(self, before: Callable[[int, None], None]) -> None:
        self.mask()
        before(signal.SIGTSTP, None)

    def on_app_blur(self, _: events.AppBlur) -> None:
        """Mask secrets when the terminal loses focus, because somebody else may look at it."""
        self.mask()

    def mask(self) -> None:
        """Mask every secret on every screen."""
        for screen in self.screen_stack:
            if isinstance(screen, Masking):
                screen.mask()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, and after them the guard, through which every line of every widget passes."""
        return [*super().get_line_filters(), self.guard]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notification.

        The text may be untrusted: control and invisible characters are escaped here, and nothing is read as
        markup. `timeout`: None for the answer to a key, which ends when something else is shown.
        """
        del markup
        shown, heading = safe(message), safe_line(title)
        for before in tuple(self._notifications):
            if (before.message, before.title, before.severity) == (shown, heading, severity):
                # Show equal notifications only once. The newer one stays longer.
                self._unsay(before)
        super().notify(shown, title=heading, severity=severity, timeout=timeout, markup=False)
        # Textual adds the notification later, and several may come at once.
        self.call_later(self._make_room)

    @property
    def place(self) -> tuple[object, ...]:
        """A value that changes when something else is shown, so that notifications about earlier keys end."""
        return ()

    def end_old_answers(self) -> None:
        """If `place` has changed, remove the notifications that answer keys before the last one."""
        place = self.place
        if place != self._place:
            self._place = place
            self.end_answers(self.key_began_s)

    def end_answers(self, before_s: float) -> None:
        """Remove the notifications that answer keys and are older than `before_s`, a time by `time.time`.

        These are the notifications without a time limit of their own, except errors.
        """
        for each in tuple(self._notifications):
            is_answer = each.timeout == self.NOTIFICATION_TIMEOUT and each.severity != "error"
            if is_answer and each.raised_at < before_s:
                self._unsay(each)

    def _make_room(self) -> None:
        """Remove older notifications until the others fit on the screen. The newest one always stays."""
        said = list(self._notifications)
        others = sorted(said[:-1], key=lambda each: (each.severity != "information", each.raised_at))
        while others and (len(said) > _MOST_SAID or sum(map(self._rows, said)) > MOST_ROWS):
            oldest = others.pop(0)
            said.remove(oldest)
            self._unsay(oldest)

    def _rows(self, notification: Notification) -> int:
        """The number of rows of a notification, wrapped to the width of the screen."""
        width = max(self.size.width - _AROUND_WORDS, 1)
        lines = (*notification.title.splitlines(), *notification.message.splitlines())
        return sum(max(len(Content(line).wrap(width)), 1) for line in lines)

    def _unsay(self, notification: Notification) -> None:
        self._unnotify(notification, refresh=False)
        # Textual would leave the row of the notification on the screen, without the words.
        for screen in self.screen_stack:
            for holder in screen.query("ToastHolder"):
                if holder.id is not None and holder.id.endswith(notification.identity):
                    holder.remove()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text. While a secret is revealed, show a warning instead."""
        if self.is_guarding:
            self.notify(GUARDING, severity="warning")
        else:
            super().copy_to_clipboard(text)

    def copy_secret(self, value: str) -> None:
        """Copy a secret, even while a secret is revealed. Only for users whose configuration allows it."""
        super().copy_to_clipboard(value)
        # Textual would keep the secret for pasting into inputs.
        self._clipboard = ""

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """An SVG screenshot of the screen. Raises GuardedError while a secret is revealed."""
        if self.is_guarding:
            raise GuardedError(GUARDING)
        return super().export_screenshot(title=title, simplify=simplify)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Save an SVG screenshot. While a secret is revealed, show a warning instead."""
        try:
            super().action_screenshot(filename, path)
        except GuardedError as error:
            self.notify(str(error), severity="warning")

    def _fatal_error(self) -> None:
        """End the app after a defect, and print where it occurred.

        Textual would print the local variables of every frame, server text and secrets among them. It has no
        public way to turn that off.
        """
        if not self._failed:
            self._failed = True
            self.bell()
            self.panic(Text(safe(_stack_text(sys.exception()))))


def _stack_text(error: BaseException | None) -> str:
    """The stack and the type of an error, but not its message, which may quote a server or a secret."""
    frames = "".join(traceback.format_tb(error.__traceback__)) if error else ""
    return f"Sightline stopped because of a defect.\n{frames}{type(error).__name__}"
