"""`sightline [open] TARGET`: the interface."""

from dataclasses import replace

import click

from inspector.cli.auditing import audit_of, auditing, closing_after
from inspector.cli.lenses import lenses, lenses_of
from inspector.cli.opened import lens_of, opened_of
from inspector.cli.options import Invocation, reach_of, reaching
from inspector.cli.overseeing import policy_of, ruling
from inspector.cli.recording import recording, wish_of
from inspector.policy.gate.agreement import Terms


@click.command()
@reaching
@lenses
@recording
@ruling
@auditing
@click.option("--theme", metavar="NAME", help="dark, light, high-contrast, or one of your own.")
@click.option("--identity", metavar="FILE", help="Look into a recording with its sealed frames.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    target: str | None,
    theme: str | None,
    identity: str | None,
    **options: object,
) -> int:
    """Open the interface on TARGET, or on a recording."""
    lens = lenses_of(options)
    reach = reach_of(options)
    wish = wish_of(options)
    policy = policy_of(options)
    opened = opened_of(target, identity, invocation, click.get_current_context())
    if opened is not None:
        return invocation.replay(opened, lens_of(opened, lens, click.get_current_context()), theme)
    chosen = reach.target(target, invocation)
    invocation.check()
    audit = audit_of(options)
    with closing_after(audit):
        recorded = replace(reach.options(), recorder=wish.recorder(chosen, lens))
        return invocation.open(chosen, recorded, lens, theme, Terms(policy=policy, audit=audit))
