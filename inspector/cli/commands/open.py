"""`sightline [open] TARGET`: the interface."""

from dataclasses import replace

import click

from inspector.cli.invocation import Invocation, reach_of, reaching
from inspector.cli.lenses import lenses, lenses_of
from inspector.cli.recording import recording, wish_of


@click.command()
@reaching
@lenses
@recording
@click.option("--theme", metavar="NAME", help="dark, light, high-contrast, or one of your own.")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None, theme: str | None, **options: object) -> int:
    """Open the interface on TARGET."""
    lens = lenses_of(options)
    reach = reach_of(options)
    wish = wish_of(options)
    chosen = reach.target(target, invocation)
    invocation.check()
    recorded = replace(reach.options(), recorder=wish.recorder(chosen, lens))
    return invocation.open(chosen, recorded, lens, theme)
