"""Definitions as a model is given them, as text and as JSON."""

from inspector.cli.side_by_side import REMOVED
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import Difference, ProjectedDefinition, Step
from inspector.json.document import MAX_LINES, document_lines
from inspector.json.exact import Json, JsonObject
from inspector.safe_text import safe_line

_HOST, _LOOSENED = "~", "≈"


def definition_shape(shown: ProjectedDefinition, host: str) -> JsonObject:
    """`given` of a tool."""
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
    """What the model is given of one tool, and every difference with its reason."""
    name = shown.raw.get("name")
    title = safe_line(name) if isinstance(name, str) else "(no name)"
    seen = "" if shown.observed else ", not observed"
    given = f"{shown.model_bytes:,} to the model, about {shown.about_tokens:,} tokens (bytes / 4)"
    lines = [
        f"{title} (boundary: {shown.level.value}, host: {host}{seen})",
        f"{shown.raw_bytes:,} bytes as sent, {given}",
        *document_lines(shown.model),
    ]
    lines += [_told(difference) for difference in shown.differences[:MAX_LINES]]
    if len(shown.differences) > MAX_LINES:
        lines.append(f"… {len(shown.differences) - MAX_LINES:,} more differences")
    return [*lines, *shown.notes]


def _difference_shape(difference: Difference) -> JsonObject:
    return {
        "pointer": difference.pointer,
        "step": difference.step.value,
        "rule": difference.rule or None,
        "vocabulary": difference.claim.vocabulary if difference.claim else None,
        "what": difference.what,
    }


def _told(difference: Difference) -> str:
    at_host = difference.step is Step.HOST
    rule = "host" if at_host else difference.rule
    sign = _HOST if at_host else _LOOSENED if rule == LOOSENED else REMOVED
    pointer = safe_line(difference.pointer) or "(the whole)"
    return f"{sign} {pointer}  [{rule}] {safe_line(difference.what)}"
