"""Sends a request in several rounds: fulfils what an unfinished answer asks for, and sends the request again.

Each round has a new id and repeats `requestState` as the server sent it; no other request contains it.
Source: MCP 2026-07-28, `InputRequiredResult`.
"""

import asyncio
from typing import TYPE_CHECKING

from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import INPUT_REQUIRED, Failure, FailureKind, Result, kind_of
from inspector.session.asking import Asker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from inspector.connect.dispatch import FramedAnswer

MAX_ROUNDS = 10
_PAUSES_S = (0.05, 0.1, 0.2, 0.25)
"""The pauses before rounds in which the server asks for nothing except a retry. The last one repeats."""


async def answered_in_rounds(
    send: "Callable[[JsonObject], Awaitable[FramedAnswer]]", params: JsonObject, asker: Asker
) -> "FramedAnswer":
    """Send a request until its answer is final. An answer that cannot be fulfilled is returned as it is.

    After `MAX_ROUNDS` further rounds, the outcome is a Failure.
    """
    answer = await send(params)
    idle = 0
    for _ in range(MAX_ROUNDS):
        asked = _asked_in(answer)
        if asked is None:
            return answer
        again: JsonObject = {}
        if asked.get("inputRequests"):
            responses = await asker.fulfil(asked["inputRequests"])
            if responses is None:
                return answer
            again["inputResponses"] = responses
        else:
            await asyncio.sleep(_PAUSES_S[min(idle, len(_PAUSES_S) - 1)])
            idle += 1
        if "requestState" in asked:
            again["requestState"] = asked["requestState"]
        answer = await send({**params, **again})
    return answer if _asked_in(answer) is None else _endless(answer)


def _asked_in(answer: "FramedAnswer") -> JsonObject | None:
    """The result that asks for input; None if the answer is not of that kind."""
    value: Json = answer.outcome.value if isinstance(answer.outcome, Result) else None
    return value if isinstance(value, dict) and kind_of(value) == INPUT_REQUIRED else None


def _endless(answer: "FramedAnswer") -> "FramedAnswer":
    from inspector.connect.dispatch import FramedAnswer  # noqa: PLC0415 - loaded with the connection

    detail = f"the server asked for input {MAX_ROUNDS + 1} times and never answered"
    return FramedAnswer(outcome=Failure(kind=FailureKind.PROTOCOL, detail=detail), frame=answer.frame)
