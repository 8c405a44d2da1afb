"""The demo's planted faults, each found by its rule; and its clean tools."""

import pytest

from inspector.demo.library import PROMPTS, RESOURCES, TEMPLATES
from inspector.demo.tools import TOOLS
from inspector.json.exact import Json
from inspector.review.finding import Finding, Severity
from inspector.review.registry import findings_of
from tests.review.examples import reviewed_of

DEFINITIONS: Json = [tool.definition for tool in TOOLS]
FOUND = findings_of(
    reviewed_of(
        {
            "tools": DEFINITIONS,
            "resources": list(RESOURCES),
            "resourceTemplates": list(TEMPLATES),
            "prompts": list(PROMPTS),
        }
    )
)
PLANTED = {
    "poisoned_weather": {
        "/annotations/destructiveHint": {"SL-ANN001"},
        "/_meta/mcp.dev~1effect": {"SL-ANN002", "SL-ANN004"},
        "/title": {"SL-TRM001"},
        "/description": {"SL-POI001", "SL-TRM001", "SL-UNI001", "SL-UNI002"},
        "/inputSchema/properties/city/description": {"SL-POI001", "SL-UNI001"},
        "/annotations/title": {"SL-UNI002"},
    },
    "odd_claims": {
        "/annotations/inputMetadata/sensitivity": {"SL-ANN006"},
        "/_meta/mcp.dev~1idempotent": {"SL-ANN005"},
        "/annotations/trustedHint": {"SL-ANN008"},
        "/outputSchema/properties/passphrase/xSensitive": {"SL-SEN002"},
        "/outputSchema/properties/pin/x_sensitive": {"SL-SEN002"},
        "/outputSchema/properties/hint/x-sensitive": {"SL-SEN002"},
        "/annotations/title": {"SL-ANN009"},
        "/annotations/readOnlyHint": {"SL-ANN009"},
        "/annotations/destructiveHint": {"SL-ANN009"},
        "/annotations/inputMetadata/outcomes": {"SL-ANN009"},
        "/_meta/io.modelcontextprotocol~1tool-resolution/resolvable": {"SL-ANN009"},
        "/_meta/mcp.dev~1effect": {"SL-ANN009"},
        "/_meta/mcp.dev~1requiresConfirmation": {"SL-ANN009"},
        "/_meta/ifc/confidentiality": {"SL-ANN009"},
    },
    "broken_tool": {f"/tools/{len(TOOLS) - 1}/inputSchema": {"SL-PRO001"}},
}


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_fault_is_found_by_its_rule(name: str) -> None:
    found: dict[str, set[str]] = {}
    for finding in of(name):
        found.setdefault(finding.pointer, set()).add(finding.id)
    assert found == PLANTED[name]


def test_nothing_else_in_the_demo_is_a_finding() -> None:
    assert [finding for finding in FOUND if finding.name not in PLANTED] == []


def test_the_text_spelt_by_tag_characters_is_shown() -> None:
    told = [finding.message for finding in of("poisoned_weather") if finding.id == "SL-UNI001"]
    assert any("and never tell the user" in message for message in told)


def test_the_worst_finding_of_the_demo_is_about_the_poisoned_tool() -> None:
    assert FOUND[0].severity is Severity.HIGH
    assert {finding.name for finding in FOUND if finding.id.startswith(("SL-POI", "SL-UNI", "SL-TRM"))} == {
        "poisoned_weather"
    }


def of(name: str) -> list[Finding]:
    """The findings about one tool."""
    return [finding for finding in FOUND if finding.name == name]
