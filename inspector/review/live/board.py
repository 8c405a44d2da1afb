"""What a review has found so far, by what it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Entry, Item, Kind, Tool
from inspector.review.finding import Finding, SubjectKind
from inspector.review.report import Entry as Found
from inspector.review.report import NotChecked

Subject = tuple[SubjectKind, str]
"""A kind and a name; of the call of a tool, those of the tool."""

_SUBJECTS = {
    Kind.RESOURCE: SubjectKind.RESOURCE,
    Kind.TEMPLATE: SubjectKind.TEMPLATE,
    Kind.PROMPT: SubjectKind.PROMPT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Everything that was found up to now."""

    by_subject: Mapping[Subject, tuple[Found, ...]] = field(default_factory=lambda: MappingProxyType({}))
    reviewed: int = 0
    """How many definitions have been looked at."""
    total: int = 0
    """How many there are."""
    not_checked: tuple[NotChecked, ...] = ()
    waiting: frozenset[Subject] = frozenset()
    """What has not been looked at yet."""
    unshown: frozenset[str] = frozenset()
    """Names that repeat a value withheld from a result: no report has them."""
    is_complete: bool = False
    """Whether all that was listed and answered has been looked at."""

    @property
    def all(self) -> Iterator[Found]:
        """All findings, by subject, in the order in which these were sent."""
        return (found for entries in self.by_subject.values() for found in entries)

    def of(self, entry: Entry) -> tuple[Found, ...]:
        """What was found about an item of the catalogue, and in the last result of a tool."""
        found = self.by_subject.get(subject_of_item(entry), ())
        if isinstance(entry, Malformed):
            return tuple(each for each in found if each.finding.pointer == entry.pointer)
        return found

    def is_waiting(self, entry: Entry) -> bool:
        """Whether an item of the catalogue has not been looked at yet."""
        return not self.total or subject_of_item(entry) in self.waiting

    @property
    def of_server(self) -> tuple[Found, ...]:
        """What was found about the server itself."""
        return self.by_subject.get((SubjectKind.SERVER, ""), ())


def subject_of(finding: Finding) -> Subject:
    """What a finding is about."""
    kind = SubjectKind.TOOL if finding.subject is SubjectKind.CALL else finding.subject
    return kind, finding.name


def subject_of_item(entry: Entry) -> Subject:
    """What findings about an item of the catalogue are about."""
    match entry:
        case Tool():
            return SubjectKind.TOOL, entry.name
        case Item():
            return _SUBJECTS.get(entry.kind, SubjectKind.LISTING), entry.name
        case Malformed():
            return SubjectKind.LISTING, entry.name or ""
