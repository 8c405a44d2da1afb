"""The option `--audit`, and the log that it and the user's settings ask for."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from inspector.files import paths

if TYPE_CHECKING:
    from inspector.policy.files.audit import Audit

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def auditing(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The option itself."""
    return click.option(
        "--audit", metavar="FILE", help="Append a line for every call that is decided, made or declined."
    )(function)


def closing_after(audit: "Audit | None") -> AbstractContextManager[object]:
    """Closes the log, where there is one."""
    return closing(audit) if audit else nullcontext()


def audit_of(options: dict[str, object]) -> "Audit | None":
    """Take the option of `auditing` out of a command's own; None where nothing is to be logged. Raises UsageError.

    Whoever takes it closes it.
    """
    path = options.pop("audit")
    if path is None and not os.path.lexists(paths.own_settings()):
        return None
    from inspector.files.settings import settings  # noqa: PLC0415
    from inspector.policy.files.audit import Audit  # noqa: PLC0415 - most runs log nothing

    own = settings().audit
    if path is None and own.file is None and not own.handlers:
        return None
    return Audit(Path(str(path)) if path is not None else None, own)
