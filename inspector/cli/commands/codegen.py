"""`sightline codegen NAME [TARGET]`: prints a saved call as source code."""

import click

from inspector.cli.help import SectionedCommand, WordChoice
from inspector.cli.options import ConnectionOptions, quiet_option, takes
from inspector.cli.output import DIAGNOSTICS, print_lines
from inspector.cli.saved_calls import target_words
from inspector.cli.start import Invocation, target_of
from inspector.errors import ExitCode, UsageError
from inspector.saved.codegen import LANGUAGES, generated
from inspector.saved.files.calls import USUAL_FILE, read_calls


@click.command(
    name="codegen",
    cls=SectionedCommand,
    examples=(
        "sightline codegen search -- node server.js",
        "sightline codegen search --as curl https://host/mcp",
    ),
)
@click.argument("name")
@click.argument("target", required=False)
@click.option(
    "--as",
    "language",
    type=WordChoice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="The language.",
)
@click.option(
    "--file",
    default=USUAL_FILE,
    show_default=True,
    metavar="FILE",
    help="The file that the call is saved in.",
)
@quiet_option
@takes("connection", ConnectionOptions, "environment", "headers", "cwd", "config", "server")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    name: str,
    target: str | None,
    language: str,
    file: str,
    connection: ConnectionOptions,
) -> int:
    """Print the call saved as NAME as source code. The code contains no secret. It reads secrets from the environment."""
    saved = read_calls(file)
    found = next((each for each in saved if each.name == name), None)
    if found is None:
        known = ", ".join(each.name for each in saved) or "none"
        raise UsageError(f"{file} has no call {name}", f"It has: {known}.")
    word, command_line = target, invocation.command_line
    if (word or command_line or connection.config) is None:
        word, command_line = target_words(found.server)
    words = ("--", *command_line) if command_line else (word,) if word else ()
    made = generated(found, target_of(word, connection, command_line), language, words=words)
    for note in made.notes:
        DIAGNOSTICS.say(note)
    print_lines(made.lines, exactly=True)
    return ExitCode.OK
