"""Tool definitions as text and as JSON: a model's view of one, and the changes between two listings."""

from collections.abc import Sequence

from inspector.cli.results import REMOVED, value_lines
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import DefinitionDifference, ProjectedDefinition, ProjectionStep
from inspector.json.document import MAX_LINES
from inspector.json.exact import Json, JsonObject
from inspector.pins.diff import DefinitionChange
from inspector.safe_text import safe_line

_HOST, _LOOSENED = "~", "≈"


def definition_shape(shown: ProjectedDefinition, host: str) -> JsonObject:
    """The member `given` of a tool in `sightline list --definitions`."""
    return {
        "boundary": shown.level.value,
        "host": host,
        "observed": shown.observed,
        "model": shown.model,
        "differences": [_difference_shape(difference) for difference in shown.differences],
        "notes": list[Json](shown.notes),
        "rawBytes": shown.raw_bytes,
        "modelBytes": shown.model_bytes,
        "aboutTokens": shown.about_tokens,
    }


def definition_lines(shown: ProjectedDefinition, host: str) -> list[str]:
    """A tool's definition as the model gets it, in full, and each difference with its reason."""
    name = shown.raw.get("name")
    title = safe_line(name) if isinstance(name, str) else "(no name)"
    seen = "" if shown.observed else ", not observed"
    given = f"model gets {shown.model_bytes:,} B, about {shown.about_tokens:,} tokens (bytes / 4)"
    lines = [
        f"{title} (boundary: {shown.level.value}, host: {host}{seen})",
        f"server sent {shown.raw_bytes:,} B, {given}",
        *value_lines(shown.model),
    ]
    lines += [_difference_line(difference) for difference in shown.differences[:MAX_LINES]]
    if len(shown.differences) > MAX_LINES:
        lines.append(f"… {len(shown.differences) - MAX_LINES:,} more differences")
    return [*lines, *shown.notes]


def _difference_shape(difference: DefinitionDifference) -> JsonObject:
    return {
        "pointer": difference.pointer,
        "step": difference.step.value,
        "rule": difference.rule or None,
        "vocabulary": difference.claim.vocabulary if difference.claim else None,
        "what": difference.what,
    }


def _difference_line(difference: DefinitionDifference) -> str:
    at_host = difference.step is ProjectionStep.HOST
    rule = "host" if at_host else difference.rule
    sign = _HOST if at_host else _LOOSENED if rule == LOOSENED else REMOVED
    pointer = safe_line(difference.pointer) or "(the whole definition)"
    return f"{sign} {pointer}  [{rule}] {safe_line(difference.what)}"


def changes_shape(found: Sequence[DefinitionChange], *, instructions: bool | None) -> JsonObject:
    """A JSON object with the members `changes` and `instructionsChanged`.

    `instructionsChanged` is null if the instructions of one side are unknown.
    """
    return {
        "changes": [
            {
                "tool": change.tool,
                "kind": change.kind.value,
                "pointer": change.pointer,
                "weakens": list(change.weakens),
            }
            for change in found
        ],
        "instructionsChanged": instructions,
    }


def change_lines(found: Sequence[DefinitionChange], *, instructions: bool | None) -> list[str]:
    """One line for each change, marked `!` if it drops a restriction, and a summary."""
    lines = ["! the server's instructions changed"] if instructions else []
    for change in found:
        sign = "!" if change.weakens else " "
        where = f" {change.pointer}" if change.pointer else ""
        lines.append(f"{sign} {safe_line(change.tool)}{safe_line(where)} {change.kind.value}")
        lines += [f"    no longer declared: {safe_line(what)}" for what in change.weakens]
    count = len(found) + (instructions is True)
    if not count:
        return ["No changes."]
    weaker = sum(bool(change.weakens) for change in found)
    return [*lines, f"{count} change{'' if count == 1 else 's'}, {weaker} with fewer restrictions"]
