"""The History screen: tool calls of this run and of earlier ones, to repeat, edit, compare or save."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import ClassVar, Literal

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from inspector.tui.history.comparing import PairAsked, PairScreen
from inspector.tui.history.keeper import HistoryCall, HistoryKeeper
from inspector.tui.history.rows import CallsAsked, ShownCalls, heading, listing, row_of, title_words
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.sides import KnownBeside
from inspector.tui.text import content, count, cut_in_the_middle, shortened
from inspector.tui.values.outline import Outline
from inspector.tui.values.searched import SearchedValues
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, DrawnLines, Keys, SecondaryScreen

_NONE = "No calls yet. Each call of a tool is listed here when it has ended, with those of earlier runs."
_FILTER_KEYS: Keys = (("form.call", "keep"), ("history.back", "clear"), ("app.palette", ""))
_VALUE_KEYS: Keys = (
    ("values.search", ""),
    ("values.fold", ""),
    ("app.next", "calls"),
    ("history.back", ""),
    ("app.help", ""),
)


class RequestedAction(Struct, frozen=True, kw_only=True):
    """What the main screen shall do with a past call: show its result, make it again, or edit its arguments."""

    call: HistoryCall
    do: Literal["look", "call", "edit"]


class HistoryScreen(SecondaryScreen[RequestedAction | str], inherit_bindings=False):
    """Lists the calls, the newest first. Enter shows the result of a call, or compares it with the marked call.

    Dismissed with an action on a call, or with the id of a tab of the main screen to open.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.HISTORY)
    NAME = "History"
    AUTO_FOCUS = "#history-calls"  # not the hidden filter, whose keys would be shown for a moment
    FAILED = "The calls could not be listed"

    def __init__(
        self,
        keeper: HistoryKeeper,
        target: str,
        obstacle: Callable[[RequestedAction], str],
        save: Callable[[HistoryCall], None],
        known: KnownBeside,
    ) -> None:
        """`obstacle`: returns the reason why an action (call or edit) is not possible now, or an empty text.

        `save`: asks for a name and saves a call.
        """
        super().__init__()
        self._known = known
        self._keeper = keeper
        self._target = target
        self._obstacle = obstacle
        self._save = save
        self._listing = ShownCalls(calls=(), today=datetime.now(UTC).date(), times=0, names=0)
        self._marked: HistoryCall | None = None
        self._shown: HistoryCall | None = None
        """The call whose arguments are shown."""
        self._filter = Input(
            value=keeper.before.query,
            placeholder="filter: calls that have all of these words",
            id="history-filter",
            compact=True,
        )
        self._fault = PlainText(id="history-fault")
        self._question = PlainText(classes="secondary-question")
        self._lines = DrawnLines("history-calls", self._draw)
        self._heading = PlainText(id="history-heading")
        self._arguments = SearchedValues("history-arguments")
        self._views = self.latest(listing, self._take)

    def body(self) -> ComposeResult:
        yield self._filter
        yield self._fault
        yield self._question
        yield self._lines
        yield self._heading
        yield self._arguments

    def on_mount(self) -> None:
        self._keeper.listeners.append(self.show_current)
        self.set_class(bool(self._keeper.before.query), "-filtering")
        self._lines.focus()
        self.show_current()

    def on_unmount(self) -> None:
        self._keeper.listeners.remove(self.show_current)

    def show_current(self) -> None:
        """List the calls that match the filter. Called when the filter or the calls have changed."""
        self._fault.update(content(shortened(self._keeper.fault, 400), "$text-warning"))
        self._fault.display = bool(self._keeper.fault)
        self._views.ask(CallsAsked(calls=tuple(self._keeper.calls), query=self._filter.value))

    # Keys.

    def action_back(self) -> None:
        if self.has_class("-asking"):
            self._stop_asking()
        elif self._arguments.is_searched:
            self._arguments.stop_searching()
        elif self.has_class("-filtering"):
            self._filter.value = ""
            self.remove_class("-filtering")
            self._lines.focus()
        elif self._marked is not None:
            self._mark(None)
        else:
            self.dismiss()

    def action_tab(self, tab: str) -> None:
        self.dismiss(tab)

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self._filter.focus()

    def action_again(self) -> None:
        self._wish("call")

    def action_edit(self) -> None:
        self._wish("edit")

    def action_mark(self) -> None:
        """Mark the call under the cursor, or remove its mark. If another call is marked, compare the two."""
        call = self._call
        if self._marked is None or call is self._marked:
            self._mark(call if self._marked is None else None)
        else:
            self.action_compare()

    def action_compare(self) -> None:
        call, marked = self._call, self._marked
        if call is None:
            return
        if marked is None or marked is call:
            self.notify("Mark one call with Space, go to another, then compare.", markup=False)
            return
        older, newer = sorted((marked, call), key=lambda each: each.past.at)
        self.app.push_screen(PairScreen(PairAsked(left=older, right=newer, known=self._known)))  # pyright: ignore[reportUnknownMemberType]

    def action_save(self) -> None:
        if self._call is not None:
            self._save(self._call)

    def action_forget(self) -> None:
        calls = self._keeper.calls
        if not calls and not self._keeper.place:
            self.notify("There is nothing to forget.", markup=False)
            return
        place = f" and remove {self._keeper.place}" if self._keeper.place else ""
        words = f"Forget {count(len(calls), 'call')} of this target{place}?"
        self._question.update(content(words, "bold"))
        self.add_class("-asking")
        self._offer()

    def action_agree(self) -> None:
        if self.has_class("-asking"):
            self._stop_asking()
            self._mark(None)
            self._keeper.forget()

    def _stop_asking(self) -> None:
        self.remove_class("-asking")
        self._offer()

    def _mark(self, call: HistoryCall | None) -> None:
        self._marked = call
        self._lines.refresh()
        self._offer()

    @property
    def _enter(self) -> Literal["look", "edit"]:
        """What Enter does with the call under the cursor, if none is marked."""
        return "look" if self._call is not None and self._call.record is not None else "edit"

    def _wish(self, do: Literal["look", "call", "edit"]) -> None:
        call = self._call
        if call is None:
            return
        action = RequestedAction(call=call, do=do)
        obstacle = self._obstacle(action)
        if obstacle:
            self.notify(content(shortened(obstacle, 300)).plain, severity="warning", markup=False)
            return
        self._keeper.before.query, self._keeper.before.call = self._filter.value, call
        self.dismiss(action)

    @on(Lines.Chosen)
    def choose(self, event: Lines.Chosen) -> None:
        if event.lines is self._lines:
            event.stop()
            if self._marked is None:
                self._wish(self._enter)
            else:
                self.action_compare()

    @on(Input.Changed, "#history-filter")
    def narrow(self, event: Input.Changed) -> None:
        event.stop()
        self.show_current()

    @on(Input.Submitted, "#history-filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self._lines.focus()

    # Drawing.

    @property
    def _call(self) -> HistoryCall | None:
        """The call under the cursor; None if no call is listed."""
        calls = self._listing.calls
        return calls[self._lines.cursor] if self._lines.cursor < len(calls) else None

    def _take(self, made: ShownCalls) -> None:
        before = self._shown or self._keeper.before.call
        is_at_top = self._lines.cursor == 0 and self._shown is not None
        self._listing = made
        place = next((index for index, call in enumerate(made.calls) if call is before), 0)
        self._lines.show_rows(len(made.calls), 0 if is_at_top else place)
        self.entitle(
            Content.assemble(
                f"{title_words(self._keeper.calls, len(made.calls))}  ",
                content(cut_in_the_middle(self._target, 200), QUIET),
            )
        )
        if not self._keeper.calls:
            self.say(Content(_NONE))
        self._explain()
        self._offer()

    @on(Lines.Moved)
    def follow(self, event: Lines.Moved) -> None:
        if event.lines is self._lines:
            event.stop()
            self._explain()
            self._offer()

    def _explain(self) -> None:
        call = self._call
        if call is None:
            self._heading.update("")
            self._arguments.lines.show_outline(None)
        elif call is not self._shown:
            self._heading.update(heading(call, self._listing.today))
            self._arguments.lines.show_outline(Outline(call.past.kept))
        self._shown = call

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        if index >= len(self._listing.calls):
            return Content("")
        call = self._listing.calls[index]
        return row_of(call, self._listing, width, is_here=here, is_marked=call is self._marked)

    @on(events.DescendantFocus)
    def _offer(self) -> None:
        if self.has_class("-asking"):
            self.offer((("history.agree", ""), ("history.back", "no"), ("app.help", "")))
        elif self._filter.has_focus:
            self.offer(_FILTER_KEYS)
        elif self._arguments.lines.has_focus:
            self.offer(_VALUE_KEYS)
        else:
            self.offer(self._list_keys())

    def _is_possible(self, do: Literal["call", "edit"]) -> bool:
        return self._call is not None and not self._obstacle(RequestedAction(call=self._call, do=do))

    def _list_keys(self) -> Keys:
        leaving: Keys = (("history.back", ""), ("app.quit", ""), ("app.help", ""))
        if self._call is None:
            return leaving
        again = [("history.again", "")] if self._is_possible("call") else []
        if self._marked is not None:
            comparing = [("lines.choose", "compare")] if self._marked is not self._call else []
            return (
                *comparing,
                ("history.mark", "unmark" if not comparing else ""),
                *again,
                *leaving,
            )
        can_edit = self._is_possible("edit")
        entering = [("lines.choose", "result")] if self._enter == "look" else []
        if not entering and can_edit:
            entering = [("lines.choose", "edit first")]
        return (
            *entering,
            *again,
            *([("history.edit", "")] if can_edit else []),
            ("history.mark", ""),
            ("history.save", ""),
            ("history.back", ""),
            ("history.filter", ""),
            ("history.forget", ""),
            *leaving[1:],
        )
