"""The client that the official conformance suite drives: one session of the product against the suite's server.

Usage: python -m tests.conformance.client URL, with the scenario and the revision in the environment, as the suite sets them.
"""

import asyncio
import os
import sys

from inspector.asks.answer import Action, Answer, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.protocol.targets import Era, HttpTarget
from inspector.schema.fields import example_arguments, form_of
from inspector.session.live import Session
from inspector.session.options import Options

REVISION = "MCP_CONFORMANCE_PROTOCOL_VERSION"


async def accept(ask: Ask) -> Answer:
    """Accept everything: forms with their defaults, sampling with a word."""
    if ask.kind is AskKind.SAMPLING:
        return Answer(action=Action.ACCEPT, content="hello")
    return with_defaults(ask)


async def run(url: str, revision: str) -> None:
    """List the tools and call each of them. The suite judges what was sent."""
    era = Era.MODERN if revision >= "2026" else Era.LEGACY
    session = Session(HttpTarget(url=url), Options(era=era, responder=accept, timeout_s=20.0))
    try:
        await session.connect()
        for tool in (await session.list_all()).tools:
            record = await session.call(tool.name, example_arguments(form_of(tool.input_schema)))
            sys.stderr.write(f"{tool.name}: {record.outcome}\n")
    finally:
        await session.close()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[-1], os.environ.get(REVISION, "")))
