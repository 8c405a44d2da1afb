"""The selected item, its last call, and the boundary level and host at which both are shown."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from inspector.boundary.bounded import Level
from inspector.hosts.apps import interface_of
from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Tool, call_name
from inspector.schema.fields import form_of
from inspector.session.call_record import CallRecord
from inspector.tui.call.arguments import in_short
from inspector.tui.call.runner import CallRunner, call_words
from inspector.tui.catalogue.item import ItemAsked, ToolView, tool_view
from inspector.tui.catalogue.pane import CatalogueSection
from inspector.tui.catalogue.rows import Rows
from inspector.tui.definition.pane import DefinitionMark
from inspector.tui.definition.view import DefinitionAsked, DefinitionMasks, DefinitionView, asked_definition
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.page.screen import gone_note
from inspector.tui.result.comparing import Comparing
from inspector.tui.result.contrast import Lens
from inspector.tui.result.pane import UNMASKED_S, ResultPane
from inspector.tui.result.view import SERVER_NAME, ResultAsked, ResultView, result_view
from inspector.tui.result.words import result_remarks
from inspector.tui.runtime.latest import Latest
from inspector.tui.secrets.keeper import VaultKeeper
from inspector.tui.text import content, cut_in_the_middle

NO_RESULT = "There is no result to compare: the call got no answer."
_DRAWN_S = 0.1
_UNCALLED = {
    Kind.TOOL: " has not been called yet. Enter in its form calls it.",
    Kind.RESOURCE: " has not been read yet. Enter reads it.",
    Kind.SKILL: " has not been read yet. Enter reads it.",
    Kind.TEMPLATE: " has not been read yet. Enter in its form reads it.",
    Kind.PROMPT: " has no result yet. Enter in its form requests it.",
}


@dataclass(slots=True, kw_only=True)
class _Earlier:
    """A call that is shown although it is not the last one of its tool."""

    record: CallRecord
    words: Content


@dataclass
class SelectionChanged(Message):
    """Posted when another item, call, boundary level or host is shown."""


class Selection:
    """Makes the tool pane and the result pane show the selected item."""

    def __init__(  # noqa: PLR0913 - the parts that follow the selection
        self,
        screen: Screen[None],
        catalogue: CatalogueSection,
        tool: ToolPane,
        result: ResultPane,
        runner: CallRunner,
        vault: VaultKeeper,
        *,
        level: Level,
        host: str,
        enter: Callable[[], None],
    ) -> None:
        """`enter`: makes the panes show this server. Called before an item is shown, if they show another server."""
        self._screen = screen
        self._catalogue = catalogue
        self._enter = enter
        self.is_shown = True
        """True if the panes show this server. If false, they show another server."""
        self._tool = tool
        self._result = result
        self._runner = runner
        self._vault = vault
        self._items = Latest(screen, _asked_item, self._take_item, self._could_not)
        self._results = Latest(
            screen, self._asked_result, self._take_result, self._withhold_result, result.free_view
        )
        self._definitions = Latest(screen, asked_definition, self._take_definition, self._withhold_definition)
        self.comparing = Comparing(screen, result, self._changed, vault.known_beside)
        self._records: dict[str, CallRecord] = {}
        self._masks = DefinitionMasks()
        self._unanswered: dict[str, Content] = {}
        """The reasons why calls have no result, by the name of the called item. Only the last call of each counts."""
        self._item: ToolView | None = None
        self._opening: Entry | None = None
        """The item whose view was requested last."""
        self._is_closed = False
        """True if an item that is still being prepared is to be dropped."""
        self._focuses_when_shown = False
        """True to focus the item once it is shown."""
        self._wanted: tuple[Entry, DefinitionMark] | None = None
        """An item, and the place in its definition to go to. None once it is shown, or another item is open."""
        self._unlisted: Tool | None = None
        """The open tool, if the server does not list it, or no longer lists it."""
        self._focus_result_of = ""
        """The name of the call whose result takes the focus once it is shown."""
        self._passed_over: Entry | None = None
        """The entry under the cursor when the open tool was found not to be listed.

        It is opened only after the user has moved the cursor.
        """
        self._earlier: _Earlier | None = None
        self._then: tuple[str, Callable[[], None]] | None = None
        """The name of a tool, and a function to call once the form of the tool is shown."""
        self._unmasked: CallRecord | None = None
        """The call whose masked values are shown."""
        self._masking: Timer | None = None
        """The timer that masks the values of `_unmasked` again."""
        self.level = level
        self.host = host
        self._host_before: str | None = None
        """The host that was shown before the present one; None if there was none."""
        self.hosts: tuple[str, ...] = ()
        """The names of all hosts; empty while they are being loaded."""
        self.uncalled: Mapping[Kind, str] = _UNCALLED
        """The words that follow the name of an item without a result in a note, by the kind of the item."""
        self.is_recorded = False
        """True if the calls are from a recording. The form then shows what was sent, and is read-only."""

    async def idle(self) -> None:
        """Wait until everything that was requested so far is ready and drawn."""
        made = (self._items, self._results, self._definitions, self._result.values)
        is_drawn = False
        while not is_drawn:
            for each in made:
                await each.idle()
            # The rows of a result are counted once its pane has been laid out.
            await asyncio.sleep(_DRAWN_S)
            is_drawn = not any(each.is_busy for each in made)

    def _changed(self) -> None:
        self._screen.post_message(SelectionChanged())

    @property
    def is_earlier(self) -> bool:
        """True if the shown call is not the last call of its tool."""
        return self._earlier is not None and self.record is self._earlier.record

    def look_back(self, record: CallRecord, arguments: str) -> None:
        """Show a call that has ended, even if it is not the last call of its tool.

        `arguments`: a short text of the arguments, without sensitive values.
        """
        tool = record.tool
        last = self._records.get(record.name)
        if tool is None:
            return
        entry = self._catalogue.find(tool.item or tool)
        is_last = last is None or last.number == record.number
        words = call_words(record.title, arguments, tool.kind)
        if self.is_earlier:
            self._tool.call.end_earlier()
        self._earlier = None if is_last else _Earlier(record=record, words=words)
        self._records.setdefault(record.name, record)
        # The focused widget may be hidden until the result is shown.
        self._focus_result_of = record.name
        self._tool.open_tab("call")
        if entry is not None:
            self._leave_unlisted()
            self._catalogue.go_to(entry)
        else:
            self._unlisted, self._passed_over = tool, self._catalogue.entry
            self._catalogue.say(
                Content.assemble(
                    content(cut_in_the_middle(record.title, 60), "bold"), " is not listed any more."
                )
            )
        if self.record is not None and call_name(self._item.entry if self._item else None) == record.name:
            self._show_earlier()
            self.look()
        else:
            self.open(entry or tool.item or tool)

    def show_result_place(self, record: CallRecord, pointer: str) -> None:
        """Show a call that has ended, as `look_back` does, and go to a place in its result."""
        self._result.want_place(record.number, pointer)
        form = form_of(record.tool.input_schema) if record.tool is not None else None
        self.look_back(record, in_short(record.arguments, form))

    def origin(self, *, focuses_result: bool) -> Callable[[], None]:
        """A function that shows the open item again, with the same call.

        `focuses_result`: the result of the call then takes the focus.
        """
        item, earlier, record = self._item, self._earlier, self.record

        def show() -> None:
            if item is None or (self._item is not None and self._item.entry is item.entry):
                return
            self._earlier = earlier
            self._focus_result_of = record.name if focuses_result and record is not None else ""
            self._catalogue.go_to(item.entry)
            self.open(item.entry)

        return show

    def end_earlier(self) -> None:
        """Show the last call of the tool again."""
        if self.is_earlier:
            self._tool.call.end_earlier()
            self._earlier = None
            self.look()

    def _show_earlier(self) -> None:
        if self._earlier is not None and self.is_earlier:
            self._tool.call.fold_earlier(self._earlier.words)

    @property
    def record(self) -> CallRecord | None:
        """The call that is shown: the last call of the open item, or an earlier call.

        None if no call is shown.
        """
        return self._record(self._item.entry) if self._item else None

    @property
    def tool(self) -> Tool | None:
        """The open tool, or the open resource, template or prompt as a tool; None if no item is open."""
        return self._item.tool if self._item else None

    @property
    def has_records(self) -> bool:
        """True if any call of this server has ended."""
        return bool(self._records)

    def once_open(self, do: Callable[[], None]) -> None:
        """Call `do` once no item is being opened, so that the item under the cursor is the open one."""

        async def wait() -> None:
            await self._items.idle()
            do()

        if self._items.is_busy:
            self._screen.run_worker(wait, group="opening", exclusive=True)
        else:
            do()

    def open(self, entry: Entry) -> None:
        """Show an item of the catalogue in the panes."""
        self._is_closed = False
        if self._wanted_entry is not entry:
            self._open(entry)

    @property
    def is_opening(self) -> bool:
        """True while the panes do not show the chosen item yet."""
        return self._items.is_busy

    @property
    def _wanted_entry(self) -> Entry | None:
        """The open item, or the one that is being opened in its place."""
        if self._items.is_busy:
            return self._opening
        return self._item.entry if self._item else None

    @property
    def chosen(self) -> str:
        """The name of the tool or item that is open, or being opened, as in `call_name`; empty for none."""
        return call_name(self._wanted_entry) or ""

    def _open(self, entry: Entry) -> None:
        self._opening = entry
        before = self._item.entry if self._item else None
        self._items.ask(ItemAsked(entry=entry, record=self._record(entry), before=before))

    def rest_on(self, entry: Entry) -> None:
        """Open the item under the cursor.

        Does nothing if the user has not moved the cursor there. The cursor also moves by itself, when the open
        item is no longer listed.
        """
        if self.is_moved_to(entry):
            self._leave_unlisted()
            self.open(entry)

    def is_moved_to(self, entry: Entry) -> bool:
        """False if the cursor is on this item only because the open item is not listed."""
        return self._unlisted is None or entry is not self._passed_over

    def choose(self, entry: Entry) -> None:
        """Open the item that the user chose, and focus it."""
        self._leave_unlisted()
        self.go_to(entry)

    def has_result_of(self, entry: Entry) -> bool:
        """True if a call of this item has ended."""
        return self._record(entry) is not None

    def choose_result(self, entry: Entry) -> None:
        """Open an item that has a result, and focus the result."""
        self._leave_unlisted()
        self._tool.open_tab("call")
        if self._item is not None and self._item.entry is self._wanted_entry is entry:
            self._result.focus_result()
        else:
            # The user may press Enter right after moving the cursor, before the item is shown.
            self._focus_result_of = call_name(entry) or ""
            self.open(entry)

    def relist(self, catalogue: Catalogue, rows: Rows, nothing: str) -> None:
        """Show a new listing. `nothing`: the words to show if it has no items.

        An open tool that is no longer listed stays open if it has a result or a running call.
        """
        tool = self.tool
        self._catalogue.show(rows)
        if tool is not None and self._keeps(tool, catalogue):
            note = gone_note(tool, catalogue)
            if self._unlisted is None:
                self._screen.notify(note.plain, severity="warning", markup=False)
            self._unlisted, self._passed_over = tool, self._catalogue.entry
            self._catalogue.say(note)
        elif self._unlisted is not None:
            again, is_listed = catalogue.tool(self._unlisted.name), catalogue.lists(self._unlisted)
            self._unlisted = self._passed_over = None
            if again is not None and is_listed and tool is not None and tool.name == again.name:
                self._catalogue.select(again.item or again)
        if not rows and self._unlisted is None and self.is_shown:
            if self._tool.has_focus_within:
                self._catalogue.focus_list()
            self.close()
            self._catalogue.say(Content(nothing))

    def _keeps(self, tool: Tool, catalogue: Catalogue) -> bool:
        if catalogue.lists(tool):
            return False
        return self.record is not None or self._runner.calls(tool.name)

    def _leave_unlisted(self) -> None:
        if self._unlisted is not None:
            self._unlisted = self._passed_over = None
            self._catalogue.say(Content(""))

    def drop(self) -> None:
        """Cancel showing an item whose view is still being computed."""
        self._is_closed = True

    def leave(self) -> None:
        """Give the panes up, so that another server can use them.

        Forgets the open item, but keeps calls and the content of forms.
        """
        self.mask()
        self.comparing.stop()
        self._runner.no_form()
        self._result.show_progress(None)
        if self._unlisted is not None:
            self._catalogue.say(Content(""))
        if self.is_earlier:
            self._tool.call.end_earlier()
        self._item = self._unlisted = self._passed_over = self._earlier = self._wanted = self._then = None
        self._focuses_when_shown, self._focus_result_of = False, ""
        self.is_shown = self._runner.is_shown = False
        self.drop()

    def enter(self, level: Level, host: str) -> None:
        """Use the panes for this server.

        `level`, `host`: the boundary level and host that were in use for the server shown before.
        """
        self.level, self.host = level, host
        self.is_shown = self._runner.is_shown = True

    def close(self) -> None:
        """Close the open item."""
        self.drop()
        if self._item is not None:
            self.show_none()

    def show_none(self) -> None:
        """Empty the tool pane and show a note in place of the result."""
        self._item = None
        self._runner.no_form()
        self._tool.clear()
        self._result.show_note(self._why_none())
        self._changed()

    def go_to(self, entry: Entry) -> None:
        """Open an item and focus it."""
        self._tool.open_tab("definition" if isinstance(entry, Malformed) else "call")
        if self._item is not None and self._item.entry is self._wanted_entry is entry:
            self._tool.focus_tab(into_fields=True)
        else:
            self._focuses_when_shown = True
            self.open(entry)

    @property
    def will_focus(self) -> bool:
        """True if an item is being opened that will get the focus."""
        return self._focuses_when_shown

    def go_to_form(self, tool: Tool, then: Callable[[], None]) -> None:
        """Open a tool, and call `then` once its form is shown."""
        self._tool.open_tab("call")
        self._leave_unlisted()
        self._catalogue.go_to(tool)
        self.end_earlier()
        if self.tool is not None and self.tool.name == tool.name:
            then()
        else:
            self._then = (tool.name, then)
            self.open(tool)

    @property
    def interface(self) -> str | None:
        """The URI of the interface (MCP Apps) that the open tool names; None if the tool names none."""
        entry = self._item.entry if self._item else None
        return interface_of(entry) if isinstance(entry, Tool) else None

    def follow(self, item: Item) -> None:
        """Open an item, listed or not, and focus its result once it is shown."""
        listed = self._catalogue.find(item)
        if listed is not None:
            self._leave_unlisted()
            self._catalogue.go_to(listed)
        else:
            # The cursor stays where it is, and opens nothing until the user moves it.
            self._unlisted, self._passed_over = item.as_tool, self._catalogue.entry
            self._catalogue.say(
                Content.assemble(content(cut_in_the_middle(item.name, 60), "bold"), " is not listed.")
            )
        self._focus_result_of = item.handle
        self.open(item)

    def show_place(self, entry: Entry, mark: DefinitionMark) -> None:
        """Open an item, go to a place in its definition, and mark it."""
        self._tool.open_tab("definition")
        self._wanted = (entry, mark)
        if self._item is not None and self._item.entry is entry:
            self._go_to_place()
        else:
            self.open(entry)

    def finished(self, record: CallRecord) -> None:
        """Store the record of a call that has ended, and show the call if its item is open."""
        self._earlier = None
        self._records[record.name] = record
        self._unanswered.pop(record.name, None)
        self._vault.expect(record)
        entry = self._wanted_entry
        if entry is not None and call_name(entry) == record.name:
            self.look()
            self._open(entry)
        else:
            self._screen.notify(
                f"#{record.number} {cut_in_the_middle(record.title, 60)} has ended.", markup=False
            )
            self._vault.take()
            self.say_why_none()

    def stopped(self, name: str, note: Content) -> None:
        """Store the note about a call that has ended without a result, and show the note."""
        self._unanswered[name] = note
        if self.tool is None or self.tool.name != name or self.record is not None:
            self._screen.notify(note.plain, severity="warning", markup=False)
        self.say_why_none()

    def amend(self, record: CallRecord) -> None:
        """Replace the record of a call, because a model may now see more or less of its result."""
        if record.name in self._records and self._records[record.name].number == record.number:
            self._records[record.name] = record
            self.look()
        elif self._earlier is not None and self._earlier.record.number == record.number:
            self._earlier.record = record
            self.look()

    def recall(self, record: CallRecord | None, *, opens_other: bool = False) -> None:
        """Make `record` the only stored call; None removes all calls.

        `opens_other`: true if the item of the call is opened next, so that the open item is not updated.
        """
        before = self.record
        self._records = {record.name: record} if record is not None else {}
        entry = self._wanted_entry
        if entry is not None and self.record is not before and not opens_other:
            self.look()
            self._open(entry)

    def step_level(self, step: int) -> None:
        """Step to another boundary level.

        While two model views are compared, step the compared boundary levels.
        """
        if self.comparing.is_on:
            self.comparing.step_level(step)
            return
        levels = list(Level)
        self.level = levels[(levels.index(self.level) + step) % len(levels)]
        self.look()

    @property
    def shown_host(self) -> str:
        """The host whose model view is shown.

        If two views are compared, the host of the view on the right.
        """
        right = self.comparing.right
        return self.host if right is None else right.host

    def host_back(self) -> bool:
        """Show the previous host again. Returns false if there was none."""
        if self._host_before is not None:
            self.set_host(self._host_before)
        return self._host_before is not None

    def set_lenses(self, level: Level, host: str) -> None:
        """Show results at this boundary level and for this host."""
        self.comparing.stop()
        self.level = level
        self.set_host(host)

    def set_host(self, host: str) -> None:
        """Show results for this host. While two model views are compared, set the host on the right."""
        if host != self.shown_host:
            self._host_before = self.shown_host
        if self.comparing.is_on:
            self.comparing.against(host)
            return
        self.host = host
        self.look()

    def compare(self) -> None:
        """Compare two model views of the shown call side by side, or return to its raw result and model view."""
        record = self.record
        if self.comparing.is_on:
            self.comparing.stop()
        elif record is None:
            self._screen.notify("There is no result to compare yet.", markup=False)
        elif not record.is_answered:
            self._screen.notify(NO_RESULT, markup=False)
        else:
            # A comparison shows only masked values. If the result stayed unmasked, it would take Esc twice to
            # end the comparison.
            self.mask()
            self.comparing.start(record, Lens(level=self.level, host=self.host))

    def unmask(self, record: CallRecord) -> None:
        """Show the masked values of a call, or mask them again."""
        if self._unmasked is record:
            self.mask()
        elif self.record is record:
            self._unmasked = record
            self._masking = self._screen.set_timer(UNMASKED_S, self.mask)
            self.look()

    def mask(self) -> None:
        """Mask all values again."""
        if self._masking is not None:
            self._masking.stop()
        if self._unmasked is not None:
            self._masking = self._unmasked = None
            self._result.mask()
            self._changed()

    def look(self) -> None:
        """Update the result and the definition for the current item, call, boundary level and host."""
        if not self.is_shown:
            return
        self._changed()
        self._look_at_definition()
        record = self._record(self._item.entry) if self._item else None
        self.comparing.follow(record)
        if self._unmasked is not record:
            self.mask()
        if record is not None:
            self._results.ask(
                ResultAsked(
                    record=record,
                    level=self.level,
                    host=self.host,
                    unmasked=self._unmasked is record,
                )
            )
        elif not self._runner.is_running or self._result.view is not None:
            if self.is_recorded:
                self._tool.call.unfold()
            self._result.show_note(self._why_none())

    def say_why_none(self) -> None:
        """Unless a result is shown, show a note with the reason why the open item has no result."""
        if self.is_shown and self._result.view is None and self.record is None:
            self._result.show_note(self._why_none())

    def _why_none(self) -> Content:
        name = call_name(self._item.entry if self._item else None)
        if name is None:
            return Content(
                "Results appear here: what the server sent on the left, what the model sees on the right."
            )
        return self._unanswered.get(name, self.uncalled_note)

    @property
    def uncalled_note(self) -> Content:
        """A sentence about the open item, which was not called yet, with the key that calls it."""
        entry = self._item.entry if self._item else None
        if entry is None or call_name(entry) is None:
            return Content("Nothing to call is open. Choose a tool, resource or prompt.")
        uncalled = self.uncalled[entry.kind if isinstance(entry, Item) else Kind.TOOL]
        return Content.assemble(content(cut_in_the_middle(entry.name or "", 120), "bold"), uncalled)

    def _record(self, entry: Entry) -> CallRecord | None:
        name = call_name(entry)
        if self._earlier is not None and self._earlier.record.name == name:
            return self._earlier.record
        return self._records.get(name) if name is not None else None

    def _take_item(self, asked: ItemAsked, view: ToolView) -> None:
        if self._is_closed:
            return
        if not self.is_shown:
            self._enter()
        before, self._item = self._item, view
        if before is not None and before.entry is asked.before and view.is_same:
            self._tool.show_claims(view)
            self._show_findings()
        else:
            self._runner.leave_form()
            entered, text = self._runner.written(view)
            # A changed definition does not unfold the form over the result.
            is_again = before is not None and call_name(before.entry) == call_name(view.entry)
            folded = self._tool.call.folded if is_again else None
            self._tool.show(view, entered, text)
            if folded is not None:
                self._tool.call.fold_again(folded)
            self._runner.enter_form(view)
            if self._earlier is not None and self._earlier.record.name != call_name(view.entry):
                self._earlier = None
            self._show_earlier()
            if self.is_recorded and not is_again and self.record is not None:
                # The result of this item is still being read. The shown result belongs to the previous item.
                self._result.show_note(Content(""))
            self.look()
            self._go_to_place()
        if self._focuses_when_shown:
            # The inputs of a form are mounted later.
            self._screen.call_after_refresh(self._arrive)
        then, self._then = self._then, None
        if then is not None and then[0] == call_name(view.entry):
            then[1]()
        self._changed()

    def _arrive(self) -> None:
        if self._focuses_when_shown:
            self._focuses_when_shown = False
            self._tool.focus_tab(into_fields=True)

    def _take_result(self, asked: ResultAsked, view: ResultView) -> None:
        # The vault uses what the view has computed. The view is drawn first, then the vault is updated.
        self._screen.run_worker(self._keep_secrets, group="keeping")
        if self._item is not None and self._record(self._item.entry) is asked.record:
            is_still_wanted = self._unmasked is asked.record
            self._result.is_earlier = self.is_earlier
            self._result.show(view if is_still_wanted else view.masked or view)
            if self.is_recorded:
                shown = in_short(asked.record.arguments, self._item.form)
                words = call_words(asked.record.title, shown, asked.record.kind)
                self._tool.call.fold_recorded(words)
            if self._focus_result_of == asked.record.name:
                # The focused widget was hidden while the resource was read.
                self._focus_result_of = ""
                self._result.focus_result()
            self._show_findings()
            self._changed()

    def _look_at_definition(self) -> None:
        item, definition = self._item, self._tool.definition
        if item is not None and not definition.shows(item.entry, self.level, self.host):
            self._definitions.ask(
                DefinitionAsked(
                    entry=item.entry,
                    level=self.level,
                    host=self.host,
                    masks=self._masks,
                    records=tuple(self._records.values()),
                )
            )

    def _take_definition(self, asked: DefinitionAsked, view: DefinitionView | None) -> None:
        if view is not None and self._is_open(asked):
            self._tool.definition.show(view)
            self._go_to_place()

    def _go_to_place(self) -> None:
        """Go to the wanted place in the definition and mark it.

        A definition is laid out twice: raw, then as the model sees it. The wanted place is kept until the
        second time.
        """
        if self._wanted is None or self._item is None:
            return
        entry, mark = self._wanted
        if self._item.entry is not entry:
            # The definition of the previous item may be laid out after the next item was requested.
            if self._wanted_entry is not entry:
                self._wanted = None
            return
        self._tool.definition.mark(mark)
        self._tool.definition.lines.focus()
        if not isinstance(entry, Tool) or self._tool.definition.shows(entry, self.level, self.host):
            self._wanted = None

    def _withhold_definition(self, asked: DefinitionAsked, error: BaseException) -> None:
        item = self._item
        if item is not None and self._is_open(asked):
            words = f"Sightline cannot tell what a model gets of this definition ({type(error).__name__}): a defect of Sightline."
            self._tool.definition.show_raw(item.definition, content(words, "$text-error"))

    def _is_open(self, asked: DefinitionAsked) -> bool:
        entry = self._item.entry if self._item else None
        return isinstance(entry, Tool) and isinstance(asked.entry, Tool) and entry.name == asked.entry.name

    def _show_findings(self) -> None:
        shown = self._result.view
        if self._item is not None:
            self._tool.want_findings(self._item, result_remarks(shown) if shown else ())

    async def _keep_secrets(self) -> None:
        """Put the secrets of ended calls into the vault, after the result is drawn, so as not to delay it."""
        await self.idle()
        self._vault.take()

    def _asked_result(self, asked: ResultAsked) -> ResultView:
        """The view of a result. Runs in a thread."""
        known = self._vault.known_beside(asked.record)
        return result_view(
            asked.record, asked.level, asked.host, server=SERVER_NAME, unmasked=asked.unmasked, known=known
        )

    def _withhold_result(self, asked: ResultAsked, error: BaseException) -> None:
        self._vault.take()
        if self._item is None or self._record(self._item.entry) is not asked.record:
            return
        words = f"The result could not be judged ({type(error).__name__}), so all of it is withheld."
        self._result.show_note(content(f"{words} This is a defect of Sightline.", "$text-error"))

    def _could_not(self, asked: ItemAsked, error: BaseException) -> None:
        del asked
        self._focuses_when_shown = False
        words = f"This item could not be shown ({type(error).__name__}): a defect of Sightline."
        self._screen.notify(words, severity="error", markup=False)


def _asked_item(asked: ItemAsked) -> ToolView:
    return tool_view(asked.entry, asked.record, asked.before)
