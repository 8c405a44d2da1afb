"""A value that was withheld from one call is masked wherever else the server sends it."""

from textual.pilot import Pilot

from inspector.boundary.bounded import Level
from inspector.json.exact import Json, JsonObject
from inspector.pins.known_secrets import KnownSecrets, calls_withheld_from, withheld_from
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Result
from inspector.tui.app import SightlineApp
from inspector.tui.result.view import ResultView, result_view
from inspector.tui.result.words import strip
from inspector.tui.values.outline import SideDifference
from tests.tui.result.test_result_view import record_of, side
from tests.tui.scripted import LARGE, Script, answering, app_of, screen_text, settled

SECRET = "sk-live-9f8Qw2ZxLm41TtYbVn73"
KNOWN = KnownSecrets().with_texts(1, [SECRET])
LATER: JsonObject = {
    "isError": True,
    "content": [{"type": "text", "text": f"SQL error near '{SECRET}'. Stop."}],
}


def view_of(value: Json, level: Level = Level.DECLARED, *, unmasked: bool = False) -> ResultView:
    record = record_of(Result(value=value), None)
    return result_view(record, level, "spec", server="server", unmasked=unmasked, known=KNOWN)


def verdict(view: ResultView) -> str:
    return "  ".join(part.plain for part in strip(view))


def test_a_value_withheld_from_another_call_is_masked_on_both_sides_with_its_reason() -> None:
    for level in (Level.DECLARED, Level.OPEN):
        view = view_of(LATER, level)
        both = "\n".join((*side(view, 0, 120), *side(view, 1, 120)))
        assert SECRET not in both
        assert "SQL error near '•••••••• (28 characters)'. Stop." in both
        assert "•••••••• (28 characters, reaches the model)" in both
        (reason,) = [reason for reason in view.reasons if reason.key[0] is SideDifference.REACHES]
        assert reason.line.plain == "! reaches the model  content[0].text  withheld from #1"
        assert "what was withheld from #1 reaches the model" in verdict(view)
        assert "  nothing withheld  " not in verdict(view)
        assert "`declared` withholds reach" not in verdict(view)
        node = view.order[0]
        assert view.sign(view.outline, node) is SideDifference.REACHES


def test_a_masked_value_of_another_call_can_be_shown() -> None:
    view = view_of(LATER, unmasked=True)
    assert view.masked is not None
    assert SECRET in "\n".join(side(view, 0, 120))
    assert view.sign(view.outline, view.order[0]) is SideDifference.REACHES


def test_other_spellings_keys_and_numbers_are_masked_too() -> None:
    known = KNOWN.with_texts(2, ["4711471147"])
    value: Json = {"a": SECRET[::-1], SECRET: 1, "b": [4711471147, "free"], "c": f"{SECRET} and 4711471147"}
    masked, why = known.masked({"x": value, "y": value["a"]}, lambda _: "•")
    assert masked == {"x": "•", "y": "•"}
    masked, why = known.masked(value["b"], lambda _: "•")
    assert (masked, dict(why)) == (["•", "free"], {"/0": "withheld from #2"})
    masked, why = known.masked(value["c"], lambda _: "•", 2)
    assert (masked, dict(why)) == ("• and 4711471147", {"": "withheld from #1"})


def test_lines_are_masked_and_long_ones_are_cut_before_a_part_of_a_value_is_left() -> None:
    assert KNOWN.masked_text(f"one\nfailed for {SECRET}, stop") == "one\nfailed for ••••••••, stop"
    half = len(SECRET) // 2
    assert SECRET[:half] not in KNOWN.masked_text(f"one {SECRET[:half]}\n{SECRET[half:]} two")
    long = "x " * 1_990 + SECRET * 20
    assert "sk-live" not in KNOWN.short(long)
    assert KNOWN.short("x" * 100) == "x" * 100
    assert KNOWN.with_texts(3, [SECRET]) is KNOWN


def test_many_calls_share_one_search() -> None:
    known = KnownSecrets()
    for number in range(1, 80):
        known = known.with_texts(number, [f"secret-value-{number:04}"])
    assert known.masked_text("a secret-value-0001 b secret-value-0079") == "a •••••••• b ••••••••"
    assert set(known.masked(["secret-value-0001"], lambda _: "•")[1].values()) == {
        "withheld, fetched or entered before"
    }


CUSTOMER: JsonObject = {
    "name": "customer",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"ssn": {"type": "string", "x-sensitive": True}}},
}
FAILS: JsonObject = {"name": "customer_err", "inputSchema": {"type": "object"}}


async def test_a_later_result_its_frames_and_stderr_are_masked_on_the_screen() -> None:
    script = Script(
        tools=[CUSTOMER, FAILS],
        answers={
            "customer": answering({"content": [], "structuredContent": {"ssn": SECRET}}),
            "customer_err": answering(LATER),
        },
    )
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "escape", "down")
        await settled(pilot, app, "has not been called yet")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "#2")
        session = script.opened[-1]
        session.frame(Direction.RECEIVED, f"lookup failed for {SECRET}\n".encode(), Channel.STDERR)
        text = await settled(pilot, app, "lookup failed for ••••••••")
        assert "withheld from #1" in text
        assert "passes a value" not in text
        assert SECRET not in text
        await pilot.press("c")
        text = await settled(pilot, app, "! what was withheld from #1 passes")
        assert "Nothing" not in text
        assert SECRET not in text
        await pilot.press("escape", "d")
        text = await settled(pilot, app, "declared against closed")
        assert "SQL error near '••••••••" in text
        assert SECRET not in text
        await pilot.press("escape", "r")
        await settled(pilot, app, "#3")
        await pilot.press("=")
        text = await settled(pilot, app, "SQL error near '•••••••• (28 characters)'")
        assert SECRET not in text
        await pilot.press("escape")
        await settled(pilot, app, "#3")
        await pilot.press("t", "enter")
        await settled(pilot, app)
        assert SECRET not in screen_text(app)
        await _frames(pilot, app)


async def _frames(pilot: Pilot[None], app: SightlineApp) -> None:
    await pilot.press("enter")
    text = await settled(pilot, app)
    assert SECRET not in text, text


def test_several_sources_of_secret_values_are_named_in_one_sentence() -> None:
    assert (
        calls_withheld_from([withheld_from(1), withheld_from(2)]) == "what was withheld from #1 and from #2"
    )
    assert calls_withheld_from([withheld_from(0)]) == "what was withheld, fetched or entered before"
    assert (
        calls_withheld_from(map(withheld_from, range(4)))
        == "what was withheld from #1 and from #2 and 2 more"
    )
