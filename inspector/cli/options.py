"""What all commands share: the target, how to reach it, and the session they do their work in."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

import click

from inspector.boundary.options import Level
from inspector.cli.diagnostics import DIAGNOSTICS
from inspector.cli.lenses import Lens
from inspector.errors import InspectorError, UsageError
from inspector.files import paths
from inspector.policy.gate.agreement import Terms
from inspector.protocol.page import Forms
from inspector.protocol.targets import (
    ConfiguredTarget,
    DemoTarget,
    Era,
    HttpTarget,
    PageTarget,
    StdioTarget,
    Target,
    parse_target,
    stdio_target,
)
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.recording.target import OpenedRecording
    from inspector.session.live import Session

WAIT_S = 5.0
"""How long a page may take to become quiet."""

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


class Interface(Protocol):
    """The terminal interface, as whoever starts the command line provides it."""

    def __call__(
        self,
        target: Target,
        options: Options,
        *,
        level: Level,
        host: str,
        theme: str | None,
        recording: "OpenedRecording | None" = None,
        terms: Terms | None = None,
    ) -> int:
        """Run it until it is left; its exit code."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What commands get beside their own words."""

    command_line: tuple[str, ...] | None
    """Everything behind `--`; None where there is no `--`."""
    interface: Interface

    def check(self) -> None:
        """Raises UsageError where there is no terminal for the interface."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError(
                "the interface needs a terminal", "Use sightline list, sightline call, or another command."
            )

    def replay(self, recording: "OpenedRecording", lens: Lens, theme: str | None) -> int:
        """Open the interface on a recording; its exit code. Raises UsageError where there is no terminal."""
        self.check()
        lens.check()
        return self.interface(
            recording.target, Options(), level=lens.level, host=lens.host, theme=theme, recording=recording
        )

    def open(
        self,
        target: Target,
        options: Options,
        lens: Lens,
        theme: str | None,
        terms: Terms | None = None,
    ) -> int:
        """Open the interface; its exit code. Raises UsageError where there is no terminal."""
        self.check()
        lens.check()
        return self.interface(
            target,
            # The interface follows what a page registers.
            replace(options, policy=lens.policy, wait_s=None, forms=Forms.WAIT),
            level=lens.level,
            host=lens.host,
            theme=theme,
            terms=terms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Which browser shows a page, and how."""

    cdp: str | None
    chromium: str | None
    is_headed: bool
    polyfill: bool
    wait_s: float | None = None
    """How long it may take to become quiet; None where the user does not say."""

    @property
    def is_seen(self) -> bool:
        """Whether the user can use its window."""
        return self.is_headed or self.cdp is not None

    @property
    def is_chosen(self) -> bool:
        """Whether any word of the command line is about it."""
        return bool(self.cdp or self.chromium or self.is_headed or self.polyfill or self.wait_s is not None)

    def adjusted(self, target: PageTarget) -> PageTarget:
        """The page in this browser. Raises UsageError where the words exclude each other."""
        if self.cdp is not None and (self.chromium or self.is_headed or self.polyfill):
            raise UsageError(
                "--cdp is for a browser that runs already",
                "Leave out --chromium, --headed and --polyfill, or leave out --cdp.",
            )
        return replace(
            target,
            cdp=self.cdp,
            chromium=self.chromium,
            is_headed=self.is_headed,
            polyfill=self.polyfill,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How to reach a target, as the common options say."""

    environment: tuple[str, ...]
    headers: tuple[str, ...]
    cwd: str | None
    timeout_s: float
    era: Era
    config: str | None
    server: str | None
    browser: "Browser"

    def options(self) -> Options:
        """The session's options. Raises UsageError where the user's settings are wrong."""
        wait_s = self.browser.wait_s
        options = Options(
            era=self.era,
            timeout_s=self.timeout_s,
            connect_timeout_s=min(self.timeout_s, 30.0),
            wait_s=WAIT_S if wait_s is None else wait_s,
            forms=Forms.WAIT if self.browser.is_seen else Forms.LEAVE,
        )
        limit = _own_limit()
        return replace(options, max_message_bytes=limit) if limit else options

    def target(self, word: str | None, invocation: Invocation) -> Target:
        """The one target that the words name. Raises UsageError where they name none or two."""
        if word is None and invocation.command_line is None and self.config is None and self.browser.cdp:
            return self._adjusted(PageTarget(url=""))
        named = [name for name in (word, invocation.command_line, self.config) if name is not None]
        if len(named) != 1:
            problem = "two targets" if named else "no target"
            raise UsageError(
                problem,
                "Give one of: a URL, web+URL for a page, mcp.json:NAME, --config FILE --server NAME, demo, or -- COMMAND at the end.",
            )
        if invocation.command_line is not None:
            target: Target | ConfiguredTarget = stdio_target(invocation.command_line)
        elif self.config is not None:
            target = ConfiguredTarget(path=self.config, name=self.server)
        else:
            target = parse_target(word or "")
        return self._adjusted(resolved(target, self.environment, self.headers))

    def _adjusted(self, target: Target) -> Target:
        if self.browser.is_chosen and not isinstance(target, PageTarget):
            raise UsageError(
                "--cdp, --headed, --chromium, --polyfill and --wait are for pages",
                "Write a page as web+https://…",
            )
        match target:
            case PageTarget():
                if self.environment or self.headers or self.cwd:
                    raise UsageError("-e, --header and --cwd are not for pages", "Leave them out.")
                return self.browser.adjusted(target)
            case StdioTarget():
                if self.headers:
                    raise UsageError("--header is for HTTP targets", "Use -e KEY=VALUE for a command.")
                environment = target.environment | dict(_assignment(word) for word in self.environment)
                return replace(target, environment=environment, cwd=self.cwd or target.cwd)
            case HttpTarget():
                if self.environment or self.cwd:
                    raise UsageError("-e and --cwd are for commands", 'Use --header "Name: value" for a URL.')
                return replace(target, headers=(*target.headers, *(_header(word) for word in self.headers)))
            case DemoTarget():
                return target


def _own_limit() -> int | None:
    """How long a message may be, where the user's settings say it."""
    if not os.path.lexists(paths.own_settings()):
        return None
    from inspector.files.settings import settings  # noqa: PLC0415 - most users have none

    return settings().max_message_bytes


def resolved(
    target: Target | ConfiguredTarget, environment: tuple[str, ...] = (), headers: tuple[str, ...] = ()
) -> Target:
    """The target that a configuration file describes; any other as it is. Raises UsageError.

    `environment`, `headers`: the words of -e and --header, which come before the file's.
    """
    if not isinstance(target, ConfiguredTarget):
        return target
    from inspector.files.config import read_target  # noqa: PLC0415 - most targets need no file

    server = read_target(
        target.path,
        target.name,
        [_assignment(word)[0] for word in environment],
        [_header(word)[0] for word in headers],
    )
    for note in server.notes:
        DIAGNOSTICS.say(note)
    return server.target


def reaching(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The options that say how to reach a target, given to the command as `reach: Reach`."""
    options = (
        click.argument("target", required=False),
        click.option(
            "-e",
            "environment",
            multiple=True,
            metavar="KEY=VALUE",
            help="A variable for the server's environment.",
        ),
        click.option(
            "--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="A header for an HTTP server."
        ),
        click.option("--cwd", metavar="DIR", help="The folder the server's command runs in."),
        click.option(
            "--timeout",
            "timeout_s",
            type=click.FloatRange(min=0.1),
            default=60.0,
            show_default=True,
            metavar="SECONDS",
            help="For one request; progress starts it anew.",
        ),
        click.option(
            "--era",
            type=click.Choice([era.value for era in Era]),
            default="auto",
            show_default=True,
            help="The protocol era to speak: handshake (legacy) or stateless (modern).",
        ),
        click.option("--config", metavar="FILE", help="A configuration file with mcpServers or servers."),
        click.option("--server", metavar="NAME", help="The entry of --config."),
        click.option("--headed", is_flag=True, help="Show the browser's window, for a page."),
        click.option("--chromium", metavar="PATH", help="The browser to start for a page."),
        click.option(
            "--cdp",
            metavar="URL",
            help="A browser that runs already, such as http://127.0.0.1:9222, for a page.",
        ),
        click.option(
            "--polyfill", is_flag=True, help="Give the page an API of ours in place of the browser's."
        ),
        click.option(
            "--wait",
            "wait_s",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help=f"How long a page may take to become quiet before its tools are listed.  [default: {WAIT_S:g}]",
        ),
        click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def reach_of(options: dict[str, object]) -> Reach:
    """Take the options of `reaching` out of a command's own."""
    DIAGNOSTICS.quiet = bool(options.pop("quiet"))
    return Reach(
        environment=words(options.pop("environment")),
        headers=words(options.pop("headers")),
        cwd=word(options.pop("cwd")),
        timeout_s=float(str(options.pop("timeout_s"))),
        era=Era(str(options.pop("era"))),
        config=word(options.pop("config")),
        server=word(options.pop("server")),
        browser=Browser(
            cdp=word(options.pop("cdp")),
            chromium=word(options.pop("chromium")),
            is_headed=options.pop("headed") is True,
            polyfill=options.pop("polyfill") is True,
            wait_s=number(options.pop("wait_s")),
        ),
    )


def in_session(target: Target, options: Options, use: Callable[["Session"], Awaitable[Returned]]) -> Returned:
    """Connect, `use` the session, close it, whatever happens. Ctrl-C and SIGTERM end the server too."""
    from inspector.session.events import Event, State, StateChanged  # noqa: PLC0415 - as below
    from inspector.session.live import Session  # noqa: PLC0415 - the interface paints before it needs one

    def say(event: Event) -> None:
        if isinstance(event, StateChanged) and event.state is State.READY and event.message:
            DIAGNOSTICS.say(event.message)

    async def work() -> Returned:
        session = Session(target, options, say)
        DIAGNOSTICS.conceal(session.own.cover)
        task = asyncio.current_task()
        if task:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            for note in (await session.connect()).notes:
                DIAGNOSTICS.say(note)
            return await use(session)
        finally:
            await session.close()
            if options.recorder:
                await asyncio.to_thread(options.recorder.close)

    try:
        return asyncio.run(work())
    except asyncio.CancelledError as error:
        raise Terminated from error


class Terminated(InspectorError):  # noqa: N818 - no error, but it ends the command as one
    """SIGTERM came."""

    code = "terminated"
    exit_code = 143

    def __init__(self) -> None:
        super().__init__("ended by SIGTERM")


def _assignment(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise UsageError(f"-e {word}: no KEY=VALUE", "Write it as -e NAME=VALUE.")
    return name, value


def _header(word: str) -> tuple[str, str]:
    name, colon, value = word.partition(":")
    if not colon or not name.strip() or any(character in word for character in "\r\n"):
        raise UsageError("--header: no 'Name: value'", 'Write it as --header "Name: value".')
    return name.strip(), value.strip()


def word(value: object) -> str | None:
    """An option's value, where it was given."""
    return value if isinstance(value, str) else None


def number(value: object) -> float | None:
    """A number's option, where it was given."""
    return value if isinstance(value, float) else None


def words(value: object) -> tuple[str, ...]:
    """The values of an option that may be given more than once."""
    return tuple(str(word) for word in value) if isinstance(value, tuple) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
