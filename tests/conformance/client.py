"""The client that the official conformance suite drives: one session of the product against the suite's server.

Usage: python -m tests.conformance.client URL, with the scenario, its context and the revision in the environment, as the
suite sets them. The user's browser is the only part that is not the product's: it follows the redirect at once.
"""

import asyncio
import json
import os
import sys
from typing import Any

import httpx2

from inspector.asks.answer import Action, Answer, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.boundary.bounded import Level
from inspector.errors import InspectorError
from inspector.protocol.authorization import AuthorizationAsk, Authorizing, ClientIdentity
from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.protocol.skills import manifest_of
from inspector.protocol.targets import Era, HttpTarget
from inspector.schema.fields import example_arguments, form_of
from inspector.session.live import Session
from inspector.session.options import Options

REVISION = "MCP_CONFORMANCE_PROTOCOL_VERSION"
SCENARIO = "MCP_CONFORMANCE_SCENARIO"
CONTEXT = "MCP_CONFORMANCE_CONTEXT"
METADATA_URL = "https://conformance-test.local/client-metadata.json"
"""The client metadata document that the suite knows."""


async def accept(ask: Ask) -> Answer:
    """Accept everything: forms with their defaults, sampling with a fixed text."""
    if ask.kind is AskKind.SAMPLING:
        return Answer(action=Action.ACCEPT, content="hello")
    return with_defaults(ask)


async def browse(ask: AuthorizationAsk) -> bool:
    """Act as the user and the browser: agree, open the page, and follow its redirect."""
    async with httpx2.AsyncClient() as browser:
        page = await browser.get(ask.url)
        await browser.get(page.headers["location"])
    return True


def identity_of(context: dict[str, Any]) -> ClientIdentity:
    """The client that the suite has registered, or else one that registers itself."""
    if "client_id" not in context:
        return ClientIdentity(metadata_url=METADATA_URL)
    return ClientIdentity(
        client_id=context["client_id"],
        client_secret=context.get("client_secret"),
        signing_key=context.get("private_key_pem"),
        is_machine=os.environ.get(SCENARIO, "").startswith("auth/client-credentials"),
    )


async def use(session: Session, calls: list[dict[str, Any]]) -> None:
    """List everything and use each item, or make the calls that the suite names."""
    catalogue = await session.list_all()
    if calls:
        for call in calls:
            record = await session.call(call["name"], call.get("arguments", {}))
            sys.stderr.write(f"{call['name']}: {record.outcome}\n")
        return
    for tool in catalogue.tools:
        arguments = example_arguments(form_of(tool.input_schema))
        if os.environ.get(SCENARIO) == "json-schema-2020-12-preservation":
            # The scenario has one other tool, whose schema must be sent back as it was listed.
            arguments["schema"] = next(
                each.input_schema for each in catalogue.tools if each.name != tool.name
            )
        sys.stderr.write(f"{tool.name}: {(await session.call(tool.name, arguments)).outcome}\n")
    if os.environ.get(SCENARIO) != "sep-2640-client-no-prefetch":
        for skill in catalogue.items(Kind.SKILL):
            await load(session, skill)
    for kind in (Kind.RESOURCE, Kind.PROMPT):
        for item in catalogue.entries.get(kind, ()):
            if isinstance(item, Item):
                sys.stderr.write(f"{item.handle}: {(await session.call(item.handle, {})).outcome}\n")


async def load(session: Session, skill: Item) -> None:
    """Read a skill, and also its other files unless the boundary withholds it, as a model that follows it would."""
    for uri in (skill.name, *(each for each in manifest_of(skill.definition).files if each != skill.name)):
        record = await session.call(unlisted(Kind.RESOURCE, uri).handle, {})
        withheld = [each.detail for each in record.judgement.bounded(Level.OPEN).removals]
        sys.stderr.write(f"{uri}: {withheld or record.outcome}\n")
        if withheld:
            return


async def run(url: str, revision: str, context: dict[str, Any]) -> None:
    """Connect and use everything. The suite judges the requests."""
    era = Era.MODERN if revision >= "2026" else Era.LEGACY
    authorizing = Authorizing(client=identity_of(context), authorizer=browse)
    session = Session(
        HttpTarget(url=url), Options(era=era, responder=accept, timeout_s=20.0, authorizing=authorizing)
    )
    try:
        await session.connect()
        await use(session, context.get("toolCalls", []))
    finally:
        await session.close()
        for entry in session.timeline.entries:
            sys.stderr.write(f"{entry.at_s:.2f} {entry.state} {entry.title}: {entry.detail}\n")


if __name__ == "__main__":
    try:
        asyncio.run(
            run(sys.argv[-1], os.environ.get(REVISION, ""), json.loads(os.environ.get(CONTEXT) or "{}"))
        )
    except InspectorError as error:
        sys.exit(f"{error.message}\n{error.hint}")
