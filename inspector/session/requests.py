"""Builds the request that calls a tool, reads a resource, a template or a skill, or gets a prompt."""

from inspector.errors import UsageError
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Kind, Tool, unlisted


def request_of(tool: Tool | None, name: str, arguments: JsonObject) -> tuple[str, JsonObject]:
    """The method and parameters of a call.

    `tool`: None if the server lists no tool of that name. Raises UsageError.
    """
    kind = tool.kind if tool else Kind.TOOL
    label = tool.label if tool else name
    match kind:
        case Kind.TOOL:
            return "tools/call", {"name": label, "arguments": arguments}
        case Kind.RESOURCE | Kind.SKILL:
            return "resources/read", {"uri": label}
        case Kind.TEMPLATE:
            return "resources/read", {"uri": uri_of(label, arguments)}
        case Kind.PROMPT:
            return "prompts/get", {"name": label, **({"arguments": arguments} if arguments else {})}


def handle_of(tool: Tool | None, name: str, arguments: JsonObject) -> str:
    """The name under which a call is recorded: `name`.

    For a template, the handle of the resource that is read.

    Raises UsageError.
    """
    if tool is None or tool.kind is not Kind.TEMPLATE:
        return name
    return unlisted(Kind.RESOURCE, uri_of(tool.label, arguments)).handle


def title_of(tool: Tool, arguments: JsonObject) -> str:
    """The name of a tool or prompt, or the URI of the resource that is read. Raises UsageError."""
    return uri_of(tool.label, arguments) if tool.kind is Kind.TEMPLATE else tool.label


def uri_of(template: str, arguments: JsonObject) -> str:
    """The URI that a template expands to. Raises UsageError."""
    from inspector.protocol.templates import expanded  # noqa: PLC0415 - few servers have templates

    try:
        return expanded(template, arguments)
    except ValueError as error:
        raise UsageError(
            f"the template {template} cannot be expanded: {error}", "Check its variables."
        ) from error
