"""`sightline auth TARGET`: authorize Sightline at a server, or forget its tokens."""

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.options import ConnectionOptions, quiet_option, takes
from inspector.cli.output import print_lines
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode, UsageError
from inspector.files.kept_tokens import KeptTokens
from inspector.protocol.targets import HttpTarget
from inspector.session.live import Session

_STEP = "OAuth "


@click.command(
    name="auth",
    cls=SectionedCommand,
    examples=(
        "sightline auth https://host/mcp --remember",
        "sightline auth --forget https://host/mcp",
    ),
)
@click.argument("target", required=False)
@click.option(
    "--forget", is_flag=True, help="Remove the tokens of TARGET from the keyring, without connecting."
)
@quiet_option
@takes("connection", ConnectionOptions)
@click.pass_obj
def command(
    invocation: Invocation, *, target: str | None, forget: bool, connection: ConnectionOptions
) -> int:
    """Authorize Sightline at TARGET, and print each step.

    Tokens end with the command unless --remember keeps them.
    """
    chosen = target_of(target, connection, invocation.command_line)
    if not isinstance(chosen, HttpTarget):
        raise UsageError("only HTTP servers ask for authorization", "Name an http(s) URL.")
    if forget:
        was_kept = KeptTokens(remember=False).forget(chosen.url)
        print_lines(
            [f"removed from the keyring: {chosen}" if was_kept else f"the keyring has no tokens for {chosen}"]
        )
        return ExitCode.OK
    launch = launch_of(chosen, connection)
    print_lines(in_session(launch, _steps))
    if connection.authorization.remember:
        print_lines([f"kept in the keyring: {chosen}"])
    return ExitCode.OK


async def _steps(session: Session) -> list[str]:
    await session.list_all()
    steps = [entry for entry in session.timeline.entries if entry.title.startswith(_STEP)]
    if not steps:
        return [f"{session.target} did not ask for an authorization"]
    return [
        f"authorized at {session.target}",
        *(
            f"  {entry.title.removeprefix(_STEP)}: {session.own.mask(line)}"
            for entry in steps
            for line in entry.detail.split("\n")
        ),
    ]
