"""`sightline prompt NAME … TARGET`: prints one prompt, as the server sent it and as the model sees it."""

import click

from inspector.cli.commands.call import CallArguments, CallOptions, called
from inspector.cli.help import SectionedCommand
from inspector.cli.options import quiet_option, takes
from inspector.cli.start import Invocation, check_named, listing_hint
from inspector.errors import ExitCode, ToolFailedError
from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.session.live import Session


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED, ExitCode.STOPPED),
    examples=(
        "sightline prompt review --arg language=python https://host/mcp",
        "sightline prompt summarize --arg text='A long story' --view model -- node server.js",
    ),
)
@click.argument("name")
@click.argument("target", required=False)
@quiet_option
@takes("call", CallArguments, "single", "unvalidated", "meta")
@takes("options", CallOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    name: str,
    target: str | None,
    call: CallArguments,
    options: CallOptions,
) -> int:
    """Get the prompt NAME of TARGET and print what the server sent beside what the model sees."""
    check_named("prompt", name, target, options.connection)
    return called(invocation, target, lambda session: _prompt(session, name, call).as_call, call, options)


def _prompt(session: Session, name: str, call: CallArguments) -> Item:
    """The prompt with that name. Raises ToolFailedError if the server does not list it, except with --no-validate."""
    listed = session.catalogue.item(Kind.PROMPT, name)
    if listed is None and not call.unvalidated:
        names = [prompt.name for prompt in session.catalogue.items(Kind.PROMPT)]
        raise ToolFailedError(f"the server lists no prompt {name}", listing_hint(name, names))
    return listed or unlisted(Kind.PROMPT, name)
