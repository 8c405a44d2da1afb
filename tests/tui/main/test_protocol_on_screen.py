"""Requirements of the protocol on a client, and the messages about unsupported or unknown parts."""

from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.client import NONE
from inspector.protocol.frames import Direction
from tests.tui.scripted import LARGE, Script, answering, app_of, screen_text, settled

ASK: JsonObject = {"name": "ask", "inputSchema": {"type": "object"}}
ASKED: Json = {
    "resultType": "input_required",
    "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "Who are you?"}}},
}


async def test_an_unfinished_call_shows_the_input_requests_of_the_server() -> None:
    app = app_of(Script(tools=[ASK], answers={"ask": answering(ASKED)}))
    async with app.run_test(size=LARGE) as pilot:
        text = await settled(pilot, app, "No arguments")
        assert "no client capabilities" not in text
        assert "as full" not in text
        await pilot.press("enter", "enter")
        text = await settled(pilot, app, "#1 unfinished")
        assert "done" not in text
        assert "1 withheld: 1 of an unfinished call" in text
        assert "unfinished, so the model gets nothing; who: elicitation/create: Who are you?" in text


async def test_the_screen_shows_that_the_client_announces_nothing() -> None:
    app = app_of(Script(tools=[ASK], client=NONE))
    async with app.run_test(size=LARGE) as pilot:
        text = await settled(pilot, app, "Tools 1  no client capabilities")
        assert "ready  --as none" in text


async def test_one_key_lists_again_and_an_open_subscription_is_not_pending() -> None:
    told = Script(tools=[ASK])
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "Tools 1")
        told.tools = [ASK, {**ASK, "name": "later"}]
        await pilot.press("L")
        await settled(pilot, app, "Tools 2")
        sent: JsonObject = {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": {}}
        told.opened[0].frame(Direction.SENT, dump(sent))
        await settled(pilot, app, "listening")
        assert "waiting" not in screen_text(app)
