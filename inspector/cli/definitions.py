"""Tool definitions as text and as JSON: a model's view of one, and the changes between two listings."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from inspector.cli.output import DIAGNOSTICS
from inspector.cli.results import REMOVED, value_lines
from inspector.credentials.cutting import masked_start
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import DefinitionDifference, ProjectedDefinition, ProjectionStep
from inspector.json.diff import ChangeKind
from inspector.json.document import MAX_LINES
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.pins.diff import DefinitionChange
from inspector.safe_text import safe_line

_HOST, _LOOSENED = "~", "≈"
_MAX_TEXT = 2_000
"""The maximum number of characters of one side of a change."""


def definition_shape(shown: ProjectedDefinition, host: str) -> JsonObject:
    """The member `given` of a tool in `sightline list --definitions`: its definition in the model's view."""
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


class Instructions(Struct, frozen=True, kw_only=True):
    """The instructions of a server on both sides of a comparison. Untrusted texts.

    `before`, `after`: None if the server gives no instructions on that side.
    """

    before: str | None
    after: str | None

    @property
    def kind(self) -> ChangeKind | None:
        """The kind of change; None if both sides have the same instructions."""
        if self.before == self.after:
            return None
        if self.before is None:
            return ChangeKind.ADDED
        return ChangeKind.REMOVED if self.after is None else ChangeKind.CHANGED


def changes_shape(found: Sequence[DefinitionChange], *, instructions: Instructions | None) -> JsonObject:
    """A JSON object with the members `changes` and `instructionsChanged`, and both instructions if they changed.

    `instructions`: None if those of one side are unknown. Then `instructionsChanged` is null.
    """
    changed = instructions is not None and instructions.kind
    return {
        "changes": [
            {
                "tool": change.tool,
                "kind": change.kind.value,
                "pointer": change.pointer,
                "before": _masked(change.before),
                "after": _masked(change.after),
                "weakens": list(change.weakens),
            }
            for change in found
        ],
        "instructionsChanged": None if instructions is None else bool(changed),
        **(
            {
                "instructionsBefore": _masked(instructions.before),
                "instructionsAfter": _masked(instructions.after),
            }
            if instructions is not None and changed
            else {}
        ),
    }


def change_lines(found: Sequence[DefinitionChange], *, instructions: Instructions | None) -> list[str]:
    """Lines for each change, marked `!` if it drops a restriction, with the values on both sides, and a summary.

    `instructions`: None if those of one side are unknown.
    """
    lines: list[str] = []
    count = len(found)
    if instructions is not None and instructions.kind:
        lines.append("! the server's instructions changed")
        lines += _sides(instructions.kind, instructions.before, instructions.after)
        count += 1
    for change in found:
        sign = "!" if change.weakens else " "
        where = f" {change.pointer}" if change.pointer else ""
        lines.append(f"{sign} {safe_line(change.tool)}{safe_line(where)} {change.kind.value}")
        lines += [f"    {safe_line(what)}" for what in change.weakens]
        if change.pointer:
            lines += _sides(change.kind, change.before, change.after)
    if not count:
        return ["No definition changed."]
    weaker = sum(bool(change.weakens) for change in found)
    texts = sum(_is_of_text(change) for change in found) + (count - len(found))
    parts = [
        f"{count} change{'' if count == 1 else 's'}",
        # A changed text can be an attack, so "0 with fewer restrictions" beside it would reassure wrongly.
        f"{weaker} with fewer restrictions" if weaker or not texts else "",
        f"{texts} of texts that a model reads" if texts else "",
    ]
    return [*lines, ", ".join(filter(None, parts))]


_TEXTS = frozenset({"description", "title"})
_NO_TEXTS = ("/annotations/", "/_meta/")


def _is_of_text(change: DefinitionChange) -> bool:
    """True if a model reads text that it did not read before: a new definition, a description or a title."""
    if not change.pointer:
        return change.kind is ChangeKind.ADDED
    is_read = change.kind is not ChangeKind.REMOVED and not change.pointer.startswith(_NO_TEXTS)
    return is_read and not _TEXTS.isdisjoint(change.pointer.split("/"))


def _sides(kind: ChangeKind, before: Json, after: Json) -> Iterator[str]:
    if kind is not ChangeKind.ADDED:
        yield f"    was  {_cut(before)}"
    if kind is not ChangeKind.REMOVED:
        yield f"    now  {_cut(after)}"


def _cut(value: Json) -> str:
    text = value if isinstance(value, str) else dump_text(value)
    more = f"… {max(len(text) - _MAX_TEXT, 0):,} more characters"
    return safe_line(masked_start(text, DIAGNOSTICS.mask, _MAX_TEXT, more))


def _masked(value: Json) -> Json:
    """A value with the user's credentials masked.

    A value that is not a text becomes JSON text if it contains a credential.
    """
    text = value if isinstance(value, str) else dump_text(value)
    shown = DIAGNOSTICS.mask(text)
    return value if shown == text else shown
