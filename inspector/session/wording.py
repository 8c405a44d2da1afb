"""What came of a request, in words."""

from inspector.core.json_text import dump_text
from inspector.core.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.errors import AuthenticationRequiredError, InspectorError, UnreachableError


def error_of(failure: Outcome, what: str, hint: str) -> InspectorError:
    """The error for a request that got no answer, or none that helps. `what`: what cannot be done for that reason."""
    message = f"{what}: {told(failure)}" if what else told(failure)
    if isinstance(failure, Failure) and failure.http_status in {401, 403}:
        return AuthenticationRequiredError(message)
    return UnreachableError(message, hint)


def failure_of(error: InspectorError) -> Failure:
    """The outcome of a call for which the server could not be reached."""
    status = 401 if isinstance(error, AuthenticationRequiredError) else None
    kind = FailureKind.HTTP_STATUS if status else FailureKind.CONNECTION_LOST
    return Failure(kind=kind, detail=error.message, http_status=status)


def told(outcome: Outcome) -> str:
    """An outcome that is no result, in words. May quote foreign text."""
    match outcome:
        case Failure(detail=detail):
            return detail
        case RpcError(value=value):
            return f"the server answered with an error: {dump_text(value)}"
        case Result():
            return "the server answered with a result"
