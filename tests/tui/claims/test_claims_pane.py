from inspector.claims.registry import claims_of_tool
from inspector.protocol.catalogue import Tool
from inspector.tui.claims.pane import ClaimRow, claim_detail, claim_line

TOOL = Tool(
    name="odd",
    definition={
        "name": "odd",
        "inputSchema": {"type": "object"},
        "annotations": {"title": 42, "readOnlyHint": True},
        "outputSchema": {
            "type": "object",
            "properties": {
                "one": {"type": "string", "xSensitive": True},
                "two": {"type": "string", "x-sensitive": True},
            },
        },
    },
)


def test_a_claim_is_shown_as_it_is_written_and_says_what_sightline_draws_from_it() -> None:
    rows = [ClaimRow(claim=claim, value="true") for claim in claims_of_tool(TOOL)]
    lines = {row.claim.pointer: claim_line(row, 80, here=False).plain for row in rows}
    details = {row.claim.pointer: claim_detail(row).plain for row in rows}
    assert "x-sensitive = true  written xSensitive " in lines["/outputSchema/properties/one/xSensitive"]
    assert "written" not in lines["/outputSchema/properties/two/x-sensitive"]
    assert "written" not in lines["/annotations/readOnlyHint"]
    assert "what Sightline concludes from it: effect: true → read" in details["/annotations/readOnlyHint"]
    title = details["/annotations/title"]
    assert "what Sightline concludes from it: nothing" in title
    assert "malformed: is not a string\n" in title
    assert "assumes the worse case" in details["/outputSchema/properties/one/xSensitive"]
