"""The shared styles are those that Textual computes for each node anew."""

from textual.widget import Widget

from inspector.json.exact import JsonObject
from tests.tui import styling
from tests.tui.scripted import LARGE, Script, answering, app_of, settled

TOOL: JsonObject = {
    "name": "mint",
    "inputSchema": {"type": "object", "properties": {"owner": {"type": "string"}}},
}


async def test_shared_styles_are_those_that_textual_computes() -> None:
    compared = 0
    for size in (LARGE, LARGE):
        app = app_of(Script(tools=[TOOL, TOOL], answers={"mint": answering({"content": []})}))
        async with app.run_test(size=size) as pilot:
            await settled(pilot, app, "owner")
            for key in ("enter", "2", "f", "escape", "question_mark"):
                await pilot.press(key)
                await settled(pilot, app)
                for node in app.screen.walk_children(Widget, with_self=True):
                    styling.apply(app.stylesheet, node)
                    shared = dict(node.styles.base.get_rules())
                    parts = {name: style.base.get_rules() for name, style in node._component_styles.items()}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
                    styling.compute(app.stylesheet, node)
                    assert node.styles.base.get_rules() == shared, node.css_path_nodes
                    anew = {name: style.base.get_rules() for name, style in node._component_styles.items()}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
                    assert anew == parts, node.css_path_nodes
                    compared += 1
    assert compared > 300
