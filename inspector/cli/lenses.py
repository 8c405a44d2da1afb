"""The two lenses, as options: which boundary, and which host."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy, Level
from inspector.errors import UsageError

if TYPE_CHECKING:
    from inspector.hosts.profile import Host

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


USUAL_HOST = "spec"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """Through what a result is looked at."""

    level: Level
    host: str
    policy: BoundaryPolicy = DEFAULT_POLICY

    def check(self) -> None:
        """Raises UsageError where there is no host of that name. The usual one is not looked for: loading takes its time."""
        if self.host != USUAL_HOST:
            self.profile()

    def profile(self) -> "Host":
        """The host's profile. Raises UsageError where there is none of that name."""
        from inspector.hosts.registry import host, hosts  # noqa: PLC0415 - loads every profile

        found = host(self.host)
        if found is None:
            from difflib import get_close_matches  # noqa: PLC0415 - most command lines need no advice

            known = [profile.name for profile in hosts()]
            close = get_close_matches(self.host, known)
            meant = f"Did you mean {' or '.join(close)}?\n" if close else ""
            raise UsageError(f"no host {self.host}", f"{meant}Known hosts: {', '.join(known)}.")
        return found


def lenses(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The options `--boundary` and `--host`, and those that tighten a boundary."""
    levels = click.Choice([level.value for level in Level])
    function = click.option(
        "--withhold-credentials",
        is_flag=True,
        help="Withhold what looks like a credential, rather than report it.",
    )(function)
    function = click.option(
        "--hide-untrusted", is_flag=True, help="Withhold what is declared untrusted, rather than delimit it."
    )(function)
    function = click.option(
        "--host", default=USUAL_HOST, show_default=True, help="The host whose model is looked at."
    )(function)
    return click.option(
        "--boundary",
        type=levels,
        default="declared",
        show_default=True,
        help="How much is withheld from the model.",
    )(function)


def lenses_of(options: dict[str, object]) -> Lens:
    """Take the options of `lenses` out of a command's own."""
    policy = BoundaryPolicy(
        hide_untrusted=options.pop("hide_untrusted") is True,
        withhold_credentials=options.pop("withhold_credentials") is True,
    )
    return Lens(level=Level(str(options.pop("boundary"))), host=str(options.pop("host")), policy=policy)
