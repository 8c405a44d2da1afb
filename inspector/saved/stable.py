"""Finds the parts of a result that are likely to be the same in the next result of the tool.

These parts are the keys and types of JSON, or the first words of a text. No value of JSON is quoted.
"""

import re
from collections.abc import Callable, Iterable

from inspector.boundary.mask import MASK
from inspector.credentials.find import sightings
from inspector.json.exact import Json, JsonObject
from inspector.protocol.targets import COVERED
from inspector.safe_text import is_plain

_KEY = re.compile(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)
_AS_AN_ID = re.compile(r"\d{3}")
_MEMBERS = 40
"""The maximum number of members of an object whose keys are described.

An object with more members is taken for a table, whose keys change between results.
"""
_ITEMS = 20
"""The maximum number of items of a list that are read for the schema of its items."""
_DEEPEST = 3
"""The maximum depth of nested containers that are described."""
_WORD = r"[^\W\d_]+"
_FIRST_WORDS = re.compile(rf"(?<![^\s#*>(-]){_WORD}(?: {_WORD}){{0,3}}(?:[:.,!?](?!\S)|(?!\S))")
_LEAST = 4
"""The minimum number of characters that `first_words` returns. A shorter text may occur by chance."""
_DATES = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?\b",
    re.IGNORECASE,
)


def shape_of(value: Json, is_shown: Callable[[str], bool], pointer: str = "", depth: int = 0) -> JsonObject:
    """A JSON Schema of the keys and types of a value; empty for null and for masked values.

    `is_shown`: whether the value at a pointer may be described. `pointer`: the pointer of the value.
    """
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str() if MASK not in value and COVERED not in value:
            return {"type": "string"}
        case list() if is_shown(pointer):
            items = [
                shape_of(each, is_shown, f"{pointer}/{index}", depth + 1)
                for index, each in enumerate(value[:_ITEMS])
            ]
            joined = _joined(items) if items and depth < _DEEPEST else {}
            return {"type": "array", **({"items": joined} if joined else {})}
        case dict() if is_shown(pointer):
            return {
                "type": "object",
                **(_members(value, is_shown, pointer, depth) if depth < _DEEPEST else {}),
            }
        case _:
            return {}


def _members(value: JsonObject, is_shown: Callable[[str], bool], pointer: str, depth: int) -> JsonObject:
    # The keys of a table, or keys that look like data, say nothing about the next result.
    if len(value) > _MEMBERS or not all(map(_is_name, value)):
        return {}
    names = [key for key in value if is_shown(f"{pointer}/{key}")]
    shapes = {key: shape_of(value[key], is_shown, f"{pointer}/{key}", depth + 1) for key in names}
    properties: JsonObject = {key: shape for key, shape in shapes.items() if shape}
    return {
        **({"required": list[Json](names)} if names else {}),
        **({"properties": properties} if properties else {}),
    }


def _is_name(key: str) -> bool:
    return bool(_KEY.fullmatch(key)) and not _AS_AN_ID.search(key) and not sightings(key)


def _joined(shapes: Iterable[JsonObject]) -> JsonObject:
    """A JSON Schema of the keys and types that JSON Schemas have in common; empty if there are none."""
    first, *others = shapes
    common = first
    for shape in others:
        if shape.get("type") != common.get("type"):
            return {}
        joined: JsonObject = {"type": shape["type"]} if "type" in shape else {}
        required, more = common.get("required"), shape.get("required")
        if isinstance(required, list) and isinstance(more, list):
            names = [name for name in required if name in more]
            joined |= {"required": names} if names else {}
        properties, further = common.get("properties"), shape.get("properties")
        if isinstance(properties, dict) and isinstance(further, dict):
            both = {
                name: joint
                for name, one in properties.items()
                if isinstance(one, dict)
                and isinstance(other := further.get(name), dict)
                and (joint := _joined([one, other]))
            }
            joined |= {"properties": dict[str, Json](both)} if both else {}
        items, rest = common.get("items"), shape.get("items")
        if isinstance(items, dict) and isinstance(rest, dict):
            inner = _joined([items, rest])
            joined |= {"items": inner} if inner else {}
        common = joined
    return common


def first_words(text: str) -> str:
    """The first one to four words in a text's first line; empty if they are likely to differ next time.

    Programs often write the same words before a value, as in `Open issues: 12`. The words are likely to
    differ if they name a day or a month. The function also returns an empty text if the line is masked in
    part or has a credential, or if the words have control or invisible characters.
    """
    line = next((each for each in text[:2_000].splitlines() if each.strip()), "")
    found = _FIRST_WORDS.search(line)
    words = found[0] if found else ""
    is_fit = len(words) >= _LEAST and is_plain(words) and MASK not in line and COVERED not in line
    return words if is_fit and not _DATES.search(words) and not sightings(line) else ""
