"""What one validation may cost, and what it remembers on the way."""

from functools import lru_cache

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, ValidationError, ValidationErrorKind

from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.schema.exact import canonical
from inspector.schema.key_pattern import KeyPattern, Match
from inspector.schema.references import Place, References, begins_resource

MAX_STEPS = 2_000_000
"""Keywords applied to values, about; some seconds."""
STEPS_AT_LEAST = 50_000
STEPS_A_VALUE = 100

CHECKED_FORMATS = frozenset(
    {
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uuid",
        "json-pointer",
    }
)
"""Every other `format` is not checked."""

_QUOTED = 60
_LONGEST_PATTERN = 10_000
_BACKTRACKED = 1_000
"""Characters of a text on which a pattern with look-around or back-references is tried."""
_BACKTRACKING = FancyRegexOptions(backtrack_limit=10_000, size_limit=1_000_000, dfa_size_limit=1_000_000)


class ExhaustedError(Exception):
    """The validation would cost too much."""


class Effort:
    """One validation: the steps that are left, and whether its messages may quote the value."""

    def __init__(self, root: Json, nodes: int, *, quotes: bool) -> None:
        self.references = References(root)
        self._root = root
        self._objects: frozenset[int] | None = None
        self._single = True
        self._steps = min(MAX_STEPS, STEPS_AT_LEAST + STEPS_A_VALUE * nodes)
        self._quotes = quotes
        self._sets: dict[int, frozenset[str]] = {}

    def follow(self, reference: Json, schema: JsonObject) -> Place | None:
        """Where a reference in `schema` leads within the document; None where jsonschema has to find out."""
        if self._objects is None:
            self._objects, self._single = _objects(self._root)
        place = self.references.resolve(reference) if self._single and id(schema) in self._objects else None
        # jsonschema looks through the whole document for an anchor, every time.
        self.spend(5 if place else 5 + len(self._objects) // 5)
        return place

    def spend(self, steps: int) -> None:
        """Counts what is about to be done. Raises ExhaustedError where nothing is left for it."""
        self._steps -= steps
        if self._steps < 0:
            raise ExhaustedError

    def matches(self, pattern: str, text: str) -> Match:
        """Whether an ECMA pattern occurs in `text`, in time linear in the text, or bounded for short ones."""
        self.spend(1 + len(text) // 200 + len(pattern) // 200)
        if len(pattern) > _LONGEST_PATTERN:
            return Match.UNKNOWN
        found = _linear(pattern).match(text)
        if found is Match.UNKNOWN and len(text) <= _BACKTRACKED:
            self.spend(100)
            found = _backtracked(pattern, text)
        return found

    def has_format(self, name: str, text: str) -> bool:
        """Whether `text` has a format of CHECKED_FORMATS."""
        self.spend(1 + len(text) // 200)
        try:
            return _format(name).is_valid(text)
        except ValueError:
            # No valid Unicode: it has none of these formats.
            return False

    def among(self, value: Json, choices: list[Json]) -> bool:
        """Whether `value` equals one of `choices`, which belong to the schema, however many there are."""
        if id(choices) not in self._sets:
            self._sets[id(choices)] = frozenset(map(self.canonical, choices))
        return self.canonical(value) in self._sets[id(choices)]

    def equals(self, value: Json, constant: Json) -> bool:
        """Whether `value` equals a constant of the schema."""
        if not isinstance(constant, (dict, list)):
            return self.canonical(value) == self.canonical(constant)
        if id(constant) not in self._sets:
            self._sets[id(constant)] = frozenset({self.canonical(constant)})
        return self.canonical(value) in self._sets[id(constant)]

    def canonical(self, value: Json) -> str:
        """A text that equal values share."""
        text = canonical(value)
        self.spend(1 + len(text) // 200)
        return text

    def told(self, value: Json) -> str:
        """A value for a message: quoted and cut; its type only, where it is a container or not to be quoted."""
        if not self._quotes or (isinstance(value, (dict, list, DuplicateKeys))):
            return kind_of(value)
        if isinstance(value, str):
            return f"“{cut(value)}”"
        return cut(dump_text(value))

    def key(self, key: str) -> str:
        """A key of the value for a message."""
        return f"“{cut(key)}”" if self._quotes else "a key"

    def count(self, size: int) -> str:
        """The size of the value, behind what it should be."""
        return f", has {size}" if self._quotes else ""


def _objects(root: Json) -> tuple[frozenset[int], bool]:
    """The identities of all objects in a document, and whether none of them is a resource of its own."""
    found: set[int] = set()
    single = True
    stack: list[Json] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if item is not root and (begins_resource(item) or isinstance(item.get("id"), str)):
                single = False
            found.add(id(item))
            stack += item.values()
        elif isinstance(item, list):
            stack += item
    return frozenset(found), single


def kind_of(value: Json) -> str:
    """The type of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case dict():
            return "an object"
        case list():
            return "an array"
        case DuplicateKeys():
            return "an object with repeated keys"
        case _:
            return "a number"


def cut(text: str) -> str:
    """At most 60 characters of a text, for a message."""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


@lru_cache(maxsize=256)
def _linear(pattern: str) -> KeyPattern:
    return KeyPattern(pattern)


@lru_cache(maxsize=64)
def _format(name: str) -> Draft202012Validator:
    return Draft202012Validator({"format": name}, validate_formats=True)


def _backtracked(pattern: str, text: str) -> Match:
    try:
        validator = Draft202012Validator({"pattern": pattern}, pattern_options=_BACKTRACKING)
        error = next(iter(validator.iter_errors(text)), None)
    except (ValidationError, ValueError):
        return Match.UNKNOWN
    if error is None:
        return Match.YES
    return Match.NO if isinstance(error.kind, ValidationErrorKind.Pattern) else Match.UNKNOWN
