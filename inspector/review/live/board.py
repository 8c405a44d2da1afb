"""Groups the findings of a running review by subject. Also defines the types that a running review reads."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.boundary.judgement import Judgement
from inspector.json.exact import JsonObject, Malformed
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Tool
from inspector.protocol.timeline import Timeline
from inspector.review.finding import READS_LIKE_AN_INSTRUCTION, Finding, SubjectKind
from inspector.review.report import NotChecked, ReportEntry

Subject = tuple[SubjectKind, str]
"""The kind and the name of what a finding is about.

For a call, the kind is `TOOL`, and the name is that of the tool or the handle of another item.
"""

_SUBJECTS = {
    Kind.RESOURCE: SubjectKind.RESOURCE,
    Kind.TEMPLATE: SubjectKind.TEMPLATE,
    Kind.PROMPT: SubjectKind.PROMPT,
    Kind.SKILL: SubjectKind.SKILL,
}


TO_MODEL = {
    "SL-INJ001": READS_LIKE_AN_INSTRUCTION,
    "SL-INJ002": "has hidden characters",
}
"""A description of the values that a rule finds in results, by the id of the rule."""


class Board(Struct, frozen=True, kw_only=True):
    """The findings so far of a running review, by subject."""

    by_subject: Mapping[Subject, tuple[ReportEntry, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    reviewed: int = 0
    """The number of definitions reviewed so far."""
    total: int = 0
    """The number of all definitions."""
    not_checked: tuple[NotChecked, ...] = ()
    waiting: frozenset[Subject] = frozenset()
    """The subjects that are not reviewed yet."""
    earlier: frozenset[str] = frozenset()
    """The fingerprints of findings about earlier results of tools.

    The last results of these tools do not have the findings.
    """
    before: frozenset[tuple[str, str]] = frozenset()
    """The fingerprint and message of each finding from before the last reconnect.

    These findings are about protocol messages, or about the last result of a tool.
    """
    to_model: Mapping[int, tuple[ReportEntry, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The findings of the rules in `TO_MODEL` about the latest calls, by the number of the call."""
    unshown: frozenset[str] = frozenset()
    """The names of definitions that repeat a value withheld from a result. Reports mask these names."""
    is_complete: bool = False
    """True if all definitions and results are reviewed."""

    @property
    def all(self) -> Iterator[ReportEntry]:
        return (found for entries in self.by_subject.values() for found in entries)

    def of(self, entry: Entry) -> tuple[ReportEntry, ...]:
        """The findings about an item of the catalogue.

        For a tool, also those about its results, and those about the server that occurred during its calls.
        """
        entries = self.by_subject.get(subject_of_item(entry), ())
        if isinstance(entry, Tool):
            entries += tuple(each for each in self.of_server if entry.name in each.finding.tools)
        if isinstance(entry, Item):
            entries += self.by_subject.get((SubjectKind.TOOL, entry.handle), ())
        if isinstance(entry, Malformed):
            return tuple(each for each in entries if each.finding.pointer == entry.pointer)
        return entries

    def is_waiting(self, entry: Entry) -> bool:
        """True if an item of the catalogue is not reviewed yet."""
        return not self.total or subject_of_item(entry) in self.waiting

    @property
    def of_server(self) -> tuple[ReportEntry, ...]:
        return self.by_subject.get((SubjectKind.SERVER, ""), ())


def subject_of(finding: Finding) -> Subject:
    """The subject to which a finding belongs. Findings about requests belong to the server."""
    if finding.subject is SubjectKind.REQUEST:
        return SubjectKind.SERVER, ""
    kind = SubjectKind.TOOL if finding.subject is SubjectKind.CALL else finding.subject
    return kind, finding.name


def subject_of_item(entry: Entry) -> Subject:
    """The subject of the findings about an item of the catalogue."""
    match entry:
        case Tool():
            return SubjectKind.TOOL, entry.name
        case Item():
            return _SUBJECTS.get(entry.kind, SubjectKind.LISTING), entry.name
        case Malformed():
            return SubjectKind.LISTING, entry.name or ""


if TYPE_CHECKING:
    from inspector.review.seen import Neighbour, OtherListing


class LastCall(Struct, frozen=True, kw_only=True):
    """A call as input of a running review: the last call of a tool or, in a recording, any call."""

    number: int
    name: str
    """The name of the tool, or the handle of another item. Untrusted text."""
    judgement: Judgement
    """The judgement of the answer, with the tool as listed at that time."""
    is_before: bool = False
    """True if the call was made before the last reconnect."""
    left_out: tuple[tuple[str, str], ...] = ()
    """For a recorded call: the values that the recording lacks, as pairs of pointer and boundary rule."""


class Material(Struct, frozen=True, kw_only=True):
    """The input of a review: the listing, the last calls, and the traffic of a session."""

    catalogue: Catalogue
    server: JsonObject
    """The server's `name`, `version` and `instructions`."""
    timeline: Timeline
    """The timeline of the session, which may grow during the review."""
    calls: tuple[LastCall, ...] = ()
    """The last call of each called tool; all calls in order if `is_recorded` is true."""
    made: int = 0
    """The number of calls that were made, which may exceed the length of `calls`."""
    until: str = ""
    """The part of the recording after the current position, in words; empty if nothing follows."""
    is_recorded: bool = False
    """True if `calls` are all calls up to the current position in a recording. The position may move back."""
    is_page: bool = False
    """True for a recording of a page."""
    has_all_messages: bool = True
    """False if `timeline` lacks messages, because a recording has too many."""
    listings: "tuple[OtherListing, ...]" = ()
    not_pinned: tuple[NotChecked, ...] = ()
    """The definitions that were not compared with a pin, as entries of a report."""
    neighbours: "tuple[Neighbour, ...]" = ()
    """The other servers of the run that have listed their tools."""
    unlisted: tuple[str, ...] = ()
    """The names of the other servers of the run that have not listed their tools yet."""
    origin: str | None = None
    """The server's address, if it has one."""
    client: str = ""
    """A clause that says why definitions for other clients are not reviewed; empty for a page.

    The clause names the client profile in use.
    """
