"""The footer, which shows as many of the keys that work now as fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from time import time

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from inspector.tui.keys.command import Command
from inspector.tui.keys.table import command


class FocusedPart(Enum):
    """The part of the main screen that has the focus."""

    CATALOGUE = auto()
    FILTER = auto()
    SEARCH = auto()
    FORM = auto()
    ARGUMENTS = auto()
    """The line above the arguments. Letters run commands there."""
    INPUT = auto()
    """A text input. Letters are typed there."""
    TOOL = auto()
    FINDINGS = auto()
    DEFINITION = auto()
    RESULT = auto()
    TIMELINE = auto()
    FAILURE = auto()


class KeySituation(Struct, frozen=True, kw_only=True):
    """The state of the screen that decides which keys work."""

    part: FocusedPart
    is_running: bool = False
    is_filled: bool = False
    """True if the running call has filled in a form of a page, which waits to be submitted."""
    is_ready: bool = True
    is_wrong: bool = False
    """True if the arguments break their schema."""
    is_json: bool = False
    choice: Sequence[tuple[str, str]] = ()
    """The keys of the focused field, if it is a choice among values: ids of commands, each with its label."""
    is_opening: bool = False
    """True while the first connection is being made. Nothing is listed then."""
    goes_back: bool = False
    """True if Esc goes back to what was shown before, and not to the list of tools."""
    is_empty: bool = False
    """True if the catalogue lists nothing."""
    has_tool: bool = False
    """True if an item of the catalogue is open."""
    verb: str = "call"
    """The verb for using the open item: `call`, `get`, `read`."""
    is_accepted: bool = False
    """True if the user has accepted the finding under the cursor."""
    has_called: bool = False
    has_servers: bool = False
    """True if there are several servers."""
    is_used_at_once: bool = False
    """True if Enter in the catalogue reads or gets the open item, which takes no arguments."""
    can_repeat: bool = False
    """True if the open item was called."""
    has_history: bool = False
    """True if the history has any calls."""
    has_result: bool = False
    """True if the open item has a result."""
    has_answer: bool = True
    """False if the result pane shows a call that got no answer."""
    has_differences: bool = False
    has_reasons: bool = False
    """True if the sides of the result pane differ in more than protocol metadata and Sightline's notice."""
    has_earlier: bool = False
    """True if the history has an earlier call of the tool whose result is open."""
    has_masks: bool = False
    """True if the result has masked values."""
    is_result_shown: bool = False
    """True if the result is on the screen."""
    is_recording: bool = False
    """True if a recording is shown, in place of a server."""
    is_unmasked: bool = False
    """True if the result pane shows values in place of their masks."""
    explains: str = ""
    """The label of Enter on the value under the cursor, such as `why`; empty if the value has no details."""
    timeline_enter: str = ""
    """The label of Enter on the timeline's line under the cursor, such as `frames`; empty if Enter does nothing."""
    timeline_folds: bool = False
    """True if the timeline's row under the cursor can be folded or unfolded."""
    is_searched: bool = False
    """True if the focused values are being searched for words."""
    has_matches: bool = False
    """True if the search has matches."""
    is_comparing: bool = False
    """True if two model views are compared in place of the raw result and its model view."""
    is_changed: bool = False
    """True if definitions differ from those that were pinned or first listed."""
    subscribes: str = ""
    """The label of the key that subscribes to the open resource; empty if the key does nothing."""
    is_saved: bool = False
    """True if the last save of a watched file changed a definition, a result, or what reaches models."""
    secrets: int = 0
    """The number of items in the vault."""


@dataclass(frozen=True, slots=True)
class KeyOffer:
    """A key that works now, with its label for the focused part."""

    command: Command
    label: str


class FooterKey(Struct, frozen=True, kw_only=True):
    """One key of the footer, and the range of cells that it takes."""

    offer: KeyOffer
    start: int
    end: int


def keys_now(now: KeySituation) -> tuple[KeyOffer, ...]:
    """The keys that apply, the most important first. The last key opens the list of all keys."""
    found: dict[str, KeyOffer] = {}
    for command_id, label in _offers(now):
        if command_id in _COMPARISONS and not now.has_answer:
            continue
        known = command(command_id)
        found.setdefault(command_id, KeyOffer(known, label or known.label))
    return tuple(found.values())


def _offers(now: KeySituation) -> Iterator[tuple[str, str]]:
    if now.is_running:
        if now.is_filled:
            yield "call.submit", ""
        yield "main.back", "cancel"
    elif now.is_unmasked:
        yield "main.back", "mask"
    if now.part is FocusedPart.RESULT and not (now.is_ready or now.is_opening or now.is_recording):
        # If the call ended the server, the user has to reconnect before calling again.
        yield "session.reconnect", ""
    yield from _offers_of_part(now)
    if now.part in {FocusedPart.INPUT, FocusedPart.FILTER, FocusedPart.SEARCH}:
        yield "app.palette", ""
        return
    if not now.is_ready or (now.is_empty and not now.is_opening and not now.is_recording):
        yield "session.reconnect", ""
    if now.part is FocusedPart.FAILURE or now.is_opening:
        yield "main.timeline", ""
        if now.is_opening:
            yield "app.palette", ""
        for command_id in ("app.quit", "app.help"):
            yield command_id, ""
        return
    if now.is_recording:
        yield "play.toggle", ""
    yield from _offers_anywhere(now)


def _offers_of_part(now: KeySituation) -> Iterator[tuple[str, str]]:
    match now.part:
        case FocusedPart.CATALOGUE:
            yield from _offers_of_catalogue(now)
        case FocusedPart.ARGUMENTS:
            yield "arguments.edit", "look at the arguments" if now.is_recording else ""
            yield "main.back", "leave"
        case FocusedPart.FORM | FocusedPart.INPUT:
            yield from _offers_of_form(now)
        case FocusedPart.FILTER | FocusedPart.SEARCH:
            yield from _OF_INPUTS[now.part]
        case FocusedPart.DEFINITION:
            yield from _offers_of_definition(now)
        case FocusedPart.FINDINGS:
            yield "lines.choose", "show the place"
            yield "findings.accept", "withdraw" if now.is_accepted else ""
            yield _back(now)
        case FocusedPart.TOOL:
            yield _back(now)
        case FocusedPart.RESULT:
            yield from _offers_of_result(now)
        case FocusedPart.TIMELINE:
            yield from _offers_of_timeline(now)
        case _:
            pass


def _offers_of_timeline(now: KeySituation) -> Iterator[tuple[str, str]]:
    if now.is_recording:
        yield "lines.choose", "frames"
    else:
        if now.timeline_enter:
            yield "lines.choose", now.timeline_enter
        if now.timeline_folds:
            yield "timeline.fold", ""
        yield "main.filter", ""
    yield _back(now)


def _offers_of_catalogue(now: KeySituation) -> Iterator[tuple[str, str]]:
    if now.has_result:
        yield "lines.choose", "result"
        yield "tab.call", "arguments" if now.is_recording else "edit"
    elif not now.is_empty:
        yield "lines.choose", now.verb if now.is_used_at_once else "open"
    yield from _offers_of_masks(now)
    if not now.is_empty:
        yield "main.filter", ""
    if now.has_servers:
        yield "servers.next", ""


def _offers_of_masks(now: KeySituation) -> Iterator[tuple[str, str]]:
    if now.is_result_shown and now.has_masks and not now.is_unmasked:
        yield "result.unmask", ""


def _offers_anywhere(now: KeySituation) -> Iterator[tuple[str, str]]:
    yield from _offers_of_masks(now)
    if now.is_saved:
        yield "watch.open", ""
    if now.is_changed:
        yield "pins.open", "what changed"
    if now.can_repeat and now.is_ready and not now.is_running:
        yield "call.repeat", f"{now.verb} again"
    if now.subscribes:
        yield "resource.subscribe", now.subscribes
    if now.is_result_shown:
        yield "result.sides", ""
    if now.has_history:
        yield "history.open", ""
    if now.secrets:
        yield "secrets.open", ""
    if now.has_result or now.part is FocusedPart.DEFINITION:
        for command_id in _OF_RESULT[: None if now.has_result else 2]:
            yield command_id, ""
    for command_id in ("findings.open", "main.timeline", "main.zoom"):
        yield command_id, ""
    if now.has_called:
        yield "trust.open", ""
    if (now.has_tool or now.has_called) and now.part is not FocusedPart.RESULT and not now.is_recording:
        yield "call.copy", ""
    for command_id in ("app.palette", "app.quit", "app.help"):
        yield command_id, ""


def _offers_of_form(now: KeySituation) -> Iterator[tuple[str, str]]:
    if not now.is_recording:
        yield ("form.run" if now.is_json else "form.call"), now.verb
    if now.is_wrong and not now.is_recording:
        yield "form.send-anyway", ""
    if now.is_json and now.part is FocusedPart.INPUT and not now.is_recording:
        yield "editor.all", ""
    yield from now.choice
    if now.part is FocusedPart.INPUT and not now.is_json:
        yield "app.next", "field"
    yield "form.json", "form" if now.is_json else "JSON"
    yield "main.back", "leave"


def _offers_of_search(now: KeySituation, place: str) -> Iterator[tuple[str, str]]:
    """Yield the ids of the commands that work in a search, each with its label.

    `place`: the first part of the ids of the commands for the matches.
    """
    if now.has_matches:
        yield f"{place}.next", "next match"
        yield f"{place}.previous", "previous match"
    yield "main.back", "close the search"


def _offers_of_definition(now: KeySituation) -> Iterator[tuple[str, str]]:
    if now.is_searched:
        yield from _offers_of_search(now, "definition")
    else:
        yield "definition.next", ""
    yield "lines.choose", now.explains or "why"
    yield _back(now)
    yield "result.sides", ""
    yield "values.search", ""
    yield _fold(now), ""


def _offers_of_result(now: KeySituation) -> Iterator[tuple[str, str]]:
    if not now.has_result:
        if now.has_tool and not now.is_running:
            yield "lines.choose", "form"
        yield _back(now)
        return
    if now.is_comparing:
        yield "main.back", "result"
        if now.has_differences:
            yield "result.next", ""
        yield "boundary.next", "boundaries"
        yield "host.choose", "other host"
        return
    if now.is_searched:
        yield from _offers_of_search(now, "result")
    if now.has_reasons and not now.is_searched:
        yield "result.next", "next"
    if now.explains:
        yield "lines.choose", now.explains
    if now.subscribes:
        yield "resource.subscribe", now.subscribes
    yield from _offers_of_masks(now)
    if now.secrets:
        yield "secrets.open", ""
    yield _back(now)
    if now.has_differences:
        yield "boundary.next", ""
    yield "result.sides", ""
    if now.has_differences:
        yield "host.choose", ""
        yield "host.compare", ""
    if now.has_earlier:
        yield "calls.compare", ""
    yield "result.copy", "copy"
    yield "result.json", "JSON"
    yield "values.search", ""
    yield _fold(now), ""
    if now.has_differences:
        yield "result.compare", ""


def _back(now: KeySituation) -> tuple[str, str]:
    return "main.back", "back" if now.goes_back else "tools"


def _fold(now: KeySituation) -> str:
    """The id of the command that folds values. In a recording, it has another key, because Space plays."""
    return "values.fold-recorded" if now.is_recording else "values.fold"


_OF_INPUTS = {
    FocusedPart.FILTER: (("form.call", "keep"), ("main.back", "clear")),
    FocusedPart.SEARCH: (
        ("search.keep", ""),
        ("search.next", ""),
        ("search.previous", ""),
        ("search.close", ""),
    ),
}
_COMPARISONS = ("host.compare", "result.compare")
_OF_RESULT = ("boundary.next", "host.choose", *_COMPARISONS)


def fitting(offers: Sequence[KeyOffer], width: int) -> tuple[FooterKey, ...]:
    """The keys that fit into `width` cells, the most important first.

    The last of `offers` is always included. Esc is included in preference to all other keys.
    """
    keys: list[FooterKey] = []
    position = 1
    reserved = {
        number: _length(offer) + 2
        for number, offer in enumerate(offers, 1)
        if number == len(offers) or _shown(offer) == "Esc"
    }
    for number, offer in enumerate(offers, 1):
        length = _length(offer)
        reserved.pop(number, None)
        if number < len(offers) and position + length + 2 + sum(reserved.values()) > width:
            continue
        keys.append(FooterKey(offer=offer, start=position, end=position + length))
        position += length + 2
    return tuple(keys)


def key_line(keys: Sequence[FooterKey]) -> Content:
    """The keys and their labels in one line."""
    parts: list[Content | str] = [" "]
    for key in keys:
        parts += [
            Content.styled(_shown(key.offer), "bold $text-accent"),
            Content.styled(f" {key.offer.label}  ", "$foreground 80%"),
        ]
    return Content.assemble(*parts)


def _shown(offer: KeyOffer) -> str:
    return offer.command.key.split(" ")[0]


def _length(offer: KeyOffer) -> int:
    return len(_shown(offer)) + 1 + len(offer.label)


NOTED_S = 6.0
"""The number of seconds for which a note is shown."""


class KeyLine(Widget):
    """Shows the keys that apply now. A click on a key does what the key does."""

    DEFAULT_CSS = """
    KeyLine { height: 1; background: $panel; }
    """

    offers: reactive[Sequence[KeyOffer]] = reactive(())
    note: reactive[Content] = reactive(Content(""))
    """A note that is shown before the keys for a while."""
    _noting: Timer | None = None
    _noted_s = 0.0

    @dataclass
    class Pressed(Message):
        """Posted when a key of the footer is clicked."""

        command: Command

    def say(self, note: Content) -> None:
        """Show a note about what a key has changed, before the keys and for a few seconds."""
        if self._noting is not None:
            self._noting.stop()
        self.note = Content.assemble(" ", note, " ")
        self._noted_s = time()
        self._noting = self.set_timer(NOTED_S, self._forget)

    def end_note(self, before_s: float) -> None:
        """Remove the note if it appeared before `before_s`, a time by `time.time`."""
        if self._noted_s < before_s:
            self._forget()

    def _forget(self) -> None:
        self.note = Content("")

    def render(self) -> Content:
        """As many keys as fit into the width."""
        return Content.assemble(self.note, key_line(self._keys()))

    def _keys(self) -> tuple[FooterKey, ...]:
        return fitting(self.offers, self.size.width - self.note.cell_length)

    def on_click(self, event: events.Click) -> None:
        """Post `Pressed` for the key under the mouse."""
        x = event.x - self.note.cell_length
        for key in self._keys():
            if key.start <= x < key.end:
                self.post_message(self.Pressed(key.offer.command))
