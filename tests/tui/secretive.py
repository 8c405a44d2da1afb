"""Helpers for the tests of the secrets screen: a tool whose results contain secrets, and a scripted redeemer."""

import asyncio
from dataclasses import dataclass, field

from textual.pilot import Pilot

from inspector.boundary.secret_references import SecretReference
from inspector.json.exact import Json, JsonObject
from inspector.secrets.outcomes import Outcome, Revealed
from inspector.tui.app import SightlineApp
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed, resolve
from tests.secrets.redemption.redeeming import Clock
from tests.tui.scripted import Script, answering, settled, until

BASE = "http://127.0.0.1:8000/mcp"
REDEEMED = "redeemed-Zq81hTfW"
KEPT = "withheld-9uVb3LxD"
QUESTION = "Fetch this secret?"
MASKED_TITLE = "u shows it for 10 s"
SHOWN_TITLE = "masks itself in"

REFERENCE: JsonObject = {
    "type": "secret_reference",
    "id": "s1",
    "label": "API key",
    "redeemUrl": "/secrets/s1?token=qUery",
    "ttl": 300,
}
MINT: JsonObject = {
    "name": "mint",
    "annotations": {"idempotentHint": True},
    "inputSchema": {"type": "object"},
    "outputSchema": {
        "type": "object",
        "properties": {
            "key": {"type": "string", "x-sensitive": True},
            "all": {"type": "object", "x-sensitive": True},
        },
    },
}
MINTED: JsonObject = {"content": [REFERENCE], "structuredContent": {"key": KEPT}}


@dataclass(slots=True)
class ScriptedRedeemer:
    """Gives scripted outcomes, and keeps the requests."""

    outcomes: list[Outcome] = field(default_factory=lambda: [Revealed(value=REDEEMED)])
    """The outcomes; the last one is repeated at the end."""
    asked: list[str] = field(default_factory=list[str])
    """The identifiers of the references that were redeemed."""
    known: list[bool] = field(default_factory=list[bool])
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    base: str | None = BASE

    def __post_init__(self) -> None:
        self.may_answer.set()

    def preview(self, reference: SecretReference) -> Allowed | RefusedUrl:
        """Behaves as the real one."""
        return resolve(reference.redeem_url, self.base)

    async def redeem(
        self, reference: SecretReference, *, received_s: float, revealed_before: bool = False
    ) -> Outcome:
        """The next outcome, once it may answer."""
        del received_s
        self.asked.append(reference.id)
        self.known.append(revealed_before)
        await self.may_answer.wait()
        return self.outcomes[min(len(self.asked), len(self.outcomes)) - 1]


def secretive(
    *outcomes: Outcome, result: Json = MINTED, tool: JsonObject = MINT
) -> tuple[Script, ScriptedRedeemer]:
    """A server with a tool whose results contain secrets, and its redeemer."""
    redeemer = ScriptedRedeemer(list(outcomes)) if outcomes else ScriptedRedeemer()
    name = tool["name"]
    assert isinstance(name, str)
    script = Script(tools=[tool], answers={name: answering(result)}, redeemer=redeemer, clock=Clock())
    return script, redeemer


async def called(pilot: Pilot[None], app: SightlineApp, *, done: str = "#1 done") -> None:
    """Call the tool."""
    await settled(pilot, app, "No arguments")
    await pilot.press("enter", "enter")
    await settled(pilot, app, done)


async def among_secrets(pilot: Pilot[None], app: SightlineApp, shows: str = "API key") -> str:
    """The secrets screen after a call."""
    await called(pilot, app)
    await pilot.press("s")
    return await settled(pilot, app, shows)


async def revealed(pilot: Pilot[None], app: SightlineApp, state: str = "fetched") -> str:
    """The screen after the reference under the cursor was revealed."""
    await pilot.press("v")
    await settled(pilot, app, QUESTION)
    await pilot.press("y")
    return await until(pilot, app, lambda text: f"state       {state}" in text)


async def peeked(pilot: Pilot[None], app: SightlineApp, value: str = REDEEMED) -> str:
    """The screen after a peek."""
    await pilot.press("u")
    return await settled(pilot, app, value)


async def masked(pilot: Pilot[None], app: SightlineApp, value: str = REDEEMED) -> str:
    """The secrets screen once it no longer shows the value."""
    return await until(pilot, app, lambda text: value not in text and SHOWN_TITLE not in text)
