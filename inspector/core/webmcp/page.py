"""What is known of a page's tool beside its definition."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.core.json_text import Json


class ToolKind(StrEnum):
    """How a page made a tool."""

    IMPERATIVE = "imperative"
    """By `registerTool`."""
    DECLARATIVE = "declarative"
    """By attributes of a form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a page's source a tool was registered. Lines and columns count from 1."""

    url: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.url}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document in one frame. All of it is foreign."""

    frame_id: str
    loader_id: str
    """Of this document: a navigation gives the frame another."""
    url: str
    origin: str
    """Serialized; `null` or `://` where it is opaque."""
    parent_id: str | None = None
    is_observed: bool = True
    """Whether it was watched from before its first script. What it declared earlier is not known otherwise."""
    is_permitted: bool | None = None
    """Whether the permissions policy lets it offer tools; None where the browser does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """Where a tool of a page comes from, and what the page and the browser each say of it."""

    document: Document
    kind: ToolKind
    tool_id: str | None
    """The browser's own key, where it has one."""
    place: Place | None
    exposed_to: tuple[str, ...]
    kept: Json
    """The tool as the browser keeps it, as sent."""
    declared: Json
    """The tool as the page declared it; None where that was not seen, as for forms."""
    options: Json
    """The second argument of `registerTool`, likewise."""
    agent: Json
    """What `getTools()` tells an agent in the page; None where it told nothing."""
    dropped: tuple[str, ...] = ()
    """What the page declared and the browser does not keep: pointers into the definition."""
    changed: tuple[str, ...] = ()
    """What the browser keeps with another value, likewise."""
    faults: tuple[str, ...] = ()
    """What the draft does not allow, in sentences of ours."""
