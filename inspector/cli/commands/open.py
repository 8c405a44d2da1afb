"""`sightline [open] TARGET`: the interface."""

import click
from msgspec.structs import replace

from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    RecordingOptions,
    SectionedCommand,
    history_option,
    quiet_option,
    takes,
    theme_option,
)
from inspector.cli.start import Invocation, launch_of, recording_launch, target_of


@click.command(
    cls=SectionedCommand,
    examples=("sightline -- node server.js --flag", "sightline session.jsonl --host claude-code"),
)
@click.argument("target", required=False)
@theme_option
@history_option
@click.option(
    "--identity",
    metavar="FILE",
    help="Also decrypt the frames that are stored encrypted next to the recording, with this age key.",
)
@quiet_option
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions, "policy", "audit")
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    target: str | None,
    theme: str | None,
    no_history: bool,
    identity: str | None,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Open the interface on TARGET, or on a recording."""
    terms = rules.read()
    played = recording_launch(target, identity, lens, theme, click.get_current_context())
    if played is not None:
        invocation.check_terminal()
        return invocation.interface(played)
    chosen = target_of(target, connection, invocation.command_line)
    invocation.check_terminal()
    lens.check()
    with rules.logged(terms) as terms:
        launch = launch_of(chosen, connection, lens=lens, recording=recording, terms=terms, theme=theme)

        def as_saved() -> str:
            from inspector.cli.overview import words_of  # noqa: PLC0415 - as below
            from inspector.saved.call import saved_server  # noqa: PLC0415 - only to save a call

            return saved_server(words_of(target, connection, invocation.command_line, chosen))

        launch = replace(launch, is_history_kept=not no_history, as_saved=as_saved)
        code = invocation.open(launch)
    from inspector.cli.overview import remember  # noqa: PLC0415 - after the interface, so that it opens sooner

    remember(target, connection, invocation.command_line, chosen)
    return code
