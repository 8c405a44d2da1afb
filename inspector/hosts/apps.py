"""Describes for the user which parts of a result the interface of a tool (MCP Apps) gets, and what it asks hosts for.

Source: SEP-1865 (stable 2026-01-26), Data Passing, UI Resource Format. No host was observed.
"""

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.members import object_at, text_at, value_at
from inspector.json.weight import compact_bytes
from inspector.protocol.catalogue import Kind, Tool
from inspector.safe_text import safe_line

MIME_TYPE = "text/html;profile=mcp-app"
BASIS = "by SEP-1865; observed in no host"
_SCHEME = "ui://"
_ONLY_APP = ("structuredContent", "_meta")
_ORIGINS = (
    ("connectDomains", "send requests to"),
    ("resourceDomains", "load from"),
    ("frameDomains", "show in frames"),
    ("baseUriDomains", "use as a base for its URLs"),
)
_MOST_SHOWN = 8
_LONGEST = 120


class AppView(Struct, frozen=True, kw_only=True):
    """An interface of MCP Apps, and the parts of one answer that only the interface gets."""

    uri: str
    """The URI of the interface. Untrusted text."""
    only_app: tuple[str, ...] = ()
    """Pointers to the parts of the result that a host with MCP Apps gives to the interface and not to the model."""
    notes: tuple[str, ...] = ()
    """Sentences for the user about what the interface gets, or what it asks hosts for; safe to show."""

    @property
    def shape(self) -> JsonObject:
        """The value of the member `app` in JSON output."""
        return {"uri": self.uri, "onlyApp": [*self.only_app], "basis": BASIS, "notes": [*self.notes]}


def interface_of(tool: Tool | None) -> str | None:
    """The URI of the MCP Apps interface that a tool names; None if the tool names none."""
    if tool is None or tool.item is not None:
        return None
    uri = text_at(tool.meta, "ui", "resourceUri") or text_at(tool.meta, "ui/resourceUri")
    return uri if uri is not None and uri.startswith(_SCHEME) else None


def app_view(tool: Tool | None, result: Json) -> AppView | None:
    """The MCP Apps interface that belongs to the answer of a tool, or that was read as a resource.

    None if there is none. `result`: the result as it may be shown, with secrets masked. Linear.
    """
    if tool is None or not isinstance(result, dict):
        return None
    uri = interface_of(tool)
    if uri is not None:
        return _of_result(tool, uri, result)
    read = next(iter(_contents(result)), None) if tool.kind is Kind.RESOURCE else None
    uri = text_at(read, "uri")
    if read is None or uri is None or not uri.startswith(_SCHEME):
        return None
    return AppView(uri=uri, notes=tuple(_notes_of_interface(read, tool.definition)))


def _of_result(tool: Tool, uri: str, result: JsonObject) -> AppView:
    parts = [key for key in _ONLY_APP if key in result]
    shown = f"the interface {_quoted(uri)}"
    notes: list[str] = []
    if parts:
        sizes = " and ".join(f"`{key}` ({compact_bytes(result[key]):,} B)" for key in parts)
        notes.append(f"In a host with MCP Apps, {shown} gets {sizes} and the model does not ({BASIS}).")
    else:
        notes.append(f"In a host with MCP Apps, {shown} gets the same as the model ({BASIS}).")
    visible = value_at(tool.meta, "ui", "visibility")
    if isinstance(visible, list) and "model" not in visible:
        notes.append(f"Only the interface can call the tool: hosts do not list it to the model ({BASIS}).")
    return AppView(uri=uri, only_app=tuple(f"/{key}" for key in parts), notes=tuple(notes))


def _contents(result: JsonObject) -> list[JsonObject]:
    contents = result.get("contents")
    return [each for each in contents if isinstance(each, dict)] if isinstance(contents, list) else []


def _notes_of_interface(read: JsonObject, definition: JsonObject) -> list[str]:
    # The metadata of the content takes precedence over that in the list.
    ui = object_at(read, "_meta", "ui") or object_at(definition, "_meta", "ui")
    notes = [f"An interface of MCP Apps: hosts show it to the user in a sandbox ({BASIS})."]
    mime = text_at(read, "mimeType")
    if mime != MIME_TYPE:
        notes.append(f"Its MIME type is {_quoted(mime or 'missing')}; hosts only show {MIME_TYPE}.")
    csp = object_at(ui, "csp")
    origins = [(words, _texts(csp.get(key))) for key, words in _ORIGINS]
    allowed = [f"{words} {', '.join(texts)}" for words, texts in origins if texts]
    notes.append(
        f"It asks for a content security policy that allows it to {'; '.join(allowed)}."
        if allowed
        else "It asks for no origin, so the default policy keeps it off the network."
    )
    granted = [_quoted(name) for name in list(object_at(ui, "permissions"))[:_MOST_SHOWN]]
    notes.append(
        f"It asks for {', '.join(granted)}." if granted else "It asks for no permission of the browser."
    )
    domain = text_at(ui, "domain")
    return [*notes, f"It asks for the origin {_quoted(domain)}."] if domain else notes


def _texts(value: Json) -> list[str]:
    texts = [_quoted(each) for each in value if isinstance(each, str)] if isinstance(value, list) else []
    more = len(texts) - _MOST_SHOWN
    return [*texts[:_MOST_SHOWN], f"{more:,} more"] if more > 0 else texts


def _quoted(text: str) -> str:
    shown = safe_line(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
