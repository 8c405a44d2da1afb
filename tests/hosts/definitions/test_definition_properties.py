"""Properties that hold for every definition, whatever its schemas."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.hosts.definitions.projection import project_definition
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject, JsonText, dump, dump_text, parse
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result
from inspector.schema.validation import violations
from tests.hosts.definitions.schemas import documents

quick = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
SPEC = host("spec")
NO_HINT: list[JsonObject] = [{}]
HINTS = [*NO_HINT * 7, {"annotations": {"sensitiveHint": True}}]
ABOUT: list[JsonObject] = [
    {},
    {},
    {"content": [{"type": "text", "text": "another secret", "annotations": {"audience": ["user"]}}]},
    {"_meta": {"annotations": {"sensitiveHint": True}}},
    {"content": [{"type": "hologram"}]},
]
strict_levels = st.sampled_from([Level.DECLARED, Level.CLOSED])


def copied(value: Json) -> Json:
    """A copy as from the wire: no two places share an object."""
    parsed = parse(dump(value))
    assert isinstance(parsed, JsonText)
    return parsed.value


@given(documents(), st.sampled_from(HINTS), st.sampled_from(ABOUT), strict_levels)
@quick
def test_a_bounded_result_fits_the_bounded_schema(
    document: tuple[Json, Json], hint: JsonObject, about: JsonObject, level: Level
) -> None:
    schema, value = copied(document[0]), document[1]
    assume(not violations(value, schema))
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema, **hint})
    bounded = bound(Result(value={"content": [], "structuredContent": value, **about}), tool, level).result
    assert SPEC
    model = project_definition(tool, level, SPEC).model
    assert isinstance(bounded, dict)
    if "structuredContent" not in bounded or "outputSchema" not in model:
        # A tool whose schema is withheld promises no structured content.
        assert "structuredContent" not in bounded
        return
    left = bounded["structuredContent"]
    found = violations(left, model["outputSchema"])
    assert not found, (dump_text(left), dump_text(model["outputSchema"]), found)


@given(documents(), st.sampled_from(HINTS), st.sampled_from(Level))
@quick
def test_every_difference_points_into_the_unchanged_definition(
    document: tuple[Json, Json], hint: JsonObject, level: Level
) -> None:
    definition: JsonObject = {"name": "t", "inputSchema": {}, "outputSchema": copied(document[0]), **hint}
    before = dump(definition)
    assert SPEC
    shown = project_definition(Tool(name="t", definition=definition), level, SPEC)
    assert dump(definition) == before
    for difference in shown.differences:
        resolve(definition, difference.pointer)
        assert difference.what
    if not shown.differences:
        assert dump(shown.model) == before


@given(documents())
@quick
def test_no_mark_is_left_in_the_schema(document: tuple[Json, Json]) -> None:
    schema = copied(document[0])
    if isinstance(schema, dict):
        schema.pop("x-own", None)
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    assert SPEC
    model = project_definition(tool, Level.DECLARED, SPEC).model
    assert '"x-sensitive":true' not in dump_text(model)
    assert "x_sensitive" not in dump_text(model)


@given(documents(), strict_levels)
@quick
def test_a_bounded_result_still_fits_a_schema_that_was_bounded_twice(
    document: tuple[Json, Json], level: Level
) -> None:
    schema, value = copied(document[0]), document[1]
    assume(not violations(value, schema))
    assert SPEC
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    bounded = bound(Result(value={"structuredContent": value}), tool, level).result
    assert isinstance(bounded, dict)
    for _ in range(2):
        tool = Tool(name="t", definition=project_definition(tool, level, SPEC).model)
    if "structuredContent" in bounded:
        assert not violations(bounded["structuredContent"], tool.output_schema)
