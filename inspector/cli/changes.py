"""Changes of definitions, as text and as JSON."""

from collections.abc import Sequence

from inspector.json.exact import JsonObject
from inspector.pins.diff import DefinitionChange
from inspector.safe_text import safe_line


def changes_shape(found: Sequence[DefinitionChange], *, instructions: bool | None) -> JsonObject:
    """`changes` and `instructionsChanged`, null where those are not known of both sides."""
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
    """A line for each change, `!` before those that declare less, and what it amounts to."""
    lines = ["! the server's instructions changed"] if instructions else []
    for change in found:
        sign = "!" if change.weakens else " "
        where = f" {change.pointer}" if change.pointer else ""
        lines.append(f"{sign} {safe_line(change.tool)}{safe_line(where)} {change.kind.value}")
        lines += [f"    declares less: {safe_line(what)}" for what in change.weakens]
    weaker = sum(bool(change.weakens) for change in found)
    count = len(found) + (instructions is True)
    return [*lines, f"{count} change{'' if count == 1 else 's'}, {weaker} of which declare less"]
