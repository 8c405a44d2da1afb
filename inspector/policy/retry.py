"""Whether a call may be made a second time without a second thought.

Source: the policy-hints proposal, Use cases ("retrying only idempotent tools"); MCP, Tool Annotations, idempotentHint.
"""

from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import Traits, traits
from inspector.protocol.catalogue import Tool

_UNLISTED = "The server does not list it, so nothing is known of what a second call does."
_UNDECLARED = (
    "It declares neither that it only reads nor that it is idempotent: a second call may do it twice."
)
_DENIED = "It declares that it is not idempotent: a second call does it twice."
_DISPUTED = (
    "Its declarations of whether a call may be repeated contradict each other: a second call may do it twice."
)


def why_not_repeat(tool: Tool | None, resolved: Traits | None = None) -> str:
    """Why a call should not simply be repeated, in a sentence; empty where the tool claims to only read, or to be idempotent.

    `resolved`: its traits where it was asked about this very call. Defaults permit nothing.
    """
    if tool is None:
        return _UNLISTED
    claimed = resolved or traits(claims_of_tool(tool))
    effect, again = claimed.effect, claimed.idempotent
    # Neither is a default.
    if effect.value == "read" or again.value is True:
        return ""
    if effect.claims_against or again.claims_against:
        return _DISPUTED
    return _UNDECLARED if again.defaulted else _DENIED
