"""Sends the arguments of the form as a call, and follows the running call."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic, time

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from inspector.errors import InspectorError, UsageError
from inspector.json.exact import Json, JsonObject, equal
from inspector.pins.pins import ConfirmReason
from inspector.protocol.catalogue import Item, Kind, Tool
from inspector.protocol.targets import Target
from inspector.schema.fields import Form
from inspector.session.call_record import FILLED, CallRecord, Progress
from inspector.session.requests import handle_of
from inspector.tui.call.arguments import (
    CheckAsked,
    as_arguments,
    as_entries,
    carried,
    check,
    default_entries,
    example,
    in_short,
    misfit,
    not_in_form,
)
from inspector.tui.call.command_line import copied, editable
from inspector.tui.call.entries import ArgumentDraft, Entered, Problem, Writing, sensitive_entries
from inspector.tui.call.pane import CallPane
from inspector.tui.call.progress import asked_line, held_line, progress_line, running_words, waiting_note
from inspector.tui.catalogue.item import ToolView
from inspector.tui.connection.connection import SessionLink
from inspector.tui.keys.table import command
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.latest import Latest
from inspector.tui.runtime.workers import work_of
from inspector.tui.text import content, duration, shortened, size

_LARGE_BYTES = 200_000
"""The size in bytes from which an answer takes long to judge. A note then says that it is being judged."""
_TICK_S = 0.25


@dataclass
class CallChanged(Message):
    """Posted when a call begins or ends, or arguments were checked, because other keys apply then."""


@dataclass
class CallStarted(Message):
    """Posted when a call begins. `arguments`: a short text of the arguments, without sensitive values."""

    link: SessionLink
    name: str
    arguments: str


@dataclass
class CallGivenUp(Message):
    """Posted when a call was sent and then cancelled. It has no record."""

    link: SessionLink
    name: str
    arguments: JsonObject
    duration_s: float


@dataclass
class CallFinished(Message):
    """Posted when a call has ended with a record."""

    link: SessionLink
    record: CallRecord


@dataclass
class CallStopped(Message):
    """Posted when a call has ended without a record.

    `note`: the reason, as shown. `reason`: the reason in a few words, untrusted text.
    """

    link: SessionLink
    name: str
    note: Content
    reason: str
    is_quiet: bool
    """True if the call was repeated automatically, not by the user."""


@dataclass(slots=True, kw_only=True)
class _Running:
    """A call that has not ended."""

    name: str
    words: str
    """The words for the running call, such as `calling mint`."""
    arguments: JsonObject
    began_s: float
    sent_s: float
    """The time, by `time.time`, from which the server may work on the call."""
    worker: Worker[None]
    ticking: Timer
    is_quiet: bool = False
    """True if the focus stays where it is, because the call was repeated automatically."""
    is_held: bool = False
    """True if the call waits for the user to agree."""
    is_asked: bool = False
    """True if the server waits for an answer from the user."""
    progress: Progress | None = None


class RepeatableCall(Struct, frozen=True, kw_only=True):
    """A call, with everything that is needed to make it again."""

    name: str
    arguments: JsonObject
    in_short: str
    title: str
    """The title of the call in the timeline, such as `mint` or `resources/read demo://note`."""
    input_schema: Json
    """The input schema of the tool when the user made the call."""


def call_words(title: str, in_short: str, kind: Kind) -> Content:
    """A call in words: its title, followed by the arguments of a tool or prompt, as in `mint(owner="ada")`.

    `in_short`: the arguments, without sensitive values.
    """
    has_arguments = kind is Kind.TOOL or (kind is Kind.PROMPT and in_short)
    words = f"{title}({in_short})" if has_arguments else title
    return content(shortened(words, 300), "bold")


def _repeats_nothing(_text: str) -> bool:
    return False


class CallRunner:
    """Keeps the entries of each tool's form, checks them, and runs one call at a time."""

    def __init__(
        self,
        screen: Screen[None],
        link: SessionLink,
        gate: PolicyGate,
        asking: Callable[[str], Awaitable[Sequence[ConfirmReason]]],
        pane: CallPane,
        result: ResultPane,
        *,
        read_only: str = "",
    ) -> None:
        """`asking`: returns the reasons to ask before a tool's first call, such as a changed definition.

        `read_only`: the reason why nothing can ever be called; empty for a live server.
        """
        self._screen = screen
        self._link = link
        self._gate = gate
        self._asking = asking
        self._pane = pane
        self._result = result
        self._read_only = read_only
        self._view: ToolView | None = None
        self._written: dict[str, Writing] = {}
        self._running: _Running | None = None
        self._wanted: bool | None = None
        """None unless a call waits for the check of its arguments. True if it is sent even with problems."""
        self._checks = Latest(screen, check, self._checked, self._not_checked)
        self.last: RepeatableCall | None = None
        self._stopped: RepeatableCall | None = None
        """The last call that waited for the user to agree; None if a call has ended with a record since."""
        self._last_of: dict[str, RepeatableCall] = {}
        """The last call of each item, by its name."""
        self._made: dict[int, RepeatableCall] = {}
        """The calls that have ended with a record, by the number of the record."""
        self._spans: deque[tuple[float, float]] = deque(maxlen=8)
        self.repeats: Callable[[str], bool] = _repeats_nothing
        """Returns true for a text that repeats a withheld value."""
        self.is_shown = True
        """True if the panes show this server. If false, they show another server."""

    def _changed(self) -> None:
        self._screen.post_message(CallChanged())

    @property
    def is_running(self) -> bool:
        return self._running is not None

    @property
    def spans(self) -> tuple[tuple[float, float | None], ...]:
        """Begin and end of the last eight calls and of the running call, by `time.time`.

        The running call has the end None. It is left out while it waits for the user to agree.
        """
        running = ((self._running.sent_s, None),) if self._running and not self._running.is_held else ()
        return (*self._spans, *running)

    @property
    def result_to_lose(self) -> str:
        """The name of the running call whose result is lost if Sightline quits; empty if there is none.

        Untrusted text.
        """
        running = self._running
        return "" if running is None or running.is_quiet or running.is_held else running.name

    @property
    def tool(self) -> Tool | None:
        """The tool whose form is shown, or the resource, template or prompt as a tool."""
        return self._view.tool if self._view else None

    def written(self, view: ToolView) -> tuple[Mapping[str, Entered], str | None]:
        """The entries in the form of an item, by pointer, and its arguments as JSON text.

        They are what the user entered last. The text is None if the form is used. If the user has not entered
        anything yet, the entries are the defaults of the schema. If the form of a changed definition cannot
        hold what was entered, the arguments are returned as JSON text.
        """
        found = self._written.get(view.tool.name) if view.tool else None
        if found is None:
            return default_entries(view.form) if view.form else dict[str, Entered](), None
        if found.text is not None or view.form is None:
            return found.entered, found.text
        taken = carried(found, view.form)
        return taken.entered, editable(taken.arguments) if taken.arguments is not None else None

    def leave_form(self) -> None:
        """Keep the entries of the form, before another form is shown."""
        if self.tool is not None:
            self._written[self.tool.name] = self._pane.writing

    def enter_form(self, view: ToolView) -> None:
        """Note that another form is shown."""
        self._view = view
        self._wanted = None

    def no_form(self) -> None:
        """Note that no form is shown any more. The entries are kept."""
        self.leave_form()
        self._view = None

    def edited(self, event: CallPane.Edited) -> None:
        """Check the arguments that the user has written, in a thread."""
        if self.tool is not None:
            self._checks.ask(CheckAsked(entry=self.tool, writing=event.writing))

    def obstacle(self) -> str:
        """The reason why nothing can be called now; empty if a call is possible."""
        if self._read_only:
            return self._read_only
        if self._running is not None:
            return "A call is running. Esc cancels it."
        if not self._link.is_ready:
            return f"There is no connection ({self._link.state}). R reconnects."
        return ""

    def submit(self, *, anyway: bool) -> None:
        """Call the tool whose form is shown. `anyway`: even if its schema does not allow the arguments."""
        obstacle = self.obstacle() or ("" if self.tool else "This item is malformed, so it cannot be called.")
        if obstacle:
            self._screen.notify(obstacle, severity="warning", markup=False)
            return
        draft = self._pane.draft
        if draft is None:
            self._wanted = anyway
            self._pane.check_now()
        else:
            self._send(draft, anyway=anyway)

    def calls(self, name: str) -> bool:
        """True if the running call is of the tool `name`."""
        return self._running is not None and self._running.name == name

    @property
    def is_filled(self) -> bool:
        """True if the running call has filled in a form of a page, which waits to be submitted."""
        return self._running is not None and self._running.progress is FILLED

    def submit_form(self) -> None:
        """Submit the form of a page that the running call has filled in."""
        if self._running is None or not self.is_filled:
            self._screen.notify("No form of a page waits to be submitted.", markup=False)
            return
        self._running.progress = None
        self._screen.run_worker(self._link.submit)
        self._tick()
        self._changed()

    def repeatable(self, shown: CallRecord | None) -> RepeatableCall | None:
        """The call of the open item that `repeat` makes again; None if the item was not called.

        This is the call whose record is shown; if no record is shown, the last call of the item.
        """
        last = self._last_of.get(self.tool.name) if self.tool is not None else None
        return self._made.get(shown.number, last) if shown is not None else last

    def repeat(self, shown: CallRecord | None, why_not: str, began: Callable[[], None]) -> None:
        """Make a call of the open item again with the same arguments. The policy decides as on any call.

        If the input schema has changed and the arguments do not fit it, the call is not made, and a message
        says why. `why_not`: the message if the item was not called. `began`: called once the call has begun.
        """
        call = self.repeatable(shown)
        obstacle = self.obstacle() or ("" if call else why_not)
        if obstacle or call is None:
            self._screen.notify(obstacle, severity="warning", markup=False)
        elif self._has_other_schema(call):
            check = work_of(self._repeat_if_it_fits, call, began)
            self._screen.run_worker(check, group="repeating", exclusive=True)
        else:
            self._start(call)
            began()

    async def _repeat_if_it_fits(self, call: RepeatableCall, began: Callable[[], None]) -> None:
        why = await self.no_longer_fits(call)
        reason = f"Not called: the arguments no longer fit: {why}. 1 edits them." if why else self.obstacle()
        if reason:
            self._screen.notify(content(reason).plain, severity="warning", markup=False)
        else:
            self._start(call)
            began()

    def _has_other_schema(self, call: RepeatableCall) -> bool:
        """True if the input schema of a tool has changed since the user made this call."""
        tool = self._link.tool(call.name)
        return tool is not None and not equal(tool.input_schema, call.input_schema)

    async def no_longer_fits(self, call: RepeatableCall) -> str:
        """The reason why a call no longer fits the input schema of its tool; empty if it fits.

        Also empty if the arguments did not fit the earlier schema: the user has sent them anyway.
        The reason is untrusted text.
        """
        tool = self._link.tool(call.name)
        if tool is None or not self._has_other_schema(call):
            return ""
        if await asyncio.to_thread(misfit, call.arguments, call.input_schema):
            return ""
        return await asyncio.to_thread(misfit, call.arguments, tool.input_schema)

    async def why_unfit(self, tool: Tool, arguments: JsonObject, record: CallRecord | None) -> str:
        """The reason why arguments do not fit the input schema of a tool; empty if they fit. Untrusted text.

        Also empty if they did not fit when the user sent them anyway, in the call of `record`.
        """
        made = self._made.get(record.number) if record is not None else None
        if made is not None and made.name == tool.name:
            return await self.no_longer_fits(made)
        return await asyncio.to_thread(misfit, arguments, tool.input_schema)

    def is_made(self, record: CallRecord, call: RepeatableCall) -> bool:
        """True if `record` is the record of `call`."""
        return self._made.get(record.number) is call

    def repeat_unasked(self) -> str:
        """Repeat the last call, unless the policy requires the user's consent, or the user has refused.

        Returns the reason why no call was made; empty if one was made.
        """
        obstacle = self.obstacle()
        if not obstacle and self.last is not None and self.last is self._stopped:
            return "you were asked about it, and that call has no result"
        if self.last is not None and not obstacle:
            self._start(self.last, is_quiet=True)
        return obstacle

    def _start(self, call: RepeatableCall, *, is_quiet: bool = False) -> None:
        name = call.name
        self.last = self._last_of[name] = call
        self._running = _Running(
            name=name,
            words=running_words(call.title),
            arguments=call.arguments,
            began_s=monotonic(),
            sent_s=time(),
            worker=self._screen.run_worker(work_of(self._call, call, may_ask=not is_quiet), group="call"),
            ticking=self._screen.set_interval(_TICK_S, self._tick),
            is_quiet=is_quiet,
        )
        self._screen.post_message(CallStarted(self._link, call.title, call.in_short))
        is_in_use = is_quiet and self._pane.has_focus_within
        if self.tool is not None and self.tool.name == name and not is_in_use:
            self._pane.fold(call_words(call.title, call.in_short, self.tool.kind))
        if not is_quiet:
            self._tick()
            self._result.focus_result()
        self._changed()

    async def _call(self, call: RepeatableCall, *, may_ask: bool) -> None:
        asking = await self._asking(call.name)
        session = self._link.session
        if session is None:
            return
        try:
            ruled = await self._gate.made(
                session,
                call.name,
                call.arguments,
                asking=asking,
                on_hold=self._hold,
                on_progress=self._advance,
                may_ask=may_ask,
            )
        except InspectorError as error:
            self._stop(error.message)
        else:
            self._made[ruled.record.number] = call
            self._stopped = None
            self._end()
            if self.is_shown and self._result.view is None and ruled.record.size_bytes >= _LARGE_BYTES:
                words = f"{size(ruled.record.size_bytes)} received. The result is being judged …"
                self._result.show_note(Content(words))
            self._screen.post_message(CallFinished(self._link, ruled.record))
            self._gate.hear(session, ruled)

    def running_title(self) -> tuple[object, str] | None:
        """An object that identifies the running call, and the call's name; None if no call is running.

        The name is untrusted text.
        """
        return None if self._running is None else (self._running, self._running.name)

    def hold(self, is_asked: bool) -> None:  # noqa: FBT001 - a state
        """Note whether the server waits for an answer from the user."""
        if self._running is not None:
            self._running.is_asked = is_asked
            self._tick()

    def _hold(self, is_held: bool) -> None:  # noqa: FBT001 - a state
        """Note whether the call waits for the user to agree. The call's duration counts from this moment."""
        if self._running is not None:
            self._stopped = self.last
            self._running.is_held = is_held
            self._running.began_s = monotonic()
            self._running.sent_s = time()
            self._tick()

    def _advance(self, progress: Progress) -> None:
        if self._running is not None:
            self._running.progress = progress
            if progress is FILLED:
                self._tick()
                self._changed()

    def _end(self) -> None:
        if self._running is not None:
            self._running.ticking.stop()
            self._spans.append((self._running.sent_s, time()))
            self._running = None
            if self.is_shown:
                self._result.show_progress(None)
            self._changed()

    def _stop(self, reason: str) -> None:
        """End the running call without a record. `reason` may quote untrusted text."""
        name = self._running.name if self._running else ""
        is_quiet = self._running is not None and self._running.is_quiet
        self._end()
        if (
            not is_quiet
            and self._result.has_focus_within
            and self.tool is not None
            and self.tool.name == name
        ):
            # There is no result to read. The user may change the arguments and call again.
            self._pane.focus_line()
        note = Content.assemble(
            content(shortened(name, 60), "bold"),
            " has no result. Sightline: ",
            content(shortened(reason, 20_000)),
        )
        self._screen.post_message(CallStopped(self._link, name, note, reason, is_quiet))

    def cancel(self) -> None:
        """Cancel the running call. If its request was sent, the server is notified."""
        if self._running is not None:
            elapsed = duration(monotonic() - self._running.began_s)
            running, was_sent = self._running, not self._running.is_held
            running.worker.cancel()
            if was_sent:
                given_up = CallGivenUp(
                    self._link, running.name, running.arguments, monotonic() - running.began_s
                )
                self._screen.post_message(given_up)
            sent = f"cancelled after {elapsed}; the {self._link.peer} was notified"
            self._stop(sent if was_sent else "cancelled; nothing was sent")

    def toggle_json(self) -> None:
        """Switch between the form and JSON, if both can hold the same arguments."""
        view = self._view
        if view is None or view.form is None:
            self._screen.notify("A malformed item has no arguments.", severity="warning", markup=False)
            return
        writing = self._pane.writing
        if writing.text is None:
            self._write_json(view.form, writing)
            return
        entered = as_entries(writing)
        if entered is None:
            reason = f"The form cannot show these arguments: {shortened(not_in_form(writing), 200)}."
            self._screen.notify(reason, severity="warning", markup=False)
        else:
            self._pane.write_form({**sensitive_entries(writing.lines, writing.entered), **entered})

    def _write_json(self, form: Form, writing: Writing) -> None:
        """Switch to JSON. Sensitive values stay in the form, because JSON would show them."""
        hidden = sensitive_entries(writing.lines, writing.entered)
        open_entries = {pointer: entry for pointer, entry in writing.entered.items() if pointer not in hidden}
        arguments = as_arguments(replace(writing, entered=open_entries)).arguments
        if hidden:
            words = "Sensitive arguments stay in the form and are not in the JSON, which would show them."
            self._screen.notify(words, severity="warning", markup=False)
        self._pane.write_json(editable(arguments or example(form)))

    def copy(self, target: Target) -> None:
        """Copy the call in the form as a command; without a form, the last call."""
        found = self._pane.draft or as_arguments(self._pane.writing)
        if self.tool is not None and found.arguments is not None:
            made = copied(target, self.tool, found.arguments, self.repeats)
        elif self.last is not None:
            tool = self._link.tool(self.last.name) or self.last.name
            made = copied(target, tool, self.last.arguments, self.repeats)
        else:
            made = "There is no call to copy."
        if isinstance(made, str):
            self._screen.notify(made, severity="warning", markup=False)
            return
        self._screen.app.copy_to_clipboard(made.text)  # pyright: ignore[reportUnknownMemberType]
        words = (
            f"Copied, without {', '.join(made.left_out)}."
            if made.left_out
            else "Copied the call as a command."
        )
        self._screen.notify(words, markup=False)

    def _send(self, found: ArgumentDraft, *, anyway: bool) -> None:
        tool = self.tool
        if tool is None:
            return
        if found.arguments is None:
            self._screen.notify(
                "The text is not a JSON object: it cannot be sent.", severity="error", markup=False
            )
        elif found.problems and not anyway:
            found_wrong = content(shortened(self._pane.complain(), 300)).plain
            self._changed()
            words = f"{found_wrong}  {command('form.send-anyway').key} sends it anyway."
            self._screen.notify(words, severity="warning", markup=False)
        else:
            shown = in_short(found.arguments, self._view.form if self._view else None)
            if self._link.session is not None:
                shown = self._link.session.own.mask(shown)
            self._begin(tool, found.arguments, shown)

    def read(self, item: Item) -> bool:
        """Read a resource or get a prompt without arguments, whichever form is shown.

        Returns whether the call begins.
        """
        obstacle = self.obstacle()
        if obstacle:
            self._screen.notify(obstacle, severity="warning", markup=False)
            return False
        return self._begin(item.as_tool, {}, "")

    def call(self, tool: Tool, arguments: JsonObject, shown: JsonObject, in_short: str) -> bool:
        """Call a tool with these arguments, whatever the form holds. Returns whether the call begins.

        `shown`: the arguments to show in the form. `in_short`: the arguments as a short text. Both are
        without sensitive values.
        """
        obstacle = self.obstacle()
        if obstacle:
            self._screen.notify(obstacle, severity="warning", markup=False)
            return False
        self._pane.show_arguments(shown)
        return self._begin(tool, arguments, in_short)

    def fill(self, arguments: JsonObject) -> None:
        """Write arguments into the shown form; as JSON if the form cannot express them."""
        text = editable(arguments)
        found = as_entries(Writing(lines=self._pane.writing.lines, entered={}, text=text))
        if found is None:
            self._pane.unfold()
            self._pane.write_json(text)
        else:
            self._pane.write_form(found)

    def _begin(self, tool: Tool, arguments: JsonObject, in_short: str) -> bool:
        try:
            title = handle_of(tool, tool.name, arguments)
        except UsageError as error:
            self._screen.notify(error.message, severity="error", markup=False)
            return False
        call = RepeatableCall(
            name=tool.name,
            arguments=arguments,
            in_short=in_short,
            title=title,
            input_schema=tool.input_schema,
        )
        self._start(call)
        return True

    def _checked(self, asked: CheckAsked, found: ArgumentDraft) -> None:
        if asked.entry is not self.tool or not self._pane.take_draft(found, asked.writing):
            return
        wanted, self._wanted = self._wanted, None
        self._changed()
        if wanted is not None:
            self._send(found, anyway=wanted)

    def _not_checked(self, asked: CheckAsked, error: BaseException) -> None:
        words = f"the arguments could not be checked ({type(error).__name__}): a defect of Sightline"
        known = as_arguments(asked.writing).arguments if asked.writing.text is None else None
        self._checked(asked, ArgumentDraft(arguments=known, problems=(Problem(pointer="", message=words),)))

    def _tick(self) -> None:
        running = self._running
        if running is None or not self.is_shown:
            return
        elapsed_s = monotonic() - running.began_s
        if running.is_held:
            self._hold_on(held_line(running.name))
        elif running.is_asked:
            self._hold_on(asked_line(running.name))
        elif self._result.view is None:
            timeout_s = self._link.timeout_s
            self._result.show_note(waiting_note(running.words, elapsed_s, running.progress, timeout_s))
        else:
            self._result.show_progress(progress_line(running.words, elapsed_s, running.progress))

    def _hold_on(self, line: Content) -> None:
        if self._result.view is None:
            self._result.show_note(line)
        else:
            self._result.show_progress(line)
