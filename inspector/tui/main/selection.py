"""The selected item, its last call, and the boundary and host that both are shown at."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from inspector.boundary.bounded import Level
from inspector.hosts.apps import interface_of
from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Tool, call_name
from inspector.session.call_record import CallRecord
from inspector.tui.call.arguments import in_short
from inspector.tui.call.runner import CallRunner, call_words
from inspector.tui.catalogue.item import ItemAsked, ToolView, tool_view
from inspector.tui.catalogue.pane import CatalogueSection
from inspector.tui.catalogue.rows import Rows
from inspector.tui.definition.pane import DefinitionMark
from inspector.tui.definition.view import DefinitionAsked, DefinitionView, Learnt, asked_definition
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.page.screen import gone_note
from inspector.tui.result.comparing import Comparing
from inspector.tui.result.contrast import Lens
from inspector.tui.result.pane import ResultPane
from inspector.tui.result.view import SERVER_NAME, ResultAsked, ResultView, result_findings, result_view
from inspector.tui.runtime.latest import Latest
from inspector.tui.secrets.keeper import VaultKeeper
from inspector.tui.text import content, shortened

_DRAWN_S = 0.1
_UNCALLED = {
    Kind.TOOL: " is not called yet. Enter goes to its form, and calls it from there.",
    Kind.RESOURCE: " is not read yet. Enter goes to it, and reads it from there.",
    Kind.SKILL: " is not read yet. Enter goes to it, and reads it from there.",
    Kind.TEMPLATE: " is not read yet. Enter goes to its form, and reads it from there.",
    Kind.PROMPT: " has no result yet. Enter goes to its form, and gets it from there.",
}


@dataclass(slots=True, kw_only=True)
class _Earlier:
    """A call that is looked at though it is not the last one of its tool."""

    record: CallRecord
    words: Content


@dataclass
class SelectionChanged(Message):
    """Another item, call, boundary or host is shown."""


class Selection:
    """Keeps the tool pane and the result pane on the selected item."""

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
        """`enter`: called before an item is shown while `is_shown` is false."""
        self._screen = screen
        self._catalogue = catalogue
        self._enter = enter
        self.is_shown = True
        """Whether the panes show an item of this server; another server has them otherwise."""
        self._tool = tool
        self._result = result
        self._runner = runner
        self._vault = vault
        self._items = Latest(screen, _asked_item, self._take_item, self._could_not)
        self._results = Latest(screen, _asked_result, self._take_result, self._withhold_result, result.let_go)
        self._definitions = Latest(screen, asked_definition, self._take_definition, self._withhold_definition)
        self.comparing = Comparing(screen, result, self._changed)
        self._records: dict[str, CallRecord] = {}
        self._learnt = Learnt()
        self._unanswered: dict[str, Content] = {}
        """Why the last call of a tool has no result."""
        self._item: ToolView | None = None
        self._is_closed = False
        """Whether an item that is still being prepared is to be dropped."""
        self._is_going = False
        """Whether the focus goes to the item once it is shown."""
        self._wanted: tuple[Entry, DefinitionMark] | None = None
        """The place in a definition to show, until another item is opened."""
        self._unlisted: Tool | None = None
        """The tool that is open and no longer listed."""
        self._following = ""
        """The name of the call whose result takes the focus once it is shown."""
        self._passed_over: Entry | None = None
        """Where the cursor was put when that tool left the list."""
        self._earlier: _Earlier | None = None
        self._then: tuple[str, Callable[[], None]] | None = None
        """What is done once the form of an item is shown, by the name of its call."""
        self._unmasked: CallRecord | None = None
        """The call of which masked values are shown."""
        self.level = level
        self.host = host
        self.hosts: tuple[str, ...] = ()
        """By name; none while they are being loaded."""
        self.uncalled = ""
        """Shown behind the name of what has no result; empty for the usual words."""
        self.is_recorded = False
        """Whether calls are of a recording: then the form shows what was sent, and nothing can be entered."""

    async def idle(self) -> None:
        """Wait until all that is to be shown is there, and drawn."""
        for making in (self._items, self._results, self._definitions):
            await making.idle()
        await asyncio.sleep(_DRAWN_S)

    def _changed(self) -> None:
        self._screen.post_message(SelectionChanged())

    @property
    def is_earlier(self) -> bool:
        """Whether an earlier call than the last one of its tool is shown."""
        return self._earlier is not None and self.record is self._earlier.record

    def look_back(self, record: CallRecord, arguments: str) -> None:
        """Show a call that has ended, whatever was called since. `arguments`: what may be shown of them, in short."""
        tool = record.tool
        last = self._records.get(record.name)
        if tool is None:
            return
        entry = self._catalogue.find(tool.item or tool)
        is_last = last is None or last.number == record.number
        words = call_words(record.title, arguments, is_tool=tool.item is None)
        if self.is_earlier:
            self._tool.call.end_earlier()
        self._earlier = None if is_last else _Earlier(record=record, words=words)
        self._records.setdefault(record.name, record)
        # What had the focus may be hidden until the result is shown.
        self._following = record.name
        self._tool.open_tab("call")
        if entry is not None:
            self._leave_unlisted()
            self._catalogue.go_to(entry)
        else:
            self._unlisted, self._passed_over = tool, self._catalogue.entry
            self._catalogue.say(
                Content.assemble(content(shortened(record.title, 60), "bold"), " is not listed any more.")
            )
        if self.record is not None and call_name(self._item.entry if self._item else None) == record.name:
            self._show_earlier()
            self.look()
        else:
            self.open(entry or tool.item or tool)

    def end_earlier(self) -> None:
        """Back to the last call of the tool."""
        if self.is_earlier:
            self._tool.call.end_earlier()
            self._earlier = None
            self.look()

    def _show_earlier(self) -> None:
        if self._earlier is not None and self.is_earlier:
            self._tool.call.fold_earlier(self._earlier.words)

    @property
    def record(self) -> CallRecord | None:
        """The last call of the item that is open, or an earlier one that is looked at."""
        return self._record(self._item.entry) if self._item else None

    @property
    def tool(self) -> Tool | None:
        """The tool that is open, or the resource, template or prompt."""
        return self._item.tool if self._item else None

    @property
    def has_records(self) -> bool:
        """Whether any call has ended."""
        return bool(self._records)

    def open(self, entry: Entry) -> None:
        """Open an item of the catalogue."""
        before = self._item.entry if self._item else None
        self._is_closed = False
        if before is not entry:
            self._items.ask(ItemAsked(entry=entry, record=self._record(entry), before=before))

    def rest_on(self, entry: Entry) -> None:
        """Open the item that the cursor rests on, unless the cursor was only put there."""
        if self._unlisted is None or entry is not self._passed_over:
            self._leave_unlisted()
            self.open(entry)

    def choose(self, entry: Entry) -> None:
        """Open the item that the user chose, and put the focus there."""
        self._leave_unlisted()
        self.go_to(entry)

    def shows_result_of(self, entry: Entry) -> bool:
        """Whether this item is open with a result."""
        return self._item is not None and self._item.entry is entry and self.record is not None

    def relist(self, catalogue: Catalogue, rows: Rows) -> None:
        """Show a new listing. A tool that left it stays open as long as its result is waited for or shown."""
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
            self._catalogue.say(Content("The server lists nothing."))

    def _keeps(self, tool: Tool, catalogue: Catalogue) -> bool:
        if catalogue.lists(tool):
            return False
        return self.record is not None or self._runner.calls(tool.name)

    def _leave_unlisted(self) -> None:
        if self._unlisted is not None:
            self._unlisted = self._passed_over = None
            self._catalogue.say(Content(""))

    def drop(self) -> None:
        """Do not show an item that is still being prepared: another one was asked for."""
        self._is_closed = True

    def leave(self) -> None:
        """Another server takes the panes: forget which item is open, and keep what was called and written."""
        self.mask()
        self.comparing.stop()
        self._runner.no_form()
        self._result.show_progress(None)
        if self._unlisted is not None:
            self._catalogue.say(Content(""))
        if self.is_earlier:
            self._tool.call.end_earlier()
        self._item = self._unlisted = self._passed_over = self._earlier = self._wanted = self._then = None
        self._is_going, self._following = False, ""
        self.is_shown = self._runner.is_shown = False
        self.drop()

    def enter(self, level: Level, host: str) -> None:
        """Take the panes, with the boundary and host that the server before was shown at."""
        self.level, self.host = level, host
        self.is_shown = self._runner.is_shown = True

    def close(self) -> None:
        """There is no item to open."""
        self.drop()
        if self._item is not None:
            self.show_none()

    def show_none(self) -> None:
        """Empty both panes."""
        self._item = None
        self._runner.no_form()
        self._tool.clear()
        self._result.show_note(self._why_none())
        self._changed()

    def go_to(self, entry: Entry) -> None:
        """Open an item, and put the focus there."""
        self._tool.open_tab("definition" if isinstance(entry, Malformed) else "call")
        if self._item is not None and self._item.entry is entry:
            self._tool.focus_tab()
        else:
            self._is_going = True
            self.open(entry)

    def go_to_form(self, tool: Tool, then: Callable[[], None]) -> None:
        """Open a tool, and do something once its form is shown."""
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
        """The URI of the interface that the open tool names; None where it names none."""
        entry = self._item.entry if self._item else None
        return interface_of(entry) if isinstance(entry, Tool) else None

    def follow(self, item: Item) -> None:
        """Open a resource that a result links to, listed or not."""
        listed = self._catalogue.find(item)
        if listed is not None:
            self._catalogue.go_to(listed)
        else:
            # The cursor stays where it is, and opens nothing until it is moved.
            self._unlisted, self._passed_over = item.as_tool, self._catalogue.entry
            self._catalogue.say(
                Content.assemble(content(shortened(item.name, 60), "bold"), " is not listed.")
            )
        self._following = item.handle
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
        """A call has ended."""
        self._earlier = None
        self._records[record.name] = record
        self._unanswered.pop(record.name, None)
        self._vault.expect(record)
        entry = self._item.entry if self._item else None
        if entry is not None and call_name(entry) == record.name:
            self.look()
            self._items.ask(ItemAsked(entry=entry, record=record, before=entry))
        else:
            self._screen.notify(f"#{record.number} {shortened(record.title, 60)} has ended.", markup=False)
            self._vault.take()
            self.say_why_none()

    def stopped(self, name: str, note: Content) -> None:
        """A call has ended without a result."""
        self._unanswered[name] = note
        if self.tool is None or self.tool.name != name or self.record is not None:
            self._screen.notify(note.plain, severity="warning", markup=False)
        self.say_why_none()

    def amend(self, record: CallRecord) -> None:
        """The same call, of which a model may now see more or less."""
        if record.name in self._records and self._records[record.name].number == record.number:
            self._records[record.name] = record
            self.look()
        elif self._earlier is not None and self._earlier.record.number == record.number:
            self._earlier.record = record
            self.look()

    def recall(self, record: CallRecord | None) -> None:
        """This is the last call now, in place of all others; None where there was none."""
        before = self.record
        self._records = {record.name: record} if record is not None else {}
        entry = self._item.entry if self._item else None
        if entry is not None and self.record is not before:
            self.look()
            self._items.ask(ItemAsked(entry=entry, record=self.record, before=entry))

    def step_level(self, step: int) -> None:
        """Another boundary; other boundaries to compare, where two are compared."""
        if self.comparing.is_on:
            self.comparing.step_level(step)
            return
        levels = list(Level)
        self.level = levels[(levels.index(self.level) + step) % len(levels)]
        self.look()

    def step_host(self, step: int) -> None:
        """Another host; another one to compare with, where two models are compared."""
        if self.comparing.is_on:
            self.comparing.step_host(self.hosts, step)
            return
        place = self.hosts.index(self.host) if self.host in self.hosts else 0
        self.set_host(self.hosts[(place + step) % len(self.hosts)])

    def set_lenses(self, level: Level, host: str) -> None:
        """This boundary and this host."""
        self.comparing.stop()
        self.level = level
        self.set_host(host)

    def set_host(self, host: str) -> None:
        """This host; where two models are compared, its model on the right."""
        if self.comparing.is_on:
            self.comparing.against(host)
            return
        self.host = host
        self.look()

    def compare(self) -> None:
        """Two models of the last call side by side, or the raw result and one again."""
        record = self.record
        if self.comparing.is_on:
            self.comparing.stop()
        elif record is None:
            self._screen.notify("There is no result to compare yet.", markup=False)
        else:
            # Nothing masked is shown there: Esc would have to be pressed twice.
            self.mask()
            self.comparing.start(record, Lens(level=self.level, host=self.host))

    def unmask(self, record: CallRecord) -> None:
        """Show the masked values of a call until they are masked; mask those that are shown."""
        if self._unmasked is record:
            self.mask()
        elif self.record is record:
            self._unmasked = record
            self.look()

    def mask(self) -> None:
        """Show no masked value."""
        if self._unmasked is not None:
            self._unmasked = None
            self._result.mask()
            self._changed()

    def look(self) -> None:
        """Both panes, and the definition, follow the item and the lenses."""
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
        """Where a call was waited for, say of the item that is open what there is to say."""
        if self.is_shown and self._result.view is None and self.record is None:
            self._result.show_note(self._why_none())

    def _why_none(self) -> Content:
        entry = self._item.entry if self._item else None
        name = call_name(entry)
        if entry is None or name is None:
            return Content(
                "Results appear here: what the server sent on the left, what the model sees on the right."
            )
        uncalled = self.uncalled or _UNCALLED[entry.kind if isinstance(entry, Item) else Kind.TOOL]
        uncalled = Content.assemble(content(shortened(entry.name or "", 120), "bold"), uncalled)
        return self._unanswered.get(name, uncalled)

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
            self._tool.show(view, entered, text)
            self._runner.enter_form(view)
            if self._earlier is not None and self._earlier.record.name != call_name(view.entry):
                self._earlier = None
            self._show_earlier()
            self.look()
            self._go_to_place()
        if self._is_going:
            self._is_going = False
            self._tool.focus_tab()
        then, self._then = self._then, None
        if then is not None and then[0] == call_name(view.entry):
            then[1]()
        self._changed()

    def _take_result(self, asked: ResultAsked, view: ResultView) -> None:
        # What the view was made of, the vault needs too: it comes second, when the view is drawn.
        self._screen.call_after_refresh(self._vault.take)
        if self._item is not None and self._record(self._item.entry) is asked.record:
            is_still_wanted = self._unmasked is asked.record
            self._result.is_earlier = self.is_earlier
            self._result.show(view if is_still_wanted else view.masked or view)
            if self.is_recorded:
                shown = in_short(asked.record.arguments, self._item.form)
                is_tool = asked.record.kind is Kind.TOOL
                self._tool.call.fold_recorded(call_words(asked.record.title, shown, is_tool=is_tool))
            if self._following == asked.record.name:
                # What had the focus was hidden while it was read.
                self._following = ""
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
                    learnt=self._learnt,
                    records=tuple(self._records.values()),
                )
            )

    def _take_definition(self, asked: DefinitionAsked, view: DefinitionView | None) -> None:
        if view is not None and self._is_open(asked):
            self._tool.definition.show(view)
            self._go_to_place()

    def _go_to_place(self) -> None:
        """Mark what was asked for. A definition is laid out twice; behind the second time the place is settled."""
        if self._wanted is None or self._item is None:
            return
        entry, mark = self._wanted
        if self._item.entry is not entry:
            self._wanted = None
            return
        self._tool.definition.mark(mark)
        self._tool.definition.lines.focus()
        if not isinstance(entry, Tool) or self._tool.definition.shows(entry, self.level, self.host):
            self._wanted = None

    def _withhold_definition(self, asked: DefinitionAsked, error: BaseException) -> None:
        item = self._item
        if item is not None and self._is_open(asked):
            words = f"It is not known what a model is given of it ({type(error).__name__}): a defect of Sightline."
            self._tool.definition.show_raw(item.definition, content(words, "$text-error"))

    def _is_open(self, asked: DefinitionAsked) -> bool:
        entry = self._item.entry if self._item else None
        return isinstance(entry, Tool) and isinstance(asked.entry, Tool) and entry.name == asked.entry.name

    def _show_findings(self) -> None:
        shown = self._result.view
        if self._item is not None:
            self._tool.want_findings(self._item, result_findings(shown) if shown else ())

    def _withhold_result(self, asked: ResultAsked, error: BaseException) -> None:
        self._vault.take()
        if self._item is None or self._record(self._item.entry) is not asked.record:
            return
        words = f"The result could not be judged ({type(error).__name__}), so all of it is withheld."
        self._result.show_note(content(f"{words} This is a defect of Sightline.", "$text-error"))

    def _could_not(self, asked: ItemAsked, error: BaseException) -> None:
        del asked
        words = f"This item could not be shown ({type(error).__name__}): a defect of Sightline."
        self._screen.notify(words, severity="error", markup=False)


def _asked_item(asked: ItemAsked) -> ToolView:
    return tool_view(asked.entry, asked.record, asked.before)


def _asked_result(asked: ResultAsked) -> ResultView:
    return result_view(asked.record, asked.level, asked.host, server=SERVER_NAME, unmasked=asked.unmasked)
