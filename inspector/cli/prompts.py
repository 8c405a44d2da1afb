"""Questions in the terminal, before a server is started or the interface opens."""

import sys
from functools import cache

import click

from inspector.files.config import Input
from inspector.safe_text import safe_line


def can_ask() -> bool:
    """True if the user can read a question on stderr and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@cache
def asked_for(wanted: Input) -> str | None:
    """The user's answer to an input that a configuration file asks for; None without a terminal.

    The user is asked once per run, and the answer is stored only in memory.
    """
    if not can_ask():
        return None
    name = f"{safe_line(wanted.id)} of {safe_line(wanted.file)}"
    text = f"{safe_line(wanted.description)} ({name})" if wanted.description else name
    options = [safe_line(option) for option in wanted.options]
    if options:
        choice: str = click.prompt(text, type=click.Choice(options), default=wanted.default, err=True)
        return wanted.options[options.index(choice)]
    answer: str = click.prompt(
        text,
        default=wanted.default,
        hide_input=wanted.is_password,
        show_default=not wanted.is_password,
        err=True,
    )
    return answer


def agreed(question: str) -> bool:
    """True if the user answers yes; False without a terminal."""
    return can_ask() and click.confirm(question, default=False, err=True)
