"""What the WebMCP domain of the browser's protocol says, item by item.

Source: Chrome DevTools Protocol, WebMCP domain (experimental), Chromium 156. Fields that are not known are kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inspector.json.exact import Json, JsonObject
from inspector.protocol.page import Document, FramePolicy, Place


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
