"""The servers of a run: the state that the screen keeps of each server, and which server is shown."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen
from textual.worker import Worker, WorkerCancelled

from inspector.boundary.options import Level
from inspector.claims.registry import vocabularies
from inspector.hosts.registry import hosts
from inspector.json.exact import JsonObject
from inspector.pins.known_secrets import SessionSecrets
from inspector.pins.pins import changes_between, definitions_of
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.raised import raised_in
from inspector.protocol.targets import PageTarget
from inspector.protocol.timeline import Entry as TimelineEntry
from inspector.session.call_record import CallRecord
from inspector.session.events import SessionState
from inspector.session.live import Session
from inspector.tui.apps.opening import AppOpener
from inspector.tui.asks.authorization import UserAuthorizer
from inspector.tui.asks.responder import UserResponder
from inspector.tui.call.runner import CallGivenUp, CallRunner, CallStopped
from inspector.tui.catalogue.collisions import collisions
from inspector.tui.catalogue.marks import Mark
from inspector.tui.catalogue.pane import CataloguePane
from inspector.tui.catalogue.rows import Rows, ServerHeading, rows
from inspector.tui.connection.connection import SessionLink
from inspector.tui.connection.failure import RECENT_LINES, FailureView
from inspector.tui.connection.source import ServerSource
from inspector.tui.findings.reviewer import OtherServers, Reviewer
from inspector.tui.findings.rows import FindingsView
from inspector.tui.history.keeper import HistoryKeeper
from inspector.tui.main.finding_actions import FindingActions, PlaceIn, TimelinePast
from inspector.tui.main.history_actions import HistoryActions
from inspector.tui.main.selection import Selection
from inspector.tui.main.subscriptions import ResourceSubscriptions, subscribable
from inspector.tui.main.tool_pane import ToolPane
from inspector.tui.pins.screen import PinsScreen
from inspector.tui.pins.watcher import PinWatcher
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.recording.recorder import SessionRecorder
from inspector.tui.result.pane import ResultPane
from inspector.tui.runtime.latest import Latest
from inspector.tui.runtime.workers import work_of
from inspector.tui.secrets.keeper import VaultKeeper, VaultScreen
from inspector.tui.text import content, count, cut_in_the_middle, shortened
from inspector.tui.timeline.rows import is_printed

if TYPE_CHECKING:
    from inspector.files.watching import Watching
    from inspector.tui.watch.watcher import Watcher


_MOST_STDERR = 400
"""The maximum number of lines of stderr that are searched for the exception that ended the server."""
_MOST_BEFORE = 200
"""The maximum number of timeline entries that are searched for what a server printed before it was ready."""


def _host_names() -> tuple[str, ...]:
    """The names of all hosts. Also loads the vocabularies, which the first listing needs.

    Blocks: call it in a thread.
    """
    vocabularies()
    return tuple(host.name for host in hosts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The parts that all servers share: the screen and its panes, the policy gate, and functions of the screen."""

    screen: Screen[None]
    catalogue: CataloguePane
    tool: ToolPane
    result: ResultPane
    gate: PolicyGate
    secrets: SessionSecrets
    level: Level
    host: str
    read_only: str
    is_history_kept: bool
    watching: "Watching | None"
    changed: Callable[[], None]
    """Updates the header and the keys."""
    keys_changed: Callable[[], None]
    vault_changed: Callable[[], None]
    draw_shown_server: Callable[[], None]
    """Draws everything that depends on which server is shown. Called after another server is shown."""
    take_rows: Callable[["ServerParts", Catalogue, Rows], None]
    called: Callable[["ServerParts", CallRecord], None]
    """Shows a call that an interface of MCP Apps has made."""
    will_go_back: Callable[[Callable[[], None], PlaceIn], None]
    will_come_back_to_history: Callable[[str], None]
    exchange_of: Callable[[int], tuple[Session, TimelineEntry] | None]
    """Returns the exchange of a call of this run and its session, by the number of the call; None if there is none."""
    sessions: Callable[[str], Sequence[Session]]
    """Returns the sessions with a server, the newest first, by the name of the server in the timeline."""
    began_s: Callable[[Session], float]
    """Returns when a session began, in seconds since the first session of the timeline began."""
    show_recorded_call: Callable[[int, str], bool]
    """Shows a place in the last frame of a recorded call; returns false if no recording is shown.

    Takes the number of the call and the pointer to the place.
    """
    open_tab: Callable[[str], None]


class ServerParts:
    """One server: its connection, and all its state, which is kept while another server is shown."""

    def __init__(
        self, source: ServerSource, number: int, stage: Stage, show_server: Callable[[], None]
    ) -> None:
        """`show_server`: shows this server."""
        screen, target, result = stage.screen, source.target, stage.result
        self.target, self.label, self.number = target, source.name, number
        self._stage = stage
        self._life: Worker[None] | None = None
        self._restarting = asyncio.Lock()
        self._then: Callable[[], None] | None = None
        """The function to call after the next complete listing."""
        self._printed = ""
        """What the server printed to stdout before it was ready, as it was last shown."""
        self.failure: FailureView | None = None
        """The reason why there is no connection."""
        self._has_rows = False
        """True if the catalogue shows a listing of this server."""
        self._listings = Latest(screen, rows, self._take_rows, self._could_not)
        self.recorder = SessionRecorder(screen, source.opener, target, stage.changed, self.label)
        self.link = SessionLink(self.recorder.opened, screen)
        self.subscriptions = ResourceSubscriptions(self.link)
        self.history = HistoryKeeper(screen, target, self.show_history, is_kept=stage.is_history_kept)
        self.vault = VaultKeeper(screen, self.link, self._show_vault, stage.secrets)
        self.pins = PinWatcher(screen, self.link, target, self._show_pins, self.vault.masked)
        self.runner = CallRunner(
            screen,
            self.link,
            stage.gate,
            self.pins.asks,
            stage.tool.call,
            result,
            read_only=stage.read_only,
        )
        self.runner.repeats = self.vault.repeats
        self.link.responder = UserResponder(
            screen,
            target,
            self.runner,
            self.label,
            withheld=lambda: self.vault.known_now,
        ).answer
        self.link.conceal = self._conceal_all
        self.authorizer = UserAuthorizer(screen, self.runner.hold)
        self.link.authorizer = self.authorizer.agree
        self.section = stage.catalogue.section(number)
        self.selection = Selection(
            screen,
            self.section,
            stage.tool,
            result,
            self.runner,
            self.vault,
            level=stage.level,
            host=stage.host,
            enter=show_server,
        )
        self.reviewer = Reviewer(
            screen,
            self.link,
            self._show_findings,
            target,
            changed=self._show_signs,
            drawn=stage.keys_changed,
            before_each=self.selection.idle,
        )
        self.findings = FindingActions(
            screen,
            self.link,
            self.reviewer,
            self.selection,
            self.section,
            stage.will_go_back,
            TimelinePast(
                exchange_of=stage.exchange_of,
                sessions=partial(stage.sessions, self.label),
                began_s=stage.began_s,
                show_recorded_call=stage.show_recorded_call,
            ),
            secrets=stage.secrets,
        )
        self.history_actions = HistoryActions(
            screen,
            self.link,
            self.history,
            self.selection,
            self.runner,
            target,
            self.vault.known_beside,
            as_saved=source.as_saved,
            will_come_back=stage.will_come_back_to_history,
            open_tab=stage.open_tab,
            repeats=self._agree,
        )
        self.apps = AppOpener(
            screen,
            self.link,
            stage.gate,
            self.runner,
            self.pins.asks,
            called=partial(stage.called, self),
            known=self.vault.known_beside,
        )
        self.watch = self._watcher_of(stage.watching) if stage.watching is not None else None
        self.reviewer.is_watched = self.watch is not None

    def _watcher_of(self, watching: "Watching") -> "Watcher":
        from inspector.tui.watch.watcher import Watcher  # noqa: PLC0415 - few runs watch

        return Watcher(
            self._stage.screen,
            self.link,
            self.runner,
            self.pins,
            self.selection,
            watching=watching,
            target=self.target,
            restart=self.reconnect,
            changed=self._stage.keys_changed,
            marked=self._stage.catalogue.refresh_marks,
            outdate=self._stage.result.outdate,
        )

    def mark(self, name: str) -> Mark:
        """The mark of a definition that differs from an earlier definition; an empty mark if it does not.

        The earlier definition is the pinned one, the one in the first listing, or the one before the last
        save of a watched file.
        """
        mark = self.pins.mark(name)
        return mark if mark.words.plain or self.watch is None else self.watch.mark(name)

    @property
    def is_shown(self) -> bool:
        """True if the panes show this server."""
        return self.selection.is_shown

    # The life of the connection.

    def begin(self) -> None:
        """Connect, and load the accepted findings."""
        screen = self._stage.screen
        self._life = screen.run_worker(self._live, group="connection")
        screen.run_worker(self.reviewer.begin, group=f"review {self.number}", exclusive=True)

    async def _live(self) -> None:
        if not self.selection.hosts:
            self.selection.hosts = await asyncio.to_thread(_host_names)
        await self.link.live()

    async def end(self) -> None:
        """Close the connection and an open MCP Apps interface, and wait for server and browser to end."""
        await self.apps.end()
        life = self._life
        if life is None or not life.is_running:
            return
        # A second cancellation would interrupt the closing that the first one has begun.
        if not life.is_cancelled:
            life.cancel()
        with suppress(WorkerCancelled):
            await asyncio.shield(life.wait())

    async def close_files(self) -> str:
        """Write the rest of the history and of a recording. Returns a sentence about the recording, if there is one."""
        recorded = await self.recorder.close()
        await self.history.close()
        return recorded

    async def reconnect(self) -> None:
        """Close the connection and connect again. A local server is started again."""
        async with self._restarting:
            await self.end()
            self.begin()

    def restart(self, then: Callable[[], None] | None = None) -> None:
        """Cancel the running call, and reconnect in a worker, because closing may take a while.

        `then`: called once everything is listed; not if connecting fails, or if another restart comes first.
        """
        self.runner.cancel()
        self._then = then
        self.link.state = SessionState.CONNECTING
        self._stage.changed()
        group = f"reconnecting {self.number}"
        self._stage.screen.run_worker(self.reconnect, group=group, exclusive=True)

    def printed_before(self) -> str:
        """A sentence about what the server printed to stdout before it was ready. Untrusted text.

        Empty if it printed nothing, or the same as at the last call of this method.
        """
        entries = self.link.session.timeline.entries if self.link.session is not None else ()
        printed = next((entry.detail for entry in entries[:_MOST_BEFORE] if is_printed(entry)), "")
        before, self._printed = self._printed, printed or self._printed
        return (
            f"The {printed}. Strict clients close the connection then."
            if printed and printed != before
            else ""
        )

    @property
    def has_something(self) -> bool:
        """True if there is an item or a result of this server to look at."""
        return self.selection.has_records or self.link.has_items

    # What the screen reports.

    def forget_call(self) -> None:
        """Forget the function that `restart` was to call after connecting, because connecting has failed."""
        self._then = None

    def fail(self, message: str, hint: str) -> None:
        """Store and show the reason why there is no connection.

        `message` and `hint` may quote untrusted text, in which withheld values are masked.
        """
        # The stderr of a browser says nothing about a page.
        is_page = isinstance(self.target, PageTarget)
        stderr = () if is_page else self.link.last_words()
        recent = () if is_page else self.link.last_words(_MOST_STDERR, since_request=True)
        raised = raised_in(recent)
        said = (
            () if raised is None else (f"{raised.place}: {raised.words}" if raised.place else raised.words,)
        )
        recent = said or recent[-RECENT_LINES:]
        known = self.vault.known_now
        self.failure = FailureView(
            message=message, hint=hint, stderr=known.masked_lines(stderr), recent=known.masked_lines(recent)
        )

    def listed(self) -> None:
        """Show the listing, which has changed, and review it."""
        if self.link.session is not None:
            if self.link.is_listed or not self._has_rows:
                # A later listing is shown only when it is complete, because a partial one may lack the item
                # under the cursor.
                self.show_listing(self.link.session.catalogue)
            self.reviewer.listed()
            if self.link.is_listed and self.link.is_ready and self._then is not None:
                then, self._then = self._then, None
                then()
            if not self._stage.read_only:
                self.pins.listed()
            if self.watch is not None:
                self.watch.listed()

    def show_listing(self, catalogue: Catalogue) -> None:
        """Compute the rows of a catalogue in a thread, and show them when they are ready."""
        self._listings.ask(catalogue)

    def list_again(self, *, is_wanted: bool = False) -> None:
        """Read every list of the server again. Cancels a reading that has not ended.

        `is_wanted`: true if the user wants it. The user is then notified of the outcome.
        """
        read = self._list_again if is_wanted else self.link.relist
        self._stage.screen.run_worker(read, group=f"listing {self.number}", exclusive=True)

    async def _list_again(self) -> None:
        session = self.link.session
        before = session.catalogue if session is not None else None
        if not await self.link.relist() or session is None or before is None:
            return
        listings = (definitions_of(each, None) for each in (before, session.catalogue))
        changed = len(await asyncio.to_thread(changes_between, *listings))
        changes = count(changed, "change in the definitions", "changes in the definitions")
        words = f"Listed again: {count(len(session.catalogue.tools), 'tool')}, {changes if changed else 'nothing changed since the last listing'}."
        self._stage.screen.notify(self.named(words), markup=False)

    def finished(self, record: CallRecord) -> None:
        """Pass the record of a call that has ended to the selection, the watcher, the review and the history."""
        self.selection.finished(record)
        if self.watch is not None:
            self.watch.finished(record)
        self.reviewer.finished(record)
        self.history.finished(record)
        if record.kind in {Kind.RESOURCE, Kind.TEMPLATE, Kind.SKILL}:
            self.subscriptions.read(record.title)

    def given_up(self, call: CallGivenUp) -> None:
        """Record a cancelled call in the history."""
        self.history.cancelled(call.name, self.link.tool(call.name), call.arguments, call.duration_s)

    def repeat(self, shown: "CallRecord | None") -> None:
        """Make the call of a record again, or the last call of the open item."""
        self.runner.repeat(shown, self.selection.uncalled_note.plain, self._agree)

    def _agree(self) -> None:
        """Note that the user has pressed `r`, so that with `--watch` later saves repeat this call."""
        if self.watch is not None:
            self.watch.agree()

    def stopped(self, call: CallStopped) -> None:
        """Show why a call has ended without a record."""
        if self.watch is not None:
            self.watch.stopped(call.reason)
        if not call.is_quiet:
            self.selection.stopped(call.name, call.note)

    def resource_changed(self, uri: str) -> None:
        """Notify the user that a resource has changed, once until the resource is read again."""
        if self.subscriptions.updated(uri):
            words = f"{cut_in_the_middle(uri, 120)} has changed."
            self._stage.screen.notify(self.named(words), severity="warning", timeout=5, markup=False)

    @property
    def open_resource(self) -> str | None:
        """The URI of the open resource; None if another kind of item is open."""
        return subscribable(self.selection.tool, self.selection.record)

    def toggle_subscription(self) -> None:
        """Subscribe to the open resource, or end its subscription."""
        uri = self.open_resource
        if uri is None:
            words = "Open a resource to subscribe to it; a template has to be read first."
            self._stage.screen.notify(words, markup=False)
            return
        is_wanted = uri not in self.link.subscriptions
        changing = work_of(self._change_subscription, uri, is_wanted=is_wanted)
        self._stage.screen.run_worker(changing, group="subscribing")

    async def _change_subscription(self, uri: str, *, is_wanted: bool) -> None:
        reason = await self.link.subscribe(uri, is_wanted=is_wanted)
        if reason:
            words = content(shortened(reason, 400)).plain
            self._stage.screen.notify(self.named(words), severity="warning", timeout=5, markup=False)

    def named(self, words: str) -> str:
        """`words` after the name of the server, if there are several servers."""
        return f"{content(cut_in_the_middle(self.label, 40)).plain}: {words}" if self.label else words

    # What the parts report.

    def show_history(self) -> None:
        if self.is_shown:
            self.count_history()
            self._stage.keys_changed()

    def count_history(self) -> None:
        """Show on the History tab the number of calls of the open tool in this run."""
        tool = self.selection.tool
        calls = (call for call in self.history.calls if tool is not None and call.past.tool == tool.name)
        self._stage.tool.count_history(sum(call.is_new for call in calls))

    def conceal(self, secret: str) -> None:
        """Keep a secret out of files, mask it in later texts of the session, and search later results for it."""
        if self.link.session is not None:
            self.link.session.conceal([secret])
        self.history.conceal([secret])
        self.vault.learn(secret)

    def _conceal_all(self, secrets: list[str]) -> None:
        for secret in secrets:
            self.conceal(secret)

    def _show_vault(self) -> None:
        self._stage.vault_changed()
        shown = self._stage.screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, VaultScreen):
            shown.show_current()

    def _show_findings(self, view: FindingsView) -> None:
        self._stage.tool.show_findings(view)
        self._stage.result.show_findings(view.to_model)

    def _show_pins(self) -> None:
        if self.link.session is not None:
            self.show_listing(self.link.session.catalogue)
            self.reviewer.pinned(self.pins.state)
        shown = self._stage.screen.app.screen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(shown, PinsScreen):
            shown.show_current()
        self._stage.keys_changed()

    def _show_signs(self) -> None:
        self._stage.catalogue.refresh_marks()
        self._stage.keys_changed()

    def _take_rows(self, catalogue: Catalogue, found: Rows) -> None:
        self._has_rows = bool(found)
        self._stage.take_rows(self, catalogue, found)

    def _could_not(self, asked: Catalogue, error: BaseException) -> None:
        del asked
        words = f"The catalogue could not be shown ({type(error).__name__}): a defect of Sightline."
        self._stage.screen.notify(words, severity="error", markup=False)


class Servers:
    """All servers. The panes show the server of the selected item."""

    def __init__(self, sources: Sequence[ServerSource], stage: Stage) -> None:
        self._stage = stage
        self.all: tuple[ServerParts, ...] = tuple(
            ServerParts(source, number, stage, partial(self._enter, number))
            for number, source in enumerate(sources)
        )
        self.shown = self.all[0]
        for other in self.all[1:]:
            other.selection.leave()
        self._collisions: dict[str, tuple[str, ...]] = {}
        self._complete: dict[int, Catalogue] = {}
        """The last complete listing of each server, by its number, which the reviews compare."""
        for server in self.all:
            server.reviewer.others = partial(self._others, server)
        stage.gate.findings = self._findings_about

    def _findings_about(self, session: Session, name: str) -> Content:
        """The number of findings about a tool in words; empty if there are none."""
        server = next((server for server in self.all if server.link.session is session), None)
        tool = session.catalogue.tool(name)
        return (server.reviewer.sign(tool).explained if server and tool else None) or Content("")

    @property
    def are_several(self) -> bool:
        return len(self.all) > 1

    @property
    def place(self) -> str:
        """The number of the shown server, such as `2 of 3`; empty if there is only one."""
        return f"{self.shown.number + 1} of {len(self.all)}" if self.are_several else ""

    def of(self, link: SessionLink) -> ServerParts:
        """The server that uses this link."""
        return next(server for server in self.all if server.link is link)

    async def complete(self, item: Item, argument: str, value: str, filled: JsonObject) -> tuple[str, ...]:
        """The values that the shown server suggests for an argument, without those that repeat a withheld value.

        `value`: what is typed so far. `filled`: the other arguments that are filled in.
        """
        server = self.shown
        offered = await server.link.complete(item, argument, value, filled)
        known = await asyncio.to_thread(lambda: server.vault.known_now)
        return tuple(each for each in offered if not known.repeats(each))

    def conceal(self, secret: str) -> None:
        """Keep a fetched secret out of every file, whichever server repeats it or gets it in an argument."""
        for server in self.all:
            server.conceal(secret)

    def called(self, label: str) -> ServerParts:
        """The server with this name."""
        return next(server for server in self.all if server.label == label)

    def choose(self, server: ServerParts) -> Selection:
        """Return the selection of a server, to open one of its items.

        Other servers stop preparing items to show.
        """
        for other in self.all:
            if other is not server:
                other.selection.drop()
        return server.selection

    def show(self, number: int) -> None:
        """Show a server without an open item."""
        selection = self.choose(self.all[number])
        if not selection.is_shown:
            self._enter(number)
        selection.drop()
        selection.show_none()

    def _enter(self, number: int) -> None:
        before, self.shown = self.shown, self.all[number]
        before.selection.leave()
        before.reviewer.look_away()
        self.shown.selection.enter(before.selection.level, before.selection.host)
        self._stage.draw_shown_server()

    def listed(self) -> None:
        """Compare the tools of all servers after a listing has changed."""
        if self.are_several:
            self._collisions = collisions(
                (server.label, server.link.session.catalogue if server.link.session else None)
                for server in self.all
            )
            self._stage.catalogue.refresh_marks()
            before = dict(self._complete)
            for server in self.all:
                if server.link.session is not None and server.link.is_listed:
                    self._complete[server.number] = server.link.session.catalogue
            if any(before.get(number) is not now for number, now in self._complete.items()):
                for server in self.all:
                    server.reviewer.listed()

    def _others(self, server: ServerParts) -> OtherServers:
        others = [other for other in self.all if other is not server]
        return OtherServers(
            listed=tuple(
                other.reviewer.as_neighbour(other.label, self._complete[other.number])
                for other in others
                if other.number in self._complete
            ),
            unlisted=tuple(other.label for other in others if other.number not in self._complete),
        )

    def others_with(self, server: ServerParts, tool: str) -> tuple[str, ...]:
        """The names of the other servers with a tool of this name."""
        return tuple(name for name in self._collisions.get(tool, ()) if name != server.label)

    def headings(self) -> list[ServerHeading]:
        """The headings of the servers in the catalogue; empty if there is only one server."""
        return [_heading(server) for server in self.all] if self.are_several else []


def _heading(server: ServerParts) -> ServerHeading:
    failed = server.link.state in {SessionState.FAILED, SessionState.LOST}
    return ServerHeading(
        name=server.label,
        state=server.link.state,
        tools=server.link.tools,
        reason=server.failure.message if server.failure is not None and failed else "",
        is_recorded=bool(server.recorder.sign),
    )
