"""Keeps one `subscriptions/listen` request open, to be notified of changes.

This is for stateless protocol revisions, which have no session. Source: MCP 2026-07-28, `subscriptions/listen`. A
server answers the request when it ends the subscription. It does not report later what changed while no
request was open, so the lists must be read again after that.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from inspector.json.exact import Json, JsonObject
from inspector.json.members import value_at
from inspector.protocol.exchanges import SUBSCRIBE
from inspector.protocol.outcome import Outcome, RpcError

if TYPE_CHECKING:
    from inspector.connect.connection import Connection

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""The pauses in seconds before the request is sent again.

The first pause follows one subscription that ended soon (see `LASTING_S`), the second follows two in a row,
and so on. After the last pause, a subscription that ends soon is not requested again.
"""
LASTING_S = 10.0
"""The number of seconds below which a subscription counts as ended soon.

Proxies cut idle connections after about 30 s.
"""

_FLAGS = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
_NOT_NOTICED = "changes to lists are not noticed; press L to list again"


def wanted(capabilities: Json, uris: Iterable[str] = ()) -> JsonObject:
    """The subscription to request: the lists whose changes the server announces, and `uris`.

    Empty if there are none.
    """
    found: JsonObject = {
        flag: True for name, flag in _FLAGS.items() if value_at(capabilities, name, "listChanged") is True
    }
    resources: list[Json] = [*uris]
    return {**found, "resourceSubscriptions": resources} if resources else found


async def keep_listening(
    connection: "Connection",
    notifications: JsonObject,
    *,
    reopened: Callable[[], None],
    note: Callable[[str], None],
    pauses_s: tuple[float, ...] = PAUSES_S,
) -> None:
    """Keep one subscription open until this task is cancelled, or the connection is lost.

    Returns early if the server has no `subscriptions/listen`, or ends the subscription too often (see
    `PAUSES_S`).

    `reopened`: called when changes may have been missed. `note`: called with the reason why the subscription
    ended for good.
    """
    soon = 0
    while True:
        began_s = connection.now_s()
        answer = await connection.request(SUBSCRIBE, {"notifications": notifications}, timeout_s=None)
        if connection.lost:
            return
        if isinstance(answer.outcome, RpcError) and answer.outcome.is_method_not_found:
            note(f"the server has no {SUBSCRIBE}: {_NOT_NOTICED}")
            return
        soon = 0 if connection.now_s() - began_s >= LASTING_S else soon + 1
        if soon > len(pauses_s):
            note(f"{_ended(answer.outcome)} {soon} times in a row: {_NOT_NOTICED}")
            return
        await asyncio.sleep(pauses_s[max(soon - 1, 0)])
        reopened()


def _ended(outcome: Outcome) -> str:
    return (
        "the server refused the subscription" if isinstance(outcome, RpcError) else "the subscription ended"
    )
