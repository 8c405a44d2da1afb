"""`sightline [open] TARGET`: the interface."""

import click

from inspector.cli.invocation import Invocation, reach_of, reaching
from inspector.cli.lenses import lenses, lenses_of


@click.command()
@reaching
@lenses
@click.option("--theme", metavar="NAME", help="dark, light, high-contrast, or one of your own.")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, theme: str | None, **options: object) -> int:
    """Open the interface on TARGET."""
    lens = lenses_of(options)
    reach = reach_of(options)
    return invocation.open(reach.target(target, invocation), reach.options(), lens, theme)
