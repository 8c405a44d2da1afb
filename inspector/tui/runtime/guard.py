"""The last check of what is drawn, and the app that lets no secret leave the screen."""

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
    """Refuses C0, C1, bidirectional and invisible characters, and links: each is drawn as one symbol, `␛` or `�`.

    A line keeps the width that was computed for it: where symbols make it longer, its end is cut.
    """

    def __init__(self) -> None:
        super().__init__()
        self.caught = 0
        """How many came this far. For text of a server, anything but 0 is a defect in present/."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments without them. `background` is the interface's, and of no use here."""
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
    # Not through safe_text: a defect there must not open both doors.
    code = ord(found[0])
    return chr(_C0_PICTURES + code) if code < 0x20 else _REFUSED


_MOST_SAID = 3
"""Notifications at once."""
GUARDING = "A secret is fetched or shown: nothing can be selected, copied or pictured until it is forgotten or masked."


class GuardedError(RuntimeError):
    """Something was asked for that would let a secret out."""


@runtime_checkable
class Masking(Protocol):
    """A screen that may show a secret."""

    def mask(self) -> None:
        """Show none."""
        ...


@runtime_checkable
class Unmasking(Protocol):
    """A screen that shows masked values on request."""

    @property
    def is_unmasked(self) -> bool:
        """Whether it shows them now."""
        ...


class GuardedApp(App[None], inherit_bindings=False):
    """Whatever a server says, it cannot act on the terminal; whatever the user reveals, stays on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = ControlGuard()
        self._failed = False

    @property
    def custodies(self) -> "Sequence[Custody]":
        """The secrets of the sessions in use."""
        raise NotImplementedError

    @property
    def is_guarding(self) -> bool:
        """Whether a secret is revealed or shown."""
        if any(custody.is_guarding for custody in self.custodies):
            return True
        return any(isinstance(screen, Unmasking) and screen.is_unmasked for screen in self.screen_stack)

    @property
    def ALLOW_SELECT(self) -> bool:  # type: ignore[override]  # noqa: N802 # pyright: ignore[reportIncompatibleVariableOverride] - Textual asks the instance
        """Whether text can be selected with the mouse."""
        return not self.is_guarding

    def on_mount(self) -> None:
        """Mask before the program is suspended or ended, by whomever."""
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGTSTP)
        # Only the main thread of a Unix may.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            # Not SIGHUP: where the terminal is gone, nothing is shown, and leaving it in good order cannot end.
            loop.add_signal_handler(signal.SIGTERM, self._end, signal.SIGTERM)
            # Textual's own handler stops the program with everything in place.
            if callable(before):
                loop.add_signal_handler(
                    signal.SIGTSTP, self._suspend, cast("Callable[[int, None], None]", before)
                )

    def _end(self, number: int) -> None:
        self.mask()
        self.leave(return_code=128 + number)

    def leave(self, return_code: int = 0) -> None:
        """End the session, then the interface."""
        raise NotImplementedError

    def _suspend(self, before: Callable[[int, None], None]) -> None:
        self.mask()
        before(signal.SIGTSTP, None)

    def on_app_blur(self, _: events.AppBlur) -> None:
        """The terminal has lost the focus: another person may look at it now."""
        self.mask()

    def mask(self) -> None:
        """Show no secret on any screen."""
        for screen in self.screen_stack:
            if isinstance(screen, Masking):
                screen.mask()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, and after them the guard: every line of every widget passes it."""
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
        """A notification. Its text may be foreign: it is made safe here, and never read as markup."""
        del markup
        shown, heading = safe(message), safe_line(title)
        for before in tuple(self._notifications):
            if (before.message, before.title, before.severity) == (shown, heading, severity):
                # The same words once: the new ones last longer.
                self._unsay(before)
        others = list(self._notifications)
        if len(others) >= _MOST_SAID:
            # Each takes rows of the screen.
            self._unsay(min(others, key=lambda each: (each.severity != "information", each.raised_at)))
        super().notify(shown, title=heading, severity=severity, timeout=timeout, markup=False)

    def _unsay(self, notification: Notification) -> None:
        self._unnotify(notification, refresh=False)
        # Textual would leave its row on the screen, without the words.
        for screen in self.screen_stack:
            for holder in screen.query("ToastHolder"):
                if holder.id is not None and holder.id.endswith(notification.identity):
                    holder.remove()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy, unless a secret is revealed."""
        if self.is_guarding:
            self.notify(GUARDING, severity="warning")
        else:
            super().copy_to_clipboard(text)

    def copy_secret(self, value: str) -> None:
        """Copy a secret: for a user whose own configuration allows it."""
        super().copy_to_clipboard(value)
        # Textual would keep it, to be pasted into an input.
        self._clipboard = ""

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """A picture of the screen. Raises GuardedError while a secret is revealed."""
        if self.is_guarding:
            raise GuardedError(GUARDING)
        return super().export_screenshot(title=title, simplify=simplify)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Save a picture of the screen, unless a secret is revealed."""
        try:
            super().action_screenshot(filename, path)
        except GuardedError as error:
            self.notify(str(error), severity="warning")

    def _fatal_error(self) -> None:
        """End after a defect.

        Textual prints the locals of every frame at this point, server text and secrets among them, and has no
        public way to say otherwise.
        """
        if not self._failed:
            self._failed = True
            self.bell()
            self.panic(Text(safe(_where(sys.exception()))))


def _where(error: BaseException | None) -> str:
    """Where it failed. What the exception says stays unsaid: it may quote a server, or a secret."""
    frames = "".join(traceback.format_tb(error.__traceback__)) if error else ""
    return f"Sightline stopped because of a defect.\n{frames}{type(error).__name__}"
