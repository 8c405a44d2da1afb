"""The raw result as it may be shown: withheld sensitive parts are masked, everything else stands as sent."""

import re
from collections.abc import Iterable

from inspector.core.boundary.bounded import Removal, Rule
from inspector.core.json_text import Json, JsonObject

MASK = "••••••••"
"""Of one length, whatever it stands for."""

SHOWN: frozenset[str] = frozenset(
    {Rule.AUDIENCE, Rule.ERROR, Rule.META, Rule.NO_CONTRACT, Rule.UNDECLARED, Rule.UNKNOWN_CONTENT}
)
"""Rules that keep from a model what the user may well see. Every other rule is about secrets, or may be."""


def mask(result: Json, removals: Iterable[Removal]) -> Json:
    """`result` with the sensitive ones among `removals` masked. Shares what it does not change; never raises.

    `removals`: those of `declared`, whatever boundary is in force. `open` has none, and `closed` withholds as free text
    what `declared` knows to be secret.
    """
    copy = _Copy(result)
    for removal in removals:
        if removal.rule not in SHOWN:
            copy.mask(removal.pointer)
    return copy.value


class _Copy:
    """A value of which only the containers on the way to a mask are copied."""

    def __init__(self, value: Json) -> None:
        self._top: list[Json] = [value]
        # By identity. They are held here, so that no other container can take the place of one.
        self._owned: dict[int, list[Json] | JsonObject] = {}

    @property
    def value(self) -> Json:
        return self._top[0]

    def mask(self, pointer: str) -> None:
        """Mask the value at `pointer`; where that leads nowhere, the last container on the way."""
        holder: list[Json] | JsonObject = self._top
        at = "0"
        for escaped in pointer.split("/")[1:]:
            inner = self._own(holder, at)
            key = escaped.replace("~1", "/").replace("~0", "~")
            if inner is None or not _has(inner, key):
                break
            holder, at = inner, key
        _put(holder, at, MASK)

    def _own(self, holder: list[Json] | JsonObject, token: str) -> list[Json] | JsonObject | None:
        """The container under `token`, as a copy that may be changed; None where there is none."""
        found = holder[token] if isinstance(holder, dict) else holder[int(token)]
        if not isinstance(found, (dict, list)):
            return None
        if id(found) in self._owned:
            return found
        copied = found.copy()
        self._owned[id(copied)] = copied
        _put(holder, token, copied)
        return copied


def _has(holder: list[Json] | JsonObject, token: str) -> bool:
    if isinstance(holder, dict):
        return token in holder
    return bool(_INDEX.fullmatch(token)) and int(token) < len(holder)


def _put(holder: list[Json] | JsonObject, token: str, value: Json) -> None:
    if isinstance(holder, dict):
        holder[token] = value
    else:
        holder[int(token)] = value


_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
