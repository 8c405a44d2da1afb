"""`sightline read URI … TARGET`: prints one resource, as the server sent it and as the model sees it."""

import click

from inspector.cli.commands.call import CallArguments, CallOptions, called
from inspector.cli.help import SectionedCommand
from inspector.cli.options import quiet_option, takes
from inspector.cli.output import DIAGNOSTICS
from inspector.cli.start import Invocation, check_named, listing_hint
from inspector.errors import ExitCode, ToolFailedError, UsageError
from inspector.json.members import text_at
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool, unlisted
from inspector.protocol.templates import variables
from inspector.session.live import Session


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED, ExitCode.STOPPED),
    examples=(
        "sightline read file:///srv/notes.txt https://host/mcp",
        "sightline read 'db://{table}/rows{?limit}' --arg table=users -- node server.js",
    ),
)
@click.argument("uri")
@click.argument("target", required=False)
@quiet_option
@takes("call", CallArguments, "single", "unvalidated", "meta")
@takes("options", CallOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    uri: str,
    target: str | None,
    call: CallArguments,
    options: CallOptions,
) -> int:
    """Read the resource URI of TARGET and print what the server sent beside what the model sees.

    URI may also be the name of a resource, or the URI or name of a template. --arg sets the variables of a template.
    """
    check_named("URI", uri, target, options.connection)
    hint = ""

    def choose(session: Session) -> tuple[str, Tool]:
        nonlocal hint
        resource = _resource(session, uri, call)
        if session.catalogue.item(resource.kind, resource.name) is None:
            hint = listing_hint(uri, _known(session.catalogue))
        return resource.as_call

    code = called(invocation, target, choose, call, options)
    if code == ExitCode.TOOL_FAILED.value and hint:
        DIAGNOSTICS.say(f"the server does not list {uri}. {hint}")
    return code


def _resource(session: Session, uri: str, call: CallArguments) -> Item:
    """The resource or template that `uri` names, listed or not. Raises UsageError or ToolFailedError.

    `uri` may be the name of a template, or of a resource if no other resource has that name.
    """
    catalogue = session.catalogue
    resource = catalogue.item(Kind.RESOURCE, uri)
    if resource is None:
        named = [each for each in catalogue.items(Kind.RESOURCE) if text_at(each.definition, "name") == uri]
        resource = named[0] if len(named) == 1 else None
    if resource is None:
        templates = catalogue.items(Kind.TEMPLATE)
        template = next(
            (each for each in templates if uri in {each.name, text_at(each.definition, "name")}), None
        )
        if template or variables(uri):
            return template or unlisted(Kind.TEMPLATE, uri)
        if ":" not in uri:
            raise ToolFailedError(
                f"the server lists no resource or template {uri}, and it is not a URI",
                listing_hint(uri, _known(catalogue)),
            )
    if call.single:
        raise UsageError(f"{uri} has no variables", "--arg is for templates: leave it out.")
    return resource or unlisted(Kind.RESOURCE, uri)


def _known(catalogue: Catalogue) -> list[str]:
    """The URIs and names of all listed resources and templates."""
    items = (*catalogue.items(Kind.RESOURCE), *catalogue.items(Kind.TEMPLATE))
    return [name for item in items for name in (item.name, text_at(item.definition, "name")) if name]
