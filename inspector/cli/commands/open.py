"""`sightline [open] TARGET`: the interface."""

import sys

import click

from inspector.cli.invocation import Invocation, reach_of, reaching
from inspector.cli.lenses import lenses, lenses_of
from inspector.core.targets import Target
from inspector.errors import UsageError
from inspector.session import Options


@click.command()
@reaching
@lenses
@click.option("--theme", metavar="NAME", help="dark, light, high-contrast, or one of your own.")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, theme: str | None, **options: object) -> int:
    """Open the interface on TARGET."""
    lens = lenses_of(options)
    reach = reach_of(options)
    return open_interface(reach.target(target, invocation), reach.options(), lens.level, lens.host, theme)


def open_interface(target: Target, options: Options, level: str, host: str, theme: str | None) -> int:
    """Run the interface until it is left; its exit code. Raises UsageError where there is no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the interface needs a terminal", "Use sightline list, sightline call, or another command."
        )
    from inspector.core.boundary.bounded import Level  # noqa: PLC0415 - only the interface needs what follows
    from inspector.tui.app import run  # noqa: PLC0415

    return run(target, options, level=Level(level), host=host, theme=theme)
