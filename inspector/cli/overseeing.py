"""The options `--policy` and `--yes`, and what they mean wherever a call is decided on."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from inspector.policy.gate.agreement import Agreement

if TYPE_CHECKING:
    from inspector.policy.rules import Policy

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def ruling(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The option `--policy`."""
    return click.option(
        "--policy", metavar="FILE", help="The rules that decide on calls; without it, the built-in ones."
    )(function)


def agreeing(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The option `--yes`."""
    return click.option(
        "--yes", is_flag=True, help="Agree to what the policy asks. What it blocks stays blocked."
    )(function)


def policy_of(options: dict[str, object]) -> "Policy | None":
    """Take `--policy` out of a command's own options; None where the built-in policy holds. Raises UsageError.

    Before anything is connected: nothing is done under half a policy.
    """
    path = options.pop("policy")
    if path is None:
        return None
    from inspector.policy.files.policies import read_policy  # noqa: PLC0415 - the built-in policy needs no file

    return read_policy(str(path))


def agreement_of(options: dict[str, object]) -> Agreement:
    """Take `--yes` out of a command's own options."""
    return Agreement.YES if options.pop("yes") is True else Agreement.NONE
