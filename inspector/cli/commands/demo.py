"""`sightline demo`: the interface on the built-in server, or that server alone."""

import sys
from typing import TYPE_CHECKING

import click

from inspector.cli.auditing import audit_of, auditing, closing_after
from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.lenses import Lens, lenses, lenses_of
from inspector.cli.options import Invocation, in_session
from inspector.cli.overseeing import policy_of, ruling
from inspector.cli.recording import Wish, recording, wish_of
from inspector.errors import UsageError
from inspector.policy.gate.agreement import Terms
from inspector.protocol.targets import DemoTarget, PageTarget
from inspector.session.options import Options

if TYPE_CHECKING:
    from inspector.session.call_record import CallRecord
    from inspector.session.live import Session

SHOWN_WITHOUT_TERMINAL = "generate_api_key"


@click.command()
@lenses
@recording
@ruling
@auditing
@click.option(
    "--serve",
    type=click.Choice(["stdio", "http", "web"]),
    help="Only the server, or the page, for other clients.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="For --serve http, --serve web and --web; 0 takes a free one.",
)
@click.option("--web", "is_page", is_flag=True, help="The workspace as a page, in a Chromium of its own.")
@click.option("--theme", metavar="NAME", help="dark, light, high-contrast, or one of your own.")
@click.option("-q", "quiet", is_flag=True, help="Nothing on stderr but errors.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    serve: str | None,
    port: int,
    is_page: bool,
    theme: str | None,
    quiet: bool,
    **options: object,
) -> int:
    """Open the interface on the built-in server. Without a terminal: print both views of one demo call."""
    DIAGNOSTICS.quiet = quiet
    lens, wish = lenses_of(options), wish_of(options)
    policy = policy_of(options)
    if serve:
        if wish.path is not None:
            raise UsageError("--record records a session, and --serve has none", "Leave one of them out.")
        from inspector.demo import launch  # noqa: PLC0415 - only the server itself

        match serve:
            case "stdio":
                launch.serve_stdio()
            case "web":
                launch.serve_page(port)
            case _:
                launch.serve_http(port)
        return OK
    audit = audit_of(options)
    with closing_after(audit):
        terms = Terms(policy=policy, audit=audit)
        if is_page:
            from inspector.demo.launch import page_beside  # noqa: PLC0415 - only for the page

            with page_beside(port=port) as url:
                return _show(invocation, PageTarget(url=url), lens, theme, terms, wish)
        return _show(invocation, DemoTarget(), lens, theme, terms, wish)


def _show(
    invocation: Invocation,
    target: DemoTarget | PageTarget,
    lens: Lens,
    theme: str | None,
    terms: Terms,
    wish: Wish,
) -> int:
    if sys.stdin.isatty() and sys.stdout.isatty():
        return invocation.open(target, wish.taken(Options(), target, lens), lens, theme, terms)
    from inspector.cli.commands.call import report  # noqa: PLC0415 - the interface paints sooner without it

    record = in_session(
        target, wish.taken(Options(), target, lens), lambda session: _one_call(session, terms)
    )
    report(record, target, None, lens, as_json=False, unmask=False)
    DIAGNOSTICS.say("\nThere is no terminal here, so this was one call. In a terminal, the interface opens.")
    return OK


async def _one_call(session: "Session", terms: Terms) -> "CallRecord":
    from inspector.policy.gate.oversight import Oversight  # noqa: PLC0415 - as above

    await session.list_all()
    oversight = Oversight(terms.policy, audit=terms.audit)
    considered = await oversight.consider(session, SHOWN_WITHOUT_TERMINAL, {"name": "production"})
    return (await oversight.call(session, considered)).record
