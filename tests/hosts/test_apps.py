"""MCP Apps: the parts of a result that only the interface gets, and the permissions that an interface requests."""

import pytest

from inspector.boundary.bounded import Level
from inspector.hosts.apps import BASIS, MIME_TYPE, AppView, app_view, interface_of
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Kind, Tool, unlisted
from inspector.protocol.outcome import Result

URI = "ui://weather/panel"
BOTH: Json = {"content": [], "structuredContent": {"t": 22}, "_meta": {"a": 1}}


def tool(ui: Json = None, **meta: Json) -> Tool:
    said: Json = {"ui": {"resourceUri": URI} if ui is None else ui, **meta}
    return Tool(name="weather", definition={"name": "weather", "inputSchema": {}, "_meta": said})


def read(said: Json = None, mime: Json = MIME_TYPE, uri: str = URI) -> AppView | None:
    meta: JsonObject = {} if said is None else {"_meta": {"ui": said}}
    contents: Json = [{"uri": uri, "mimeType": mime, "text": "<html>", **meta}]
    return app_view(unlisted(Kind.RESOURCE, uri).as_tool, {"contents": contents})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (tool(), URI),
        (tool({}, **{"ui/resourceUri": URI}), URI),
        (tool({"resourceUri": "https://host/x"}), None),
        (tool({"resourceUri": 7}), None),
        (tool("ui"), None),
        (unlisted(Kind.RESOURCE, URI).as_tool, None),
        (None, None),
    ],
)
def test_the_interface_of_a_tool_has_a_uri_of_its_own_kind(given: Tool | None, expected: str | None) -> None:
    assert interface_of(given) == expected


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (BOTH, ("/structuredContent", "/_meta")),
        ({"content": [], "_meta": {}}, ("/_meta",)),
        ({"content": []}, ()),
    ],
)
def test_structured_content_and_meta_are_for_the_interface_alone(
    result: Json, parts: tuple[str, ...]
) -> None:
    view = app_view(tool(), result)
    assert view is not None
    assert view.only_app == parts
    assert BASIS in view.notes[0]
    assert URI in view.notes[0]
    assert app_view(tool("none"), result) is None
    assert app_view(tool(), 7) is None


@pytest.mark.parametrize(
    ("visibility", "is_apart"), [(["app"], True), (["model", "app"], False), ([], True), ("app", False)]
)
def test_a_tool_for_the_interface_alone_is_labelled_so(visibility: Json, *, is_apart: bool) -> None:
    view = app_view(tool({"resourceUri": URI, "visibility": visibility}), {"content": []})
    assert view is not None
    assert any("for the interface alone" in note for note in view.notes) is is_apart


@pytest.mark.parametrize(
    ("said", "mime", "words"),
    [
        (None, MIME_TYPE, ["asks for no origin", "asks for no permission"]),
        ({"csp": {"connectDomains": ["https://a.example"], "frameDomains": ["https://b.example"]}}, MIME_TYPE,
         ["sends requests to https://a.example; shows frames of https://b.example"]),
        ({"csp": {"connectDomains": [f"https://{n}" for n in range(20)]}}, MIME_TYPE, ["https://7, 12 more"]),
        ({"csp": "all", "permissions": ["camera"]}, MIME_TYPE, ["asks for no origin", "no permission"]),
        ({"permissions": {"camera": {}, "x\x1b[2J": {}}}, MIME_TYPE, ["It asks for camera, x␛[2J."]),
        ({"domain": "panel.example"}, MIME_TYPE, ["the origin panel.example"]),
        (None, "text/html", ["Its MIME type is text/html"]),
        (None, None, ["Its MIME type is missing"]),
    ],
)  # fmt: skip
def test_the_requests_of_an_interface_are_described_in_safe_text(
    said: Json, mime: Json, words: list[str]
) -> None:
    view = read(said, mime)
    assert view is not None
    shown = " ".join(view.notes)
    assert all(each in shown for each in words), shown
    assert "\x1b" not in shown
    assert ("MIME type" in shown) is (mime != MIME_TYPE)


def test_a_resource_with_another_scheme_is_not_an_interface() -> None:
    assert read(uri="file:///x") is None


def test_an_app_view_quotes_nothing_and_leaves_the_model_view_unchanged() -> None:
    spec = host("spec")
    assert spec
    shown = project(Result(value=BOTH), tool(), Level.OPEN, spec)
    assert shown.app is not None
    assert isinstance(shown.context.model, dict)
    assert "structuredContent" in shown.context.model, "hosts without MCP Apps give it"
