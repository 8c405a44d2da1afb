"""Resources, templates and prompts in the interface: opened, filled in, read with the call key, shown in both panes."""

import re

import pytest

from inspector.json.exact import Json, JsonObject
from inspector.session.events import ResourceUpdated
from inspector.tui.catalogue.pane import CatalogueLines
from tests.tui.scripted import (
    LARGE,
    SMALL,
    Script,
    answering,
    app_of,
    screen_lines,
    screen_text,
    settled,
    until,
)

FIND: JsonObject = {"name": "find", "inputSchema": {"type": "object"}}
LINKED: Json = {"content": [{"type": "resource_link", "uri": "note://far", "name": "far"}]}
DISCUSS: JsonObject = {
    "name": "discuss",
    "description": "Asks about a book.",
    "arguments": [{"name": "title", "required": True, "description": "Of the book"}, {"name": "tone"}],
}
SECRET = "4711-for-people"
ASKED: Json = {"messages": [{"role": "user", "content": {"type": "text", "text": "What is Dune?"}}]}


def note(text: str, **members: Json) -> Json:
    return {"contents": [{"uri": "note://a", "text": text, **members}]}


def script() -> Script:
    return Script(
        tools=[FIND],
        resources=[
            {"uri": "note://a", "name": "a", "mimeType": "text/plain", "annotations": {"audience": ["user"]}}
        ],
        templates=[{"uriTemplate": "shelf://{genre}/{title}", "name": "book"}],
        prompts=[DISCUSS],
        answers={
            "find": answering(LINKED),
            "resources/read note://a": answering(note(SECRET)),
            "resources/read note://far": answering(note("far away")),
            "resources/templates shelf://{genre}/{title}": answering(note("Dune is fiction.")),
            "prompts/get discuss": answering(ASKED),
        },
    )


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_resource_is_read_with_the_call_key(size: tuple[int, int]) -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "discuss")
        await pilot.press("j")
        text = await settled(pilot, app, "Enter reads the resource.")
        assert "text/plain" in text
        assert "has not been read yet" in text
        assert "Enter read  " in screen_lines(app)[-1]
        await pilot.press("enter")
        text = await settled(pilot, app, "for the user only")
        assert told.calls == [("resources/read note://a", {})]
        assert "contents[0]" in text
        assert text.count(SECRET) == 1
        assert "#1 resources/read note://a" in text


async def test_a_template_and_a_prompt_have_separate_forms() -> None:
    told = script()
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "discuss")
        await pilot.press("j", "j")
        text = await settled(pilot, app, "genre*")
        assert "title*" in text
        await pilot.press("enter", "f", "i", "tab", "D", "enter")
        text = await settled(pilot, app, "Dune is fiction.")
        assert "resources/read shelf://fi/D" in text
        await pilot.press("1")
        await pilot.press("escape", "j")
        text = await settled(pilot, app, "has no result yet")
        assert "Asks about a book." in text
        await pilot.press("enter")
        text = await settled(pilot, app, "Enter get")
        assert " Get " in text
        await pilot.press("enter")
        await settled(pilot, app, "is required")
        await pilot.press("D", "enter")
        assert 'prompts/get discuss(title="D")' in await settled(pilot, app, "What is Dune?")
        assert "r get again" in await settled(pilot, app, "r get again  ")
        assert told.calls == [
            ("resources/templates shelf://{genre}/{title}", {"genre": "fi", "title": "D"}),
            ("prompts/get discuss", {"title": "D"}),
        ]


async def test_a_prompt_without_arguments_is_fetched_by_one_key_and_a_malformed_one_opens_its_form() -> None:
    told = script()
    told.prompts = [{"name": "discuss"}, {"name": "odd", "arguments": [7]}]
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "discuss")
        await pilot.press("j", "j", "j", "j")
        await settled(pilot, app, "odd has no result yet")
        assert "Enter open" in screen_lines(app)[-1]
        await pilot.press("enter")
        await settled(pilot, app, "Enter get")
        await pilot.press("escape", "k", "enter")
        await settled(pilot, app, "What is Dune?")
        assert told.calls == [("prompts/get discuss", {})]


async def test_a_link_in_a_result_is_followed_with_enter_or_a_key() -> None:
    app = app_of(script())
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments. Enter")
        await pilot.press("enter", "enter")
        await settled(pilot, app, "resource_link")
        await pilot.press("enter")
        text = await settled(pilot, app, "far away")
        assert "note://far is not listed" in text
        assert "#2 resources/read note://far" in text
        app.screen.query_one(CatalogueLines).focus()
        await pilot.press("enter")
        await settled(pilot, app, "resource_link")
        await pilot.press("i")
        await settled(pilot, app, "#3 resources/read note://far")


async def test_following_a_link_to_a_filtered_resource_clears_the_filter() -> None:
    told = script()
    told.resources = [{"uri": "note://far", "name": "distant"}]
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "distant")
        await pilot.press("slash", *"find", "enter")
        assert "distant" not in await settled(pilot, app, "Tools 1")
        await pilot.press("enter")
        await settled(pilot, app, "Enter call")
        await pilot.press("enter")
        await settled(pilot, app, "resource_link")
        await pilot.press("enter")
        text = await settled(pilot, app, "far away")
        assert "is not listed" not in text
        assert "▹ distant" in text


async def test_completions_are_offered_while_typing_with_the_other_arguments() -> None:
    told = script()
    asked: list[tuple[str, JsonObject]] = []

    def titles(value: str, filled: JsonObject) -> tuple[str, ...]:
        asked.append((value, filled))
        return ("Dune", "D\x1b[2J") if filled.get("genre") == "fiction" else ()

    told.offers = {
        "genre": lambda value, _: ("fiction", "science") if not value else ("fiction",),
        "title": titles,
    }
    app = app_of(told)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "discuss")
        await pilot.press("j", "j")
        await settled(pilot, app, "genre*")
        await pilot.press("enter")
        text = await settled(pilot, app, "values: fiction, science")
        assert "takes" not in text, "in an empty field there is nothing to take"
        await pilot.press("f")
        await until(pilot, app, lambda text: re.search(r"genre\* +fiction", text) is not None)
        await settled(pilot, app, "→ takes fiction")
        await pilot.press("right")
        await until(pilot, app, lambda text: "takes" not in text)
        await pilot.press("tab", "D")
        text = await settled(pilot, app, "→ takes Dune  other values: D␛[2J")
        assert "\x1b" not in text
        await pilot.press("right", "enter")
        await settled(pilot, app, "Dune is fiction.")
        assert told.calls[-1][1] == {"genre": "fiction", "title": "Dune"}
        assert ("D", {"genre": "fiction"}) in asked
        assert "is not a tool" not in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
async def test_a_key_subscribes_to_a_resource_and_the_screen_says_since_when_it_is_outdated(
    size: tuple[int, int],
) -> None:
    told = script()
    told.capabilities = {"resources": {"subscribe": True}}
    app = app_of(told)
    async with app.run_test(size=size, notifications=True) as pilot:
        text = await settled(pilot, app, "discuss")
        assert "U subscribe" not in text
        await pilot.press("j")
        await settled(pilot, app, "U subscribe")
        await pilot.press("enter")
        text = await settled(pilot, app, SECRET)
        assert not told.opened[0].subscriptions.states
        await pilot.press("U")
        await settled(pilot, app, "note://a  subscribed  U unsubscribes")
        if size is LARGE:
            # The row of the resource is marked.
            assert text.count("subscribed") < (await settled(pilot, app)).count("subscribed") - 1
        told.opened[0].tell(ResourceUpdated(uri="note://a"))
        text = await settled(pilot, app, "updated 0 s ago  r reads again  U unsubscribes")
        assert "note://a has changed." in text
        await pilot.press("r")
        await settled(pilot, app, "note://a  subscribed  U unsubscribes")
        # A new connection has the same subscriptions.
        await pilot.press("R")
        await settled(pilot, app, "subscribed  U unsubscribes")
        assert len(told.opened) == 2
        app.clear_notifications()
        await pilot.press("U")
        text = await settled(pilot, app, "U subscribe ")
        assert "unsubscribes" not in text
        assert [request for each in told.opened for request in each.requests] == [
            ("resources/subscribe", "note://a"),
            ("resources/subscribe", "note://a"),
            ("resources/unsubscribe", "note://a"),
        ]
        told.refusal = "not\x1b[2J now"
        await pilot.press("U")
        text = await settled(pilot, app, "refused the subscription")
        assert "\x1b" not in text
        assert "unsubscribes" not in text
