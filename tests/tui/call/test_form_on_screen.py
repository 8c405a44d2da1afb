import re

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from inspector.json.exact import JsonObject
from inspector.tui.app import SightlineApp
from inspector.tui.call.form import FieldLine
from inspector.tui.call.pane import CallPane
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of, screen_text, settled, until

ORDER: JsonObject = {
    "name": "order",
    "description": "Orders something.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "what": {"enum": ["tea", "coffee", "cocoa"]},
            "cups": {"type": "integer", "minimum": 1, "maximum": 4, "title": "Cups"},
            "pin": {"type": "string", "x-sensitive": True},
            "note": {"type": "string"},
        },
        "required": ["what"],
    },
}
WIPE: JsonObject = {
    "name": "wipe",
    "inputSchema": {"type": "object"},
    "annotations": {"destructiveHint": True, "readOnlyHint": False},
}

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def script() -> Script:
    done = answering({"content": [{"type": "text", "text": "ok"}]})
    return Script(tools=[ORDER, WIPE], answers={"order": done, "wipe": done})


@SIZES
async def test_a_form_can_be_filled_in_by_keyboard(size: tuple[int, int]) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "right", "tab", "3", "enter")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "coffee", "cups": 3})]


async def test_a_text_that_is_wider_than_its_field_has_an_ellipsis_where_it_is_cut() -> None:
    long = " ".join(f"word{number}" for number in range(40)) + " end"
    properties: JsonObject = {"first": {"type": "string"}, "text": {"type": "string", "default": long}}
    tool: JsonObject = {"name": "say", "inputSchema": {"type": "object", "properties": properties}}
    app = app_of(Script(tools=[tool]))

    def field() -> str:
        return next(line for line in screen_text(app).splitlines() if re.search(r"text.*word", line))

    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "word0")
        assert re.search(r" word0 word1 .*…", field())
        await pilot.press("enter", "tab")
        await settled(pilot, app, "word39 end")
        assert re.search(r" …\S* .*word39 end", field())
        await pilot.press("home")
        await settled(pilot, app, "word0 word1")
        assert re.search(r" word0 word1 .*…", field())


@pytest.mark.parametrize(("rows", "end"), [(8, "line 8"), (40, "… 2 definition")])
async def test_a_description_takes_the_free_rows_and_says_where_it_is_cut(rows: int, end: str) -> None:
    lines = "\n".join(f"line {number}" for number in range(1, rows + 1))
    properties: JsonObject = {"city": {"type": "string"}}
    tool: JsonObject = {
        "name": "weather",
        "description": lines,
        "inputSchema": {"type": "object", "properties": properties},
    }
    app = app_of(Script(tools=[tool]))
    async with app.run_test(size=SMALL) as pilot:
        shown = (await settled(pilot, app, end)).splitlines()
        last = next(number for number, line in enumerate(shown) if end in line)
        assert "city" in shown[last + 1]


async def test_typing_selects_a_value_and_backspace_clears_it() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", *"coc")
        assert "Space next, letters jump  ⌫ leave out" in await settled(pilot, app, "< cocoa >  3 of 3")
        await pilot.press("space")
        await settled(pilot, app, "< tea >  1 of 3")
        await pilot.press("backspace")
        await settled(pilot, app, "choose one, required")


async def test_what_is_said_of_a_field_stays_on_its_row_and_says_where_it_is_cut() -> None:
    properties: JsonObject = {
        "temperature": {"type": "string", "default": "warm"},
        "code": {"type": "string", "examples": ["a" * 60]},
    }
    tool: JsonObject = {"name": "heat", "inputSchema": {"type": "object", "properties": properties}}
    app = app_of(Script(tools=[tool]))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "temperature  default")
        await until(pilot, app, lambda text: bool(re.search(r"code +text, optional, for .*…\s", text)))


async def test_the_field_with_the_focus_shows_what_the_server_says_of_it() -> None:
    properties: JsonObject = {
        name: {"type": "string", "description": f"About {name}."} for name in ("first", "second")
    }
    tool: JsonObject = {"name": "heat", "inputSchema": {"type": "object", "properties": properties}}
    app = app_of(Script(tools=[tool]))
    async with app.run_test(size=SMALL) as pilot:
        assert "About" not in await settled(pilot, app, "second")
        await pilot.press("enter")
        assert "About second." not in await settled(pilot, app, "About first.")
        await pilot.press("tab")
        assert "About first." not in await settled(pilot, app, "About second.")


@SIZES
async def test_values_of_a_list_are_picked_with_the_keyboard(size: tuple[int, int]) -> None:
    toppings: JsonObject = {"type": "array", "items": {"enum": ["milk", "sugar", "honey"]}}
    tool: JsonObject = {"name": "top", "inputSchema": {"type": "object", "properties": {"with": toppings}}}
    told = Script(tools=[tool], answers={"top": answering({"content": []})})
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "[ ] milk")
        await pilot.press("enter", "space")
        assert "Enter call  Space pick  → next" in await settled(pilot, app, "[x] milk")
        await pilot.press("right", "right", "space")
        await settled(pilot, app, "2 of 3: milk, honey" if size == LARGE else "2 of 3: milk,")
        await pilot.press("left", "space", "space", "enter")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("top", {"with": ["milk", "honey"]})]


async def test_an_invalid_value_is_reported_under_its_field_and_can_be_sent() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await settled(pilot, app, "1 missing")
        assert "Send anyway" not in text
        await pilot.press("enter", "right", "tab", "9")
        text = await settled(pilot, app, "invalid")
        assert "Send anyway" in text
        lines = text.splitlines()
        below = next(n for n, line in enumerate(lines) if " cups " in line) + 1
        assert "4" in lines[below]
        # What the server says of the field is a row of its own, without a title that repeats the name.
        assert lines[below + 1].split("│")[-1].split() == ["1", "to", "4"], text
        await pilot.press("enter")
        await settled(pilot, app, "Not valid: cups.  ^s sends it anyway.")
        assert told.calls == []
        await pilot.press("ctrl+s")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "tea", "cups": 9})]


async def test_a_missing_value_is_not_an_error_before_the_first_call() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        assert "is required" not in await settled(pilot, app, "1 missing")
        await pilot.press("enter", "tab", "tab", "enter")
        await settled(pilot, app, "Missing: what.  ^s sends it anyway.")
        await settled(pilot, app, "is required")
        assert told.calls == []
        # Enter has gone to the field that is missing.
        await pilot.press("right", "enter")
        await settled(pilot, app, "#1 done")


async def checked(pilot: Pilot[None], app: SightlineApp) -> None:
    """Wait until the entered text has been checked."""
    await pilot.pause(0.3)
    while app.screen.query_one(CallPane).draft is None:
        await pilot.pause(0.05)
    await settled(pilot, app)


@pytest.mark.parametrize("before", ["{", '{"what":"coffee"}'], ids=["no JSON", "valid before"])
async def test_a_call_right_after_a_paste_sends_the_pasted_text(before: str) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "ctrl+j", "f7")
        app.screen.query_one("#arguments", TextArea).text = before
        await checked(pilot, app)
        await pilot.press("f7")
        # As a terminal sends them: the first has not been handled when the second arrives.
        app.post_message(events.Paste('{"what":"tea","cups":2}'))
        app.post_message(events.Key("ctrl+r", "\x12"))
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "tea", "cups": 2})]


async def test_a_field_takes_one_line_of_a_paste_and_a_message_counts_the_lines() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "tab", "tab", "tab")
        app.post_message(events.Paste("one\ntwo\nthree"))
        text = await settled(pilot, app, "Only the first of 3 lines was pasted.")
        assert "two" not in text
        assert [field.value for field in app.screen.query(Input) if field.value] == ["one"]


async def test_a_small_terminal_shows_a_long_description_whole_before_the_first_call() -> None:
    order = {**ORDER, "description": f"Orders something. {'many words ' * 19}and the last one."}
    app = app_of(Script(tools=[order], answers={"order": answering({"content": []})}))
    async with app.run_test(size=SMALL) as pilot:
        text = await settled(pilot, app, "and the last one.")
        assert "what*" in text
        # The number of values has no room beside the choice.
        assert not any(line.strip() == "values" for line in text.splitlines())
        # Beside a result, the fields have the room.
        await pilot.press("enter", "t", "e", "a", "enter")
        await settled(pilot, app, "#1 done")
        await pilot.press("1")
        text = await settled(pilot, app, "what*")
        assert "and the last one." not in text


async def test_json_that_cannot_be_sent_offers_no_key_to_send_it() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "ctrl+j", "f7", "left_curly_bracket")
        text = await settled(pilot, app, "not a JSON object")
        assert "send anyway" not in text.lower()
        await pilot.press("f7", *"{}")
        await settled(pilot, app, "F7 select all")
        await pilot.press("ctrl+r")
        assert "send anyway" in (await settled(pilot, app, "is missing")).lower()


async def test_a_call_right_after_a_letter_sends_that_letter() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "tab", "tab", "a")
        await checked(pilot, app)
        app.post_message(events.Key("b", "b"))
        app.post_message(events.Key("ctrl+r", "\x12"))
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "tea", "note": "ab"})]


async def test_escape_closes_a_form_that_was_opened_after_a_call_unless_it_was_changed() -> None:
    app = app_of(script())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "2", "ctrl+r")
        await settled(pilot, app, "1 edit")
        form = app.screen.query_one(CallPane)
        for typed in ("", "3"):
            await pilot.press("1")
            await until(pilot, app, lambda _: not form.is_folded and form.has_focus_within)
            if typed:
                await pilot.press("tab", "end", typed)
                await until(pilot, app, lambda text: re.search(r"cups +23", text) is not None)
            await pilot.press("escape")
            await until(pilot, app, lambda _: not form.has_focus_within)
            text = await settled(pilot, app)
            assert form.is_folded is not bool(typed), text


async def test_form_and_json_editor_show_the_same_arguments() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "2", "ctrl+j")
        await settled(pilot, app, '"cups": 2')
        await pilot.press("ctrl+j")
        await settled(pilot, app, "< tea >  1 of 3")
        await pilot.press("ctrl+j")
        await settled(pilot, app, '"what": "tea"')
        await pilot.press("down", "down", "down", "end", "backspace")
        await settled(pilot, app, "not a JSON object")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "it cannot be sent")
        await pilot.press("}", "ctrl+r")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "tea", "cups": 2})]


async def test_arguments_that_the_form_cannot_show_stay_in_the_json_editor() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "ctrl+j")
        await settled(pilot, app, '"what": "tea"')
        await pilot.press("down", "end", *',"extra":1', "ctrl+j")
        await settled(pilot, app, "The form cannot show these arguments: extra has no field.")
        assert '"extra":1' in screen_text(app)


async def test_invalid_entries_are_shown_as_json_and_in_the_form_again() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", *"abc")
        await settled(pilot, app, "abc")
        await pilot.press("ctrl+j")
        await settled(pilot, app, '"cups": "abc"')
        await pilot.press("ctrl+j")
        text = await settled(pilot, app, "cups")
        assert re.search(r"cups +abc", text)
        await pilot.press("ctrl+j")
        await settled(pilot, app, '"cups": "abc"')
        app.screen.query_one("#arguments", TextArea).text = '{"what": "milk"}'
        await pilot.press("ctrl+j")
        await settled(
            pilot, app, "The form cannot show these arguments: its field cannot hold the value of what."
        )


async def test_a_sensitive_argument_is_never_on_the_screen() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "tab", *"hushhush")
        assert "hushhush" not in await settled(pilot, app, "••••••••")
        await pilot.press("ctrl+j")
        assert "hushhush" not in await settled(pilot, app, "Sensitive arguments stay in the form")
        await pilot.press("ctrl+j")
        await settled(pilot, app, "••••••••")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("order", {"what": "tea", "pin": "hushhush"})]
        await pilot.press("t", "G", "minus", "G", "enter")
        assert "hushhush" not in await settled(pilot, app, "1 sensitive value masked")
        await pilot.press("J")
        assert "hushhush" not in await settled(pilot, app, '"order"')


async def test_a_tool_that_claims_harm_is_called_only_with_agreement() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "wipe")
        await pilot.press("down")
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "Call wipe?")
        await pilot.press("n")
        await settled(pilot, app, "No arguments")
        assert told.calls == []
        await pilot.press("ctrl+r")
        await settled(pilot, app, "Call wipe?")
        await pilot.press("y")
        await settled(pilot, app, "#1 done")
        assert told.calls == [("wipe", {})]


async def test_entered_text_is_kept_while_another_tool_is_shown() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "2", "escape", "down")
        await settled(pilot, app, "No arguments")
        await pilot.press("up")
        await settled(pilot, app, "< tea >")
        assert [field.value for field in app.screen.query("FieldLine Input").results(Input)][:1] == ["2"]


async def test_a_call_is_copied_without_its_sensitive_arguments() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "cups")
        await pilot.press("enter", "right", "tab", "tab", *"hush", "escape")
        await settled(pilot, app, "valid")
        await pilot.press("y")
        await settled(pilot, app, "Copied, without the sensitive argument /pin.")
        assert app.clipboard == """sightline call order --args '{"what":"tea"}' demo"""


async def test_a_call_is_copied_without_a_value_that_was_withheld_from_another_call() -> None:
    key = "sk-9f8Qw2ZxLm41TtYbVn73"
    marked: JsonObject = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}}
    form: JsonObject = {
        "type": "object",
        "properties": {"with": {"type": "string", "default": key}, "days": {"type": "integer", "default": 3}},
        "required": ["with", "days"],
    }
    reads: JsonObject = {"readOnlyHint": True}
    tools: list[JsonObject] = [
        {"name": "mint", "inputSchema": {"type": "object"}, "outputSchema": marked, "annotations": reads},
        {"name": "use", "inputSchema": form, "annotations": reads},
    ]
    told = Script(
        tools=tools, answers={"mint": answering({"content": [], "structuredContent": {"key": key}})}
    )
    app = app_of(told)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "▸ mint")
        await pilot.press("enter", "ctrl+r")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "j")
        await settled(pilot, app, "use has not been called yet")
        await pilot.press("y")
        await settled(pilot, app, "Copied, without the sensitive argument /with.")
        assert app.clipboard == """sightline call use --args '{"days":3}' demo"""


async def test_a_list_of_objects_is_filled_row_by_row() -> None:
    item: JsonObject = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    schema: JsonObject = {
        "type": "object",
        "properties": {"orders": {"type": "array", "items": item}, "note": {"type": "string"}},
    }
    script = Script(
        tools=[{"name": "place", "inputSchema": schema, "annotations": {"readOnlyHint": True}}],
        answers={"place": answering({"content": []})},
    )
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "orders")
        await pilot.press("enter")
        await settled(pilot, app, "Esc leave")
        await pilot.press("2")
        text = await settled(pilot, app, "2 items")
        assert text.count("id*") == 2
        await pilot.press("tab", "7", "tab", "8", "tab", *"later")
        await settled(pilot, app, "later")
        await pilot.press("shift+tab", "shift+tab", "shift+tab", "left")
        text = await settled(pilot, app, "1 item ")
        assert text.count("id*") == 1
        await pilot.press("right")
        await settled(pilot, app, "2 items")
        await pilot.press("enter")
        await settled(pilot, app, "#1 done")
    assert script.calls == [("place", {"orders": [{"id": 7}, {"id": 8}], "note": "later"})]


async def test_the_problem_of_the_focused_field_is_in_view() -> None:
    numbers: JsonObject = {f"number{each}": {"type": "integer"} for each in range(20)}
    tool: JsonObject = {"name": "add", "inputSchema": {"type": "object", "properties": numbers}}
    app = app_of(Script(tools=[tool]))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "number0")
        await until(pilot, app, lambda _: len(app.screen.query(FieldLine)) == len(numbers))
        line = app.screen.query(FieldLine).last()
        assert line.focus_input()
        await settled(pilot, app, "number19")
        line.complain("expected an integer")
        await settled(pilot, app, "expected an integer")
