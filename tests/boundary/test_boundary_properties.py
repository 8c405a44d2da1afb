"""Properties that hold for every result, every tool and every boundary."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.boundary.bound import bound, raw_of
from inspector.boundary.bounded import Bounded, ErrorCode, Level, Rule
from inspector.boundary.mask import mask
from inspector.boundary.notice import MEMBER, is_own, notice_in_block
from inspector.boundary.walking import WITHHELD
from inspector.hosts.profile import Call
from inspector.hosts.registry import host
from inspector.json.exact import DuplicateKeys, Json, JsonObject, JsonText, Number, dump_text, parse
from inspector.json.pointer import child, resolve, split
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError

KEYS = ["a", "b", "s-1", "~/", MEMBER, "type"]
TRUST = "io.modelcontextprotocol/trust-annotations"
# tests/proof tries the same statements on 2,000 cases; here the values are odder, and the cases few.
quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
strict_levels = st.sampled_from([Level.DECLARED, Level.CLOSED])

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(
        [
            2**60 + 1,
            1.5,
            Number("1.10"),
            Number("NaN"),
            "x",
            "secret text",
            WITHHELD,
            "secret_reference",
            "\ud800",
        ]
    )
)


def duplicated(found: JsonObject) -> Json:
    pairs = tuple(found.items())
    return DuplicateKeys(pairs + pairs[:1])


def containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    members = st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    return st.lists(inner, max_size=2) | members | members.filter(bool).map(duplicated)


values: st.SearchStrategy[Json] = st.recursive(scalars, containers, max_leaves=6)
marks: st.SearchStrategy[JsonObject] = st.sampled_from(
    [{}, {}, {}, {"x-sensitive": True}, {"x-sensitive": False}, {"x_sensitive": True}]
)
types: st.SearchStrategy[JsonObject] = st.sampled_from(
    [{}, {"type": "string"}, {"type": "integer"}, {"type": ["object", "array"]}, {"enum": ["x", 1]}]
)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> Json:
    """Output schemas that describe the keys that the values have."""
    schema: JsonObject = {**draw(types), **draw(marks)}
    if depth == 0:
        return draw(st.sampled_from([schema, True, False, {"$ref": "#"}, {"$ref": "https://a/b"}, None]))
    inner = schemas(depth=depth - 1)
    if draw(st.booleans()):
        schema |= {
            "type": "object",
            "properties": draw(st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
        }
    for keyword in draw(
        st.lists(st.sampled_from(["items", "additionalProperties", "contains", "propertyNames"]), max_size=1)
    ):
        schema[keyword] = draw(inner)
    for keyword in draw(st.lists(st.sampled_from(["prefixItems", "anyOf", "allOf"]), max_size=1)):
        schema[keyword] = draw(st.lists(inner, min_size=1, max_size=2))
    if draw(st.integers(0, 5)) == 0:
        schema["patternProperties"] = {"^s": draw(inner)}
    return schema


@st.composite
def matched(draw: st.DrawFn, depth: int = 2) -> tuple[JsonObject, Json]:
    """A schema, and a value that fits it except for members that the schema does not name."""
    kind = draw(
        st.sampled_from(["typed", "marked", "object", "object", "array"] if depth else ["typed", "marked"])
    )
    if kind == "marked":
        return {"x-sensitive": True}, draw(scalars | values)
    if kind == "typed":
        return {"type": "string", **draw(marks)}, draw(st.sampled_from(["x", "secret text", 5]))
    if kind == "array":
        schema, value = draw(matched(depth=depth - 1))
        others = draw(st.lists(scalars, max_size=2))
        return {"type": "array", draw(st.sampled_from(["items", "contains"])): schema}, [
            value,
            *others,
            value,
        ]
    properties: JsonObject = {}
    members: JsonObject = {}
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True)):
        properties[key], members[key] = draw(matched(depth=depth - 1))
    schema: JsonObject = {"type": "object", "properties": properties}
    if draw(st.integers(0, 3)) == 0:
        members["undeclared"] = draw(scalars)
    return schema, members


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A tool with an output schema, and a result with values that the schema describes."""

    tool: Tool
    shape: "Shape"
    structured: Json

    @property
    def raw(self) -> Json:
        return self.shape.result(self.structured)

    def marked(self, level: Level) -> list[str]:
        """The pointers, into the structured content, of the values that the schema withholds."""
        prefix = "" if self.shape.is_page else "/structuredContent"
        removals = bound(Result(value=self.raw), self.tool, level).removals
        return [
            removal.pointer.removeprefix(prefix)
            for removal in removals
            if removal.rule == Rule.X_SENSITIVE and removal.pointer.startswith(f"{prefix}/")
        ]

    def with_marked(self, level: Level, replacement: Json) -> Json:
        """The raw result with another value in each of those places."""
        return self.shape.result(changed(self.structured, self.marked(level), replacement))


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    """Tools with every kind of declaration, good and bad."""
    definition: JsonObject = {"name": "t", "inputSchema": {"type": "object"}}
    if draw(st.integers(0, 4)):
        definition["outputSchema"] = draw(schemas())
    hint = draw(st.sampled_from([None, None, None, True, False, "x"]))
    if hint is not None:
        definition["annotations"] = {"sensitiveHint": hint}
    if draw(st.integers(0, 9)) == 0:
        definition["annotations"] = {
            "returnMetadata": {"source": "user", "sensitivity": ["pii", "credentials"]}
        }
    return Tool(name="t", definition=definition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A result without its structured content, to be combined with several contents."""

    blocks: tuple[Json, ...]
    """A string in `mirror` is replaced by a text block that repeats the structured content."""
    extra: JsonObject
    is_page: bool

    def result(self, structured: Json) -> Json:
        if self.is_page:
            return structured
        content: list[Json] = [
            {"type": "text", "text": dump_text(structured)} if block == "mirror" else block
            for block in self.blocks
        ]
        return {"content": content, "structuredContent": structured, **self.extra}


BLOCKS: list[Json] = [
    "mirror",
    "mirror",
    {"type": "text", "text": "words"},
    {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}},
    {"type": "text", "text": "odd", "annotations": {"audience": []}},
    {"type": "text", "text": "m", "_meta": {"k": 1, TRUST: {"untrusted": True}}},
    {"type": "text", "text": "l", "_meta": {TRUST: {"sensitive": True}}},
    {"type": "text", "text": '{"a":"x","b":[1.10,{"a":"secret text"}]}'},
    {"type": "text", "text": '{"a":1,"a":2}'},
    {"type": "resource", "resource": {"uri": "a:b", "text": '{"a":"x","s-1":2}', "_meta": {"k": 1}}},
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "secret_reference", "id": "1", "label": "l", "redeemUrl": "u"},
    {"type": "secret_reference", "label": 5},
    {"type": "hologram"},
    {"type": "text", "text": "tool_error"},
    {"type": "text", "text": 'Withheld from this result: {"fields":["a"]}'},
    {"type": "text", "text": 'Withheld from this result: {"contentBlocks":"up to 5"}'},
    "a string",
    DuplicateKeys((("type", "text"), ("type", "text"), ("text", "x"))),
]
extras: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {},
    optional={
        "isError": st.sampled_from([True, False, "yes"]),
        "_meta": st.sampled_from(
            [{"k": 1}, {TRUST: {"sensitive": False}}, 5, {"annotations": {"attribution": ["a:b"]}}]
        ),
        "resultType": st.just("complete"),
        "resultKind": st.just("secret text"),
        "a": values,
    },
)
shapes = st.builds(
    Shape,
    blocks=st.lists(st.sampled_from(BLOCKS), max_size=4).map(tuple),
    extra=extras,
    is_page=st.sampled_from([False, False, True]),
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A tool and a result that matches it."""
    schema, structured = draw(matched())
    definition: JsonObject = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}
    hint = draw(st.sampled_from([None, None, None, True, "x"]))
    if hint is not None:
        definition["annotations"] = {"sensitiveHint": hint}
    return Case(tool=Tool(name="t", definition=definition), shape=draw(shapes), structured=structured)


def result_of(shape: Shape, structured: Json) -> Outcome:
    return Result(value=shape.result(structured))


def any_result(value: Json) -> Outcome:
    return Result(value=value)


def odd_error(value: Json) -> Outcome:
    return RpcError(value=value)


def usual_error(code: Json, data: Json) -> Outcome:
    return RpcError(value={"code": code, "message": "secret text", "data": data})


def failure(kind: FailureKind) -> Outcome:
    return Failure(kind=kind, detail="secret text", http_status=401)


def as_call(case: Case) -> tuple[Outcome, Tool]:
    return Result(value=case.raw), case.tool


codes: st.SearchStrategy[Json] = st.sampled_from([-32602, -32601, -32603, 5, True])
outcomes: st.SearchStrategy[Outcome] = (
    st.builds(result_of, shapes, values)
    | values.map(any_result)
    | values.map(odd_error)
    | st.builds(usual_error, codes, values)
    | st.sampled_from(FailureKind).map(failure)
)
calls = st.tuples(outcomes, tools()) | cases().map(as_call)


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every scalar by its pointer, except those that the boundary itself added."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (pointer == "" and key == MEMBER):
                yield from leaves(inner, child(pointer, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, child(pointer, index))
    elif isinstance(value, DuplicateKeys):
        for key, inner in value.pairs:
            yield from leaves(inner, child(pointer, key))
    elif value != WITHHELD:
        yield pointer, dump_text(value)


def leaves_of_block(block: Json) -> frozenset[tuple[str, str]]:
    """Like `leaves`, including the leaves inside JSON text."""
    found: set[tuple[str, str]] = set()
    for pointer, leaf in leaves(block):
        parsed = (
            parse(str(resolve(block, pointer)))
            if pointer.endswith("/text") and not isinstance(block, DuplicateKeys)
            else None
        )
        if isinstance(parsed, JsonText) and isinstance(parsed.value, (dict, list)):
            found.update((pointer + inner, text) for inner, text in leaves(parsed.value))
        else:
            found.add((pointer, leaf))
    return frozenset(found)


def content_of(bounded: Bounded) -> list[Json]:
    """The blocks that contain something of the server's."""
    result = bounded.result
    content: Json = result.get("content", []) if isinstance(result, dict) else []
    assert isinstance(content, list)
    names = frozenset(KEYS)
    codes = {code.value for code in ErrorCode}
    return [
        block
        for block in content
        if not notice_in_block(block, names)
        and not is_own(block, Level.DECLARED)
        and not (isinstance(block, dict) and block.get("text") in codes)
    ]


def structured_of(bounded: Bounded) -> frozenset[tuple[str, str]]:
    result = bounded.result
    if not isinstance(result, dict) or "structuredContent" not in result:
        return frozenset()
    return frozenset(leaves(result["structuredContent"]))


def removals_of(bounded: Bounded) -> list[tuple[str, str, str | None]]:
    return [(removal.pointer, str(removal.rule), removal.name) for removal in bounded.removals]


@given(outcomes, st.none() | tools(), st.sampled_from(Level))
@quick
def test_bounding_never_raises_and_returns_a_result_or_an_error(
    outcome: Outcome, tool: Tool | None, level: Level
) -> None:
    before = dump_text(raw_of(outcome))
    bounded = bound(outcome, tool, level)
    assert dump_text(raw_of(outcome)) == before
    assert not any(
        "failed" in removal.detail and removal.rule == Rule.INTERNAL for removal in bounded.removals
    )
    if level is Level.OPEN:
        assert dump_text(bounded.result) == before
        return
    assert isinstance(bounded.result, dict)
    if isinstance(outcome, Result):
        content = bounded.result.get("content", [])
        assert isinstance(content, list)
        assert all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content)
    else:
        assert bounded.result.keys() == {"error"}
        assert bounded.error is not None


@given(calls, strict_levels)
@quick
def test_bounding_a_bounded_result_changes_nothing_and_removes_nothing(
    call: tuple[Outcome, Tool], level: Level
) -> None:
    outcome, tool = call
    once = bound(outcome, tool, level)
    assert isinstance(once.result, dict)
    outcome_again = (
        Result(value=once.result) if isinstance(outcome, Result) else RpcError(value=once.result["error"])
    )
    again = bound(outcome_again, tool, level)
    assert removals_of(again) == []
    assert dump_text(again.result) == dump_text(once.result)


@given(calls, strict_levels)
@quick
def test_every_removal_points_at_something_in_the_raw_result(
    call: tuple[Outcome, Tool], level: Level
) -> None:
    outcome, tool = call
    for removal in bound(outcome, tool, level).removals:
        resolve(raw_of(outcome), removal.pointer)


@given(cases())
@quick
def test_closed_passes_no_more_than_declared_and_declared_no_more_than_sent(case: Case) -> None:
    raw = case.raw
    outcome = Result(value=raw)
    declared, closed = bound(outcome, case.tool, Level.DECLARED), bound(outcome, case.tool, Level.CLOSED)
    is_result = isinstance(raw, dict) and ("content" in raw or "structuredContent" in raw)
    raw_structured = raw.get("structuredContent") if is_result and isinstance(raw, dict) else raw
    assert structured_of(closed) <= structured_of(declared) <= frozenset(leaves(raw_structured))
    raw_content = raw.get("content", []) if is_result and isinstance(raw, dict) else [raw]
    sent = [leaves_of_block(block) for block in raw_content] if isinstance(raw_content, list) else []
    passed = [leaves_of_block(block) for block in content_of(declared)]
    assert all(any(block <= whole for whole in sent) for block in passed)
    assert all(any(leaves_of_block(block) <= whole for whole in passed) for block in content_of(closed))


@given(cases(), strict_levels)
@quick
def test_keys_keep_their_order(case: Case, level: Level) -> None:
    structured = case.structured
    bounded = bound(Result(value={"structuredContent": structured}), case.tool, level)
    assert isinstance(bounded.result, dict)
    left = bounded.result.get("structuredContent")
    if isinstance(left, dict) and isinstance(structured, dict):
        kept = [key for key in left if key != MEMBER]
        assert kept == [key for key in structured if key in kept]


def changed(value: Json, pointers: list[str], replacement: Json) -> Json:
    """`value` with another value at every pointer."""
    copied = parse(dump_text(value))
    assert isinstance(copied, JsonText)
    whole: list[Json] = [copied.value]
    for pointer in pointers:
        tokens = ["0", *split(pointer)]
        holder = resolve(
            whole, "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens[:-1])
        )
        if isinstance(holder, dict):
            holder[tokens[-1]] = replacement
        elif isinstance(holder, list):
            holder[int(tokens[-1])] = replacement
    return whole[0]


@given(cases(), strict_levels, st.sampled_from(["OTHER SECRET", 987654321, None, ["a"], {"a": "b"}]))
@quick
def test_results_that_differ_only_in_withheld_values_are_bounded_alike(
    case: Case, level: Level, replacement: Json
) -> None:
    one = bound(Result(value=case.raw), case.tool, level)
    other = bound(Result(value=case.with_marked(level, replacement)), case.tool, level)
    if removals_of(one) != removals_of(other):
        return
    assert dump_text(one.result) == dump_text(other.result)
    spec = host("spec")
    assert spec
    assert dump_text(spec.model_view(one, Call()).model) == dump_text(spec.model_view(other, Call()).model)


@given(cases())
@quick
def test_a_marked_value_never_passes_and_is_masked_in_the_raw_result(case: Case) -> None:
    canary = "CANARY-7f3a"
    raw = case.with_marked(Level.DECLARED, canary)
    bounded = bound(Result(value=raw), case.tool, Level.DECLARED)
    assert canary not in dump_text(bounded.result)
    assert canary not in dump_text(mask(raw, bounded.removals))
    assert not any(canary in f"{removal.detail}{removal.name}" for removal in bounded.removals)
