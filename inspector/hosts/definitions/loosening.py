"""Removes sensitive parts from an output schema, and loosens it so that bounded results still fit.

Reads the schema in one pass, without recursion, and writes each schema object once. References are redirected
afterwards, because an object may have another pointer in the schema that is written.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from inspector.boundary.bounded import Rule
from inspector.boundary.notice import MEMBER
from inspector.boundary.walking import WITHHELD, is_plain
from inspector.hosts.definitions.paths import TOP, DocumentPath, Leading, Purse, RedirectedReference
from inspector.hosts.definitions.survey import Survey
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.schema.key_pattern import KeyMatch, KeyPattern
from inspector.schema.merging import number_of
from inspector.schema.nodes import MAX_DEPTH, Node, SensitivityMark, mark_of
from inspector.schema.references import References, SchemaPlace

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
"""Keywords whose value is an object of schemas."""
LISTS = frozenset({"allOf", "anyOf", "oneOf"})
SINGLE = frozenset({"additionalProperties", "propertyNames", "contentSchema", "then", "else"})
ITEMS = frozenset({"items", "additionalItems", "prefixItems"})
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
CONDITION = frozenset({"if", "then", "else"})
KNOWN = MAPS | LISTS
"""Keywords whose value must be an object or a list. With any other value, the schema is malformed."""

_FEWER = "a bounded result may lack what this keyword requires"
_ALIKE = "the same text replaces all withheld items, or they are omitted"
_LEFT = "a value with withheld parts may break this keyword, although the whole value meets it"

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
"""Keywords to remove, with the reason."""
_IDLE: dict[str, tuple[Json, ...]] = {
    "minProperties": (0,),
    "minItems": (0,),
    "uniqueItems": (False,),
    "unevaluatedProperties": (True,),
    "unevaluatedItems": (True,),
}
"""For each keyword, the values that require nothing."""

_PASSING = frozenset({"type", "$vocabulary"})
"""Keywords whose value may be a list or an object, but never contains instance values."""
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
"""`type`, and keywords that restrict nothing."""

NOTICE_SCHEMA: JsonObject = {"description": "The parts withheld from this result."}
"""The schema of `_withheld`. It restricts nothing, because a nested object may have a member of that name."""
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
"""The schema of `_withheld` if a pattern in `patternProperties` may match that name."""
PLACEHOLDER: JsonObject = {"enum": [WITHHELD]}
OWN_KEY: JsonObject = {"enum": [MEMBER]}


def is_idle(keyword: str, value: Json) -> bool:
    """True if a keyword with this value has no effect, so that removing it changes nothing."""
    return any(type(value) is type(idle) and value == idle for idle in _IDLE.get(keyword, ()))


def admits_placeholder(schema: JsonObject) -> bool:
    """True if the schema obviously allows any text, or the placeholder for withheld values."""
    if schema.keys() == {"anyOf"} and isinstance(schema["anyOf"], list):
        return PLACEHOLDER in schema["anyOf"]
    if not schema.keys() <= _SAYS_LITTLE:
        return False
    named = schema.get("type", "string")
    return named == "string" or (isinstance(named, list) and "string" in named)


def holds_values(keyword: str, value: Json) -> bool:
    """True if a keyword may contain instance values, as `examples`, `default` and unknown keywords may.

    `keyword`: a keyword that contains no schema.
    """
    return isinstance(value, (dict, list)) and bool(value) and keyword not in _PASSING


def names_containers(keyword: str, value: Json) -> bool:
    """True if `enum` or `const` requires a whole object or array, a part of which may be withheld."""
    if keyword == "enum" and isinstance(value, list):
        return any(not isinstance(choice, (str, int, float)) and choice is not None for choice in value)
    return keyword == "const" and not isinstance(value, (str, int, float)) and value is not None


Put: TypeAlias = Callable[[Json], None]
"""Sets a value in a certain container, under a certain key or index."""
Report: TypeAlias = Callable[[DocumentPath, str, str, Node | None], None]
"""Reports a difference.

Takes the path in the original schema, the rule, a sentence, and the node whose annotation causes the difference.
"""

LOOSENED = "loosened"
"""The rule of a difference that withholds nothing, but keeps bounded results valid."""

_BROKEN = "it is not a schema, or nested too deeply to be judged"
_EXAMPLES = "it may contain withheld values"
_PARTS = "it requires a whole value, a part of which may be withheld"
_ONE_OF = "a value with withheld parts may fit several of these alternatives"
_EITHER = "with parts withheld, a value may meet another condition than it does as a whole"
_PLACEHOLDER = "a text replaces a withheld item"
_NOTICE = "a bounded result lists withheld fields under `_withheld`"


class _Task(Struct, frozen=True, kw_only=True):
    """A schema object to write."""

    schema: JsonObject
    raw: DocumentPath
    """The path of the schema object in the original schema."""
    place: DocumentPath
    """The path of the schema object in the schema that is written."""
    made: JsonObject = field(default_factory=dict[str, Json])
    further: list[Json] = field(default_factory=list[Json])
    """Conditions to append to `allOf` of the object that is written."""

    @property
    def own_conditions(self) -> int:
        """The number of schemas in the `allOf` of the original schema object; 0 if it has none."""
        every = self.schema.get("allOf")
        return len(every) if isinstance(every, list) else 0


class _Reason(NamedTuple):
    """The reason not to write a schema: a rule, a sentence, and the node whose mark is the reason, if any."""

    rule: str
    what: str
    mark: Node | None


def loosened(schema: JsonObject, survey: Survey, report: Report, purse: Purse) -> JsonObject:
    """`schema` without its sensitive parts, loosened so that results with withheld parts still fit.

    Must not be called for a schema that is sensitive as a whole.
    """
    return _Loosening(schema, survey, report, purse).run()


class _Loosening:
    def __init__(self, schema: JsonObject, survey: Survey, report: Report, purse: Purse) -> None:
        self._schema = schema
        self._survey = survey
        self._report = report
        self._purse = purse
        self._tasks: list[_Task] = []
        self._placed: dict[int, DocumentPath] = {}
        self._redirected: list[RedirectedReference] = []

    def run(self) -> JsonObject:
        top: list[Json] = [None]
        self._child(self._schema, TOP, TOP, _into(top, 0))
        self._drain()
        written = top[0] if isinstance(top[0], dict) else {}
        finder, leading = References(self._schema), Leading(written, self._purse)
        for led in self._redirected:
            # Writing the target of a reference may add references to the list.
            place = self._place(finder.resolve(led.reference), leading)
            change = leading.lead(led, place)
            if change:
                self._report(led.raw, LOOSENED, change, None)
        return written

    def _place(self, target_place: SchemaPlace | None, leading: Leading) -> DocumentPath | None:
        """The path of a reference's target in the schema that is written; None if there is none.

        A target that is not yet written is written first, unless it must be withheld.
        """
        target = target_place.value if target_place else None
        if target_place is None or not isinstance(target, dict):
            return None
        if id(target) not in self._placed:
            raw = TOP.down(*target_place.tokens)
            if self._reason(target, raw):
                return None
            held, name, place = leading.spare_place()
            self._child(target, raw, place, _into(held, name))
            self._drain()
        return self._placed[id(target)]

    def _drain(self) -> None:
        while self._tasks:
            self._write(self._tasks.pop())

    def _write(self, task: _Task) -> None:
        """Write each keyword of a schema object, and add tasks for the schemas in it."""
        schema = task.schema
        for keyword, value in schema.items():
            if keyword in DROPPED:
                self._drop(task, keyword, value)
            elif keyword in CONDITION and "if" in schema:
                self._report(task.raw.down(keyword), LOOSENED, _EITHER, None)
            elif keyword in REFERENCES:
                task.made[keyword] = value
                self._redirected.append(
                    RedirectedReference(holder=task.made, keyword=keyword, raw=task.raw.down(keyword))
                )
            elif keyword in MAPS and isinstance(value, dict):
                self._map(task, keyword, value)
            elif keyword in ITEMS:
                self._items(task, keyword, value)
            elif keyword in LISTS and isinstance(value, list):
                self._list(task, keyword, value)
            elif keyword in SINGLE:
                self._single(task, keyword, value)
            else:
                self._other(task, keyword, value)
        if task.further:
            every = task.made.setdefault("allOf", [])
            if isinstance(every, list):
                every.extend(task.further)
        if self._is_at_top(task):
            self._allow_notice(task)

    def _is_at_top(self, task: _Task) -> bool:
        """True if the schema object may describe a whole result."""
        return id(task.schema) in self._survey.at_root

    def _reason(self, child: Json, raw: DocumentPath) -> "_Reason | None":
        """The reason not to write a schema; None if it is neither sensitive nor impossible to judge."""
        if isinstance(child, bool):
            return None
        if not isinstance(child, dict) or raw.depth > MAX_DEPTH:
            return _Reason(Rule.INTERNAL, _BROKEN, None)
        reason = self._survey.hidden.get(id(child))
        if reason:
            marked = reason.mark_key is not None
            rule = Rule.X_SENSITIVE if marked else Rule.INTERNAL
            return _Reason(rule, reason.reason, reason if marked else None)
        if id(child) not in self._survey.known and mark_of(child)[0] is SensitivityMark.SENSITIVE:
            return _Reason(Rule.X_SENSITIVE, mark_of(child)[2], None)
        return None

    def _child(self, child: Json, raw: DocumentPath, place: DocumentPath, put: Put) -> bool:
        """Add a task for a schema; if it may not be written, report that and return False."""
        reason = self._reason(child, raw)
        if reason:
            self._report(raw, *reason)
            return False
        if isinstance(child, dict):
            task = _Task(schema=child, raw=raw, place=place)
            self._placed.setdefault(id(child), place)
            self._tasks.append(task)
            put(task.made)
        else:
            put(child)
        return True

    def _beside(
        self, child: Json, other: JsonObject, raw: DocumentPath, place: DocumentPath, put: Put
    ) -> None:
        """Write a schema that accepts what `child` or `other` accepts; `other` alone if `child` must not be written."""
        both: list[Json] = [other, None]
        if self._child(child, raw, place.down("anyOf", 1), _into(both, 1)):
            put({"anyOf": both})
            self._report(raw, LOOSENED, _PLACEHOLDER if other is PLACEHOLDER else _NOTICE, None)
        else:
            put(other)

    def _drop(self, task: _Task, keyword: str, value: Json) -> None:
        if is_idle(keyword, value):
            task.made[keyword] = value
        else:
            self._report(task.raw.down(keyword), LOOSENED, DROPPED[keyword], None)

    def _map(self, task: _Task, keyword: str, value: JsonObject) -> None:
        """Write a keyword whose value is an object of schemas."""
        written: JsonObject = {}
        task.made[keyword] = written
        at_top, depends = self._is_at_top(task), keyword in {"dependentSchemas", "dependencies"}
        for key, child in value.items():
            raw, place = task.raw.down(keyword, key), task.place.down(keyword, key)
            if at_top and key == MEMBER and (depends or keyword == "properties"):
                self._report(raw, LOOSENED, _NOTICE, None)
            elif depends and isinstance(child, list):
                self._report(raw, LOOSENED, DROPPED["required"], None)
            elif (
                at_top and keyword == "patternProperties" and KeyPattern(key).match(MEMBER) is not KeyMatch.NO
            ):
                self._beside(child, STRICT_NOTICE, raw, place, _into(written, key))
            else:
                self._child(child, raw, place, _into(written, key))

    def _items(self, task: _Task, keyword: str, value: Json) -> None:
        raw, place = task.raw.down(keyword), task.place.down(keyword)
        if not isinstance(value, list):
            if "prefixItems" in task.schema and self._reason(value, raw):
                # Drafts differ on which items this keyword describes, so it is reported and left out.
                self._child(value, raw, place, _into({}, keyword))
            else:
                self._item(value, raw, place, _into(task.made, keyword))
            return
        written: list[Json] = [None] * len(value)
        task.made[keyword] = written
        for index, child in enumerate(value):
            self._item(child, raw.down(index), place.down(index), _into(written, index))

    def _item(self, child: Json, raw: DocumentPath, place: DocumentPath, put: Put) -> None:
        if isinstance(child, bool):
            put(child)
        elif isinstance(child, dict) and admits_placeholder(child) and not self._reason(child, raw):
            self._child(child, raw, place, put)
        else:
            self._beside(child, PLACEHOLDER, raw, place, put)

    def _list(self, task: _Task, keyword: str, value: list[Json]) -> None:
        """Write a keyword whose value is a list of schemas: alternatives, or schemas that all apply."""
        raw, place = task.raw.down(keyword), task.place.down(keyword)
        written: list[Json] = [True] * len(value)
        if keyword == "oneOf":
            self._report(raw, LOOSENED, _ONE_OF, None)
            place = self._alternatives(task, written)
        else:
            task.made[keyword] = written
        for index, child in enumerate(value):
            # `true` replaces a schema that may not be written, so more values fit.
            self._child(child, raw.down(index), place.down(index), _into(written, index))

    def _alternatives(self, task: _Task, written: list[Json]) -> DocumentPath:
        """Add alternatives to a schema, under `allOf` if it has its own `anyOf`. Returns the place of the list."""
        if "anyOf" not in task.schema:
            task.made["anyOf"] = written
            return task.place.down("anyOf")
        task.further.append({"anyOf": written})
        return task.place.down("allOf", task.own_conditions, "anyOf")

    def _single(self, task: _Task, keyword: str, value: Json) -> None:
        raw, place, put = task.raw.down(keyword), task.place.down(keyword), _into(task.made, keyword)
        if keyword == "propertyNames" and self._is_at_top(task) and not self._reason(value, raw):
            self._beside(value, OWN_KEY, raw, place, put)
        else:
            self._child(value, raw, place, put)

    def _other(self, task: _Task, keyword: str, value: Json) -> None:
        """Write a keyword that contains no schema."""
        raw, limit = task.raw.down(keyword), number_of(value)
        if keyword in KNOWN:
            self._report(raw, Rule.INTERNAL, _BROKEN, None)
        elif keyword == "maxProperties" and self._is_at_top(task) and limit is not None:
            if isinstance(limit, int):
                task.made[keyword] = limit + 1
            self._report(raw, LOOSENED, _NOTICE, None)
        elif names_containers(keyword, value):
            self._report(raw, LOOSENED, _PARTS, None)
        elif holds_values(keyword, value) and (self._survey.may_mark(task.schema) or not is_plain(value)):
            self._report(raw, Rule.X_SENSITIVE if is_plain(value) else Rule.INTERNAL, _EXAMPLES, None)
        elif isinstance(value, DuplicateKeys):
            self._report(raw, Rule.INTERNAL, _BROKEN, None)
        else:
            task.made[keyword] = value

    def _allow_notice(self, task: _Task) -> None:
        """Allow `_withheld`, the notice of the boundary, in a schema of a whole result."""
        made = task.made
        named = made.get("properties")
        if isinstance(named, dict):
            named[MEMBER] = NOTICE_SCHEMA
            self._report(task.raw.down("properties"), LOOSENED, _NOTICE, None)
        elif made.get("additionalProperties", True) is not True:
            made["properties"] = {MEMBER: NOTICE_SCHEMA}
            self._report(task.raw.down("additionalProperties"), LOOSENED, _NOTICE, None)


def _into(holder: JsonObject | list[Json], token: str | int) -> Put:
    """Return a function that sets a value in a container."""

    def put(value: Json) -> None:
        if isinstance(holder, dict):
            holder[str(token)] = value
        else:
            holder[int(token)] = value

    return put
