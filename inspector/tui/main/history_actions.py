"""The user's actions on a call of the history: show it, edit it, call it again, save it."""

from collections.abc import Callable
from functools import partial

from textual.screen import Screen

from inspector.errors import UsageError
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import Target
from inspector.tui.call.runner import CallRunner
from inspector.tui.connection.connection import SessionLink
from inspector.tui.history.keeper import HistoryCall, HistoryKeeper, LeftAt
from inspector.tui.history.rows import arguments_line
from inspector.tui.history.saving import call_dialog
from inspector.tui.history.screen import HistoryScreen, RequestedAction
from inspector.tui.main.selection import Selection
from inspector.tui.result.sides import KnownBeside
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, cut_in_the_middle, shortened


class HistoryActions:
    """Opens the history, and calls, edits or saves the call that the user chooses there."""

    def __init__(  # noqa: PLR0913 - the parts that a call of the history is made with
        self,
        screen: Screen[None],
        link: SessionLink,
        keeper: HistoryKeeper,
        selection: Selection,
        runner: CallRunner,
        target: Target,
        known: KnownBeside,
        *,
        as_saved: Callable[[], str] | None,
        will_come_back: Callable[[str], None],
        open_tab: Callable[[str], None],
        repeats: Callable[[], None],
    ) -> None:
        """`known`: returns the values that were withheld from other calls, which are masked. It blocks.

        `as_saved`: returns the target as it is written in saved calls; None if it cannot be written.
        `repeats`: called after `r` in the history has begun a call.

        `will_come_back`: called with `call` or `edit` before the result or the form is shown. It makes room
        for that part, and makes Esc go back to the history. `open_tab`: opens a tab of the main screen.
        """
        self._screen = screen
        self._link = link
        self._keeper = keeper
        self._selection = selection
        self._runner = runner
        self._target = target
        self._known = known
        self._as_saved = as_saved or str
        self._will_come_back = will_come_back
        self._open_tab = open_tab
        self._repeats = repeats
        self._show_origin: Callable[[], None] = lambda: None

    def open(self, show_origin: Callable[[], None]) -> None:
        """Open the history. `show_origin`: called when the user leaves it with Esc."""
        self._keeper.before, self._show_origin = LeftAt(), show_origin
        self.open_again()

    def open_again(self) -> None:
        """Open the history with the filter and the call that were there when the user left it."""
        screen = HistoryScreen(self._keeper, str(self._target), self._obstacle, self._save, self._known)
        self._screen.app.push_screen(screen, self._take)  # pyright: ignore[reportUnknownMemberType]

    def _tool(self, call: HistoryCall) -> Tool | None:
        """The tool of a call as the server lists it now; None if it is not listed."""
        tool = self._link.tool(call.past.tool)
        return tool if tool is not None and tool.item is None else None

    def _obstacle(self, action: RequestedAction) -> str:
        """The reason why a call cannot be made or edited now; empty if it can."""
        if action.do == "look":
            return ""
        if self._tool(action.call) is None:
            return f"{cut_in_the_middle(action.call.past.tool, 60)} is not listed now: it cannot be called."
        return self._runner.obstacle() if action.do == "call" else ""

    def _take(self, action: RequestedAction | str | None) -> None:
        if action is None:
            self._show_origin()
            return
        if isinstance(action, str):
            self._open_tab(action)
            return
        if action.do == "look" and action.call.record is not None:
            self._will_come_back("call")
            self._selection.look_back(action.call.record, arguments_line(action.call.past))
            return
        tool = self._tool(action.call)
        if tool is None:
            return
        past, record = action.call.past, action.call.record
        lacks_some = bool(past.left_out) and (record is None or action.do == "edit")
        if lacks_some:
            words = f"Not in the history, to be typed again: {shortened(past.lacks, 200)}."
            self._screen.notify(content(words).plain, severity="warning", markup=False)
        if lacks_some or action.do == "edit":
            self._will_come_back("edit")
            self._selection.go_to_form(tool, partial(self._runner.fill, past.kept))
        else:
            self._will_come_back("call")
            arguments = record.arguments if record is not None else past.kept

            def begin() -> None:
                check = work_of(self._call_if_it_fits, tool, arguments, action.call)
                self._screen.run_worker(check, group="repeating", exclusive=True)

            self._selection.go_to_form(tool, begin)

    async def _call_if_it_fits(self, tool: Tool, arguments: JsonObject, call: HistoryCall) -> None:
        why = await self._runner.why_unfit(tool, arguments, call.record)
        shown = self._selection.tool
        if shown is None or shown.name != tool.name:
            # The user has opened another tool, whose form is not touched.
            return
        if why:
            words = f"Not called: the arguments no longer fit: {why}. They are in the form."
            self._screen.notify(content(words).plain, severity="warning", markup=False)
            self._runner.fill(call.past.kept)
        elif self._runner.call(tool, arguments, call.past.kept, arguments_line(call.past)):
            self._repeats()

    def _save(self, call: HistoryCall) -> None:
        level, host = self._selection.level, self._selection.host
        try:
            dialog = call_dialog(call, self._as_saved, level=level, host=host)
        except UsageError as error:
            words = content(shortened(f"{error.message}. {error.hint}", 300))
            self._screen.notify(words.plain, severity="warning", markup=False)
        else:
            self._screen.app.push_screen(dialog)  # pyright: ignore[reportUnknownMemberType]
