"""A refused request that waits for authorization."""

from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from inspector.protocol.outcome import Failure

_HELD = "inspector.held"


@dataclass(slots=True)
class Held:
    """The state that the HTTP tap keeps for a request which may be sent again after a refusal."""

    failure: Failure | None = None
    """The failure that ends the request if it is not sent again; None if it was not refused."""
    fail: Callable[[Failure], None] | None = None
    """Ends the request with a failure. None until the tap holds a refusal back."""
    exchange: object = None
    """The tap's exchange for the request, set when it is first sent."""


def hold(request: httpx2.Request) -> Held:
    """Make the HTTP tap hold back the refusal of a request.

    Returns the state that `request` and the tap share.
    """
    held = Held()
    request.extensions = {**request.extensions, _HELD: held}
    return held


def held_of(request: httpx2.Request) -> Held | None:
    """The `Held` that `hold` returned for this request; None for any other request."""
    found = request.extensions.get(_HELD)
    return found if isinstance(found, Held) else None


def wants_authorization(response: httpx2.Response) -> bool:
    """True if a response refuses a request for a reason that an authorization flow may remove.

    Source: RFC 6750, section 3.1; MCP 2025-11-25, Authorization, "Step-Up".
    """
    if response.status_code == 401:
        return True
    challenges = " ".join(response.headers.get_list("www-authenticate"))
    return response.status_code == 403 and "insufficient_scope" in challenges
