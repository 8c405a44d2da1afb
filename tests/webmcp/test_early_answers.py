"""Answers of a page that arrive before the browser returns the id of their invocation."""

import asyncio

from inspector.connect.tap import Tap
from inspector.json.exact import JsonObject
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.outcome import Result
from inspector.webmcp.browser.calls import Calls


class SlowBackend:
    """Returns the ids of invocations only when the test asks for it."""

    fills_at_once = False

    def __init__(self) -> None:
        self.returns = asyncio.Event()

    async def invoke(
        self, frame_id: str, session: str, tool: JsonObject, arguments: JsonObject, *, timeout_s: float
    ) -> str:
        _ = frame_id, session, arguments, timeout_s
        await self.returns.wait()
        return f"of {tool['toolName']}"

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None: ...


async def test_a_call_knows_whether_its_page_was_left_although_its_id_was_late() -> None:
    tap = Tap(lambda _: None)
    backend = SlowBackend()
    calls = Calls(backend, tap)
    running = [
        asyncio.ensure_future(calls.call(name, None, name, {}, session="s", timeout_s=5))
        for name in ("left", "stays")
    ]
    await asyncio.sleep(0)
    calls.gone(["left"])
    answers: list[JsonObject] = [
        {"invocationId": f"of {name}", "status": "Completed", "output": []} for name in ("left", "stays")
    ]
    for params in answers:
        calls.responded(params, (await tap.take(Direction.RECEIVED, Channel.CDP, b"{}")).frame)
    # The page of the second call is left after its answer.
    calls.gone(["stays"])
    backend.returns.set()
    outcomes = [answer.outcome for answer in await asyncio.gather(*running)]
    assert [outcome.left_page for outcome in outcomes if isinstance(outcome, Result)] == [True, False]
