"""The options of commands, in typed groups.

Each field of a group is one option, and a command gets each group as one object.
"""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, cast

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem
from msgspec.structs import replace

from inspector.boundary.options import BoundaryPolicy, Level
from inspector.cli.help import FormatOption, SectionedOption, WordChoice, suggestion
from inspector.cli.output import DIAGNOSTICS
from inspector.errors import UsageError
from inspector.files import paths
from inspector.files.roots import root_of, working_folder
from inspector.policy.gate.agreement import Agreement, Terms
from inspector.protocol.authorization import Certificates
from inspector.protocol.client import FULL, LOG_LEVELS, NO_LOGS, PROFILES, Announcement
from inspector.protocol.page import Forms
from inspector.protocol.targets import Era, PageTarget, Target
from inspector.safe_text import safe_line
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.files.settings import Settings
    from inspector.hosts.profile import Host
    from inspector.recording.files import Recorder

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Value = TypeVar("Value")

WAIT_S = 5.0
"""The default time to wait for a page to become quiet."""
USUAL_HOST = "spec"
WITHHOLDING = ("--hide-untrusted", "--withhold-credentials")
"""The options that have an effect on results only."""
LENS = ("--boundary", "--host", *WITHHOLDING)
"""All options of LensOptions."""


def option(*names: str, default: Value, **settings: Any) -> Value:
    """Define a field of a group and the option that fills it."""
    written = default.value if isinstance(default, StrEnum) else default
    return cast(
        "Value", field(default=default, metadata={"option": (names, {"default": written, **settings})})
    )


class OptionGroup:
    """The base class of option groups: frozen dataclasses whose fields are options or groups."""

    title: ClassVar[str]


Group = TypeVar("Group", bound=OptionGroup)


def group(of: type[Group]) -> Group:
    """Define a field of a group that is itself a group of options."""
    return cast("Group", field(default_factory=of, metadata={"group": of}))


def takes(
    name: str, taken: type[OptionGroup], *only: str
) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """Give a command the options of `taken`, and their values as one object, in the keyword `name`.

    `only`: the fields that the command has options for; the others keep their defaults.
    """

    def decorate(function: Callable[..., Returned]) -> Callable[..., Returned]:
        names = set(_options_of(taken, only))

        def command(*args: Any, **values: Any) -> Returned:
            given = {key: values.pop(key) for key in names}
            return function(*args, **values, **{name: _made(taken, given)})

        command.__doc__ = function.__doc__
        command.__name__ = function.__name__
        # Click stores the options of a decorated function on the function itself.
        command.__dict__.update(function.__dict__)
        decorated: Callable[..., Returned] = command
        for key, (section, words, settings) in reversed(_options_of(taken, only).items()):
            shown: dict[str, Any] = {"cls": SectionedOption, "section": section, **settings}
            decorated = click.option(*words, key, **shown)(decorated)
        return decorated

    return decorate


def _options_of(
    taken: type[OptionGroup], only: tuple[str, ...] = ()
) -> dict[str, tuple[str, tuple[str, ...], dict[str, Any]]]:
    found: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {}
    for each in fields(cast("Any", taken)):
        if "group" in each.metadata:
            inner = _options_of(each.metadata["group"])
            found |= {key: value for key, value in inner.items() if not only or key in only}
        elif not only or each.name in only:
            words, settings = each.metadata["option"]
            found[each.name] = (taken.title, words, settings)
    return found


def _made(taken: type[Group], values: dict[str, object]) -> Group:
    own: dict[str, object] = {}
    for each in fields(cast("Any", taken)):
        if "group" in each.metadata:
            own[each.name] = _made(each.metadata["group"], values)
        elif each.name in values:
            own[each.name] = values[each.name]
    return taken(**own)


def format_option(*formats: str) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """The option `--format`, passed to the command as `format_`. The first format is the default."""
    return click.option("--format", "format_", cls=FormatOption, type=WordChoice(formats), default=formats[0])


def _be_quiet(context: click.Context, parameter: click.Parameter, value: bool) -> bool:  # noqa: FBT001 - as click calls it
    _ = context, parameter
    DIAGNOSTICS.quiet = value
    return value


quiet_option = click.option(
    "-q", "quiet", is_flag=True, expose_value=False, callback=_be_quiet, help="Print only errors on stderr."
)


def _known_theme(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    _ = context, parameter
    if value is not None:
        from inspector.files.themes import check, themes  # noqa: PLC0415 - few runs name a theme

        check(value, themes())
    return value


theme_option = click.option(
    "--theme",
    metavar="NAME",
    callback=_known_theme,
    help="Colours of the interface: dark, light, high-contrast, nord, catppuccin-mocha, or your own.",
)
history_option = click.option(
    "--no-history", is_flag=True, help="Keep no calls for later runs, and show none of earlier runs."
)
server_name_option = click.option(
    "--server-name", metavar="NAME", help="The name by which the host knows the server.  [default: server]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserOptions(OptionGroup):
    """The browser that shows a page, and how it is used."""

    title = "Web pages (web+http://…)"

    is_headed: bool = option("--headed", default=False, is_flag=True, help="Show the browser window.")
    chromium: str | None = option("--chromium", default=None, metavar="PATH", help="The browser to start.")
    cdp: str | None = option(
        "--cdp",
        default=None,
        metavar="URL",
        help="Use a browser that is already running, such as http://127.0.0.1:9222.",
    )
    polyfill: bool = option(
        "--polyfill",
        default=False,
        is_flag=True,
        help="Use Sightline's WebMCP polyfill, not the browser's API.",
    )
    wait_s: float | None = option(
        "--wait",
        default=None,
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help=f"Wait at most this long for the page to become quiet before listing its tools.  [default: {WAIT_S:g}]",
    )

    @property
    def is_visible(self) -> bool:
        """True if the user can use the browser's window."""
        return self.is_headed or self.cdp is not None

    @property
    def is_given(self) -> bool:
        """True if any option of this group is given."""
        return self != BrowserOptions()

    def page(self, target: PageTarget) -> PageTarget:
        """The page with this browser's settings. Raises UsageError if two options exclude each other."""
        if self.cdp is not None and (self.chromium or self.is_headed or self.polyfill):
            raise UsageError(
                "--cdp uses a browser that is already running",
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
class ClientOptions(OptionGroup):
    """Options: what Sightline tells servers about itself as a client, such as its name and roots."""

    title = "Client"

    profile: str | None = option(
        "--as",
        default=None,
        type=WordChoice(tuple(PROFILES)),
        help="The capabilities that Sightline announces: all that it has (full), or none.  [default: full]",
    )
    roots: tuple[str, ...] = option(
        "--root",
        default=(),
        multiple=True,
        metavar="DIR",
        help="A folder in which servers may work; they get it by roots/list.  [default: the working folder]",
    )
    has_no_root: bool = option(
        "--no-root", default=False, is_flag=True, help="Name no folder to servers that ask for roots."
    )
    log_level: str | None = option(
        "--log-level",
        default=None,
        type=WordChoice((*LOG_LEVELS, NO_LOGS)),
        help="The lowest log level to ask the server for.  [default: debug for a stateless server, else the server's choice]",
    )

    def applied(self, options: Options, own: "Settings | None") -> Options:
        """A copy of `options` with the client options applied.

        `own`: the user's settings, which apply in place of options that are not given.

        Raises UsageError if a root is not a folder, or if two options exclude each other.
        """
        if self.has_no_root and self.roots:
            raise UsageError(
                "--no-root names no folder, so --root has no effect beside it", "Leave one of them out."
            )
        profile = self.profile or (own.client if own else None) or FULL.name
        level = self.log_level or (own.log_level if own else None)
        folders = [*map(Path, self.roots)] or [*(own.roots if own else ())]
        roots = () if self.has_no_root else tuple(map(root_of, folders)) or working_folder()
        client = Announcement(profile=PROFILES[profile], log_level=level)
        return replace(options, client=client, roots=roots)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationOptions(OptionGroup):
    """Settings for authorization, and the certificates that are accepted."""

    title = "Authorization (http://…)"

    no_browser: bool = option(
        "--no-browser",
        default=False,
        is_flag=True,
        help="Print the authorization URL; do not ask to open it.",
    )
    remember: bool = option(
        "--remember", default=False, is_flag=True, help="Keep tokens in the system's keyring."
    )
    stored_only: bool = option(
        "--stored-auth-only",
        default=False,
        is_flag=True,
        help="Use only tokens that are kept in the keyring; exit with 3 if the server accepts none of them.",
    )
    client_id: str | None = option(
        "--client-id", default=None, metavar="ID", help="The id of your client at the authorization server."
    )
    client_secret: str | None = option(
        "--client-secret",
        default=None,
        metavar="@FILE|env:NAME",
        help="The file or variable with the secret of the client. Never the secret itself.",
    )
    client_key: str | None = option(
        "--client-key",
        default=None,
        metavar="FILE",
        help="The private key of the client (PEM), instead of a secret.",
    )
    client_metadata_url: str | None = option(
        "--client-metadata-url",
        default=None,
        metavar="URL",
        help="A client metadata document, used as client id where the server supports it.",
    )
    client_credentials: bool = option(
        "--client-credentials",
        default=False,
        is_flag=True,
        help="Authorize the client itself, without a user; needs --client-id and --issuer.",
    )
    issuer: str | None = option(
        "--issuer", default=None, metavar="URL", help="The authorization server that --client-id belongs to."
    )
    scope: str | None = option(
        "--scope",
        default=None,
        metavar="WORDS",
        help="Scopes to ask for, in place of those that the server names.",
    )
    redirect_uri: str | None = option(
        "--redirect-uri",
        default=None,
        metavar="URI",
        help="The address at which Sightline waits for the redirect.  [default: http://127.0.0.1:PORT/callback with a free port]",
    )
    cacert: str | None = option(
        "--cacert",
        default=None,
        metavar="FILE",
        help="Also accept certificates that these authorities signed (PEM).",
    )
    is_insecure: bool = option(
        "--insecure",
        default=False,
        is_flag=True,
        help="Accept any certificate. The header of the interface shows this.",
    )

    @property
    def is_given(self) -> bool:
        """True if any option of this group is given."""
        return self != AuthorizationOptions()

    @property
    def of_one_client(self) -> dict[str, object]:
        """The values of the options about one OAuth client at one authorization server."""
        return {
            "--client-id": self.client_id,
            "--client-secret": self.client_secret,
            "--client-key": self.client_key,
            "--client-credentials": self.client_credentials,
            "--issuer": self.issuer,
            "--scope": self.scope,
            "--redirect-uri": self.redirect_uri,
        }

    @property
    def of_one_server(self) -> dict[str, object]:
        """The values of the options that apply to one server only, by option."""
        return {**self.of_one_client, "--insecure": self.is_insecure}

    @property
    def of_client(self) -> frozenset[str]:
        """The names of the fields of ClientIdentity that the given options set or clear.

        The values that a configuration file has for these fields are ignored.
        """
        found: set[str] = set()
        if self.client_id is not None:
            found |= {"client_id", "client_secret", "authorization_url", "token_url"}
        if self.client_secret is not None or self.client_key is not None:
            found.add("client_secret")
        if self.scope is not None:
            found.add("scope")
        if self.redirect_uri is not None:
            found.add("redirect_uri")
        return frozenset(found)

    @property
    def certificates(self) -> Certificates:
        """The certificates that are accepted. Raises UsageError if two options exclude each other."""
        if self.cacert is not None and self.is_insecure:
            raise UsageError(
                "--insecure accepts any certificate, so --cacert has no effect beside it",
                "Leave one of them out.",
            )
        return Certificates(cacert=self.cacert, is_insecure=self.is_insecure)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionOptions(OptionGroup):
    """The settings to reach a target with."""

    title = "Connection"

    environment: tuple[str, ...] = option(
        "-e",
        default=(),
        multiple=True,
        metavar="NAME=VALUE",
        help="Set an environment variable for the server.",
    )
    headers: tuple[str, ...] = option(
        "--header",
        default=(),
        multiple=True,
        metavar="'NAME: VALUE'",
        help="Send a header to an HTTP server.",
    )
    cwd: str | None = option(
        "--cwd", default=None, metavar="DIR", help="Run the server's command in this folder."
    )
    timeout_s: float = option(
        "--timeout",
        default=60.0,
        type=click.FloatRange(min=0.1),
        show_default=True,
        metavar="SECONDS",
        help="Time limit per request; reset by progress.",
    )
    era: Era = option(
        "--era",
        default=Era.AUTO,
        type=WordChoice(Era),
        show_default=True,
        help="Protocol era: legacy uses the handshake, modern is stateless.",
    )
    config: str | None = option(
        "--config", default=None, metavar="FILE", help="A configuration file with mcpServers or servers."
    )
    servers: tuple[str, ...] = option(
        "--server",
        default=(),
        multiple=True,
        metavar="NAME",
        help="The entry of the --config file to use; the interface and review take several.",
    )
    client: ClientOptions = group(ClientOptions)
    authorization: AuthorizationOptions = group(AuthorizationOptions)
    browser: BrowserOptions = group(BrowserOptions)

    @property
    def server(self) -> str | None:
        """The entry of the configuration file that `--server` names; None without `--server`.

        Raises UsageError if several are named.
        """
        if len(self.servers) > 1:
            raise UsageError(f"two servers: {self.servers[0]} and {self.servers[1]}", "Give one --server.")
        return next(iter(self.servers), None)

    @property
    def of_one_server(self) -> tuple[str, ...]:
        """The given options that apply to one server only."""
        given = {
            "-e": self.environment,
            "--header": self.headers,
            "--cwd": self.cwd,
            **self.authorization.of_one_server,
            "options of web pages": self.browser.is_given,
        }
        return tuple(name for name, value in given.items() if value)

    def options(self) -> Options:
        """The options of a session. Raises UsageError if the user's settings are wrong."""
        wait_s = self.browser.wait_s
        options = Options(
            era=self.era,
            timeout_s=self.timeout_s,
            connect_timeout_s=min(self.timeout_s, 30.0),
            wait_s=WAIT_S if wait_s is None else wait_s,
            forms=Forms.WAIT if self.browser.is_visible else Forms.LEAVE,
            certificates=self.authorization.certificates,
        )
        own = _own_settings()
        options = self.client.applied(options, own)
        limit = own.max_message_bytes if own else None
        return replace(options, max_message_bytes=limit) if limit else options


def _own_settings() -> "Settings | None":
    """The user's settings; None if there is no settings file."""
    if not os.path.lexists(paths.own_settings()):
        return None
    from inspector.files.settings import settings  # noqa: PLC0415 - most users have none

    return settings()


def _complete_hosts(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from inspector.hosts.registry import hosts  # noqa: PLC0415 - loads every profile

    _ = context, parameter
    return [
        CompletionItem(host.name, help=host.title) for host in hosts() if host.name.startswith(incomplete)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LensOptions(OptionGroup):
    """Options: the boundary level and the host through which results are shown."""

    title = "What the model sees"

    level: Level = option(
        "--boundary",
        default=Level.DECLARED,
        type=WordChoice(Level),
        show_default=True,
        help="Which values are withheld from the model.",
    )
    host: str = option(
        "--host",
        default=USUAL_HOST,
        show_default=True,
        metavar="NAME",
        shell_complete=_complete_hosts,
        help="The host whose model is shown; sightline hosts lists them.",
    )
    hide_untrusted: bool = option(
        "--hide-untrusted",
        default=False,
        is_flag=True,
        help="Withhold content that is declared untrusted, instead of marking it.",
    )
    withhold_credentials: bool = option(
        "--withhold-credentials",
        default=False,
        is_flag=True,
        help="Withhold text that looks like a credential, instead of reporting it.",
    )

    @property
    def policy(self) -> BoundaryPolicy:
        """The settings of the options that withhold more than the boundary level does."""
        return BoundaryPolicy(
            hide_untrusted=self.hide_untrusted, withhold_credentials=self.withhold_credentials
        )

    def check(self) -> None:
        """Raise UsageError for an unknown host.

        The default host is not looked up, because loading profiles takes time.
        """
        if self.host != USUAL_HOST:
            self.profile()

    def refuse(self, options: Iterable[str], why: str, hint: str = "Leave it out.") -> None:
        """Raise UsageError if the user gives one of `options`, because it would have no effect.

        `why`: the words of the error after the name of the option.
        """
        context = click.get_current_context()
        for parameter in context.command.params:
            if (
                parameter.opts[0] in options
                and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
            ):
                self.check()
                raise UsageError(f"{parameter.opts[0]} {why}", hint)

    def profile(self) -> "Host":
        """The host's profile. Raises UsageError for an unknown host."""
        return host_profile(self.host)


def host_profile(name: str) -> "Host":
    """The profile with that name. Raises UsageError, which suggests close names."""
    from inspector.hosts.registry import host, hosts  # noqa: PLC0415 - loads every profile

    found = host(name)
    if found is None:
        known = [profile.name for profile in hosts()]
        # A misspelt part of a long name is not similar to the whole name, as `clade` is not to `claude-code`.
        parts = {part: each for each in reversed(known) for part in each.split("-")}
        close = (suggestion(name, known) or suggestion(name, parts, names=parts)).strip()
        listed = f"Known hosts: {', '.join(known)}."
        raise UsageError(f"no host {name}", f"{close}\n{listed}" if close else listed)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingOptions(OptionGroup):
    """The file to record a session in, and the key to encrypt raw frames for."""

    title = "Recording"

    path: str | None = option(
        "--record", default=None, metavar="FILE", help="Record the session, without withheld values."
    )
    seal_to: str | None = option(
        "--seal-to",
        default=None,
        metavar="age1…",
        help="Also keep the raw frames, encrypted for this age public key.",
    )

    def __post_init__(self) -> None:
        """Raise UsageError for an option that has no effect."""
        if self.seal_to is not None and self.path is None:
            raise UsageError("--seal-to only works with --record", "Add --record FILE.")

    def recorder(
        self, target: Target, lens: LensOptions | None = None, *, client: str = ""
    ) -> "Recorder | None":
        """A new recorder for a session with `target`; None without --record.

        Creates the file. Raises UsageError. The recorder reports on stderr when it stops.
        """
        if self.path is None:
            return None
        from inspector.recording.files.writing import recorder_of  # noqa: PLC0415
        from inspector.recording.format import Lenses  # noqa: PLC0415 - most commands record nothing

        lenses = Lenses(level=lens.level, host=lens.host, policy=lens.policy) if lens else Lenses()
        return recorder_of(
            Path(self.path),
            target,
            lenses,
            client=client,
            seal_to=self.seal_to,
            on_failure=DIAGNOSTICS.say,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions(OptionGroup):
    """Options: the policy about calls, and the file in which its decisions are logged."""

    title = "Policy"

    policy: str | None = option(
        "--policy",
        default=None,
        metavar="FILE",
        help="Rules about calls; the default is the built-in policy.",
    )
    yes: bool = option(
        "--yes",
        default=False,
        is_flag=True,
        help="Agree to every question of the policy. Blocked calls stay blocked.",
    )
    audit: str | None = option(
        "--audit",
        default=None,
        metavar="FILE",
        help="Append each decided, made or declined call to this log.",
    )

    @property
    def agreement(self) -> Agreement:
        """The answer that the options give to all calls that the policy asks about."""
        return Agreement.YES if self.yes else Agreement.NONE

    def read(self) -> Terms:
        """Read the policy, without opening an audit log, and write a note about each probable mistake in it.

        Raises UsageError, so call this before Sightline connects.
        """
        if self.policy is None:
            return Terms()
        from inspector.policy.doubts import doubts  # noqa: PLC0415 - as below
        from inspector.policy.files.policies import read_policy  # noqa: PLC0415 - the built-in policy needs no file

        policy = read_policy(self.policy)
        found = doubts(policy)
        for doubt in found:
            DIAGNOSTICS.say_once(f"warning: {safe_line(self.policy)}: {doubt}")
        return Terms(policy=policy, source=self.policy, doubts=found)

    @contextmanager
    def logged(self, terms: Terms) -> Generator[Terms]:
        """Yield `terms` with the audit log of --audit or of the user's settings, and close the log afterwards.

        Raises UsageError.
        """
        audit = None
        if self.audit is not None or os.path.lexists(paths.own_settings()):
            from inspector.files.settings import settings  # noqa: PLC0415
            from inspector.policy.files.audit import Audit  # noqa: PLC0415 - most runs log nothing

            own = settings().audit
            if self.audit is not None or own.file is not None or own.handlers:
                audit = Audit(Path(self.audit) if self.audit is not None else None, own)
        with closing(audit) if audit else nullcontext():
            yield replace(terms, audit=audit)
