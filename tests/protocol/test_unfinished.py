"""Answers that do not end a call never reach a model, for any type, boundary and host."""

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.mask import MASK
from inspector.hosts.comparison import compare
from inspector.hosts.leaks import Leak
from inspector.hosts.projection import project
from inspector.hosts.registry import hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump, dump_text, parse
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import Exchanges
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.outcome import MAX_ASKS, MAX_CHARACTERS, Result, unfinished, unfinished_in
from inspector.protocol.page import outcome_of_response
from inspector.protocol.targets import Era
from inspector.protocol.timeline import EntryState, Timeline
from inspector.recording.codec import Broken, decoded
from inspector.recording.format import Lenses, Projected, RecordedCall
from inspector.recording.replaying import Replay
from inspector.review.finding import SubjectKind
from inspector.review.live.ongoing import partly_read
from inspector.review.registry import findings_of
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from tests.recording.sessions import Wire, scribed

CANARY = "canary-5d1c"
TOOL = Tool(name="t", definition={"name": "t", "inputSchema": {"type": "object"}})
FORM: Json = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}
ASKED: JsonObject = {
    "resultType": "input_required",
    "inputRequests": {
        "who": {
            "method": "elicitation/create",
            "params": {"message": "Who \x1b[31mare you?", "requestedSchema": FORM},
        },
        "words": {
            "method": "sampling/createMessage",
            "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Rhyme!"}}]},
        },
        "folders": {"method": "roots/list"},
    },
    "requestState": CANARY,
}
TASK: JsonObject = {"task": {"taskId": CANARY, "status": "working"}}

bodies = st.sampled_from(
    [
        {},
        {"content": [{"type": "text", "text": CANARY}]},
        {"content": [{"type": "text", "text": CANARY}], "structuredContent": {"a": CANARY}, "isError": True},
        {"inputRequests": {CANARY: {"method": CANARY}}, "requestState": CANARY},
        TASK,
    ]
)
ODD: list[Json] = ["input_required", "task", "Complete", "complete ", None, True, 1, [], ["complete"], {}]
kinds: st.SearchStrategy[Json] = st.one_of(
    st.text(max_size=12).filter(lambda word: word != "complete"), st.sampled_from(ODD)
)


@given(kind=kinds, body=bodies, level=st.sampled_from(list(Level)))
@settings(deadline=None)
def test_only_a_complete_result_reaches_a_model(kind: Json, body: JsonObject, level: Level) -> None:
    outcome = Result(value={**body, "resultType": kind})
    for host in hosts():
        shown = project(outcome, TOOL, level, host)
        assert shown.context.model is None
        assert shown.model_bytes == 0
        assert CANARY not in dump_text(shown.bounded.result)
        assert (shown.bounded.removals[0].pointer, shown.bounded.removals[0].rule) == ("", Rule.UNFINISHED)
        assert shown.unfinished
        assert CANARY not in shown.unfinished.sentence
        assert "nothing reaches the model: the call is unfinished" in shown.context.changes[0].what


@given(
    kind=kinds, body=bodies, level=st.sampled_from(list(Level)), era=st.sampled_from([Era.LEGACY, Era.MODERN])
)
@settings(max_examples=40, deadline=None)
def test_a_recorded_unfinished_answer_gives_a_model_nothing(
    kind: Json, body: JsonObject, level: Level, era: Era
) -> None:
    wire = Wire()
    handshake = era is Era.LEGACY
    begin = "initialize" if handshake else "server/discover"
    wire.sent(begin, {}, 1)
    wire.received({"id": 1, "result": {"capabilities": {}}})
    wire.listed(TOOL.definition)
    wire.called("t", {})
    # The older answer has no `resultType`.
    wire.answered(TASK if handshake else {**body, "resultType": kind})
    lines = list(map(decoded, map(dump, scribed(wire.frames, Lenses(level=level)))))
    seen = [line.model for line in lines if isinstance(line, Projected)]
    replay = Replay()
    calls = [call for line in lines if not isinstance(line, Broken) for call in replay.calls(line)]
    assert seen == [None]
    assert len(calls) == 1
    for host in hosts():
        assert project(calls[0].outcome, calls[0].tool, level, host).context.model is None


@given(
    body=bodies.filter(lambda body: "content" in body), said=st.sampled_from([{}, {"resultType": "complete"}])
)
def test_a_complete_result_is_finished_with_or_without_result_type(
    body: JsonObject, said: JsonObject
) -> None:
    assert unfinished(Result(value={**body, **said})) is None


def test_an_unfinished_answer_without_result_type_is_recognised_by_its_members() -> None:
    unnamed: list[JsonObject] = [TASK, {"inputRequests": {}}, {**TASK, "resultType": "complete"}]
    for value in unnamed:
        assert unfinished(Result(value=value))
        assert unfinished(Result(value=value, of_page=True)) is None
    assert unfinished(Result(value={"task": {"title": "to do"}})) is None
    assert unfinished(Result(value={**TASK, "content": []})) is None
    assert unfinished(Result(value=[ASKED])) is None
    assert unfinished_in(DuplicateKeys((("resultType", "task"), ("resultType", "complete"))))
    assert unfinished_in(DuplicateKeys((("content", 1), ("content", 2)))) is None


def test_input_requests_are_listed_as_safe_short_text() -> None:
    found = unfinished(Result(value=ASKED))
    assert found
    assert found.asks == (
        "who: elicitation/create: Who ␛[31mare you? (fields: name, age)",
        "words: sampling/createMessage: Rhyme!",
        "folders: roots/list",
    )
    many: JsonObject = {str(number): {"method": "x\n" * 10_000} for number in range(1_000)}
    found = unfinished(Result(value={"resultType": "input_required", "inputRequests": many}))
    assert found
    assert len(found.asks) == MAX_ASKS
    assert all(len(asked) < 2 * MAX_CHARACTERS and "\n" not in asked for asked in found.asks)


def test_the_input_requests_of_a_sensitive_tool_are_not_shown() -> None:
    definition: JsonObject = {**TOOL.definition, "annotations": {"sensitiveHint": True}}
    shown = project(Result(value=ASKED), Tool(name="t", definition=definition), Level.OPEN, hosts()[0])
    assert shown.masked == MASK
    assert shown.unfinished
    assert shown.unfinished.asks == ()


def test_the_output_schema_does_not_apply_to_an_unfinished_answer() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tool = Tool(name="t", definition={**TOOL.definition, "outputSchema": schema})
    shown = project(Result(value=ASKED), tool, Level.DECLARED, hosts()[0])
    assert shown.masked == ASKED


def test_an_unfinished_answer_leaks_in_no_host() -> None:
    found = compare(Result(value=ASKED), TOOL, Level.OPEN)
    assert found.unfinished
    assert {row.leak for row in found.rows} == {Leak.NO}
    assert all(row.context.model is None for row in found.rows)


def subjects(material: Reviewed) -> set[SubjectKind]:
    return {found.subject for found in findings_of(material)}


def test_a_review_lists_an_unfinished_answer_as_not_checked() -> None:
    offer = Offer(kind=SubjectKind.TOOL, name="t", definition=TOOL.definition, tool=TOOL)
    value: JsonObject = {"resultType": "input_required", "content": [{"type": "text", "text": "Error: no"}]}
    call = ReviewedCall(offer=offer, outcome=Result(value=value))
    finished = ReviewedCall(offer=offer, outcome=Result(value={"content": value["content"]}))
    assert SubjectKind.CALL in subjects(Reviewed(offers=(offer,), calls=(finished,)))
    assert SubjectKind.CALL not in subjects(Reviewed(offers=(offer,), calls=(call,)))
    (told,) = partly_read(call)
    assert told.why == "the call is unfinished: the server asks for input before it answers"


def test_the_timeline_shows_an_unfinished_answer_as_such() -> None:
    timeline, exchanges = Timeline(), Exchanges()
    sent: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}
    answer: JsonObject = {"jsonrpc": "2.0", "id": 1, "result": ASKED}
    for number, (way, message) in enumerate(((Direction.SENT, sent), (Direction.RECEIVED, answer)), 1):
        raw = dump(message)
        frame = Frame(number=number, at_s=0.0, direction=way, channel=Channel.STDIO, raw=raw, body=parse(raw))
        timeline.add(exchanges.take(frame))
    assert timeline.entries[0].state is EntryState.UNFINISHED
    assert timeline.entries[0].detail == "the server asks for input before it answers"


def test_a_page_result_is_never_an_unfinished_answer() -> None:
    returned = outcome_of_response({"status": "Completed", "output": ASKED})
    line = RecordedCall(
        number=1,
        at_s=0.0,
        duration_s=0.0,
        tool="t",
        definition=TOOL.definition,
        arguments={},
        result=ASKED,
    )
    replayed = Replay().call(line).outcome
    assert returned == replayed == Result(value=ASKED)
    assert unfinished(returned) is None
    assert unfinished(replayed) is None
