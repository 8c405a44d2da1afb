"""Counts the bytes that a value takes as compact JSON, in pieces, and puts sizes into words.

Writing 40 MB at once would block the interpreter, and with it the event loop, for a tenth of a second.
"""

from itertools import islice

from inspector.json.exact import Json, dump

_PIECE = 256
"""The maximum number of members that are written at once. Larger containers are written in pieces."""
_LEVELS = 6
"""The number of outer levels at which containers of at most `_PIECE` members are written in pieces too.

Inside a container of more than `_PIECE` members, they are written at once.
"""
_STRIDE = 1_000_000
"""The number of characters of a text that are written at once."""


def compact_bytes(value: Json) -> int:
    """The length of `dump(value)`."""
    size = 0
    waiting: list[tuple[Json, int]] = [(value, _LEVELS)]
    while waiting:
        item, levels = waiting.pop()
        if isinstance(item, str) and len(item) > _STRIDE:
            size += 2 + sum(
                len(dump(item[start : start + _STRIDE])) - 2 for start in range(0, len(item), _STRIDE)
            )
            continue
        if not isinstance(item, (dict, list)) or not item or (not levels and len(item) <= _PIECE):
            size += len(dump(item))
            continue
        # Both brackets, and a comma between any two members.
        size += 1 + len(item)
        if isinstance(item, dict):
            size += sum(len(dump(key)) + 1 for key in item)
        below = 0 if len(item) > _PIECE else max(levels - 1, 0)
        least = 0 if below else _PIECE
        opened_from: dict[type, int] = {str: _STRIDE, dict: least, list: least}
        members = iter(item.values()) if isinstance(item, dict) else iter(item)
        while piece := list(islice(members, _PIECE)):
            opened = [one for one in piece if type(one) in opened_from and len(one) > opened_from[type(one)]]  # pyright: ignore[reportArgumentType]
            whole = {id(one) for one in opened}
            rest = [one for one in piece if id(one) not in whole] if opened else piece
            waiting.extend((one, below) for one in opened)
            # The brackets and commas of the piece itself have been counted.
            size += len(dump(rest)) - 1 - len(rest) if rest else 0
    return size


def size(size_bytes: int) -> str:
    """A size such as `812 B`, `1.2 kB` or `5.0 MB`. The units are powers of 1000."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    value = size_bytes / 1000
    for unit in ("kB", "MB"):
        if value < 999.5:
            return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
