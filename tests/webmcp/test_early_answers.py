"""Answers of a page that arrive before the browser returns the id of their invocation."""

import asyncio
from collections.abc import Callable

from inspector.connect.tap import Tap
from inspector.json.exact import JsonObject
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.outcome import Result
from inspector.webmcp.browser.calls import Calls


class SlowBackend:
    """Sends requests at once. Returns the ids of invocations only when the test asks for it."""

    fills_at_once = False

    def __init__(self, tap: Tap) -> None:
        self.returns = asyncio.Event()
        self.sent: dict[str, Frame] = {}
        self._tap = tap

    async def invoke(
        self,
        frame_id: str,
        session: str,
        tool: JsonObject,
        arguments: JsonObject,
        *,
        timeout_s: float,
        on_sent: Callable[[Frame], None],
    ) -> str:
        _ = session, arguments, timeout_s
        self.sent[frame_id] = (await self._tap.take(Direction.SENT, Channel.CDP, b"{}")).frame
        on_sent(self.sent[frame_id])
        await self.returns.wait()
        return f"of {tool['toolName']}"

    async def cancel(self, frame_id: str, session: str, invocation: str) -> None: ...


async def test_a_call_knows_whether_its_page_was_left_although_its_id_was_late() -> None:
    tap = Tap(lambda _: None)
    backend = SlowBackend(tap)
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
    answered = await asyncio.gather(*running)
    assert [answer.asked_s for answer in answered] == [frame.at_s for frame in backend.sent.values()]
    outcomes = [answer.outcome for answer in answered]
    assert [outcome.left_page for outcome in outcomes if isinstance(outcome, Result)] == [True, False]
