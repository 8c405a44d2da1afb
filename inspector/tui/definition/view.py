"""A definition as it was sent beside what a model is given of it, and why the two differ."""

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
"""What makes a difference that no rule of the boundary makes."""
MAX_REASONS = 20
"""Reasons that are listed at once."""


class DefinitionReason(Struct, frozen=True, kw_only=True):
    """Why the model is given something else than what was sent."""

    pointer: str
    """Into the definition as sent."""
    sign: SideDifference
    """LEFT: the boundary withholds it. CHANGED: it is changed, or the host does not pass it on."""
    by: str
    """The rule of the boundary, or `host`."""
    what: str
    """In a sentence for the user."""
    claim: Claim | None = None
    """The declaration behind it."""


class DefinitionView(Struct, frozen=True, kw_only=True):
    """A definition at one boundary through one host, ready to be drawn."""

    tool: Tool
    level: Level
    host: str
    outline: Outline
    """As sent, beside what the model is given."""
    reasons: tuple[DefinitionReason, ...]
    reason_at: Mapping[str, DefinitionReason]
    """By pointer."""
    notes: tuple[str, ...]
    """Sentences about the whole."""
    raw_bytes: int
    model_bytes: int
    raw_tokens: int
    model_tokens: int
    """About as many."""
    observed: bool

    def reason_on(self, node: int) -> DefinitionReason | None:
        """Why the two sides of a node differ, or the values around it; for one that does not differ, its own reason."""
        pointer = self.outline.pointer(node)
        if pointer in self.reason_at or self.outline.difference(node) is SideDifference.NONE:
            return self.reason_at.get(pointer)
        while pointer:
            pointer = pointer.rpartition("/")[0]
            if pointer in self.reason_at:
                return self.reason_at[pointer]
        return None

    def sign(self, node: int) -> SideDifference:
        """How the two sides of a node differ: ✗ only where the boundary withholds it."""
        difference = self.outline.difference(node)
        if difference is SideDifference.LEFT or difference is SideDifference.CHANGED:
            reason = self.reason_on(node)
            return reason.sign if reason else SideDifference.CHANGED
        return difference

    def absence(self, node: int) -> Content:
        """What is drawn in place of a value that the model is not given."""
        if self.sign(node) is SideDifference.LEFT:
            return Content.styled("┄ withheld ┄", "$text-error")
        return Content.styled("┄ not passed on ┄", "$text-accent")


def measure_line(view: DefinitionView) -> Content:
    """Bytes and tokens as sent and as given, and how often they differ."""
    parts = [
        Content.assemble(
            "server sent ",
            (size(view.raw_bytes), "bold"),
            f", about {count(view.raw_tokens, 'token')}; model is given ",
            (size(view.model_bytes), "bold"),
            f", about {view.model_tokens:,}",
        ),
        *(() if view.observed else (Content.styled("not observed", "$text-warning"),)),
        *_counts(view.reasons),
    ]
    return Content("  ").join(parts)


def why_line(view: DefinitionView, node: int | None) -> Content:
    """Why the two sides of a node differ; else what the boundary and the host mean for a definition."""
    reason = view.reason_on(node) if node is not None else None
    if reason is not None:
        return _reason(view, reason)
    if node is not None and view.outline.difference(node) is not SideDifference.NONE:
        return Content.styled(
            "+ written by the boundary or the host in place of what was sent", "$text-accent"
        )
    return _standing(view)


def every_reason(view: DefinitionView, node: int | None) -> Content:
    """All reasons, that of `node` first, each with the declaration behind it; then notes about the whole."""
    here = view.reason_on(node) if node is not None else None
    others = (reason for reason in view.reasons[:MAX_REASONS] if reason is not here)
    lines = [line for reason in (*((here,) if here else ()), *others) for line in _in_full(view, reason)]
    if len(view.reasons) > MAX_REASONS:
        lines.append(Content(f"… and {len(view.reasons) - MAX_REASONS:,} more"))
    lines += [content(shortened(note, 300), "$foreground 70%") for note in view.notes]
    return Content("\n").join(lines or [_standing(view)])


def given_title(view: DefinitionView) -> Content:
    """The title of the model's side."""
    return Content.assemble(
        ("Model is given  ", "bold"),
        content(view.host),
        ", ",
        (str(view.level), level_style(view.level)),
    )


def _standing(view: DefinitionView) -> Content:
    if not view.observed:
        words = f"How {view.host} passes on definitions was not observed: this is what `spec` does."
        return content(words, "$text-warning")
    if not view.outline.tops:
        return Content.styled("The model is given all of it, as it was sent.", "$foreground 70%")
    return Content.styled("The same on both sides. n: next difference", "$foreground 70%")


def _reason(view: DefinitionView, reason: DefinitionReason) -> Content:
    style = "$text-error" if reason.sign is SideDifference.LEFT else "$text-accent"
    unsure = reason.by == HOST and not view.observed
    return Content.assemble(
        (f"{reason.sign.value} ", f"bold {style}"),
        content(_by_words(reason.by), f"bold {style}"),
        (" (not observed)", "$text-warning") if unsure else "",
        "  ",
        content(shortened(reason.pointer or "the whole", 120), "bold"),
        "  ",
        content(shortened(reason.what, 400)),
    )


def _by_words(by: str) -> str:
    """A rule of the boundary in the words of a verdict: `of a sensitive tool`."""
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
        yield content(f"{sign.value} {number:,} {by}", style)


def definition_view(tool: Tool, level: Level, host: str) -> DefinitionView:
    """A definition at a boundary through a host. Raises LookupError for an unknown host."""
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


class Learnt:
    """What the results of a session withhold, learnt once of each call, in the thread that makes definitions."""

    def __init__(self) -> None:
        self._withheld: WithheldValues | None = None
        self._records = dict[int, CallRecord]()

    def masked(self, tool: Tool, records: Iterable[CallRecord]) -> Tool:
        """The tool without what was withheld from results. Linear in those that are new."""
        for record in records:
            # Of a recording, ids are in place of what was withheld, in the definitions too.
            if id(record) not in self._records and not record.has_ids:
                self._records[id(record)] = record
                self._withheld = self._withheld or WithheldValues()
                self._withheld.learn(record.tool, record.outcome, withheld(record))
        return self._withheld.masked(tool) if self._withheld else tool


class DefinitionAsked(Struct, frozen=True, kw_only=True):
    """An item of the catalogue, and the boundary and host through which a model is given it."""

    entry: Entry
    level: Level
    host: str
    learnt: Learnt
    records: tuple[CallRecord, ...]
    """Of the calls that have ended."""


def asked_definition(asked: DefinitionAsked) -> DefinitionView | None:
    """What the Definition tab shows of a tool; None for what no model is given."""
    if not isinstance(asked.entry, Tool):
        return None
    tool = asked.learnt.masked(asked.entry, asked.records)
    view = definition_view(tool, asked.level, asked.host)
    return view if tool is asked.entry else replace(view, tool=asked.entry)


def withheld(record: CallRecord) -> Sequence[Removal]:
    """What `declared` withholds of a result."""
    return record.judgement.secrets(record.policy)
