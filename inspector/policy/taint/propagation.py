"""What a server is told of a session: `_meta.annotations` of a request.

Source: SEP-1913, RequestAnnotations, Propagation Rules and Privacy Considerations. A list of sources tells one server
what another holds, in text that the other wrote. So a server is told its own sources as it named them, and of all
others only the host, and only where it is named in a form that can say nothing else.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

from inspector.json.exact import Json, JsonObject
from inspector.policy.taint.state import MarkKind, SessionTrust

MAX_SOURCES = 100
"""Sources that a request names."""

# No user, port, path or query: each can name a person or a document.
_HOST = re.compile(
    r"(mcp|https|http)://(?:[^/?#@\\\s]*@)?([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::[0-9]*)?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


class Detail(StrEnum):
    """How much a server is told of the sources of other servers."""

    NONE = "none"
    HOSTS = "hosts"
    FULL = "full"


def request_annotations(
    trust: SessionTrust, server: str, *, detail: Detail = Detail.HOSTS
) -> JsonObject | None:
    """The annotations for a request to `server`, as `Origin.server` names it; None where there is nothing to say.

    openWorldHint stands there only where it is true: its absence claims nothing.
    """
    found: JsonObject = {"openWorldHint": True} if trust.untrusted else {}
    sources: list[Json] = [*sorted(set(_sources(trust, server, detail)))[:MAX_SOURCES]]
    if sources:
        found["attribution"] = sources
    return found or None


def _sources(trust: SessionTrust, server: str, detail: Detail) -> Iterator[str]:
    for mark in trust.marks:
        if mark.kind is not MarkKind.ATTRIBUTION:
            continue
        if mark.origin.server == server or detail is Detail.FULL:
            yield mark.value
        elif detail is Detail.HOSTS and (host := _HOST.fullmatch(mark.value)):
            yield f"{host[1].lower()}://{host[2].lower()}"
