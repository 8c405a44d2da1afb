"""`sightline demo`: opens the terminal interface on the built-in server, or runs that server alone."""

from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from inspector.cli.help import SectionedCommand, WordChoice
from inspector.cli.options import (
    LENS,
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    RecordingOptions,
    history_option,
    quiet_option,
    takes,
    theme_option,
)
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.start import Invocation, has_terminal, in_session, launch_of
from inspector.errors import ExitCode, UsageError
from inspector.launch import Launch
from inspector.protocol.targets import DemoTarget, PageTarget

if TYPE_CHECKING:
    from inspector.session.call_record import CallRecord
    from inspector.session.live import Session

SHOWN_WITHOUT_TERMINAL = "generate_api_key"


@click.command(cls=SectionedCommand, examples=("sightline demo", "sightline demo --serve http --port 8080"))
@click.option(
    "--serve",
    type=WordChoice(("stdio", "http", "web")),
    help="Only serve the server or the page, for other clients.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port for --serve http, --serve web and --web; 0 takes a free one.",
)
@click.option("--web", "is_page", is_flag=True, help="Open the built-in page in its own Chromium.")
@theme_option
@history_option
@quiet_option
@takes("lens", LensOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions, "policy", "audit")
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    serve: str | None,
    port: int,
    is_page: bool,
    theme: str | None,
    no_history: bool,
    lens: LensOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Open the interface on the built-in server. Without a terminal, print both views of one call."""
    terms = rules.read()
    if serve:
        if recording.path is not None:
            raise UsageError("--record does not work with --serve", "Leave one of them out.")
        lens.refuse(LENS, "does not work with --serve")
        _serve(serve, port)
        return ExitCode.OK

    def show(target: DemoTarget | PageTarget) -> int:
        launch = launch_of(
            target, ConnectionOptions(), lens=lens, recording=recording, terms=terms, theme=theme
        )
        # The page has another address each time, so a saved call cannot name it.
        as_saved = (lambda: "demo") if isinstance(target, DemoTarget) else None
        launch = replace(launch, is_history_kept=not no_history and not is_page, as_saved=as_saved)
        return _show(invocation, launch)

    with rules.logged(terms) as terms:
        lens.check()
        if is_page:
            from inspector.demo.launch import page_beside  # noqa: PLC0415 - only for the page

            with page_beside(port=port) as url:
                return show(PageTarget(url=url))
        return show(DemoTarget())


def _serve(what: str, port: int) -> None:
    from inspector.demo import launch  # noqa: PLC0415 - only the server itself

    match what:
        case "stdio":
            launch.serve_stdio()
        case "web":
            launch.serve_page(port)
        case _:
            launch.serve_http(port)


def _show(invocation: Invocation, launch: Launch) -> int:
    if has_terminal():
        return invocation.open(launch)
    from inspector.cli.commands.call import CallOutput, report  # noqa: PLC0415 - the interface opens sooner without it

    record = in_session(launch, lambda session: _one_call(session, launch))
    report(record, launch, CallOutput())
    DIAGNOSTICS.say(
        "\nThis is not a terminal, so the demo made one call. In a terminal, it opens the interface."
    )
    return ExitCode.OK


async def _one_call(session: "Session", launch: Launch) -> "CallRecord":
    from inspector.policy.gate.oversight import Oversight  # noqa: PLC0415 - as above

    await session.list_all()
    oversight = Oversight(launch.terms.policy, audit=launch.terms.audit)
    considered = await oversight.consider(session, SHOWN_WITHOUT_TERMINAL, {"name": "production"})
    return (await oversight.call(session, considered)).record
