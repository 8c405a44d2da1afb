"""Parses events of the browser's WebMCP domain, and reports of the hook in the page.

The hook reports the arguments of `registerTool` before the browser sees them. A report counts if it holds the
proof that only the hook knows; its content is untrusted all the same. Unknown fields are kept. Source: Chrome
DevTools Protocol, WebMCP domain (experimental), Chromium 156.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, parse
from inspector.protocol.page import FramePolicy, PageDocument, SourcePlace

MAX_REPORT_CHARACTERS = 1_000_000
"""The maximum length of a report. The hook's own limit is far lower, so a longer report is not from the hook."""

_STACK_LINE = re.compile(
    r" {4}at (?:.{0,300} \()?(?P<url>[^\s()]{1,1500}):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?", re.ASCII
)
_NO_VALUE = ("[undefined]", "[function]", "[symbol]")
_NO_NUMBER = ("[NaN]", "[Infinity]", "[-Infinity]")


class Declaration(Struct, frozen=True, kw_only=True):
    """One tool as a page declared it."""

    name: str
    tool: Json
    """The tool as declared.

    A function is `[function]`; values that only the page's code could read are named in brackets too.
    """
    options: Json
    is_whole: bool
    """True if the hook could read everything in `tool` and `options`."""


class Refusal(Struct, frozen=True, kw_only=True):
    """One call of `registerTool` that the browser refused."""

    name: str | None
    """The name as declared; None if it was not text. Untrusted text."""
    reason: str
    """The name and the message of the browser's error. Untrusted text: a page may have thrown it."""
    place: SourcePlace | None


def report_in(payload: str, proof: str) -> tuple[Declaration, ...] | Refusal | None:
    """The declarations, or the refusal, in one report; None if the hook did not make the report. Never raises.

    `proof`: the hook's secret, which no script of the page can know.
    """
    if len(payload) > MAX_REPORT_CHARACTERS:
        return None
    read = parse(payload)
    if not isinstance(read, JsonText) or not isinstance(read.value, dict) or read.value.get("proof") != proof:
        return None
    report = read.value
    if report.get("call") == "refused":
        name, reason = report.get("name"), report.get("reason")
        return Refusal(
            name=name if isinstance(name, str) else None,
            reason=reason if isinstance(reason, str) else "",
            place=_stack_place(report.get("place")),
        )
    is_whole, tool, options = report.get("whole") is True, report.get("tool"), report.get("options")
    listed = tool.get("tools") if isinstance(tool, dict) else None
    tools = (listed if isinstance(listed, list) else []) if report.get("call") == "provideContext" else [tool]
    return tuple(
        Declaration(name=name, tool=item, options=options, is_whole=is_whole)
        for item in tools
        if (name := _declared_name(item)) is not None
    )


def _stack_place(line: Json) -> SourcePlace | None:
    """The place in a line of a stack trace: `    at name (url:line:column)`, or the same without the name."""
    match = _STACK_LINE.fullmatch(line) if isinstance(line, str) else None
    if match is None:
        return None
    return SourcePlace(url=match["url"], line=int(match["line"]), column=int(match["column"]))


def _declared_name(tool: Json) -> str | None:
    # The browser converts a name that is not text as JavaScript does. Only a name that is text surely matches
    # the name that the browser keeps.
    name = dict(tool.pairs).get("name") if isinstance(tool, DuplicateKeys) else None
    name = tool.get("name") if isinstance(tool, dict) else name
    return name if isinstance(name, str) else None


def as_json(value: Json) -> Json:
    """A value as `JSON.stringify` writes it.

    For a value that JSON does not have, the hook writes a text such as `[function]`. A member with such a
    text is left out of an object, and in a list the text becomes null. A number such as `[NaN]` becomes null.
    """
    match value:
        case dict():
            return {key: as_json(item) for key, item in value.items() if item not in _NO_VALUE}
        case list():
            return [None if item in _NO_VALUE else as_json(item) for item in value]
        case str() if value in _NO_NUMBER:
            return None
        case _:
            return value


class ToolKey(Struct, frozen=True, kw_only=True):
    """Identifies a tool of a page by its frame and name."""

    frame_id: str
    name: str


class KeptTool(Struct, frozen=True, kw_only=True):
    """One tool as the browser keeps it."""

    key: ToolKey
    value: JsonObject
    """The tool as the browser sent it."""

    @property
    def tool_id(self) -> str | None:
        """The browser's id of the tool; None in older revisions of the DevTools protocol."""
        number = self.value.get("toolId")
        return number if isinstance(number, str) else None

    @property
    def is_declarative(self) -> bool:
        return "backendNodeId" in self.value or self.value.get("declarative") is True


def tools_in(params: Json) -> Iterator[KeptTool]:
    """The tools of `toolsAdded` or `toolsRemoved` that have a name and a frame."""
    for value in _items(params, "tools"):
        name, frame_id = value.get("name"), value.get("frameId")
        if isinstance(name, str) and isinstance(frame_id, str):
            yield KeptTool(key=ToolKey(frame_id=frame_id, name=name), value=value)


def place_of(tool: KeptTool, own_script: str) -> SourcePlace | None:
    """The place in the page's source that registered a tool; None if unknown.

    `own_script`: the name of the hook's script, whose stack frames do not count.
    """
    call = next(_calls(tool, own_script), None)
    return None if call is None else SourcePlace(url=call[0], line=call[1] + 1, column=call[2] + 1)


def _calls(tool: KeptTool, own_script: str) -> Iterator[tuple[str, int, int]]:
    for frame in _items(tool.value.get("stackTrace"), "callFrames"):
        url, line, column = frame.get("url"), frame.get("lineNumber"), frame.get("columnNumber")
        if url != own_script and isinstance(url, str) and isinstance(line, int) and isinstance(column, int):
            yield url, line, column


_NUMBER = re.compile(r"(\d{1,18})", re.ASCII)

Registered: TypeAlias = tuple[tuple[tuple[str, int, int], ...], tuple[tuple[int, str], ...]]


def registered_at(tool: KeptTool, own_script: str) -> Registered:
    """A sort key for the tools of a document that does not depend on when they were registered.

    Compares the places in the source where a tool was registered (its call stack, outermost frame first),
    then the names, with numbers by value. Forms have no place and come first.
    """
    parts = _NUMBER.split(tool.key.name)
    name = tuple((int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts))
    return tuple(reversed(tuple(_calls(tool, own_script)))), name


def document_of(frame: Json, *, is_observed: bool) -> PageDocument | None:
    """The document in a `Page.Frame`; None if the frame has no id."""
    if not isinstance(frame, dict):
        return None
    frame_id, parent_id = frame.get("id"), frame.get("parentId")
    if not isinstance(frame_id, str):
        return None
    return PageDocument(
        frame_id=frame_id,
        loader_id=_text(frame.get("loaderId")),
        url=_text(frame.get("url")) + _text(frame.get("urlFragment")),
        origin=_text(frame.get("securityOrigin")),
        parent_id=parent_id if isinstance(parent_id, str) else None,
        is_observed=is_observed,
    )


def policy_of(node: Json, blocked_by: Json) -> FramePolicy:
    """The permissions policy that the element of a frame states. `node`: a `DOM.Node`, or None.

    `blocked_by`: the reason why the browser forbids the document to offer tools.
    """
    described = node if isinstance(node, dict) else {}
    listed = described.get("attributes")
    words = listed if isinstance(listed, list) else []
    attributes = dict(zip(map(_text, words[::2]), map(_text, words[1::2]), strict=False))
    return FramePolicy(
        element=_text(described.get("nodeName")).lower() or None,
        allow=attributes.get("allow"),
        is_sandboxed="sandbox" in attributes,
        blocked_by=blocked_by if isinstance(blocked_by, str) else None,
    )


def frames_in(tree: Json) -> Iterator[Json]:
    """Every `Page.Frame` of a `Page.FrameTree`, parents first."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node.get("frame")
            children = node.get("childFrames")
            stack.extend(reversed(children) if isinstance(children, list) else ())


def _items(value: Json, member: str) -> Iterator[JsonObject]:
    items = value.get(member) if isinstance(value, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            yield item


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
