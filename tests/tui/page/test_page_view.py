"""The texts about a page's tool: on its screen, and as JSON."""

import pytest

from inspector.cli.commands.list_ import page_shape
from inspector.protocol.page import Evidence, Exposure, FramePolicy, PageDocument, PageFacts, Reach, ToolKind
from inspector.tui.page.screen import origin_lines

FRAME = PageDocument(
    frame_id="f", loader_id="l", url="https://a.example/", origin="https://a.example", parent_id="p"
)


def facts(document: PageDocument = FRAME, evidence: Evidence = Evidence.SEEN) -> PageFacts:
    return PageFacts(
        document=document,
        kind=ToolKind.SCRIPT,
        tool_id=None,
        place=None,
        exposed_to=("http://b.example",),
        kept={},
        declared={},
        options={},
        agent=None,
        evidence=evidence,
        exposures=(Exposure(text="http://b.example\x1b", reach=Reach.INSECURE),),
    )


def told(shown: PageFacts) -> str:
    return "\n".join(line.plain for line in origin_lines(shown))


@pytest.mark.parametrize("evidence", list(Evidence))
def test_every_evidence_has_a_description(evidence: Evidence) -> None:
    assert "declared   " in told(facts(evidence=evidence))


def test_another_origin_is_shown_safely_with_its_kind() -> None:
    assert "http://b.example␛ (insecure)" in told(facts())


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, None),
        (FramePolicy(element=None), None),
        (FramePolicy(element="iframe"), "iframe with no allow attribute"),
        (
            FramePolicy(element="iframe", allow="tools *", is_sandboxed=True),
            "iframe with allow=tools *, sandboxed",
        ),
        (
            FramePolicy(element="iframe", allow="", blocked_by="IframeAttribute"),
            "iframe with allow=, blocked by IframeAttribute",
        ),
    ],
)
def test_the_policy_of_the_frame_element_is_shown(policy: FramePolicy | None, expected: str | None) -> None:
    document = PageDocument(frame_id="f", loader_id="l", url="u", origin="o", parent_id="p", policy=policy)
    lines = [line for line in told(facts(document)).splitlines() if line.startswith("policy")]
    assert lines == ([] if expected is None else [f"policy     {expected}"])


def test_forged_reports_are_counted() -> None:
    document = PageDocument(frame_id="f", loader_id="l", url="u", origin="o", false_reports=3)
    assert "forged     3 reports did not come from Sightline and are ignored" in told(facts(document))
    assert page_shape(facts(document))["falseReports"] == 3


def test_the_json_has_evidence_exposures_and_policy() -> None:
    policy = FramePolicy(element="iframe", allow="tools 'src'", is_sandboxed=True)
    document = PageDocument(frame_id="f", loader_id="l", url="u", origin="o", policy=policy)
    shape = page_shape(facts(document))
    assert shape["evidence"] == "seen"
    assert shape["exposures"] == [{"text": "http://b.example\x1b", "reach": "insecure"}]
    assert shape["policy"] == {
        "element": "iframe",
        "allow": "tools 'src'",
        "grants": ["'src'"],
        "sandboxed": True,
        "blockedBy": None,
    }
