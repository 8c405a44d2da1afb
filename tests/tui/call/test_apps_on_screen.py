"""MCP Apps in the interface: a tool's interface is read by a key, and both are distinguished from the model's part."""

from inspector.json.exact import Json, JsonObject
from tests.tui.scripted import LARGE, Script, answering, app_of, settled

URI = "ui://weather/panel"
TOOL: JsonObject = {
    "name": "weather",
    "inputSchema": {"type": "object"},
    "_meta": {"ui": {"resourceUri": URI, "visibility": ["app"]}},
}
RESULT: Json = {"content": [], "structuredContent": {"t": 22}}
PANEL: Json = {"contents": [{"uri": URI, "mimeType": "text/html;profile=mcp-app", "text": "<html>"}]}


async def test_the_interface_of_a_tool_is_read_by_a_key() -> None:
    told = Script(
        tools=[TOOL], answers={"weather": answering(RESULT), f"resources/read {URI}": answering(PANEL)}
    )
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, f"Its interface is {URI}")
        await pilot.press("enter", "enter")
        text = await settled(pilot, app, "MCP App: only the interface gets")
        assert "In a host with MCP Apps" in text
        await pilot.press("i")
        await settled(pilot, app, "It asks for no origin")
        assert told.calls[-1] == (f"resources/read {URI}", {})
