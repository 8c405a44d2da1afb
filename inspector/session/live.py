"""A session with one target: connect, list, call, close."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from inspector.errors import (
    InspectorError,
    NotConfirmedError,
    UnreachableError,
    UsageError,
    headline,
)
from inspector.json.exact import JsonObject, Malformed, equal
from inspector.json.members import text_at, value_at
from inspector.protocol.authorization import Access, StepLog
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Listing, Tool
from inspector.protocol.client import ClientProfile, Root
from inspector.protocol.exchanges import SUBSCRIBE, Matched
from inspector.protocol.frames import Channel, Notification, Request, request_key, with_meta
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.server_requests import server_requests
from inspector.protocol.targets import DemoTarget, Era, HttpTarget, PageTarget, StdioTarget, Target
from inspector.protocol.tasks import OF_SERVERS
from inspector.protocol.timeline import Timeline
from inspector.secrets.own_credentials import own_credentials
from inspector.session.asking import Asker
from inspector.session.call_record import (
    AGAIN,
    FILLED,
    VISITING,
    CallRecord,
    Progress,
    progress_of,
    record_page_call,
)
from inspector.session.events import (
    Event,
    FrameSeen,
    ListChanged,
    Listener,
    ListingAdvanced,
    Noted,
    ResourceUpdated,
    SessionState,
    StateChanged,
    SubscriptionsChanged,
)
from inspector.session.facts import ServerFacts, page_facts, server_facts
from inspector.session.options import Options, authorization, reachable
from inspector.session.requests import request_of
from inspector.session.rounds import answered_in_rounds
from inspector.session.server_tasks import answered_by_task, as_task
from inspector.session.subscriptions import ACKNOWLEDGED, LEAVING_S, MOST, UNSUBSCRIBE, Subscriptions
from inspector.session.wording import (
    STARTED_AGAIN,
    error_of,
    failure_of,
    missed_handshake,
    no_tools,
    reason_of,
    refusal,
    shared_name,
)

if TYPE_CHECKING:
    from inspector.connect.connection import Connection
    from inspector.connect.dispatch import FramedAnswer
    from inspector.pins.withheld import WithheldValues
    from inspector.secrets.session import Custody
    from inspector.webmcp.browser.connection import PageConnection


_SHORT_PATIENCE_S = 0.03
AUTHORIZATION = "authorization"
"""The kind of the notes about the steps of an authorization."""
ROOTS_CHANGED = "notifications/roots/list_changed"


class SessionEndedError(UnreachableError):
    """Raised if the server no longer knows the session, and so did not execute the request."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"tools cannot be listed: {failure.detail}", "The next call connects again.")
        self.failure = failure


class Session:
    """A session with one target, from connecting until it is closed."""

    def __init__(self, target: Target, options: Options, listener: Listener | None = None) -> None:
        """`listener`: called with every event in the event loop's thread. It must not block."""
        self.target = target
        self.options = options
        self.own = own_credentials(target)
        """The user's credentials.

        They are masked in errors, failures, notes and the timeline, not in results.
        """
        self.timeline = Timeline(self.own.mask)
        self.catalogue = Catalogue()
        self.server: ServerFacts | None = None
        self.calls: list[CallRecord] = []
        self._entered: WithheldValues | None = None
        """The sensitive arguments of calls so far; None if there are none."""
        self.state = SessionState.IDLE
        self._custody: Custody | None = None
        self._redeem_at: str | None = None
        self._listener = listener
        self._connection: Connection | PageConnection | None = None
        self._reaching: asyncio.Task[None] | None = None
        """The task that connects again. All requests made meanwhile wait for it."""
        self._retired: list[Connection] = []
        """Replaced connections on which requests were still waiting for answers."""
        self._heard = (0.0, 0.0)
        """When the last frame arrived: on the clock of the frames, and as `time.monotonic` gives it."""
        self._replaced = asyncio.Event()
        """Set when the connection was replaced, or when `listen` must send a new subscription."""
        self.subscriptions = Subscriptions(lambda: self._tell(SubscriptionsChanged()))
        self._looked_at = 0
        """The number of frames already searched for requests by the server."""
        self._calling = 0
        """The number of running calls."""
        self._asked_in_calls: set[str] = set()
        """The open requests by the server that arrived during a call, by `request_key`."""
        self._no_completions = False
        """True if the server announced completions but does not have the method."""
        self.asker = Asker(
            options.client.profile,
            options.roots,
            lambda title, what: self.note(title, what, kind="answer"),
            options.responder,
            self.conceal,
        )
        self.asker.paused = lambda: self._server_connection().paused()
        self.recorder = options.recorder
        """The recorder that gets every further event of the session; None if nothing is recorded."""

    async def connect(self) -> ServerFacts:
        """Start or reach the server and agree on a protocol. Raises InspectorError."""
        if self.recorder:
            self.recorder.connect(client=self.options.client.profile.name)
        self._enter(SessionState.CONNECTING)
        try:
            if isinstance(self.target, PageTarget):
                self.server = await self._open_page(self.target)
            else:
                self.server = await self._open_server(self.target, self.options.era)
        except InspectorError as error:
            error.mask(self.own.mask)
            self._enter(SessionState.FAILED, error.message, error.hint)
            raise
        except BaseException:
            self._enter(SessionState.CLOSED)
            raise
        self._enter(SessionState.READY)
        return self.server

    async def _open_server(
        self,
        named: StdioTarget | HttpTarget | DemoTarget,
        era: Era,
        after: "Connection | None" = None,
    ) -> ServerFacts:
        # Loaded after the interface has painted. A replayed session never needs it.
        from inspector.connect.connection import Opening, open_connection  # noqa: PLC0415
        from inspector.connect.stdio import PATIENCE_S  # noqa: PLC0415 - as above

        target, self._redeem_at = reachable(named, self.options.redeem_origin)
        self._connection = await open_connection(
            target,
            Opening(
                era=era,
                timeout_s=self.options.connect_timeout_s,
                announced=self.options.client,
                access=Access(
                    step_log=StepLog(note=self._step, conceal=self.conceal, mask=self.own.mask),
                    authorizing=self.options.authorizing,
                    certificates=self.options.certificates,
                ),
                max_message_bytes=self.options.max_message_bytes,
                transport=self.options.transport,
                patience_s=_SHORT_PATIENCE_S if self.options.is_quick_to_end else PATIENCE_S,
                mask_lines=self._without_arguments,
            ),
            on_frame=self._framed,
            on_notification=self._notified,
            on_request=self._requested,
            on_refusal=self.asker.refused,
            after=after,
        )
        agreement = self._connection.agreement
        for note in agreement.notes:
            self._connection.note(note)
        facts = server_facts(agreement.era, agreement.revision, agreement.result)
        # The timeline already has the note about the second start, from before that start.
        again = (STARTED_AGAIN,) if self._connection.is_second else ()
        return replace(facts, notes=(*again, *agreement.notes))

    def conceal(self, values: list[str]) -> None:
        """Mask `values`, like credentials of the user, in later texts of this session and its recording."""
        self.own.add(values)
        if self.recorder:
            self.recorder.conceal(values)

    def _step(self, step: str, detail: str, is_failed: bool) -> None:  # noqa: FBT001 - a state
        """Add a step of an authorization to the timeline."""
        title, detail = f"OAuth {step}", self.own.mask(detail)
        self.note(title, detail, kind=AUTHORIZATION, is_failed=is_failed)

    async def _open_page(self, target: PageTarget) -> ServerFacts:
        from inspector.webmcp.browser.connection import open_page  # noqa: PLC0415 - as above

        self._connection = await open_page(
            target,
            timeout_s=self.options.connect_timeout_s,
            on_frame=self._framed,
            on_change=lambda: self._tell(ListChanged()),
            will_settle=bool(self.options.wait_s),
        )
        return page_facts(self._connection)

    @property
    def custody(self) -> "Custody":
        """The secrets of this session, created on first use. Only the terminal interface uses them."""
        if self._custody is None:
            from inspector.secrets.session import Custody  # noqa: PLC0415 - what no command needs

            self._custody = Custody()
        return self._custody

    @property
    def now_s(self) -> float:
        """Seconds since the connection was requested; 0 before that."""
        if self._connection:
            return self._connection.now_s()
        at_s, heard_s = self._heard
        return at_s + time.monotonic() - heard_s if heard_s else 0.0

    async def locate_secrets(self) -> None:
        """Determine where secret references may be redeemed. Call it as soon as the server has been reached."""
        connection = self._connection
        if connection is None:
            return
        if isinstance(self.target, PageTarget):
            page = self._page()
            self.custody.redeem_in_page(
                lambda number: page.redeemer(self._tool_of(number)), clock=connection.now_s
            )
            return
        await self.custody.redeem_at_server(
            self._redeem_at, authorization=authorization(self.target), clock=connection.now_s
        )

    async def list_all(self) -> Catalogue:
        """Read every page of every list that the server announces.

        Raises InspectorError if tools cannot be listed.
        """
        if isinstance(self.target, PageTarget):
            return await self._list_page()
        connection = await self._reachable_connection()
        try:
            return await self._list_server()
        except SessionEndedError as error:
            # Cursors belong to their session, so the new session is listed from the start.
            await self._reach_again(connection, error.failure)
            return self.catalogue

    async def _list_server(self) -> Catalogue:
        capabilities = self.server.capabilities if self.server else None
        entries: dict[Kind, tuple[Entry, ...]] = {}
        problems: list[Malformed] = []
        pages_of: dict[Kind, tuple[JsonObject, ...]] = {}
        got = self.catalogue.got
        for kind in Kind:
            announced = kind.is_announced(capabilities)
            if kind is Kind.TOOL or announced:
                pages = Listing(kind, self._server_connection().objection)
                async for page in self._pages(pages, announced=announced):
                    entries[kind] = page
                    self.catalogue = Catalogue(entries=dict(entries), problems=tuple(problems), got=got)
                    self._tell(ListingAdvanced(catalogue=self.catalogue, complete=False))
                problems.extend(pages.problems)
                pages_of[kind] = tuple(pages.pages)
        self.catalogue = Catalogue(entries=entries, problems=tuple(problems), pages=pages_of, got=got)
        self._tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

    async def listen(self) -> None:
        """Subscribe to changes of lists and of subscribed resources, in stateless protocol revisions.

        Runs until it is cancelled.
        """
        from inspector.session.listening import keep_listening, wanted  # noqa: PLC0415 - no command listens

        keeping: asyncio.Task[None] | None = None
        try:
            while True:
                self._replaced.clear()
                server, before, keeping = self.server, keeping, None
                if server is not None and self._connection is not None and server.era is Era.MODERN:
                    notifications = wanted(server.capabilities, self.subscriptions.states)
                    if notifications:
                        keeping = asyncio.ensure_future(
                            keep_listening(
                                self._server_connection(),
                                notifications,
                                reopened=lambda: self._tell(ListChanged()),
                                note=self._stop_listening,
                            )
                        )
                        # The new request is sent before the previous one ends, so that no change is missed.
                        await asyncio.sleep(0)
                await _ended(before)
                await self._replaced.wait()
        finally:
            await _ended(keeping)

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
        annotations: JsonObject | None = None,
        meta: JsonObject | None = None,
        number: int | None = None,
    ) -> CallRecord:
        """Call a tool; or read a resource or get a prompt, if `name` is its handle.

        Cancelling this task cancels the call.

        A failing tool is an outcome, not an exception. Raises UsageError if several documents of a page share
        the name, or if the arguments do not make a URI. `annotations`: statements about the session, sent as
        `_meta.annotations`, except to a page. `meta`: other members of `_meta`. `number`: the number of the
        record; None for the next one.
        """
        from inspector.boundary.judgement import Judgement  # noqa: PLC0415 - it loads every rule

        connection = self._connected()
        tool = self.catalogue.tool(name)
        shared = self.catalogue.sharing(name)
        if shared:
            raise UsageError(*shared_name(name, [tool.name for tool in shared]))
        at_s = connection.now_s()
        if isinstance(self.target, PageTarget):
            answer = await self._page_answer(tool, name, arguments, on_progress, timeout_s)
            asked_s = answer.asked_s
        else:
            members: JsonObject = {**(meta or {}), **({"annotations": annotations} if annotations else {})}
            answer, asked_s = await self._server_answer(
                tool, name, arguments, members, on_progress, timeout_s
            )
        # The duration is measured from frame to frame, as in the timeline and in recordings.
        at_s = at_s if asked_s is None else asked_s
        is_answered = answer.frame is not None and not isinstance(answer.outcome, Failure)
        ended_s = answer.frame.at_s if answer.frame is not None and is_answered else connection.now_s()
        record = CallRecord(
            number=len(self.calls) + 1 if number is None else number,
            name=name,
            arguments=arguments,
            judgement=Judgement(answer.outcome, tool, nonce=secrets.token_hex(8)),
            at_s=at_s,
            duration_s=max(ended_s - at_s, 0.0),
            sent_at_s=time.time() - (connection.now_s() - at_s),
            waited_s=0.0 if isinstance(self.target, PageTarget) else self.asker.waited_s,
            size_bytes=len(answer.frame.raw) if answer.frame else 0,
            received_s=answer.frame.at_s if answer.frame else connection.now_s(),
            policy=self.options.policy,
            has_asked=self._has_asked(),
        )
        self.calls.append(record)
        if self.recorder and isinstance(self.target, PageTarget):
            record_page_call(record, self.recorder)
        self._see_whether_lost()
        return record

    async def _page_answer(
        self,
        tool: Tool | None,
        name: str,
        arguments: JsonObject,
        on_progress: Callable[[Progress], None] | None,
        timeout_s: float | None,
    ) -> "FramedAnswer":
        if tool and tool.item:
            raise UsageError("a page has no resources and no prompts", "Use sightline call.")
        return await self._page().call(
            tool,
            name,
            arguments,
            timeout_s=timeout_s or self.options.timeout_s,
            forms=self.options.forms,
            on_filled=lambda: on_progress(FILLED) if on_progress else None,
        )

    async def _server_answer(
        self,
        tool: Tool | None,
        name: str,
        arguments: JsonObject,
        members: JsonObject,
        on_progress: Callable[[Progress], None] | None,
        timeout_s: float | None,
    ) -> "tuple[FramedAnswer, float | None]":
        """The answer of a server, after all rounds, visits and tasks, and the time of the first request.

        The time is None if the connection was replaced while the call was running. `members`: the members of
        `_meta`. The other parameters are those of `call`.
        """
        limit_s, used = timeout_s or self.options.timeout_s, self._connection
        first_s: list[float | None] = []

        def say(progress: Progress) -> None:
            if on_progress:
                on_progress(progress)

        async def ask(sent: JsonObject) -> "FramedAnswer":
            found = await self._ask(
                lambda reached: reached.request(
                    method,
                    sent,
                    timeout_s=limit_s,
                    on_progress=lambda params: say(progress_of(params)),
                    input_schema=tool.input_schema if tool and not tool.item else None,
                ),
                name,
                tool,
            )
            first_s.append(found.asked_s)
            return found

        with self._in_call():
            method, params = request_of(tool, name, arguments)
            self._learn_arguments(tool, arguments)
            if as_task(tool, self.server):
                params["task"] = {}
            self.asker.begin()
            answering = partial(
                answered_in_rounds, ask, with_meta(params, members) if members else params, self.asker
            )
            answer = await answering()
            asked_s = first_s[0] if self._connection is used else None
            # Only the handshake era has a notification of the end of a visit.
            within_s = limit_s if self._is_handshake else 0.0
            if await self.asker.visited(answer.outcome, within_s, lambda: say(VISITING)):
                say(AGAIN)
                answer = await answering()
            answer = await answered_by_task(
                answer,
                lambda method, params, within_s: self._ask(
                    lambda reached: reached.request(method, params, timeout_s=within_s)
                ),
                self.asker,
                timeout_s=limit_s,
                limit_s=timeout_s,
                on_progress=on_progress,
            )
        return answer, asked_s

    def _learn_arguments(self, tool: Tool | None, arguments: JsonObject) -> None:
        # Arguments are masked in lines of a command that a failure quotes. Other targets have no such lines.
        if tool is not None and arguments and isinstance(self.target, StdioTarget):
            from inspector.pins.withheld import WithheldValues  # noqa: PLC0415 - it loads the boundary

            self._entered = self._entered or WithheldValues()
            self._entered.learn_arguments(tool, arguments)

    def _without_arguments(self, lines: Sequence[str]) -> Sequence[str]:
        return self._entered.masked_lines(lines) if self._entered else lines

    @contextmanager
    def _in_call(self) -> Generator[None]:
        """When the last running call has its outcome, withdraw the open requests by the server.

        Only requests for sampling or elicitation that arrived during a call are withdrawn. If the call is
        cancelled in Sightline or raises an error, nothing is withdrawn: the requests stay open for the user,
        who has been asked about them.
        """
        self._calling += 1
        try:
            yield
        finally:
            self._calling -= 1
        if not self._calling and self._connection is not None and self._asked_in_calls:
            for key in tuple(self._asked_in_calls):
                self._server_connection().withdraw(key, "withdrawn: the call has ended")

    @property
    def client_profile(self) -> ClientProfile | None:
        """The client profile announced to the server; None for a page, and before the server was reached."""
        is_mcp = self.server is not None and self.server.era is not Era.AUTO
        return self.options.client.profile if is_mcp else None

    def _has_asked(self) -> bool:
        """True if the server asked something of the user or of a model since the last call of this method."""
        matched = self.timeline.matched
        new, self._looked_at = matched[self._looked_at :], len(matched)
        return any(True for _ in server_requests(new))

    async def request(self, method: str, params: JsonObject, *, timeout_s: float | None = None) -> Outcome:
        """Send any request unchanged. The boundary is not applied to the outcome, and no call record is kept.

        Raises UnreachableError, and UsageError for a page.
        """
        self._connected()
        if isinstance(self.target, PageTarget):
            raise UsageError("a page does not answer MCP requests", "Use sightline call.")
        answer = await self._ask(
            lambda reached: reached.request(method, params, timeout_s=timeout_s or self.options.timeout_s)
        )
        self._see_whether_lost()
        return answer.outcome

    def hold_roots(self, roots: Iterable[Root]) -> None:
        """Set the folders that servers get when they ask for roots."""
        self.asker.roots = tuple(roots)
        self.options = replace(self.options, roots=self.asker.roots)

    def announce(self, profile: ClientProfile) -> None:
        """Announce this client profile to the server. Call this before connecting."""
        self.asker.announce(profile)
        self.options = replace(self.options, client=replace(self.options.client, profile=profile))

    async def set_roots(self, roots: Iterable[Root]) -> str:
        """Change the folders that servers get when they ask for roots, and notify the server if possible.

        Returns a sentence on whether the notification was sent. Raises InspectorError.
        """
        self.hold_roots(roots)
        number = len(self.asker.roots)
        self.note("roots", f"{number} folder{'' if number == 1 else 's'} from now on", kind="answer")
        if not self._is_handshake:
            return "Not sent: the stateless protocol has no message about roots. The server gets the roots when it asks again."
        if "roots" not in self.options.client.profile.capabilities:
            return "Not sent: the client profile announces no roots."
        await (await self._reachable_connection()).notify(ROOTS_CHANGED, {})
        return "Sent to the server: the roots have changed."

    def hold_skill(self, skill: Item) -> None:
        """Keep the entry `skill`, which the server does not list, to verify files of that skill."""
        others = tuple(item for item in self.catalogue.got if item.name != skill.name)
        self.catalogue = replace(self.catalogue, got=(*others, skill))

    async def complete(self, item: Item, argument: str, value: str, filled: JsonObject) -> tuple[str, ...]:
        """The values that the server offers for an argument of a prompt or a variable of a template.

        Empty if there are none, and after an error. `filled`: the other arguments so far.
        """
        from inspector.session.completing import METHOD, TIMEOUT_S, is_announced, params_of, values_in  # noqa: PLC0415 - no command completes

        if self._no_completions or self.server is None or not is_announced(self.server.capabilities):
            return ()
        try:
            outcome = await self.request(
                METHOD, params_of(item, argument, value, filled), timeout_s=TIMEOUT_S
            )
        except InspectorError:
            return ()
        self._no_completions = isinstance(outcome, RpcError) and outcome.is_method_not_found
        return values_in(outcome)

    @property
    def can_subscribe(self) -> bool:
        """True if the server announces subscriptions to resources."""
        return (
            self.server is not None and value_at(self.server.capabilities, "resources", "subscribe") is True
        )

    async def subscribe(self, uri: str) -> str:
        """Subscribe to the changes of a resource.

        In stateless protocol revisions, `listen` sends the subscription. Returns why the session is not
        subscribed, as a sentence that may quote untrusted text; empty if it is, or will be when the server
        confirms it.
        """
        server, subscriptions = self.server, self.subscriptions
        if server is None or not self.can_subscribe:
            return "The server announces no subscriptions to resources."
        if uri in subscriptions.states:
            return ""
        if len(subscriptions.states) >= MOST:
            return f"At most {MOST} subscriptions are possible: end another one first."
        subscriptions.add(uri)
        if server.era is Era.MODERN:
            self._replaced.set()
            return ""
        try:
            outcome = await subscriptions.request(uri, self.request)
        except BaseException:
            subscriptions.drop(uri)
            raise
        reason = "" if isinstance(outcome, Result) else self.own.mask(reason_of(outcome))
        return f"The server refused the subscription: {reason}" if reason else ""

    async def unsubscribe(self, uri: str) -> str:
        """End a subscription. Further changes of the resource are ignored, whatever the server answers.

        Returns a sentence if the server did not confirm the end; it may quote untrusted text.
        """
        if uri not in self.subscriptions.states:
            return ""
        self.subscriptions.drop(uri)
        if not self._is_handshake:
            self._replaced.set()
            return ""
        outcome = await self.request(UNSUBSCRIBE, {"uri": uri})
        reason = "" if isinstance(outcome, Result) else self.own.mask(reason_of(outcome))
        return f"The server did not confirm the end of the subscription: {reason}" if reason else ""

    async def _unsubscribe_all(self, connection: "Connection | PageConnection | None") -> None:
        if self._is_handshake and connection is not None and not connection.lost:
            reached = cast("Connection", connection)
            await self.subscriptions.end(
                lambda method, params: _outcome_of(reached, method, params, timeout_s=LEAVING_S)
            )
        self.subscriptions.clear()

    async def _subscribe_again(self) -> None:
        """Request each subscription on a connection that has replaced another one."""
        self.subscriptions.unconfirm()
        if self._is_handshake:
            reached, limit_s = self._server_connection(), self.options.timeout_s
            again = (
                self.subscriptions.request(
                    uri, lambda method, params: _outcome_of(reached, method, params, timeout_s=limit_s)
                )
                for uri in tuple(self.subscriptions.states)
            )
            await asyncio.gather(*again)

    def _stop_listening(self, words: str) -> None:
        self.note(SUBSCRIBE, words, kind="subscription")
        self.subscriptions.clear()

    async def submit(self) -> bool:
        return isinstance(self.target, PageTarget) and await self._page().submit()

    async def resolve(self, tool: Tool, arguments: JsonObject, *, timeout_s: float) -> Outcome:
        """Ask the server for its resolution of a call, with exactly the call's arguments. Not for pages.

        Raises UnreachableError if there is no connection.
        """
        from inspector.claims.resolution import METHOD, resolve_params  # noqa: PLC0415 - it loads all vocabularies

        params = resolve_params(tool, arguments)
        answer = await self._ask(
            lambda reached: reached.request(METHOD, params, timeout_s=timeout_s), tool.name, tool
        )
        self._see_whether_lost()
        return answer.outcome

    async def ping(self) -> str:
        """Ping the server. Returns a sentence about the outcome, which may quote untrusted text.

        Raises UnreachableError if there is no connection.
        """
        if self.server is None or self.server.era is not Era.LEGACY:
            return "Not sent: neither the stateless protocol nor a page has a ping."
        connection = await self._reachable_connection()
        began_s = connection.now_s()
        answer = await connection.request("ping", {}, timeout_s=self.options.timeout_s)
        self._see_whether_lost()
        if isinstance(answer.outcome, Result):
            return f"The server answered after {(connection.now_s() - began_s) * 1000:.0f} ms."
        return f"The server did not answer the ping: {self.own.mask(reason_of(answer.outcome))}"

    def amend(self, record: CallRecord) -> None:
        """Replace the call record of the same number, because the policy has decided about the answer."""
        for index in reversed(range(len(self.calls))):
            if self.calls[index].number == record.number:
                self.calls[index] = record
                return

    def note(self, title: str, detail: str, *, kind: str, is_failed: bool = False) -> None:
        """Add an event that is not a protocol message to the timeline and to the recording.

        `kind`: the kind of the recording's note. The texts must quote no argument and no result; they may
        quote untrusted text of the server.
        """
        at_s = self.now_s
        if self.recorder:
            self.recorder.note(at_s, kind, f"{title}: {detail}" if detail else title)
        self._tell(Noted(entry=self.timeline.note(at_s, title, detail, kind=kind, is_failed=is_failed)))

    def masked(self, text: str) -> str:
        """`text` with masks for the user's credentials and for the values in `withheld`.

        Takes time in proportion to the results of all calls.
        """
        return self.withheld().masked_text(self.own.mask(text))

    def withheld(self) -> "WithheldValues":
        """The values withheld from results so far, and the sensitive arguments of the calls.

        Takes time in proportion to the results of all calls.
        """
        from inspector.pins.withheld import WithheldValues  # noqa: PLC0415 - it loads the boundary

        withheld = WithheldValues()
        for record in self.calls:
            withheld.learn(record.tool, record.outcome, record.judgement.secrets(record.policy))
            withheld.learn_arguments(record.tool, record.arguments)
        return withheld

    async def close(self) -> None:
        """Close the connection, end every process that it started, and forget the secrets."""
        self.asker.end()
        if self._custody is not None:
            self._custody.end()
        if self._reaching is not None:
            self._reaching.cancel()
            await asyncio.gather(self._reaching, return_exceptions=True)
        connection, self._connection = self._connection, None
        try:
            await self._unsubscribe_all(connection)
        finally:
            # Runs even if `close` is cancelled, so that no server keeps running.
            closing = [each.close() for each in (*self._retired, connection) if each]
            closed = await asyncio.gather(*closing, return_exceptions=True)
            if self.state is not SessionState.FAILED:
                self._enter(SessionState.CLOSED)
        failed = next((error for error in closed if error is not None), None)
        if failed is not None:
            raise failed

    async def _list_page(self) -> Catalogue:
        page, wait_s, had_tools = self._page(), self.options.wait_s, bool(self.catalogue.tools)
        if wait_s:
            await page.settle(wait_s)
        self.catalogue = await page.catalogue()
        if wait_s is not None and not had_tools and not self.catalogue.tools:
            refused = [refusal(each) for each in self.catalogue.refused]
            raise UnreachableError(*no_tools(str(self.target), [*await page.obstacles(), *refused], wait_s))
        if self.recorder:
            self.recorder.listed(self._page().now_s(), self.catalogue.tools)
        self._tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

    async def _pages(self, listing: Listing, *, announced: bool) -> AsyncGenerator[tuple[Entry, ...]]:
        connection = self._server_connection()
        while (params := listing.next_params()) is not None:
            answer = await connection.request(listing.kind.method, params, timeout_s=self.options.timeout_s)
            match answer.outcome:
                case Result(value=value):
                    listing.take(value)
                    yield tuple(listing.entries)
                case RpcError() if not announced:
                    return
                case Failure(kind=FailureKind.SESSION_ENDED) as ended:
                    raise SessionEndedError(ended)
                case RpcError() as error if listing.kind is Kind.TEMPLATE and error.is_method_not_found:
                    # There is no capability for templates, so a server with resources need not have any.
                    return
                case failed:
                    reason = self.own.mask(reason_of(failed))
                    if listing.kind is Kind.TOOL and not listing.entries:
                        self._see_whether_lost()
                        hint = "The timeline shows the frames."
                        raise error_of(failed, "tools cannot be listed", hint, mask=self.own.mask)
                    how = "ended early" if params else "failed"
                    listing.problems.append(
                        Malformed(pointer="", reason=f"{listing.kind.method} {how}: {reason}")
                    )
                    return

    async def _ask(
        self,
        send: "Callable[[Connection], Awaitable[FramedAnswer]]",
        name: str = "",
        decided_on: Tool | None = None,
    ) -> "FramedAnswer":
        """Send a request. If the server no longer knows the session, connect again and resend, once.

        `name`: the tool that the request calls; empty for other requests. `decided_on`: the tool as it was
        listed at the decision to call it.

        A failure to connect again is returned as an outcome. Raises UnreachableError if nothing was ever
        connected, NotConfirmedError if the tool's definition has changed since the decision to call it.
        """
        from inspector.connect.dispatch import FramedAnswer  # noqa: PLC0415 - loaded with the connection

        self._connected()
        try:
            connection = await self._reachable_connection()
            self._check_same(name, decided_on)
            answer = await send(connection)
            if isinstance(answer.outcome, Failure) and answer.outcome.kind is FailureKind.SESSION_ENDED:
                connection = await self._reach_again(connection, answer.outcome)
                self._check_same(name, decided_on)
                answer = await send(connection)
        except NotConfirmedError:
            raise
        except InspectorError as error:
            return FramedAnswer(outcome=failure_of(error), frame=None)
        return answer

    def _check_same(self, name: str, decided_on: Tool | None) -> None:
        tool = self.catalogue.tool(name) if name else None
        before, now = (each.definition if each else None for each in (decided_on, tool))
        if tool is not decided_on and not equal(before, now):
            raise NotConfirmedError(
                "not called: Sightline listed the tools again, and the definition of this tool has changed",
                "Look at the tool, and call it again.",
            )

    async def _reachable_connection(self) -> "Connection":
        """The current connection. A lost connection to an HTTP server is replaced first. Raises InspectorError."""
        if self._reaching is not None:
            await asyncio.shield(self._reaching)
        connection = self._server_connection()
        if connection.lost and isinstance(self.target, HttpTarget):
            return await self._reach_again(connection, connection.lost)
        return connection

    async def _reach_again(self, used: "Connection", reason: Failure) -> "Connection":
        """Replace the connection `used`, and list again. Raises InspectorError."""
        if self._reaching is None and self._connection is used:
            # A task of its own, because the first caller may be cancelled while others wait.
            self._reaching = asyncio.ensure_future(self._replace(used, reason))
            self._reaching.add_done_callback(self._reached)
        if self._reaching is not None:
            await asyncio.shield(self._reaching)
        return self._server_connection()

    @property
    def lost(self) -> Failure | None:
        """The reason why the connection is lost; None if it is not."""
        return self._connection.lost if self._connection else None

    async def reach_again(self) -> None:
        """Replace a lost connection, and list again. If the target is a command, it is started again.

        A page's connection stays lost. Raises InspectorError.
        """
        lost = self.lost
        if lost and not isinstance(self.target, PageTarget):
            await self._reach_again(self._server_connection(), lost)

    def _reached(self, task: asyncio.Task[None]) -> None:
        self._reaching = None
        if not task.cancelled():
            # Waiting callers raise the exception. If there are none, the state shows it.
            task.exception()

    async def _replace(self, used: "Connection", reason: Failure) -> None:
        target = cast("StdioTarget | HttpTarget | DemoTarget", self.target)
        # A server that only ended the session still has the agreed era. One that was away may be another server.
        is_same = reason.kind is FailureKind.SESSION_ENDED
        era = used.agreement.era if is_same else self.options.era
        self._enter(SessionState.CONNECTING)
        if self.recorder:
            self.recorder.connect(used.now_s())
        used.note(f"connecting again: {reason.detail}")
        try:
            if used.is_idle:
                await used.close()
            else:
                self._retired.append(used)
            self.server = await self._open_server(target, era, used)
            self._replaced.set()
            self._enter(SessionState.READY, f"connected again, and listing again: {headline(reason.detail)}")
            await self._list_server()
            await self._subscribe_again()
        except InspectorError as error:
            self._enter(SessionState.LOST, error.message, error.hint)
            raise
        except BaseException:
            self._enter(SessionState.LOST)
            raise

    @property
    def _is_handshake(self) -> bool:
        return self.server is not None and self.server.era is Era.LEGACY

    def _connected(self) -> "Connection | PageConnection":
        if self._connection is None:
            raise UnreachableError("not connected", "Connect first.")
        return self._connection

    def _server_connection(self) -> "Connection":
        return cast("Connection", self._connected())

    def _page(self) -> "PageConnection":
        return cast("PageConnection", self._connected())

    def _tool_of(self, number: int) -> Tool | None:
        """The tool of a call, as it was listed at the call."""
        return next((call.tool for call in self.calls if call.number == number), None)

    def _see_whether_lost(self) -> None:
        lost = self.lost
        if lost and self.state is SessionState.READY:
            self.asker.end(lost.detail)
            if isinstance(self.target, HttpTarget):
                self._enter(SessionState.LOST, lost.detail, "The next call connects again.")
            else:
                era = self.server.era if self.server else Era.AUTO
                hint = (
                    "Reconnect with a handshake (era legacy, ^a)."
                    if missed_handshake(lost, era)
                    else "Reconnect to go on."
                )
                self._enter(SessionState.FAILED, lost.detail, hint)
        elif self._connection and not lost and self.state is SessionState.LOST:
            self._enter(SessionState.READY)

    def _framed(self, matched: Matched) -> None:
        self._heard = (matched.frame.at_s, time.monotonic())
        if self.recorder:
            self.recorder.frame(matched)
        self._tell(FrameSeen(frame=matched.frame, entries=self.timeline.add(matched)))
        if matched.frame.channel is Channel.NOTE or self.state is SessionState.LOST:
            # Notice at once, not only at the next call, that a process has ended between two calls.
            asyncio.get_running_loop().call_soon(self._see_whether_lost)

    async def _requested(self, request: Request, is_idle: bool) -> JsonObject:  # noqa: FBT001 - a state
        key = request_key(request.id)
        if self._calling and request.method in OF_SERVERS:
            self._asked_in_calls.add(key)
        try:
            return await self.asker.reply(request, is_idle=is_idle)
        finally:
            self._asked_in_calls.discard(key)

    def _notified(self, notification: Notification) -> None:
        if notification.method.endswith("/list_changed"):
            self._tell(ListChanged())
        elif notification.method == "notifications/elicitation/complete":
            identifier = text_at(notification.params, "elicitationId")
            if identifier is not None:
                self.asker.completed(identifier)
        elif notification.method == "notifications/resources/updated":
            uri = self.subscriptions.about(text_at(notification.params, "uri"))
            if uri is not None:
                self._tell(ResourceUpdated(uri=uri))
        elif notification.method == ACKNOWLEDGED:
            self.subscriptions.acknowledge(notification.params)

    def _enter(self, state: SessionState, message: str = "", hint: str = "") -> None:
        self.state = state
        self._tell(StateChanged(state=state, message=message, hint=hint))

    def _tell(self, event: Event) -> None:
        if self._listener:
            self._listener(event)


async def _ended(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _outcome_of(
    connection: "Connection", method: str, params: JsonObject, *, timeout_s: float
) -> Outcome:
    return (await connection.request(method, params, timeout_s=timeout_s)).outcome
