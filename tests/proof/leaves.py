"""Results as sets of leaves, which can be compared."""

from collections.abc import Iterator

from inspector.boundary.bounded import ErrorCode, Level
from inspector.boundary.notice import MEMBER, is_own, notice_in_block
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import DuplicateKeys, Json, JsonText, dump_text, parse
from inspector.json.pointer import child, resolve

CODES = frozenset(code.value for code in ErrorCode)
Leaves = frozenset[tuple[str, str]]
"""Pointers, each with its exact JSON text."""


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every scalar by its pointer, except those that the boundary itself added."""
    match value:
        case dict():
            for key, inner in value.items():
                if pointer or key != MEMBER:
                    yield from leaves(inner, child(pointer, key))
        case list():
            for index, inner in enumerate(value):
                yield from leaves(inner, child(pointer, index))
        case DuplicateKeys():
            for key, inner in value.pairs:
                yield from leaves(inner, child(pointer, key))
        case _ if value != WITHHELD:
            yield pointer, dump_text(value)
        case _:
            pass


def leaves_of_block(block: Json) -> Leaves:
    """Like `leaves`, including the leaves inside JSON text."""
    found: set[tuple[str, str]] = set()
    for pointer, leaf in leaves(block):
        text = resolve(block, pointer) if pointer.endswith("/text") and isinstance(block, dict) else None
        parsed = parse(text) if isinstance(text, str) else None
        if isinstance(parsed, JsonText) and isinstance(parsed.value, (dict, list, DuplicateKeys)):
            found.update((pointer + inner, said) for inner, said in leaves(parsed.value))
        else:
            found.add((pointer, leaf))
    return frozenset(found)


def content_of(result: Json, names: frozenset[str]) -> list[Leaves]:
    """The blocks that contain something of the server's. `names`: the names in the output schema."""
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(content, list):
        return []
    return [
        leaves_of_block(block)
        for block in content
        if not notice_in_block(block, names)
        and not is_own(block, Level.DECLARED)
        and not (isinstance(block, dict) and block.get("text") in CODES)
    ]


def structured_of(result: Json) -> Leaves:
    if not isinstance(result, dict) or "structuredContent" not in result:
        return frozenset()
    return frozenset(leaves(result["structuredContent"]))


def others_of(result: Json) -> Leaves:
    """The members other than content and structured content, of a tool result or an error."""
    if not isinstance(result, dict):
        return frozenset()
    known = {"content", "structuredContent", "isError"}
    return frozenset(leaves({key: value for key, value in result.items() if key not in known}))
