"""The client that the official conformance suite drives: one session of the product against the suite's server.

The suite starts `relay.py` as the client. The session runs in this process, because another would import all of
Sightline for each scenario. The user's browser is the only part that is not the product's: it follows the redirect at once.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from inspector.asks.answer import Action, Answer, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.boundary.bounded import Level
from inspector.connect.http_tap import HttpTap
from inspector.errors import InspectorError
from inspector.protocol.authorization import AuthorizationAsk, Authorizing, ClientIdentity
from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.protocol.skills import manifest_of
from inspector.protocol.targets import Era, HttpTarget
from inspector.schema.fields import example_arguments, form_of
from inspector.session.live import Session
from inspector.session.options import Options

TIME_LIMIT_S = 60.0
"""The seconds in which a connection must succeed while all scenarios of the suite run at once on a busy machine."""

RETRIED = "sse-retry"
"""The scenario in which the suite takes any event stream that is opened after the call for the retry of the call."""
_streaming: set[str] = set()
"""The URLs of servers whose own event stream is open."""

METADATA_URL = "https://conformance-test.local/client-metadata.json"
"""The client metadata document that the suite knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the suite asks of its client."""

    url: str
    scenario: str
    revision: str
    context: dict[str, Any]
    notes: list[str] = field(default_factory=list[str])
    """What the client did, for the report of a scenario that failed."""


async def accept(ask: Ask) -> Answer:
    """Accept everything: forms with their defaults, sampling with a fixed text."""
    if ask.kind is AskKind.SAMPLING:
        return Answer(action=Action.ACCEPT, content="hello")
    return with_defaults(ask)


async def browse(ask: AuthorizationAsk) -> bool:
    """Act as the user and the browser: agree, open the page, and follow its redirect."""
    async with httpx2.AsyncClient(timeout=TIME_LIMIT_S) as browser:
        page = await browser.get(ask.url)
        await browser.get(page.headers["location"])
    return True


def identity_of(given: Given) -> ClientIdentity:
    """The client that the suite has registered, or else one that registers itself."""
    context = given.context
    if "client_id" not in context:
        return ClientIdentity(metadata_url=METADATA_URL)
    return ClientIdentity(
        client_id=context["client_id"],
        client_secret=context.get("client_secret"),
        signing_key=context.get("private_key_pem"),
        is_machine=given.scenario.startswith("auth/client-credentials"),
    )


async def use(session: Session, given: Given) -> None:
    """List everything and use each item, or make the calls that the suite names."""
    note = given.notes.append
    catalogue = await session.list_all()
    if calls := given.context.get("toolCalls"):
        for call in calls:
            record = await session.call(call["name"], call.get("arguments", {}))
            note(f"{call['name']}: {record.outcome}")
        return
    for tool in catalogue.tools:
        arguments = example_arguments(form_of(tool.input_schema))
        if given.scenario == "json-schema-2020-12-preservation":
            # The scenario has one other tool, whose schema must be sent back as it was listed.
            arguments["schema"] = next(
                each.input_schema for each in catalogue.tools if each.name != tool.name
            )
        note(f"{tool.name}: {(await session.call(tool.name, arguments)).outcome}")
    if given.scenario != "sep-2640-client-no-prefetch":
        for skill in catalogue.items(Kind.SKILL):
            await load(session, skill, note)
    for kind in (Kind.RESOURCE, Kind.PROMPT):
        for item in catalogue.entries.get(kind, ()):
            if isinstance(item, Item):
                note(f"{item.handle}: {(await session.call(item.handle, {})).outcome}")


async def load(session: Session, skill: Item, note: Callable[[str], None]) -> None:
    """Read a skill, and also its other files unless the boundary withholds it, as a model that follows it would."""
    for uri in (skill.name, *(each for each in manifest_of(skill.definition).files if each != skill.name)):
        record = await session.call(unlisted(Kind.RESOURCE, uri).handle, {})
        withheld = [each.detail for each in record.judgement.bounded(Level.OPEN).removals]
        note(f"{uri}: {withheld or record.outcome}")
        if withheld:
            return


async def run(given: Given) -> None:
    """Connect and use everything. The suite judges the requests."""
    era = Era.MODERN if given.revision >= "2026" else Era.LEGACY
    authorizing = Authorizing(client=identity_of(given), authorizer=browse)
    session = Session(
        HttpTarget(url=given.url),
        Options(era=era, responder=accept, timeout_s=60.0, authorizing=authorizing),
    )
    try:
        await session.connect()
        if given.scenario == RETRIED:
            async with asyncio.timeout(TIME_LIMIT_S):
                while given.url.rstrip("/") not in _streaming:
                    await asyncio.sleep(0.01)
        await use(session, given)
    finally:
        await session.close()
        given.notes.extend(
            f"{entry.at_s:.2f} {entry.state} {entry.title}: {entry.detail}"
            for entry in session.timeline.entries
        )


def noting_streams(
    handle: Callable[[HttpTap, httpx2.Request], Awaitable[httpx2.Response]],
) -> Callable[[HttpTap, httpx2.Request], Awaitable[httpx2.Response]]:
    """`handle`, which also notes the server of each answered GET."""

    async def noted(tap: HttpTap, request: httpx2.Request) -> httpx2.Response:
        response = await handle(tap, request)
        if request.method == "GET":
            _streaming.add(str(request.url).rstrip("/"))
        return response

    return noted


async def _relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Run what one relay was asked for, and answer with its exit code and stderr."""
    given = Given(**json.loads(await reader.readline()))
    code = 0
    try:
        await run(given)
    except InspectorError as error:
        code = 1
        given.notes.append(f"{error.message}\n{error.hint}")
    writer.write(json.dumps([code, "".join(f"{note}\n" for note in given.notes)]).encode())
    await writer.drain()
    writer.close()


@contextmanager
def served(path: Path) -> Generator[None]:
    """Run sessions for relays at this socket, in a thread."""
    loop = asyncio.new_event_loop()
    serving = loop.run_until_complete(asyncio.start_unix_server(_relayed, path))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(serving.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()
