"""`sightline [open] TARGET`: opens the terminal interface."""

import click
from msgspec.structs import replace

from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    RecordingOptions,
    history_option,
    quiet_option,
    takes,
    theme_option,
)
from inspector.cli.several import named_servers, remember_several, several_launch
from inspector.cli.start import Invocation, launch_of, recording_launch, target_of, watching_launch
from inspector.errors import UsageError


class _WatchingCommand(SectionedCommand):
    """A command whose --watch takes a value only after `=`, so that a target is not taken for its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--watch=" if word == "--watch" else word for word in args])


@click.command(
    cls=_WatchingCommand,
    examples=(
        "sightline --watch -- python server.py",
        "sightline demo mcp.json:git -- node server.js",
    ),
)
@click.argument("words", metavar="[TARGET]...", nargs=-1)
@click.option(
    "--watch",
    "watched",
    metavar="[=PATH]",
    multiple=True,
    help="Restart the server when PATH is saved, and repeat the last call if it only reads. May be repeated. Without PATH: the files of the "
    "command and the working folder, except what git ignores. Words before -- are PATHs too: --watch src -- python server.py. "
    "If the server at a URL stops, Sightline connects again when it is back.",
)
@theme_option
@history_option
@click.option(
    "--identity",
    metavar="FILE",
    help="Also decrypt the sealed frames beside the recording. FILE holds an age identity (AGE-SECRET-KEY-1…).",
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
    words: tuple[str, ...],
    watched: tuple[str, ...],
    theme: str | None,
    no_history: bool,
    identity: str | None,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """Open the interface on TARGET, on several targets, or on a recording."""
    terms = rules.read()
    several = () if watched or identity else named_servers(words, connection, invocation.command_line)
    if several:
        lens.check()
        invocation.check_terminal()
        with rules.logged(terms) as terms:
            launch = several_launch(several, connection, recording, lens=lens, terms=terms, theme=theme)
            code = invocation.open(replace(launch, is_history_kept=not no_history))
        remember_several(several, launch)
        return code
    target, paths = _target_and_paths(words, watched, invocation.command_line)
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
        if watched:
            launch = watching_launch(launch, paths)
        code = invocation.open(launch)
    from inspector.cli.overview import remember  # noqa: PLC0415 - after the interface, so that it opens sooner

    remember(target, connection, invocation.command_line, chosen)
    return code


def _target_and_paths(
    words: tuple[str, ...], watched: tuple[str, ...], command_line: tuple[str, ...] | None
) -> tuple[str | None, tuple[str, ...]]:
    """The target that `words` name, and the paths to watch. Raises UsageError for two targets."""
    paths = tuple(filter(None, watched))
    if watched and command_line is not None:
        return None, (*words, *paths)
    if len(words) > 1:
        hint = (
            "--watch takes one target. Write the files to watch as --watch=PATH."
            if watched
            else "Give one of them."
        )
        raise UsageError(f"two targets: {words[0]} and {words[1]}", hint)
    return (words[0] if words else None), paths
