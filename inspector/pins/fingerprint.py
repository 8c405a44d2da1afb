"""Fingerprints of definitions: equal definitions have equal fingerprints, different ones do not."""

import hashlib

from inspector.json.exact import DuplicateKeys, Json, Number


def fingerprint(value: Json) -> str:
    """64 hexadecimal digits of a value's canonical form: keys sorted, 1.0 as 1. Never raises; linear.

    Two values have the same fingerprint where `json.exact.equal` holds for them.
    """
    digest = hashlib.sha256()
    waiting: list[Json | bytes] = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case bytes():
                digest.update(item)
            case dict():
                digest.update(b"{%d:" % len(item))
                for key in sorted(item, reverse=True):
                    waiting += (item[key], _text(key))
            case DuplicateKeys(pairs=pairs):
                digest.update(b"(%d:" % len(pairs))
                for key, member in reversed(pairs):
                    waiting += (member, _text(key))
            case list():
                digest.update(b"[%d:" % len(item))
                waiting.extend(reversed(item))
            case _:
                digest.update(_leaf(item))
    return digest.hexdigest()


def _leaf(value: float | str | None) -> bytes:
    match value:
        case None:
            return b"null;"
        case bool():
            return b"true;" if value else b"false;"
        case str():
            return _text(value)
        case _:
            return b"%s;" % _number(value).encode()


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:x}"
    if value.is_integer():
        return f"{int(value):x}"
    if isinstance(value, Number) and (value != value or value in _INFINITE):  # noqa: PLR0124 - NaN
        return value.text
    return repr(float(value))


_INFINITE = (float("inf"), float("-inf"))


def _text(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return b'"%d:%s' % (len(raw), raw)
