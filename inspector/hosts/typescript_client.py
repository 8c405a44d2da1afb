"""Results as MCP's TypeScript client library returns them to the host.

Source: npm @modelcontextprotocol/sdk 1.32, types.ts, CallToolResultSchema.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from msgspec import Struct

from inspector.hosts import javascript
from inspector.hosts.received import Received
from inspector.hosts.sharing import shared
from inspector.json.exact import DuplicateKeys, Json, JsonObject

Path: TypeAlias = tuple[str | int, ...]


class ZodText(Struct, frozen=True, kw_only=True):
    """A schema `z.string()`."""

    base64: bool = False
    """True if `atob` must accept the text."""
    moment: bool = False
    """True if the text must be an ISO date and time with an offset."""


class ZodAmount(Struct, frozen=True, kw_only=True):
    """A schema `z.number()`."""

    least: int | None = None
    most: int | None = None


class ZodTruth(Struct, frozen=True, kw_only=True):
    """A schema `z.boolean()`."""


class OneOf(Struct, frozen=True, kw_only=True):
    """A schema `z.literal()` or `z.enum()`."""

    values: tuple[str, ...]


class Record(Struct, frozen=True, kw_only=True):
    """A schema `z.record(z.string(), z.unknown())`."""


class ZodItems(Struct, frozen=True, kw_only=True):
    """A schema `z.array()`."""

    of: "Kind"


class Shape(Struct, frozen=True, kw_only=True):
    """A schema `z.object()` or `z.looseObject()`."""

    members: Mapping[str, "Kind"]
    optional: frozenset[str] = frozenset()
    loose: bool = False
    """True if unknown members are kept."""


class Union(Struct, frozen=True, kw_only=True):
    """A schema `z.union()`: the first alternative that matches applies."""

    among: "tuple[Kind, ...]"


Kind: TypeAlias = ZodText | ZodAmount | ZodTruth | OneOf | Record | ZodItems | Shape | Union


@dataclass(slots=True, kw_only=True)
class ZodChecked:
    """The result of a validation."""

    value: Json = None
    issues: list[JsonObject] = field(default_factory=list[JsonObject])
    aborted: bool = False
    """True if the value has the wrong type; a union prefers options of the right type."""

    def add(self, path: Path, issue: JsonObject, message: str, *, abort: bool = True) -> None:
        """Add an error. `issue`: the members that Zod writes before `path` and `message`."""
        self.issues.append({**issue, "path": list(path), "message": message})
        self.aborted = self.aborted or abort

    def take(self, other: "ZodChecked", path: Path) -> None:
        """Add the errors of the part at `path`."""
        for issue in other.issues:
            inner = issue["path"]
            issue["path"] = [*path, *(inner if isinstance(inner, list) else ())]
            self.issues.append(issue)
        self.aborted = self.aborted or other.aborted


class Missing:
    """The type of `MISSING`, which represents JavaScript's `undefined`."""


MISSING = Missing()


def check(value: Json | Missing, kind: Kind) -> ZodChecked:
    """The result of `schema.safeParse(value)`.

    The depth of recursion is that of the schema, not of the value.
    """
    match kind:
        case ZodText():
            return _text(value, kind)
        case ZodAmount():
            return _amount(value, kind)
        case ZodTruth():
            return ZodChecked(value=value) if isinstance(value, bool) else _wrong("boolean", value)
        case OneOf():
            return _one_of(value, kind)
        case Record():
            if not isinstance(value, dict):
                return _wrong("record", value)
            return ZodChecked(value={key: inner for key, inner in value.items() if key != javascript.PROTO})
        case ZodItems():
            return _items(value, kind)
        case Shape():
            return _shape(value, kind)
        case Union():
            return _union(value, kind)
        case _:
            assert_never(kind)


def message(issues: Sequence[JsonObject]) -> str:
    """The `error.message` of a ZodError."""
    return javascript.stringify(list(issues), 2)


def _received(value: Json | Missing) -> str:
    match value:
        case Missing():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict() | DuplicateKeys():
            return "object"


def _wrong(expected: str, value: Json | Missing) -> ZodChecked:
    checked = ZodChecked()
    issue: JsonObject = {"expected": expected, "code": "invalid_type"}
    checked.add((), issue, f"Invalid input: expected {expected}, received {_received(value)}")
    return checked


def _text(value: Json | Missing, kind: ZodText) -> ZodChecked:
    if not isinstance(value, str):
        return _wrong("string", value)
    checked = ZodChecked(value=value)
    if kind.base64 and not javascript.accepts_base64(value):
        checked.add((), {"code": "custom"}, "Invalid Base64 string", abort=False)
    if kind.moment and not _MOMENT.fullmatch(value):
        issue: JsonObject = {
            "origin": "string",
            "code": "invalid_format",
            "format": "datetime",
            "pattern": f"/^{_MOMENT_SOURCE}$/",
        }
        checked.add((), issue, "Invalid ISO datetime", abort=False)
    return checked


def _amount(value: Json | Missing, kind: ZodAmount) -> ZodChecked:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return _wrong("number", value)
    checked = ZodChecked(value=value)
    if kind.least is not None and value < kind.least:
        bound: JsonObject = {
            "origin": "number",
            "code": "too_small",
            "minimum": kind.least,
            "inclusive": True,
        }
        checked.add((), bound, f"Too small: expected number to be >={kind.least}", abort=False)
    if kind.most is not None and value > kind.most:
        bound = {"origin": "number", "code": "too_big", "maximum": kind.most, "inclusive": True}
        checked.add((), bound, f"Too big: expected number to be <={kind.most}", abort=False)
    return checked


def _one_of(value: Json | Missing, kind: OneOf) -> ZodChecked:
    if isinstance(value, str) and value in kind.values:
        return ZodChecked(value=value)
    checked = ZodChecked()
    quoted = "|".join(f'"{allowed}"' for allowed in kind.values)
    text = (
        f"Invalid input: expected {quoted}"
        if len(kind.values) == 1
        else f"Invalid option: expected one of {quoted}"
    )
    checked.add((), {"code": "invalid_value", "values": list(kind.values)}, text)
    return checked


def _items(value: Json | Missing, kind: ZodItems) -> ZodChecked:
    if not isinstance(value, list):
        return _wrong("array", value)
    checked = ZodChecked()
    items: list[Json] = []
    for index, item in enumerate(value):
        inner = check(item, kind.of)
        checked.take(inner, (index,))
        items.append(inner.value)
    checked.value = items
    return checked


def _shape(value: Json | Missing, kind: Shape) -> ZodChecked:
    if not isinstance(value, dict):
        return _wrong("object", value)
    checked = ZodChecked()
    members: JsonObject = {}
    for key, member in kind.members.items():
        if key not in value and key in kind.optional:
            continue
        inner = check(value.get(key, MISSING), member)
        checked.take(inner, (key,))
        members[key] = inner.value
    if kind.loose:
        known = kind.members.keys() | {javascript.PROTO}
        members.update((key, inner) for key, inner in value.items() if key not in known)
    checked.value = members
    return checked


def _union(value: Json | Missing, kind: Union) -> ZodChecked:
    named = next((option for option in kind.among if _names(value, option)), None)
    if named:
        only = check(value, named)
        if not only.issues:
            return only
    results = [check(value, option) for option in kind.among]
    for result in results:
        if not result.issues:
            return result
    likely = [result for result in results if not result.aborted]
    if len(likely) == 1:
        return likely[0]
    checked = ZodChecked()
    errors: list[Json] = [list[Json](result.issues) for result in results]
    checked.add((), {"code": "invalid_union", "errors": errors}, "Invalid input")
    return checked


def _names(value: Json | Missing, option: Kind) -> bool:
    """True if the member `type` of a value selects this shape."""
    type_ = option.members.get("type") if isinstance(option, Shape) else None
    name = value.get("type") if isinstance(value, dict) else None
    return isinstance(type_, OneOf) and isinstance(name, str) and name in type_.values


_DATE = (
    r"(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])"
    r"-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))"
)
_MOMENT_SOURCE = (
    _DATE + r"T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|([+-](?:[01]\d|2[0-3]):[0-5]\d)))"
)
_MOMENT = re.compile(_MOMENT_SOURCE, re.ASCII)


class ZodRefused(Struct, frozen=True, kw_only=True):
    """A result that the client library rejects with an error."""

    message: str


class Unread(Struct, frozen=True, kw_only=True):
    """A message that the client library ignores, so the call times out."""

    reason: str


_BESIDES = frozenset({"annotations", "_meta"})
_ANNOTATIONS = Shape(
    members={
        "audience": ZodItems(of=OneOf(values=("user", "assistant"))),
        "priority": ZodAmount(least=0, most=1),
        "lastModified": ZodText(moment=True),
    },
    optional=frozenset({"audience", "priority", "lastModified"}),
)
_TEXT = Shape(
    members={
        "type": OneOf(values=("text",)),
        "text": ZodText(),
        "annotations": _ANNOTATIONS,
        "_meta": Record(),
    },
    optional=_BESIDES,
)


def _media(kind: str) -> Shape:
    return Shape(
        members={
            "type": OneOf(values=(kind,)),
            "data": ZodText(base64=True),
            "mimeType": ZodText(),
            "annotations": _ANNOTATIONS,
            "_meta": Record(),
        },
        optional=_BESIDES,
    )


_ICON = Shape(
    members={
        "src": ZodText(),
        "mimeType": ZodText(),
        "sizes": ZodItems(of=ZodText()),
        "theme": OneOf(values=("light", "dark")),
    },
    optional=frozenset({"mimeType", "sizes", "theme"}),
)
_LINK = Shape(
    members={
        "name": ZodText(),
        "title": ZodText(),
        "icons": ZodItems(of=_ICON),
        "uri": ZodText(),
        "description": ZodText(),
        "mimeType": ZodText(),
        "size": ZodAmount(),
        "annotations": _ANNOTATIONS,
        "_meta": Shape(members={}, loose=True),
        "type": OneOf(values=("resource_link",)),
    },
    optional=_BESIDES | {"title", "icons", "description", "mimeType", "size"},
)


def _contents(payload: str, kind: ZodText) -> Shape:
    members: dict[str, Kind] = {"uri": ZodText(), "mimeType": ZodText(), "_meta": Record(), payload: kind}
    return Shape(members=members, optional=frozenset({"mimeType", "_meta"}))


_RESOURCE = Shape(
    members={
        "type": OneOf(values=("resource",)),
        "resource": Union(among=(_contents("text", ZodText()), _contents("blob", ZodText(base64=True)))),
        "annotations": _ANNOTATIONS,
        "_meta": Record(),
    },
    optional=_BESIDES,
)
_META = Shape(
    members={
        "progressToken": Union(among=(ZodText(), ZodAmount())),
        "io.modelcontextprotocol/related-task": Shape(members={"taskId": ZodText()}),
    },
    optional=frozenset({"progressToken", "io.modelcontextprotocol/related-task"}),
    loose=True,
)
_RESULT = Shape(
    members={
        "_meta": _META,
        "content": ZodItems(of=Union(among=(_TEXT, _media("image"), _media("audio"), _LINK, _RESOURCE))),
        "structuredContent": Record(),
        "isError": ZodTruth(),
    },
    optional=frozenset({"_meta", "structuredContent", "isError"}),
    loose=True,
)


@shared
def receive(result: JsonObject) -> Received | ZodRefused | Unread:
    """`result` as `client.callTool` returns it. Missing content counts as empty."""
    if "_meta" in result and check(result["_meta"], _META).issues:
        return Unread(reason="the client library ignores a message with such metadata")
    checked = check(result if "content" in result else {**result, "content": []}, _RESULT)
    if checked.issues or not isinstance(checked.value, dict):
        return ZodRefused(message=message(checked.issues))
    return Received(value=checked.value)
