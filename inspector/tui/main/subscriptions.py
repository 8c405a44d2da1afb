"""Keeps track of the subscribed resources of one server that have changed, and shows a line about them."""

from collections.abc import Callable, Mapping
from time import monotonic

from textual.content import Content
from textual.timer import Timer

from inspector.protocol.catalogue import Item, Kind, Tool
from inspector.session.call_record import CallRecord
from inspector.tui.catalogue.marks import Mark
from inspector.tui.connection.connection import SessionLink
from inspector.tui.keys.table import command
from inspector.tui.text import content, count, cut_in_the_middle
from inspector.tui.widgets.plain_text import PlainText

_QUIET = "$foreground 70%"
_LEAST_URI = 16
"""The minimum width of a URI in the line, in cells. A longer URI is cut in the middle."""
_MINUTE_S = 60


class ResourceSubscriptions:
    """Remembers when subscribed resources have changed, until they are read again."""

    def __init__(self, link: SessionLink, now_s: Callable[[], float] = monotonic) -> None:
        self._link = link
        self._now_s = now_s
        self._updated_s: dict[str, float] = {}
        """The times of the last changes of resources that were not read since, by URI."""

    @property
    def states(self) -> Mapping[str, bool]:
        """The URIs of the subscribed resources. The value is true if the server has confirmed the subscription."""
        return self._link.subscriptions

    @property
    def is_waiting(self) -> bool:
        """True if a changed resource was not read again yet, so that the age of the change is shown."""
        return bool(self._updated_s)

    def offer(self, uri: str | None) -> str:
        """The label of the key that subscribes to the open resource or unsubscribes; empty if it does nothing."""
        if uri is None or not self._link.can_subscribe:
            return ""
        return "unsubscribe" if uri in self.states else "subscribe"

    def updated(self, uri: str) -> bool:
        """Remember a change. Returns true if it is the first change since the resource was read."""
        is_first = uri not in self._updated_s
        if uri in self.states:
            self._updated_s[uri] = self._now_s()
        return is_first

    def read(self, uri: str) -> None:
        """Forget the changes of a resource, because it was read."""
        self._updated_s.pop(uri, None)

    def settle(self) -> None:
        """Forget the changes of resources whose subscriptions have ended."""
        self._updated_s = {uri: at_s for uri, at_s in self._updated_s.items() if uri in self.states}

    def mark(self, item: Item) -> Mark:
        """The mark of a resource in the catalogue."""
        if item.name not in self.states:
            return Mark()
        if item.name in self._updated_s:
            return Mark(
                words=Content.styled("updated", "bold $text-warning"),
                short=Content.styled("↻", "bold $text-warning"),
            )
        return Mark(
            words=Content.styled("subscribed", "$text-success"), short=Content.styled("●", "$text-success")
        )

    def line(self, shown: str | None, width: int) -> Content:
        """One line about the subscriptions, in `width` cells. `shown`: the URI of the open resource.

        If the session is subscribed to the open resource, the line is about this resource; otherwise about
        the last change. Empty if there is no subscription.
        """
        states = self.states
        if not states:
            return Content("")
        changed = max(self._updated_s, key=lambda uri: self._updated_s[uri], default=None)
        uri = shown if shown is not None and shown in states else changed or next(iter(states))
        words = self._words(uri, is_shown=uri == shown)
        more = len(states) - 1
        others = f"  +{count(more, 'other subscription')}" if more else ""
        room = max(width - words.cell_length - len(others) - 3, _LEAST_URI)
        named = content(cut_in_the_middle(uri, room), "bold")
        return Content.assemble(" ", named, "  ", words, (others, _QUIET)).truncate(width, ellipsis=True)

    def _words(self, uri: str, *, is_shown: bool) -> Content:
        keys: list[Content] = []
        if uri in self._updated_s:
            age = _age(self._now_s() - self._updated_s[uri])
            state = Content.styled(f"updated {age} ago", "bold $text-warning")
            keys += [_key("call.repeat", "reads again")] if is_shown else []
        elif self.states.get(uri):
            state = Content.styled("subscribed", "$text-success")
        else:
            state = Content.styled("subscription not confirmed yet", "$text-warning")
        keys += [_key("resource.subscribe", "unsubscribes")] if is_shown else []
        return Content("  ").join([state, *keys])


class SubscriptionLine(PlainText):
    """The line about subscriptions, below the header; hidden if there are none."""

    DEFAULT_CSS = """
    SubscriptionLine { display: none; height: 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__(id="subscriptions")
        self._of: tuple[ResourceSubscriptions, str | None] | None = None
        self._ticking: Timer | None = None

    def on_mount(self) -> None:
        self._ticking = self.set_interval(1, self._draw, pause=True)

    def on_resize(self) -> None:
        self._draw()

    def show(self, subscriptions: ResourceSubscriptions, shown: str | None) -> None:
        """Show the subscriptions of a server. `shown`: the URI of the open resource."""
        self._of = subscriptions, shown
        self.display = bool(subscriptions.states)
        self._draw()
        if self._ticking is not None:
            (self._ticking.resume if subscriptions.is_waiting else self._ticking.pause)()

    def _draw(self) -> None:
        if self._of is not None:
            subscriptions, shown = self._of
            self.update(subscriptions.line(shown, self.screen.size.width))


def _key(command_id: str, words: str) -> Content:
    return Content.assemble((command(command_id).key, "bold $text-accent"), (f" {words}", _QUIET))


def _age(age_s: float) -> str:
    """A duration in words, such as `12 s`, `3 min` or `2 h`."""
    if age_s < _MINUTE_S:
        return f"{age_s:.0f} s"
    minutes = int(age_s // _MINUTE_S)
    return f"{minutes} min" if minutes < _MINUTE_S else f"{minutes // _MINUTE_S} h"


def subscribable(tool: Tool | None, record: CallRecord | None) -> str | None:
    """The URI of the open resource, or of the resource last read from the open template; otherwise None."""
    if tool is None or tool.item is None or tool.kind is Kind.PROMPT:
        return None
    if tool.kind is not Kind.TEMPLATE:
        return tool.label
    return record.title if record is not None else None
