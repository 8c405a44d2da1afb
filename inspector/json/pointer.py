"""JSON pointers (RFC 6901)."""

import re
from collections.abc import Iterable

from inspector.json.exact import DuplicateKeys, Json


def child(pointer: str, token: str | int) -> str:
    """The pointer one step below `pointer`."""
    return f"{pointer}/{escape(token) if isinstance(token, str) else token}"


def escape(token: str) -> str:
    """One reference token, with `~` and `/` escaped."""
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


def join(tokens: Iterable[str | int]) -> str:
    """The pointer made of these tokens."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def split(pointer: str) -> tuple[str, ...]:
    """The tokens of a pointer. Raises ValueError if it does not start with a slash."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"not a JSON pointer: {pointer}")
    tokens = pointer[1:].split("/")
    if "~" not in pointer:
        return tuple(tokens)
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def resolve(value: Json, pointer: str) -> Json:
    """The value at `pointer`. Raises LookupError if there is none."""
    for token in split(pointer):
        match value:
            case dict():
                value = value[token]
            case list():
                value = value[index_of(token)]
            case DuplicateKeys():
                # The last of several members with one key counts, as for most readers of JSON.
                value = dict(value.pairs)[token]
            case _:
                raise LookupError(pointer)
    return value


def index_of(token: str) -> int:
    """The index that a token represents. Raises LookupError if the token is not an index."""
    if not token.isascii() or not token.isdigit() or (len(token) > 1 and token[0] == "0"):
        raise LookupError(token)
    return int(token)


_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)


def readable(pointer: str) -> str:
    """A pointer as a path such as `content[0].text` or `_meta."mcp.dev/effect"`; empty for the whole value.

    A text that is no pointer is returned unchanged.
    """
    try:
        tokens = split(pointer)
    except ValueError:
        return pointer
    found = ""
    for token in tokens:
        if token.isdecimal() and token.isascii() and found:
            found += f"[{token}]"
        elif _PLAIN_KEY.fullmatch(token):
            found += f".{token}" if found else token
        else:
            found += f'."{token}"' if found else f'"{token}"'
    return found
