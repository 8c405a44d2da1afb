"""A session that plays a script: with real frames, timeline and catalogue, but without a wire."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from weakref import WeakKeyDictionary

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.errors import InspectorError
from inspector.files import themes
from inspector.files.settings import Settings
from inspector.json.exact import Json, JsonObject, Malformed, dump, parse
from inspector.policy.gate.agreement import Terms
from inspector.protocol.authorization import Certificates
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool, decode_page
from inspector.protocol.client import FULL, Announcement, ClientProfile
from inspector.protocol.exchanges import Exchanges
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.protocol.targets import DemoTarget, Era, StdioTarget, Target
from inspector.secrets.outcomes import Redeemer
from inspector.session.call_record import CallRecord, Progress
from inspector.session.events import (
    Event,
    FrameSeen,
    ListChanged,
    Listener,
    ListingAdvanced,
    SessionState,
    StateChanged,
)
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.session.requests import request_of
from inspector.tui.app import SightlineApp
from inspector.tui.catalogue.item import ItemAsked, ToolView, tool_view
from inspector.tui.connection.source import ServerSource
from inspector.tui.main import selection
from tests.driven import drives

SMALL = (80, 24)
LARGE = (140, 45)
PATIENCE_S = 30.0

_WAITING = {"connection", "call", "interrupting", "renewing", "reviewing", "app"}
"""Workers that wait for a server, or for the user."""

Answer = Callable[[JsonObject, Callable[[Progress], None]], Awaitable[Outcome]]


def answering(value: Json) -> Answer:
    """An answer of a tool that returns this result at once."""

    async def answer(_arguments: JsonObject, _progress: Callable[[Progress], None]) -> Outcome:
        return Result(value=value)

    return answer


@dataclass
class Script:
    """The lists and answers of the server."""

    tools: Sequence[Json] = ()
    resources: Sequence[Json] = ()
    templates: Sequence[Json] = ()
    prompts: Sequence[Json] = ()
    skills: Sequence[Json] = ()
    offers: dict[str, Callable[[str, JsonObject], tuple[str, ...]]] = field(
        default_factory=dict[str, Callable[[str, JsonObject], tuple[str, ...]]]
    )
    """Completions for an argument by its name, from the typed text and the other arguments."""
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    failure: InspectorError | None = None
    """The error with which connecting ends."""
    stderr: Sequence[str] = ()
    stdout: Sequence[str] = ()
    """Lines that are printed to stdout while connecting, and are no messages."""
    calls: list[tuple[str, JsonObject]] = field(default_factory=list[tuple[str, JsonObject]])
    """Every call that was made."""
    told: list[JsonObject | None] = field(default_factory=list[JsonObject | None])
    """The annotations about the session in each call."""
    resolved: dict[str, Json] = field(default_factory=dict[str, Json])
    """The answer to tools/resolve, by the name of the tool."""
    resolutions: list[tuple[str, JsonObject]] = field(default_factory=list[tuple[str, JsonObject]])
    """Every call for which tools/resolve was requested."""
    opened: list["ScriptedSession"] = field(default_factory=list["ScriptedSession"])
    """Every session that was opened."""
    redeemer: Redeemer | None = None
    """The redeemer of secrets; None for a server that has no origin."""
    client: ClientProfile = FULL
    """The client profile that is announced."""
    capabilities: JsonObject = field(default_factory=dict[str, Json])
    refusal: str = ""
    """The error with which requests for subscriptions are answered; empty to accept them."""
    certificates: Certificates = Certificates()  # noqa: RUF009 - it is frozen
    """The settings for certificates."""
    clock: Callable[[], float] = time.monotonic
    """The clock by which secrets expire."""


class ScriptedSession(Session):
    """Plays a script."""

    def __init__(self, script: Script, target: Target, listener: Listener) -> None:
        client = Announcement(profile=script.client)
        super().__init__(
            target, Options(timeout_s=60.0, client=client, certificates=script.certificates), listener
        )
        self._script = script
        self._hearer = listener
        self._asked = 0
        self._exchanges = Exchanges()
        self.closed = False
        self.cancelled = 0
        self.requests: list[tuple[str, Json]] = []
        """The method and URI of each request about a subscription."""
        script.opened.append(self)

    def tell(self, event: Event) -> None:
        self._hearer(event)

    def enter(self, state: SessionState, message: str = "", hint: str = "") -> None:
        self.state = state
        self.tell(StateChanged(state=state, message=message, hint=hint))

    def change_lists(self) -> None:
        self.tell(ListChanged())

    def frame(self, direction: Direction, raw: bytes, channel: Channel = Channel.STDIO) -> None:
        body = parse(raw) if channel in {Channel.STDIO, Channel.CDP} else None
        number = len(self.timeline.frames) + 1
        frame = Frame(
            number=number,
            at_s=number / 100,
            direction=direction,
            channel=channel,
            raw=raw,
            head="",
            body=body,
        )
        matched = self._exchanges.take(frame)
        if self.recorder:
            self.recorder.frame(matched)
        self.tell(FrameSeen(frame=frame, entries=self.timeline.add(matched)))

    def exchange(self, method: str, params: Json, result: Json) -> None:
        self._asked += 1
        request: JsonObject = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self.frame(Direction.SENT, dump(request))
        self.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", "id": self._asked, "result": result}))

    async def connect(self) -> ServerFacts:
        self.enter(SessionState.CONNECTING)
        for line in self._script.stderr:
            self.frame(Direction.RECEIVED, line.encode("utf-8", "surrogatepass"), Channel.STDERR)
        for line in self._script.stdout:
            self.frame(Direction.RECEIVED, line.encode())
        await asyncio.sleep(0)
        if self._script.failure:
            self.enter(SessionState.FAILED, self._script.failure.message, self._script.failure.hint)
            raise self._script.failure
        self.server = ServerFacts(
            name="scripted",
            version="1",
            protocol_version="2025-11-25",
            era=Era.LEGACY,
            capabilities=self._script.capabilities,
            instructions=None,
            raw={},
        )
        self.enter(SessionState.READY)
        return self.server

    async def locate_secrets(self) -> None:
        self.custody.redeem_in_page(lambda _: self._script.redeemer, clock=self._script.clock)

    async def list_all(self) -> Catalogue:
        listed = {
            Kind.TOOL: self._script.tools,
            Kind.RESOURCE: self._script.resources,
            Kind.TEMPLATE: self._script.templates,
            Kind.PROMPT: self._script.prompts,
            Kind.SKILL: self._script.skills,
        }
        entries = {
            kind: page
            for kind, items in listed.items()
            if items and not isinstance(page := decode_page(kind, {kind.value: list(items)}), Malformed)
        }
        self.catalogue = Catalogue(entries=entries)
        self.tell(ListingAdvanced(catalogue=self.catalogue, complete=True))
        return self.catalogue

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
        del timeout_s, meta
        self._script.calls.append((name, arguments))
        self._script.told.append(annotations)
        try:
            outcome = await self._script.answers[name](arguments, on_progress or (lambda _: None))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        value = outcome.value if isinstance(outcome, Result) else None
        at_s = (len(self.timeline.frames) + 1) / 100
        method, params = request_of(self.catalogue.tool(name), name, arguments)
        self.exchange(method, params, value)
        record = CallRecord(
            number=number or len(self.calls) + 1,
            name=name,
            arguments=arguments,
            judgement=Judgement(outcome, self.catalogue.tool(name)),
            at_s=at_s,
            duration_s=0.012,
            size_bytes=len(dump(value)),
            received_s=self._script.clock(),
        )
        self.calls.append(record)
        return record

    async def request(self, method: str, params: JsonObject, *, timeout_s: float | None = None) -> Outcome:
        del timeout_s
        self.requests.append((method, params.get("uri")))
        refusal = self._script.refusal
        return RpcError(value={"code": -32602, "message": refusal}) if refusal else Result(value={})

    async def complete(self, item: Item, argument: str, value: str, filled: JsonObject) -> tuple[str, ...]:
        del item
        offer = self._script.offers.get(argument)
        return offer(value, filled) if offer else ()

    async def resolve(self, tool: Tool, arguments: JsonObject, *, timeout_s: float) -> Outcome:
        del timeout_s
        self._script.resolutions.append((tool.name, arguments))
        return Result(value=self._script.resolved.get(tool.name))

    async def close(self) -> None:
        self.closed = True
        await super().close()


def app_of(
    script: Script,
    *,
    level: Level = Level.DECLARED,
    target: Target | None = None,
    own: Settings | None = None,
    terms: Terms | None = None,
    is_first: bool = False,
    is_history_kept: bool = False,
) -> SightlineApp:
    """The interface on a script."""
    chosen = target or DemoTarget()

    async def open_session(listener: Listener) -> Session:
        return ScriptedSession(script, chosen, listener)

    return SightlineApp(
        [ServerSource(target=chosen, opener=open_session, as_saved=lambda: "demo")],
        level=level,
        theme_files=themes.shipped(),
        own=own,
        terms=terms,
        is_first=is_first,
        is_history_kept=is_history_kept,
    )


def app_of_several(
    scripts: Mapping[str, Script | InspectorError], *, terms: Terms | None = None
) -> SightlineApp:
    """The interface on several scripts, by the names of the servers; an error is a target that cannot be read."""

    def source(name: str, script: Script | InspectorError) -> ServerSource:
        target = StdioTarget(command=(f"serve-{name}",))

        async def open_session(listener: Listener) -> Session:
            if isinstance(script, InspectorError):
                raise script
            return ScriptedSession(script, target, listener)

        return ServerSource(target=target, opener=open_session, name=name)

    sources = [source(name, script) for name, script in scripts.items()]
    return SightlineApp(sources, theme_files=themes.shipped(), terms=terms)


def screen_strips(app: SightlineApp) -> list[Strip]:
    """The content of the screen, line by line, with its styles."""
    # Textual has no public way to read the screen but an SVG.
    return app.screen._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def screen_lines(app: SightlineApp) -> list[str]:
    """The content of the screen, line by line."""
    return [strip.text for strip in screen_strips(app)]


def screen_text(app: SightlineApp) -> str:
    """The content of the screen as one text, without the blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in screen_lines(app))


_drawn: WeakKeyDictionary[object, int] = WeakKeyDictionary()
"""How often the screen of each app was drawn."""
_display = cast("Any", App)._display  # noqa: SLF001


def _count(app: App[None], screen: Screen[object], drawing: object) -> None:
    _drawn[app] = _drawn.get(app, 0) + 1
    _display(app, screen, drawing)


cast("Any", App)._display = _count  # noqa: SLF001


class _Looking:
    """Looks at the screen of an app if it was drawn since the last look, which takes as long as many keys, or is asked often."""

    def __init__(self, app: SightlineApp) -> None:
        self._app = app
        self._at = -1
        self._asked = 0

    def shown(self) -> str | None:
        """The screen; None if there is nothing new to see."""
        at = _drawn.get(self._app, 0)
        self._asked += 1
        if at == self._at and self._asked % 10:
            return None
        self._at = at
        return screen_text(self._app)


def patience() -> Iterator[None]:
    """Turns of waiting, for as long as an interface on a busy machine may need."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        yield


async def settled(pilot: Pilot[None], app: SightlineApp, shows: str = "") -> str:
    """The screen once it shows `shows` and every worker but the connection has ended."""
    drives()
    looking = _Looking(app)
    for _ in patience():
        await pilot.pause()
        busy = [worker for worker in app.workers if worker.group not in _WAITING and not worker.is_finished]
        if not busy and (text := looking.shown()) is not None and shows in text:
            return text
        await asyncio.sleep(0.005)
    raise AssertionError(f"the screen does not show {shows!r}:\n{screen_text(app)}")


async def shows(pilot: Pilot[None], app: SightlineApp, *texts: str) -> str:
    """The screen once it shows all of these, as slowly as a real server answers."""
    drives()
    looking = _Looking(app)
    for _ in patience():
        await pilot.pause()
        shown = looking.shown()
        if shown is not None and all(text in shown for text in texts):
            return shown
        await asyncio.sleep(0.02)
    raise AssertionError(f"the screen does not show {texts}:\n{screen_text(app)}")


async def until(pilot: Pilot[None], app: SightlineApp, holds: Callable[[str], bool]) -> str:
    """The screen once a condition on it is true, whatever is still running."""
    drives()
    for _ in patience():
        await pilot.pause()
        if holds(text := screen_text(app)):
            return text
        await asyncio.sleep(0.005)
    raise AssertionError(f"that never holds of the screen:\n{screen_text(app)}")


def held_opening(patch: pytest.MonkeyPatch, name: str) -> tuple[threading.Event, threading.Event]:
    """Hold the thread that opens the tool `name`, in apps made from now on.

    The first event is set when the thread begins; it goes on once the second is set.
    """
    opening, may_open = threading.Event(), threading.Event()

    def held(asked: ItemAsked) -> ToolView:
        if isinstance(asked.entry, Tool) and asked.entry.name == name:
            opening.set()
            may_open.wait(20)
        return tool_view(asked.entry, asked.record, asked.before)

    patch.setattr(selection, "_asked_item", held)
    return opening, may_open
