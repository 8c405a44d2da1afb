"""All features of server-everything, in one session with the profile `full`: its requests are answered, nothing fails."""

import asyncio
from pathlib import Path

import pytest

from inspector.asks.answer import Action, Answer, filled, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.members import object_at, value_at
from inspector.protocol.catalogue import Kind
from inspector.protocol.client import FULL, Announcement, Root
from inspector.protocol.outcome import Result
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.events import Event, ResourceUpdated
from inspector.session.live import Session
from inspector.session.options import Options
from tests.connect.real_servers import EVERYTHING

DOCUMENT = "demo://resource/static/document/features.md"
# Each tool with its arguments, and a text in its result; the first one makes the server send updates, every five seconds.
CALLS: dict[str, tuple[JsonObject, str]] = {
    "toggle-subscriber-updates": ({}, "Started simulated resource updated notifications"),
    "toggle-simulated-logging": ({}, "Started simulated, random-leveled logging"),
    "echo": ({"message": "said"}, "Echo: said"),
    "get-annotated-message": ({"messageType": "error", "includeImage": True}, "audience"),
    "get-env": ({}, "PATH"),
    "get-resource-links": ({"count": 2}, "resource_link"),
    "get-resource-reference": ({"resourceType": "Blob", "resourceId": 2}, "blob"),
    "get-structured-content": ({"location": "Chicago"}, "humidity"),
    "get-sum": ({"a": 2, "b": 3}, "is 5"),
    "get-tiny-image": ({}, "image/png"),
    "gzip-file-as-resource": ({"name": "a.gz", "data": "data:text/plain,abc"}, "a.gz"),
    "trigger-long-running-operation": ({"duration": 0.2, "steps": 2}, "completed"),
    "get-roots-list": ({}, "file:///work"),
    "trigger-elicitation-request": ({}, "User provided the requested information"),
    "trigger-url-elicitation": ({"url": "https://example.com/a"}, "accept"),
    "trigger-sampling-request": ({"prompt": "p"}, "a rhyme"),
    "simulate-research-query": ({"topic": "bees", "ambiguous": True}, "**Clarification**"),
    "trigger-sampling-request-async": ({"prompt": "p"}, "a rhyme"),
    "trigger-elicitation-request-async": ({}, "User provided the requested information"),
}
PROMPTS: dict[str, JsonObject] = {
    "simple-prompt": {},
    "args-prompt": {"city": "Berlin"},
    "completable-prompt": {"department": "Sales", "name": "David"},
    "resource-prompt": {"resourceType": "Text", "resourceId": "1"},
}


@pytest.mark.timeout(60)
@pytest.mark.skipif(not Path(EVERYTHING.command[1]).exists(), reason="server-everything is not installed")
async def test_all_features_of_server_everything_work_in_one_session() -> None:
    asked: list[AskKind] = []
    updated = asyncio.Event()

    async def respond(ask: Ask) -> Answer:
        asked.append(ask.kind)
        if ask.kind is AskKind.SAMPLING:
            return Answer(action=Action.ACCEPT, content="a rhyme")
        is_person = "name" in object_at(ask.schema, "properties")
        return filled(ask, {"name": "Ada"}) if is_person else with_defaults(ask)

    def hear(event: Event) -> None:
        if isinstance(event, ResourceUpdated) and event.uri == DOCUMENT:
            updated.set()

    async def said(name: str, arguments: JsonObject) -> str:
        record = await session.call(name, arguments)
        assert isinstance(record.outcome, Result), (name, record.outcome)
        assert value_at(record.outcome.value, "isError") is not True, (name, record.outcome)
        return dump_text(record.outcome.value)

    root = Root(uri="file:///work", name="work")
    session = Session(
        EVERYTHING.target,
        Options(client=Announcement(profile=FULL, log_level="debug"), roots=(root,), responder=respond),
        hear,
    )
    try:
        await session.connect()
        catalogue = await session.list_all()
        assert {tool.name for tool in catalogue.tools} == set(CALLS)
        assert not await session.subscribe(DOCUMENT)
        for name, (arguments, wanted) in CALLS.items():
            assert wanted in await said(name, arguments), name
        assert {AskKind.FORM, AskKind.URL, AskKind.SAMPLING, AskKind.ROOTS} <= set(asked)

        resources, templates = catalogue.items(Kind.RESOURCE), catalogue.items(Kind.TEMPLATE)
        assert (len(resources), len(templates)) == (7, 2)
        for item, arguments in (
            *((each, JsonObject()) for each in resources),
            *((each, JsonObject(resourceId="1")) for each in templates),
        ):
            assert "contents" in await said(item.handle, arguments)
        prompts = catalogue.items(Kind.PROMPT)
        assert {each.name for each in prompts} == set(PROMPTS)
        for item in prompts:
            assert "messages" in await said(item.handle, PROMPTS[item.name])
        (completed,) = (each for each in prompts if each.name == "completable-prompt")
        assert await session.complete(completed, "department", "S", {}) == ("Sales", "Support")
        assert "David" in await session.complete(completed, "name", "", {"department": "Sales"})
        assert await session.complete(templates[0], "resourceId", "1", {}) == ("1",)

        levels: list[Json] = ["error", "debug"]
        for level in levels:
            assert isinstance(await session.request("logging/setLevel", {"level": level}), Result)
        await asyncio.wait_for(updated.wait(), 15)
        assert not await session.unsubscribe(DOCUMENT)
    finally:
        await session.close()
    entries = [entry for entry in session.timeline.entries if entry.kind is EntryKind.EXCHANGE]
    failed = [entry.title for entry in entries if entry.state not in {EntryState.DONE, EntryState.PENDING}]
    # This server is of the handshake era, which is detected.
    assert failed == ["server/discover"]
