"""A definition that is listed after a result is shown without what was withheld from that."""

from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.json.exact import Json
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord
from inspector.tui.definition.view import DefinitionAsked, Learnt, asked_definition
from inspector.tui.widgets.alignment import line_text
from tests.peers.leaking_server import FIRST, SECRET, leaking

RESULT: Json = {"content": [], "structuredContent": {"secret": SECRET}}


def shown(tool: Tool, learnt: Learnt, *records: CallRecord) -> str:
    asked = DefinitionAsked(
        entry=tool, level=Level.OPEN, host="spec", chunk=4_000, learnt=learnt, records=records
    )
    view = asked_definition(asked)
    assert view is not None
    assert view.tool is tool
    sides = (view.raw, view.model)
    text = "\n".join(line_text(line) for side in sides for line in side.lines(0, side.line_count))
    return text.replace("\u0600", "").replace("⟨U+0600⟩", "")


def test_both_sides_of_a_definition_mask_what_a_result_withholds() -> None:
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
    learnt = Learnt()
    assert SECRET in "".join(shown(tool, learnt) for tool in later)
    for tool in later:
        text = shown(tool, learnt, record)
        assert SECRET not in text
        assert "••••••••" in text
    assert "••••••••" not in shown(first, learnt, record)
