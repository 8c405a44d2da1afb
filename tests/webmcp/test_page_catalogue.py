"""From the browser's events to tools: documents, names, declarations, and the tools made of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.outcome import Result
from inspector.webmcp.catalogue import catalogue_of, faults_of
from inspector.webmcp.events import report_in
from inspector.webmcp.tree import Tree

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
def test_differences_between_declared_and_kept_members_are_named(
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
def test_a_mark_in_the_declared_or_kept_definition_withholds(kept: JsonObject, declared: JsonObject) -> None:
    tool = joined(kept, declared).tools[0]
    bounded = bound(Result(value={"token": "sesame"}), tool, Level.DECLARED)
    assert "sesame" not in dump_text(bounded.result)


def test_an_incompletely_read_declaration_withholds_structured_content() -> None:
    tool = joined({}, {}, whole=False).tools[0]
    bounded = bound(Result(value={"token": "sesame"}), tool, Level.DECLARED)
    assert "sesame" not in dump_text(bounded.result)
    open_one = joined({}, {}).tools[0]
    assert "sesame" in dump_text(bound(Result(value={"token": "sesame"}), open_one, Level.DECLARED).result)


def test_a_hint_with_two_values_is_read_as_a_duplicate_key() -> None:
    tool = joined({"annotations": {"a": 1}}, {"annotations": {"a": 2}}).tools[0]
    assert isinstance(tool.definition["annotations"], DuplicateKeys)


def test_a_page_cannot_declare_its_own_origin_or_frame() -> None:
    tool = joined({}, {"origin": "https://bank.example", "frameId": "x", "frame": "y"}).tools[0]
    assert tool.definition["origin"] == "https://a.example"
    assert "frameId" not in tool.definition


def test_only_reports_of_the_hook_in_the_main_world_of_the_page_are_accepted() -> None:
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


def test_a_failed_registration_does_not_replace_the_first_declaration() -> None:
    tree = tree_of(
        *START,
        ("s", "Runtime.bindingCalled", report(1, {"name": "t", "first": True})),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
        ("s", "Runtime.bindingCalled", report(1, {"name": "t", "second": True})),
    )
    assert "first" in catalogue(tree).tools[0].definition


def test_shared_names_get_host_and_place_and_are_unique() -> None:
    tree = tree_of(
        ("s", "Page.frameNavigated", navigated("f")),
        ("s", "Page.frameNavigated", navigated("g", "https://a.example/x", "f")),
        ("o", "Page.frameNavigated", navigated("h", "https://b.example:8443/", "f")),
        ("s", "WebMCP.toolsAdded", added("f", "t", "t@b.example:8443")),
        ("s", "WebMCP.toolsAdded", added("g", "t")),
        ("o", "WebMCP.toolsAdded", added("h", "t")),
    )
    names = [tool.name for tool in catalogue(tree).tools]
    assert names == [
        "t@a.example@page",
        "t@b.example:8443@a.example@page",
        "t@a.example@frame1",
        "t@b.example:8443",
    ]


def test_leaving_a_document_removes_its_tools_but_a_swap_does_not() -> None:
    tree = tree_of(*START, ("s", "WebMCP.toolsAdded", added("f", "t")))
    swapped = tree.take("s", "Page.frameDetached", {"frameId": "f", "reason": "swap"})
    assert (swapped.tools, swapped.gone) == (False, frozenset())
    left = tree.take("s", "Page.frameNavigated", navigated("f", "https://b.example/"))
    assert (left.tools, left.gone) == (True, frozenset("f"))
    assert catalogue(tree).tools == ()


def test_the_end_of_a_process_removes_its_frames() -> None:
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
def test_an_invalid_event_of_the_browser_changes_nothing(method: str, params: JsonObject) -> None:
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
def test_names_and_descriptions_follow_the_rules_of_the_draft(
    name: Json, description: Json, count: int
) -> None:
    assert len(faults_of(name, description)) == count


def test_a_report_longer_than_the_hook_writes_is_ignored() -> None:
    payload = '{"proof":"p","call":"registerTool","whole":true,"tool":{"name":"t"},"options":null}'
    assert isinstance(found := report_in(payload, "p"), tuple)
    assert [declaration.name for declaration in found] == ["t"]
    assert report_in(payload + " " * 1_000_000, "p") is None


FRAMES = {
    # Frame, its parent, its address. The browser reports them in this order, whichever loads first.
    "main": ("", "https://a.example/"),
    "one": ("main", "https://b.example/1"),
    "two": ("main", "https://a.example/2"),
    "three": ("main", "https://b.example/3"),
    "inner": ("two", "https://c.example/"),
    "sandbox": ("two", "null"),
}
NAMES = st.lists(st.sampled_from(["t", "u", "v2", "v10", "t@a.example"]), max_size=3, unique=True)


def documents() -> st.SearchStrategy[tuple[dict[str, list[str]], list[list[str]]]]:
    """The tools of each frame, and two orders in which frames and their tools arrive, each frame after its parent."""
    arrivals = [name for name, offered in dict.fromkeys(FRAMES, 3).items() for _ in range(offered)]
    return st.tuples(
        st.fixed_dictionaries(dict.fromkeys(FRAMES, NAMES)),
        st.lists(st.permutations(arrivals), min_size=2, max_size=2),
    )


def arrived(offered: dict[str, list[str]], order: list[str]) -> tuple[Catalogue, list[Catalogue]]:
    """The complete list at the end, and the lists after each step."""
    tree, steps = Tree(BINDING, PROOF), list[Catalogue]()
    left = {name: list(tools) for name, tools in offered.items()}
    shown: set[str] = set()

    def show(name: str) -> None:
        around, url = FRAMES[name]
        if name in shown:
            return
        shown.add(name)
        if around:
            show(around)
        tree.take(name, "Page.frameNavigated", navigated(name, url, around or None))
        for inside, (parent, _) in FRAMES.items():
            if parent == name:
                tree.take(name, "Page.frameAttached", {"frameId": inside, "parentFrameId": name})

    for name in order:
        show(name)
        if left[name]:
            # In the second order, the tools of a document arrive in reverse, too.
            tree.take(name, "WebMCP.toolsAdded", added(name, left[name].pop(-(order[0] < order[-1]))))
        steps.append(catalogue(tree))
    return steps[-1], steps


@given(documents())
def test_handles_and_order_do_not_depend_on_the_order_of_arrival(
    case: tuple[dict[str, list[str]], list[list[str]]],
) -> None:
    offered, orders = case
    ends: list[list[tuple[str, Json, str]]] = []
    for order in orders:
        meant: dict[str, tuple[str, str]] = {}
        end, steps = arrived(offered, order)
        for step in steps:
            names = [tool.name for tool in step.tools]
            assert len(set(names)) == len(names)
            for tool in step.tools:
                assert tool.page is not None
                now = (tool.page.document.frame_id, str(tool.definition["name"]))
                assert meant.setdefault(tool.name, now) == now, "a handle came to mean another tool"
        ends.append(
            [(tool.name, tool.definition["name"], tool.page.document.url) for tool in end.tools if tool.page]
        )
    assert ends[0] == ends[1]


def test_a_shared_name_without_its_place_refers_to_no_tool() -> None:
    tree = tree_of(
        ("s", "Page.frameNavigated", navigated("f")),
        ("o", "Page.frameNavigated", navigated("g", "https://b.example/", "f")),
        ("o", "WebMCP.toolsAdded", added("g", "t")),
    )
    assert [tool.name for tool in catalogue(tree).tools] == ["t"]
    tree.take("s", "WebMCP.toolsAdded", added("f", "t", "u"))
    found = catalogue(tree)
    assert [tool.name for tool in found.tools] == ["t@a.example", "u", "t@b.example"]
    assert found.tool("t") is None
    assert [tool.name for tool in found.sharing("t")] == ["t@a.example", "t@b.example"]
    assert found.sharing("u") == found.sharing("x") == ()


def test_a_refusal_is_listed_with_its_place_until_the_document_is_left() -> None:
    def refused(number: int, line: str, proof: str = PROOF) -> JsonObject:
        payload: JsonObject = {
            "proof": proof,
            "call": "refused",
            "name": f"t{number}",
            "reason": "TypeError: no",
            "place": line,
        }
        return {"name": BINDING, "payload": dump_text(payload), "executionContextId": 1}

    lines = ("    at run (https://a.example/x.js:9:5)", "    at https://a.example/x.js:3:7", "forged", "")
    tree = tree_of(*START)
    for number, line in enumerate(lines):
        assert tree.take("s", "Runtime.bindingCalled", refused(number, line)).tools is True
        assert tree.take("s", "Runtime.bindingCalled", refused(number, line)).tools is False
    tree.take("s", "Runtime.bindingCalled", refused(9, "", proof="forged"))
    found = catalogue(tree)
    assert [(each.name, str(each.place)) for each in found.refused] == [
        ("t2", "None"),
        ("t3", "None"),
        ("t1", "https://a.example/x.js:3:7"),
        ("t0", "https://a.example/x.js:9:5"),
    ]
    assert found.malformed == found.tools == ()
    tree.take("s", "Page.frameNavigated", navigated("f"))
    assert catalogue(tree).refused == ()
