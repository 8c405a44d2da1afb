"""JSON pointers (RFC 6901)."""

from collections.abc import Iterable

from inspector.json.exact import DuplicateKeys, Json


def child(pointer: str, token: str | int) -> str:
    """The pointer one step below `pointer`."""
    return f"{pointer}/{escape(token) if isinstance(token, str) else token}"


def escape(token: str) -> str:
    """One reference token, with `~` and `/` written as the RFC says."""
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


def join(tokens: Iterable[str | int]) -> str:
    """Tokens as a pointer."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def split(pointer: str) -> tuple[str, ...]:
    """A pointer as its tokens. Raises ValueError where it does not start with a slash."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"not a JSON pointer: {pointer}")
    tokens = pointer[1:].split("/")
    if "~" not in pointer:
        return tuple(tokens)
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def resolve(value: Json, pointer: str) -> Json:
    """The value at `pointer`. Raises LookupError where there is none."""
    for token in split(pointer):
        match value:
            case dict():
                value = value[token]
            case list():
                value = value[index_of(token)]
            case DuplicateKeys():
                # As RFC 8259 readers do: the last one.
                value = dict(value.pairs)[token]
            case _:
                raise LookupError(pointer)
    return value


def index_of(token: str) -> int:
    """The index that a token is. Raises LookupError where it is none."""
    if not token.isascii() or not token.isdigit() or (len(token) > 1 and token[0] == "0"):
        raise LookupError(token)
    return int(token)
