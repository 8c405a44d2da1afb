"""Whether definitions repeat what was withheld from results: then they must not be kept."""

from collections.abc import Iterable

from inspector.core.boundary.policy import DEFAULT_POLICY
from inspector.core.catalogue import Tool
from inspector.core.json_text import Json, JsonObject
from inspector.core.outcome import Failure, Outcome
from inspector.core.recording.bounding import Bounder
from inspector.core.recording.markers import Key


def repeats_withheld(
    tools: Iterable[Tool],
    instructions: str | None,
    calls: Iterable[tuple[Tool | None, JsonObject, Outcome]],
) -> str:
    """What repeats a value that was withheld from a call's result, or marked sensitive in its arguments; empty where nothing does.

    `calls`: tool, arguments and outcome of each. Linear in what is compared.
    """
    bounder = Bounder(Key(bytes(32)), DEFAULT_POLICY, ())
    for tool, arguments, outcome in calls:
        if not isinstance(outcome, Failure):
            bounder.page_call(tool, arguments, outcome)
    told: list[tuple[str, Json]] = [(tool.name, tool.definition) for tool in tools]
    for name, value in (*told, ("the server's instructions", instructions)):
        if bounder.known.repeats(value):
            return name
    return ""
