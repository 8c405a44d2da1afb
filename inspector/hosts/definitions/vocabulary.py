"""The keywords of JSON Schema by what has to be done to them, so that a bounded result still fits.

A bounded result lacks members of objects at any depth, has `[withheld]` in place of items, or fewer items, and has
`_withheld` at its top. Leaves that it keeps are exact. Every keyword is kept as far as it holds for such a result.
Source: JSON Schema 2020-12, and the spellings of draft-04 to draft-07.
"""

from inspector.boundary.notice import MEMBER
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import Json, JsonObject

MAPS = frozenset(
    {
        "properties",
        "patternProperties",
        "$defs",
        "definitions",
        "dependentSchemas",
        "dependencies",
    }
)
"""Objects of schemas."""
LISTS = frozenset({"allOf", "anyOf", "oneOf"})
SINGLE = frozenset({"additionalProperties", "propertyNames", "contentSchema", "then", "else"})
ITEMS = frozenset({"items", "additionalItems", "prefixItems"})
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
CONDITION = frozenset({"if", "then", "else"})
KNOWN = MAPS | LISTS
"""Keywords that are no schemas unless they are objects, or lists, of them."""

_FEWER = "a bounded result may lack what this asks for"
_ALIKE = "items that were withheld are told by one and the same text, or left out"
_LEFT = "what is left of a value may fit this differently than the whole"

DROPPED: dict[str, str] = {
    "required": _FEWER,
    "minProperties": _FEWER,
    "minItems": _FEWER,
    "dependentRequired": _FEWER,
    "contains": _ALIKE,
    "minContains": _ALIKE,
    "maxContains": _ALIKE,
    "uniqueItems": _ALIKE,
    "not": _LEFT,
    "unevaluatedProperties": _LEFT,
    "unevaluatedItems": _LEFT,
}
"""Keywords that are left out, with the reason."""
_IDLE: dict[str, tuple[Json, ...]] = {
    "minProperties": (0,),
    "minItems": (0,),
    "uniqueItems": (False,),
    "unevaluatedProperties": (True,),
    "unevaluatedItems": (True,),
}
"""Values with which those ask for nothing."""

_PASSING = frozenset({"type", "$vocabulary"})
"""Keywords of the specification whose lists and objects hold no values."""
_SAYS_LITTLE = frozenset(
    {
        "type",
        "title",
        "description",
        "$comment",
        "deprecated",
        "readOnly",
        "x-sensitive",
        "default",
        "examples",
    }
)
"""Keywords that, apart from `type`, forbid nothing."""

NOTICE_SCHEMA: JsonObject = {"description": "What was withheld from this result."}
"""Of `_withheld`. It forbids nothing, since a result may have a member of that name below its top."""
STRICT_NOTICE: JsonObject = {
    "type": "object",
    "properties": {
        "fields": {"type": "array"},
        "otherFields": {"type": "string"},
        "contentBlocks": {"type": "string"},
    },
    "additionalProperties": False,
    "minProperties": 1,
}
"""Of `_withheld`, where a pattern for keys means it too."""
PLACEHOLDER: JsonObject = {"enum": [WITHHELD]}
OWN_KEY: JsonObject = {"enum": [MEMBER]}


def is_idle(keyword: str, value: Json) -> bool:
    """Whether a keyword that would be left out asks for nothing anyway."""
    return any(type(value) is type(idle) and value == idle for idle in _IDLE.get(keyword, ()))


def admits_placeholder(schema: JsonObject) -> bool:
    """Whether any text fits, or the one that stands for a withheld item, as far as a glance tells."""
    if schema.keys() == {"anyOf"} and isinstance(schema["anyOf"], list):
        return PLACEHOLDER in schema["anyOf"]
    if not schema.keys() <= _SAYS_LITTLE:
        return False
    named = schema.get("type", "string")
    return named == "string" or (isinstance(named, list) and "string" in named)


def holds_values(keyword: str, value: Json) -> bool:
    """Whether a keyword that holds no schema gives whole values: examples, defaults, or what nobody knows."""
    return isinstance(value, (dict, list)) and bool(value) and keyword not in _PASSING


def names_containers(keyword: str, value: Json) -> bool:
    """Whether `enum` or `const` asks for a whole object or array, of which a part may be withheld."""
    if keyword == "enum" and isinstance(value, list):
        return any(not isinstance(choice, (str, int, float)) and choice is not None for choice in value)
    return keyword == "const" and not isinstance(value, (str, int, float)) and value is not None
