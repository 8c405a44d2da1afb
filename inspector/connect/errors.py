"""Errors for failed connections: what was tried, and what the user can do."""

from collections.abc import Callable

from inspector.connect.stdio import how_it_ended
from inspector.credentials.cutting import masked_start
from inspector.errors import AuthenticationRequiredError, InspectorError, UnreachableError
from inspector.json.exact import dump_text
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.targets import HttpTarget, StdioTarget

_STATUS_HINTS = {
    404: "Check the path: MCP endpoints are often at /mcp; those of the older transport at /sse (sse+http://…).",
    405: "This may be an endpoint of the older transport: try sse+ in front of the URL.",
    406: "The endpoint does not speak MCP over this transport: try sse+ in front of the URL.",
    429: "The server limits the rate of requests; wait, then press R or try again.",
}
_SERVER_ERROR_HINT = "The fault is on the server's side: look at its log."


def connect_error(
    target: StdioTarget | HttpTarget,
    failure: Outcome,
    *,
    asked: str = "initialize",
    printed: str | None = None,
    mask: Callable[[str], str] = str,
) -> InspectorError:
    """The error for a connection that failed because the request `asked` ended in `failure`.

    `printed`: text about a line on stdout that is not a message. `mask`: masks the user's credentials.
    """
    match failure:
        case Failure(http_status=401 | 403 as status):
            return AuthenticationRequiredError(failure.detail, status=status)
        case Failure(http_status=int(status)):
            hint = _SERVER_ERROR_HINT if status >= 500 else _STATUS_HINTS.get(status, "Check the URL.")
            return UnreachableError(failure.detail, hint)
        case Failure(kind=FailureKind.TIMEOUT):
            lines = [failure.detail, _named(target), *([printed] if printed else [])]
            return UnreachableError("\n".join(lines), _silence_hint(target))
        case Failure(kind=FailureKind.PROTOCOL) if isinstance(target, HttpTarget):
            return UnreachableError(
                failure.detail, "Is this an MCP endpoint? Its answer breaks the protocol."
            )
        case Failure():
            return UnreachableError(failure.detail, _lost_hint(target, failure.detail))
        case RpcError():
            text = f"the server answered {asked} with an error: {dump_text(failure.value)}\n{_named(target)}"
            return UnreachableError(text, "Try --era legacy or --era modern.")
        case Result():
            quoted = masked_start(dump_text(failure.value), mask, 200)
            text = f"the server's answer to {asked} is not usable: {quoted}\n{_named(target)}"
            return UnreachableError(text, "Is this an MCP server?")


def _named(target: StdioTarget | HttpTarget) -> str:
    return f"command: {target}" if isinstance(target, StdioTarget) else f"URL: {target}"


def _silence_hint(target: StdioTarget | HttpTarget) -> str:
    if isinstance(target, StdioTarget):
        return f"{STDIO_HINT} --timeout SECONDS waits longer; --era legacy skips the probe."
    return f"{HTTP_HINT} --timeout SECONDS waits longer."


SHELL_HINT = "Run the command in a shell to see its error."
STDIO_HINT, HTTP_HINT = "Is this an MCP server on stdio?", "Is this an MCP endpoint?"
"""The first sentence of the hint for a server that does not answer: over stdio, and over HTTP."""


def _lost_hint(target: StdioTarget | HttpTarget, detail: str) -> str:
    if isinstance(target, StdioTarget):
        if detail.startswith(how_it_ended(0)):
            return "It ended without an error and without an answer. Does the script start the server, as with mcp.run()?"
        return f"{SHELL_HINT} A server gets only a few environment variables: pass others with -e."
    return "Is the server running, and the host and port right?"
