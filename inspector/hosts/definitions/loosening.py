"""An output schema without its sensitive parts, and so loose that every bounded result fits that fitted before.

One pass over the schema, without recursion: each schema object is written anew once, where it stood or close by.
References are led to the new places afterwards.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from inspector.boundary.bounded import Rule
from inspector.boundary.notice import MEMBER
from inspector.boundary.walking import is_plain
from inspector.hosts.definitions.paths import TOP, Leading, Led, Path, Purse
from inspector.hosts.definitions.survey import Survey
from inspector.hosts.definitions.vocabulary import (
    CONDITION,
    DROPPED,
    ITEMS,
    KNOWN,
    LISTS,
    MAPS,
    NOTICE_SCHEMA,
    OWN_KEY,
    PLACEHOLDER,
    REFERENCES,
    SINGLE,
    STRICT_NOTICE,
    admits_placeholder,
    holds_values,
    is_idle,
    names_containers,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.schema.key_pattern import KeyPattern, Match
from inspector.schema.merging import number_of
from inspector.schema.nodes import MAX_DEPTH, Mark, Node, mark_of
from inspector.schema.references import Place, References

Put: TypeAlias = Callable[[Json], None]
"""Puts what is written where it belongs."""
Tell: TypeAlias = Callable[[Path, str, str, Node | None], None]
"""Takes note of a difference: where in the schema, the rule, a sentence, and the mark behind it."""

LOOSENED = "loosened"
"""The rule of a difference that withholds nothing: a bounded result would not fit what was sent."""

_BROKEN = "it is no schema, or too deep to be judged"
_EXAMPLES = "it may hold values of what is withheld"
_PARTS = "a part of the value that it names may be withheld"
_ONE_OF = "what is left of a value may fit several of these alternatives"
_EITHER = "what is left of a value may meet another condition than the whole"
_PLACEHOLDER = "a text stands in place of a withheld item"
_NOTICE = "a bounded result says under `_withheld` what is missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A schema object that is being written."""

    schema: JsonObject
    raw: Path
    """Where it stands."""
    place: Path
    """Where it is written."""
    made: JsonObject = field(default_factory=dict[str, Json])
    further: list[Json] = field(default_factory=list[Json])
    """What applies beside all that, for `allOf`."""

    @property
    def own_conditions(self) -> int:
        """How many schemas `allOf` has without `further`."""
        every = self.schema.get("allOf")
        return len(every) if isinstance(every, list) else 0


class _Reason(NamedTuple):
    """Why a schema may not be written."""

    rule: str
    what: str
    mark: Node | None


def loosened(schema: JsonObject, survey: Survey, tell: Tell, purse: Purse) -> JsonObject:
    """`schema` for a model. Not for one that is sensitive as a whole."""
    return _Loosening(schema, survey, tell, purse).run()


class _Loosening:
    def __init__(self, schema: JsonObject, survey: Survey, tell: Tell, purse: Purse) -> None:
        self._schema = schema
        self._survey = survey
        self._tell = tell
        self._purse = purse
        self._tasks: list[_Task] = []
        self._placed: dict[int, Path] = {}
        self._led: list[Led] = []

    def run(self) -> JsonObject:
        top: list[Json] = [None]
        self._child(self._schema, TOP, TOP, _into(top, 0))
        self._drain()
        written = top[0] if isinstance(top[0], dict) else {}
        finder, leading = References(self._schema), Leading(written, self._purse)
        for led in self._led:
            # What has to be written for a reference may hold further ones: the list grows on the way.
            place = self._place(finder.resolve(led.reference), leading)
            said = leading.lead(led, place)
            if said:
                self._tell(led.raw, LOOSENED, said, None)
        return written

    def _place(self, found: Place | None, leading: Leading) -> Path | None:
        """Where the target of a reference is written, which may have to be done first; None where it may not be."""
        target = found.value if found else None
        if found is None or not isinstance(target, dict):
            return None
        if id(target) not in self._placed:
            raw = TOP.down(*found.tokens)
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
        """Write each keyword of one schema object, and note what is below it as further tasks."""
        schema = task.schema
        for keyword, value in schema.items():
            if keyword in DROPPED:
                self._drop(task, keyword, value)
            elif keyword in CONDITION and "if" in schema:
                self._tell(task.raw.down(keyword), LOOSENED, _EITHER, None)
            elif keyword in REFERENCES:
                task.made[keyword] = value
                self._led.append(Led(holder=task.made, keyword=keyword, raw=task.raw.down(keyword)))
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
        """Whether it may speak of a whole result."""
        return id(task.schema) in self._survey.at_root

    def _reason(self, child: Json, raw: Path) -> "_Reason | None":
        """Why a schema may not be written: its place is sensitive, or cannot be judged."""
        if isinstance(child, bool):
            return None
        if not isinstance(child, dict) or raw.depth > MAX_DEPTH:
            return _Reason(Rule.INTERNAL, _BROKEN, None)
        reason = self._survey.hidden.get(id(child))
        if reason:
            marked = reason.mark_key is not None
            rule = Rule.X_SENSITIVE if marked else Rule.INTERNAL
            return _Reason(rule, reason.reason, reason if marked else None)
        if id(child) not in self._survey.known and mark_of(child)[0] is Mark.SENSITIVE:
            return _Reason(Rule.X_SENSITIVE, mark_of(child)[2], None)
        return None

    def _child(self, child: Json, raw: Path, place: Path, put: Put) -> bool:
        """Note a schema to be written; False where it may not be, which is told."""
        reason = self._reason(child, raw)
        if reason:
            self._tell(raw, *reason)
            return False
        if isinstance(child, dict):
            task = _Task(schema=child, raw=raw, place=place)
            self._placed.setdefault(id(child), place)
            self._tasks.append(task)
            put(task.made)
        else:
            put(child)
        return True

    def _beside(self, child: Json, other: JsonObject, raw: Path, place: Path, put: Put) -> None:
        """A schema, or the other one that is ours; that one alone where the schema may not be written."""
        both: list[Json] = [other, None]
        if self._child(child, raw, place.down("anyOf", 1), _into(both, 1)):
            put({"anyOf": both})
            self._tell(raw, LOOSENED, _PLACEHOLDER if other is PLACEHOLDER else _NOTICE, None)
        else:
            put(other)

    def _drop(self, task: _Task, keyword: str, value: Json) -> None:
        if is_idle(keyword, value):
            task.made[keyword] = value
        else:
            self._tell(task.raw.down(keyword), LOOSENED, DROPPED[keyword], None)

    def _map(self, task: _Task, keyword: str, value: JsonObject) -> None:
        """Schemas by keys, patterns or names."""
        written: JsonObject = {}
        task.made[keyword] = written
        at_top, depends = self._is_at_top(task), keyword in {"dependentSchemas", "dependencies"}
        for key, child in value.items():
            raw, place = task.raw.down(keyword, key), task.place.down(keyword, key)
            if at_top and key == MEMBER and (depends or keyword == "properties"):
                self._tell(raw, LOOSENED, _NOTICE, None)
            elif depends and isinstance(child, list):
                self._tell(raw, LOOSENED, DROPPED["required"], None)
            elif at_top and keyword == "patternProperties" and KeyPattern(key).match(MEMBER) is not Match.NO:
                self._beside(child, STRICT_NOTICE, raw, place, _into(written, key))
            else:
                self._child(child, raw, place, _into(written, key))

    def _items(self, task: _Task, keyword: str, value: Json) -> None:
        raw, place = task.raw.down(keyword), task.place.down(keyword)
        if not isinstance(value, list):
            if "prefixItems" in task.schema and self._reason(value, raw):
                # Drafts differ about which items it speaks of, so it asks for nothing.
                self._child(value, raw, place, _into({}, keyword))
            else:
                self._item(value, raw, place, _into(task.made, keyword))
            return
        written: list[Json] = [None] * len(value)
        task.made[keyword] = written
        for index, child in enumerate(value):
            self._item(child, raw.down(index), place.down(index), _into(written, index))

    def _item(self, child: Json, raw: Path, place: Path, put: Put) -> None:
        if isinstance(child, bool):
            put(child)
        elif isinstance(child, dict) and admits_placeholder(child) and not self._reason(child, raw):
            self._child(child, raw, place, put)
        else:
            self._beside(child, PLACEHOLDER, raw, place, put)

    def _list(self, task: _Task, keyword: str, value: list[Json]) -> None:
        """Alternatives, or schemas that all apply."""
        raw, place = task.raw.down(keyword), task.place.down(keyword)
        written: list[Json] = [True] * len(value)
        if keyword == "oneOf":
            self._tell(raw, LOOSENED, _ONE_OF, None)
            place = self._alternatives(task, written)
        else:
            task.made[keyword] = written
        for index, child in enumerate(value):
            # Where one may not be written, true stands there: more fits.
            self._child(child, raw.down(index), place.down(index), _into(written, index))

    def _alternatives(self, task: _Task, written: list[Json]) -> Path:
        """Put alternatives where the schema has none of its own; the place of the list."""
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
        """A keyword that holds no schema."""
        raw, limit = task.raw.down(keyword), number_of(value)
        if keyword in KNOWN:
            self._tell(raw, Rule.INTERNAL, _BROKEN, None)
        elif keyword == "maxProperties" and self._is_at_top(task) and limit is not None:
            if isinstance(limit, int):
                task.made[keyword] = limit + 1
            self._tell(raw, LOOSENED, _NOTICE, None)
        elif names_containers(keyword, value):
            self._tell(raw, LOOSENED, _PARTS, None)
        elif holds_values(keyword, value) and (self._survey.may_mark(task.schema) or not is_plain(value)):
            self._tell(raw, Rule.X_SENSITIVE if is_plain(value) else Rule.INTERNAL, _EXAMPLES, None)
        elif isinstance(value, DuplicateKeys):
            self._tell(raw, Rule.INTERNAL, _BROKEN, None)
        else:
            task.made[keyword] = value

    def _allow_notice(self, task: _Task) -> None:
        """Let a whole result have the member that says what is missing."""
        made = task.made
        named = made.get("properties")
        if isinstance(named, dict):
            named[MEMBER] = NOTICE_SCHEMA
            self._tell(task.raw.down("properties"), LOOSENED, _NOTICE, None)
        elif made.get("additionalProperties", True) is not True:
            made["properties"] = {MEMBER: NOTICE_SCHEMA}
            self._tell(task.raw.down("additionalProperties"), LOOSENED, _NOTICE, None)


def _into(holder: JsonObject | list[Json], token: str | int) -> Put:
    """Puts into a container."""

    def put(value: Json) -> None:
        if isinstance(holder, dict):
            holder[str(token)] = value
        else:
            holder[int(token)] = value

    return put
