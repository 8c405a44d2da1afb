"""`sightline run [FILE] [NAME…] [TARGET]`: make saved calls, and compare the answers with their expectations."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import click

from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, print_json, print_lines
from inspector.cli.saved_calls import Ran, cases_of, conceal, lines_of, made_again, target_words
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode, UsageError
from inspector.junit import junit
from inspector.launch import Launch
from inspector.saved.call import SavedCall
from inspector.saved.files.calls import USUAL_FILE, read_calls, secret_values
from inspector.session.live import Session


@click.command(
    name="run",
    cls=SectionedCommand,
    exits=(ExitCode.CALLS_FAILED,),
    examples=(
        "sightline run",
        "sightline run calls.toml search --format junit -- node server.js",
    ),
)
@click.argument("words", nargs=-1, metavar="[FILE] [NAME]... [TARGET]")
@format_option("text", "json", "junit")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions)
@takes("rules", PolicyOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    words: tuple[str, ...],
    format_: str,
    connection: ConnectionOptions,
    lens: LensOptions,
    rules: PolicyOptions,
) -> int:
    """Make the saved calls of FILE, or those called NAME, and print which expectations are not met.

    Without FILE, the calls in calls.toml in the working folder are made. Without TARGET, each call goes to the server
    that it names.
    """
    lens.check()
    file, words = _file_and_rest(words)
    saved = read_calls(file)
    chosen, target = _chosen(saved, words, file)
    ran: list[Ran] = []
    terms = rules.read()
    # Secrets are read before a server is started.
    values = {each.name: secret_values(each) for each in chosen}
    conceal(value for held in values.values() for value in held.values())
    is_given = (target or invocation.command_line or connection.config) is not None
    with rules.logged(terms) as terms:
        for server, calls in groupby(chosen, key=lambda each: "" if is_given else each.server):
            word, command_line = target_words(server) if server else (target, invocation.command_line)
            launch = launch_of(
                target_of(word, connection, command_line),
                connection,
                lens=lens,
                terms=terms,
                agreement=rules.agreement,
            )
            DIAGNOSTICS.say(f"connecting to {launch.target} …")
            ran += in_session(launch, partial(_listed_and_made, launch=launch, calls=[*calls], values=values))
    _print(ran, file, format_)
    return ExitCode.CALLS_FAILED if any(each.failures for each in ran) else ExitCode.OK


async def _listed_and_made(
    session: Session, *, launch: Launch, calls: Sequence[SavedCall], values: Mapping[str, Mapping[str, str]]
) -> list[Ran]:
    await session.list_all()
    return await made_again(session, launch, calls, values)


def _file_and_rest(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The file of saved calls, and the words after it.

    Without a file in `words`, the usual file of the working folder. Raises UsageError if that does not exist.
    """
    if words and (words[0].endswith(Path(USUAL_FILE).suffix) or Path(words[0]).is_file()):
        return words[0], words[1:]
    if not Path(USUAL_FILE).exists():
        missing = f"{words[0]} is not a file" if words else "no file of saved calls is given"
        raise UsageError(
            f"{missing}, and there is no {USUAL_FILE} here",
            f"Write sightline run FILE. To make {USUAL_FILE}, save a call: sightline call … --save NAME.",
        )
    DIAGNOSTICS.say(f"using the saved calls of {USUAL_FILE}")
    return USUAL_FILE, words


def _chosen(
    saved: tuple[SavedCall, ...], words: tuple[str, ...], file: str
) -> tuple[list[SavedCall], str | None]:
    """The calls to make, and the target.

    The target is the last word if no call has that name; otherwise it is None.
    """
    known = {each.name for each in saved}
    names, target = list(words), None
    if names and names[-1] not in known:
        target = names.pop()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"{file} has no call {unknown[0]}", f"It has: {', '.join(sorted(known)) or 'none'}.")
    return [each for each in saved if not names or each.name in names], target


def _print(ran: Sequence[Ran], file: str, format_: str) -> None:
    if format_ == "json":
        print_json({"file": file, "calls": [each.shape for each in ran]})
    elif format_ == "junit":
        print_lines(junit("sightline run", cases_of(ran, file)), exactly=True)
    else:
        print_lines(lines_of(ran))
