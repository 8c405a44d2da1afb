"""What the WebMCP domain of the browser's protocol says, item by item.

Source: Chrome DevTools Protocol, WebMCP domain (experimental), Chromium 156. Fields that are not known are kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, parse
from inspector.protocol.page import Document, FramePolicy, Place

MAX_REPORT_CHARACTERS = 1_000_000
"""The hook stops far below; a longer report is none of its own."""

_STACK_LINE = re.compile(
    r" {4}at (?:.{0,300} \()?(?P<url>[^\s()]{1,1500}):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?", re.ASCII
)
_NO_VALUE = ("[undefined]", "[function]", "[symbol]")
_NO_NUMBER = ("[NaN]", "[Infinity]", "[-Infinity]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One tool as a page declared it."""

    name: str
    tool: Json
    """Functions are `[function]`; what could not be read without running the page's code says so in brackets."""
    options: Json
    is_whole: bool
    """Whether all of it could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What became of one call of `registerTool` that the browser refused."""

    name: str | None
    """As declared; None where it was no text. Foreign."""
    reason: str
    """The browser's own words, after the name of the error. Foreign: a page may have thrown it."""
    place: Place | None


def report_in(payload: str, proof: str) -> tuple[Declaration, ...] | Refusal | None:
    """The declarations, or the refusal, in one report; None where the hook did not make it. Never raises.

    `proof`: what the hook says with each report, and no script of the page can know.
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
    tools = _members(tool, "tools") if report.get("call") == "provideContext" else (tool,)
    return tuple(
        Declaration(name=name, tool=item, options=options, is_whole=is_whole)
        for item in tools
        if (name := _declared_name(item)) is not None
    )


def _stack_place(line: Json) -> Place | None:
    """The place in a line of a stack, `    at name (url:line:column)` or without the name."""
    found = _STACK_LINE.fullmatch(line) if isinstance(line, str) else None
    if found is None:
        return None
    return Place(url=found["url"], line=int(found["line"]), column=int(found["column"]))


def _members(value: Json, key: str) -> tuple[Json, ...]:
    items = value.get(key) if isinstance(value, dict) else None
    return tuple(items) if isinstance(items, list) else ()


def _declared_name(tool: Json) -> str | None:
    # The browser turns other values into text as JavaScript does; only text can be matched surely.
    found = dict(tool.pairs).get("name") if isinstance(tool, DuplicateKeys) else None
    found = tool.get("name") if isinstance(tool, dict) else found
    return found if isinstance(found, str) else None


def as_json(value: Json) -> Json:
    """What `JSON.stringify` makes of what the hook names in brackets: members without a JSON value go, others are null."""
    match value:
        case dict():
            return {key: as_json(item) for key, item in value.items() if item not in _NO_VALUE}
        case list():
            return [None if item in _NO_VALUE else as_json(item) for item in value]
        case str() if value in _NO_NUMBER:
            return None
        case _:
            return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolKey:
    """What tells a tool from all others of a page: the browser's id where it has one, else frame and name."""

    frame_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTool:
    """One tool as the browser keeps it."""

    key: ToolKey
    value: JsonObject
    """As sent."""

    @property
    def tool_id(self) -> str | None:
        """The browser's own key; older revisions of the protocol have none."""
        found = self.value.get("toolId")
        return found if isinstance(found, str) else None

    @property
    def is_declarative(self) -> bool:
        """Whether a form of the page is the tool."""
        return "backendNodeId" in self.value or self.value.get("declarative") is True


def tools_in(params: Json) -> Iterator[KeptTool]:
    """The tools of `toolsAdded` or `toolsRemoved` that name themselves and their frame."""
    for value in _items(params, "tools"):
        name, frame_id = value.get("name"), value.get("frameId")
        if isinstance(name, str) and isinstance(frame_id, str):
            yield KeptTool(key=ToolKey(frame_id=frame_id, name=name), value=value)


def place_of(tool: KeptTool, own_script: str) -> Place | None:
    """Where the page registered a tool. `own_script`: the name of our script, whose frames do not count."""
    for frame in _items(tool.value.get("stackTrace"), "callFrames"):
        url, line, column = frame.get("url"), frame.get("lineNumber"), frame.get("columnNumber")
        if url != own_script and isinstance(url, str) and isinstance(line, int) and isinstance(column, int):
            return Place(url=url, line=line + 1, column=column + 1)
    return None


_NUMBER = re.compile(r"(\d{1,18})", re.ASCII)

Registered: TypeAlias = tuple[tuple[tuple[str, int, int], ...], tuple[tuple[int, str], ...]]


def registered_at(tool: KeptTool, own_script: str) -> Registered:
    """A key that puts the tools of a document into an order that does not depend on time.

    By the place in the source, from the outermost call inwards; then by name, numbers in it by their value. Forms,
    which have no place, come first.
    """
    calls: list[tuple[str, int, int]] = []
    for frame in _items(tool.value.get("stackTrace"), "callFrames"):
        url, line, column = frame.get("url"), frame.get("lineNumber"), frame.get("columnNumber")
        if url != own_script and isinstance(url, str) and isinstance(line, int) and isinstance(column, int):
            calls.append((url, line, column))
    parts = _NUMBER.split(tool.key.name)
    name = tuple((int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts))
    return tuple(reversed(calls)), name


def document_of(frame: Json, *, is_observed: bool) -> Document | None:
    """A `Page.Frame` as a document; None where it is none."""
    if not isinstance(frame, dict):
        return None
    frame_id, parent_id = frame.get("id"), frame.get("parentId")
    if not isinstance(frame_id, str):
        return None
    return Document(
        frame_id=frame_id,
        loader_id=_text(frame.get("loaderId")),
        url=_text(frame.get("url")) + _text(frame.get("urlFragment")),
        origin=_text(frame.get("securityOrigin")),
        parent_id=parent_id if isinstance(parent_id, str) else None,
        is_observed=is_observed,
    )


def policy_of(node: Json, blocked_by: Json) -> FramePolicy:
    """What a frame's element states. `node`: a `DOM.Node`, None where there is none. `blocked_by`: the browser's reason."""
    told = node if isinstance(node, dict) else {}
    listed = told.get("attributes")
    words = listed if isinstance(listed, list) else []
    attributes = dict(zip(map(_text, words[::2]), map(_text, words[1::2]), strict=False))
    return FramePolicy(
        element=_text(told.get("nodeName")).lower() or None,
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
