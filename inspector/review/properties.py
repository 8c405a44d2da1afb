"""The properties in a schema, and the words in their names; recognises names of credentials."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.review.texts import MAX_POINTER, word_set

MAX_PROPERTIES = 2_000
"""Per schema; later properties are not checked one by one."""

_DATA = frozenset({"enum", "const", "default", "examples", "example", "required"})
_NAMED = frozenset({"$defs", "definitions", "patternProperties", "dependentSchemas"})
_WORD = re.compile(r"[A-Z]{2,500}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[^\W_a-zA-Z]+")


@dataclass(frozen=True, kw_only=True)
class Property:
    """A property of a schema."""

    name: str
    pointer: str
    """The pointer of its schema, from the root of the definition."""
    schema: JsonObject
    """Empty if the schema is not an object."""
    required: bool

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.name)

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types in its own schema; empty if there are none."""
        types = self.schema.get("type")
        return frozenset(
            kind for kind in (types if isinstance(types, list) else [types]) if isinstance(kind, str)
        )

    @property
    def may_be_text(self) -> bool:
        """True if it can contain text."""
        return not self.types or bool(self.types & {"string", "object", "array"})

    @property
    def description(self) -> str:
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""


@lru_cache(maxsize=16_384)
def words_of(name: str) -> tuple[str, ...]:
    """The words in a name, in lower case: `getAPIKey_v2` is get, api, key, v, 2. Reads the first 500 characters."""
    return tuple(word.lower() for word in _WORD.findall(name[:500]))


def properties_of(schema: Json, pointer: str) -> tuple[Property, ...]:
    """The properties in a schema at `pointer`, in document order. References are not followed."""
    properties: list[Property] = []
    for each in _properties(schema, pointer):
        properties.append(each)
        if len(properties) == MAX_PROPERTIES:
            break
    return tuple(properties)


def _properties(schema: Json, pointer: str) -> Iterator[Property]:
    stack: list[tuple[Json, str]] = [(schema, pointer)]
    while stack:
        item, at = stack.pop()
        if len(at) > MAX_POINTER:
            continue
        below: list[tuple[Json, str]] = []
        if isinstance(item, list):
            below = [(member, child(at, index)) for index, member in enumerate(item)]
        elif isinstance(item, dict):
            for key, member in item.items():
                place = child(at, key)
                if key == "properties" and isinstance(member, dict):
                    for one in _own(member, place, item.get("required")):
                        yield one
                        below.append((one.schema, one.pointer))
                elif key in _NAMED and isinstance(member, dict):
                    below.extend((inner, child(place, name)) for name, inner in member.items())
                elif key not in _DATA and isinstance(member, (dict, list)):
                    below.append((member, place))
        stack.extend(reversed(below))


def _own(members: JsonObject, pointer: str, required: Json) -> Iterator[Property]:
    needed = set(map(str, required)) if isinstance(required, list) else set[str]()
    for name, schema in members.items():
        yield Property(
            name=name,
            pointer=child(pointer, name),
            schema=schema if isinstance(schema, dict) else {},
            required=name in needed,
        )


_ALONE = word_set(
    "password passwd passphrase secret secrets apikey credential credentials cvv cvc ssn otp totp privatekey accesstoken "
    "mnemonic pwd passcode"
)
_PAIRS = frozenset(
    {
        ("api", "key"), ("api", "keys"), ("private", "key"), ("secret", "key"), ("access", "key"), ("signing", "key"),
        ("encryption", "key"), ("access", "token"), ("auth", "token"), ("refresh", "token"), ("bearer", "token"),
        ("id", "token"), ("session", "token"), ("api", "token"), ("oauth", "token"), ("client", "secret"),
        ("seed", "phrase"), ("recovery", "code"), ("recovery", "codes"), ("recovery", "phrase"), ("backup", "codes"),
        ("connection", "string"), ("session", "cookie"), ("insurance", "number"), ("social", "security"),
        ("card", "number"), ("security", "code"), ("pass", "phrase"), ("pin", "code"),
    }
)  # fmt: skip
_ENDS = word_set("value values hash plain plaintext text string")
_OTHER_TOKENS = word_set(
    "page next previous prev continuation continue sync cursor max min num number total count prompt completion input "
    "output cancel progress per token pagination start stop end special design csrf xsrf resume skip"
)


def names_secret(words: Sequence[str]) -> bool:
    """True if these words name a credential. The last words decide: `password_policy` is not one."""
    end = len(words)
    while end > 1 and words[end - 1] in _ENDS:
        end -= 1
    if not end:
        return False
    last, before = words[end - 1], words[end - 2] if end > 1 else ""
    if last in _ALONE or (before, last) in _PAIRS:
        return not {"has", "is", "no", "without"}.intersection(words[:1])
    # `token` alone, or with its purpose; excludes tokens of pages and counters.
    return last == "token" and before not in _OTHER_TOKENS
