"""The shared styles are those that Textual computes for each node."""

from typing import TYPE_CHECKING

from textual.widget import Widget

from tests.tui import styling
from tests.tui.scripted import LARGE, Script, answering, app_of, settled

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

TOOL: "JsonObject" = {
    "name": "mint",
    "inputSchema": {"type": "object", "properties": {"owner": {"type": "string"}}},
}


def _parts(node: Widget) -> dict[str, object]:
    """The rules of a widget's component classes, by name."""
    styles = node._component_styles  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return {name: style.base.get_rules() for name, style in styles.items()}


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
                    parts = _parts(node)
                    styling.compute(app.stylesheet, node)
                    assert node.styles.base.get_rules() == shared, node.css_path_nodes
                    computed = _parts(node)
                    assert computed == parts, node.css_path_nodes
                    compared += 1
    assert compared > 300
