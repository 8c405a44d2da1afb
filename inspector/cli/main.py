"""The command line: `sightline [TARGET]` opens the terminal interface; other commands print and exit."""

import os
from importlib import import_module
from itertools import pairwise
from typing import cast

import click

from inspector import __version__
from inspector.cli.help import JSON_OPTION, ExtraWordsError, WrappedHelp, suggestion
from inspector.cli.output import DIAGNOSTICS, UnreadError, defect, finish, print_lines
from inspector.cli.start import Interface, Invocation, has_terminal, meant_command
from inspector.errors import ExitCode, InspectorError, UsageError

COMMANDS = {
    "open": ("open", "Open the interface on a target or a recording."),
    "list": ("list_", "List the tools of a target and what they declare."),
    "call": ("call", "Call a tool; print the result beside what the model sees."),
    "read": ("read", "Read a resource; print it beside what the model sees."),
    "prompt": ("prompt", "Get a prompt; print it beside what the model sees."),
    "skill": ("skill", "Read and verify a skill; print it beside what the model sees."),
    "request": ("request", "Send any request; print the raw answer."),
    "run": ("run", "Make saved calls and check their expectations."),
    "verify": ("verify", "Make the calls of a recording again and compare the results."),
    "codegen": ("codegen", "Print a saved call as Python, TypeScript, curl or pytest."),
    "context": ("context", "Show what reaches a model before its first call, with token counts."),
    "project": ("project", "Show what a model would see of a saved result."),
    "claims": ("claims", "List the vocabularies of declarations."),
    "hosts": ("hosts", "List the hosts, or compare them on a saved result."),
    "discover": ("discover", "List the servers that clients on this machine are configured with."),
    "review": ("review", "Report risks in what servers declare and return."),
    "check": ("check", "Review a server, check its pin, make its saved calls."),
    "auth": ("auth", "Authorize Sightline at a server, or forget its tokens."),
    "policy": ("policy", "Check a policy, or explain what it decides."),
    "replay": ("replay", "Show, check or export recordings."),
    "serve": ("serve", "Serve a recording as an MCP server."),
    "diff": ("diff", "Compare the definitions of two recordings, pins or targets."),
    "pin": ("pin", "Pin the definitions of a server, or check them."),
    "docs": ("docs", "Print a safety table of all tools."),
    "demo": ("demo", "Open the interface on the built-in server."),
}
"""Each command, with its module in cli/commands, which is imported when the command is used, and its summary."""
_PAGE = "A page is a target: web+http://… or web+https://…; sightline demo --web opens the built-in page, and sightline demo --serve web serves it for other commands."
_URL = "A URL is a target: write it without an option, https://… or sse+https://…."
_TARGETS_BY_OPTION = {
    "--web": _PAGE,
    "--page": _PAGE,
    "--url": _URL,
    "--http": _URL,
    "--sse": _URL,
    "--stdio": "A command is a target: write it at the end, after --.",
}
"""Hints on how to write a target, by the option with which a user may try to name a target.

The options do not exist. If a command that connects gets one, its error has the hint.
"""
_COMPLETION = "_SIGHTLINE_COMPLETE"
"""The variable that a shell sets when it asks for completions."""


class LazyGroup(WrappedHelp, click.Group):
    """The group of all commands, which imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help."""
        _ = ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with that name; None if there is none."""
        _ = ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"inspector.cli.commands.{COMMANDS[cmd_name][0]}")
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries, without importing a command."""
        _ = ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


# The character before a paragraph makes click keep its lines as they are.
_HELP = """See what the model sees: an inspector for MCP servers and WebMCP pages.

\b
sightline TARGET                      open the interface; also: sightline open
sightline -- node server.js --flag    on a command
sightline https://host/mcp            on a server
sightline mcp.json:name               on an entry of a configuration file
sightline web+https://host/page       on a page, in its own Chromium
sightline demo                        on the built-in server
sightline demo mcp.json:a mcp.json:b  on several servers
sightline mcp.json                    on all servers of the file
sightline session.jsonl               on a recording

\b
sightline COMMAND --help shows the options of a command, with examples;
sightline open --help those of the interface, such as --theme and --watch.
"""


def _show_version(ctx: click.Context, option: click.Parameter, is_wanted: bool) -> None:  # noqa: FBT001 - click calls it
    _ = option
    if is_wanted and not ctx.resilient_parsing:
        print_lines([f"sightline, version {__version__}"])
        ctx.exit()


@click.group(
    cls=LazyGroup,
    help=_HELP,
    invoke_without_command=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version.",
)
def sightline() -> None:
    """The root command `sightline`, which only groups the others."""


def run(argv: list[str], interface: Interface) -> int:
    """Run one command line. Returns the exit code.

    The words after `--` are the command that starts a server.
    """
    head, command_line = _split(argv)
    if not head and not command_line:
        if has_terminal() and _COMPLETION not in os.environ:
            return _overview()
        head = ["--help"]
    elif _is_one_of_several(head, command_line) or (
        not head or (head[0] not in COMMANDS and head[0] not in {"-h", "--help", "--version"})
    ):
        head = ["open", *head]
    DIAGNOSTICS.as_json = _wants_json(head)
    try:
        if head[0] == "open" and argv[0] not in COMMANDS:
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
        return DIAGNOSTICS.fail(_reworded(error))
    except (KeyboardInterrupt, click.Abort):
        return ExitCode.INTERRUPTED
    except UnreadError:
        return ExitCode.UNREAD
    except Exception as error:  # noqa: BLE001 - the last handler: a traceback would quote untrusted text and locals
        return DIAGNOSTICS.fail(defect(error))
    return result if isinstance(result, int) else ExitCode.OK


def _is_one_of_several(head: list[str], command_line: tuple[str, ...] | None) -> bool:
    """True if `demo` is the first of several targets, and not the command of that name."""
    if head[:1] != ["demo"]:
        return False
    is_followed = len(head) > 1 and not head[1].startswith("-")
    has_file = any(word.partition("=")[0] == "--config" for word in head)
    return is_followed or command_line is not None or has_file


def _overview() -> int:
    from inspector.cli.overview import overview_lines  # noqa: PLC0415 - only for a command line without words

    print_lines(overview_lines(), exactly=True)
    return ExitCode.OK


def _reworded(error: click.ClickException) -> UsageError:
    """An error from click, reworded like Sightline's own usage errors: in lower case, with a hint that names --help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    more = f"Try {context.command_path if context else 'sightline'} --help."
    if isinstance(error, click.NoSuchOption):
        params = context.command.params if context else []
        known = [one for each in params if isinstance(each, click.Option) for one in each.opts]
        arguments = [each.human_readable_name for each in params if isinstance(each, click.Argument)]
        bare = error.option_name.lstrip("-").upper()
        close = suggestion(error.option_name, known, most=1).strip()
        target = _TARGETS_BY_OPTION.get(error.option_name, "") if "--timeout" in known else ""
        if bare in arguments:
            close = f"{bare} is an argument: write it without {error.option_name}."
        elif "--arg" in known and not close and error.option_name.startswith("--"):
            close = f"To pass an argument of the tool, write --arg {error.option_name[2:]}=VALUE."
        close = f"{target} {close}".strip()
        return UsageError(f"no option {error.option_name}", f"{close} {more}".strip())
    if isinstance(error, ExtraWordsError) and context:
        last = context.params.get("target") or context.params.get("after")
        more = f"{meant_command((last, *error.words)) if last else ''} {more}".strip()
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and context:
        names = context.command.list_commands(context) if isinstance(context.command, click.Group) else []
        return UsageError(
            f"{context.command_path} needs a command", f"Give one of: {', '.join(names)}. {more}"
        )
    message = error.format_message().rstrip(".")
    if isinstance(error, click.MissingParameter) and error.param and error.param.name == "tool":
        more = f"sightline list TARGET lists the tools. {more}"
    return UsageError(message[:1].lower() + message[1:], more)


def _check_command(word: str) -> None:
    """Raise UsageError for a misspelt command; any other first word is a target."""
    # The only target that is a bare word is `demo`, which is a command too.
    if word.isalpha():
        close = suggestion(word, COMMANDS)
        if close:
            raise UsageError(f"no command {word}", close.strip())


def _split(argv: list[str]) -> tuple[list[str], tuple[str, ...] | None]:
    if "--" not in argv:
        return list(argv), None
    at = argv.index("--")
    return argv[:at], tuple(argv[at + 1 :])


def _wants_json(head: list[str]) -> bool:
    return not {"--format=json", JSON_OPTION}.isdisjoint(head) or any(
        (word, value) == ("--format", "json") for word, value in pairwise(head)
    )
