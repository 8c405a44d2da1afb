"""Sensitivity marks in an output schema: where they stand, well spelt or not.

A mark counts where a schema keyword can stand. A property of that name is none, and neither is anything in
data (`enum`, `const`, `default`, `examples`). What lies under an unknown keyword may be a schema, since a
`$ref` can point there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.claims.reading import Member, members
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child

MARK = "x-sensitive"
POINTER_LENGTH = 4_096
"""In characters. What has a longer pointer is not read and counts as sensitive: marks there would cost too much."""

_SPELLINGS = re.compile(r"[\s_.:-]*x[\s_.:-]*sensitive[\s_.:-]*", re.IGNORECASE | re.ASCII)
_NAMES_TO_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_DATA = frozenset({"enum", "const", "default", "examples", "example"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One mark, or a part of the schema that has to count as one."""

    member: Member
    problem: str
    """Why it is no mark as it should be, apart from its value; empty where it is."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Something still to be looked at."""

    member: Member
    is_keyword: bool
    """Whether its key is a keyword of the schema around it, no name and no index."""


def marks(tool: JsonObject | DuplicateKeys) -> Iterator[Mark]:
    """The marks in a tool's output schema, in the order of the wire; pointers from the tool's root."""
    stack = [_Step(schema, is_keyword=False) for schema in members(tool, among=("outputSchema",))]
    stack.reverse()
    while stack:
        step = stack.pop()
        member = step.member
        if step.is_keyword and _SPELLINGS.fullmatch(member.key):
            yield Mark(member=member, problem="" if member.key == MARK else f"is misspelt, for `{MARK}`")
        elif len(member.pointer) > POINTER_LENGTH:
            yield Mark(member=member, problem="lies too deep to be read, and counts as marked")
        else:
            below = list(_below(step))
            stack.extend(reversed(below))


def _below(step: _Step) -> Iterator[_Step]:
    member = step.member
    if isinstance(member.value, list):
        yield from (
            _Step(_item(member, index, value), is_keyword=False)
            for index, value in enumerate(member.value)
            if _holds_something(value)
        )
        return
    names = step.is_keyword and member.key in _NAMES_TO_SCHEMAS
    for inner in members(member.value, member.pointer, repeated=member.repeated):
        if names:
            if _holds_something(inner.value):
                yield _Step(inner, is_keyword=False)
        elif _SPELLINGS.fullmatch(inner.key) or (inner.key not in _DATA and _holds_something(inner.value)):
            yield _Step(inner, is_keyword=True)


def _item(array: Member, index: int, value: Json) -> Member:
    return Member(key=str(index), value=value, pointer=child(array.pointer, index), repeated=array.repeated)


def _holds_something(value: Json) -> bool:
    return isinstance(value, DuplicateKeys) or (isinstance(value, (dict, list)) and bool(value))
