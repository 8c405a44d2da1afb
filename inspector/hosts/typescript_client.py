"""What MCP's TypeScript client library makes of a result before its host sees it.

Source: npm @modelcontextprotocol/sdk 1.32, types.ts, CallToolResultSchema.
"""

from dataclasses import dataclass

from inspector.hosts.received import Received
from inspector.hosts.sharing import shared
from inspector.hosts.zod_check import (
    Amount,
    Items,
    Kind,
    OneOf,
    Record,
    Shape,
    Text,
    Truth,
    Union,
    check,
    message,
)
from inspector.json.exact import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A result that the client library throws an error for."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A message that the client library ignores, so that the call runs into its time limit."""

    reason: str


_BESIDES = frozenset({"annotations", "_meta"})
_ANNOTATIONS = Shape(
    members={
        "audience": Items(of=OneOf(values=("user", "assistant"))),
        "priority": Amount(least=0, most=1),
        "lastModified": Text(moment=True),
    },
    optional=frozenset({"audience", "priority", "lastModified"}),
)
_TEXT = Shape(
    members={"type": OneOf(values=("text",)), "text": Text(), "annotations": _ANNOTATIONS, "_meta": Record()},
    optional=_BESIDES,
)


def _media(kind: str) -> Shape:
    return Shape(
        members={
            "type": OneOf(values=(kind,)),
            "data": Text(base64=True),
            "mimeType": Text(),
            "annotations": _ANNOTATIONS,
            "_meta": Record(),
        },
        optional=_BESIDES,
    )


_ICON = Shape(
    members={
        "src": Text(),
        "mimeType": Text(),
        "sizes": Items(of=Text()),
        "theme": OneOf(values=("light", "dark")),
    },
    optional=frozenset({"mimeType", "sizes", "theme"}),
)
_LINK = Shape(
    members={
        "name": Text(),
        "title": Text(),
        "icons": Items(of=_ICON),
        "uri": Text(),
        "description": Text(),
        "mimeType": Text(),
        "size": Amount(),
        "annotations": _ANNOTATIONS,
        "_meta": Shape(members={}, loose=True),
        "type": OneOf(values=("resource_link",)),
    },
    optional=_BESIDES | {"title", "icons", "description", "mimeType", "size"},
)


def _contents(payload: str, kind: Text) -> Shape:
    members: dict[str, Kind] = {"uri": Text(), "mimeType": Text(), "_meta": Record(), payload: kind}
    return Shape(members=members, optional=frozenset({"mimeType", "_meta"}))


_RESOURCE = Shape(
    members={
        "type": OneOf(values=("resource",)),
        "resource": Union(among=(_contents("text", Text()), _contents("blob", Text(base64=True)))),
        "annotations": _ANNOTATIONS,
        "_meta": Record(),
    },
    optional=_BESIDES,
)
_META = Shape(
    members={
        "progressToken": Union(among=(Text(), Amount())),
        "io.modelcontextprotocol/related-task": Shape(members={"taskId": Text()}),
    },
    optional=frozenset({"progressToken", "io.modelcontextprotocol/related-task"}),
    loose=True,
)
_RESULT = Shape(
    members={
        "_meta": _META,
        "content": Items(of=Union(among=(_TEXT, _media("image"), _media("audio"), _LINK, _RESOURCE))),
        "structuredContent": Record(),
        "isError": Truth(),
    },
    optional=frozenset({"_meta", "structuredContent", "isError"}),
    loose=True,
)


@shared
def receive(result: JsonObject) -> Received | Refused | Unread:
    """`result` as `client.callTool` gives it. Content that is missing is none."""
    if "_meta" in result and check(result["_meta"], _META).issues:
        return Unread(reason="the client library ignores a message with such metadata")
    checked = check(result if "content" in result else {**result, "content": []}, _RESULT)
    if checked.issues or not isinstance(checked.value, dict):
        return Refused(message=message(checked.issues))
    return Received(value=checked.value)
