"""A definition as the server sent it, next to the part that a model gets, with the reasons for the differences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.counted import COUNTED
from inspector.boundary.options import Level
from inspector.claims.claim import Claim
from inspector.hosts.definitions.loosening import LOOSENED
from inspector.hosts.definitions.projection import DefinitionDifference, ProjectionStep, project_definition
from inspector.hosts.registry import host as host_of
from inspector.pins.withheld import WithheldValues
from inspector.protocol.catalogue import Entry, Tool
from inspector.session.call_record import CallRecord
from inspector.tui.text import content, count, level_style, shortened, size
from inspector.tui.values.outline import Outline, SideDifference

HOST = "host"
"""The value of `DefinitionReason.by` for a difference that the host makes."""
MAX_REASONS = 20
"""The maximum number of reasons listed."""


class DefinitionReason(Struct, frozen=True, kw_only=True):
    """The reason why the model is given something other than what was sent."""

    pointer: str
    """A pointer into the definition as sent."""
    sign: SideDifference
    """The sign in front of the value: LEFT if the boundary withholds the value.

    CHANGED if the boundary or the host changes the value, or if the host does not pass it on.
    """
    by: str
    """The name of a boundary rule, or `host`."""
    what: str
    """The reason as a sentence for the user."""
    claim: Claim | None = None
    """The declaration that caused the difference."""


class DefinitionView(Struct, frozen=True, kw_only=True):
    """A definition at one boundary level and for one host, ready to be drawn."""

    tool: Tool
    level: Level
    host: str
    outline: Outline
    """The definition as sent on the left, the part that the model gets on the right."""
    reasons: tuple[DefinitionReason, ...]
    reason_at: Mapping[str, DefinitionReason]
    """The first reason at each pointer."""
    notes: tuple[str, ...]
    """Sentences about the whole definition."""
    raw_bytes: int
    model_bytes: int
    raw_tokens: int
    model_tokens: int
    """The estimated number of tokens of what the model gets. `raw_tokens` is an estimate too."""
    observed: bool

    def reason_on(self, node: int) -> DefinitionReason | None:
        """The reason why the sides differ at a node.

        If a node that differs has no reason of its own, this is the reason of the nearest value around it.
        """
        pointer = self.outline.pointer(node)
        if pointer in self.reason_at or self.outline.difference(node) is SideDifference.NONE:
            return self.reason_at.get(pointer)
        while pointer:
            pointer = pointer.rpartition("/")[0]
            if pointer in self.reason_at:
                return self.reason_at[pointer]
        return None

    def sign(self, node: int) -> SideDifference:
        """The sign in front of a node. It is ✗ only if the boundary withholds the value of the node."""
        difference = self.outline.difference(node)
        if difference is SideDifference.LEFT or difference is SideDifference.CHANGED:
            reason = self.reason_on(node)
            return reason.sign if reason else SideDifference.CHANGED
        return difference

    def absences(self, node: int) -> tuple[Content, ...]:
        """The text in place of a value that the model does not get, as the only item of a tuple."""
        if self.sign(node) is SideDifference.LEFT:
            return (Content.styled("┄ withheld ┄", "$text-error"),)
        return (Content.styled("┄ not passed on ┄", "$text-accent"),)


def measure_line(view: DefinitionView) -> Content:
    """The size of a definition as sent, and of what the model gets, with the number of differences by kind.

    Sizes are in bytes and tokens.
    """
    parts = [
        Content.assemble(
            "server sent ",
            (size(view.raw_bytes), "bold"),
            f", about {count(view.raw_tokens, 'token')}; model gets ",
            (size(view.model_bytes), "bold"),
            f", about {view.model_tokens:,}",
        ),
        *(() if view.observed else (Content.styled("handling not observed", "$text-warning"),)),
        *_counts(view.reasons),
    ]
    return Content("  ").join(parts)


def why_line(view: DefinitionView, node: int | None) -> Content:
    """The reason why the two sides of a node differ.

    If they do not differ, a line that says so, or a line that says that the host was not observed.
    """
    reason = view.reason_on(node) if node is not None else None
    if reason is not None:
        return _reason(view, reason)
    if node is not None and view.outline.difference(node) is not SideDifference.NONE:
        return Content.styled(
            "+ written by the boundary or the host in place of what was sent", "$text-accent"
        )
    return _summary(view)


def every_reason(view: DefinitionView, node: int | None) -> Content:
    """The reasons why the model's definition differs, the one at `node` first.

    Each comes with its declaration. If there are more than `MAX_REASONS`, the others are only counted. Notes
    about the definition follow.
    """
    here = view.reason_on(node) if node is not None else None
    others = (reason for reason in view.reasons[:MAX_REASONS] if reason is not here)
    lines = [line for reason in (*((here,) if here else ()), *others) for line in _in_full(view, reason)]
    if len(view.reasons) > MAX_REASONS:
        lines.append(Content(f"… and {len(view.reasons) - MAX_REASONS:,} more"))
    lines += [content(shortened(note, 300), "$foreground 70%") for note in view.notes]
    return Content("\n").join(lines or [_summary(view)])


def given_title(view: DefinitionView) -> Content:
    """The title of the model's side: host and boundary level."""
    return Content.assemble(
        ("Model gets  ", "bold"),
        content(view.host),
        ", ",
        (str(view.level), level_style(view.level)),
    )


def _summary(view: DefinitionView) -> Content:
    if not view.observed:
        words = f"Shown as for `spec`: what {view.host} does with definitions was not observed."
        return content(words, "$text-warning")
    if not view.outline.tops:
        return Content.styled("The model gets the whole definition as sent.", "$foreground 70%")
    return Content.styled("No difference begins here. n: next difference", "$foreground 70%")


def _reason(view: DefinitionView, reason: DefinitionReason) -> Content:
    style = "$text-error" if reason.sign is SideDifference.LEFT else "$text-accent"
    unsure = reason.by == HOST and not view.observed
    return Content.assemble(
        (f"{reason.sign.value} ", f"bold {style}"),
        content(_by_words(reason.by), f"bold {style}"),
        (" (not observed)", "$text-warning") if unsure else "",
        "  ",
        content(shortened(reason.pointer or "the whole definition", 120), "bold"),
        "  ",
        content(shortened(reason.what, 400)),
    )


def _by_words(by: str) -> str:
    """The words for a boundary rule, such as `of a sensitive tool`; `by` itself if it names no such rule."""
    return COUNTED.get(Rule(by), by) if by in set(Rule) else by


def _in_full(view: DefinitionView, reason: DefinitionReason) -> Iterator[Content]:
    yield _reason(view, reason)
    claim = reason.claim
    if claim is not None:
        words = f"  declared by {claim.vocabulary}: {claim.key} ({claim.standing}) at {claim.pointer or 'its root'}"
        yield content(shortened(words, 300), "$foreground 70%")


def _counts(reasons: Sequence[DefinitionReason]) -> Iterator[Content]:
    counted = Counter(
        (reason.sign, _by_words(reason.by) if reason.sign is SideDifference.CHANGED else "withheld")
        for reason in reasons
    )
    for (sign, by), number in counted.items():
        style = "$text-error" if sign is SideDifference.LEFT else "$text-accent"
        yield content(f"{sign.value} {number:,} {_COUNTED_BY.get(by, by)}", style)


_COUNTED_BY = {
    LOOSENED: "loosened by the boundary: a result without its withheld values must still fit",
    "host": "changed by the host",
}


def definition_view(tool: Tool, level: Level, host: str) -> DefinitionView:
    """The view of a definition at a boundary level and for a host.

    Raises LookupError if the host is unknown.
    """
    profile = host_of(host)
    if profile is None:
        raise LookupError(host)
    found = project_definition(tool, level, profile)
    reasons = tuple(map(_reason_of, found.differences))
    return DefinitionView(
        tool=tool,
        level=level,
        host=host,
        outline=Outline(found.raw, found.model),
        reasons=reasons,
        reason_at={reason.pointer: reason for reason in reversed(reasons)},
        notes=found.notes,
        raw_bytes=found.raw_bytes,
        model_bytes=found.model_bytes,
        raw_tokens=found.raw_about_tokens,
        model_tokens=found.about_tokens,
        observed=found.observed,
    )


def _reason_of(difference: DefinitionDifference) -> DefinitionReason:
    withholds = difference.step is ProjectionStep.BOUNDARY and difference.rule != LOOSENED
    return DefinitionReason(
        pointer=difference.pointer,
        sign=SideDifference.LEFT if withholds else SideDifference.CHANGED,
        by=difference.rule or HOST,
        what=difference.what,
        claim=difference.claim,
    )


class DefinitionMasks:
    """Collects the values that are withheld from results of a session.

    Each call is read only once, in the thread that makes the views of definitions.
    """

    def __init__(self) -> None:
        self._withheld: WithheldValues | None = None
        self._records = dict[int, CallRecord]()

    def masked(self, tool: Tool, records: Iterable[CallRecord]) -> Tool:
        """A copy of `tool` without values that were withheld from results.

        Reads only the records that it has not read before.
        """
        for record in records:
            # A recording has ids in place of withheld values, also in its definitions.
            if id(record) not in self._records and not record.has_ids:
                self._records[id(record)] = record
                self._withheld = self._withheld or WithheldValues()
                self._withheld.learn(record.tool, record.outcome, withheld(record))
        return self._withheld.masked(tool) if self._withheld else tool


class DefinitionAsked(Struct, frozen=True, kw_only=True):
    """A request: an item of the catalogue, and the boundary level and host at which a model is given it."""

    entry: Entry
    level: Level
    host: str
    masks: DefinitionMasks
    records: tuple[CallRecord, ...]
    """The records of the calls that have ended."""


def asked_definition(asked: DefinitionAsked) -> DefinitionView | None:
    """The view of a tool for the Definition tab; None for any other item, such as a resource."""
    if not isinstance(asked.entry, Tool):
        return None
    tool = asked.masks.masked(asked.entry, asked.records)
    view = definition_view(tool, asked.level, asked.host)
    return view if tool is asked.entry else replace(view, tool=asked.entry)


def withheld(record: CallRecord) -> Sequence[Removal]:
    """The removals of a result at the boundary level `declared`."""
    return record.judgement.secrets(record.policy)
