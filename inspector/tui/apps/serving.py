"""Opens the interface of a tool (MCP Apps) if the user agrees, and makes the calls that it asks for.

Only calls that the policy and the user allow are made.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace
from textual.content import Content
from textual.screen import Screen

from inspector import __version__
from inspector.apps.browser.running import AppEntry, AppEntryKind, RunningApp
from inspector.apps.browser.window import has_display, has_proxy
from inspector.apps.interface import AppInterface, interface_in
from inspector.boundary.bounded import Level
from inspector.errors import InspectorError, NotConfirmedError, UnreachableError
from inspector.json.exact import JsonObject
from inspector.pins.pins import ConfirmReason
from inspector.protocol.catalogue import Kind, Tool, unlisted
from inspector.protocol.outcome import Result
from inspector.safe_text import safe_line
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.apps.screen import AppScreen
from inspector.tui.policy.gate import PolicyGate
from inspector.tui.policy.view import DecisionView
from inspector.tui.result.sides import KnownBeside
from inspector.tui.text import content, count, cut_in_the_middle, shortened, size
from inspector.webmcp.browser.chromium import NO_SANDBOX, runs_without_sandbox

_MOST_NOTED = 200
"""The maximum number of refusals that are noted in the timeline."""
_MOST_DECLINED = 5
"""The maximum number of questions that the user may decline. After that, Sightline refuses further requests
without asking.
"""
_LONGEST_URI = 200
_QUIET = "$foreground 70%"
_ORIGINS = (
    ("sends requests to", "connect"),
    ("loads from", "resources"),
    ("shows frames of", "frames"),
    ("uses as base URL", "bases"),
)


class AppServer:
    """Serves an open MCP Apps interface: makes the calls that it asks for, and logs its actions."""

    def __init__(
        self,
        under: Screen[None],
        session: Session,
        gate: PolicyGate,
        asking: Callable[[str], Awaitable[Sequence[ConfirmReason]]],
        called: Callable[[CallRecord], None],
        known: KnownBeside,
        uri: str,
    ) -> None:
        """`under`: the main screen. `asking`, `called`, `known`: as in `AppOpener`.

        `uri`: the URI of the interface to open.
        """
        self._under = under
        self._session = session
        self._gate = gate
        self._asking = asking
        self._called = called
        self._known = known
        self._key = secrets.token_hex(8)
        self._uri = uri
        self._shown_uri = session.own.mask(shortened(uri, _LONGEST_URI))
        self._screen: AppScreen | None = None
        self._declined: set[str] = set()
        """The requests that the user has declined. The same request is refused without asking."""
        self._refusals = 0

    async def open(self, record: CallRecord, level: Level, *, on_left: Callable[[], None]) -> None:
        """Open the interface if the user agrees, and serve it until it ends.

        Cancelling this task ends the interface.
        """
        try:
            interface = await self._interface()
        except InspectorError as error:
            words = self._session.own.mask(shortened(f"The interface is not opened: {error.message}", 400))
            self._under.notify(content(words).plain, severity="warning", markup=False)
            return
        is_headed = has_display()
        view = await asyncio.to_thread(opening_view, interface, record, self._session, is_headed=is_headed)
        if not await self._gate.ask(view):
            return
        self._screen = screen = AppScreen(self._shown_uri, record.name, level, self._known)
        app = self._under.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        app.push_screen(screen, lambda _: on_left())  # pyright: ignore[reportUnknownMemberType]
        try:
            await RunningApp(interface, record, self, version=__version__, is_headed=is_headed).run()
        except InspectorError as error:
            self._fail("not opened", f"{error.message}. {error.hint}")
        except Exception as error:  # noqa: BLE001 - whatever an interface sends may end only the interface
            self._fail(
                "ended",
                f"Sightline could not serve the interface ({type(error).__name__}): a defect of Sightline",
            )
        finally:
            screen.end()

    def _fail(self, title: str, detail: str) -> None:
        self.add(AppEntry(kind=AppEntryKind.REFUSED, at_s=self.now_s(), title=title, detail=detail))

    async def _interface(self) -> AppInterface:
        """Read the interface like any other resource. Raises InspectorError."""
        read = await self._done(unlisted(Kind.RESOURCE, self._uri).handle, {})
        if not isinstance(read.outcome, Result):
            raise UnreachableError(
                "the server did not return the tool's interface; the timeline shows the reason"
            )
        definition = read.tool.definition if read.tool is not None else {}
        found = await asyncio.to_thread(interface_in, self._uri, read.outcome.value, definition)
        if isinstance(found, str):
            raise UnreachableError(found)
        return found

    def now_s(self) -> float:
        return self._session.now_s

    def tool(self, name: str) -> Tool | None:
        return self._session.catalogue.tool(name)

    async def call(self, name: str, arguments: JsonObject) -> CallRecord:
        return await self._made(name, arguments, name, "calls this tool")

    async def read(self, uri: str) -> CallRecord:
        return await self._made(unlisted(Kind.RESOURCE, uri).handle, {}, uri, "reads this resource")

    async def _made(self, name: str, arguments: JsonObject, asked: str, does: str) -> CallRecord:
        """Make a call for the interface. The user is asked before the first use of each tool or resource.

        `name`, `arguments`: the call. `asked`: the name as the interface wrote it. `does`: the action, in words for
        the dialog.
        """
        # A tool and a resource may have the same name.
        key = f"{does}: {asked}"
        if key in self._declined or len(self._declined) >= _MOST_DECLINED:
            raise NotConfirmedError("you declined this earlier; nothing was sent")
        sentence = f"the interface {safe_line(cut_in_the_middle(self._shown_uri, 120))}, not you, {does}"
        by_app = ConfirmReason(key=f"app {self._key} {key}", sentence=sentence)
        try:
            return await self._done(name, arguments, by_app)
        except NotConfirmedError:
            self._declined.add(key)
            raise

    async def _done(self, name: str, arguments: JsonObject, *asking: ConfirmReason) -> CallRecord:
        ruled = await self._gate.made(
            self._session,
            name,
            arguments,
            asking=(*await self._asking(name), *asking),
            on_hold=_ignore,
            on_progress=_ignore,
        )
        self._called(ruled.record)
        if ruled.is_malicious:
            self._gate.hear(self._session, ruled)
        return ruled.record

    def spoken(self, method: str) -> int:
        return self._gate.hear_app(self._session, method)

    def add(self, entry: AppEntry) -> None:
        mask = self._session.own.mask
        entry = replace(entry, title=mask(entry.title), detail=mask(entry.detail))
        if self._screen is not None:
            self._screen.add(entry)
        words = self._words(entry)
        if words:
            is_failed = entry.kind is AppEntryKind.REFUSED
            self._session.note("app", words, kind="app", is_failed=is_failed)

    def _words(self, entry: AppEntry) -> str:
        """The text about an action of the interface for timeline and recordings; empty to record nothing.

        It contains nothing that the interface wrote.
        """
        match entry.kind:
            case AppEntryKind.TO_MODEL:
                return f"{entry.title}, {entry.detail}"
            case AppEntryKind.STATE:
                return entry.title
            case AppEntryKind.REFUSED:
                self._refusals += 1
                return (
                    "the interface tried something that Sightline, the browser or you refused; its screen says what"
                    if self._refusals <= _MOST_NOTED
                    else ""
                )
            case AppEntryKind.HEARD:
                return ""


def _ignore(_progress: object) -> None:
    """Do nothing.

    The screen of an MCP Apps interface shows neither the progress of a call nor that it waits for the user.
    """


def opening_view(
    interface: AppInterface, record: CallRecord, session: Session, *, is_headed: bool
) -> DecisionView:
    """The content of the dialog that asks whether to open an MCP Apps interface.

    The dialog says what is loaded and what the interface may do. At its end, it lists every origin that the
    interface may reach. Takes time in proportion to the length of these texts.
    """
    mask, reach = session.own.mask, interface.reach
    permissions = ", ".join(interface.permissions) or "none"
    how = "in a window" if is_headed else "without a window, because there is no display"
    uri = mask(shortened(interface.uri, _LONGEST_URI))
    lines = [
        _fact("interface", uri),
        _fact("", f"{size(interface.size_bytes)} of HTML, SHA-256 {interface.digest[:16]}"),
        _fact("from", mask(str(session.target))),
        _fact("may use", permissions),
        _fact(
            "it gets",
            f"the arguments and the whole result of call #{record.number}, including what models do not get",
        ),
        Content(""),
        Content(f"Its scripts run in a sandboxed frame of a new Chromium with an empty profile, {how}."),
        Content("Before it calls a tool or reads a resource for the first time, you are asked."),
    ]
    if reach.origins:
        words = f"It can send everything that it gets to the {count(len(reach.origins), 'origin')} below."
        lines.append(Content.styled(words, "$text-warning"))
    if reach.is_local:
        words = "An origin below is on this machine or in its network."
        lines.append(Content.styled(words, "bold $text-warning"))
    if reach.origins and has_proxy():
        lines.append(Content("It does not use your proxy: it reaches these origins directly or not at all."))
    if runs_without_sandbox():
        lines.append(Content.styled(NO_SANDBOX, "$text-warning"))
    lines += [content(shortened(mask(words), 200), "$text-warning") for words in interface.refused[:8]]
    if len(interface.refused) > 8:
        lines.append(Content(f"… and {len(interface.refused) - 8} more that it does not get"))
    lines.append(Content(""))
    lines += [line for words, name in _ORIGINS for line in _listed(words, map(mask, getattr(reach, name)))]
    title = Content.assemble("Open the interface of ", content(shortened(record.name, 60)), "?")
    return DecisionView(title=title.stylize("bold $text-warning"), lines=tuple(lines), agree="open")


def _listed(words: str, origins: Iterable[str]) -> Iterator[Content]:
    """Yield a line for each origin, or one line that says `nothing`. `words`: the label of the first line.

    No origin is shortened, because the user agrees to all of them.
    """
    first = words
    for origin in origins:
        yield Content.assemble((f"{first:<18}", _QUIET), content(origin))
        first = ""
    if first:
        yield _fact(words, "nothing")


def _fact(name: str, words: str) -> Content:
    return Content.assemble((f"{name:<18}", _QUIET), content(shortened(words, 400)))
