"""The effect of a change of a server on what reaches models."""

import pytest

from inspector.boundary.bounded import Level
from inspector.hosts.comparison import Comparison, compare
from inspector.hosts.reach import ReachChange, ReachKind, reach_changes
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

TOKEN = "CANARY-7f3a-91be-44d0"


def compared(structured: JsonObject, *secret: str, level: Level = Level.DECLARED) -> Comparison:
    properties: JsonObject = {
        name: {"type": "string", **({"x-sensitive": True} if name in secret else {})}
        for name in ("id", "token")
    }
    tool = Tool(
        name="keys",
        definition={"name": "keys", "inputSchema": {}, "outputSchema": {"properties": properties}},
    )
    return compare(Result(value={"content": [], "structuredContent": structured}), tool, level)


WITHOUT: JsonObject = {"id": "an identifier"}
WITH: JsonObject = {"id": "an identifier", "token": TOKEN}
PLACE = ("/structuredContent/token",)


@pytest.mark.parametrize("level", [Level.OPEN, Level.DECLARED])
@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ((WITHOUT,), (WITH, "token"), ReachKind.LEAKS),
        ((WITH, "token"), (WITHOUT,), ReachKind.STOPPED),
        ((WITH, "token"), (WITH,), ReachKind.PASSES),
        ((WITH, "token"), (WITH, "token"), None),
        ((WITHOUT,), (WITH,), None),
        # Another value at the same place is not a change: the place leaked before.
        ((WITH, "token"), ({**WITH, "token": "CANARY-another-one"}, "token"), None),
    ],
)
def test_a_new_leak_or_a_new_withholding_is_reported_per_place(
    level: Level, before: tuple[JsonObject, str], after: tuple[JsonObject, str], kind: ReachKind | None
) -> None:
    found = reach_changes(compared(*before, level=level), compared(*after, level=level))
    assert [(change.kind, change.pointers) for change in found] == ([(kind, PLACE)] if kind else [])
    for change in found:
        assert "spec" in change.hosts
        # It gives its model text only, and there is none.
        assert "gemini-cli" not in change.hosts


def test_none_of_many_values_that_are_no_longer_withheld_is_left_out() -> None:
    values: JsonObject = {f"token{number}": f"CANARY-{number:04}-91be-44d0" for number in range(150)}
    outcome = Result(value={"content": [], "structuredContent": values})

    def found_of(leaf: JsonObject) -> Comparison:
        properties: JsonObject = dict.fromkeys(values, leaf)
        definition: JsonObject = {
            "name": "keys",
            "inputSchema": {},
            "outputSchema": {"properties": properties},
        }
        return compare(outcome, Tool(name="keys", definition=definition), Level.DECLARED)

    before, after = found_of({"type": "string", "x-sensitive": True}), found_of({"type": "string"})
    found = reach_changes(before, after)
    assert {change.kind for change in found} == {ReachKind.PASSES}
    assert sum(len(change.pointers) for change in found) == len(values)


def test_a_place_that_becomes_sensitive_is_withheld_except_at_open() -> None:
    (found,) = reach_changes(compared(WITH), compared(WITH, "token"))
    assert isinstance(found, ReachChange)
    assert (found.kind, found.pointers) == (ReachKind.WITHHELD, PLACE)
    assert "spec" in found.hosts
    (opened,) = reach_changes(compared(WITH, level=Level.OPEN), compared(WITH, "token", level=Level.OPEN))
    assert (opened.kind, opened.pointers) == (ReachKind.LEAKS, PLACE)
