"""Writes JSON in pieces, so that no single step blocks the interpreter, and with it the event loop, for long."""

from collections.abc import Iterator

from inspector.json.exact import Json, dump

_STRIDE = 500_000
"""The maximum number of characters of a text that are written at once."""
_EFFORT = 20_000
"""The maximum effort of a value that is written at once.

The effort is the number of values in it, plus a hundredth of the characters in its texts.
"""


def pieces(value: Json) -> Iterator[bytes]:
    """The result of `dump(value)`, in pieces."""
    waiting: list[Json | bytes] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, bytes):
            yield item
        elif isinstance(item, str) and len(item) > _STRIDE:
            yield b'"'
            for start in range(0, len(item), _STRIDE):
                yield dump(item[start : start + _STRIDE])[1:-1]
            yield b'"'
        elif isinstance(item, (dict, list)) and _effort(item) >= _EFFORT:
            parts = list(_members(item) if isinstance(item, dict) else _items(item))
            waiting.extend(reversed(parts))
        else:
            yield dump(item)


def _members(item: dict[str, Json]) -> Iterator[Json | bytes]:
    between = b"{"
    run: dict[str, Json] = {}
    spent = 0
    for key, value in item.items():
        effort = _effort(value)
        if run and spent + effort >= _EFFORT:
            yield between + dump(run)[1:-1]
            between, run, spent = b",", {}, 0
        if effort >= _EFFORT:
            yield between + dump(key) + b":"
            yield value
            between = b","
        else:
            run[key] = value
            spent += effort
    yield (between + dump(run)[1:-1] if run else b"") + b"}"


def _items(item: list[Json]) -> Iterator[Json | bytes]:
    between = b"["
    run: list[Json] = []
    spent = 0
    for value in item:
        effort = _effort(value)
        if run and spent + effort >= _EFFORT:
            yield between + dump(run)[1:-1]
            between, run, spent = b",", [], 0
        if effort >= _EFFORT:
            yield between
            yield value
            between = b","
        else:
            run.append(value)
            spent += effort
    yield (between + dump(run)[1:-1] if run else b"") + b"]"


def _effort(value: Json) -> int:
    """The effort of writing a value, counted up to `_EFFORT`."""
    effort = 0
    waiting = [value]
    while waiting and effort < _EFFORT:
        item = waiting.pop()
        effort += 1
        if isinstance(item, str):
            effort += len(item) // 100
        elif isinstance(item, dict):
            effort += len(item)
            waiting.extend(item.values() if len(item) < _EFFORT else ())
        elif isinstance(item, list):
            effort += len(item)
            waiting.extend(item if len(item) < _EFFORT else ())
    return min(effort, _EFFORT)
