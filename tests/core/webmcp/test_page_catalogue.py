"""From the browser's events to tools: documents, names, declarations, and what is made of them."""

import pytest

from inspector.core.boundary.bound import bound
from inspector.core.boundary.bounded import Level
from inspector.core.catalogue import Catalogue
from inspector.core.json_text import DuplicateKeys, Json, JsonObject, dump_text
from inspector.core.outcome import Result
from inspector.core.webmcp.catalogue import catalogue_of
from inspector.core.webmcp.declared import declarations_in
from inspector.core.webmcp.rules import faults_of
from inspector.core.webmcp.tree import Tree

BINDING, PROOF = "voice", "proof"


def navigated(frame: str, url: str = "https://a.example/", parent: str | None = None) -> JsonObject:
    origin = "/".join(url.split("/")[:3])
    told: JsonObject = {"id": frame, "loaderId": f"{frame}-1", "url": url, "securityOrigin": origin}
    return {"frame": told | ({"parentId": parent} if parent else {})}


def context(frame: str, number: int, *, is_default: bool = True) -> JsonObject:
    return {"context": {"id": number, "auxData": {"isDefault": is_default, "frameId": frame}}}


def report(number: int, tool: Json, *, whole: bool = True, name: str = BINDING) -> JsonObject:
    payload: JsonObject = {
        "proof": PROOF,
        "call": "registerTool",
        "whole": whole,
        "tool": tool,
        "options": None,
    }
    return {"name": name, "payload": dump_text(payload), "executionContextId": number}


def added(frame: str, *names: str, **members: Json) -> JsonObject:
    return {"tools": [{"name": name, "description": "d", "frameId": frame, **members} for name in names]}


def tree_of(*events: tuple[str, str, JsonObject]) -> Tree:
    tree = Tree(BINDING, PROOF)
    for session, method, params in events:
        tree.take(session, method, params)
    return tree


def catalogue(tree: Tree) -> Catalogue:
    return catalogue_of(tree.snapshot({}), "own")


START = (
    ("s", "Page.frameNavigated", navigated("f")),
    ("s", "Runtime.executionContextCreated", context("f", 1)),
)


def joined(kept: JsonObject, declared: JsonObject, *, whole: bool = True) -> Catalogue:
    return catalogue(
        tree_of(
            *START,
            ("s", "Runtime.bindingCalled", report(1, {"name": "t", **declared}, whole=whole)),
            ("s", "WebMCP.toolsAdded", added("f", "t", **kept)),
        )
    )


@pytest.mark.parametrize(
    ("kept", "declared", "dropped", "changed"),
    [
        ({}, {"description": "d"}, (), ()),
        ({}, {"title": "T", "extra": None}, ("/title", "/extra"), ()),
        ({}, {"a/b": 1}, ("/a~1b",), ()),
        ({}, {"annotations": {"x": 1}}, ("/annotations",), ()),
        ({"annotations": {"readOnly": True}}, {"annotations": {"readOnlyHint": True}}, (), ()),
        (
            {"annotations": {"readOnly": True}},
            {"annotations": {"readOnlyHint": "no"}},
            (),
            ("/annotations/readOnlyHint",),
        ),
        ({"annotations": {}}, {"annotations": {"sensitiveHint": True}}, ("/annotations/sensitiveHint",), ()),
        ({"annotations": {}}, {"annotations": 7}, (), ("/annotations/annotations",)),
        ({}, {"outputSchema": {}}, ("/outputSchema",), ()),
        ({"outputSchema": {}}, {"outputSchema": {}}, (), ()),
        ({"outputSchema": {}}, {"outputSchema": {"a": 1}}, (), ("/outputSchema/allOf/1",)),
        ({"inputSchema": {}}, {"inputSchema": {"a": 1}}, (), ("/inputSchema",)),
        ({}, {"description": "other"}, (), ("/description",)),
    ],
)
def test_what_differs_between_the_two_sides_is_named(
    kept: JsonObject, declared: JsonObject, dropped: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    page = joined(kept, declared).tools[0].page
    assert page is not None
    assert (page.dropped, page.changed) == (dropped, changed)


@pytest.mark.parametrize(
    ("kept", "declared"),
    [
        ({}, {"annotations": {"sensitiveHint": True}}),
        ({"annotations": {"sensitiveHint": True}}, {}),
        ({"annotations": {"sensitiveHint": True}}, {"annotations": {"sensitiveHint": False}}),
        ({"annotations": {"sensitiveHint": False}}, {"annotations": {"sensitiveHint": True}}),
        ({}, {"outputSchema": {"x-sensitive": True}}),
        ({"outputSchema": {"x-sensitive": True}}, {"outputSchema": {}}),
        ({"outputSchema": {}}, {"outputSchema": {"x-sensitive": True}}),
        ({}, {"outputSchema": "[not read: accessor]"}),
        ({}, {"outputSchema": "[function]"}),
    ],
)
def test_a_mark_of_either_side_withholds(kept: JsonObject, declared: JsonObject) -> None:
    tool = joined(kept, declared).tools[0]
    bounded = bound(Result(value={"token": "sesame"}), tool, Level.DECLARED)
    assert "sesame" not in dump_text(bounded.result)


def test_a_declaration_that_could_not_be_read_whole_withholds_everything_structured() -> None:
    tool = joined({}, {}, whole=False).tools[0]
    bounded = bound(Result(value={"token": "sesame"}), tool, Level.DECLARED)
    assert "sesame" not in dump_text(bounded.result)
    open_one = joined({}, {}).tools[0]
    assert "sesame" in dump_text(bound(Result(value={"token": "sesame"}), open_one, Level.DECLARED).result)


def test_a_hint_with_two_values_is_read_as_one_that_is_named_twice() -> None:
    tool = joined({"annotations": {"a": 1}}, {"annotations": {"a": 2}}).tools[0]
    assert isinstance(tool.definition["annotations"], DuplicateKeys)


def test_a_page_cannot_speak_of_its_own_origin_or_frame() -> None:
    tool = joined({}, {"origin": "https://bank.example", "frameId": "x", "frame": "y"}).tools[0]
    assert tool.definition["origin"] == "https://a.example"
    assert "frameId" not in tool.definition


def test_only_the_hook_s_own_voice_counts_and_only_from_the_page_s_own_scripts() -> None:
    marked: JsonObject = {"name": "t", "annotations": {"sensitiveHint": False}}
    tree = tree_of(
        *START,
        ("s", "Runtime.executionContextCreated", context("f", 2, is_default=False)),
        ("s", "Runtime.bindingCalled", report(1, marked, name="other")),
        ("s", "Runtime.bindingCalled", report(2, marked)),
        ("other session", "Runtime.bindingCalled", report(1, marked)),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
    )
    page = catalogue(tree).tools[0].page
    assert page is not None
    assert page.declared is None


def test_a_failed_registration_does_not_replace_what_was_declared_first() -> None:
    tree = tree_of(
        *START,
        ("s", "Runtime.bindingCalled", report(1, {"name": "t", "first": True})),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
        ("s", "Runtime.bindingCalled", report(1, {"name": "t", "second": True})),
    )
    assert "first" in catalogue(tree).tools[0].definition


def test_names_that_are_taken_get_their_host_and_never_take_another_s() -> None:
    tree = tree_of(
        ("s", "Page.frameNavigated", navigated("f")),
        ("s", "Page.frameNavigated", navigated("g", "https://a.example/x", "f")),
        ("o", "Page.frameNavigated", navigated("h", "https://b.example:8443/", "f")),
        ("s", "WebMCP.toolsAdded", added("f", "t", "t@b.example:8443")),
        ("s", "WebMCP.toolsAdded", added("g", "t")),
        ("o", "WebMCP.toolsAdded", added("h", "t")),
    )
    names = [tool.name for tool in catalogue(tree).tools]
    assert names == ["t", "t@b.example:8443@a.example", "t@a.example", "t@b.example:8443"]


def test_a_document_that_is_left_takes_its_tools_along_and_a_swap_does_not() -> None:
    tree = tree_of(*START, ("s", "WebMCP.toolsAdded", added("f", "t")))
    swapped = tree.take("s", "Page.frameDetached", {"frameId": "f", "reason": "swap"})
    assert (swapped.tools, swapped.gone) == (False, frozenset())
    left = tree.take("s", "Page.frameNavigated", navigated("f", "https://b.example/"))
    assert (left.tools, left.gone) == (True, frozenset("f"))
    assert catalogue(tree).tools == ()


def test_a_process_that_ends_takes_its_frames_along() -> None:
    tree = tree_of(
        *START,
        ("o", "Page.frameNavigated", navigated("g", "https://b.example/", "f")),
        ("o", "WebMCP.toolsAdded", added("g", "kid")),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
    )
    assert tree.take("s", "Target.detachedFromTarget", {"sessionId": "o"}).gone == frozenset("g")
    assert [tool.name for tool in catalogue(tree).tools] == ["t"]


def test_tools_are_removed_by_frame_and_name() -> None:
    tree = tree_of(*START, ("s", "WebMCP.toolsAdded", added("f", "a", "b")))
    assert tree.take("s", "WebMCP.toolsRemoved", added("other", "a")).tools is False
    assert tree.take("s", "WebMCP.toolsRemoved", added("f", "a")).tools is True
    assert [tool.name for tool in catalogue(tree).tools] == ["b"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.frameNavigated", {"frame": 1}),
        ("Page.frameNavigated", {"frame": {"id": 1}}),
        ("Page.frameDetached", {}),
        ("Page.navigatedWithinDocument", {"frameId": [], "url": 1}),
        ("Target.detachedFromTarget", {"sessionId": None}),
        ("WebMCP.toolsAdded", {"tools": {"name": "t"}}),
        ("WebMCP.toolsAdded", {"tools": [1, {"name": 1, "frameId": "f"}, {"name": "t"}]}),
        ("WebMCP.toolsRemoved", {"tools": None}),
        ("Runtime.bindingCalled", {"name": BINDING, "payload": "{", "executionContextId": 1}),
        ("Runtime.bindingCalled", {"name": BINDING, "payload": "[]", "executionContextId": 1}),
        ("Runtime.executionContextCreated", {"context": {"id": "1", "auxData": None}}),
        ("Nothing.known", {}),
    ],
)
def test_what_a_browser_should_not_send_changes_nothing(method: str, params: JsonObject) -> None:
    tree = tree_of(*START, ("s", "WebMCP.toolsAdded", added("f", "t")))
    change = tree.take("s", method, params)
    assert (change.tools, change.gone) == (False, frozenset())
    assert [tool.name for tool in catalogue(tree).tools] == ["t"]


@pytest.mark.parametrize(
    ("name", "description", "count"),
    [
        ("a-Z_0.9", "d", 0),
        ("x" * 128, "d", 0),
        ("x" * 129, "d", 1),
        ("", "d", 1),
        ("a b", "d", 1),
        ("é", "d", 1),
        ("a", "", 1),
        ("a\n", "d", 1),
        (None, None, 2),
    ],
)
def test_the_draft_s_rules_for_names_and_descriptions(name: Json, description: Json, count: int) -> None:
    assert len(faults_of(name, description)) == count


def test_a_report_longer_than_the_hook_writes_is_none() -> None:
    payload = '{"proof":"p","call":"registerTool","whole":true,"tool":{"name":"t"},"options":null}'
    assert len(declarations_in(payload, "p") or ()) == 1
    assert declarations_in(payload + " " * 1_000_000, "p") is None
