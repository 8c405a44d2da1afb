"""The known facts about a page's tool besides its definition: evidence, exposure, policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.page import Evidence, Exposure, FramePolicy, Reach
from inspector.webmcp.catalogue import exposure_of
from inspector.webmcp.events import policy_of
from inspector.webmcp.tree import Tree
from tests.webmcp.test_page_catalogue import (
    BINDING,
    PROOF,
    START,
    added,
    catalogue,
    joined,
    navigated,
    tree_of,
)


@pytest.mark.parametrize("said", ["", '"proof":"other",', '"proof":null,'])
def test_a_report_without_the_proof_of_the_hook_is_rejected_and_counted(said: str) -> None:
    payload = (
        f'{{{said}"call":"registerTool","whole":true,"tool":{{"name":"t","title":"forged"}},"options":null}}'
    )
    forged: JsonObject = {"name": BINDING, "payload": payload, "executionContextId": 1}
    tree = tree_of(
        *START,
        ("s", "Runtime.bindingCalled", forged),
        ("s", "Runtime.bindingCalled", forged),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
    )
    page = catalogue(tree).tools[0].page
    assert page is not None
    assert page.declared is None
    assert page.document.false_reports == 2
    assert page.evidence is Evidence.MISSED


@pytest.mark.parametrize(
    ("kept", "declared", "whole", "evidence"),
    [
        ({}, {"description": "d"}, True, Evidence.SEEN),
        ({}, {"annotations": {"sensitiveHint": True}}, True, Evidence.SEEN),
        ({}, {"description": "d"}, False, Evidence.PARTLY),
        ({}, {"description": "another"}, True, Evidence.DIFFERS),
        ({"inputSchema": {"a": 1}}, {"inputSchema": {"a": 2}}, True, Evidence.DIFFERS),
        (
            {"inputSchema": {"list": [None, 1], "number": None}},
            {"inputSchema": {"gone": "[undefined]", "list": ["[function]", 1], "number": "[NaN]"}},
            True,
            Evidence.SEEN,
        ),
        ({"backendNodeId": 7}, {}, True, Evidence.FORM),
    ],
)
def test_a_declaration_has_its_evidence(
    kept: JsonObject, declared: JsonObject, whole: object, evidence: Evidence
) -> None:
    page = joined(kept, declared, whole=bool(whole)).tools[0].page
    assert page is not None
    assert page.evidence is evidence


def test_a_registration_past_the_hook_differs_from_one_before_the_session() -> None:
    late = Tree(BINDING, PROOF)
    late.adopt("s", {"frame": navigated("f")["frame"]})
    late.take("s", "WebMCP.toolsAdded", added("f", "t"))
    watched = tree_of(*START, ("s", "WebMCP.toolsAdded", added("f", "t")))
    found = [tree.tools[0].page for tree in (catalogue(late), catalogue(watched))]
    assert [page.evidence for page in found if page] == [Evidence.UNWATCHED, Evidence.MISSED]


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("https://a.example", Reach.OWN),
        ("HTTPS://A.example:443/path", Reach.OWN),
        ("https://b.example", Reach.OTHER),
        ("https://a.example:8443", Reach.OTHER),
        ("wss://b.example", Reach.OTHER),
        ("wss://a.example", Reach.OTHER),
        ("http://localhost:8000", Reach.OTHER),
        ("http://127.0.0.1", Reach.OTHER),
        ("http://[::1]:1", Reach.OTHER),
        ("http://a.example", Reach.INSECURE),
        ("ws://b.example", Reach.INSECURE),
        ("ftp://localhost", Reach.INSECURE),
        ("data:text/plain,x", Reach.OPAQUE),
        ("file:///etc", Reach.OPAQUE),
        ("blob:https://a.example/1", Reach.OPAQUE),
        ("null", Reach.OPAQUE),
        ("*", Reach.UNREADABLE),
        ("", Reach.UNREADABLE),
        ("a.example", Reach.UNREADABLE),
        ("https://", Reach.UNREADABLE),
        ("https://user@b.example", Reach.UNREADABLE),
        ("https:/b.example", Reach.UNREADABLE),
        ("\x1b[31m", Reach.UNREADABLE),
    ],
)
def test_an_origin_in_exposed_to_is_classified(text: str, reach: Reach) -> None:
    assert exposure_of(text, "https://a.example") == Exposure(text=text, reach=reach)


@given(st.text(), st.text())
def test_any_text_in_exposed_to_has_a_reach(text: str, own: str) -> None:
    found = exposure_of(text, own)
    assert found.text == text
    if found.reach is Reach.OWN:
        assert text.lower().startswith(("http://", "https://"))


def test_exposures_are_read_from_the_declaration() -> None:
    declared: JsonObject = {"proof": PROOF, "call": "registerTool", "whole": True, "tool": {"name": "t"}}
    options: JsonObject = {"exposedTo": ["https://b.example", 7, "null"]}
    told: JsonObject = {"name": BINDING, "payload": dump_text({**declared, "options": options})}
    tree = tree_of(
        *START,
        ("s", "Runtime.bindingCalled", {**told, "executionContextId": 1}),
        ("s", "WebMCP.toolsAdded", added("f", "t")),
    )
    page = catalogue(tree).tools[0].page
    assert page is not None
    assert [each.text for each in page.exposures] == list(page.exposed_to) == ["https://b.example", "null"]
    assert [each.reach for each in page.exposures] == [Reach.OTHER, Reach.OPAQUE]


@pytest.mark.parametrize(
    ("allow", "grants"),
    [
        (None, None),
        ("", None),
        ("camera; fullscreen *", None),
        ("tools", ("'src'",)),
        ("camera;  tools  * ; x", ("*",)),
        ("Tools *", None),
        ("tools 'self' https://b.example", ("'self'", "https://b.example")),
        ("tools 'none'; tools *", ("'none'",)),
        ("toolsmith *", None),
    ],
)
def test_the_origins_that_a_frame_element_allows_are_read(
    allow: str | None, grants: tuple[str, ...] | None
) -> None:
    attributes: list[Json] = ["src", "/", *([] if allow is None else ["allow", allow])]
    policy = policy_of({"nodeName": "IFRAME", "attributes": attributes}, None)
    assert (policy.element, policy.allow, policy.grants) == ("iframe", allow, grants)


def test_a_partly_known_policy_keeps_its_known_parts() -> None:
    assert policy_of(None, "Header") == FramePolicy(element=None, blocked_by="Header")
    assert policy_of({"nodeName": "IFRAME", "attributes": ["sandbox", ""]}, 7).is_sandboxed
    tree = tree_of(*START)
    tree.permit("f", is_permitted=False, policy=FramePolicy(element="iframe", allow="camera"))
    tree.permit("f", is_permitted=True)
    document = tree.document("f")
    assert document is not None
    assert (document.is_permitted, document.policy) == (True, FramePolicy(element="iframe", allow="camera"))
