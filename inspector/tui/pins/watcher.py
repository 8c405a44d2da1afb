"""Pinning: whether the definitions that are listed are those that were pinned, and those that were listed first."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen

from inspector.errors import InspectorError, UsageError
from inspector.pins.files import Watch
from inspector.pins.pins import Asking
from inspector.pins.withheld import repeats_withheld
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.targets import Target
from inspector.session.call_record import CallRecord
from inspector.tui.connection.connection import SessionLink
from inspector.tui.pins.view import pins_view
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened

if TYPE_CHECKING:
    from inspector.pins.pins import PinState
    from inspector.tui.pins.view import PinsView

_NO_MARK = Content("")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """A complete listing, and what to do with it."""

    catalogue: Catalogue
    instructions: str | None
    calls: tuple[CallRecord, ...] = ()
    pins: bool = False
    """Whether it is to be taken for good."""
    unpins: bool = False


class PinWatcher:
    """Compares every complete listing in a thread, and tells what changed."""

    def __init__(
        self, screen: Screen[None], link: SessionLink, target: Target, changed: Callable[[], None]
    ) -> None:
        """`changed`: told whenever the state is another."""
        self._screen = screen
        self._link = link
        self._target = target
        self._changed = changed
        self._watch: Watch | None = None
        self._looks = Latest(screen, self._look, self._take, self._could_not)
        self._unknown = count(1)
        self._told = ""
        self._compared_last: Catalogue | None = None
        """The listing that `view` is of."""
        self.view: PinsView | None = None
        """None until a first listing is compared."""

    @property
    def state(self) -> "PinState | None":
        """How the definitions stand; None until a first listing is compared."""
        return self.view.state if self.view else None

    @property
    def tools(self) -> int:
        """How many are listed."""
        return self._link.tools or 0

    @property
    def has_changes(self) -> bool:
        """Whether anything is another than it was pinned, or first listed."""
        return self.state is not None and (bool(self.state.altered) or bool(self.state.fault))

    @property
    def is_listed(self) -> bool:
        """Whether there is a complete listing that could be pinned."""
        return self._link.is_listed and self.state is not None

    @property
    def _is_current(self) -> bool:
        """Whether `view` is of what is listed now."""
        session = self._link.session
        is_same = session is not None and session.catalogue is self._compared_last
        return is_same and self._link.is_listed and not self._looks.is_busy

    def listed(self) -> None:
        """The catalogue has grown; once it is complete, it is compared."""
        self._ask()

    def pin(self) -> None:
        """Take what is listed now for good."""
        self._ask(pins=True)

    def unpin(self) -> None:
        """Let go of the pin."""
        self._ask(unpins=True)

    def asks(self, name: str) -> "tuple[Asking, ...]":
        """Why to ask before the first call of a tool. While that is not known, it is asked about."""
        if self.state is not None and self._is_current:
            return self.state.asks(name)

        words = "it is not known yet whether its definition changed since it was pinned"
        return (Asking(key=f"not known {next(self._unknown)}", sentence=words),)

    def mark(self, name: str) -> Content:
        """The mark of a changed definition; empty where it is as it was."""
        return self.view.marks.get(name, _NO_MARK) if self.view else _NO_MARK

    def _ask(self, *, pins: bool = False, unpins: bool = False) -> None:
        session = self._link.session
        if session is None or not self._link.is_listed:
            return
        if (pins or unpins) and not self._is_current:
            # What waits is dropped for what comes next, and what was not shown is not taken for good.
            self._say("The definitions are being compared: a moment, and again.")
            return
        self._looks.ask(
            _Listing(
                catalogue=session.catalogue,
                instructions=session.server.instructions if session.server else None,
                calls=tuple(session.calls) if pins else (),
                pins=pins,
                unpins=unpins,
            )
        )

    def _look(self, asked: _Listing) -> "PinsView":
        """In a thread. Raises UsageError where the pin cannot be written."""
        return pins_view(self._compared(asked))

    def _compared(self, asked: _Listing) -> "PinState":

        if self._watch is None:
            self._watch = Watch(self._target)
        if asked.pins:
            made = ((call.tool, call.arguments, call.outcome) for call in asked.calls)
            if name := repeats_withheld(asked.catalogue.tools, asked.instructions, made):
                raise UsageError(
                    f"Not pinned: {shortened(name, 80)} repeats a value that is withheld from models.",
                    "Pins are kept on disk, and hold no secret.",
                )
            return self._watch.pin(asked.catalogue, asked.instructions)
        if asked.unpins:
            return self._watch.unpin(asked.catalogue, asked.instructions)
        return self._watch.listed(asked.catalogue, asked.instructions)

    def _take(self, asked: _Listing, view: "PinsView") -> None:
        self.view, news = view, view.news
        self._compared_last = asked.catalogue
        if asked.pins or asked.unpins:
            self._say("Pinned." if asked.pins else "No longer pinned.")
        elif news and news != self._told:
            self._say(news, severe=True)
        self._told = news
        self._changed()

    def _could_not(self, asked: _Listing, error: BaseException) -> None:
        del asked
        if isinstance(error, InspectorError):
            self._say(f"{error.message} {error.hint}", severe=True)
        else:
            self._say(
                f"Pins could not be compared ({type(error).__name__}): a defect of Sightline.", severe=True
            )
        self._changed()

    def _say(self, words: str, *, severe: bool = False) -> None:
        self._screen.app.notify(  # pyright: ignore[reportUnknownMemberType]
            content(shortened(words, 600)).plain,
            severity="warning" if severe else "information",
            markup=False,
        )
