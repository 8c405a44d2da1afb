"""Two calls side by side: their arguments, their outcomes, and their results if both are still in memory."""

from bisect import bisect_left, bisect_right
from datetime import datetime
from typing import ClassVar

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.boundary.mask import MASK
from inspector.boundary.reading import raw_of
from inspector.hosts.masks import masked_leaves, masks_of, sent_word
from inspector.json.exact import Json, JsonObject
from inspector.tui.history.keeper import HistoryCall
from inspector.tui.history.rows import outcome, time_words
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.contrast import leaf_count
from inspector.tui.result.sides import KnownBeside
from inspector.tui.text import content, count, row_text, shortened
from inspector.tui.values.outline import Outline, SideDifference
from inspector.tui.values.pane import OutlineLines, Shown
from inspector.tui.values.searched import SearchedValues
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Keys, SecondaryScreen

_LEAST_BESIDE = 80
_SEARCH_KEYS: Keys = (
    ("pair.next", "next match"),
    ("pair.previous", "previous match"),
    ("pair.back", "close the search"),
    ("app.help", ""),
)


class PairAsked(Struct, frozen=True, kw_only=True):
    """A request to compare two calls. The older call is on the left."""

    left: HistoryCall
    right: HistoryCall
    known: KnownBeside


class Pair(Struct, frozen=True, kw_only=True):
    """Two calls side by side, ready to be drawn."""

    outline: Outline
    differing: int
    """The number of values that differ."""
    has_results: bool
    """True if the results are compared too."""
    masked: int
    """The number of masked values. Of a masked value, at most the length is compared."""


def pair(asked: PairAsked) -> Pair:
    """Compare two calls. Takes linear time in the size of their results."""
    has_results = asked.left.record is not None and asked.right.record is not None
    values = [_value(call, asked, with_result=has_results) for call in (asked.left, asked.right)]
    outline = Outline(*values)
    return Pair(
        outline=outline,
        differing=leaf_count(outline).total,
        has_results=has_results,
        masked=max(
            masked_leaves(value, _unmasked(call))
            for value, call in zip(values, (asked.left, asked.right), strict=True)
        ),
    )


def _unmasked(call: HistoryCall) -> Json:
    """The stored arguments of a call, and its raw result or None: the values before masking."""
    return [call.past.kept, raw_of(call.record.outcome) if call.record is not None else None]


def _value(call: HistoryCall, asked: PairAsked, *, with_result: bool) -> JsonObject:
    past = call.past
    left_out: JsonObject = {each.name or "an argument": f"{MASK} ({each.why})" for each in past.left_out}
    value: JsonObject = {
        "arguments": {**past.kept, **left_out},
        "outcome": outcome(past, is_wide=True)[0],
    }
    record = call.record
    if with_result and record is not None and record.is_answered:
        sent = masks_of(record.judgement, record.policy).sent()
        value["result"] = sent if record.has_ids else asked.known(record).masked(sent, sent_word)[0]
    return value


class _PairRemarks:
    """Chooses the sign in front of values that differ. No value is shown as withheld."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline

    def sign(self, node: int) -> SideDifference:
        difference = self._outline.difference(node)
        return SideDifference.CHANGED if difference is SideDifference.LEFT else difference

    def absences(self, node: int) -> tuple[Content, ...]:
        del node
        return (Content.styled("┄ not there ┄", "$text-accent"),)


class PairScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows the older call on the left and the newer call on the right."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.PAIR)
    NAME = "Two calls"
    KEYS: ClassVar[Keys] = (
        ("pair.next", ""),
        ("pair.back", ""),
        ("pair.sides", ""),
        ("values.search", ""),
        ("pair.previous", ""),
        ("app.quit", ""),
        ("app.help", ""),
    )
    FAILED = "The calls could not be compared"

    def __init__(self, asked: PairAsked) -> None:
        super().__init__()
        self._asked = asked
        self._pair: Pair | None = None
        self._shown: Shown | None = None
        """The sides that the user chose; None to show as many as there is room for."""
        self._verdict = PlainText(id="pair-verdict")
        self._sides = PlainText(id="pair-sides")
        self._values = SearchedValues("pair-values")
        self._pairs = self.latest(pair, self._take)

    def body(self) -> ComposeResult:
        yield self._verdict
        yield self._sides
        yield self._values

    def on_mount(self) -> None:
        tools = dict.fromkeys(call.past.tool for call in (self._asked.left, self._asked.right))
        self.entitle(content(row_text(shortened(" and ".join(tools), 200))))
        self._pairs.ask(self._asked)

    def on_resize(self) -> None:
        self._choose_sides()

    @on(events.DescendantFocus)
    @on(OutlineLines.Searched)
    def offer_keys(self) -> None:
        if self._values.is_searched:
            self.offer(_SEARCH_KEYS)
        else:
            differs = self._pair is None or self._pair.differing
            self.offer([key for key in self.KEYS if differs or key[0] not in {"pair.next", "pair.previous"}])

    def action_back(self) -> None:
        if self._values.is_searched:
            self._values.stop_searching()
        else:
            self.dismiss()

    def action_difference(self, step: int) -> None:
        lines, found = self._values.lines, self._pair
        if self._values.is_searched:
            lines.next_match(step)
            return
        places = sorted(found.outline.tops) if found is not None else []
        if not places:
            self.notify("Both sides are equal: the calls do not differ. Esc goes back.", markup=False)
            return
        node = -1 if lines.node is None else lines.node
        place = bisect_right(places, node) if step > 0 else bisect_left(places, node) - 1
        lines.go_to(places[place % len(places)])

    def action_sides(self) -> None:
        order = (Shown.LEFT, Shown.RIGHT, Shown.BOTH)
        self._shown = order[(order.index(self._values.lines.shown) + 1) % len(order)]
        self._choose_sides()

    def _choose_sides(self) -> None:
        usual = Shown.BOTH if self.size.width >= _LEAST_BESIDE else Shown.RIGHT
        self._values.lines.show_sides(self._shown or usual)
        self._label()

    def _take(self, found: Pair) -> None:
        self._pair = found
        tops = found.outline.tops
        spot = found.outline.spot(tops[0]) if tops else None
        self._values.lines.show_outline(found.outline, _PairRemarks(found.outline), spot=spot)
        self._values.lines.focus()
        self.offer_keys()
        self._label()

    def _label(self) -> None:
        found = self._pair
        if found is None:
            return
        self._verdict.update(_verdict(found))
        today = datetime.now().astimezone().date()
        titles = [
            Content.assemble(
                (f"#{call.record.number} " if call.record else "", QUIET),
                (time_words(call.past.at, today), "bold"),
                content(f"  {shortened(call.past.tool, 60)}"),
            )
            for call in (self._asked.left, self._asked.right)
        ]
        self._sides.update(self._values.lines.titles(*titles))


def _verdict(found: Pair) -> Content:
    differing = count(found.differing, "value differs", "values differ")
    parts = [
        Content.styled(differing, "bold $text-warning")
        if found.differing
        else Content.styled("no difference", "bold $text-success"),
        Content("arguments, outcomes and results")
        if found.has_results
        else Content("arguments and outcomes; results are kept in memory only, as long as Sightline runs"),
    ]
    if found.masked:
        parts.append(
            Content.styled(
                f"{count(found.masked, 'value is', 'values are')} masked: only the lengths are compared",
                "$text-warning",
            )
        )
    return Content("  ").join(parts)
