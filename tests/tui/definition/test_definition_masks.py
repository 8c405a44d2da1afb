"""A definition that is listed after a result is shown without the values withheld from that result."""

from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.json.exact import Json
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord
from inspector.tui.definition.view import DefinitionAsked, DefinitionMasks, asked_definition
from inspector.tui.values.rows import OutlineRows
from inspector.tui.values.wrap import row_text
from tests.peers.leaking_server import FIRST, SECRET, leaking

RESULT: Json = {"content": [], "structuredContent": {"secret": SECRET}}


def shown(tool: Tool, masks: DefinitionMasks, *records: CallRecord) -> str:
    asked = DefinitionAsked(entry=tool, level=Level.OPEN, host="spec", masks=masks, records=records)
    view = asked_definition(asked)
    assert view is not None
    assert view.tool is tool
    rows = OutlineRows(view.outline, (4_000, 4_000))
    drawn = [rows.at(index) for index in range(len(rows))]
    text = "\n".join(
        row_text(view.outline.side_row(row.node, side, 4_000, row.number)) for side in (0, 1) for row in drawn
    )
    return text.replace("\u0600", "").replace("⟨U+0600⟩", "")


def test_both_sides_of_a_definition_mask_values_withheld_from_a_result() -> None:
    first, *later = [Tool(name=str(each["name"]), definition=each) for each in (*FIRST, *leaking(SECRET))]
    record = CallRecord(
        number=1,
        name=first.name,
        arguments={},
        judgement=Judgement(Result(value=RESULT), first),
        at_s=0.0,
        duration_s=0.0,
        size_bytes=0,
    )
    masks = DefinitionMasks()
    assert SECRET in "".join(shown(tool, masks) for tool in later)
    for tool in later:
        text = shown(tool, masks, record)
        assert SECRET not in text
        assert "••••••••" in text
    assert "••••••••" not in shown(first, masks, record)
