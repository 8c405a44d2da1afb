"""Compares every complete listing with the pin, and with the first listing of the session."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count

from msgspec import Struct
from msgspec.structs import replace
from textual.screen import Screen

from inspector.errors import InspectorError, UsageError
from inspector.json.exact import Json
from inspector.pins.files import Watch
from inspector.pins.pins import ConfirmReason, PinState, definitions_of
from inspector.pins.withheld import repeats_withheld
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.targets import Target
from inspector.session.call_record import CallRecord
from inspector.tui.catalogue.marks import Mark
from inspector.tui.connection.connection import SessionLink
from inspector.tui.pins.view import Mask, PinsView, masked_change, pins_view
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened

_NO_MARK = Mark()
_PATIENCE_S, _POLL_S = 1.0, 0.02
_UNKNOWN = count(1)
"""Numbers the questions about definitions not compared yet, so that no earlier `y` answers a new one."""


class _Listing(Struct, frozen=True, kw_only=True):
    """A complete listing to compare, and whether to pin it or to remove the pin."""

    catalogue: Catalogue
    instructions: str | None
    calls: tuple[CallRecord, ...] = ()
    pins: bool = False
    unpins: bool = False
    is_edited: bool = False
    """True for the first listing after the user has saved a file of the server."""


class PinWatcher:
    """Compares listings in a thread, and notifies the user of changes."""

    def __init__(
        self, screen: Screen[None], link: SessionLink, target: Target, changed: Callable[[], None], mask: Mask
    ) -> None:
        """`changed`: called after each comparison. `mask`: called in threads."""
        self._screen = screen
        self._link = link
        self._target = target
        self._changed = changed
        self._mask = mask
        self._watch: Watch | None = None
        self._comparisons = Latest(screen, self._look, self._take, self._could_not)
        self._reported = ""
        self._compared: Catalogue | None = None
        """The listing that `view` describes."""
        self._awaits_edited = False
        """True from a save of the user until the next complete listing."""
        self._edited: Catalogue | None = None
        """The first complete listing after the last save of the user."""
        self.view: PinsView | None = None
        """The result of the last comparison; None until the first."""

    @property
    def state(self) -> PinState | None:
        """The state of the pins; None until the first comparison."""
        return self.view.state if self.view else None

    @property
    def server(self) -> str:
        """The target of the server, as a text. Untrusted text."""
        return str(self._target)

    @property
    def definitions(self) -> int:
        """The number of listed definitions that a pin holds: tools, resources, templates, prompts and skills."""
        session = self._link.session
        if session is None or self._link.tools is None:
            return 0
        return len(definitions_of(session.catalogue, None).all)

    @property
    def malformed(self) -> int:
        """The number of listed items that cannot be read, which a pin does not hold."""
        session = self._link.session
        return len(session.catalogue.malformed) if session else 0

    @property
    def has_changes(self) -> bool:
        """True if a definition differs from the pin or the first listing, or the pin cannot be read."""
        return self.state is not None and (bool(self.state.altered) or bool(self.state.fault))

    @property
    def is_listed(self) -> bool:
        """True if there is a complete, compared listing that can be pinned."""
        return self._link.is_listed and self.state is not None

    @property
    def _is_current(self) -> bool:
        session = self._link.session
        is_same = session is not None and session.catalogue is self._compared
        return is_same and self._link.is_listed and not self._comparisons.is_busy

    async def settled(self) -> None:
        """Wait until the listing has been compared."""
        await self._comparisons.idle()

    def mask(self, value: Json) -> Json:
        """Mask every part of a value that repeats a secret of the session. Blocks."""
        return self._mask(value)

    def edited(self, *, is_saved: bool) -> None:
        """Take into account that the server was started again.

        `is_saved`: whether the reason is that the user has saved a file of the server. The changes in the next
        listing are then the user's own, and Sightline asks about them only if definitions are pinned.
        """
        self._awaits_edited = is_saved
        self._edited = None

    def listed(self) -> None:
        """Compare the listing if it is complete."""
        self._ask()

    def recorded(self, changes: PinState) -> bool:
        """Mark the definitions of a recording that have changed. Returns whether the marks differ from before."""
        before, self.view = self.view, pins_view(changes)
        return before is None or before.marks != self.view.marks

    def reread(self) -> None:
        """Compare again if another program has pinned or unpinned the server."""
        if self._watch is not None and not self._comparisons.is_busy and self._watch.is_outdated:
            self._ask()

    def pin(self) -> None:
        """Pin the listed definitions."""
        self._ask(pins=True)

    def unpin(self) -> None:
        self._ask(unpins=True)

    def _asks(self, name: str) -> tuple[ConfirmReason, ...]:
        if self.state is not None and self._is_current:
            return self.state.asks(name)
        words = "its definition is not yet compared with its pin"
        return (ConfirmReason(key=f"not known {next(_UNKNOWN)}", sentence=words),)

    async def asks(self, name: str) -> tuple[ConfirmReason, ...]:
        """The reasons to ask the user before the first call of a tool, without secrets.

        A comparison that does not end within `_PATIENCE_S` seconds is a reason too.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                # The listing itself may not be complete yet.
                while not self._is_current:  # noqa: ASYNC110 - no event says that both have ended
                    await asyncio.sleep(_POLL_S)
        asked = self._asks(name)
        has_texts = any(reason.changes for reason in asked)
        return await asyncio.to_thread(self._masked, asked) if has_texts else asked

    def _masked(self, reasons: Sequence[ConfirmReason]) -> tuple[ConfirmReason, ...]:
        return tuple(
            replace(reason, changes=tuple(masked_change(change, self.mask) for change in reason.changes))
            for reason in reasons
        )

    def mark(self, name: str) -> Mark:
        """The mark of a new or changed definition; an empty mark for other definitions."""
        return self.view.marks.get(name, _NO_MARK) if self.view else _NO_MARK

    def _ask(self, *, pins: bool = False, unpins: bool = False) -> None:
        session = self._link.session
        if session is None or not self._link.is_listed:
            return
        if self._awaits_edited:
            self._awaits_edited, self._edited = False, session.catalogue
        if (pins or unpins) and not self._is_current:
            # A newer request would replace this one. Also, definitions that were not shown must not be
            # pinned.
            self._say("The definitions are still being compared. Try again in a moment.")
            return
        self._comparisons.ask(
            _Listing(
                catalogue=session.catalogue,
                instructions=session.server.instructions if session.server else None,
                calls=tuple(session.calls) if pins else (),
                pins=pins,
                unpins=unpins,
                # A listing may be compared more than once, and a later request replaces an earlier one.
                is_edited=session.catalogue is self._edited,
            )
        )

    def _look(self, asked: _Listing) -> PinsView:
        # Runs in a thread. Raises UsageError if the pin cannot be written.
        if self._watch is None:
            self._watch = Watch(self._target)
        if asked.pins:
            listed = definitions_of(asked.catalogue, asked.instructions).all
            made = ((call.tool, call.arguments, call.outcome) for call in asked.calls)
            if name := repeats_withheld(listed, asked.instructions, made):
                raise UsageError(
                    f"Not pinned: {shortened(name, 80)} repeats a value that is withheld from models.",
                    "Pins are kept on disk and must not hold secrets.",
                )
            return pins_view(self._watch.pin(asked.catalogue, asked.instructions))
        if asked.unpins:
            return pins_view(self._watch.unpin(asked.catalogue, asked.instructions))
        found = self._watch.listed(asked.catalogue, asked.instructions, is_edited=asked.is_edited)
        return pins_view(found)

    def _take(self, asked: _Listing, view: PinsView) -> None:
        self.view, summary = view, view.summary
        self._compared = asked.catalogue
        if asked.pins or asked.unpins:
            self._say("Pinned." if asked.pins else "The pin is removed.")
        elif summary and summary != self._reported:
            self._say(summary, severe=True)
        self._reported = summary
        self._changed()

    def _could_not(self, asked: _Listing, error: BaseException) -> None:
        del asked
        words = f"Pins could not be compared ({type(error).__name__}): a defect of Sightline."
        if isinstance(error, InspectorError):
            words = f"{error.message} {error.hint}"
        self._say(words, severe=True)
        self._changed()

    def _say(self, words: str, *, severe: bool = False) -> None:
        self._screen.app.notify(  # pyright: ignore[reportUnknownMemberType]
            content(shortened(words, 600)).plain,
            severity="warning" if severe else "information",
            # A message about a change does not answer a key, so it stays although something else is shown.
            timeout=8 if severe else None,
            markup=False,
        )
