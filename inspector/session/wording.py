"""Outcomes of requests, in words."""

from collections.abc import Callable, Iterable, Sequence

from inspector.errors import AuthenticationRequiredError, InspectorError, UnreachableError
from inspector.json.exact import dump_text
from inspector.protocol.client import ClientProfile
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.page import RefusedTool
from inspector.protocol.targets import Era, PageTarget, Target


def announces(profile: ClientProfile) -> str:
    """A sentence about the capabilities that a client profile announces."""
    if not profile.capabilities:
        return (
            "Sightline announces no sampling, elicitation or roots; servers may hide tools from such clients."
        )
    return f"Sightline announces {profile.announced} (--as {profile.name}); servers may show other clients other tools."


def recorded_as(profiles: Iterable[ClientProfile]) -> str:
    """Words about the client profiles with which a recording was made."""
    by_name = {profile.name: profile for profile in profiles}
    said = "; ".join(announces(profile).rstrip(".") for profile in by_name.values())
    return f"the recording was made with the client profile {', '.join(by_name)}: {said}"


_DURING_CALLS = ("elicitation/create", "sampling/createMessage", "roots/list")


def unanswerable(outcome: Outcome, era: Era) -> str:
    """The method of the request that the server tried to send when the call failed.

    Empty unless the call failed because a server of a stateless revision cannot send requests. The SDKs name
    the method in their error.
    """
    if era is not Era.MODERN:
        return ""
    match outcome:
        case RpcError(value=value):
            text = dump_text(value)
        case Result(value={"isError": True, **rest}):
            text = dump_text(rest)
        case _:
            return ""
    return next((method for method in _DURING_CALLS if f"'{method}'" in text), "")


STARTED_AGAIN = "the server ended when asked for the stateless era, so it was started again for the handshake (era legacy)"
"""The note about a connection for which the command was started twice."""


def missed_handshake(failure: Outcome, era: Era) -> bool:
    """True if a stateless connection ended, and the text of the failure names `initialize`.

    Such a server answers stateless requests, but ends if `initialize` does not come.
    """
    match failure:
        case Failure(kind=FailureKind.CONNECTION_LOST, detail=detail) if era is Era.MODERN:
            return "initialize" in detail
        case _:
            return False


def error_of(failure: Outcome, what: str, hint: str, *, mask: Callable[[str], str] = str) -> InspectorError:
    """The error for a request that failed. `what`: the action that is therefore impossible.

    `mask`: masks the user's credentials in texts of the server.
    """
    reason = mask(reason_of(failure))
    message = f"{what}: {reason}" if what else reason
    if isinstance(failure, Failure) and failure.http_status in {401, 403}:
        return AuthenticationRequiredError(message, status=failure.http_status)
    return UnreachableError(message, hint)


def failure_of(error: InspectorError) -> Failure:
    """The outcome of a call if its server could not be reached."""
    status = 401 if isinstance(error, AuthenticationRequiredError) else None
    kind = FailureKind.HTTP_STATUS if status else FailureKind.CONNECTION_LOST
    return Failure(kind=kind, detail=error.message, http_status=status)


def reason_of(outcome: Outcome) -> str:
    """An outcome other than a result, in words. May quote untrusted text."""
    match outcome:
        case Failure(detail=detail):
            return detail
        case RpcError(value=value):
            return f"{outcome.who}: {dump_text(value)}"
        case Result():
            return "the server answered with a result"


def page_answer(outcome: Outcome) -> str:
    """A sentence that says whether the browser answered in place of a page's tool; empty if nothing needs saying.

    Source: Chromium 156.
    """
    if not isinstance(outcome, Result) or not outcome.of_page:
        return ""
    if outcome.value == "undefined":
        return 'the page returned no value or the text "undefined": Chromium answers both with this text'
    is_empty = outcome.value == []
    match outcome.left_page:
        case True:
            what = "has no JSON-LD, so it answered []" if is_empty else "has this JSON-LD"
            return (
                f"the call left the page, so the browser answered in place of the tool: the new page {what}"
            )
        case False:
            return "the tool itself returned []: the call did not leave the page" if is_empty else ""
        case None:
            either = "[] is what the tool returned, or what the browser answers if a call leaves the page"
            return either if is_empty else ""


def no_tools(target: str, obstacles: Sequence[str], wait_s: float) -> tuple[str, str]:
    """The error that a page has no tools, and a hint.

    `obstacles`: clauses on why the page offers none; they may quote untrusted text. `wait_s`: how long
    Sightline waited for tools, in seconds.
    """
    if obstacles:
        reasons = "".join(f"\n  {reason}" for reason in obstacles)
        return f"the page offers no tools:{reasons}\nURL: {target}", "Check the address and the page."
    if not wait_s:
        return (
            f"the page had registered no tools when it had loaded\nURL: {target}",
            "--wait SECONDS waits for tools that it registers later.",
        )
    return (
        f"the page registered no tools within {wait_s:g} s\nURL: {target}",
        "--wait SECONDS waits longer. Does the page register them only after signing in, or on another address?",
    )


def nothing_listed(target: Target) -> str:
    """The sentences that say why the interface lists nothing."""
    if not isinstance(target, PageTarget):
        return "The server lists nothing."
    return (
        "The page has registered no tools so far. They are listed as soon as it registers some: perhaps after a click or a sign-in, "
        "or on another address. --headed shows the browser."
    )


def refusal(refused: RefusedTool) -> str:
    """A clause about a tool that a browser refused. It quotes untrusted text."""
    return f"its browser refused {refused.name or 'a tool without a name'}: {refused.reason}"


def shared_name(name: str, handles: Sequence[str]) -> tuple[str, str]:
    """The error that a name is shared by several tools of a page, and a hint that lists their handles."""
    return (
        f"several documents of the page offer {name}",
        f"Name one of them: {', '.join(handles[:20])}.",
    )
