"""The comparison of two model views of one call, shown in place of the raw result and its model view."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from textual.screen import Screen

from inspector.boundary.bounded import Level
from inspector.session.call_record import CallRecord
from inspector.tui.result.contrast import Contrast, Lens, contrast
from inspector.tui.result.pane import ResultPane
from inspector.tui.result.sides import KnownBeside
from inspector.tui.result.view import SERVER_NAME
from inspector.tui.runtime.latest import Latest

if TYPE_CHECKING:
    from collections.abc import Sequence

_BOUNDARIES: "Sequence[tuple[Level, Level]]" = (
    (Level.DECLARED, Level.CLOSED),
    (Level.OPEN, Level.DECLARED),
    (Level.OPEN, Level.CLOSED),
)


class ContrastAsked(Struct, frozen=True, kw_only=True):
    """A request to compare two model views of one call."""

    record: CallRecord
    left: Lens
    right: Lens
    known: KnownBeside


class Comparing:
    """Controls which two model views of a call are compared. Off until `start`."""

    def __init__(
        self,
        screen: Screen[None],
        result: ResultPane,
        changed: Callable[[], None],
        known: KnownBeside,
    ) -> None:
        self._screen = screen
        self._known = known
        self._result = result
        self._changed = changed
        self._made = Latest(screen, contrast_view, self._take, self._could_not, result.free_view)
        self._asked: ContrastAsked | None = None
        self._base = Lens(level=Level.DECLARED, host="spec")

    @property
    def is_on(self) -> bool:
        """True if two model views are being compared."""
        return self._asked is not None

    @property
    def right(self) -> Lens | None:
        """The boundary level and host of the view on the right; None if no views are compared."""
        return self._asked.right if self._asked is not None else None

    def start(self, record: CallRecord, base: Lens) -> None:
        """Compare the model views at the boundary levels `declared` and `closed`.

        `base`: the current boundary level and host.
        """
        self._base = base
        self._ask(record, *self._between(*_BOUNDARIES[0]))

    def stop(self) -> None:
        """Return to the raw result and its model view."""
        if self._asked is not None:
            self._asked = None
            self._result.stop_contrast()
            self._changed()

    def follow(self, record: CallRecord | None) -> None:
        """Compare the same two model views for another call; None stops the comparison."""
        if record is None:
            self.stop()
        elif self._asked is not None and self._asked.record is not record:
            self._ask(record, self._asked.left, self._asked.right)

    def step_level(self, step: int) -> None:
        """Compare two boundary levels for the current host.

        If two levels are compared already, compare the next two.
        """
        asked = self._asked
        if asked is not None:
            known = (asked.left.level, asked.right.level)
            place = _BOUNDARIES.index(known) + step if known in _BOUNDARIES else 0
            self._ask(asked.record, *self._between(*_BOUNDARIES[place % len(_BOUNDARIES)]))

    def against(self, host: str) -> None:
        """Compare the current host with `host`, both at the current boundary level."""
        if self._asked is not None:
            self._ask(self._asked.record, self._base, Lens(level=self._base.level, host=host))

    def _between(self, left: Level, right: Level) -> tuple[Lens, Lens]:
        return Lens(level=left, host=self._base.host), Lens(level=right, host=self._base.host)

    def _ask(self, record: CallRecord, left: Lens, right: Lens) -> None:
        self._asked = ContrastAsked(record=record, left=left, right=right, known=self._known)
        self._made.ask(self._asked)
        self._result.wait_for_contrast(left, right)
        self._changed()

    def _take(self, asked: ContrastAsked, view: Contrast) -> None:
        if asked is self._asked:
            self._result.show_contrast(view)
            self._changed()
        else:
            self._result.free_view(view)

    def _could_not(self, asked: ContrastAsked, error: BaseException) -> None:
        if asked is self._asked:
            self.stop()
        words = f"The two model views could not be compared ({type(error).__name__}): a defect of Sightline."
        self._screen.notify(words, severity="error", markup=False)


def contrast_view(asked: ContrastAsked) -> Contrast:
    """Compare the two model views that a request names. Raises LookupError if a host is unknown."""
    known = asked.known(asked.record)
    return contrast(asked.record, asked.left, asked.right, server=SERVER_NAME, known=known)
