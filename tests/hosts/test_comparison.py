"""One result through every host."""

import pytest
from msgspec.structs import replace

from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.comparison import compare
from inspector.hosts.leaks import Leak
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.projection import project
from inspector.hosts.registry import host, hosts
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump, parse
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError

TOOL = Tool(
    name="keys",
    definition={
        "name": "keys",
        "inputSchema": {},
        "outputSchema": {
            "properties": {"id": {"type": "string"}, "s": {"type": "string", "x-sensitive": True}}
        },
    },
)
STRUCTURED: JsonObject = {"id": "an identifier", "s": "CANARY-7f3a"}
RESULT: JsonObject = {
    "content": [{"type": "text", "text": "done"}],
    "structuredContent": STRUCTURED,
}


def leaks(result: Json, level: Level = Level.DECLARED) -> dict[str, tuple[Leak, tuple[str, ...]]]:
    found = compare(Result(value=result), TOOL, level)
    return {row.host.name: (row.leak, row.leaks) for row in found.rows}


def test_each_host_has_a_row_that_agrees_with_its_projection() -> None:
    for level in Level:
        found = compare(Result(value=RESULT), TOOL, level)
        assert [row.host.name for row in found.rows] == [profile.name for profile in hosts()]
        for row in found.rows:
            shown = project(Result(value=RESULT), TOOL, level, row.host)
            assert row.context == shown.context
            assert row.size_bytes == shown.model_bytes
            assert (row.observed, row.change_count) == (shown.context.observed, len(shown.context.changes))
            assert list(found.sensitive) == list(shown.sensitive)
        assert found.raw_bytes == len(dump(RESULT))


def test_a_row_counts_the_markers_around_untrusted_text_as_the_result_does() -> None:
    untrusted = Tool(
        name="search", definition={"name": "search", "annotations": {"unsafeOutputHint": {"untrusted": True}}}
    )
    outcome, call = Result(value=RESULT), Call(tool="search", nonce="218d95db")
    for level in Level:
        for row in compare(outcome, untrusted, level, call=call).rows:
            shown = project(outcome, untrusted, level, row.host, call=call)
            assert (row.size_bytes, row.context) == (shown.model_bytes, shown.context), row.host.name
            if level is Level.DECLARED and row.host.name == "spec":
                assert "[untrusted content 218d95db begins" in dump(row.context.model).decode()


@pytest.mark.parametrize("level", list(Level))
def test_leaks_are_those_of_the_raw_result_at_every_boundary(level: Level) -> None:
    found = leaks(RESULT, level)
    assert found["spec"] == (Leak.YES, ("/structuredContent/s",))
    assert found["codex"] == (Leak.YES, ("/structuredContent/s",))
    # These give the model text only.
    assert found["gemini-cli"] == (Leak.NO, ())
    assert found["strands"] == (Leak.NO, ())


def test_a_value_in_a_text_leaks_in_hosts_that_pass_on_the_text() -> None:
    found = leaks({**RESULT, "content": [{"type": "text", "text": "the key is CANARY-7f3a"}]})
    assert found["gemini-cli"][0] is Leak.YES
    assert "/structuredContent/s" in found["gemini-cli"][1]


def test_data_that_a_host_keeps_does_not_leak_and_disguised_data_does() -> None:
    assert leaks(RESULT)["langchain-py"] == (Leak.NO, ())

    def everything(bounded: Bounded, _call: Call) -> ModelContext:
        return ModelContext(model=bounded.result)

    spec = host("spec")
    assert spec
    relay = replace(spec, name="relay", notes="", model_view=everything)
    tool = Tool(
        name="t",
        definition={"name": "t", "outputSchema": {"properties": {"$not_sent": {"x-sensitive": True}}}},
    )
    disguised: JsonObject = {"content": [], "$not_sent": "CANARY-7f3a"}
    found = compare(Result(value=disguised), tool, Level.DECLARED, among=(relay,))
    assert found.rows[0].leaks == ("/$not_sent",)


def test_blocks_for_the_user_leak_in_hosts_that_do_not_honour_an_audience() -> None:
    block: JsonObject = {"type": "text", "text": "for the user alone", "annotations": {"audience": ["user"]}}
    found = leaks({"content": [block]})
    assert found["spec"] == (Leak.NO, ())
    assert found["claude-code"] == (Leak.YES, ("/content/0",))


def test_a_host_that_was_not_observed_is_marked_in_its_row() -> None:
    row = compare(Result(value=RESULT), TOOL, Level.DECLARED).row("vscode-copilot")
    assert row
    assert not row.observed
    assert not row.observed_open
    assert row.leak is Leak.YES


def test_a_failing_profile_gives_nothing_and_its_leaks_are_unknown() -> None:
    def fails(_bounded: Bounded, _call: Call) -> ModelContext:
        raise RuntimeError("CANARY-7f3a")

    spec = host("spec")
    assert spec
    broken: Host = replace(spec, name="broken", model_view=fails)
    found = compare(Result(value=RESULT), TOOL, Level.DECLARED, among=(spec, broken))
    row = found.row("broken")
    assert row
    assert (row.context.model, row.observed, row.leak) == (None, False, Leak.UNKNOWN)
    assert "CANARY" not in str(row.context)
    assert found.leaking == ("spec",)
    assert found.row("nobody") is None


OUTCOMES: list[Outcome] = [
    Result(value=None),
    Result(value="text"),
    Result(value=[STRUCTURED]),
    Result(value={"content": "no list", "structuredContent": STRUCTURED, "isError": "yes"}),
    Result(value=DuplicateKeys((("s", "CANARY-7f3a"), ("s", "CANARY-7f3a")))),
    Result(value={"structuredContent": {"s": [Number("NaN"), 10**60, "\ud800"], "\ud800": Number("1e400")}}),
    Result(value={"content": [{"type": "secret_reference", "id": "CANARY-7f3a", "label": "l"}, None, {}]}),
    RpcError(value={"code": -32000, "message": "CANARY-7f3a", "data": {"s": 1}}),
    RpcError(value=5),
    Failure(kind=FailureKind.TIMEOUT, detail="no answer"),
]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("level", list(Level))
def test_a_comparison_never_raises_and_its_leaks_point_into_the_result(
    outcome: Outcome, level: Level
) -> None:
    for tool in (None, TOOL):
        found = compare(outcome, tool, level)
        assert len(found.rows) == len(hosts())
        for row in found.rows:
            for pointer in row.leaks:
                resolve(found.raw, pointer)


def test_a_result_of_three_thousand_levels_is_compared() -> None:
    parsed = parse('{"structuredContent":{"s":' + '{"a":' * 3000 + '"CANARY-7f3a"' + "}" * 3002)
    assert isinstance(parsed, JsonText)
    found = compare(Result(value=parsed.value), TOOL, Level.DECLARED)
    assert "spec" in found.leaking
    assert all(row.leak in {Leak.YES, Leak.NO, Leak.UNKNOWN} for row in found.rows)


def test_a_leak_is_counted_once_and_named_by_the_places_that_the_host_passes_on() -> None:
    secret = "sk-live-9f8Qw2ZxLm41TtYbVn73"
    value: Json = {
        "content": [
            {"type": "text", "text": f"Ann, {secret}. Done."},
            {"type": "text", "text": f"reversed {secret[::-1]}"},
        ],
        "structuredContent": {"id": "Ann", "s": secret},
        "_meta": {"trace": secret},
    }
    found = compare(Result(value=value), TOOL, Level.DECLARED)
    assert found.secret_count == 1
    places = {row.host.name: [[at.pointer for at in each] for each in row.leak_places] for row in found.rows}
    assert {len(row.leaks) for row in found.rows} == {1}
    assert places["claude-code"] == [["/structuredContent/s"]]
    assert set(places["gemini-cli"][0]) == {"/content/0/text", "/content/1/text"}
    assert set(places["spec"][0]) == {"/content/0/text", "/content/1/text", "/structuredContent/s"}
    assert "/_meta/trace" in places["google-adk"][0]
    for row in found.rows:
        assert row.leaked.places[0], row.host.name
    spec = found.rows[0].leak_places[0]
    assert {at.pointer: at.is_within for at in spec} == {
        "/content/0/text": True,
        "/content/1/text": True,
        "/structuredContent/s": False,
    }
