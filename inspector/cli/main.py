"""The command line: `sightline [TARGET]` opens the interface, a command does one thing and ends."""

from importlib import import_module
from itertools import pairwise
from typing import cast

import click

from inspector import __version__
from inspector.cli.diagnostics import DIAGNOSTICS, INTERRUPTED, OK, UNREAD, defect
from inspector.cli.options import Interface, Invocation
from inspector.cli.output import UnreadError, discard, finish
from inspector.errors import InspectorError, UsageError

COMMANDS = {
    "open": "open",
    "list": "list_",
    "call": "call",
    "project": "project",
    "claims": "claims",
    "hosts": "hosts",
    "review": "review",
    "policy": "policy",
    "replay": "replay",
    "serve": "serve",
    "diff": "diff",
    "pin": "pin",
    "docs": "docs",
    "demo": "demo",
}
"""Command to module in cli/commands, imported when the command is used."""


class LazyGroup(click.Group):
    """Loads a command when it is used. A first word that is no command is a target, and opens the interface."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the README."""
        _ = ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        _ = ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"inspector.cli.commands.{COMMANDS[cmd_name]}")
        return cast("click.Command", module.command)


# The character before the list keeps its lines as they are.
_HELP = """See what the model sees: an inspector for MCP servers and WebMCP pages.

\b
sightline TARGET                      open the interface (the same as: sightline open TARGET)
sightline -- node server.js --flag    on a command
sightline https://host/mcp            on a server
sightline mcp.json:name               on an entry of a configuration file
sightline web+https://host/page       on a page, in a Chromium of its own
sightline demo                        on the built-in server
sightline session.jsonl               on a recording
"""


@click.group(
    cls=LazyGroup,
    help=_HELP,
    invoke_without_command=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="sightline")
def sightline() -> None:
    """Hold the commands."""


def run(argv: list[str], interface: Interface) -> int:
    """Run one command line; the exit code. Everything behind `--` is a server's command."""
    head, command_line = _split(argv)
    if not head and not command_line:
        head = ["--help"]
    elif not head or (head[0] not in COMMANDS and head[0] not in {"-h", "--help", "--version"}):
        head = ["open", *head]
    DIAGNOSTICS.as_json = _wants_json(head)
    try:
        if head[0] == "open" and argv[0] != "open":
            _check_command(argv[0])
        result: object = sightline.main(
            args=head,
            prog_name="sightline",
            standalone_mode=False,
            obj=Invocation(command_line=command_line, interface=interface),
        )
        finish()
    except InspectorError as error:
        return DIAGNOSTICS.fail(error)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return DIAGNOSTICS.fail(UsageError(error.format_message(), "Try sightline --help."))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except UnreadError:
        discard()
        return UNREAD
    except SystemExit as leaving:
        # With 1 by click, where it writes the help itself and the pipe is closed; by no command.
        if leaving.code != 1:
            raise
        return UNREAD
    except Exception as error:  # noqa: BLE001 - the last door: no traceback, for it quotes foreign text and locals
        return DIAGNOSTICS.fail(defect(error))
    return result if isinstance(result, int) else OK


def _check_command(word: str) -> None:
    """Raises UsageError for a command with a slip in it; whatever else stands first is a target."""
    # A target that is a bare word is `demo`, which is a command too.
    if word.isalpha():
        from difflib import get_close_matches  # noqa: PLC0415 - most command lines need no advice

        close = get_close_matches(word, COMMANDS)
        if close:
            raise UsageError(f"no command {word}", f"Did you mean {' or '.join(close)}?")


def _split(argv: list[str]) -> tuple[list[str], tuple[str, ...] | None]:
    if "--" not in argv:
        return list(argv), None
    at = argv.index("--")
    return argv[:at], tuple(argv[at + 1 :])


def _wants_json(head: list[str]) -> bool:
    return "--format=json" in head or any(
        (word, value) == ("--format", "json") for word, value in pairwise(head)
    )
