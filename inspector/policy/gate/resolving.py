"""Asking a server what one call would do, once for exactly the same arguments."""

import asyncio
import hashlib
from collections import OrderedDict
from weakref import WeakKeyDictionary

from inspector.claims.resolution import Resolution, ResolutionState, is_resolvable, resolution_of
from inspector.json.exact import JsonObject, dump
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import PageTarget
from inspector.session.live import Session

TIMEOUT_S = 5.0
"""For the answer: a call should not have to wait longer for what is only a claim."""
_KEPT = 64
"""Answers of one connection."""


class Resolver:
    """Asks, and keeps what was answered while the connection lasts."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Session, OrderedDict[bytes, Resolution]] = WeakKeyDictionary()

    async def resolution(self, session: Session, tool: Tool, arguments: JsonObject) -> Resolution | None:
        """What the server says of this call; None where the tool does not say that it can be asked.

        Raises UnreachableError where there is no connection.
        """
        if isinstance(session.target, PageTarget):
            return None
        key = await asyncio.to_thread(_key, tool, arguments)
        if key is None:
            return None
        kept = self._kept.setdefault(session, OrderedDict())
        if key not in kept:
            timeout_s = min(TIMEOUT_S, session.options.timeout_s)
            outcome = await session.resolve(tool, arguments, timeout_s=timeout_s)
            found = await asyncio.to_thread(resolution_of, tool, outcome)
            if found.findings:
                session.note(f"resolution of {tool.name}", " ".join(found.findings), kind="resolution")
            if found.state is ResolutionState.UNANSWERED:
                # It may be answered the next time.
                return found
            kept[key] = found
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        kept.move_to_end(key)
        return kept[key]


def _key(tool: Tool, arguments: JsonObject) -> bytes | None:
    """Of a call: the definition and the arguments, down to the order of their keys. None where it cannot be resolved."""
    if not is_resolvable(tool):
        return None
    return hashlib.sha256(dump([tool.definition, arguments])).digest()
